"""What a caller may hand to a session: types that hold, names that can be kept, and no secret."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Final, TypeVar

import msgspec

from recense.core.instants import instant_from_text
from recense.core.text.json_text import settled_text
from recense.core.text.quoting import quoted
from recense.core.text.redact import is_credential_shaped, redact
from recense.core.transcript.records import Session
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import FOLDER_CODE_POINTS_MAX, IDENTIFIER_CODE_POINTS_MAX

_Asked = TypeVar("_Asked", bound=msgspec.Struct)

_LEFT_AS_THEY_ARE: Final = (bytes, bytearray, memoryview, datetime, date)
"""What would become a text on the way through builtins, and was none when it was given."""


def typed(asked: msgspec.Struct, kind: type[_Asked], *, leave_out: Collection[str] = ()) -> _Asked:
    """Return what was asked; a field of another type than it promises is refused. A set in it
    becomes a list in an order of its items' own: every process has the same. ``leave_out`` are
    fields that are not of this kind.
    """
    try:
        builtins: dict[str, object] = msgspec.to_builtins(
            asked, builtin_types=_LEFT_AS_THEY_ARE, order="deterministic"
        )
        for name in leave_out:
            builtins.pop(name, None)
        return msgspec.convert(builtins, type=kind)
    except (
        msgspec.ValidationError,
        TypeError,
        OverflowError,
        RecursionError,
        UnicodeEncodeError,
    ) as error:
        raise InvalidRequest(
            f"{kind.__name__} cannot be read: {redact(str(error)).text}",
            hint="give each field the type it names",
        ) from error


def require_identifier(name: str, text: str) -> None:
    """Refuse a text that cannot name a thing: in an anchor, on a line, in another program."""
    if not (0 < len(text) <= IDENTIFIER_CODE_POINTS_MAX and text.isprintable() and text.strip()):
        raise InvalidRequest(
            f"{name} is {quoted(text)}; expected 1 to {IDENTIFIER_CODE_POINTS_MAX} printable "
            "characters on one line",
            hint="use an id like a UUID",
        )
    require_no_credential(name, text)


def require_no_credential(name: str, text: str) -> None:
    """Refuse a secret where it would be kept as it is."""
    if is_credential_shaped(text):
        raise CredentialShaped(
            f"{name} looks like a secret, and would be kept as it is",
            hint="use a name that opens nothing",
        )


def require_bytes(what: str, text: str, bytes_max: int) -> None:
    """Refuse a text that has too many bytes of UTF-8 as it would be kept."""
    size = len(text) if text.isascii() and "\0" not in text else len(settled_text(text).encode())
    if size > bytes_max:
        raise InvalidRequest(
            f"{what} has {size} bytes; at most {bytes_max} are kept",
            hint="keep it outside, with a pointer to it, or in several outputs",
        )


def require_json_bytes(what: str, json: bytes, bytes_max: int, *, hint: str) -> None:
    """Refuse JSON that has too many bytes as it would be kept."""
    if len(json) > bytes_max:
        raise InvalidRequest(
            f"{what} has {len(json)} bytes of JSON; at most {bytes_max} are kept", hint=hint
        )


def require_folder(workspace: str | None) -> None:
    """Refuse a workspace that is no path of a folder; None is none."""
    if workspace is None:
        return
    if not (0 < len(workspace) <= FOLDER_CODE_POINTS_MAX and workspace.isprintable()):
        raise InvalidRequest(
            f"workspace is {quoted(workspace)}; expected the path of a folder of 1 to "
            f"{FOLDER_CODE_POINTS_MAX} printable characters",
            hint="leave it out where there is none",
        )
    require_no_credential("workspace", workspace)


def given_instant(name: str, text: str | None) -> int | None:
    """Return the instant that a text names, None for none; refuse what is no RFC 3339."""
    if text is None:
        return None
    instant = instant_from_text(text)
    if instant is None:
        raise InvalidRequest(
            f"{name} is {quoted(text)}, which is no RFC 3339 instant",
            hint="write it like 2026-01-31T09:30:00Z",
        )
    return instant


def require_open(session: Session) -> Session:
    """Return a session that can be written; refuse one that is closed, and one that is imported:
    its source alone adds to it, and it may be converted anew from its archive.
    """
    if session.records:
        raise InvalidRequest(
            f"session {session.session_id!r} was imported, and only its source adds to it",
            hint="open a session of your own, with this one as its parent",
        )
    if session.closed:
        raise InvalidRequest(
            f"session {session.session_id!r} is closed", hint="open another session"
        )
    return session


def require_counts(**counts: int) -> None:
    """Refuse a negative count, by its name."""
    for name, count in counts.items():
        if count < 0:
            raise InvalidRequest(f"{name} is {count}; expected 0 or more")
