"""What Slack's client leaves to us: H13, H14. Behind the bot they are tested where `table` says."""

import time

from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.slack.app import asking_client, slack_client
from tests.hazards.table import still

SECRET, BODY = "8f742231b10e8888abcd99yyyzzz85a5", "payload=%7B%7D"


def test_h13_without_the_bot_a_signed_request_holds_as_often_as_it_is_sent() -> None:
    verifier = SignatureVerifier(SECRET)
    at = str(int(time.time()))
    signature = verifier.generate_signature(timestamp=at, body=BODY)
    assert signature
    still("h13", shown=all(verifier.is_valid(BODY, at, signature) for _ in range(3)))


def test_h14_without_the_bot_a_rate_limit_is_not_waited_for() -> None:
    handlers = [type(handler) for handler in AsyncWebClient(token="xoxb-1").retry_handlers]
    still("h14", shown=handlers == [AsyncConnectionErrorRetryHandler])


def test_h14_without_the_bot_any_address_is_answered() -> None:
    address = "https://hooks.slack.com.evil.example/"
    still("h14", shown=AsyncWebhookClient(address).url == address)


def test_h14_behind_the_bot_rate_limits_and_accidents_are_tried_again() -> None:
    limits, accidents = AsyncRateLimitErrorRetryHandler, AsyncServerErrorRetryHandler
    api = "https://slack.com/api/"
    assert limits in {type(one) for one in slack_client("xoxb-1", api).retry_handlers}
    assert {limits, accidents} <= {type(one) for one in asking_client("xoxb-1", api).retry_handlers}
