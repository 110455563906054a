"""JSON with comments, read for where everything stands rather than for what it means.

Comments (``//`` to the end of a line, ``/* */``) may stand wherever blanks may, and one comma may
stand after the last value of an object or array. Everything else is JSON (RFC 8259): what differs
is refused, since whoever cannot read a file should not write into it. A document may be empty.
"""

import json
import re
from typing import Final

from recense.core.values import Value
from recense.errors import ClientFileUnusable
from recense.limits import CLIENT_FILE_DEPTH_MAX

_GAP: Final = re.compile(r"(?:[ \t\r\n]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_LITERAL: Final = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
)
_BYTE_ORDER_MARK: Final = "\ufeff"


class JsonScalar(Value, kw_only=True):
    """A string, a number, true, false or null, from ``start`` up to ``end`` (code points)."""

    start: int
    end: int
    value: str | int | float | bool | None


class JsonMember(Value, kw_only=True):
    """A part of an object or array. ``start`` is that of its name in an object, else of its value;
    ``comma`` is the end of the comma after it, None where there is none.
    """

    start: int
    name: str | None
    node: "JsonNode"
    comma: int | None

    @property
    def end(self) -> int:
        """The end of its value, before any comma."""
        return self.node.end


class JsonGroup(Value, kw_only=True):
    """An object or an array, its parts in order; a name may be said twice."""

    start: int
    end: int
    is_object: bool
    members: tuple[JsonMember, ...]

    def named(self, name: str) -> tuple[JsonMember, ...]:
        """Return the members of a name."""
        return tuple(member for member in self.members if member.name == name)


JsonNode = JsonScalar | JsonGroup


def scan(text: str) -> JsonNode | None:
    """Return the one value of a document; None for a document of blanks and comments alone.

    Raises ClientFileUnusable, with the line, for what is no JSON with comments.
    """
    scanner = _Scanner(text)
    at = scanner.after_gap(1 if text.startswith(_BYTE_ORDER_MARK) else 0)
    if at == len(text):
        return None
    node = scanner.node(at, 0)
    at = scanner.after_gap(node.end)
    if at != len(text):
        raise scanner.fault(at, "the end")
    return node


def after_gap(text: str, at: int) -> int:
    """Return where the blanks and comments end that begin at a place."""
    found = _GAP.match(text, at)
    return found.end() if found else at


def plain(node: JsonNode) -> object:
    """Return the value of a node as `json` would, the last of equal names counting."""
    match node:
        case JsonScalar():
            return node.value
        case JsonGroup(is_object=True):
            return {str(member.name): plain(member.node) for member in node.members}
        case JsonGroup():
            return [plain(member.node) for member in node.members]


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text

    def fault(self, at: int, expected: str) -> ClientFileUnusable:
        line = self._text.count("\n", 0, at) + 1
        return ClientFileUnusable(
            f"line {line} is not understood: expected {expected}",
            hint="mend the file, or write the lines that --print shows into it yourself",
        )

    def after_gap(self, at: int) -> int:
        return after_gap(self._text, at)

    def node(self, at: int, depth: int) -> JsonNode:
        if depth > CLIENT_FILE_DEPTH_MAX:
            raise self.fault(at, f"at most {CLIENT_FILE_DEPTH_MAX} values within each other")
        if self._text.startswith(("{", "["), at):
            return self._group(at, depth)
        string = _STRING.match(self._text, at)
        found = string or _LITERAL.match(self._text, at)
        if found is None:
            raise self.fault(at, "a value")
        try:
            value = json.loads(found[0])
        except ValueError as error:  # an escape that there is none of, or a number of 5,000 digits
            raise self.fault(at, "a value") from error
        return JsonScalar(start=at, end=found.end(), value=value)

    def _group(self, start: int, depth: int) -> JsonGroup:
        is_object = self._text[start] == "{"
        closing = "}" if is_object else "]"
        members: list[JsonMember] = []
        at = self.after_gap(start + 1)
        while not self._text.startswith(closing, at):
            if members and members[-1].comma is None:
                raise self.fault(at, f"a comma or {closing}")
            members.append(self._member(at, is_object=is_object, depth=depth))
            at = self.after_gap(members[-1].comma or members[-1].end)
        return JsonGroup(start=start, end=at + 1, is_object=is_object, members=tuple(members))

    def _member(self, start: int, *, is_object: bool, depth: int) -> JsonMember:
        name, at = self._name(start) if is_object else (None, start)
        node = self.node(at, depth + 1)
        at = self.after_gap(node.end)
        comma = at + 1 if self._text.startswith(",", at) else None
        return JsonMember(start=start, name=name, node=node, comma=comma)

    def _name(self, start: int) -> tuple[str, int]:
        name = self.node(start, 0) if self._text.startswith('"', start) else None
        if not isinstance(name, JsonScalar) or not isinstance(name.value, str):
            raise self.fault(start, "a name in double quotes")
        at = self.after_gap(name.end)
        if not self._text.startswith(":", at):
            raise self.fault(at, "a colon")
        return name.value, self.after_gap(at + 1)
