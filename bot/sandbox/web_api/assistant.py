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


def _root(core: Core, args: Arguments) -> Message:
    """The thread's first message; only a direct message with the app has such threads."""
    channel = visible_channel(core, args.text("channel_id"))
    if not channel.is_im:
        raise SlackError("method_not_supported_for_channel_type")
    root = public_message(core, channel, args.text("thread_ts"))
    if root.is_reply:
        raise SlackError("invalid_thread_ts")
    return root


METHODS = {
    "assistant.threads.setStatus": Method(run=set_status, scope="chat:write"),
    "assistant.threads.setTitle": Method(run=set_title, scope="assistant:write"),
}
