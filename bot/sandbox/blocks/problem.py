"""What is wrong with blocks, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One broken rule: a JSON pointer such as /blocks/0/text/text, and Slack's name for the error."""

    pointer: str
    sentence: str
    code: str = "invalid_blocks"

    def __str__(self) -> str:
        return f"{self.sentence} [json-pointer:{self.pointer}]"
