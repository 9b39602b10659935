"""The figures in the README: `python -m tests.bench`, or some of them: `python -m tests.bench parked`.

Prints a Markdown table, the aims beside what was measured; nothing is asserted.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tests.bench.acks import measure_acks
from tests.bench.at_once import measure_at_once
from tests.bench.decisions import measure_decisions
from tests.bench.parked import measure_parked
from tests.bench.parking import measure_parking

BENCHES = {
    "acks": measure_acks,
    "parking": measure_parking,
    "decisions": measure_decisions,
    "at-once": measure_at_once,
    "parked": measure_parked,
}


async def main(names: list[str]) -> None:
    """Measure these, or everything, each thing beside its reference."""
    if unknown := set(names) - set(BENCHES):
        raise SystemExit(f"There is no benchmark {unknown.pop()!r}, only {', '.join(BENCHES)}.")
    out = Console(soft_wrap=True)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or BENCHES:
            lines += await BENCHES[name](Path(folder))
    out.print("| what | the bot | the reference | ratio |\n|---|---|---|---|", markup=False)
    for line in lines:
        out.print(line, markup=False)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
