"""What stops the start."""

from collections.abc import Iterable
from difflib import get_close_matches


class BadAgent(ValueError):  # noqa: N818 - reads as a sentence where it is raised
    """An agent that cannot work; the text is one sentence for the person who wrote it."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean …` for the closest known word, or nothing."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {str(close[0])!r}" if close else ""
