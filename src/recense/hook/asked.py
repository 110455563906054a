"""What the hook is asked to archive: by words of a command line, or by JSON from an agent.

Claude Code writes one JSON object on stdin, with the path of the session's transcript. Codex hands
over one JSON object as the last word, with the id of the thread and no path. A word that is no JSON
object is a path.
"""

import json
import os
import re
from collections.abc import Iterable
from typing import Final, NamedTuple, cast

from recense.errors import InvalidRequest

_PATHS: Final = ("transcript_path", "agent_transcript_path")
_THREAD: Final = "thread-id"
_TURN_COMPLETE: Final = "agent-turn-complete"
_THREAD_ID: Final = re.compile(r"[0-9A-Za-z_-]{8,64}")


class Asked(NamedTuple):
    """Transcripts by their paths, and threads of Codex by their ids; both may be empty."""

    paths: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


def asked_by_words(words: Iterable[str]) -> Asked:
    """Return what the words of a command line ask for. Raises InvalidRequest as `asked_by_json`."""
    paths: list[str] = []
    threads: list[str] = []
    for word in words:
        asked = asked_by_json(word) if word.lstrip().startswith("{") else Asked(paths=(word,))
        paths += asked.paths
        threads += asked.threads
    return Asked(paths=tuple(dict.fromkeys(paths)), threads=tuple(dict.fromkeys(threads)))


def asked_by_json(text: str | bytes) -> Asked:
    """Return what an agent's JSON object asks for: nothing where it says that it has no transcript.

    Raises InvalidRequest for what is no JSON object, and for one that names neither a transcript
    nor a thread. No part of it is in the message.
    """
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(
            "the input is not JSON", hint="expected what an agent tells its hook, or a path"
        ) from error
    if not isinstance(decoded, dict):
        raise InvalidRequest(f"the input is a {type(decoded).__name__}; expected a JSON object")
    event = cast("dict[str, object]", decoded)
    named = [key for key in (*_PATHS, _THREAD) if key in event]
    if not named and event.get("type", _TURN_COMPLETE) != _TURN_COMPLETE:
        return Asked()  # Codex tells of more than finished turns
    if not named:
        raise InvalidRequest(
            f"the input names no session; expected {', '.join(_PATHS)} or {_THREAD}",
            hint="a later release of the agent may name it; `recense import --watch` needs no hook",
        )
    given = {key: text_of(event, key) for key in named}
    paths = [os.path.expanduser(path) for key, path in given.items() if key != _THREAD and path]
    thread = given.get(_THREAD) or ""
    if thread and _THREAD_ID.fullmatch(thread) is None:
        raise InvalidRequest(f"{_THREAD} is no id of a thread")
    return Asked(paths=tuple(dict.fromkeys(paths)), threads=(thread,) if thread else ())


def text_of(event: dict[str, object], key: str) -> str:
    """Return the text under a key, "" for null. Raises InvalidRequest for anything else."""
    value = event[key]
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise InvalidRequest(f"{key} in the input is no text that can be a path or an id")
    return value
