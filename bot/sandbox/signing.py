"""Slack's request signature, version v0."""

import hashlib
import hmac
import time


def sign(secret: str, body: bytes | str, timestamp: int | None = None) -> dict[str, str]:
    """The two headers that prove that Slack sent `body` at `timestamp` (seconds; default now)."""
    raw = body.encode() if isinstance(body, str) else body
    at = str(int(time.time()) if timestamp is None else timestamp)
    digest = hmac.new(secret.encode(), b"v0:" + at.encode() + b":" + raw, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={digest}"}
