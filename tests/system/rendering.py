"""An agent whose tool shows its calls itself, as the test has it."""

import threading
from collections.abc import Callable
from typing import Any

from langchain_core.tools import tool

from bot import Agent
from bot.render import Code, Fields, Link, Table, Text
from tests.system.agents import Script, ran

ASKED: list[dict[str, Any]] = []
"""The arguments that it was asked to show, in order."""

SHOWS: list[Callable[[dict[str, Any]], object]] = []
"""How it shows them."""


def friendly(arguments: dict[str, Any]) -> object:
    """Every kind of part."""
    return [
        Text("Pays an order back to the customer's card."),
        Fields({"Order": arguments["order"], "Amount": f"{arguments['amount']:.2f} EUR"}),
        Table(["Article", "Count", "Price"], [["Kettle", 1, "99.90"], ["Filter", 2, "15.00"]]),
        Link("In the shop", f"https://shop.example/orders/{arguments['order']}"),
        Code(f"if order.id == {arguments['order']!r}:\n    order.refund()"),
    ]


def for_ever(_: dict[str, Any]) -> object:
    """Nothing, ever."""
    threading.Event().wait()
    return None


@tool
def refund(order: str, amount: float, key: str = "") -> str:
    """Pay an order back."""
    return ran("refund", order=order, amount=amount, key=key)


def shows(arguments: dict[str, Any]) -> object:
    """As the test has it."""
    ASKED.append(dict(arguments))
    return SHOWS[-1](arguments)


refund.metadata = {"render": shows}

shop = Agent(tools=[refund], interrupt_on={"refund": True}, model=Script())
