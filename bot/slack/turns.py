"""The notice that a message waits its turn, with the button that makes it the reason of a rejection."""

from dataclasses import dataclass
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.models.blocks import ButtonElement, ConfirmObject, PlainTextObject

from bot.approvals.conversation import Post
from bot.approvals.errors import Refused
from bot.approvals.ids import PostId
from bot.approvals.turns import NO_LONGER, WAITS, Objections
from bot.approvals.words import phrase, say
from bot.slack import payloads, verbs
from bot.slack.answers import sentence
from bot.slack.buttons import button, row
from bot.slack.message import Message
from bot.slack.payloads import Malformed
from bot.slack.place import spot_of
from bot.slack.private import Private
from bot.slack.text import mention

Payload = dict[str, Any]

LABEL: Final = phrase("Reject all for this reason")
ASKED: Final = phrase("Reject everything?")
MEANT: Final = phrase(
    "Everything that was open when this message came is rejected, with the message as the reason. "
    "The agent is told the reason, and does not get the message a second time."
)
USED: Final = phrase(
    "{who} rejected what was open, with this message as the reason. The agent is told it as that."
)
PARTLY: Final = phrase("Rejected, except for what you may not decide:\n{refused}")


def kept(post: Post) -> Message:
    """The notice, as it stands."""
    if post.settled_by is None:
        return sentence(say(WAITS), row([_reject_all(post)], "reason"))
    return sentence(say(USED, who=mention(post.settled_by)) if post.settled_by else say(NO_LONGER))


def _reject_all(post: Post) -> ButtonElement:
    element = button(
        verbs.REJECT_ALL, say(LABEL), post.id, about=say("given in the message above"), style="danger"
    )
    element.confirm = ConfirmObject(
        title=say(ASKED),
        text=PlainTextObject(text=say(MEANT)),
        confirm=say("Reject all"),
        deny=say("Leave it"),
        style="danger",
    )
    return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The button of these notices."""

    objections: Objections
    private: Private

    def register(self, app: AsyncApp) -> None:
        """Take it."""
        app.action(verbs.REJECT_ALL)(self.reject_all)

    async def reject_all(self, ack: AsyncAck, body: Payload) -> None:
        """Reject what was open; what the person may not decide is told to that person alone."""
        click = payloads.click(body)
        if isinstance(click, Malformed):
            await ack()
            return
        try:
            refused = await self.objections.reject(PostId(click.value), by=click.by, spot=spot_of(click))
        except Refused as no:
            await ack()
            await self.private.tell(click, str(no))
            return
        await ack()
        if refused:
            await self.private.tell(click, say(PARTLY, refused="\n".join(refused)))
