"""The figures in the README: `python -m tests.bench`. Prints a Markdown table; nothing is asserted."""

import asyncio
import tempfile
from pathlib import Path

from rich.console import Console

from tests.bench.acks import measure_acks
from tests.bench.parking import measure_parking


async def main() -> None:
    """Measure everything, each thing beside its reference."""
    out = Console(soft_wrap=True)
    with tempfile.TemporaryDirectory() as folder:
        lines = await measure_acks(Path(folder))
        lines += await measure_parking(Path(folder))
    out.print("| what | the bot | the reference | ratio |\n|---|---|---|---|", markup=False)
    for line in lines:
        out.print(line, markup=False)


if __name__ == "__main__":
    asyncio.run(main())
