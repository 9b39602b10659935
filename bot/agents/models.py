"""From `provider:model` to a chat model, or one sentence that says what is missing."""

import os
import re
from typing import Final

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from bot.agents.errors import BadAgent, did_you_mean

OFFLINE: Final = "offline"
"""The name of the stand-in that needs no key and no network."""
_EXTRAS: Final = ("openai", "anthropic")
"""Providers that have an extra of this distribution."""
_KEYS: Final = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
}
"""Where a provider's client looks for its key; a provider that is not here says so itself."""
_VARIABLE: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PROJECT|REGION)\b")


def chat_model(name: str) -> BaseChatModel:
    """The model that `BOT_MODEL` names; `BadAgent` with one sentence otherwise."""
    if name == OFFLINE:
        from bot.agents.offline.model import OfflineModel

        return OfflineModel()
    provider, colon, model = (part.strip() for part in name.partition(":"))
    if not (colon and provider and model):
        raise BadAgent(f"The model {name!r} must be written provider:model, for example openai:gpt-5.")
    provider = provider.replace("-", "_").lower()
    if (variable := _KEYS.get(provider)) and _installed(provider) and not os.environ.get(variable):
        raise BadAgent(f"The model {name!r} needs a key: set {variable}.")
    return _made(name, provider, model)


def _made(name: str, provider: str, model: str) -> BaseChatModel:
    try:
        made = init_chat_model(model, model_provider=provider)
    except ImportError as error:
        raise BadAgent(
            f"The model {name!r} needs a package that is not installed: {_install(provider, error)}."
        ) from error
    except Exception as error:
        if isinstance(error, ValueError) and "nsupported" in str(error):
            raise BadAgent(
                f"The model {name!r} names the unknown provider {provider!r}{_hint(provider)}."
            ) from error
        variables = " or ".join(dict.fromkeys(_VARIABLE.findall(str(error))))
        needs = f"set {variables}" if variables else f"its client says {type(error).__name__}"
        raise BadAgent(f"The model {name!r} cannot be set up: {needs}.") from error
    if not isinstance(made, BaseChatModel):
        raise BadAgent(f"The model {name!r} is no chat model.")
    return made


def _hint(provider: str) -> str:
    return did_you_mean(provider, [*_KEYS, "ollama", "bedrock_converse", "azure_openai", "google_vertexai"])


def _installed(provider: str) -> bool:
    """Whether the client is there; a missing package is told before a missing key."""
    from importlib.util import find_spec

    return find_spec(f"langchain_{provider}") is not None


def _install(provider: str, error: ImportError) -> str:
    if provider in _EXTRAS:
        return f"pip install 'slack-approval-bot[{provider}]'"
    named = re.search(r"pip install (?:-U )?([\w.-]+)", str(error))
    return (
        f"pip install {named[1].rstrip('.')}"
        if named
        else f"pip install langchain-{provider.replace('_', '-')}"
    )
