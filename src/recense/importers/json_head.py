"""What the head of a JSON file tells of its first object, also where it is cut inside it."""

import re
from typing import Final, cast

import msgspec

from recense.core.values import Value

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_OPENING: Final = (b"{", b"[")
_CLOSING: Final = (b"}", b"]")
_TOKEN: Final = re.compile(
    rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s{}\[\]:,"]++', re.DOTALL
)


class HeadField(Value, kw_only=True):
    """A field of an object: its name, the first token of its value (b"" where the head ends before
    it) and where that begins.
    """

    name: str
    token: bytes
    at: int


class HeadObject(Value, kw_only=True):
    """An object as far as a head shows it: its fields by name, and whether the head is cut inside
    it. ``started`` is the beginning of a name whose end is cut off.
    """

    fields: dict[str, HeadField]
    is_cut: bool
    started: str = ""

    def begins(self, name: str, *tokens: bytes) -> bool:
        """Whether the field is there and its value begins with one of the tokens."""
        return name in self.fields and self.fields[name].token in tokens

    def word(self, name: str) -> str:
        """Return the text of a field, "" where it is none."""
        field = self.fields.get(name)
        if field is None or not field.token.startswith(b'"'):
            return ""
        return _text(field.token)


def first_object(head: bytes, at: int = 0) -> HeadObject | None:
    """Return the object that begins at ``at`` or is the first of the list that does; None where
    neither begins there. Of a head that ends before it nothing is known, and it is cut.
    """
    at = _after_blanks(head, at + len(_BOM) if head.startswith(_BOM, at) else at)
    if head.startswith(b"[", at):
        at = _after_blanks(head, at + 1)
    if at == len(head):
        return HeadObject(fields={}, is_cut=True)
    return _object_at(head, at) if head.startswith(b"{", at) else None


def _after_blanks(head: bytes, at: int) -> int:
    return len(head) - len(head[at:].lstrip(_BLANK))


def _object_at(head: bytes, at: int) -> HeadObject:
    """Return the object that begins here."""
    fields: dict[str, HeadField] = {}
    name: str | None = None
    started = ""
    depth = 0
    before = b""
    for found in _TOKEN.finditer(head, at):
        token = found.group()
        if depth == 1 and before in (b"{", b",") and token.startswith(b'"'):
            is_closed = len(token) > 1 and token.endswith(b'"')
            name, started = (_text(token), "") if is_closed else (None, _text(token + b'"'))
        elif depth == 1 and before == b":" and name is not None:
            fields.setdefault(name, HeadField(name=name, token=token, at=found.start()))
            name = None
        depth += (token in _OPENING) - (token in _CLOSING)
        before = token
        if depth == 0:
            return HeadObject(fields=fields, is_cut=False)
    if name is not None:
        fields.setdefault(name, HeadField(name=name, token=b"", at=len(head)))
    return HeadObject(fields=fields, is_cut=True, started=started)


def _text(token: bytes) -> str:
    try:
        value = cast("object", msgspec.json.decode(token))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    return value if isinstance(value, str) else ""
