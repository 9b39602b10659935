from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.approvals.approval import Approval
from bot.slack.home import Waiting, home
from tests.slack.limits import assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, action, approval, approvals


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(approvals(), max_size=4), st.sampled_from([1, 20]))
def test_any_home_tab_is_fit_for_slack(waiting: list[Approval], times: int) -> None:
    shown = [
        Waiting(approval=each, requester=ALICE, link="https://sandbox.slack.com/archives/C1/p1")
        for each in waiting
    ]
    assert_view_fit_for_slack(home(shown * times))


def test_the_home_tab_lists_what_waits_with_a_link_and_how_to_start() -> None:
    view = home(
        [
            Waiting(approval=approval(action(0), action(1)), requester=ALICE, link="https://a.example/p1"),
            Waiting(approval=approval(action(0, "deploy")), requester=ALICE),
        ]
    )
    text = readable(view["blocks"])
    assert text.startswith("# Waiting for a decision\n*write_file (2 times)*\n(Asked by <@U0ALICE>, <!date")
    assert "*deploy*" in text
    assert "# How to start\nType `/agent`" in text
    assert view["blocks"][1]["accessory"]["url"] == "https://a.example/p1"
    assert "accessory" not in view["blocks"][3]


def test_the_home_tab_says_when_nothing_waits() -> None:
    assert "Nothing waits for you." in readable(home([])["blocks"])
