"""Additions to a document of TOML 1.0.

Laws: every byte that was there stays (`splices`). Nothing is looked for in the text: a table is put
at its end and a value at its beginning, where both are what they are in every document, and what
came of it is held against what the document meant before. So a table that the document writes in a
way that nothing can be added to is refused.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Final, cast

from recense.core.connect.splices import (
    BYTE_ORDER_MARK,
    Addition,
    Insertion,
    Splice,
    Spliced,
    inserted,
    line_end_of,
    no_place,
    taken,
)
from recense.errors import ClientFileUnusable

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def toml_spliced(text: str, additions: tuple[Addition, ...]) -> Spliced:
    """Return a document with these additions: a mapping as a table of its own, anything else as a
    value of the root. Raises ClientFileUnusable.
    """
    splices: list[Splice] = []
    present: list[Addition] = []
    left_out: list[Addition] = []
    for addition in additions:
        before = _decoded(text)
        known = _known(before, addition.path)
        if known == len(addition.path):
            there = _at(before, addition.path)
            if there == addition.value or (
                addition.known_by and addition.known_by in json.dumps(there, default=str)
            ):
                present.append(addition)
                continue
            if not addition.optional:
                raise taken(addition.path)
            left_out.append(addition)
            continue
        insertion = _insertion(text, addition)
        after = inserted(text, insertion)
        if not _means(after, _with(before, addition)):
            raise no_place(addition.path, f"[{addition.path[0]}] as a table of its own")
        splices.append(Splice(addition=addition, insertions=(insertion,), names_before=known))
        text = after
    return Spliced(
        text=text, splices=tuple(splices), present=tuple(present), left_out=tuple(left_out)
    )


def toml_without(text: str, splices: tuple[Splice, ...]) -> str:
    """Return a document, which somebody changed since, without what these splices brought.

    What is no longer there is left alone. Raises ClientFileUnusable where the lines were rewritten.
    """
    for splice in reversed(splices):
        before = _decoded(text)
        path = splice.addition.path
        if _known(before, path) != len(path):
            continue
        expected = _minus(before, path)
        text = _without(text, splice.insertions[0].text, expected, path)
    return text


def _without(text: str, lines: str, expected: object, path: tuple[str, ...]) -> str:
    line_end = line_end_of(text)
    place = text.find(lines.strip())
    if place >= 0:
        end = place + len(lines.strip())
        starts = (place - len(lines) + len(lines.lstrip()), place)
        ends = (end + len(lines) - len(lines.rstrip()), end)
        for start in starts:
            for stop in ends:
                for between in ("", line_end):
                    rest = text[: max(start, 0)] + between + text[stop:]
                    if _means(rest, expected):
                        return rest
    raise ClientFileUnusable(
        f"the lines of {'.'.join(path)} are not as they were written",
        hint=f"take {'.'.join(path)} out of the file yourself",
    )


def _insertion(text: str, addition: Addition) -> Insertion:
    line_end = line_end_of(text)
    value = addition.value
    if isinstance(value, dict):
        values = cast("dict[str, object]", value)
        lines = [f"[{'.'.join(map(_key, addition.path))}]"]
        lines += [f"{_key(name)} = {_written(each)}" for name, each in values.items()]
        before = "" if text.endswith("\n") or not text.strip(BYTE_ORDER_MARK) else line_end
        if text.strip(BYTE_ORDER_MARK).strip():
            before += line_end
        return Insertion(at=len(text), text=before + line_end.join(lines) + line_end)
    at = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    return Insertion(at=at, text=f"{_key(addition.path[0])} = {_written(addition.value)}{line_end}")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _written(name)


def _written(value: object) -> str:
    """Return a text or a list of texts as TOML.

    Its basic strings are those of JSON, but for DEL, which it wants escaped.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _decoded(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError) as error:
        raise ClientFileUnusable(
            f"the file is no TOML: {error}",
            hint="mend the file, or write the lines that --print shows into it yourself",
        ) from error


def _means(text: str, expected: object) -> bool:
    """Whether a text is TOML and says this; tables without a value say nothing."""
    try:
        return _said(_decoded(text)) == _said(expected)
    except ClientFileUnusable:
        return False


def _said(value: object) -> str:
    """Return what a value says, so that two may be compared: NaN is like NaN, order is nothing."""
    return json.dumps(_pruned(value), sort_keys=True, default=repr)


def _pruned(value: object) -> object:
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: _pruned(each) for name, each in table.items() if each != {}}
    return value


def _known(value: Mapping[str, object], path: tuple[str, ...]) -> int:
    """Return how many names of a path there are. Raises ClientFileUnusable for one before the last
    that is no table.
    """
    for known, name in enumerate(path):
        if name not in value:
            return known
        inner = value[name]
        if known + 1 < len(path):
            if not isinstance(inner, dict):
                raise no_place(path[: known + 1], "a table")
            value = cast("dict[str, object]", inner)
    return len(path)


def _at(value: Mapping[str, object], path: tuple[str, ...]) -> object:
    *above, last = path
    for name in above:
        value = cast("dict[str, object]", value[name])
    return value[last]


def _with(value: Mapping[str, object], addition: Addition) -> dict[str, object]:
    name, *below = addition.path
    if not below:
        return {**value, name: addition.value}
    inner = cast("dict[str, object]", value.get(name, {}))
    rest = Addition(path=tuple(below), value=addition.value)
    return {**value, name: _with(inner, rest)}


def _minus(value: Mapping[str, object], path: tuple[str, ...]) -> dict[str, object]:
    name, *below = path
    if not below:
        return {each: kept for each, kept in value.items() if each != name}
    return {**value, name: _minus(cast("dict[str, object]", value[name]), tuple(below))}
