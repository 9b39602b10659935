"""Clicks on `Approve`, as Slack sends them."""

import json
from urllib.parse import urlencode


def approve(action: str, *, ts: str = "1.1") -> str:
    """The body of Bob's click on the button that decides about this action."""
    click = {
        "type": "block_actions",
        "user": {"id": "U0BOB", "team_id": "T0SANDBOX"},
        "team": {"id": "T0SANDBOX", "domain": "sandbox"},
        "api_app_id": "A0AGENT",
        "container": {"type": "message", "message_ts": ts, "channel_id": "C0GENERAL"},
        "channel": {"id": "C0GENERAL", "name": "general"},
        "trigger_id": f"1.{ts}",
        "response_url": "http://127.0.0.1/none",
        "actions": [
            {
                "type": "button",
                "action_id": "approve",
                "block_id": "b",
                "value": action,
                "action_ts": "1.1",
            }
        ],
    }
    return urlencode({"payload": json.dumps(click)})
