"""The commands on Postgres, as processes."""

from dataclasses import replace
from pathlib import Path

from tests.command_line import BOT, CommandLine
from tests.postgres import a_database
from tests.test_cli_mistakes import told


async def test_upgrade_makes_the_schema_and_the_other_commands_say_so_until_then(tmp_path: Path) -> None:
    async with a_database(empty=True) as url:
        command = CommandLine(folder=tmp_path, env={"BOT_DATABASE_URL": url})
        told(await command.run("pending"), "no schema", "python -m bot db upgrade")
        checked = await command.run("check")
        assert "no schema" in checked.out
        for how in (BOT, ()):
            assert (await replace(command, command=how).run("db", "upgrade")).code == 0
        shown = await command.run("pending")
        assert shown.code == 0, shown
        checked = await command.run("check")
        assert "The database can be reached and has the present schema." in checked.out
