"""The assistant's tools. Their first lines are what people read on a card."""

from collections.abc import Callable
from functools import wraps
from typing import Final

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field

from bot.agents.assistant.database import FILE, ROWS, Database
from bot.agents.assistant.folder import LIST_LIMIT, Folder, Refusal

LONGEST_NAME: Final = 100
"""Characters of a path that are said again beside what is there."""
TOLD: Final = 20_000
"""Characters of a query's result that are told."""


class ListFiles(BaseModel):
    """What `list_files` takes."""

    path: str = Field(default=".", description="A directory inside the folder.")


class ReadFile(BaseModel):
    """What `read_file` takes."""

    path: str = Field(description="The file, inside the folder.")


class WriteFile(BaseModel):
    """What `write_file` takes."""

    path: str = Field(description="The file, inside the folder.")
    content: str = Field(description="The text.", json_schema_extra={"format": "multi-line"})
    append: bool = Field(default=False, description="Add to the end instead of replacing what is there.")


class DeleteFile(BaseModel):
    """What `delete_file` takes."""

    path: str = Field(description="The file, inside the folder.")


class ExecuteSql(BaseModel):
    """What `execute_sql` takes."""

    statement: str = Field(
        description=f"One SQLite statement on {FILE}.", json_schema_extra={"format": "multi-line"}
    )


class AskUser(BaseModel):
    """What `ask_user` takes."""

    question: str = Field(description="The question, complete by itself.")


def assistant_tools(folder: Folder, database: Database) -> list[BaseTool]:
    """The six tools on this folder and its database."""

    def list_files(path: str = ".") -> str:
        """List the files in the folder."""
        entries = folder.listing(path)
        more = ["… and more"] if len(entries) > LIST_LIMIT else []
        return "\n".join([*entries[:LIST_LIMIT], *more]) or "There are no files."

    def read_file(path: str) -> str:
        """Read a text file."""
        return folder.read(path)

    def write_file(path: str, content: str, *, append: bool = False) -> str:
        """Write a text file; it replaces what is there, or adds to it."""
        _keep_off_database(path)
        is_new = folder.write(path, content, append=append)
        verb = "Created" if is_new else "Added to" if append else "Replaced"
        return f"{verb} {path} ({len(content)} character{'' if len(content) == 1 else 's'})."

    def delete_file(path: str) -> str:
        """Delete a file for good."""
        folder.delete(path)
        return f"Deleted {path}."

    def execute_sql(statement: str) -> str:
        """Run one SQL statement on the folder's database."""
        return _result(*database.execute(statement))

    def ask_user(question: str) -> str:
        """Ask the people in the thread and wait for their answer."""
        raise ToolException(f"Nobody was asked: {question}")

    functions: list[tuple[Callable[..., str], type[BaseModel]]] = [
        (list_files, ListFiles),
        (read_file, ReadFile),
        (write_file, WriteFile),
        (delete_file, DeleteFile),
        (execute_sql, ExecuteSql),
        (ask_user, AskUser),
    ]
    points = {"resolve": file_at(folder)}
    return [
        StructuredTool.from_function(
            _told(f), args_schema=schema, metadata=points if f in {write_file, delete_file} else None
        )
        for f, schema in functions
    ]


def file_at(folder: Folder) -> Callable[[dict[str, str]], dict[str, str]]:
    """The `resolve` of the tools that change a file: what is there now, which is what people let go."""

    def resolve(arguments: dict[str, str]) -> dict[str, str]:
        path = arguments["path"]
        name = f"path {path}" if len(path) <= LONGEST_NAME else "path"  # which the arguments show in full
        return {name: folder.fingerprint(path)}

    return resolve


def changes_data(database: Database) -> Callable[[ToolCallRequest], bool]:
    """The `when` of `execute_sql`: False, which lets a call through, only for what SQLite takes as a read."""

    def asks(request: ToolCallRequest) -> bool:
        statement = request.tool_call["args"].get("statement")
        return not (isinstance(statement, str) and database.only_reads(statement))

    return asks


def _told(function: Callable[..., str]) -> Callable[..., str]:
    """The same function; what it refuses becomes the tool's own error."""

    @wraps(function)
    def told(*args: object, **kwargs: object) -> str:
        try:
            return function(*args, **kwargs)
        except Refusal as refusal:
            raise ToolException(str(refusal)) from None

    return told


def _keep_off_database(path: str) -> None:
    """A file beside the database can be a journal that SQLite plays back."""
    if path.rsplit("/", 1)[-1].lower().startswith(FILE):
        raise ToolException(f"{path} belongs to the database; use execute_sql.")


def _result(columns: list[str], rows: list[tuple[object, ...]], changed: int) -> str:
    if not columns:
        return f"Done, {changed} rows changed." if changed >= 0 else "Done."
    lines = [" | ".join(columns), *(" | ".join(map(_cell, row)) for row in rows[:ROWS])]
    if len(rows) > ROWS:
        lines.append(f"… only the first {ROWS} rows are shown")
    text = "\n".join(lines)
    return text if len(text) <= TOLD else f"{text[:TOLD]}\n… cut after {TOLD} characters"


def _cell(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"({len(value)} bytes)"
        case _:
            return str(value)
