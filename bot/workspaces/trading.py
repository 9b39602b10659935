"""`oauth.v2.access`: what an app gets for a code, or for a refresh token."""

from collections.abc import Mapping
from typing import Any

from bot.oauth_settings import OAuthSettings
from bot.slack.app import posting_client


async def traded(settings: OAuthSettings, api_url: str, **what: str | None) -> Mapping[str, Any]:
    """Slack's answer; its own error if it gives nothing. Asked once: what is traded is good for one time."""
    secret = settings.slack_client_secret
    # Not the client's own method, which puts the secret into a kind of header that its HTTP library gives up.
    answer = await posting_client("", api_url).api_call(
        "oauth.v2.access",
        data={
            "client_id": settings.slack_client_id,
            "client_secret": secret.get_secret_value() if secret else "",
            **{name: value for name, value in what.items() if value is not None},
        },
    )
    return answer.data  # type: ignore[return-value]  # a JSON object
