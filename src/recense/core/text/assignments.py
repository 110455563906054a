"""Values of sensitive names inside any text: assignments, members, settings, flags, sentences.

Law: structure first. The name is found, then what joins it to a value, then the value's own bounds;
only then is the value judged. So JSON, YAML, TOML, `.env`, XML, connection strings, source code and
commands are read alike, escaped or not, whole or cut, and in the middle of prose.
"""

import re
from collections.abc import Iterator
from typing import Final

from recense.core.text.secret_spans import ANSI, Detector, Source, Span, closing_quote, pattern_of
from recense.core.text.secret_values import Place, is_secret
from recense.core.text.sensitive_keys import (
    CREDENTIAL,
    FOREIGN_KEY_PATTERN,
    KEY_PATTERN,
    PASSWORD,
    PASSWORD_PATTERN,
    sensitive_kind,
)
from recense.limits import (
    COMPARED_LITERAL_BYTES_MAX,
    JUDGED_WORD_BYTES_MAX,
    SENSITIVE_NAME_BYTES_MAX,
)

_BETWEEN = rb"(?:[\s\"'`\]\[)\\*>}|0-9_]|\\[tnr]|(?:\x1b|\\u001b)\[[0-9;]*m)*"
"""What may stand between a name and what joins it to a value, in a text or in its JSON escape."""

_HAN_IS = rb"\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf"  # 是 为 為 は

_ASSIGN = _BETWEEN + rb"(?:[!?+|]?[:=]+>?|\xef\xbc[\x9a\x9d]|->)"
_COPULA = rb"(?:[ \t*\"'`]|\\t)+(?i:is|was|are|ist|lautet|est|es)[ \t:]"
_OTHER_JOINTS = rb"|".join(
    (
        rb"\\*[\"'`]\]?[ ]?[,(][ ]?\\*[\"'`]|[(][ ]?\\*[\"'`]",
        rb"[ \t]\\*[\"'`]|[ \t]+(?:string|char)[ \t]*=",
        rb"[\\\"']*(?:>|\\u003e)",
        rb"(?:[ \t*\"'`]|\\t)+(?:for[ \t][^\n]*:|\|)",
        rb"[ \t]*(?:" + _HAN_IS + rb"|\xc3\xa9[ \t]|\xe2\x80[\x93\x94][ \t])",
        rb"\\*[\"'`]?[,\s\\nrt\"']*(?i:secret_)?(?i:value)[\\\"']*[ \t]*[:=]",
    )
)
_JOINTS = rb"|".join((_ASSIGN, _COPULA, _OTHER_JOINTS))

_VALUE_AHEAD = (
    rb"(?:\s|\\[nrt])*(?:[A-Za-z@$&]{0,2}\\*[\"'`(\[|>]|!!|[^\s\"'`]*[0-9]|[^\s]{16}"
    rb"|[&*A-Za-z_][\w<>\[\], \t\\|.&'?*]*=[ \t]*\\*[\"'`@])"
)
"""What a secret that is no password begins with: a quote, a digit in its word, sixteen bytes. A
probe asks for it because most that stands behind `token:` in code is shorter and has neither."""
_WORD_AHEAD = rb"(?:[ \t*\"'`]|\\t)*[A-Za-z]*[^A-Za-z\s]"

_COMPARED = rb"([\"'`])[ \t]*[!=]==?[ \t]*([A-Za-z_][\w.$-]*)"
_PAIRED = (
    rb"(?i:name|key|header|variable|field)\\*[\"'][ ]*:[ ]*\\*\"[\w.-]*" + KEY_PATTERN + rb"\\*\""
)


_FIND, _FIND_FOREIGN, _FIND_FLAG, _FIND_WORD = (
    rb"(" + KEY_PATTERN + rb")(?:" + _JOINTS + rb")",
    rb"(" + FOREIGN_KEY_PATTERN + rb")(?:" + _JOINTS + rb")",
    rb"-[\w-]*(" + KEY_PATTERN + rb")[ \t]+[^\s-]",
    rb"(?:login[ \t]+[^\s]+[ \t]+|(?:configure[ \t]set|setx|ENV|ARG)[ \t]+[\w.-]*)("
    + KEY_PATTERN
    + rb")[ \t]+[^\s=]",
)

_NAME_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-"
)

_GAP = rf"(?:[ \t]|\\t|{ANSI}){{0,64}}+"
_AFTER = re.compile(
    rf"(?P<close>(?:\[[0-9]*\]|[\]\"'`)*}}>\\]|{ANSI}){{0,12}})(?P<gap>{_GAP})"
    r"(?:(?P<attribute>,?(?:\s|\\[nrt]){0,40}\\*[\"']?(?:secret_)?value\\*[\"']?\s{0,4}[:=])"
    r"|(?P<assign>(?:string|char)[ \t]{0,8}=|:{1,3}=|[?+|]=|\|\|=?|->|=>|={1,3}|!={1,2}|:"
    r"|\xef\xbc[\x9a\x9d])"
    r"|(?P<call>[(,])"
    r"|(?P<cell>\|)"
    r"|(?P<prompt>for (?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s:]{1,200}(?: '[^'\n]{1,200}')?):)"
    r"|(?P<copula>(?:is|was|are|ist|lautet|est|es|\xc3\xa9|\xe2\x80[\x93\x94])(?:[ \t]?:|(?=[ \t]))"
    r"|\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf)"
    r"|)",
    re.ASCII | re.IGNORECASE,
)
_TYPED = re.compile(r"[ \t]*[&*A-Za-z_][\w<>\[\], |.&'?*]{0,60}[ \t]*=[ \t]*(?=[\"'`@])", re.ASCII)
_OPEN = re.compile(
    rf"{_GAP}(?:!![a-z]{{1,12}}[ ])?(?:[@$&]|[bBrRuUfFL]{{1,2}}(?=[\"']))?(\\*[\"'`])", re.ASCII
)
_BLOCK = re.compile(r"[ \t]*[|>][+-]?[0-9]?[ \t]*\r?\n[ \t]+", re.ASCII)
_WORD = (
    r"(?:[^\s\"'`<\\\xe2-\xf4,;&]|\\(?![nrtu\"'`\\])|&(?![A-Za-z_][\w.-]{0,40}=|&)"
    r"|;(?!\s|\Z|[A-Za-z][\w ]{0,40}=)|,(?!\s|\Z|[\"'{\[]|[A-Za-z_][\w-]{0,40}[=:]))"
)
_BARE = re.compile(_WORD + rf"{{1,{JUDGED_WORD_BYTES_MAX}}}", re.ASCII)
_BARE_WHOLE = re.compile(_WORD + "+", re.ASCII)
"""A bare word is judged by its first bytes, and hidden whole."""

_NO_SECRET: Final = ""
"""The kind of a stretch that was judged and holds no secret: names inside it are not looked at
again, so that a megabyte without a blank is judged once and not from each of its names."""
_ELEMENT = re.compile(
    r"(?:\s|\\[nrt]){0,64}+((?:[^\s<\\]|\\(?![nrt])){1,4096}+)(?:\s|\\[nrt]){0,64}+</", re.ASCII
)
_JSON_SCALAR = re.compile(
    r"\s{0,8}(-?[0-9][0-9.eE+-]*|true|false|null)(?=\s*[,}\]\\\r\n]|\Z)", re.ASCII
)
_QUOTE = re.compile(r"\\*[\"']")
_SKIP_GAP = re.compile(_GAP)
_ITEM = re.compile(r"\s{0,64},?\s{0,64}(\\*[\"'])", re.ASCII)
_LINE_HEAD = re.compile(
    r"(?:\A|\n|\\n)[ \t]*(?:-[ \t]+)?(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+|[#+-][ \t]*)?\Z"
)
_LINE_TAIL = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z|\\[nr])")
_LOGIN = re.compile(r"(?:(?:machine|login)[ \t]+\S+|configure[ \t]set|setx|ENV|ARG)[ \t]+\Z")
_TRIMMED_MAX = 8
_SENTENCE_MARKS: Final = frozenset(".,;:")
_CLOSERS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


def find_assignments(source: Source) -> Iterator[Span]:
    """Values joined to a sensitive name in ASCII: assigned, passed, told in a sentence."""
    return _found(source, _FIND)


def find_foreign_assignments(source: Source) -> Iterator[Span]:
    """As `find_assignments`, for names beyond ASCII."""
    return _found(source, _FIND_FOREIGN)


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
    for match in pattern_of(pattern).finditer(source.data):
        start, end = match.span(1)
        if start < done:
            continue
        name_start = _name_start(source.view, start)
        kind = sensitive_kind(source.text(name_start, end).strip(".$-"))
        if kind is None:
            continue
        if kind == CREDENTIAL and source.view[end - 13 : end].lower() == "authorization":
            continue  # a scheme stands first, which `credentials` knows
        for span in _values(source, kind, name_start, end):
            done = max(done, span.end)
            if span.kind != _NO_SECRET:
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
        if mark:
            yield from _judged(source, kind, end - len(literal), end, Place.QUOTED)


ASSIGNMENTS: Final = (
    Detector(
        (
            PASSWORD_PATTERN + _ASSIGN,
            KEY_PATTERN
            + (rb"(?:" + _ASSIGN + _VALUE_AHEAD + rb"|" + _COPULA + _WORD_AHEAD + rb"|")
            + (_OTHER_JOINTS + rb")"),
        ),
        find_assignments,
    ),
    Detector((), find_foreign_assignments, (FOREIGN_KEY_PATTERN + rb"(?:" + _JOINTS + rb")",)),
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


def _is_part_of_path(view: str, name_start: int) -> bool:
    """`arn:aws:secretsmanager:…:secret:name`, `AWS::IAM::AccessKey`: a part between colons."""
    before = view[max(0, name_start - 2) : name_start]
    return before == "::" or (before[-1:] == ":" and before[:1].isalnum())


def _values(source: Source, kind: str, name_start: int, name_end: int) -> Iterator[Span]:
    view = source.view
    after = _AFTER.match(view, name_end)
    if after is None:
        return
    position, joint, closed = after.end(), after.lastgroup, after["close"]
    match joint:
        case "assign":
            yield from _assigned(source, kind, name_start, name_end, after)
        case "attribute":
            yield from _one(source, kind, position, Place.QUOTED, Place.BARE)
        case "call":
            if kind == CREDENTIAL and after["call"] == "(":
                yield from _listed(source, kind, position - 1, "(")
            elif kind != CREDENTIAL and (
                after["call"] == "(" or _is_first(view, name_start, closed)
            ):
                yield from _one(source, kind, position, Place.NEAR, None)
        case "prompt":
            yield from _one(source, kind, position, Place.BARE, Place.BARE)
        case "copula" | "cell":
            yield from _one(source, kind, position, Place.NEAR, Place.NEAR)
        case _:
            yield from _joined_by_nothing(source, kind, name_start, after)


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
            yield from _judged(source, kind, *inner.span(1), Place.QUOTED)
    elif not after["gap"]:
        return
    elif view[name_start] == "-" or _LOGIN.search(view, max(0, name_start - 200), name_start):
        yield from _one(source, kind, position, Place.QUOTED, Place.NEAR)
    elif not closed:
        yield from _one(source, kind, position, Place.NEAR, None)


def _assigned(
    source: Source, kind: str, name_start: int, name_end: int, after: re.Match[str]
) -> Iterator[Span]:
    view, position = source.view, after.end()
    joint, closed = after["assign"], after["close"]
    if joint == ":" and _is_part_of_path(view, name_start):
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
    gap = _SKIP_GAP.match(view, position)
    first = gap.end() if gap is not None else position
    if view[first : first + 1] in {"[", "("}:
        if view[first] == "[" or joint == "=":
            yield from _listed(source, kind, first, view[first])
        return
    quoted = Place.MEMBER if member else Place.QUOTED
    bare = Place.BARE if closed else _bare_place(view, name_start, name_end, joint)
    yield from _one(source, kind, position, quoted, bare)


def _bare_place(view: str, name_start: int, name_end: int, joint: str) -> Place:
    """A setting fills its line: `NAME=value`, `name: value`; anything else may be code."""
    if joint not in {":", "="}:
        return Place.BARE
    if joint == "=" and view[name_start - 1 : name_start] in {"?", "&"}:
        return Place.MEMBER
    if joint == "=" and view[name_start:name_end].isupper():
        return Place.SETTING
    return (
        Place.SETTING
        if _LINE_HEAD.search(view, max(0, name_start - 120), name_start)
        else Place.BARE
    )


def _listed(source: Source, kind: str, position: int, bracket: str) -> Iterator[Span]:
    """Strings in a list; of a pair in parentheses (`auth=("user", "secret")`) the second."""
    position += 1
    index = 0
    while (item := _ITEM.match(source.view, position)) is not None:
        start = item.end()
        end = closing_quote(source.view, start, item[1])
        if end < 0:
            return
        if bracket == "[":
            yield from _judged(source, kind, start, end, Place.NEAR)
        elif index == 1 and kind == CREDENTIAL:
            yield from _judged(source, PASSWORD, start, end, Place.QUOTED)
        position = end + len(item[1])
        index += 1


def _one(
    source: Source, kind: str, position: int, quoted: Place, bare: Place | None
) -> Iterator[Span]:
    """The value at ``position``: a string judged as ``quoted``, else a bare word as ``bare``."""
    view = source.view
    opened = _OPEN.match(view, position)
    if opened is not None:
        start = opened.end()
        end = closing_quote(view, start, opened[1])
        if end >= 0:
            yield from _judged(source, kind, start, end, quoted)
            return
        position = start
    if bare is None:
        return
    gap = _SKIP_GAP.match(view, position)
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
    if start < end and is_secret(source.text(start, end), kind, bare):
        whole = _BARE_WHOLE.match(view, start)
        yield Span(start, end if whole is None else start + len(_trimmed(whole[0])), kind)
    elif len(word[0]) == JUDGED_WORD_BYTES_MAX:
        yield Span(start, word.end(), _NO_SECRET)


def _trimmed(word: str) -> str:
    """A bare word without the punctuation of the sentence or the brackets around it."""
    for _ in range(_TRIMMED_MAX):
        last = word[-1:]
        closes = last in _CLOSERS and word.count(last) > word.count(_CLOSERS[last])
        if not closes and last not in _SENTENCE_MARKS:
            break
        word = word[:-1]
    return word


def _judged(source: Source, kind: str, start: int, end: int, place: Place) -> Iterator[Span]:
    if start < end and is_secret(source.text(start, end), kind, place):
        yield Span(start, end, kind)
