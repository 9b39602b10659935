"""What the heart says no with.

Refused                 a person is told the sentence; expected, never a bug
├── UnknownAction       the button belongs to nothing that we know
├── NotAllowed          this person, or this kind of decision, is not allowed here
├── NotHere             the click was not made where the card stands, or not by who it says
├── CouldNotCheck       who it is could not be found out, so the answer is no
├── AlreadyDecided      somebody (or the clock, or the thread) was first
└── InvalidArguments    an edit that the tool's schema does not take, field by field
Stale                   an approval that no longer fits the agent's thread
└── Drifted             the agent's gates, or what a call points at, have changed since; it is asked again
Conflict                the row changed between reading and writing; the caller tries again
Unavailable             rows can be neither read nor written just now; nothing is half done
Lost                    the work is another process's by now; nothing more of it is done here
TryLater                it cannot be done now; the job engine tries it again in so many seconds
"""

from collections.abc import Mapping

from bot.approvals.words import say


class Refused(Exception):  # noqa: N818 - a refusal is an answer to a person, not an error
    """The sentence that the person is told."""


class UnknownAction(Refused):
    """The button belongs to nothing that is known here."""

    def __init__(self) -> None:
        super().__init__(say("This request is not known here any more, so nothing was done."))


class NotAllowed(Refused):
    """The policy, or the list of allowed decisions, says no."""


class NotHere(Refused):
    """The click says another place than one where the card stands, or another workspace than the person's."""


class CouldNotCheck(Refused):
    """Slack could not be asked; identity fails closed."""


class AlreadyDecided(Refused):
    """Somebody was first; the sentence says who and what."""


class InvalidArguments(Refused):
    """An edit that does not pass: `fields` has one sentence by argument name."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in fields.items()))
        self.fields = dict(fields)


class Stale(Exception):  # noqa: N818 - a state of affairs, handled by asking again
    """The approval no longer fits what the agent's thread waits for; `why` is for a row."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Drifted(Stale):
    """The agent's gates, or what a call points at, are others by now; it is asked again."""


class Conflict(Exception):  # noqa: N818 - lost a race, nothing is wrong
    """The row changed in between."""


class Unavailable(Exception):  # noqa: N818 - a state of the disk or the server, expected to pass
    """Rows can be neither read nor written just now. The transaction is gone as a whole; try again."""


class Lost(BaseException):
    """This process was silent for so long that its work was given to another one.

    As with a cancellation, nobody on the way up may take it for a failure and tell people about it.
    """


class TryLater(Exception):  # noqa: N818 - somebody said when to come back
    """The work cannot be done now and is worth trying again after `seconds`; the job engine keeps to that."""

    def __init__(self, seconds: float, why: str) -> None:
        super().__init__(why)
        self.seconds = max(0.0, seconds)
