"""How addresses are written: each in one way, so that whoever reads one reads the same.

Law: what is percent-encoded is an id, and it is decoded once. Everywhere else an address is written
as it is: a proxy that guards one, our own checks and the router then speak of the same address.
"""

import re
from typing import Final
from urllib.parse import parse_qsl, unquote_to_bytes

from recense.errors import InvalidRequest
from recense.limits import QUERY_FIELDS_MAX

SESSIONS: Final = "/v1/sessions"
MATERIALS: Final = "/v1/materials"

_BEFORE_IDS: Final = tuple(f"{each}/".encode() for each in (SESSIONS, MATERIALS))
_BAD_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_HINT: Final = "percent-encode an id once, as UTF-8, and nothing else"


def require_plain_path(raw_path: bytes) -> None:
    """Raise InvalidRequest for the path of an address, as it came, that has another way to be
    written, or an id that can be none.
    """
    path = raw_path.partition(b"?")[0]
    if b"%" not in path and b"//" not in path:
        return
    for before in _BEFORE_IDS:
        if path.startswith(before):
            _decoded(path[len(before) :])
            return
    raise InvalidRequest(
        "the address has a percent sign or two slashes where there is no id", hint=_HINT
    )


def id_after(prefix: str, raw_path: bytes) -> str:
    """Return the id in the path of an address as it was meant, whatever stands in it: it is no
    path. Raises InvalidRequest for what can be none.
    """
    return _decoded(raw_path.partition(b"?")[0][len(prefix) + 1 :])


def query_words(query: bytes) -> list[tuple[str, str]]:
    """Return the fields of the query of an address, in order, each as its name and its value.

    Raises InvalidRequest for what is no text, and more than QUERY_FIELDS_MAX.
    """
    try:
        return parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=QUERY_FIELDS_MAX,
        )
    except ValueError as error:
        raise InvalidRequest("the query cannot be read", hint="name=value&name=value") from error


def _decoded(written: bytes) -> str:
    if _BAD_ESCAPE.search(written) is not None:
        raise InvalidRequest("a percent sign in the id is not followed by two digits", hint=_HINT)
    try:
        decoded = unquote_to_bytes(written).decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest("the id in the address is no UTF-8", hint=_HINT) from error
    if not decoded.strip("/"):
        raise InvalidRequest("the id in the address is empty", hint=_HINT)
    if _CONTROL.search(decoded) is not None:
        raise InvalidRequest("the id in the address has control characters", hint=_HINT)
    return decoded
