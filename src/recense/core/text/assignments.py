"""Values of sensitive names inside any text: assignments, members, settings, flags, sentences.

Law: structure first. The name is found, then what joins it to a value, then the value's own bounds;
only then is the value judged. So JSON, YAML, TOML, `.env`, XML, connection strings, source code and
commands are read alike, escaped or not, whole or cut, and in the middle of prose.
"""

import re
from collections.abc import Iterator
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.joints import (
    AFTER,
    ASSIGN,
    COPULA,
    JOINTS,
    NEIGHBOUR,
    OTHER_JOINTS,
    OWNED,
    RENEWING,
)
from recense.core.text.markers import MARKER_START
from recense.core.text.secret_spans import Detector, Source, Span, pattern_of
from recense.core.text.secret_values import Place, is_secret
from recense.core.text.sensitive_keys import (
    CREDENTIAL,
    FOREIGN_KEY_PATTERN,
    KEY_PATTERN,
    PASSWORD,
    PASSWORD_PATTERN,
    sensitive_kind,
)
from recense.core.text.value_bounds import (
    NO_SECRET,
    SKIP_GAP,
    judged_value,
    listed_values,
    value_at,
)
from recense.limits import COMPARED_LITERAL_BYTES_MAX, SENSITIVE_NAME_BYTES_MAX

_VALUE_AHEAD = (
    rb"(?:\s|\\[nrt])*(?:[A-Za-z@$&]{0,2}\\*[\"'`\[]|\(\s*[^)]?\\*[\"'`]"
    rb"|[|>][+0-9-]{0,2}[ \t]*(?:[\r\n]|\\[nr])"
    rb"|!!|[^\s\"'`]*[0-9]|[^\s]{16}"
    rb"|[&*A-Za-z_][\w<>\[\], \t\\|.&'?*]*=[ \t]*\\*[\"'`@])"
)
"""What a secret that is no password begins with: a quote, a digit in its word, sixteen bytes. A
probe asks for it because most that stands behind `token:` in code is shorter and has neither."""
_WORD_AHEAD = rb"(?:[ \t*\"'`]|\\t)*[A-Za-z]*[^A-Za-z\s]"

_DRAWN_AHEAD = rb"(?:[\w.-]*[^\w.\s\"'`-]|[A-Za-z_.-]*[0-9]|[^\s\"'`]{16})"
"""A word that stands near a name and may be a secret holds more than letters, or sixteen."""

_COMPARED = rb"([\"'`])[ \t]*[!=]==?[ \t]*([A-Za-z_][\w.$-]*)"
_PAIRED = (
    rb"(?i:name|key|header|variable|field)\\*[\"'][ ]*:[ ]*\\*\"[\w.-]*" + KEY_PATTERN + rb"\\*\""
)


_FIND_OWNED, _FIND_FOREIGN_OWNED = (
    rb"(" + KEY_PATTERN + rb")" + OWNED,
    rb"(" + FOREIGN_KEY_PATTERN + rb")" + OWNED,
)
_FIND, _FIND_FOREIGN, _FIND_FLAG, _FIND_WORD = (
    rb"(" + KEY_PATTERN + rb")(?:" + JOINTS + rb")",
    rb"(" + FOREIGN_KEY_PATTERN + rb")(?:" + JOINTS + rb")",
    rb"-[\w-]*(" + KEY_PATTERN + rb")[ \t]+[^\s-]",
    rb"(?:login[ \t]+[^\s]+[ \t]+|(?:configure[ \t]set|setx|ENV|ARG)[ \t]+[\w.-]*)("
    + KEY_PATTERN
    + rb")[ \t]+[^\s=]",
)

_NAME_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-"
)

_TYPED = late_pattern(
    r"[ \t]*[&*A-Za-z_][\w<>\[\], |.&'?*]{0,60}[ \t]*=[ \t]*(?=[\"'`@])", re.ASCII
)
_BLOCK = late_pattern(r"[ \t]*[|>][+-]?[0-9]?[ \t]*\r?\n[ \t]+", re.ASCII)
_ELEMENT = late_pattern(
    r"(?:\s|\\[nrt]){0,64}+((?:[^\s<\\]|\\(?![nrt])){1,4096}+)(?:\s|\\[nrt]){0,64}+<\\{0,8}/",
    re.ASCII,
)
_JSON_SCALAR = late_pattern(
    r"\s{0,8}(-?[0-9][0-9.eE+-]*|true|false|null)(?=\s*[,}\]\\\r\n]|\Z)", re.ASCII
)
_IS_HIDDEN = late_pattern(r"[\s\\\"'`]{0,40}" + re.escape(MARKER_START) + r"[\w-]{1,40}\]['\"\\\s]")
_QUOTE = late_pattern(r"\\*[\"']")
_RESOURCE_HEAD = late_pattern(r"(?<![\w.-])(?:arn|urn):[\w./:*-]*:\Z", re.ASCII)
_TYPE_HEAD = late_pattern(r"(?<![\w:])[A-Z]\w{0,60}::(?:\w{1,60}::)*\Z", re.ASCII)
_PLACE = r"(?:[^\s:\"'`=,;{}()\[\]]{1,100}:)?(?:[0-9]{1,7}[:-]){0,2}[ \t]*"
"""Where a line stands, as a search or a compiler writes it before the line: `path:line:column:`."""
_LINE_HEAD = late_pattern(
    rf"(?:\A|\n|\\n)[ \t]*{_PLACE}(?:-[ \t]+)?"
    r"(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+|[#+-][ \t]*)?\Z"
)
_LOGIN = late_pattern(r"(?:(?:machine|login)[ \t]+\S+|configure[ \t]set|setx|ENV|ARG)[ \t]+\Z")


def find_assignments(source: Source) -> Iterator[Span]:
    """Values joined to a sensitive name in ASCII: assigned, passed, told in a sentence."""
    return _found(source, _FIND)


def find_foreign_assignments(source: Source) -> Iterator[Span]:
    """As `find_assignments`, for names beyond ASCII."""
    return _found(source, _FIND_FOREIGN)


def find_owned(source: Source) -> Iterator[Span]:
    """Values of a name in ASCII of which is said whose they are: `password for the vault: X`."""
    return _found(source, _FIND_OWNED)


def find_foreign_owned(source: Source) -> Iterator[Span]:
    """As `find_owned`, for names beyond ASCII."""
    return _found(source, _FIND_FOREIGN_OWNED)


def find_flags(source: Source) -> Iterator[Span]:
    """Values that stand a blank behind a flag: `--password X`."""
    return _found(source, _FIND_FLAG)


def find_words(source: Source) -> Iterator[Span]:
    """Values that stand a blank behind a name in `.netrc`, Dockerfiles and `configure set`."""
    return _found(source, _FIND_WORD)


def _find_nothing(_source: Source) -> Iterator[Span]:
    return iter(())


def _found(source: Source, pattern: bytes) -> Iterator[Span]:
    done = 0
    has_markers = MARKER_START in source.view
    for match in pattern_of(pattern).finditer(source.data):
        start, end = match.span(1)
        if start < done or (has_markers and _IS_HIDDEN.match(source.view, match.end())):
            continue
        name_start = _name_start(source.view, start)
        kind = sensitive_kind(source.text(name_start, end).strip(".$-"))
        if kind is None:
            continue
        if kind == CREDENTIAL and source.view[end - 13 : end].lower() == "authorization":
            continue  # a scheme stands first, which `credentials` knows
        for span in _values(source, kind, name_start, end):
            done = max(done, span.end)
            if span.kind != NO_SECRET:
                yield span


def find_compared(source: Source) -> Iterator[Span]:
    """Spans of literals compared with a sensitive name that follows them: `"…" == password`."""
    for match in pattern_of(_COMPARED).finditer(source.data):
        end = match.start(1)
        kind = sensitive_kind(source.text(*match.span(2)))
        if kind is None:
            continue
        line = source.view[max(0, end - COMPARED_LITERAL_BYTES_MAX) : end].rpartition("\n")[2]
        _, mark, literal = line.rpartition(source.view[end])
        start = end - len(literal)
        if mark and opens_literal(source.view, start - 1):
            yield from judged_value(source, kind, start, end, Place.QUOTED)


def opens_literal(view: str, mark: int) -> bool:
    """Whether the quotation mark at ``mark`` may open a string: it is no apostrophe inside a word,
    and neither a blank nor the punctuation of a sentence follows, as behind a closing one.
    """
    before = view[max(0, mark - 3) : mark]
    glued = before[-1:].isalnum() and _LITERAL_PREFIX.search(before) is None
    return not glued and _BEHIND_CLOSING.match(view, mark + 1) is None


_LITERAL_PREFIX = late_pattern(r"(?<![A-Za-z0-9])[bBrRuUfFL]{1,2}\Z")
_BEHIND_CLOSING = late_pattern(r"[.,;:)\]}!?]{0,8}\s", re.ASCII)


ASSIGNMENTS: Final = (
    Detector(
        (
            PASSWORD_PATTERN + ASSIGN,
            KEY_PATTERN
            + (rb"(?:" + ASSIGN + _VALUE_AHEAD + rb"|" + COPULA + _WORD_AHEAD + rb"|")
            + (NEIGHBOUR + _DRAWN_AHEAD + rb"|" + OTHER_JOINTS + rb")"),
        ),
        find_assignments,
    ),
    Detector((), find_foreign_assignments, (FOREIGN_KEY_PATTERN + rb"(?:" + JOINTS + rb")",)),
    Detector((KEY_PATTERN + OWNED,), find_owned),
    Detector((), find_foreign_owned, (FOREIGN_KEY_PATTERN + OWNED,)),
    Detector(
        (rb"-[\w-]*" + KEY_PATTERN + rb"[ \t]+[^\s-]",),
        find_flags,
    ),
    Detector(
        (
            rb"login[ \t]+[^\s]+[ \t]+passw",
            rb"(?:configure[ \t]set|setx|ENV|ARG)[ \t]+[\w.-]+[ \t]",
        ),
        find_words,
    ),
    Detector((_COMPARED,), find_compared),
    # A `value` before its `name` is a pair only for `redact_json`; here it is two members.
    Detector((_PAIRED,), _find_nothing),
)
"""Every detector of this file."""


def _name_start(view: str, position: int) -> int:
    """Where the name that holds ``position`` begins; an escaped line break is no part of it."""
    start, stop = position, max(0, position - SENSITIVE_NAME_BYTES_MAX)
    while start > stop and view[start - 1] in _NAME_CHARACTERS:
        start -= 1
    if start < position and start > 0 and view[start - 1] == "\\" and view[start] in "nrt":
        start += 1
    return start


def _is_part_of_path(view: str, name_start: int, value_start: int) -> bool:
    """Whether a name is a part of a resource name or of the name of a type.

    `arn:aws:secretsmanager:…:secret:name`, `AWS::IAM::AccessKey`: nothing else is, since file and
    line (`config.yml:3:password: …`), hosts and services stand before a name in the same way.
    """
    if view[name_start - 1 : name_start] != ":":
        return False
    head = view[max(0, name_start - SENSITIVE_NAME_BYTES_MAX) : name_start]
    if head.endswith("::"):
        return _TYPE_HEAD.search(head) is not None
    return (
        _RESOURCE_HEAD.search(head) is not None
        and not view[value_start : value_start + 1].isspace()
    )


def _values(source: Source, kind: str, name_start: int, name_end: int) -> Iterator[Span]:
    view = source.view
    after = AFTER.match(view, name_end)
    if after is None:
        return
    position, joint, closed = after.end(), after.lastgroup, after["close"]
    if _IS_HIDDEN.match(view, position):
        return
    match joint:
        case "assign":
            yield from _assigned(source, kind, name_start, name_end, after)
        case "attribute":
            yield from value_at(source, kind, position, Place.QUOTED, Place.BARE)
        case "call":
            if kind == CREDENTIAL and after["call"] == "(":
                yield from listed_values(source, kind, position - 1, "(")
            elif kind != CREDENTIAL and (
                after["call"] == "(" or _is_first(view, name_start, closed)
            ):
                yield from value_at(source, kind, position, Place.NEAR, None)
        case "prompt":
            yield from value_at(source, kind, position, Place.BARE, Place.BARE)
        case "copula" | "cell" | "owned" | "renewed":
            if _is_told(view, kind, name_start, joint):
                yield from value_at(source, kind, position, Place.NEAR, Place.NEAR)
        case _:
            yield from _joined_by_nothing(source, kind, name_start, after)


def _is_told(view: str, kind: str, name_start: int, joint: str) -> bool:
    """Whether a sentence tells a value, and not whose it is or where it goes."""
    if joint == "renewed":
        return RENEWING.search(view, max(0, name_start - 48), name_start) is not None
    return joint != "owned" or kind == PASSWORD


def _is_first(view: str, name_start: int, closed: str) -> bool:
    """Whether a quoted name opens a pair or the arguments of a call: `get("api_token", "…")`."""
    before = view[max(0, name_start - 8) : name_start]
    opened = before.rstrip("\"'`\\ ")
    return closed[:1] in {'"', "'", "`", "\\"} and opened != before and opened.endswith(("(", "["))


def _joined_by_nothing(
    source: Source, kind: str, name_start: int, after: re.Match[str]
) -> Iterator[Span]:
    """Markup (`<password>X</`), a flag (`--password X`), a `.netrc` word, a quoted neighbour."""
    view, closed, position = source.view, after["close"], after.end()
    if closed.endswith(">"):
        inner = _ELEMENT.match(view, position)
        if inner is not None:
            yield from judged_value(source, kind, *inner.span(1), Place.QUOTED)
    elif not after["gap"]:
        return
    elif view[name_start] == "-" or _LOGIN.search(view, max(0, name_start - 200), name_start):
        yield from value_at(source, kind, position, Place.QUOTED, Place.NEAR)
    elif not closed:
        yield from value_at(source, kind, position, Place.NEAR, None)


def _assigned(
    source: Source, kind: str, name_start: int, name_end: int, after: re.Match[str]
) -> Iterator[Span]:
    view, position = source.view, after.end()
    joint, closed = after["assign"], after["close"]
    if joint == ":" and _is_part_of_path(view, name_start, position):
        return
    member = _QUOTE.search(closed) if joint in {":", "=>"} else None
    if member and (scalar := _JSON_SCALAR.match(view, position)) is not None:
        start, end = scalar.span(1)
        if is_secret(view[start:end], kind, Place.MEMBER):
            yield Span(start, end, kind, member[0])
        return
    if joint == ":" and (typed := _TYPED.match(view, position)) is not None:
        position = typed.end()
    if (block := _BLOCK.match(view, position)) is not None:
        position = block.end()
    gap = SKIP_GAP.match(view, position)
    first = gap.end() if gap is not None else position
    if view[first : first + 1] in {"[", "("}:
        if view[first] == "[" or joint == "=":
            yield from listed_values(source, kind, first, view[first])
        return
    quoted = Place.MEMBER if member else Place.QUOTED
    bare = Place.BARE if closed else _bare_place(view, name_start, name_end, joint)
    yield from value_at(source, kind, position, quoted, bare)


def _bare_place(view: str, name_start: int, name_end: int, joint: str) -> Place:
    """A setting fills its line: `NAME=value`, `name: value`; anything else may be code."""
    if joint not in {":", "="}:
        return Place.BARE
    if joint == "=" and view[name_start - 1 : name_start] in {"?", "&"}:
        return Place.MEMBER
    if joint == "=" and view[name_start:name_end].isupper():
        return Place.SETTING
    heads = view[name_start - 1 : name_start] in {"", "\n"}
    if heads or _LINE_HEAD.search(view, max(0, name_start - 120), name_start):
        return Place.SETTING
    return Place.BARE
