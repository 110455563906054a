"""Additions to a document of JSON with comments.

Laws: every byte that was there stays (`splices`). A member is put after the last one, on a line of
its own where that one has such a line, indented as it is; a comment behind the last one stays with
it. What is not understood, said twice on our path or of another kind there is refused.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from recense.core.connect.jsonc import (
    JsonGroup,
    JsonMember,
    JsonNode,
    plain,
    scan,
)
from recense.core.connect.splices import (
    Addition,
    Insertion,
    Splice,
    Spliced,
    inserted,
    line_end_of,
    no_place,
    taken,
)

_BEHIND: Final = re.compile(r"(?:[ \t]|/\*(?>[^\r\n]*?\*/))*(?://[^\r\n]*|(?=[\r\n]))")
"""What may follow a value on its line, to the end of the line: blanks and comments."""

_BLANKS: Final = " \t\r\n"

_UNIT: Final = "  "


def json_spliced(text: str, additions: tuple[Addition, ...]) -> Spliced:
    """Return a document with these additions, one after the other.

    Raises ClientFileUnusable.
    """
    result = Spliced(text=text)
    for addition in additions:
        result = _with(result, addition)
    return result


def json_without(text: str, splices: tuple[Splice, ...]) -> str:
    """Return a document, which somebody changed since, without what these splices brought.

    What is no longer there is left alone; objects and arrays that came with them go where they are
    empty. Raises ClientFileUnusable.
    """
    for splice in reversed(splices):
        text = _without(text, splice)
    return text


def _with(result: Spliced, addition: Addition) -> Spliced:
    text = result.text
    root = scan(text)
    if root is not None and not (isinstance(root, JsonGroup) and root.is_object):
        raise no_place((), "an object")
    group, known = _deepest(root, addition)
    if known == len(addition.path) and not addition.is_item:
        member = _only(group, addition.path)
        if member is not None and plain(member.node) == addition.value:
            return _noted(result, present=addition)
        if addition.optional:
            return _noted(result, left_out=addition)
        raise taken(addition.path)
    if known == len(addition.path) and _knows(group, addition, text):
        return _noted(result, present=addition)
    insertions = _insertions(text, root, group, _part(addition, known))
    for each in insertions:
        text = inserted(text, each)
    _check(text, addition)
    splice = Splice(
        addition=addition,
        insertions=insertions,
        names_before=known,
        keeps_comma=group is not None and _ends_in_comma(group),
    )
    return Spliced(
        text=text,
        splices=(*result.splices, splice),
        present=result.present,
        left_out=result.left_out,
    )


def _ends_in_comma(group: JsonGroup) -> bool:
    return bool(group.members) and group.members[-1].comma is not None


def _noted(
    result: Spliced, *, present: Addition | None = None, left_out: Addition | None = None
) -> Spliced:
    return Spliced(
        text=result.text,
        splices=result.splices,
        present=(*result.present, present) if present else result.present,
        left_out=(*result.left_out, left_out) if left_out else result.left_out,
    )


def _check(text: str, addition: Addition) -> None:
    """Hold what was made against what was wanted: a mistake of ours must reach no file."""
    node, known = _deepest(scan(text), addition)
    if addition.is_item:
        found = plain(node.members[-1].node) if node and node.members else None
    else:
        member = _only(node, addition.path)
        found = None if member is None else plain(member.node)
    if known != len(addition.path) or found != addition.value:
        raise no_place(addition.path, "a document that can be added to")


def _deepest(root: JsonNode | None, addition: Addition) -> tuple[JsonGroup | None, int]:
    """Return the group to add to, and how many names of the path there are.

    That is the array at the path for an item, and else the object around its last name.
    """
    if not isinstance(root, JsonGroup):
        return None, 0
    group = root
    last = len(addition.path) - 1
    for known, name in enumerate(addition.path):
        found: Sequence[JsonMember] = group.named(name)
        so_far = addition.path[: known + 1]
        if len(found) > 1:
            raise no_place(so_far, "a name that is said once")
        if not found:
            return group, known
        if known == last and not addition.is_item:
            return group, len(addition.path)
        node = found[0].node
        if not isinstance(node, JsonGroup) or node.is_object == (known == last):
            raise no_place(so_far, "an array" if known == last else "an object")
        group = node
    return group, len(addition.path)


def _only(group: JsonGroup | None, path: tuple[str, ...]) -> JsonMember | None:
    found = group.named(path[-1]) if group is not None else ()
    return found[0] if len(found) == 1 else None


def _knows(group: JsonGroup | None, addition: Addition, text: str) -> bool:
    return group is not None and any(
        plain(member.node) == addition.value
        or (addition.known_by and addition.known_by in text[member.start : member.end])
        for member in group.members
    )


def _part(addition: Addition, known: int) -> tuple[str | None, object]:
    """Return the name and the value of the part that is missing; an item has no name."""
    value = [addition.value] if addition.is_item else addition.value
    missing = addition.path[known:]
    if not missing:
        return None, addition.value
    for name in reversed(missing[1:]):
        value = {name: value}
    return missing[0], value


def _insertions(
    text: str, root: JsonNode | None, group: JsonGroup | None, part: tuple[str | None, object]
) -> tuple[Insertion, ...]:
    line_end = line_end_of(text)
    if group is None:
        before = line_end if text.strip("\ufeff") and not text.endswith("\n") else ""
        name, value = part
        whole = _written((None, {str(name): value}), _UNIT, "", line_end)
        return (Insertion(at=len(text), text=before + whole + line_end),)
    unit = _unit(text, root)
    if not group.members:
        return (_into_empty(text, group, part, unit),)
    last = group.members[-1]
    indent = _own_indent(text, last.start)
    if indent is None:
        return (_behind_inline(last, part),)
    at = _behind(text, last.comma or last.end)
    whole = line_end + indent + _written(part, unit, indent, line_end)
    if last.comma is not None:
        return (Insertion(at=at, text=whole),)
    if at == last.end:
        return (Insertion(at=at, text="," + whole),)
    return (Insertion(at=last.end, text=","), Insertion(at=at + 1, text=whole))


def _behind_inline(last: JsonMember, part: tuple[str | None, object]) -> Insertion:
    name, value = part
    written = json.dumps(value, ensure_ascii=False)
    if name is not None:
        written = f"{json.dumps(name, ensure_ascii=False)}: {written}"
    if last.comma is not None:
        return Insertion(at=last.comma, text=" " + written)
    return Insertion(at=last.end, text=", " + written)


def _into_empty(
    text: str, group: JsonGroup, part: tuple[str | None, object], unit: str
) -> Insertion:
    line_end = line_end_of(text)
    outer = _line_indent(text, group.start)
    indent = outer + unit
    at = _behind(text, group.start + 1)
    whole = line_end + indent + _written(part, unit, indent, line_end)
    rest = text[at : group.end - 1]
    if "\n" not in rest:
        whole += line_end + outer
    return Insertion(at=at, text=whole)


def _written(part: tuple[str | None, object], unit: str, indent: str, line_end: str) -> str:
    name, value = part
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    written = written.replace("\n", line_end + indent)
    return written if name is None else f"{json.dumps(name, ensure_ascii=False)}: {written}"


def _unit(text: str, root: JsonNode | None) -> str:
    """Return by how much a document indents, as its first line of a member shows."""
    if isinstance(root, JsonGroup) and root.members:
        return _own_indent(text, root.members[0].start) or _UNIT
    return _UNIT


def _own_indent(text: str, start: int) -> str | None:
    """Return the blanks before a place on its line; None where something else stands there."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip(" \t") and "\n" in text[:start] else None


def _line_indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _behind(text: str, at: int) -> int:
    """Return the end of the line if only comments follow on it, else the place itself."""
    found = _BEHIND.match(text, at)
    return found.end() if found else at


def _without(text: str, splice: Splice) -> str:
    addition = splice.addition
    names, is_item = addition.path, addition.is_item
    while True:
        found = _found(text, names, addition.value, is_item=is_item)
        if found is None:
            return text
        is_untouched = splice.insertions[-1].text in text
        text = _cut(text, *found, keeps_comma=splice.keeps_comma and is_untouched)
        names, is_item = (names if is_item else names[:-1]), False
        if len(names) <= splice.names_before or not _is_empty(text, names):
            return text


def _found(
    text: str, names: tuple[str, ...], value: object, *, is_item: bool
) -> tuple[JsonGroup, int] | None:
    """Return the group and the number of the part that is at a path, or of this item there."""
    group, known = _deepest(scan(text), Addition(path=names, value=value, is_item=is_item))
    if group is None or known != len(names):
        return None
    for index, member in enumerate(group.members):
        if plain(member.node) == value if is_item else member.name == names[-1]:
            return group, index
    return None


def _is_empty(text: str, names: tuple[str, ...]) -> bool:
    """Whether what is at a path holds nothing, not even a comment."""
    found = _found(text, names, None, is_item=False)
    if found is None:
        return False
    group, index = found
    node = group.members[index].node
    return isinstance(node, JsonGroup) and not text[node.start + 1 : node.end - 1].strip(_BLANKS)


def _cut(text: str, group: JsonGroup, index: int, *, keeps_comma: bool) -> str:
    """Return a text without one part and the blanks before it, with the comma after it, or else the
    one before it. The blanks stay where a comment before them would swallow what follows.
    """
    member = group.members[index]
    wanted = len(text[: member.start].rstrip(_BLANKS))
    rest = text[member.comma or member.end :]
    swallows = "//" in text[:wanted] and "\n" in text[wanted : member.start]
    start = member.start if swallows and not _is_line_end(rest) else wanted
    if member.comma is not None or index == 0 or keeps_comma:
        return text[:start] + rest
    comma = group.members[index - 1].comma or start
    return text[: comma - 1] + text[comma:start] + rest


def _is_line_end(rest: str) -> bool:
    return rest.lstrip(" \t").startswith(("\r", "\n"))
