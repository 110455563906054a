"""Addresses of what a model may read: ``recense://session/{id}`` and the like.

An id in an address is percent-encoded, but for the colon.
"""

from typing import Final, Literal
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from recense.core.values import Value
from recense.errors import NotFound

AddressKind = Literal["session", "passage", "subject"]

SESSION_TEMPLATE: Final = "recense://session/{id}{?first}"
PASSAGE_TEMPLATE: Final = "recense://passage/{anchor}"
SUBJECT_TEMPLATE: Final = "recense://subject/{subject}"

_KINDS: Final[dict[str, AddressKind]] = {
    "session": "session",
    "passage": "passage",
    "subject": "subject",
}


class Address(Value, kw_only=True):
    """What an address leads to; ``first`` is where a page of a session begins."""

    kind: AddressKind
    id: str
    first: int = 0


def session_uri(session_id: str) -> str:
    """Return the address of a session."""
    return f"recense://session/{quote(session_id, safe=':')}"


def material_uri(material_id: str) -> str:
    """Return the name of a material in an answer; its bytes are given by `recall_material`."""
    return f"recense://material/{quote(material_id, safe=':')}"


def address_of(uri: str) -> Address:
    """Return what an address says. Raises NotFound for one that is none of ours."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise unknown_address() from error
    kind = _KINDS.get(parts.netloc)
    name = unquote(parts.path.removeprefix("/"), errors="replace")
    asked = dict(parse_qsl(parts.query))
    first = asked.pop("first", "0")
    is_whole = parts.scheme == "recense" and name and not parts.fragment and not asked
    if kind is None or not is_whole or not (first.isascii() and first.isdigit()):
        raise unknown_address()
    return Address(kind=kind, id=name, first=int(first[:18]))


def unknown_address() -> NotFound:
    """Return the error of an address that leads to nothing."""
    return NotFound(
        "there is no such resource",
        hint=f"addresses are {SESSION_TEMPLATE}, {PASSAGE_TEMPLATE} and {SUBJECT_TEMPLATE}",
    )
