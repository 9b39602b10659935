"""What people think of an answer: up or down, once per person, changed at will, kept in the record."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.approvals.conversation import Conversation, Post, PostKind
from bot.approvals.errors import NotAllowed, NotHere
from bot.approvals.ids import PostId, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.places import Spot
from bot.approvals.ports import Clock, Directory, Event, Store
from bot.approvals.words import phrase, say

THANKS: Final = phrase("Thank you, that is noted.")
CHANGED: Final = phrase("Thank you, your opinion is changed.")
KNOWN: Final = phrase("Thank you, that was noted already.")
_MEMBERS_ONLY: Final = phrase("Only full members of this workspace can rate an answer, so nothing was noted.")
_UNKNOWN: Final = phrase("This answer is not known here any more, so nothing was noted.")
_ELSEWHERE: Final = phrase("This is not where the answer stands, so nothing was noted.")


class Opinion(StrEnum):
    """What somebody thinks of an answer."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """Takes them, each in one transaction."""

    store: Store
    directory: Directory
    now: Clock

    async def give(self, id: PostId, opinion: Opinion, *, by: UserId, spot: Spot) -> str:
        """Note it, and say so in a sentence for the person; `Refused` if it is not theirs to give."""
        person = await self.directory.person(by)
        async with self.store.write() as tx:
            post = await tx.posts.get(id)
            # Its lock puts two clicks of one person in a row.
            conversation = await tx.conversations.get(post.conversation) if post else None
            if post is None or conversation is None or post.kind is not PostKind.ANSWER:
                raise NotAllowed(say(_UNKNOWN))
            _check(person, spot, post, conversation)
            before = _before(await tx.record.of(conversation.id), id, by)
            if before == opinion:
                return say(KNOWN)
            await tx.record.append(
                Event(
                    kind="feedback",
                    at=self.now(),
                    conversation=conversation.id,
                    actor=by,
                    detail={"answer": id, "opinion": opinion.value, "instead_of": before},
                )
            )
            return say(CHANGED if before else THANKS)


def _check(person: Person, spot: Spot, post: Post, conversation: Conversation) -> None:
    if not person.is_of(spot.team, spot.organisation) or person.standing is not Standing.MEMBER:
        raise NotAllowed(say(_MEMBERS_ONLY))
    # A long answer has several messages, of which the row knows the first.
    if spot.channel is None or spot.channel not in {post.channel, conversation.channel}:
        raise NotHere(say(_ELSEWHERE))


def _before(lines: Sequence[Event], id: PostId, by: UserId) -> str | None:
    """What this person thought of it until now."""
    given = [line for line in lines if line.kind == "feedback" and line.actor == by]
    last = next((line for line in reversed(given) if line.detail.get("answer") == id), None)
    return str(last.detail["opinion"]) if last else None
