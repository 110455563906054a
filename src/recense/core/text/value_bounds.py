"""Where the value behind a sensitive name begins and ends: a string, a list, or a bare word."""

import re
from collections.abc import Iterator
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.joints import GAP
from recense.core.text.secret_spans import Source, Span, closing_quote
from recense.core.text.secret_values import Place
from recense.core.text.sensitive_keys import CREDENTIAL, PASSWORD
from recense.limits import JUDGED_WORD_BYTES_MAX

_CORNER = (
    r"(?:\xe3\x80[\x8c\x8e\x90]|\xe2\x80[\x98\x9a\x9c\x9e]|\xc2\xab(?:[ ]|\xc2\xa0|\xe2\x80\xaf)?)"
)
"""A quotation mark beyond ASCII that opens; what it encloses is read as a bare word."""
_OPEN = late_pattern(
    rf"{GAP}(?:!![a-z]{{1,12}}[ ])?(?:[@$&]|[bBrRuUfFL]{{1,2}}(?=[\"']))?(\\*[\"'`])", re.ASCII
)
_WORD = (
    r"(?:[^\s\x00-\x1f\x7f\"'`<\\\xe2-\xf4,;&]|\\(?![nrtu\"'`\\])|&(?![A-Za-z_][\w.-]{0,40}=|&)"
    r"|;(?!\s|\Z|[A-Za-z][\w ]{0,40}=)|,(?!\s|\Z|[\"'{\[]|[A-Za-z_][\w-]{0,40}[=:]))"
)
_BARE = late_pattern(_WORD + rf"{{1,{JUDGED_WORD_BYTES_MAX}}}", re.ASCII)
_BARE_WHOLE = late_pattern(_WORD + "+", re.ASCII)
"""A bare word is judged by its first bytes, and hidden whole."""

NO_SECRET: Final = ""
"""The kind of a stretch that was judged and holds no secret: names inside it are not looked at
again, so that a megabyte without a blank is judged once and not from each of its names."""
SKIP_GAP: Final = late_pattern(rf"{GAP}{_CORNER}?")
"""What stands before a bare word."""
_ITEM = late_pattern(r"\s{0,64},?\s{0,64}(\\*[\"'])", re.ASCII)
_LINE_TAIL = late_pattern(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z|\\[nr])")
_TRIMMED_MAX = 8
_SENTENCE_MARKS: Final = frozenset(".,;:")
_CLOSERS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


def listed_values(source: Source, kind: str, position: int, bracket: str) -> Iterator[Span]:
    """Strings in a list; of a pair in parentheses (`auth=("user", "secret")`) the second."""
    position += 1
    index = 0
    while (item := _ITEM.match(source.view, position)) is not None:
        start = item.end()
        end = closing_quote(source.view, start, item[1])
        if end < 0:
            return
        if bracket == "[":
            yield from judged_value(source, kind, start, end, Place.NEAR)
        elif index == 1 and kind == CREDENTIAL:
            yield from judged_value(source, PASSWORD, start, end, Place.QUOTED)
        position = end + len(item[1])
        index += 1


def value_at(
    source: Source, kind: str, position: int, quoted: Place, bare: Place | None
) -> Iterator[Span]:
    """The value at ``position``: a string judged as ``quoted``, else a bare word as ``bare``."""
    view = source.view
    opened = _OPEN.match(view, position)
    if opened is not None:
        start = opened.end()
        end = closing_quote(view, start, opened[1])
        if end >= 0:
            yield from judged_value(source, kind, start, end, quoted)
            return
        position = start
    if bare is None:
        return
    gap = SKIP_GAP.match(view, position)
    start = gap.end() if gap is not None else position
    word = _BARE.match(view, start)
    if word is None:
        return
    end = start + len(_trimmed(word[0]))
    if word[0].endswith("..."):
        end = word.end()
    shell = start == position and view[position - 1] == "="
    if bare is Place.SETTING and not shell and _LINE_TAIL.match(view, word.end()) is None:
        bare = Place.BARE
    if bare is Place.MEMBER and not any(map(str.isdigit, word[0])):
        bare = Place.BARE
    if start < end and source.is_secret(start, end, kind, bare):
        if len(word[0]) == JUDGED_WORD_BYTES_MAX:
            whole = _BARE_WHOLE.match(view, start)
            end = end if whole is None else start + len(_trimmed(whole[0]))
        yield Span(start, end, kind)
    elif len(word[0]) == JUDGED_WORD_BYTES_MAX:
        yield Span(start, word.end(), NO_SECRET)


def _trimmed(word: str) -> str:
    """A bare word without the punctuation of the sentence or the brackets around it."""
    for _ in range(_TRIMMED_MAX):
        last = word[-1:]
        closes = last in _CLOSERS and word.count(last) > word.count(_CLOSERS[last])
        if not closes and last not in _SENTENCE_MARKS:
            break
        word = word[:-1]
    return word


def judged_value(source: Source, kind: str, start: int, end: int, place: Place) -> Iterator[Span]:
    """The span, if what it holds is a secret."""
    if start < end and source.is_secret(start, end, kind, place):
        yield Span(start, end, kind)
