"""Files of other programs: read, written and removed so that nothing of theirs is lost.

Laws. A file is replaced as a whole: written beside, made durable, renamed; so it is never seen half
written, and it keeps its mode and owner. It is replaced only if it is, byte for byte, what was
read. Through a symbolic link the file that it leads to is meant, and the link stays.
"""

import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from typing import Final

from recense.core.values import Value
from recense.errors import ClientFileChanged, ClientFileUnusable
from recense.limits import CLIENT_FILE_BYTES_MAX

_NEW_FILE_MODE: Final = 0o600
"""Of a file that we make: clients keep keys of other servers in it later."""


class ClientFile(Value, kw_only=True):
    """A file as it was read: the path that was asked for, the file that it leads to, and what that
    holds; ``content`` is None where there is none.
    """

    path: str
    target: str
    content: bytes | None

    @property
    def text(self) -> str:
        """What it holds; empty where there is no file. Raises ClientFileUnusable for no UTF-8."""
        try:
            return (self.content or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise ClientFileUnusable(
                f"{self.path} is not written in UTF-8", hint="save it as UTF-8"
            ) from error


def read_client_file(path: str) -> ClientFile:
    """Return a file as it is now. Raises ClientFileUnusable for what is no readable file."""
    with _translated(path, "read"):
        target = os.path.realpath(path)
        return ClientFile(path=path, target=target, content=_content(path, target))


def write_client_file(file: ClientFile, text: str) -> tuple[str, ...]:
    """Replace a file as it was read, or make it; return the folders made for it, outermost first.

    Raises ClientFileChanged where it is no longer as it was read, and ClientFileUnusable where it
    may not be written; then it is as it was.
    """
    with _translated(file.path, "written"):
        made = _missing_folders(os.path.dirname(file.target))
        if file.content is not None and not os.stat(file.target).st_mode & 0o222:
            raise ClientFileUnusable(
                f"{file.path} is read-only", hint="make it writable, or use --print"
            )
        try:
            for folder in made:
                os.mkdir(folder, 0o700)
            _replace(file, text.encode("utf-8"))
        except BaseException:
            _remove_empty(made)
            raise
        return made


def remove_client_file(file: ClientFile, folders: tuple[str, ...]) -> None:
    """Remove a file as it was read, and of these folders those that are empty then.

    Raises as `write_client_file`.
    """
    with _translated(file.path, "removed"):
        _refuse_changed(file)
        os.unlink(file.target)
        _remove_empty(folders)


def back_up(file: ClientFile, stamp: str) -> str:
    """Copy a file as it was read beside itself, and return the copy's path, whose name holds the
    stamp. An earlier copy is never replaced.
    """
    with _translated(file.path, "backed up"):
        mode = stat.S_IMODE(os.stat(file.target).st_mode)
        for number in count(1):
            path = f"{file.target}.{stamp}{'' if number == 1 else f'-{number}'}.bak"
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE)
            except FileExistsError:
                continue
            with open(handle, "wb") as copy:
                copy.write(file.content or b"")
                _keep(copy.fileno())
            os.chmod(path, mode)
            return path
    raise AssertionError("there is always another number")


def _content(path: str, target: str) -> bytes | None:
    try:
        found = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ClientFileUnusable(f"{path} is no regular file", hint="move it away")
    if found.st_size > CLIENT_FILE_BYTES_MAX:
        raise ClientFileUnusable(
            f"{path} has {found.st_size} bytes; expected at most {CLIENT_FILE_BYTES_MAX}",
            hint="write the lines that --print shows into it yourself",
        )
    with open(target, "rb") as file:
        return file.read()


def _replace(file: ClientFile, content: bytes) -> None:
    folder, name = os.path.split(file.target)
    handle, beside = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with open(handle, "wb") as copy:
            copy.write(content)
            _keep(copy.fileno())
        if file.content is None:
            os.chmod(beside, _NEW_FILE_MODE)
        else:
            _take_owner_and_mode(beside, os.stat(file.target))
        _refuse_changed(file)
        os.replace(beside, file.target)
    except BaseException:
        os.unlink(beside)
        raise
    if os.name != "nt":  # a folder is no file there
        handle = os.open(folder, os.O_RDONLY)
        try:
            _keep(handle)
        finally:
            os.close(handle)


def _take_owner_and_mode(path: str, of: os.stat_result) -> None:
    made = os.stat(path)
    if os.name != "nt" and (made.st_uid, made.st_gid) != (of.st_uid, of.st_gid):
        os.chown(path, of.st_uid, of.st_gid)
    os.chmod(path, stat.S_IMODE(of.st_mode))


def _keep(handle: int) -> None:
    os.fsync(handle)


def _refuse_changed(file: ClientFile) -> None:
    if os.path.realpath(file.path) != file.target or file.content != _content(
        file.path, file.target
    ):
        raise ClientFileChanged(
            f"{file.path} was changed while we were at it; it was left as it is now",
            hint="close the program whose file it is, and say the same again",
        )


def _missing_folders(folder: str) -> tuple[str, ...]:
    missing: list[str] = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return tuple(reversed(missing))


def _remove_empty(folders: tuple[str, ...]) -> None:
    for folder in reversed(folders):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


@contextmanager
def _translated(path: str, done: str) -> Generator[None]:
    """Say in our words what the system says of a file."""
    try:
        yield
    except OSError as error:
        raise ClientFileUnusable(
            f"{path} cannot be {done}: {error.strerror or type(error).__name__}",
            hint="see who may use the file and its folder",
        ) from error
