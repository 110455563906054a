"""What of a text that still goes on could yet turn out to be a secret, or a part of one.

Law: an offset is free when no continuation of the text can make `redact` hide anything before it
that it does not hide already. A *claim* is a place from which that is not certain. The rules widen
those of the detectors: where a detector asks for a shape, a rule asks whether what stands at the
end of the text could become that shape; where one asks what stands to the right of a secret, a rule
holds until that has come. Holding too much costs a moment, holding too little would cost a secret.

The rules, by what opens a claim and what ends it:

- a run of the characters that tokens and URLs are made of: the next other character. A last word of
  small letters alone claims nothing, unless a shape could begin so;
- a sensitive name: what joins it to a value, then the value's end and what must stand behind it. A
  name that plain words follow claims nothing;
- a header of credentials or cookies, `identified by`: the end of its line or its string;
- a flag of a client that takes secrets, and what follows: the end of the command;
- `scheme://`: the end of what may be a user and a password;
- a word for one-time codes, and a number that such a word may follow: another word;
- a quotation mark: the end of the line, or what cannot be compared with a sensitive name;
- a key block: its end, or what no key block holds;
- the `data` of a manifest: the end of the block where the kind is known to be Secret, else the end
  of the document, since the kind may come last;

Offsets of claims are bytes of the text in UTF-8. Every rule is linear in the text.
"""

import functools
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from recense.core.late_patterns import late_pattern, late_regex
from recense.core.text.assignments import opens_literal
from recense.core.text.commands import CLIENT
from recense.core.text.credentials import (
    BLOCK_FOREIGN,
    BLOCK_HEAD,
    BLOCK_LINES,
    BLOCK_NOISE,
    BLOCK_TAIL,
    SECRET_KIND,
)
from recense.core.text.one_time_codes import OWN, OWN_FOREIGN, WORDS
from recense.core.text.open_names import first_open_name, is_unclosed
from recense.core.text.secret_spans import Source, pattern_of
from recense.core.text.shapes import SHAPES
from recense.limits import (
    COMMAND_BYTES_MAX,
    COMPARED_LITERAL_BYTES_MAX,
)

Extent = Literal["token", "line", "block", "document"]
"""How far a claim that is given up reaches: to the end of its run, its line, its block, or no
further, where a whole document is in doubt."""


class Claim(NamedTuple):
    """From byte ``start`` on a text may yet be hidden, because of what stands at ``opener``.

    ``start`` is the end of the text where only what comes next may be hidden.
    """

    opener: int
    start: int
    extent: Extent


def open_claims(source: Source, since: int = 0) -> Iterator[Claim]:
    """Yield the first open claim of every rule in a text that goes on, in no order.

    What opens before byte ``since`` is known to be settled.
    """
    view = source.view
    yield from _tails(view)
    yield from _last_run(view)
    yield from _compared(view)
    yield from _names(source, since)
    yield from _headers(view, since)
    yield from _commands(source, since)
    yield from _codes(source, since)
    yield from _blocks(source, since)
    yield from _manifests(view)


# --- what the end of the text could become -------------------------------------------------------

_TAIL_BYTES: Final = 512
"""What one of these patterns may span, but for runs, which are claimed anyway."""

_ENDINGS: Final[tuple[tuple[str, Extent], ...]] = (
    (r"()A[KS]IA[A-Z0-9]{16}[\"'\\,:;|\s]{0,12}[A-Za-z0-9/+]{0,40}\Z", "token"),
    (
        (
            r"()(?i:sumo(?:logic)?|messagebird)[\w.-]{0,12}(?i:access|client)[_-]?(?i:id)"
            r"[\"'\\\s]{0,4}[:=]{0,2}[\"'\\\s]{0,4}[0-9A-Za-z-]{0,36}\Z"
        ),
        "token",
    ),
    (
        (
            r"()BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM[\"']?\s{0,3}[=:]?\s{0,3}[\"']?"
            r"[a-f0-9:]{0,17}\Z"
        ),
        "token",
    ),
    (r"(?i:bearer)(?:[ \t]|%20|\+)+()[\w.~+/=%-]*\Z", "token"),
    (r"(?i:basic)(?:[ \t]|%20)+()[A-Za-z0-9+/=]*\Z", "token"),
    (r":\\?/\\?/()[^\s/\"'`<>\\]*\Z", "token"),
    (
        (
            r"echo[ \t]+()(?:-n?[ \t]*)?\\*[\"']?[^\s\"'|$\\]{0,128}\\*[\"']?[ \t]*"
            r"(?:\|[ \t]*[\w -]{0,60})?\Z"
        ),
        "line",
    ),
    (
        (
            r"(?<![\w.#])()[0-9]{3,10}(?:[ -][0-9]{0,4})?[\"'*`\\]{0,4}(?:\xe3\x80[\x8d\x91])?"
            r"[ \t]{0,3}(?:(?i:is?|ist|est?|e)\Z|(?:(?i:is|ist|est|es)\b|\xc3\xa9)[^\n0-9]{0,24}"
            r"(?:[ ][^\n]{0,40})?\Z|(?:[(-]|\xe2\x80[\x93\x94])[ ]?[^\n]{0,40}\Z"
            r"|(?:\xe3\x81\xaf|\xe6\x98\xaf)[^\n]{0,40}\Z|\Z)"
        ),
        "token",
    ),
    (
        (
            r"()Private-Lines:[ ]?(?:[0-9]+(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,})*"
            r"(?:\s|\\[nr]){0,4}(?:\\|[A-Za-z0-9+/=]{0,15})?)?\Z"
        ),
        "block",
    ),
    (r"()-----BEGIN[ A-Z0-9]{0,64}-{0,4}\Z", "block"),
)
_TAILS: Final[tuple[tuple[re.Pattern[str], Extent], ...]] = tuple(
    (late_pattern(pattern, re.ASCII), extent) for pattern, extent in _ENDINGS
)


def _tails(view: str) -> Iterator[Claim]:
    first = max(0, len(view) - _TAIL_BYTES)
    for pattern, extent in _TAILS:
        found = pattern.search(view, 0 if extent == "block" else first)
        if found is not None:
            yield Claim(found.start(), found.start(1), extent)


_RUN_SIGNS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=~%@:|\\&$?"
)
_WORD: Final = late_pattern(r"(?:\A|(?<=[ \t\n]))[a-z]{4,64}\Z")
_LEFT_END: Final = b"\\x1b\\[[0-9;]*m)"


def _last_run(view: str) -> Iterator[Claim]:
    """The characters at the end that a token may be made of."""
    start = len(view)
    while start > 0 and view[start - 1] in _RUN_SIGNS:
        start -= 1
    if start < len(view) and not _is_plain_word(view, start):
        yield Claim(start, start, "token")


def _is_plain_word(view: str, start: int) -> bool:
    word = _WORD.match(view, start)
    return word is not None and not _may_begin_shape(word[0])


@functools.lru_cache(maxsize=1024)
def _may_begin_shape(word: str) -> bool:
    """Whether a token could begin with a word of small letters and go on."""
    if _HEX_LETTERS.issuperset(word):
        return True
    return _BEGINNINGS.fullmatch(word.encode(), partial=True) is not None


_HEX_LETTERS: Final = frozenset("abcdef")


_BEGINNINGS: Final = late_regex(
    b"|".join(
        b"(?:" + token + b")"
        for _, found, token in (shape.pattern.partition(_LEFT_END) for shape in SHAPES)
        if found and not token.startswith(b"([")
    )
)
"""What tokens look like from their first character, where that is not one of a class: then an id
stands before the secret, which may be any word."""


# --- headers, commands, codes --------------------------------------------------------------------

_IDENTIFIED: Final = late_pattern(
    r"(?i:identified[ ]+(?:by|with[ ]+\w*[ ]*(?:by|as)?)(?:[ ]+[a-z]{0,8})?)[ ]*(\\*['\"])?",
    re.ASCII,
)


def _names(source: Source, since: int) -> Iterator[Claim]:
    name = first_open_name(source, since)
    if name is not None:
        yield Claim(*name, "line")
    view = source.view
    for match in _IDENTIFIED.finditer(view, since):
        if match.end() == len(view) or (match[1] and is_unclosed(view, match.end(), match[1])):
            yield Claim(match.start(), match.end(), "line")
            return


_HEADER: Final = late_pattern(
    r"(?i:authorization)\\*[\"'`]?[ \t]{0,4}(?:[:=,]|=>)"
    r"|(?i:cookie)\\*[\"'`]?[ \t]{0,4}:"
    r"(?=[ \t]{0,4}(?:\\*[\"'`])?[\w.%$!*-]{0,128}(?:=|\\?\Z))",
    re.ASCII,
)
_HEADER_VALUE: Final = late_pattern(
    r"[ \t]{0,4}(?:[(,]?\x1b\[[0-9;]*m)?(?:[fFbrRu]{0,2}(\\*[\"'`]))?"
)
_LINE_END: Final = late_pattern(r"[\n\r\"'`\\]")


def _headers(view: str, since: int) -> Iterator[Claim]:
    for header in _HEADER.finditer(view, since):
        value = _HEADER_VALUE.match(view, header.end())
        start = header.end() if value is None else value.end()
        if value is not None and value[1] is not None:
            is_open = is_unclosed(view, start, value[1])
        else:
            is_open = _LINE_END.search(view, start + 1) is None and "\n" not in view[start:]
        if is_open:
            yield Claim(header.start(), header.end(), "line")
            return


_FLAG: Final = late_pattern(r"(?<=\s)-[A-Za-z-]", re.ASCII)


def _commands(source: Source, since: int) -> Iterator[Claim]:
    view = source.view
    for match in pattern_of(CLIENT).finditer(source.data, since):
        start, end = match.span(1)
        if end + COMMAND_BYTES_MAX < len(view):
            continue
        line_end = view.find("\n", end)
        while line_end > 0 and view[end:line_end].rstrip("\r").endswith("\\"):
            line_end = view.find("\n", line_end + 1)
        if line_end < 0:
            flag = _FLAG.search(view, end)
            yield Claim(start, len(view) if flag is None else flag.start(), "line")
            return


_CODE: Final = (
    r"(?:[0-9]{3,4}[ -][0-9]{3,4}|[A-Za-z]*[0-9][0-9A-Za-z]*(?:-[0-9A-Za-z]{1,6})?"
    r"|[A-Za-z]{4,6}-[0-9A-Za-z]{1,6})"
)
_LAST_CODE: Final = r"(?:[0-9]{1,4}[ -][0-9]{0,4}|[0-9A-Za-z]{0,12}(?:-[0-9A-Za-z]{0,6})?)[.-]?"
_NOISE: Final = (
    r"(?:[\s\"'*`()\\:=,-]|\\[nrt]|\xe3\x80[\x8c\x90\x8d\x91]|\xef\xbc[\x9a\x8c\x9d]"
    r"|\xe2\x80[\x93\x94]|\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81[\xaf\x8c]"
    r"|(?i:is|was|ist|lautet|est|es|are)\b|\xc3\xa9[ ])"
)
_MORE: Final = r"[\"'*`]{0,2}(?:\s|\\[nrt]|[-*,|]){1,8}(?:[0-9]{1,2}[.)][ ])?"
_OPEN_CODES: Final = late_pattern(
    rf"{_NOISE}{{0,24}}(?:{_CODE}(?:{_MORE}{_CODE}){{0,32}}{_MORE})?{_LAST_CODE}\Z"
    rf"|{_NOISE}{{0,24}}{_CODE}(?:{_MORE}{_CODE}){{0,32}}(?:\s|\\[nrt]?|[-*,|]){{0,8}}"
    r"(?:[0-9]{0,2}[.)]?[ ]?)?\Z",
    re.ASCII,
)
_CODE_WORDS: Final = WORDS + rb"|" + OWN + rb"|" + OWN_FOREIGN
_CODES_BYTES_MAX: Final = 1024


def _codes(source: Source, since: int) -> Iterator[Claim]:
    view = source.view
    for match in pattern_of(_CODE_WORDS).finditer(source.data, since):
        start, end = match.span()
        if end + _CODES_BYTES_MAX > len(view) and _OPEN_CODES.match(view, end) is not None:
            yield Claim(start, end, "line")
            return


# --- strings that are compared with a name -------------------------------------------------------

_COMPARISON: Final = late_pattern(r"[ \t]*(?:[!=]=?=?[ \t]*[\w.$-]*)?\Z", re.ASCII)


def _compared(view: str) -> Iterator[Claim]:
    """A string of the last line, which a sensitive name may follow: `"…" == password`."""
    first = view.rfind("\n") + 1
    for mark in "\"'`":
        last = view.rfind(mark, max(first, len(view) - COMPARED_LITERAL_BYTES_MAX - 64))
        if last < 0:
            continue
        if opens_literal(view, last):
            yield Claim(last, last + 1, "line")
        if _COMPARISON.match(view, last + 1) is not None:
            opened = view.rfind(mark, max(first, last - COMPARED_LITERAL_BYTES_MAX), last)
            if opened >= 0 and opens_literal(view, opened):
                yield Claim(opened, opened + 1, "line")


# --- blocks and documents ------------------------------------------------------------------------


def _blocks(source: Source, since: int) -> Iterator[Claim]:
    view = source.view
    heads = [match.span() for match in pattern_of(BLOCK_HEAD).finditer(source.data, since)]
    if heads and _is_block_open(view, heads[-1][1]):
        yield Claim(heads[-1][0], heads[-1][0], "block")


def _is_block_open(view: str, body: int) -> bool:
    if BLOCK_TAIL.search(view, body) is not None:
        return False
    if BLOCK_FOREIGN.search(BLOCK_NOISE.sub("", view[body:])) is None:
        return True
    lines = BLOCK_LINES.match(view, body)
    rest = view[body if lines is None else lines.end() :]
    return len(rest) <= _BLOCK_REST_BYTES and rest.count("\n") <= 1


_BLOCK_REST_BYTES: Final = 160

_DOCUMENT: Final = late_pattern(r"^---[^\n]*\n", re.MULTILINE)
_DATA: Final = late_pattern(
    r"^([ \t]*)[\"']?(?:data|stringData)[\"']?[ \t]*:[ \t]*\{?[ \t]*$", re.MULTILINE
)
_INLINE_DATA: Final = late_pattern(r"\"(?:data|stringData)\\*\"\s*:\s*\{([^{}]*)(?:\}|\Z)")


def _manifests(view: str) -> Iterator[Claim]:
    first = 0
    for document in _DOCUMENT.finditer(view):
        first = document.end()
    is_secret = SECRET_KIND.search(view, first) is not None
    for block in _DATA.finditer(view, first):
        if not is_secret:
            yield Claim(block.start(), block.end(), "document")
            return
        if _is_indented(view, block.end(), len(block[1])):
            last = view.rfind("\n", block.end(), max(block.end(), view.rfind("\n")))
            start = block.end() if last < 0 else last
            yield Claim(start, start, "document")
    for block in _INLINE_DATA.finditer(view, first):
        if not is_secret or block.end() == len(view):
            yield Claim(block.start(), block.start(1), "document")
            return


def manifest_context(text: str) -> str:
    """Return what must stand before the rest of a text that is left out, so that values in it are
    hidden as before: the kind and the block of a manifest of kind Secret, or nothing.
    """
    first = 0
    for document in _DOCUMENT.finditer(text):
        first = document.end()
    if SECRET_KIND.search(text, first) is None:
        return ""
    for block in _DATA.finditer(text, first):
        if _is_indented(text, block.end(), len(block[1])):
            return f"{SECRET_MANIFEST}{block[1]}data:\n"
    return SECRET_MANIFEST


SECRET_MANIFEST: Final = "kind: Secret\n"
"""The line by which a manifest is of kind Secret."""


def _is_indented(view: str, position: int, indent: int) -> bool:
    """Whether all lines from ``position`` on stand deeper than ``indent``; the last may grow."""
    *lines, last = view[position:].split("\n")[1:] or [""]
    deeper = " " * (indent + 1)
    return all(line.replace("\t", " ").startswith(deeper) for line in lines) and (
        not last.strip(" \t") or last.replace("\t", " ").startswith(deeper)
    )
