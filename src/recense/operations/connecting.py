"""Connecting a client: what is asked and what became of its files."""

from typing import Literal

from recense.core.values import Value

FileChange = Literal["made", "changed", "unchanged", "removed"]


class ConnectClient(Value, kw_only=True):
    """What a client is to be told.

    ``options`` are those of ``recense mcp``. With a ``url`` it is told of a server that runs, whose
    key is in the variable ``key_variable`` of the client's environment; empty where it needs none.
    ``show`` changes nothing, ``remove`` takes back what was written before.
    """

    client: str
    name: str = "recense"
    options: tuple[str, ...] = ()
    url: str = ""
    key_variable: str = ""
    hook: bool = True
    remove: bool = False
    show: bool = False


class FileSplice(Value, kw_only=True):
    """Lines that go into a file or come out of it, and the line they begin in (from 1)."""

    line: int
    text: str


class ConnectedFile(Value, kw_only=True):
    """What became of a file, or would; ``backup`` is the copy made before, empty for none."""

    path: str
    change: FileChange
    backup: str = ""
    splices: tuple[FileSplice, ...] = ()


class ConnectReport(Value, kw_only=True):
    """What became of a client's files.

    ``done`` is false where only what would be done was asked for. ``tools`` is how many tools the
    server that was written told of when it was started; None where none was started. ``notes`` say
    what was left out and why.
    """

    client: str
    title: str
    name: str
    removed: bool
    done: bool
    files: tuple[ConnectedFile, ...]
    tools: int | None = None
    notes: tuple[str, ...] = ()
