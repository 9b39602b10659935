"""files.*: a file is announced, its bytes are sent to an address, and then it is shown in a channel."""

from bot.sandbox.core import Core, Upload
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_ID, BOT_USER
from bot.sandbox.records import Json, Message
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.chat import thread_root
from bot.sandbox.web_api.method import Method, postable_channel

LARGEST = 1_000_000
"""Bytes; Slack takes a gigabyte, and nothing here needs more."""


async def get_upload_url(core: Core, args: Arguments) -> Json:
    """Where the bytes are to be sent, and the file's id."""
    name = args.text("filename")
    length = args.number("length", default=0, most=LARGEST)
    if not length:
        raise SlackError("invalid_arguments", messages=("missing required field: length",))
    id = core.workspace.new_id("F")
    core.uploads[id] = Upload(name=name, length=length)
    return {"upload_url": f"{core.origin or core.address}/upload/{id}", "file_id": id}


async def complete_upload(core: Core, args: Arguments) -> Json:
    """Show files whose bytes have come, in a channel or a thread; a message of the app's own carries them."""
    named = args.items("files", "invalid_arguments") or []
    files = [_file(core, one) for one in named]
    if not files:
        raise SlackError("invalid_arguments", messages=("missing required field: files",))
    if args.optional_text("channel_id"):
        channel = postable_channel(core, args.text("channel_id"))
        message = Message(
            channel=channel.id,
            ts=core.workspace.new_ts(),
            user=BOT_USER,
            bot_id=BOT_ID,
            text=args.optional_text("initial_comment") or "",
            thread_ts=thread_root(core, channel, args),
            files=files,
        )
        core.workspace.put(message)
    for one in files:
        core.uploads.pop(one["id"], None)
    return {"files": [{"id": one["id"], "title": one["title"]} for one in files]}


def _file(core: Core, named: Json) -> Json:
    id = str(named.get("id") or "")
    upload = core.uploads.get(id)
    if upload is None or upload.content is None:
        raise SlackError("file_not_found")
    return {
        "id": id,
        "name": upload.name,
        "title": str(named.get("title") or upload.name),
        "size": upload.length,
        "content": upload.content.decode("utf-8", "replace"),
    }


METHODS = {
    "files.getUploadURLExternal": Method(run=get_upload_url, scope="files:write"),
    "files.completeUploadExternal": Method(run=complete_upload, scope="files:write"),
}
