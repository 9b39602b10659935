"""Slack's way of saying no."""

from bot.sandbox.records import Json


class SlackError(Exception):
    """Becomes `{"ok": false, "error": code, …}`; `messages` go into response_metadata, as Slack does it."""

    def __init__(
        self, code: str, *, messages: tuple[str, ...] = (), status: int = 200, **extra: object
    ) -> None:
        super().__init__(code)
        self.code = code
        self.messages = messages
        self.status = status
        self.extra = extra

    def body(self) -> Json:
        """The JSON that the caller of the Web API gets."""
        body: Json = {"ok": False, "error": self.code, **self.extra}
        if self.messages:
            errors = [f"[ERROR] {message}" for message in self.messages]
            body |= {"errors": list(self.messages), "response_metadata": {"messages": errors}}
        return body
