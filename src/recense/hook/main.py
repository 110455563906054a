"""``recense-hook``: archive the session that an agent is in, after a turn of it.

Laws:

- Nothing is ever written on stdout, which an agent reads. What went wrong is one line on stderr.
- The exit code is 0 when all is archived or there is nothing to do, and 1 for a failure. It is
  never 2, by which a hook holds up Claude Code; and a turn that an agent continues for a hook's
  sake (``stop_hook_active``) is one like any other.
- It archives, and never converts, extracts or recalls. Nothing of Recense that it may start in turn
  starts a hook: RECENSE_HOOK_RUNNING is set.
- An unchanged transcript costs a look at the store's bookkeeping, and nothing is loaded for more. A
  better importer's second reading of such a file is left to `recense import`.
"""

import os
import select
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from recense.adapters.sqlite.peeking import noted_files
from recense.errors import InvalidRequest, RecenseError, SettingsInvalid, SourceUnreadable
from recense.hook import late
from recense.hook.asked import Asked, asked_by_json, asked_by_words
from recense.hook.rollouts import rollout_of
from recense.hook.single_flight import run_alone
from recense.importers.places import codex_folders, is_rollout, is_session_file
from recense.limits import (
    HOOK_INPUT_BYTES_MAX,
    HOOK_INPUT_WAIT_SECONDS_MAX,
    HOOK_MESSAGE_CODE_POINTS_MAX,
)
from recense.services.files import SourceFile, files_of_session, stored_path
from recense.settings.layers import home_folder, read_layers, store_file

RUNNING: Final = "RECENSE_HOOK_RUNNING"
"""Set for everything that a hook starts; a hook that finds it set does nothing."""

DONE: Final = 0
FAILED: Final = 1

_HELP: Final = frozenset({"--help", "-h"})

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2


def main() -> int:
    """Run the hook of this process and return its exit code."""
    _guard_streams()
    if os.environ.get(RUNNING):
        return DONE
    os.environ[RUNNING] = "1"
    try:
        faults = archive_asked(_asked(sys.argv[1:]), os.environ, home_folder(os.environ))
    except RecenseError as error:
        faults = [f"{error.message}; {error.hint}" if error.hint else error.message]
    except OSError as error:
        faults = [f"{error.filename or 'the input'}: {error.strerror or type(error).__name__}"]
    except KeyboardInterrupt:
        faults = ["interrupted; what was acknowledged before is kept"]
    except Exception as error:  # noqa: BLE001 -- the last place that can tell
        faults = [f"a bug in recense: {type(error).__name__}"]
    if faults:
        _tell("; ".join(faults))
    return FAILED if faults else DONE


def archive_asked(asked: Asked, environment: Mapping[str, str], home: str) -> list[str]:
    """Archive what was asked for; return what went wrong with single sessions.

    One that fails does not stop the others. Raises SettingsInvalid, the faults of the store, and
    OSError when no lock can be kept beside the store.
    """
    if not asked.paths and not asked.threads:
        return []
    working_folder = _working_folder()
    settings = read_layers({}, environment, home, working_folder).values
    store = store_file(settings["store"], settings["namespace"])
    if store is None:
        raise SettingsInvalid(
            "the setting store names no file, and a hook archives into one",
            hint="expected sqlite:///path or a path",
        )
    archive = partial(late.archive_files, dict(environment), home, working_folder)
    paths, faults = _found(asked, environment, home)
    for path in paths:
        try:
            faults += archive_session(path, store, archive)
        except SourceUnreadable as error:
            faults.append(error.message)
    return faults


def archive_session(
    path: str, store: str, archive: Callable[[Sequence[str]], list[str]]
) -> list[str]:
    """Archive the session of a transcript unless nothing of it has changed, or another hook is at
    it; return what went wrong.

    ``archive`` takes the paths of its files. Raises SourceUnreadable when there is no transcript.
    """
    files, faults = files_of_session(path)
    if _are_archived(files, store):
        return _words(faults)
    told: list[str] = []

    def look() -> None:
        files, faults = files_of_session(path)
        told[:] = _words(faults)
        if not _are_archived(files, store):
            told.extend(archive([file.path for file in files if file.size]))

    run_alone(f"{store}.hook", files[0].path, look)
    return told


def _are_archived(files: Sequence[SourceFile], store: str) -> bool:
    """Whether every file was archived as it is now; what is no session by its name does not count.

    Of an agent that an installed importer knows and this file does not, a new file beside an
    unchanged transcript waits for the transcript to change.
    """
    filled = [file for file in files if file.size]
    noted = noted_files(store, [stored_path(file.path) for file in filled])
    for file in filled:
        notes = noted.get(stored_path(file.path), [])
        if any(
            (note.size, note.mtime_ns, note.reason) == (file.size, file.mtime_ns, "")
            for note in notes
        ):
            continue
        if notes or file is files[0] or is_session_file(file.path) or is_rollout(file.path):
            return False
    return True


def _found(asked: Asked, environment: Mapping[str, str], home: str) -> tuple[list[str], list[str]]:
    """Return the transcripts that were asked for, and what was not found."""
    paths, faults = list(asked.paths), list[str]()
    for thread in asked.threads:
        path = rollout_of(codex_folders(environment, home), thread)
        if path is None:
            faults.append(f"Codex keeps no rollout of the thread {thread}")
        else:
            paths.append(path)
    return paths, faults


def _words(faults: Mapping[str, str]) -> list[str]:
    return [f"{path}: {reason}" for path, reason in sorted(faults.items())]


def _asked(words: Sequence[str]) -> Asked:
    if _HELP & set(words) or (not words and os.isatty(_STDIN)):
        raise InvalidRequest(
            "nothing to archive: an agent calls this",
            hint="or name a transcript: recense-hook PATH",
        )
    if words:
        return asked_by_words(words)
    text = _read_input()
    return asked_by_json(text) if text.strip() else Asked()


def _read_input() -> bytes:
    """Return what stands on stdin. Raises InvalidRequest for too much, or too late."""
    pieces: list[bytes] = []
    left = HOOK_INPUT_BYTES_MAX + 1
    while left > 0:
        if os.name != "nt" and not select.select([_STDIN], [], [], HOOK_INPUT_WAIT_SECONDS_MAX)[0]:
            raise InvalidRequest(
                f"the input did not end within {HOOK_INPUT_WAIT_SECONDS_MAX} seconds"
            )
        piece = os.read(_STDIN, min(left, 65_536))
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        left -= len(piece)
    raise InvalidRequest(f"the input is longer than {HOOK_INPUT_BYTES_MAX} bytes")


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # an agent may remove the folder it worked in; its session is kept all the same


def _guard_streams() -> None:
    """Let nothing reach stdout, and no file of ours take the number of a stream that is closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (_STDIN, _STDERR):
        try:
            os.fstat(stream)
        except OSError:
            os.dup2(nowhere, stream)
    os.dup2(nowhere, _STDOUT)
    if nowhere > _STDERR:
        os.close(nowhere)


def _tell(text: str) -> None:
    """Write one line on stderr that steers no terminal and holds no secret; that nobody listens is
    no failure.
    """
    hidden = late.redacted(text)
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in hidden)
    line = f"recense-hook: {shown[:HOOK_MESSAGE_CODE_POINTS_MAX]}\n"
    try:
        os.write(_STDERR, line.encode("utf-8", "backslashreplace"))
    except OSError:
        return
