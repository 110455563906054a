"""What redaction changes in a text: edits, and the text that they make."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Code points ``start`` to ``end`` become ``replacement``, the marker of ``kind``.

    The marker stands in quotation marks where it takes the place of a bare JSON value.
    """

    kind: str
    start: int
    end: int
    replacement: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with every edit made; ``edits`` are sorted and disjoint."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.replacement)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def in_original(edits: tuple[Edit, ...], found: Iterable[Edit]) -> Iterator[Edit]:
    """Edits of the text that ``edits`` made, as edits of the text before them.

    A boundary inside a replacement moves to the boundary of what was replaced.
    """
    shift = 0
    written: list[tuple[int, int, Edit]] = []
    for edit in edits:
        start = edit.start + shift
        written.append((start, start + len(edit.replacement), edit))
        shift += len(edit.replacement) - (edit.end - edit.start)

    def origin(offset: int, *, at_end: bool) -> int:
        before = bisect_right(written, offset - at_end, key=lambda item: item[0]) - 1
        if before < 0:
            return offset
        _, end, edit = written[before]
        if offset < end:
            return edit.end if at_end else edit.start
        return offset - end + edit.end

    for edit in found:
        yield Edit(
            kind=edit.kind,
            start=origin(edit.start, at_end=False),
            end=origin(edit.end, at_end=True),
            replacement=edit.replacement,
        )


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """Edits of one text in order, those that overlap as one that is named by the first of them."""
    united: list[Edit] = []
    for edit in sorted(edits, key=lambda item: (item.start, -item.end)):
        if united and edit.start < united[-1].end:
            last = united[-1]
            if edit.end > last.end:
                united[-1] = Edit(
                    kind=last.kind, start=last.start, end=edit.end, replacement=last.replacement
                )
        else:
            united.append(edit)
    return united
