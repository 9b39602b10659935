"""From an interrupt to an approval, and the work in Slack that every change of an approval owes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, assert_never

from bot.approvals import ids
from bot.approvals.approval import Action, Approval, LetThrough, State
from bot.approvals.binding import digest
from bot.approvals.briefing import Briefing
from bot.approvals.carding import lead_of, version_of
from bot.approvals.conversation import Conversation, Post, PostKind
from bot.approvals.decision import Json
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, PostId, UserId
from bot.approvals.places import IN_THREAD, InChannel, InThread, ToApprovers, Where
from bot.approvals.ports import Event, Jobs, Tools, Transaction, Work
from bot.approvals.sayings import joined, saying
from bot.approvals.thread import ActionRequest, Interrupt
from bot.approvals.words import AND, phrase

SPREAD: Final = "spread"
"""The kind of work that sends an approval to its approvers."""


def thread_key(id: ConversationId) -> str:
    """The lane in which a conversation's agent runs, one at a time."""
    return f"thread:{id}"


def slack_key(id: ConversationId) -> str:
    """The lane in which a conversation's messages are posted, in order."""
    return f"slack:{id}"


def approval_for(
    interrupt: Interrupt,
    conversation: Conversation,
    *,
    requesters: frozenset[UserId],
    tools: Tools,
    at: datetime,
) -> Approval:
    """A new approval that asks people what the interrupt asks."""
    return Approval(
        id=ApprovalId(ids.fresh()),
        conversation=conversation.id,
        interrupt=interrupt.id,
        shape=interrupt.shape,
        actions=tuple(
            _action(request, interrupt, conversation.id, tools.schema(request.tool))
            for request in interrupt.requests
        ),
        asked_at=at,
        requesters=requesters,
        realm=conversation.realm,
    )


def _action(
    request: ActionRequest, interrupt: Interrupt, thread: ConversationId, schema: Mapping[str, Json] | None
) -> Action:
    return Action(
        id=ActionId(ids.fresh()),
        tool=request.tool,
        arguments=request.arguments,
        description=request.description,
        allowed=request.allowed,
        call=request.call,
        message=request.message,
        schema=schema,
        referents=request.referents,
        chosen=request.chosen,
        briefing=Briefing(rendered=request.rendered),
        digest=digest(
            tool=request.tool,
            arguments=request.arguments,
            thread=thread,
            interrupt=interrupt.id,
            call=request.call,
            referents=request.referents,
        ),
    )


async def file(
    tx: Transaction,
    jobs: Jobs,
    approval: Approval,
    *timers: Work,
    told: Sequence[Event] = (),
    places: Sequence[Where] = (IN_THREAD,),
) -> bool:
    """Write a new approval and owe its cards in these places and its timers; False if its interrupt has one.

    `told` are more lines of the record that belong to it. Where nobody is asked there is no card.
    """
    if not await tx.approvals.add(approval):
        return False
    await tx.record.append(
        Event(
            kind="filed",
            at=approval.asked_at,
            conversation=approval.conversation,
            approval=approval.id,
            detail={
                "shape": approval.shape.value,
                "expires_at": approval.expires_at.isoformat() if approval.expires_at else None,
                "actions": [_told(action) for action in approval.actions],
            },
        ),
        *told,
    )
    kind = _shown_as(approval)
    if kind is PostKind.CARD and approval.card and not approval.held:
        await owe_card(tx, jobs, approval)
    elif kind is PostKind.CARD and not approval.held:
        await owe_cards(tx, jobs, approval, places)
    elif kind and kind is not PostKind.CARD:
        await owe(tx, jobs, _post(approval, kind))
    if timers:
        await jobs.owe(tx, *timers)
    return True


SENT: Final = phrase("The request for approval was sent {places}. It can be decided there.")


async def owe_cards(tx: Transaction, jobs: Jobs, approval: Approval, places: Sequence[Where]) -> None:
    """In each place a copy of its card; where none stands in the thread, it is told where they are."""
    for where in places:
        match where:
            case InThread():
                await owe(tx, jobs, _post(approval, PostKind.CARD))
            case InChannel(id=channel):
                await owe(tx, jobs, replace(_post(approval, PostKind.CARD), place=channel))
            case ToApprovers():
                await jobs.owe(tx, spreading(approval))
            case _:
                assert_never(where)
    if IN_THREAD not in places:
        words = saying(SENT, places=joined(AND, [_in_words(where) for where in places]))
        await owe(tx, jobs, replace(_post(approval, PostKind.NOTICE), text=words, approval=None))


def _in_words(where: Where) -> str:
    match where:
        case InChannel(id=id, name=name):
            return saying("to {channel}", channel=name or id)
        case _:
            return saying("to those who may decide, in direct messages")


def _post(approval: Approval, kind: PostKind) -> Post:
    return Post(id=PostId(ids.fresh()), conversation=approval.conversation, kind=kind, approval=approval.id)


def spreading(approval: Approval) -> Work:
    """The work of sending an approval to its approvers."""
    lead = lead_of(approval)
    name = f"spread:{lead}:{len(approval.escalated_to)}"
    return Work(name, SPREAD, key=slack_key(approval.conversation), payload={"approval": lead})


def _shown_as(approval: Approval) -> PostKind | None:
    """A card where people are asked; a short message where they would have been; else nothing."""
    if approval.open:
        return PostKind.CARD
    outcomes = [action.outcome for action in approval.actions]
    is_remembered = any(isinstance(one, LetThrough) and one.because for one in outcomes)
    return PostKind.NOT_ASKED if is_remembered else None


def _told(action: Action) -> dict[str, Json]:
    """An action in the record: ids and digests, never a value."""
    told: dict[str, Json] = {
        "id": action.id,
        "tool": action.tool,
        "digest": action.digest,
        "message": action.message,
        "call": action.call,
    }
    if action.referents:
        told["referents"] = action.referents.fingerprint
        told["looked_up"] = not action.referents.problem
    return told


async def owe(tx: Transaction, jobs: Jobs, post: Post) -> None:
    """Owe a message in Slack; the same post is owed once."""
    if await tx.posts.owe(post):
        await jobs.owe(tx, posting(post))


def posting(post: Post) -> Work:
    """The work of showing a message; done in order within its thread, which nothing else has to wait for."""
    is_elsewhere = post.place and post.approval is None
    key = f"post:{post.id}" if is_elsewhere else slack_key(post.conversation)
    return Work(f"post:{post.id}", "post", key=key, payload={"post": post.id})


def running(id: ConversationId, name: str, *, kind: str = "run") -> Work:
    """The work of taking a conversation's next steps; owed once by this name."""
    return Work(name, kind, key=thread_key(id), payload={"conversation": id})


def pruning(id: ConversationId) -> Work:
    """The work of forgetting what a thread at rest no longer needs; nothing runs in it meanwhile."""
    return Work(f"prune:{id}", "prune", key=thread_key(id), payload={"conversation": id})


def redraw(post: PostId, version: str) -> Work:
    """A new drawing of a message, of whatever its rows say by then.

    A `version` that is a number is not drawn if a later one was. In a lane of its own: a message that
    cannot be changed must not hold back the others of its thread.
    """
    payload = {"post": post, "version": version}
    return Work(f"redraw:{post}:{version}", "redraw", key=f"redraw:{post}", payload=payload)


async def owe_card(tx: Transaction, jobs: Jobs, approval: Approval) -> None:
    """Owe every copy of the card on which the approval stands a drawing of what is written."""
    version = version_of(await tx.approvals.on_card(approval.id))
    for card in await tx.posts.cards(approval.id):
        await jobs.owe(tx, redraw(card.id, str(version)))


async def stop_timers(tx: Transaction, jobs: Jobs, approval: Approval) -> None:
    """Nobody has to decide any more, so nothing has to happen at its time."""
    for timer in approval.timers:
        await jobs.cancel(tx, timer)


async def withdraw(tx: Transaction, jobs: Jobs, approval: Approval, note: str, at: datetime) -> None:
    """Close an approval that the agent no longer waits for, and say so on its card."""
    withdrawn = approval.withdraw(note)
    await tx.approvals.save(withdrawn)
    if approval.state is State.WAITING:
        await stop_timers(tx, jobs, approval)
    await tx.record.append(
        Event(
            kind="withdrawn",
            at=at,
            conversation=approval.conversation,
            approval=approval.id,
            detail={"note": note},
        )
    )
    await owe_card(tx, jobs, withdrawn)
