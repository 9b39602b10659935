"""Signed HTTP delivery to a request URL."""

import json
from urllib.parse import urlencode

import aiohttp

from bot.sandbox.delivery import Acked, Envelope, Outcome, Unanswered
from bot.sandbox.faults import Faults
from bot.sandbox.options import Options
from bot.sandbox.records import Json
from bot.sandbox.signing import sign

FORM = "application/x-www-form-urlencoded"


class HttpDelivery:
    """Posts to one address: events as JSON, commands and interactivity as forms."""

    def __init__(self, options: Options, faults: Faults, request_url: str) -> None:
        self._options = options
        self._faults = faults
        self._url = request_url
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=options.patience))

    async def close(self) -> None:
        """Let go of the connections."""
        await self._session.close()

    async def reachable(self) -> None:
        """An address can always be tried."""

    async def send(self, envelope: Envelope) -> Outcome:
        """Post once (twice while `duplicate` is on); the last answer counts."""
        if self._faults.take("duplicate", envelope.kind):
            await self._post(envelope)
        outcome = await self._post(envelope)
        if self._faults.take("drop_ack", envelope.kind):
            return Unanswered(reason="http_timeout")
        return outcome

    async def verify(self, challenge: str) -> bool:
        """Whether the address answers Slack's url_verification."""
        body = {"type": "url_verification", "token": "sandbox", "challenge": challenge}
        outcome = await self._post(Envelope(kind="events_api", payload=body))
        match outcome:
            case Acked(payload=payload):
                return challenge in (payload.get("challenge"), payload.get("text"))
            case Unanswered():
                return False

    async def _post(self, envelope: Envelope) -> Outcome:
        body, content_type = encode(envelope)
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (+sandbox)"}
        headers |= sign(self._options.signing_secret, body)
        if envelope.attempt:
            headers |= {"X-Slack-Retry-Num": str(envelope.attempt), "X-Slack-Retry-Reason": envelope.reason}
        try:
            async with self._session.post(self._url, data=body, headers=headers) as response:
                text = await response.text()
                if response.status == 200:  # noqa: PLR2004 - the only status that Slack takes as an ack
                    return Acked(payload=_payload(text))
                return Unanswered(
                    reason="http_error", may_retry=response.headers.get("X-Slack-No-Retry") != "1"
                )
        except TimeoutError:
            return Unanswered(reason="http_timeout")
        except aiohttp.ClientError:
            return Unanswered(reason="connection_failed")


def encode(envelope: Envelope) -> tuple[bytes, str]:
    """The body and content type with which Slack posts an envelope."""
    if envelope.kind == "events_api":
        return json.dumps(envelope.payload).encode(), "application/json"
    form = envelope.payload
    if envelope.kind == "interactive":
        form = {"payload": json.dumps(envelope.payload)}
    return urlencode(form).encode(), FORM


def _payload(text: str) -> Json:
    """A JSON object as it is; any other text is the answer to a command."""
    try:
        answer = json.loads(text) if text.strip() else {}
    except ValueError:
        return {"text": text}
    return answer if isinstance(answer, dict) else {"text": text}
