"""The URIs of what a model may read: ``recense://session/{id}`` and the like.

An id in a URI is percent-encoded, but for the colon.
"""

from typing import Final, Literal
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from recense.core.values import Value
from recense.errors import NotFound

ResourceKind = Literal["session", "passage", "subject"]

SESSION_TEMPLATE: Final = "recense://session/{id}{?first}"
PASSAGE_TEMPLATE: Final = "recense://passage/{anchor}"
SUBJECT_TEMPLATE: Final = "recense://subject/{subject}"

_KINDS: Final[dict[str, ResourceKind]] = {
    "session": "session",
    "passage": "passage",
    "subject": "subject",
}


class ResourceUri(Value, kw_only=True):
    """What a URI leads to; ``first`` is where a page of a session begins."""

    kind: ResourceKind
    id: str
    first: int = 0


def session_uri(session_id: str) -> str:
    """Return the URI of a session."""
    return f"recense://session/{quote(session_id, safe=':')}"


def material_uri(material_id: str) -> str:
    """Return the name of a material in an answer; its bytes are given by `recall_material`."""
    return f"recense://material/{quote(material_id, safe=':')}"


def parsed_uri(uri: str) -> ResourceUri:
    """Return what a URI says. Raises NotFound for one that is none of ours."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise _unknown() from error
    kind = _KINDS.get(parts.netloc)
    name = unquote(parts.path.removeprefix("/"), errors="replace")
    asked = dict(parse_qsl(parts.query))
    first = asked.pop("first", "0")
    is_whole = parts.scheme == "recense" and name and not parts.fragment and not asked
    if kind is None or not is_whole or not (first.isascii() and first.isdigit()):
        raise _unknown()
    return ResourceUri(kind=kind, id=name, first=int(first[:18]))


def _unknown() -> NotFound:
    return NotFound(
        "there is no such resource",
        hint=f"addresses are {SESSION_TEMPLATE}, {PASSAGE_TEMPLATE} and {SUBJECT_TEMPLATE}",
    )
