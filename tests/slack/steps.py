"""Slack's side of a button, small enough to read: it takes acknowledgements and remembers calls."""

from dataclasses import dataclass, field
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.payloads import Click


@dataclass(kw_only=True)
class Acks:
    """Bolt's `ack`, which remembers with what it was called."""

    told: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, **answer: Any) -> None:  # noqa: ANN401 - whatever Bolt takes
        self.told.append(answer)


@dataclass(kw_only=True)
class Whispers:
    """What people are told for their eyes only."""

    told: list[tuple[str, str]] = field(default_factory=list)

    async def tell(self, click: Click, sentence: str) -> None:
        self.told.append((click.by, sentence))


@dataclass(kw_only=True)
class Called:
    """A client of the Web API: answers as it was told to, and remembers what it was asked."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __getattr__(self, method: str) -> Any:  # noqa: ANN401 - any method
        async def call(**arguments: Any) -> Any:  # noqa: ANN401
            self.asked.append((method, arguments))
            answer = self.answers.get(method, {})
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


def error(name: str, status: int = 200) -> SlackApiError:
    """What Slack's client raises for this answer."""
    answer = AsyncSlackResponse(
        client=None, http_verb="POST", api_url="", req_args={}, data={"ok": False, "error": name},
        headers={}, status_code=status,
    )  # fmt: skip
    return SlackApiError(name, answer)  # type: ignore[no-untyped-call]
