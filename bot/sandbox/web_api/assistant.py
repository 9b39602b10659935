"""assistant.threads.*: what the app says of itself in a thread of its direct message."""

from dataclasses import replace

from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.records import Json, Message
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.chat import public_message
from bot.sandbox.web_api.method import Method, visible_channel


async def set_status(core: Core, args: Arguments) -> Json:
    """A line below the thread, until it is taken away or the app says something there."""
    root = _root(core, args)
    core.workspace.put(replace(root, status=args.optional_text("status") or ""))
    return {}


async def set_title(core: Core, args: Arguments) -> Json:
    """The thread's name."""
    core.workspace.put(replace(_root(core, args), title=args.text("title")))
    return {}


async def set_suggested_prompts(core: Core, args: Arguments) -> Json:
    """What a thread offers to begin with: one to four prompts, each with a title and a message."""
    prompts = args.items("prompts", "invalid_arguments") or []
    told = [{"title": one.get("title"), "message": one.get("message")} for one in prompts]
    if not 0 < len(told) <= MOST_PROMPTS or not all(
        isinstance(text, str) and text.strip() for one in told for text in one.values()
    ):
        raise SlackError("invalid_arguments", messages=("1 to 4 prompts, each with a title and a message",))
    core.workspace.put(replace(_root(core, args), prompts=told))
    return {}


def _root(core: Core, args: Arguments) -> Message:
    """The thread's first message; only a direct message with the app has such threads."""
    channel = visible_channel(core, args.text("channel_id"))
    if not channel.is_im:
        raise SlackError("method_not_supported_for_channel_type")
    root = public_message(core, channel, args.text("thread_ts"))
    if root.is_reply:
        raise SlackError("invalid_thread_ts")
    return root


MOST_PROMPTS = 4
METHODS = {
    "assistant.threads.setStatus": Method(run=set_status, scope="chat:write"),
    "assistant.threads.setSuggestedPrompts": Method(run=set_suggested_prompts, scope="assistant:write"),
    "assistant.threads.setTitle": Method(run=set_title, scope="assistant:write"),
}
