"""Every hazard: what happens without us, what guards against it, and where that is tested if not here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard:
    """One thing that goes wrong in LangChain, LangGraph or Slack's client by itself."""

    without: str
    """What happens without the bot."""
    guards: tuple[str, ...]
    """The modules that guard against it, the first one foremost."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Tests in other places that show it, or that it is safe behind the bot: file and name."""


HAZARDS: Final[Mapping[str, Hazard]] = {
    "h1": Hazard(
        without="A second click on Approve, told by position, approves the next call that is asked about.",
        guards=("bot/agents/threads.py",),
        elsewhere=(("tests/system/test_people.py", "test_a_double_click_is_one_decision"),),
    ),
    "h2": Hazard(
        without="Five resumes of one approved call at once run its tool five times, on Postgres too.",
        guards=("bot/agents/guard.py", "bot/jobs/lanes.py"),
        elsewhere=(
            (
                "tests/system/test_replicas.py",
                "test_a_click_that_reaches_both_replicas_is_one_decision_and_runs_once",
            ),
        ),
    ),
    "h3": Hazard(
        without="A process that dies between a tool's effect and its checkpoint runs the tool again.",
        guards=("bot/agents/guard.py", "bot/approvals/executing.py"),
        elsewhere=(
            (
                "tests/crash/test_guard.py",
                "test_without_the_bot_a_tool_runs_twice_when_it_is_killed_after_its_effect",
            ),
            (
                "tests/crash/test_guard.py",
                "test_killed_after_the_effect_people_are_asked_and_what_they_say_happens",
            ),
        ),
    ),
    "h4": Hazard(
        without="A wrong answer is kept: every right one after it fails the same way, for ever.",
        guards=("bot/agents/wire.py", "bot/agents/threads.py", "bot/agents/snapshot.py"),
        elsewhere=(("tests/agents/test_decisions.py", "test_a_stuck_thread_asks_again_when_it_proceeds"),),
    ),
    "h5": Hazard(
        without="An edit to a tool that does not exist is found out after the calls beside it ran.",
        guards=("bot/agents/wire.py", "bot/agents/drift.py"),
    ),
    "h6": Hazard(
        without="An edit that names another tool runs that one past its own gate.",
        guards=("bot/agents/guard.py", "bot/agents/wire.py", "bot/agents/drift.py"),
    ),
    "h7": Hazard(
        without="A rejected call runs if `when` says False by the time of the answer.",
        guards=("bot/agents/verdicts.py", "bot/agents/guard.py"),
        elsewhere=(
            (
                "tests/agents/test_verdicts.py",
                "test_a_verdict_holds_although_when_says_otherwise_after_a_restart",
            ),
        ),
    ),
    "h8": Hazard(
        without="A `when` that forgets to return anything lets the call run unseen.",
        guards=("bot/agents/verdicts.py",),
        elsewhere=(("tests/agents/test_verdicts.py", "test_only_an_explicit_false_lets_a_call_through"),),
    ),
    "h9": Hazard(
        without="Of two calls with one id, the edit of the first runs twice and the second never.",
        guards=("bot/agents/messages.py", "bot/agents/verdicts.py"),
    ),
    "h10": Hazard(
        without="One interrupt per call: a run tells them in the order in which they came to ask.",
        guards=("bot/agents/snapshot.py", "bot/agents/checks.py", "bot/agents/wire.py"),
    ),
    "h11": Hazard(
        without="One interrupt per call: a bad answer among several fails the run, and the others ran.",
        guards=("bot/agents/checks.py", "bot/agents/wire.py"),
    ),
    "h12": Hazard(
        without="A state that is changed while people are asked drops the interrupt; answers go nowhere.",
        guards=("bot/approvals/running.py", "bot/agents/snapshot.py", "bot/agents/threads.py"),
    ),
    "gate": Hazard(
        without="A rejected call runs if its gate is gone by the time of the answer.",
        guards=("bot/agents/guard.py", "bot/agents/drift.py"),
        elsewhere=(
            (
                "tests/agents/test_guard.py",
                "test_a_call_that_was_not_approved_does_not_run_when_its_gate_is_gone",
            ),
        ),
    ),
    "h13": Hazard(
        without="A signed request counts as often as it is sent, for five minutes.",
        guards=("bot/approvals/desk.py", "bot/slack/http.py"),
        elsewhere=(
            ("tests/system/test_http.py", "test_the_same_signed_click_sent_again_and_again_is_one_decision"),
            ("tests/system/test_http.py", "test_a_signature_of_another_time_is_turned_away"),
        ),
    ),
    "h14": Hazard(
        without="Slack's client gives up at a rate limit, and answers to any address it is given.",
        guards=("bot/slack/app.py", "bot/slack/private.py"),
        elsewhere=(
            ("tests/system/test_faults.py", "test_a_conversation_comes_through"),
            ("tests/slack/test_private.py", "test_any_other_address_is_not"),
        ),
    ),
}


def still(name: str, *, shown: bool) -> None:
    """Without the bot the hazard shows; where it does not, upstream has changed."""
    hazard = HAZARDS[name]
    assert shown, (
        f"upstream no longer shows {name.upper()} ({hazard.without}): "
        f"look at {' and '.join(hazard.guards)}, which guards against it"
    )
