"""Connecting a client to Recense, and taking that back.

Laws. What is not ours stays byte for byte (`recense.core.connect.splices`). Either all files of a
client are as they should be, or all are as they were: what fails is taken back, and so is what was
written where the server that it names does not answer. Saying the same twice changes nothing.
"""

import difflib
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from recense.core.connect.clients import (
    CLIENTS,
    HOOK_PROGRAM,
    NAME,
    VARIABLE,
    ClientPlaces,
    ConnectableClient,
    System,
    hook_additions,
    places,
    refuse_older_layout,
    remote_addition,
    server_addition,
)
from recense.core.connect.editing import holds, is_vacant, spliced, without
from recense.core.connect.splices import Addition, Splice, digest_of, inserted
from recense.core.values import Value
from recense.errors import ClientFault, ClientFileChanged, ConnectionUnproven, InvalidRequest
from recense.operations.connecting import (
    ConnectClient,
    ConnectedFile,
    ConnectReport,
    FileChange,
    FileSplice,
)
from recense.ports.clock import Clock
from recense.services.client_files import (
    ClientFile,
    back_up,
    read_client_file,
    remove_client_file,
    write_client_file,
)
from recense.services.connection_receipts import Receipt, Receipts

Prove = Callable[[Sequence[str]], int]
"""Starts a server and returns how many tools it tells of; raises ConnectionUnproven."""

_MICROSECONDS: Final = 1_000_000


class Installation(Value, kw_only=True):
    """This machine and this installation: the words that start ``recense`` and ``recense-hook``
    (none where there is no hook), and what a person chose otherwise than in their settings file,
    which a client's process would not know.
    """

    system: System
    home: str
    environment: Mapping[str, str]
    program: tuple[str, ...]
    hook: tuple[str, ...]
    chosen: Mapping[str, str]


class _Step(Value, kw_only=True):
    """What is to become of one file."""

    before: ClientFile
    after: str | None
    old: Receipt | None
    new: Receipt | None
    shown: tuple[FileSplice, ...]

    @property
    def changes(self) -> bool:
        return self.after != (None if self.before.content is None else self.before.text)


class Connecting:
    """`recense connect`."""

    def __init__(
        self, installation: Installation, receipts: Receipts, clock: Clock, prove: Prove
    ) -> None:
        self._installation = installation
        self._receipts = receipts
        self._clock = clock
        self._prove = prove

    def is_installed(self, client: str) -> bool:
        """Whether anything of a client is on this machine. Raises InvalidRequest for an unknown
        one, with the nearest name.
        """
        self._row(client)
        return any(os.path.exists(sign) for sign in self._places(client).signs)

    def connect(self, request: ConnectClient) -> ConnectReport:
        """Write a client's entry and its hook, or take them back, or tell what that would be.

        Raises InvalidRequest, the faults of ClientFault, and with ConnectionUnproven says what the
        server did; then every file is as it was.
        """
        row = self._row(request.client)
        if NAME.fullmatch(request.name) is None:
            raise InvalidRequest(
                f"the name {request.name!r} is not allowed; expected letters, digits, _ and -"
            )
        if request.key_variable and VARIABLE.fullmatch(request.key_variable) is None:
            raise InvalidRequest(
                "--key-env takes the name of a variable, which has letters, digits and _",
                hint="the key itself is never written into a file",
            )
        if request.remove:
            steps, notes = self._steps_back(request)
        else:
            steps, notes = self._steps(request, row)
        files: tuple[ConnectedFile, ...] = ()
        tools = None
        if not request.show:
            files, tools = self._done(request, steps)
        return ConnectReport(
            client=request.client,
            title=row.title,
            name=request.name,
            removed=request.remove,
            done=not request.show,
            files=files or tuple(_told(step, "") for step in steps),
            tools=tools,
            notes=notes,
        )

    def _row(self, client: str) -> ConnectableClient:
        row = CLIENTS.get(client)
        if row is None:
            near = difflib.get_close_matches(client, CLIENTS, n=1, cutoff=0.4)
            raise InvalidRequest(
                f"no client is called {client!r}; expected one of {', '.join(CLIENTS)}",
                hint=f"did you mean {near[0]!r}?" if near else "",
            )
        return row

    def _places(self, client: str) -> ClientPlaces:
        here = self._installation
        return places(client, here.system, here.home, here.environment)

    def _files(self, client: str) -> tuple[str, str]:
        """Return the file of servers, the one of its names that is there, and that of hooks."""
        found = self._places(client)
        names = (found.servers, *found.other_names)
        servers = next((name for name in names if os.path.lexists(name)), found.servers)
        return os.path.abspath(servers), os.path.abspath(found.hooks or servers)

    def _words(self, request: ConnectClient) -> tuple[str, ...]:
        chosen = self._installation.chosen
        options = [word for name, value in chosen.items() for word in (f"--{name}", value)]
        return (*self._installation.program, "mcp", *options, *request.options)

    def _steps(
        self, request: ConnectClient, row: ConnectableClient
    ) -> tuple[list[_Step], tuple[str, ...]]:
        if request.url:
            server = remote_addition(row, request.name, request.url, request.key_variable)
        else:
            server = server_addition(row, request.name, self._words(request))
        hooks, notes = self._hook(request, row)
        servers_file, hooks_file = self._files(request.client)
        if servers_file == hooks_file:
            wanted = {servers_file: (server, *hooks)}
        else:
            wanted = {servers_file: (server,), hooks_file: hooks}
        steps: list[_Step] = []
        for path, additions in wanted.items():
            if additions:
                step, left_out = self._step(request, row, path, additions)
                steps.append(step)
                notes += left_out
        return steps, tuple(notes)

    def _hook(
        self, request: ConnectClient, row: ConnectableClient
    ) -> tuple[tuple[Addition, ...], list[str]]:
        """Return the additions of the import hook, or why there are none."""
        here = self._installation
        if row.hook == "none" or not request.hook or request.url:
            return (), []
        if not here.hook:
            return (), [f"no import hook: {HOOK_PROGRAM} is not installed beside recense"]
        settings = [f"RECENSE_{name.upper()}={value}" for name, value in here.chosen.items()]
        if settings and here.system == "win32":
            return (), ["no import hook: here one finds the store by recense.toml alone"]
        words = ("/usr/bin/env", *settings, *here.hook) if settings else here.hook
        return hook_additions(row, words), []

    def _step(
        self,
        request: ConnectClient,
        row: ConnectableClient,
        path: str,
        additions: tuple[Addition, ...],
    ) -> tuple[_Step, list[str]]:
        file = read_client_file(path)
        with _naming(path):
            text = file.text
            if row.form == "json":
                refuse_older_layout(request.client, text)
            old = self._receipts.get(request.client, request.name, path)
            if old is not None and old.asked == additions and holds(row.form, text, old.splices):
                return _Step(before=file, after=_kept(file), old=old, new=old, shown=()), []
            base = text if old is None else without(row.form, text, old.splices, old.digest)
            made = spliced(row.form, base, additions)
        left_out = [
            f"no import hook: {'.'.join(each.path)} in {path} has another use"
            for each in made.left_out
        ]
        if not made.splices:
            return _Step(before=file, after=_kept(file), old=old, new=old, shown=()), left_out
        new = Receipt(
            path=path,
            asked=additions,
            splices=made.splices,
            digest=digest_of(made.text),
            made_file=file.content is None if old is None else old.made_file,
            made_folders=() if old is None else old.made_folders,
        )
        shown = _shown(base, made.splices)
        return _Step(before=file, after=made.text, old=old, new=new, shown=shown), left_out

    def _steps_back(self, request: ConnectClient) -> tuple[list[_Step], tuple[str, ...]]:
        row = self._row(request.client)
        steps: list[_Step] = []
        found = self._places(request.client)
        names = (found.servers, *found.other_names, found.hooks or found.servers)
        for path in dict.fromkeys(map(os.path.abspath, names)):
            receipt = self._receipts.get(request.client, request.name, path)
            if receipt is None:
                continue
            file = read_client_file(path)
            with _naming(path):
                base = without(row.form, file.text, receipt.splices, receipt.digest)
                shown = _shown(base, receipt.splices)
                is_gone = file.content is None or (receipt.made_file and is_vacant(row.form, base))
            after = None if is_gone else base
            steps.append(_Step(before=file, after=after, old=receipt, new=None, shown=shown))
        if not steps:
            return [], (f"nothing that this command wrote for {row.title} was found",)
        return steps, ()

    def _done(
        self, request: ConnectClient, steps: Sequence[_Step]
    ) -> tuple[tuple[ConnectedFile, ...], int | None]:
        """Do the steps, all of them or none, and prove what was written."""
        done: list[_Step] = []
        backups: list[str] = []
        tools = None
        try:
            for step in steps:
                done.append(step)
                keeps = step.changes and step.before.content is not None and not request.remove
                backups.append(back_up(step.before, self._stamp()) if keeps else "")
                self._do(request, step)
            if not request.remove and not request.url:
                tools = self._prove(self._words(request))
        except BaseException as error:
            left = self._undo(request, done)
            if left:
                raise ClientFileChanged(
                    f"{error}; and {', '.join(left)} was changed meanwhile, so it is left",
                    hint=f"recense connect {request.client} --remove",
                ) from error
            for backup in filter(None, backups):
                os.unlink(backup)
            if isinstance(error, ConnectionUnproven):
                raise ConnectionUnproven(
                    f"{error.message}; every file is as it was", hint=error.hint
                ) from error
            raise
        files = (_told(step, backup) for step, backup in zip(done, backups, strict=True))
        return tuple(files), tools

    def _stamp(self) -> str:
        instant = datetime.fromtimestamp(self._clock.now() / _MICROSECONDS, UTC)
        return f"recense-{instant:%Y%m%dT%H%M%SZ}"

    def _do(self, request: ConnectClient, step: _Step) -> None:
        """Change one file. Its receipt is there before it, and goes after it."""
        of = (request.client, request.name)
        if not step.changes and step.new is not None:
            return
        if step.new is not None:
            self._receipts.put(*of, step.new)
            folders = write_client_file(step.before, step.after or "")
            if folders:
                self._receipts.put(*of, replace(step.new, made_folders=folders))
            return
        if step.changes and step.after is not None:
            write_client_file(step.before, step.after)
        elif step.changes and step.old is not None:
            remove_client_file(step.before, step.old.made_folders)
        if step.old is not None:
            self._receipts.drop(*of, step.old.path)

    def _undo(self, request: ConnectClient, done: Sequence[_Step]) -> list[str]:
        """Put files back, and return those that somebody else changed meanwhile."""
        of = (request.client, request.name)
        left: list[str] = []
        for step in reversed(done):
            path = step.before.path
            if step.changes:
                now = read_client_file(path)
                after = None if step.after is None else step.after.encode("utf-8")
                if now.content == after:
                    kept = self._receipts.get(*of, path)
                    self._put_back(now, step, kept.made_folders if kept else ())
                elif now.content != step.before.content:
                    left.append(path)
                    continue
            if step.old is not None:
                self._receipts.put(*of, step.old)
            else:
                self._receipts.drop(*of, path)
        return left

    def _put_back(self, now: ClientFile, step: _Step, folders: tuple[str, ...]) -> None:
        if step.before.content is None:
            remove_client_file(now, folders)
        else:
            write_client_file(now, step.before.text)


@contextmanager
def _naming(path: str) -> Generator[None]:
    """Say of which file a fault speaks."""
    try:
        yield
    except ClientFault as error:
        if path in error.message:
            raise
        raise type(error)(f"{path}: {error.message}", hint=error.hint) from error


def _kept(file: ClientFile) -> str | None:
    return None if file.content is None else file.text


def _told(step: _Step, backup: str) -> ConnectedFile:
    change: FileChange = "changed" if step.changes else "unchanged"
    if step.changes and step.before.content is None:
        change = "made"
    elif step.changes and step.after is None:
        change = "removed"
    return ConnectedFile(path=step.before.path, change=change, backup=backup, splices=step.shown)


def _shown(text: str, splices: Sequence[Splice]) -> tuple[FileSplice, ...]:
    """Return what was put into a text, piece by piece, and in which line each begins."""
    shown: list[FileSplice] = []
    for splice in splices:
        for each in splice.insertions:
            text = inserted(text, each)
            begins = each.at + len(each.text) - len(each.text.lstrip("\r\n"))
            line = text.count("\n", 0, begins) + 1
            shown.append(FileSplice(line=line, text=each.text.strip("\r\n")))
    return tuple(shown)
