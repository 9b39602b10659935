"""What keeps a start from happening, for reasons outside the bot's own files."""


class CannotStart(Exception):  # noqa: N818 - said to an operator
    """What keeps the bot from starting, in one sentence."""


class SlackUnreachable(CannotStart):
    """Slack gave no answer, so nothing is known: neither that something is wrong nor that it is not."""
