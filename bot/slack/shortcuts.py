"""The message shortcut "Ask the agent about this": a message is taken along to the agent, as a quotation.

The form shows the message and carries where it is and its fingerprint; when it is sent, Slack is asked for
the message once more, so that the agent gets what was shown or nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, Self

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.models.blocks import ContextBlock, InputBlock, RichTextBlock
from slack_sdk.models.views import View as SlackView
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.errors import CouldNotCheck, NotAllowed, Refused
from bot.approvals.ids import ChannelId, Ts, UserId
from bot.approvals.roster import ONE_AGENT, Roster
from bot.approvals.sayings import saying
from bot.approvals.steering import Steering, not_in
from bot.approvals.words import phrase, say
from bot.slack import payloads, verbs
from bot.slack.edits import typed
from bot.slack.forms import message_form
from bot.slack.inputs import literal, text_input
from bot.slack.literal import excerpt, person, plain, quoted, section, worded
from bot.slack.message import View
from bot.slack.payloads import Click, Malformed, Submission
from bot.slack.private import Private
from bot.slack.quoting import MOST_QUOTED, asked_about, fingerprint
from bot.slack.refusals import name_of
from bot.slack.speech import spoken
from bot.slack.text import is_user_id

Payload = dict[str, Any]

ASK: Final = "ask"
LONGEST_ASK: Final = 3_000
_SHOWN: Final = 3_000
"""How much of the message the form shows."""

TITLE: Final = phrase("Ask the agent")
LABEL: Final = phrase("What should the agent do?")
ABOUT: Final = phrase("About this message by {author}:")
AN_APP: Final = phrase("an app")
TOLD: Final = phrase(
    "The agent gets the message as a quotation, not as your words, and answers in its thread."
)
TOLD_CUT: Final = phrase(
    "The message is long: the agent gets its first {most:,} of {all:,} characters as a quotation, and "
    "answers in its thread."
)
WHICH: Final = phrase("{first} is asked. To ask another agent, begin with its name and a colon ({names}).")
NO_TEXT: Final = phrase("This message has no text that could be taken along, so nothing was done.")
NOT_IN_IT: Final = phrase("You are not in the channel of this message, so nothing was done.")
CHANGED: Final = phrase(
    "The message was changed or deleted meanwhile, so nothing was done. Please ask again."
)
TOO_LATE: Final = phrase("It took too long to open this; nothing was done. Please try again.")
UNREADABLE: Final = phrase(
    "Slack did not let me read the message just now, so nothing was done. Please try again."
)
EMPTY: Final = phrase("Say what the agent should do with it.")
ASKED_ABOUT: Final = phrase("(about a message in this thread, {length:,} characters)")
ASKED_AND: Final = phrase("{words}\n{note}")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Which message a form is about."""

    channel: str
    ts: str
    thread: str
    fingerprint: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        """What `str` wrote; None if it is nothing of ours."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return None
        names = ("channel", "ts", "thread", "fingerprint")
        if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in names):
            return None
        return cls(**{name: told[name] for name in names})

    def __str__(self) -> str:
        return json.dumps(asdict(self))


def ask_form(about: About, text: str, author: str, roster: Roster = ONE_AGENT) -> View:
    """Asks what the agent is to do, with the message in view, literally."""
    by = person(UserId(author)) if is_user_id(author) else plain(say(AN_APP))
    words = spoken(text)
    part = excerpt(words, _SHOWN)
    is_cut = len(words) > MOST_QUOTED
    told = say(TOLD_CUT, most=MOST_QUOTED, all=len(words)) if is_cut else say(TOLD)
    if roster.are_several:
        told += " " + say(WHICH, first=roster.names[0], names=say(", ").join(roster.names[1:]))
    view = SlackView(
        type="modal",
        callback_id=verbs.ASK_FORM,
        title=literal(say(TITLE)),
        submit=literal(say("Ask")),
        close=literal(say("Cancel")),
        private_metadata=str(about),
        blocks=[
            RichTextBlock(elements=[section(*worded(ABOUT, author=by)), *quoted(part)], block_id="message"),
            InputBlock(
                block_id=ASK,
                label=literal(say(LABEL)),
                element=text_input(multiline=True, longest=LONGEST_ASK),
            ),
            ContextBlock(elements=[literal(told)], block_id="told"),
        ],
    )
    return dict(view.to_dict())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcuts:
    """Takes the shortcut and its form."""

    steering: Steering
    client: AsyncWebClient
    private: Private

    def register(self, app: AsyncApp) -> None:
        """Take both."""
        app.message_shortcut(verbs.ASK_ABOUT)(self.opened)
        app.view(verbs.ASK_FORM)(self.sent)

    async def opened(self, ack: AsyncAck, body: Payload) -> None:
        """Show the form, or say privately why not."""
        await ack()
        # A shortcut says who and where in the words of a click.
        click = payloads.click({**body, "type": "block_actions", "actions": [{"action_id": verbs.ASK_ABOUT}]})
        if isinstance(click, Malformed) or click.channel is None or click.message_ts is None:
            return
        try:
            await self._check(click.by, click.channel)
            await self._open(click, click.channel, click.message_ts, body.get("message"))
        except Refused as no:
            await self.private.tell(click, str(no))

    async def sent(self, ack: AsyncAck, body: Payload) -> None:
        """Start or continue the conversation in the message's thread."""
        form = payloads.submission(body)
        about = About.read(form.private_metadata) if isinstance(form, Submission) else None
        if not isinstance(form, Submission) or about is None:
            await ack()
            return
        ask = _typed(form.values)
        if not ask:
            await ack(response_action="errors", errors={ASK: say(EMPTY)})
            return
        try:
            await self._ask(form, about, ask)
        except Refused as no:
            await ack(response_action="update", view=message_form(str(no)))
            return
        await ack()

    async def _check(self, by: UserId, channel: ChannelId) -> None:
        await self.steering.check_asker(by)
        if not await self.steering.directory.takes_messages(channel):
            raise NotAllowed(say(not_in(channel)))

    async def _open(self, click: Click, channel: ChannelId, ts: Ts, message: object) -> None:
        text, author = _text(message, "text"), _text(message, "user")
        if not spoken(text):
            raise Refused(say(NO_TEXT))
        thread = click.thread_ts or ts
        about = About(channel=channel, ts=ts, thread=thread, fingerprint=fingerprint(text))
        try:
            await self.client.views_open(
                trigger_id=click.trigger_id, view=ask_form(about, text, author, self.steering.roster)
            )
        except SlackApiError as error:
            if name_of(error).endswith("trigger_id"):
                raise Refused(say(TOO_LATE)) from None
            raise

    async def _ask(self, form: Submission, about: About, ask: str) -> None:
        channel, thread = ChannelId(about.channel), Ts(about.thread)
        await self._check(form.by, channel)
        if not await self.steering.directory.is_member(channel, form.by):
            raise NotAllowed(say(NOT_IN_IT))
        message = await self._message(about)
        text = _text(message, "text")
        if fingerprint(text) != about.fingerprint:
            raise Refused(say(CHANGED))
        author = await self._author(_text(message, "user"))
        to = self.steering.roster.address(ask)
        note = saying(ASKED_ABOUT, length=len(spoken(text)))
        told = asked_about(to.text, text, author) if to.text else ""
        source = Ts(f"{about.ts}/{form.view_id}")  # the same form is heard once
        hear = partial(self.steering.hear, by=form.by, channel=channel, ts=source, thread_ts=thread)
        await hear(told, shown=saying(ASKED_AND, words=to.text, note=note), to=to)

    async def _message(self, about: About) -> object:
        """The message as Slack has it now; None if there is none."""
        where: dict[str, Any] = {"channel": about.channel, "latest": about.ts, "oldest": about.ts}
        where["inclusive"] = True
        try:
            if about.thread == about.ts:
                found = await self.client.conversations_history(**where, limit=1)
            else:
                found = await self.client.conversations_replies(**where, ts=about.thread, limit=2)
        except SlackApiError:
            raise CouldNotCheck(say(UNREADABLE)) from None
        return next((one for one in found["messages"] if one.get("ts") == about.ts), None)

    async def _author(self, author: str) -> str:
        if not is_user_id(author):
            return AN_APP
        try:
            known = await self.steering.directory.person(UserId(author))
        except Refused:
            return author
        return f"@{known.name or author}"


def _typed(values: Mapping[str, object]) -> str:
    try:
        return (typed(values, ASK) or "").strip()
    except (ValueError, TypeError):
        return ""


def _text(message: object, name: str) -> str:
    text = message.get(name) if isinstance(message, Mapping) else None
    return text if isinstance(text, str) else ""
