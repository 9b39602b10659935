"""What holds after every cell, each invariant by its number."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.approvals.approval import Action, Approval, Decided, Expired, Shape, State
from bot.approvals.binding import digest
from bot.approvals.conversation import Post, PostKind, PostState, Status
from bot.approvals.decision import Approve, DecisionKind, Edit, kind_of
from bot.approvals.journal import Execution, Progress
from bot.sandbox import Call, text_of
from bot.slack.drawing import Drawing
from bot.slack.requests import DIGEST
from tests.crash.ledger import BOB, Ledger
from tests.crash.people import NEIGHBOUR, NOTE, Click, Wish, runs, still_open, words
from tests.crash.points import Cell
from tests.slack.limits import assert_harmless
from tests.slack.second_opinion import second_opinion
from tests.system.house import SHOWN, is_answer

Json = dict[str, Any]

OURS: Final = re.compile(r"<!date\^[^>]*>|<@U0(?:ALICE|BOB|CAROL)>")
SEEN = frozenset({"opened", "refused"})
"""Lines of the record that decide nothing."""

TOKENS: Final = ("xoxb-", "xapp-", "sandbox-signing-secret")


TOO_LATE = "took too long"
"""What a person is told when a form could not be opened any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a cell left behind."""

    cell: Cell
    wishes: Sequence[Wish]
    clicks: Sequence[Click]
    forms_told: int
    folder: Path
    ours: Ledger
    theirs: Ledger
    messages: Sequence[Json]
    ephemerals: Sequence[Json]
    calls: Sequence[Call]

    def asked(self) -> list[tuple[Approval, Action, Wish]]:
        """Every action in which people were asked whether it may run, with what they wanted, in order."""
        by_name = {wish.to: wish for wish in self.wishes}
        return [
            (approval, action, by_name[str(action.arguments["to"])])
            for approval in self.ours.approvals.values()
            if approval.shape is Shape.BATCHED
            for action in approval.actions
        ]


def check(scene: Scene) -> None:
    """Fail where one of them does not hold."""
    each_ran_once_or_never(scene)
    what_ran_was_decided_and_shown(scene)
    nothing_ran_without_a_decision(scene)
    what_was_acked_is_there(scene)
    there_is_one_end(scene)
    the_agent_was_told_everything_in_order(scene)
    the_neighbour_was_not_touched(scene)
    cards_show_the_rows(scene)
    clicks_have_one_outcome(scene)
    the_record_explains_what_ran(scene)
    nothing_leaked(scene)
    nothing_is_left(scene)


def each_ran_once_or_never(scene: Scene) -> None:
    """I1. People say what they saw, so nothing is in doubt at the end."""
    ran = Counter(run["to"] for run in runs(scene.folder))
    assert ran == Counter(wish.to for wish in scene.wishes if wish.paid is not None)
    assert {one.progress for one in scene.ours.executions} <= {Progress.DONE}


def what_ran_was_decided_and_shown(scene: Scene) -> None:
    """I2. The digest of what ran is the decided one's; the card showed the one that was asked about."""
    keys = {run["to"]: run for run in runs(scene.folder)}
    for approval, action, wish in scene.asked():
        assert action.digest[:DIGEST] in _shown_by(scene, approval), "the digest is not on the card"
        if wish.paid is None:
            continue
        run = keys[wish.to]
        assert (run["amount"], run["note"]) == (wish.paid, NOTE)
        ran = digest(
            tool="transfer",
            arguments={"amount": run["amount"], "to": run["to"], "note": run["note"]},
            thread=approval.conversation,
            interrupt=approval.interrupt,
            call=action.call,
        )
        assert run["key"] == ran[:32]
        assert _execution(scene, action).digest == ran
        assert (ran == action.digest) is (wish.kind is DecisionKind.APPROVE)


def nothing_ran_without_a_decision(scene: Scene) -> None:
    """I3."""
    let = {
        action.id
        for _, action, _ in scene.asked()
        if isinstance(action.outcome, Decided) and isinstance(action.outcome.decision, Approve | Edit)
    }
    assert {one.action for one in scene.ours.executions} <= let


def what_was_acked_is_there(scene: Scene) -> None:
    """I4. What Slack was told that it is done is decided, by whom and as they wanted."""
    actions = {one.id: one for approval in scene.ours.approvals.values() for one in approval.actions}
    wanted = {action.id: wish.kind for _, action, wish in scene.asked()}
    for click in scene.clicks:
        if not click.taken:
            continue
        outcome = actions[click.action].outcome  # type: ignore[index]  # an id, as the button carries it
        assert isinstance(outcome, Decided), click
        assert outcome.by == BOB
        assert kind_of(outcome.decision) == wanted.get(click.action, kind_of(outcome.decision))  # type: ignore[call-overload]


def there_is_one_end(scene: Scene) -> None:
    """I5. Every approval came to its end once, and every action has one outcome, as it was wanted."""
    for approval in scene.ours.approvals.values():
        assert approval.state is State.DELIVERED, approval
        kinds = Counter(one.kind for one in scene.ours.record if one.approval == approval.id)
        assert (kinds["filed"], kinds["delivered"], kinds["withdrawn"]) == (1, 1, 0)
    assert len(scene.asked()) == len(scene.wishes)
    for _, action, wish in scene.asked():
        match action.outcome:
            case Decided(decision=decision):
                assert kind_of(decision) is wish.kind
            case Expired():
                assert wish.kind is None
            case None:
                raise AssertionError(f"{action} has no outcome")


def the_agent_was_told_everything_in_order(scene: Scene) -> None:
    """I6. The answer repeats what the agent was told of each call: once each, in the order of the calls."""
    (answer,) = [text_of(one) for one in scene.messages if is_answer(one)]
    told = [line.split(": ", 1) for line in answer.splitlines() if line.startswith("payee-")]
    assert [to for to, _ in told] == [wish.to for wish in scene.wishes], answer
    for (_, result), wish in zip(told, scene.wishes, strict=True):
        assert wish.told in result, answer


def the_neighbour_was_not_touched(scene: Scene) -> None:
    """I7."""
    (approval,) = scene.theirs.approvals.values()
    assert (approval.state, [one.outcome for one in approval.actions]) == (State.WAITING, [None])
    assert scene.theirs.conversation.status is Status.WAITING
    assert scene.theirs.executions == []
    assert len([one for one in scene.messages if any(each.to == NEIGHBOUR for each in still_open(one))]) == 1


def cards_show_the_rows(scene: Scene) -> None:
    """I8. There is one message for each part of what is shown, and a card looks as its rows have it."""
    sent = Counter(
        json.dumps(call.arguments["metadata"], sort_keys=True)
        for call in scene.calls
        if call.method == "chat.postMessage" and call.outcome == "ok"
    )
    assert set(sent.values()) == {1}, sent
    for ledger in (scene.ours, scene.theirs):
        for post in ledger.posts:
            if post.kind is not PostKind.CARD or post.approval is None:
                continue
            approval = ledger.approvals[post.approval]
            drawing = Drawing(post=post, conversation=ledger.conversation, approval=approval)
            # Settled and delivered look the same, so it may be drawn as of the version before.
            assert _unstamped(_last_drawn(scene, post)) == _unstamped(drawing.parts()[0].blocks)
            assert approval.version - post.drawn in {0, approval.state is State.DELIVERED}


def clicks_have_one_outcome(scene: Scene) -> None:
    """I9. A click that was taken is a decision, or a refusal that was told; Slack tells of the others.

    A refusal of a click that was not taken may be in the record without having been told, and of a form that
    opened too late the person is told although nobody refused anything.
    """
    decided = Counter(one.action for one in scene.ours.record if one.kind == "decided")
    assert set(decided.values()) == {1}
    refused = [one for one in scene.ours.record if one.kind == "refused"]
    not_taken = sum(not click.taken for click in scene.clicks)
    # Of a card that stands in the channel as well the person is told in both places.
    told = [one for one in scene.ephemerals if one.get("thread_ts") and TOO_LATE not in str(one)]
    assert 0 <= len(refused) - len(told) - scene.forms_told <= not_taken
    taken = Counter(click.action for click in scene.clicks if click.taken)
    assert all(times == 1 for times in taken.values()), taken
    assert set(decided) >= set(taken)


def the_record_explains_what_ran(scene: Scene) -> None:
    """I10. Asked, then decided by a person for these very bytes, then begun, then ended: in this order."""
    for execution in scene.ours.executions:
        lines = [one for one in scene.ours.record if one.action == execution.action and one.kind not in SEEN]
        kinds = [one.kind for one in lines]
        expected = ["decided", "executing", "executed"]
        doubted = ["decided", "executing", "in_doubt", "resolved"]
        assert kinds in (expected, doubted, [*doubted, "executed"]), kinds
        decided = lines[0].detail
        assert lines[0].actor == BOB
        assert decided.get("edited_digest", decided["digest"]) == execution.digest
        assert {one.detail["digest"] for one in lines[1:]} == {execution.digest}
        (filed,) = [
            one for one in scene.ours.record if one.kind == "filed" and one.approval == execution.approval
        ]
        assert scene.ours.record.index(filed) < scene.ours.record.index(lines[0])
        actions: Any = filed.detail["actions"]
        (asked,) = [one for one in actions if one["id"] == execution.action]
        assert (asked["tool"], asked["digest"]) == ("transfer", decided["digest"])


def nothing_leaked(scene: Scene) -> None:
    """I11. Nothing untrusted is alive in Slack, and no token or argument stands in a log or in a message."""
    for call in scene.calls:
        assert not call.outcome.startswith("invalid"), call
        assert not any(token in json.dumps(call.arguments) for token in TOKENS)
        if call.method in SHOWN and call.outcome == "ok":
            shown = call.arguments.get("view") or call.arguments
            blocks = json.loads(OURS.sub("", json.dumps(shown.get("blocks") or [])))
            text = OURS.sub("", str(call.arguments.get("text") or "…"))
            assert second_opinion({"text": text, **shown, "blocks": shown.get("blocks") or []}) == []
            assert_harmless(blocks, text)
    log = (scene.folder / "log").read_text()
    assert not any(word in log for word in (*TOKENS, NOTE.split()[0], "payee-")), log


def nothing_is_left(scene: Scene) -> None:
    """I12. Nothing waits that nobody can reach: no dead button, no row that is owed, no card without one."""
    assert {post.state for post in (*scene.ours.posts, *scene.theirs.posts)} == {PostState.SHOWN}
    cards = Counter(post.approval for post in scene.ours.posts if post.kind is PostKind.CARD)
    assert cards == Counter(list(scene.ours.approvals))
    kinds = Counter(post.kind for post in scene.ours.posts)
    assert (kinds[PostKind.FAILURE], kinds[PostKind.TOOL_FAILURE]) == (0, 0), scene.ours.posts
    (theirs,) = scene.theirs.approvals
    for message in scene.messages:
        if words(message):
            assert [post.approval for post in scene.theirs.posts if post.ts == message["ts"]] == [theirs]


def _unstamped(blocks: Sequence[Json]) -> list[Json]:
    return [{name: part for name, part in block.items() if name != "block_id"} for block in blocks]


def _last_drawn(scene: Scene, post: Post) -> list[Json]:
    """The blocks that Slack took last for this post."""
    drawn = [
        call.arguments["blocks"]
        for call in scene.calls
        if call.method in {"chat.postMessage", "chat.update"}
        and call.outcome == "ok"
        and call.arguments["metadata"]["event_payload"]["post"] == post.id
    ]
    last: list[Json] = drawn[-1]
    return last


def _shown_by(scene: Scene, approval: Approval) -> str:
    return "\n".join(
        text_of(one)
        for post in scene.ours.posts
        for one in scene.messages
        if post.approval == approval.id and post.ts == one["ts"]
    )


def _execution(scene: Scene, action: Action) -> Execution:
    (execution,) = [one for one in scene.ours.executions if one.action == action.id]
    return execution
