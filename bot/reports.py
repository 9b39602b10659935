"""What the store knows, as JSON documents for people and programs. Nothing here writes.

The keys are stable. Times are ISO 8601 in UTC; people, channels and messages are Slack's ids; what is not
known, or never, is null. JSON has no NaN and no infinities: where an argument holds one, it is a string.

Where the bot has several agents, each conversation has an `agent`, its name, after its id.

`pending`: {"pending": [ONE, …]}, oldest first. ONE has `approval`, `conversation`, `channel`, `thread_ts`,
`requesters`, `asked_at`, `expires_at`, `held` (whether it waits for its turn behind the cards that are open:
then nobody is asked yet, and it has no deadline), `card` {`state`, `channel`, `ts`} (that in the thread, or
the first; that of its burst, where it stands on one with others; null for what is held), and `actions`, each
with `id`, `tool`, `decision`, `votes` (each with `type`, `by` and `at`), `missing` (how many more it takes),
`points_at` (what its arguments point at: `texts` by name, or the `problem` why that is not known; null where
its tool does not tell) and `approvers` (who may decide, as the policy file says it; null without a file).

`show`: `conversation` {`id`, `channel`, `thread_ts`, `requester`, `started_at`, `status`}; `approvals`, each
with `id`, `interrupt`, `shape`, `state`, `note`, `requesters`, `asked_at`, `expires_at` and `actions`, each
with `id`, `tool`, `description`, `arguments`, `allowed`, `digest`, `call`, `points_at`, `decision`, `votes`,
`missing`; `executions`, each with `approval`, `action`, `tool`, `call`, `digest`, `progress`, `attempt`,
`result`; `posts`, each with `id`, `kind`, `state`, `channel`, `ts`, `approval`, `text`, `problem`; `kept`,
which the agent has not been given yet, each with `id`, `by`, `at`, `text`. A `decision` has `type`, `by`,
`at` and what belongs to it: `arguments` (and `tool`, where an edit turned the call into another), `reason`
or `message`;
what expired has the type `expired`, no `by`, and its deadline as `at`; what nobody was asked about has the
type `let_through`, no `by`, and where an earlier approval is remembered, its action as `of` and its people as
`approved_by`.
"""

from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, assert_never

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, Outcome
from bot.approvals.conversation import Conversation, Post
from bot.approvals.decision import decision_to_json, kind_of, strict
from bot.approvals.ids import ConversationId
from bot.approvals.journal import Execution
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.realm import Choice, Realm
from bot.approvals.roster import ONE_AGENT, Roster
from bot.meant import UnknownThread, conversation_meant
from bot.seen_policy import SeenPolicy
from bot.store.database import RowsStore
from bot.store.transaction import RowsTransaction

Document: TypeAlias = dict[str, Any]
"""A JSON object."""

EVERYTHING: Final = 1_000_000
"""Approvals that are listed at most."""


async def pending(store: RowsStore, policy: SeenPolicy) -> Document:
    """What waits for people, oldest first."""
    async with store.read() as tx:
        waiting = await tx.approvals.waiting(limit=EVERYTHING)
        return {
            "pending": [await _waiting(tx, BY_DEFAULT.approval(approval), policy) for approval in waiting]
        }


async def conversation(
    store: RowsStore,
    thread: str,
    maskings: Choice[Masking] | None = BY_DEFAULT,
    roster: Roster = ONE_AGENT,
) -> Document:
    """One conversation with all that belongs to it; `UnknownThread` if there is none.

    Without `maskings` secrets are in it as they are.
    """
    async with store.read() as tx:
        id = await conversation_meant(tx, thread)
        found = await tx.conversations.get(id)
        if found is None:
            raise UnknownThread(thread)
        approvals = await tx.approvals.of(id)
        masking = maskings.of(found.realm) if maskings else None
        report: Document = {
            "conversation": _conversation(found, roster),
            "approvals": [
                _approval(masking.approval(approval) if masking else approval) for approval in approvals
            ],
            "executions": [_execution(one) for one in await tx.executions.of(id)],
            "posts": [_post(post) for post in await tx.posts.of(id)],
            "kept": [
                {"id": said.id, "by": said.by, "at": _time(said.at), "text": said.text}
                for said in await tx.conversations.kept(id)
            ],
        }
        if masking:
            quoting = ("executions", "posts", "kept")
            report |= {name: masking.json(report[name], approvals) for name in quoting}
        return report


async def meant(store: RowsStore, thread: str) -> ConversationId:
    """The conversation with this id, or in whose thread the linked message is; `UnknownThread` if none is."""
    async with store.read() as tx:
        return await conversation_meant(tx, thread)


async def _waiting(tx: RowsTransaction, approval: Approval, seen: SeenPolicy) -> Document:
    policy = seen.policy_of(approval.realm)
    found = await tx.conversations.get(approval.conversation)
    cards = await tx.posts.cards(approval.id)
    return {
        "approval": approval.id,
        "conversation": approval.conversation,
        **_agent(approval.realm, seen.roster),
        "channel": found.channel if found else None,
        "thread_ts": found.thread_ts if found else None,
        "requesters": sorted(approval.requesters),
        "asked_at": _time(approval.asked_at),
        "expires_at": _time(approval.expires_at) if approval.expires_at else None,
        "held": approval.held,
        "card": _card(cards[0]) if cards else None,
        "actions": [
            {
                "id": action.id,
                "tool": action.tool,
                "decision": _decided(action.outcome),
                **_votes(action),
                "points_at": _points_at(action),
                "approvers": policy.approvers(action.tool) if policy else None,
            }
            for action in approval.actions
        ],
    }


def _card(card: Post) -> Document:
    return {"state": card.state.value, "channel": card.channel, "ts": card.ts}


def _agent(realm: Realm, roster: Roster) -> Document:
    """The agent's name, where there are several."""
    return {"agent": label} if (label := roster.label(realm)) else {}


def _conversation(found: Conversation, roster: Roster) -> Document:
    return {
        "id": found.id,
        **_agent(found.realm, roster),
        "channel": found.channel,
        "thread_ts": found.thread_ts,
        "requester": found.requester,
        "started_at": _time(found.started_at),
        "status": found.status.value,
    }


def _approval(approval: Approval) -> Document:
    return {
        "id": approval.id,
        "interrupt": approval.interrupt,
        "shape": approval.shape.value,
        "state": approval.state.value,
        "note": approval.note,
        "requesters": sorted(approval.requesters),
        "asked_at": _time(approval.asked_at),
        "expires_at": _time(approval.expires_at) if approval.expires_at else None,
        "actions": [_action(action) for action in approval.actions],
    }


def _action(action: Action) -> Document:
    return {
        "id": action.id,
        "tool": action.tool,
        "description": action.description,
        "arguments": strict(dict(action.arguments)),
        "allowed": sorted(kind.value for kind in action.allowed),
        "digest": action.digest,
        "call": action.call or None,
        "points_at": _points_at(action),
        "decision": _decided(action.outcome),
        **_votes(action),
    }


def _points_at(action: Action) -> Document | None:
    """Of the call as people are asked about it now; None where its tool does not tell."""
    referents = action.asked.referents
    return dict(referents.to_json()) if referents else None


def _votes(action: Action) -> Document:
    votes = [
        {"type": kind_of(vote.decision).value, "by": vote.by, "at": _time(vote.at)} for vote in action.votes
    ]
    return {"votes": votes, "missing": 0 if action.outcome else action.tally.missing}


def _decided(outcome: Outcome | None) -> Document | None:
    match outcome:
        case None:
            return None
        case Decided(decision=decision, by=by, at=at):
            told = {name: strict(value) for name, value in decision_to_json(decision).items()}
            return {**told, "by": by, "at": _time(at)}
        case Expired(at=at):
            return {"type": "expired", "by": None, "at": _time(at)}
        case LetThrough(at=at, because=because):
            of = {"of": because.action, "approved_by": [*because.by]} if because else {}
            return {"type": "let_through", "by": None, "at": _time(at), **of}
        case _:
            assert_never(outcome)


def _execution(execution: Execution) -> Document:
    return {
        "approval": execution.approval,
        "action": execution.action,
        "tool": execution.tool,
        "call": execution.call,
        "digest": execution.digest,
        "progress": execution.progress.value,
        "attempt": execution.attempt,
        "result": None if execution.result is None else strict(dict(execution.result)),
    }


def _post(post: Post) -> Document:
    return {
        "id": post.id,
        "kind": post.kind.value,
        "state": post.state.value,
        "channel": post.channel,
        "ts": post.ts,
        "approval": post.approval,
        "text": post.text,
        "problem": post.problem,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
