"""What of a message is a person's own prose, sentence by sentence, for rules to look at.

Law: what may be anybody else's words is left out: code, block quotes, tables, markup, logs, text in
quotation marks, what follows "Here is the file:", and every text as long as a document. A sentence
that is left out costs a fact; one that is somebody else's makes a false one.
"""

import re
from collections.abc import Iterator
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.values import Value
from recense.limits import (
    RULE_PROSE_CODE_POINTS_MAX,
    RULE_PROSE_LINES_MAX,
    RULE_SENTENCE_CODE_POINTS_MAX,
)

_FENCES: Final = ("```", "~~~")
_LISTED: Final = late_pattern(r"(?:[-*+•·]|\d{1,2}[.)])[ \t]+")
_HEADING: Final = late_pattern(r"#{1,6}[ \t]")
_HEADINGS_MAX: Final = 1
_TAG: Final = late_pattern(r"<(/?)([A-Za-z][\w:-]{0,40})[^<>]{0,200}>")
_NOT_PROSE: Final = late_pattern(
    r"""
    [>|$%#@={}\[<]                              # quotes, tables, shells, headings, data, markup
    | // | /\* | --- | \*\*\* | diff[ ] | \+\+\+
    | \(?\d{2,4}[-/:.]\d{1,2}[-/:.T]            # a log's instant
    | (?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|Traceback|Caused[ ]by|at[ ]\S+\()
    | [A-Za-z]+(?:Error|Exception)\b
    | [A-Za-z_][\w.]*(?:\(|\s*(?:=|:=|\+=)\s*\S) # code
    """,
    re.VERBOSE,
)
_ENDS_LINE: Final = tuple(".!?。！？…")
_FOREIGN: Final = late_pattern(
    r"(?i)(?:here(?:'s| is| are)|below (?:is|are)|this is (?:the|an?|from|what)|the following|"
    r"see (?:the|this)|from (?:the|our|their|his|her)|excerpt|quote|see below|as follows)\b|"
    r"(?:以下|下面|原文|引用|如下|附件)"
)
_OWN_LIST: Final = late_pattern(
    r"(?i)\b(?:remember|about me|about us|my preferences|facts|know|for later)\b|"
    r"记住|記住|关于我|關於我|偏好|喜好|记下|記下"
)
_OPENING: Final = frozenset("“「『«《")
_CLOSING: Final = frozenset("”」』»》")
_SENTENCE_ENDS: Final = frozenset(".!?。！？")
_WIDE_ENDS: Final = frozenset("。！？")
_AFTER_END: Final = frozenset("\"'”’」』)）*_")
_ABBREVIATIONS: Final = frozenset("mr mrs ms dr st prof jr sr vs etc no e.g i.e approx inc".split())
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "＂": '"'})


class Sentence(Value, kw_only=True):
    """A sentence with white space made single, its apostrophes straight, its end included.

    ``text`` is the same length as ``verbatim``, so that places in one are places in the other.
    """

    text: str
    verbatim: str


def own_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a message that are a person's own, in order; none of a document."""
    lines = _prose_lines(text)
    if lines is None:
        return ()
    return tuple(_sentences(lines))


def _prose_lines(text: str) -> list[str] | None:
    """Return what stands outside code and markup, with an empty text where something was left out;
    None where it is as long as a document.
    """
    found: list[str] = []
    points = lines = headings = 0
    fence = tag = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            found.append("")
        elif fence:
            fence = "" if line.startswith(fence) else fence
        elif tag:
            tag = "" if f"</{tag}>" in line else tag
        elif line.startswith(_FENCES):
            fence = line[:3]
            found.append("")
        elif (tag := _opened_tag(line)) or _is_no_prose(raw, line):
            found.append("")
            headings += bool(_HEADING.match(line))
        else:
            found.append(line)
            lines += 1
            points += len(line)
        if (
            points > RULE_PROSE_CODE_POINTS_MAX
            or lines > RULE_PROSE_LINES_MAX
            or headings > _HEADINGS_MAX
        ):
            return None
    return found


def _is_no_prose(raw: str, line: str) -> bool:
    return (
        raw.startswith(("    ", "\t"))
        or _NOT_PROSE.match(line) is not None
        or _TAG.search(line) is not None
    )


def _opened_tag(line: str) -> str:
    """Return the name of a tag that a line begins with and does not close."""
    found = _TAG.match(line)
    if found is None or found[1] or f"</{found[2]}>" in line or found[0].endswith("/>"):
        return ""
    return found[2]


def _sentences(lines: list[str]) -> Iterator[Sentence]:
    quotes = _Quotes()
    for paragraph in _paragraphs(lines):
        for piece in _split(paragraph):
            is_quoted = quotes.touch(piece)
            if _FOREIGN.match(piece) and not _OWN_LIST.search(piece):
                return
            if piece.endswith((":", "：")):
                if _OWN_LIST.search(piece):
                    continue
                return
            if is_quoted or len(piece) > RULE_SENTENCE_CODE_POINTS_MAX:
                continue
            yield Sentence(text=piece.translate(_APOSTROPHES), verbatim=piece)


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Yield lines, those joined that go on with a small letter where no sentence had ended."""
    running: list[str] = []
    for line in lines:
        listed = _LISTED.match(line)
        bare = line[listed.end() :] if listed else line
        goes_on = running and bare[:1].islower() and not running[-1].endswith(_ENDS_LINE)
        if running and not (goes_on and not listed):
            yield " ".join(" ".join(running).split())
            running = []
        if bare:
            running.append(bare)
    if running:
        yield " ".join(" ".join(running).split())


def _split(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, each with its end."""
    start = at = 0
    length = len(paragraph)
    while at < length:
        character = paragraph[at]
        at += 1
        if character not in _SENTENCE_ENDS:
            continue
        while at < length and (paragraph[at] in _SENTENCE_ENDS or paragraph[at] in _AFTER_END):
            at += 1
        ends = character in _WIDE_ENDS or at == length or paragraph[at] == " "
        if ends and not (character == "." and _is_abbreviated(paragraph, start, at - 1)):
            yield paragraph[start:at].strip()
            start = at
    if paragraph[start:].strip():
        yield paragraph[start:].strip()


def _is_abbreviated(paragraph: str, start: int, dot: int) -> bool:
    """Whether the word before a full stop is a short form or an initial."""
    word = paragraph[max(start, dot - 8) : dot].rpartition(" ")[2]
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


class _Quotes:
    """Which quotation marks are open while sentences are read in order."""

    def __init__(self) -> None:
        self._double = False
        self._single = False
        self._ticked = False
        self._depth = 0

    def touch(self, piece: str) -> bool:
        """Read on, and return whether any of it stands in quotation marks."""
        touched = self._is_open()
        text = piece.replace("’", "'").replace("‘", "'")
        for at, character in enumerate(text):
            if character in {'"', "＂"}:
                self._double = not self._double
            elif character == "`":
                self._ticked = not self._ticked
                continue  # what is ticked within a sentence is a name more often than a quotation
            elif character in _OPENING:
                self._depth += 1
            elif character in _CLOSING:
                self._depth = max(0, self._depth - 1)
            elif character != "'" or not self._apostrophe(
                text[max(0, at - 1) : at], text[at + 1 : at + 2]
            ):
                continue
            touched = True
        return touched or self._is_open()

    def _is_open(self) -> bool:
        return self._double or self._single or self._ticked or self._depth > 0

    def _apostrophe(self, before: str, after: str) -> bool:
        """Return whether an apostrophe is a mark: it opens before a word and closes after one."""
        opens = not self._single and not before.strip() and bool(after.strip())
        closes = self._single and not after.isalnum()
        self._single = (self._single or opens) and not closes
        return opens or closes
