"""From `BOT_AGENT`, `package.module:attribute`, to an agent."""

import importlib
import operator
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

from langgraph.graph.state import CompiledStateGraph

from bot.agents.agent import Agent
from bot.agents.built import GraphBuilder
from bot.agents.errors import BadAgent, did_you_mean
from bot.agents.failures import cut

SHIPPED: Final = "bot.agents.assistant:agent"
"""The file and data assistant, for a start without `BOT_AGENT`."""


def load(name: str) -> Agent | GraphBuilder:
    """The agent that this name means; `BadAgent` with one sentence otherwise.

    The current directory is importable, as it is for `python -m`.
    """
    module_name, colon, attribute = name.strip().partition(":")
    if not colon or not _dotted(module_name) or not _dotted(attribute):
        raise BadAgent(f"The agent {name!r} must be written package.module:attribute.")
    module = _imported(name, module_name)
    try:
        found = operator.attrgetter(attribute)(module)
    except AttributeError as error:
        hint = did_you_mean(attribute, (known for known in vars(module) if not known.startswith("_")))
        raise BadAgent(f"The module {module_name!r} has no {attribute!r}{hint}.") from error
    except Exception as error:
        raise BadAgent(f"Reading {name!r} failed with {type(error).__name__}: {cut(str(error))}") from error
    return _checked(name, found)


def _dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _imported(name: str, module: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise BadAgent(
                f"The agent {name!r} names the module {module!r}, and there is no module {error.name!r} "
                f"in {here} or among the installed packages."
            ) from error
        raise BadAgent(
            f"Importing {module!r} failed: it needs {error.name!r}, which is not installed."
        ) from error
    except (Exception, SystemExit) as error:
        raise BadAgent(
            f"Importing {module!r} failed with {type(error).__name__}: {cut(str(error))}"
        ) from error


def _checked(name: str, found: object) -> Agent | GraphBuilder:
    if isinstance(found, Agent):
        return found
    if isinstance(found, CompiledStateGraph):
        raise BadAgent(
            f"{name!r} is a compiled graph; name a function build(*, model, checkpointer, middleware) "
            "that returns it, so that the bot can give it a checkpointer."
        )
    if not callable(found):
        raise BadAgent(
            f"{name!r} is {type(found).__name__}; it must be an Agent or a function that builds a graph."
        )
    builder: GraphBuilder = found
    return builder
