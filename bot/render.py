"""How a tool shows its own calls on the card: `from bot.render import Code, Fields, Link, Table, Text`.

A tool brings it in its `metadata`: `refund.metadata = {"render": shows}`, where `shows(arguments)`, plain
or async, gives one of these or a list of up to eight. It is asked once for each call, before people are,
with what is secret masked already. What it gives is kept, shown letter by letter and marked as the tool's
own; it is never in place of the arguments, which stay a click away and are what the digest covers. What it
raises, and what cannot be shown, means the ordinary rows, with a line that says so.
"""

from bot.approvals.parts import Code, Fields, Link, Table, Text

__all__ = ["Code", "Fields", "Link", "Table", "Text"]
