"""A local Slack workspace on real sockets, for trying a bot and for testing one.

It speaks Slack's public protocol (Web API, Socket Mode, signed HTTP delivery, response_url, views) and
refuses what Slack refuses. A page in the browser shows it; a program drives it like this:

    async with Sandbox() as slack:               # slack.api_url, .bot_token, .app_token, .signing_secret
        ...                                      # start the bot against these
        await slack.connected()                  # the bot is there
        alice, bob = slack.person("Alice"), slack.person("Bob")
        await alice.say("#general", "/agent tidy up")        # {"ok": True}, or {"ok": False, "warning": "…"}
        card = await bob.sees("delete_file", channel="#general")
        await bob.press(card, "Edit")                        # by the word on the button
        form = await bob.form()                              # the modal on top
        errors = await bob.submit(form, {"path": "x.txt", "keep": True})     # by label; {} when accepted
        await bob.sees_change(card, lambda message: not buttons(message))

Messages, forms and Home are plain dicts: Slack's blocks, with `channel`, `ts`, `thread_ts` for messages and
`id`, `values`, `errors` for forms. `text_of`, `buttons`, `labels` and `value_of` read them. What waits is
woken by changes and fails with a picture of what was there instead.

A sandbox in another process is visited: `async with await Visitor.connect("http://127.0.0.1:8800") as slack`.
Faults: `await slack.fault(Fault(kind="ratelimited", method="chat.postMessage", times=1))`; what the bot
asked for: `slack.calls("chat.postMessage")`. The same over HTTP: POST, GET, DELETE /sandbox/faults,
GET /sandbox/calls.
"""

from bot.sandbox.blocks import Problem, check_message, check_view
from bot.sandbox.calls import Call
from bot.sandbox.delivery import Acked, Unanswered
from bot.sandbox.faults import Fault
from bot.sandbox.options import Command, Options
from bot.sandbox.person import NotSeenError, Person, RefusedError
from bot.sandbox.reading import buttons, labels, text_of, value_of
from bot.sandbox.records import Account, Channel
from bot.sandbox.server import Sandbox
from bot.sandbox.signing import sign
from bot.sandbox.storage import WorkspaceFileError
from bot.sandbox.visitor import Visitor

__all__ = [
    "Account",
    "Acked",
    "Call",
    "Channel",
    "Command",
    "Fault",
    "NotSeenError",
    "Options",
    "Person",
    "Problem",
    "RefusedError",
    "Sandbox",
    "Unanswered",
    "Visitor",
    "WorkspaceFileError",
    "buttons",
    "check_message",
    "check_view",
    "labels",
    "sign",
    "text_of",
    "value_of",
]
