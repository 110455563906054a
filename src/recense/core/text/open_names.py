"""Sensitive names at the end of a text that goes on, whose value may still be arriving.

Law: as in `open_claims`. What stands behind a name is read as `assignments` reads it, but wider: as
much of it as could join, then a run without blanks, every string that was opened on the way, and
what must be seen behind them before the value is judged. Where one of these reaches the end of the
text, the name is open. A name that other words follow is not.
"""

import re
from collections.abc import Iterable
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.joints import ATTACHED, COPULAS, OF, OWNERS
from recense.core.text.secret_spans import Source, closing_quote, pattern_of
from recense.core.text.sensitive_keys import FOREIGN_KEY_PATTERN, KEY_PATTERN
from recense.limits import SENSITIVE_NAME_BYTES_MAX

_BEHIND_NAME: Final = rb"(?:[^A-Za-z]|\z|(?i:value|secret_value))"
_NAME: Final = rb"(" + KEY_PATTERN + rb")" + _BEHIND_NAME
_FOREIGN_NAME: Final = rb"(" + FOREIGN_KEY_PATTERN + rb")" + _BEHIND_NAME
_FOREIGN_LEAD: Final = late_pattern(r"[\xc3\xcc\xd0\xd1\xe3-\xed]")


def _seen(words: Iterable[str]) -> tuple[str, ...]:
    """Words as they stand in a view."""
    return tuple(word.encode().decode("latin-1") for word in words)


_ATTACHED_WORDS: Final = _seen(sorted(ATTACHED, key=len, reverse=True))
_OF_WORDS: Final = frozenset(_seen(OF))
_COPULA_WORDS: Final = _seen(COPULAS)
_BETWEEN: Final = late_pattern(
    r"(?:[\s\"'`\]\[(){}*>\\|:=+?!,@$&-]|\\[tnr]|\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|!![a-z]{1,12}[ ]"
    r"|\xef\xbc[\x9a\x9d]|\xe3\x80[\x8c\x8e\x90]|\xe2\x80[\x93\x94\x98\x9a\x9c\x9e\xaf]|\xc2[\xab\xa0]"
    rf"|{'|'.join(_ATTACHED_WORDS)})*",
    re.ASCII,
)
_BETWEEN_BYTES_MAX: Final = 1024
_JOINING_WORDS: Final = frozenset(
    (
        *"string char value secret_value secret to wifi wi fi".split(),
        *_COPULA_WORDS,
        *OWNERS.split("|"),
    )
)
_ATTACHABLE: Final = ("value", "secret_value", *_ATTACHED_WORDS)
_LETTERS: Final = late_pattern(r"[A-Za-z_\x80-\xf4]+")
_OWNED: Final = late_pattern(
    r"(?:[ \t][^\s:=,;()\xef]{1,40}){1,4}[ \t]?"
    rf"(?:[:=]|\xef\xbc[\x9a\x9d]|(?:{'|'.join(_COPULA_WORDS)})(?=[ \t]))",
    re.ASCII | re.IGNORECASE,
)
_OPEN_OWNED: Final = late_pattern(r"(?:[ \t][^\s:=,;()\xef]{0,40}){0,5}\xef?[ \t]?\Z", re.ASCII)
_LITERAL_HEAD: Final = late_pattern(r"(?:[bBrRuUfFL]{1,2}|!![a-z]{0,12}[ ]?)?\\*[\"'`]")
_PROMPT: Final = late_pattern(
    r"for[ ](?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s:]{1,200}(?:[ ]'[^'\n]{1,200}')?):"
)
_OPEN_PROMPT: Final = late_pattern(
    r"for(?:[ ](?:'[^'\n]{0,200}'?|\"[^\"\n]{0,200}\"?"
    r"|[^\s:]{0,200}(?:[ ](?:'[^'\n]{0,200}'?)?)?))?\Z"
)
_TYPED: Final = late_pattern(
    r"[ \t]*(?:[&*A-Za-z_][\w<>\[\], |.&'?*]{0,60}[ \t]*(?:=[ \t]*(\\*[\"'`@])?)?)?", re.ASCII
)
_RUN: Final = late_pattern(r"[^\s\xe2-\xf4]*", re.ASCII)
_OPEN_SETTING: Final = late_pattern(r";[A-Za-z][\w ]{0,40}\Z", re.ASCII)
"""Where a semicolon ends a value or belongs to it shows what follows: `;User Id=`."""
_BEHIND: Final = late_pattern(r"\s{0,80}", re.ASCII)
_MARKS: Final = late_pattern(r"\\*[\"'`]")
_ITEM: Final = late_pattern(r"\s{0,64},?\s{0,64}(\\*[\"'])?", re.ASCII)
_FLAGGED: Final = late_pattern(
    r"(?:(?:machine|login)[ \t]+\S+|configure[ \t]set|setx|ENV|ARG)[ \t]+\Z", re.ASCII
)
_NAME_SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-")


def first_open_name(source: Source, since: int) -> tuple[int, int] | None:
    """Return where the first name that may still receive a value begins and ends, from byte
    ``since`` on; None where there is none. Names before it are known to be settled.
    """
    reader = _Values(source.view)
    is_foreign = _FOREIGN_LEAD.search(source.view, since) is not None
    found: list[tuple[int, int]] = []
    for pattern in (_NAME, _FOREIGN_NAME)[: 1 + is_foreign]:
        at = since
        while (match := pattern_of(pattern).search(source.data, at)) is not None:
            start, at = match.span(1)
            if reader.is_open(at, after_flag=_is_flag(source.view, start)):
                found.append((_name_start(source.view, start), at))
                break
    return min(found, default=None, key=lambda each: each[1])


def is_unclosed(view: str, start: int, quote: str) -> bool:
    """Whether a string that was opened before ``start`` may still be closed."""
    return closing_quote(view, start, quote) < 0 and view.find("\n", start) < 0


def _name_start(view: str, position: int) -> int:
    stop = max(0, position - SENSITIVE_NAME_BYTES_MAX)
    while position > stop and view[position - 1] in _NAME_SIGNS:
        position -= 1
    return position


def _is_flag(view: str, position: int) -> bool:
    """Whether a value may follow a name a blank apart: `--token X`, `login nadia password X`."""
    start = _name_start(view, position)
    if "-" in view[start : position + 1]:
        return True
    return _FLAGGED.search(view, max(0, start - 256), start) is not None


class _Values:
    """Reads what stands behind the names of one view, in their order.

    What was found of a run without blanks holds for every name in it, so that reading is linear
    however many there are.
    """

    def __init__(self, view: str) -> None:
        self._view: Final = view
        self._run_end = 0
        self._closed_to = 0
        self._signs: dict[str, int] = {}

    def is_open(self, name_end: int, *, after_flag: bool) -> bool:
        """Whether what stands behind a name may still become its value, or decides on it."""
        view = self._view
        position, only_blanks = name_end, True
        while True:
            between = _BETWEEN.match(view, position, name_end + _BETWEEN_BYTES_MAX)
            if between is not None:
                only_blanks = only_blanks and not between[0].strip(" \t")
                position = between.end()
            if position >= name_end + _BETWEEN_BYTES_MAX:
                return False
            if position >= len(view):
                return True
            word = _LETTERS.match(view, position)
            if word is None:
                break
            lowered = word[0].encode("latin-1").lower().decode("latin-1")
            if position == name_end and not any(each.startswith(lowered) for each in _ATTACHABLE):
                return False
            if word.end() == len(view):
                return True
            joined = _joined(view, word, lowered)
            if joined is None:
                break
            position, only_blanks = joined, False
        if position == name_end:
            return False
        if only_blanks and not after_flag and _LITERAL_HEAD.match(view, position) is None:
            return False
        return self._is_value_open(name_end, position)

    def _is_value_open(self, name_end: int, position: int) -> bool:
        """Whether the value that begins at ``position`` or before may still go on."""
        view = self._view
        if position >= self._run_end:
            run = _RUN.match(view, position)
            self._run_end = position if run is None else run.end()
            self._signs.clear()
        end = self._run_end
        if end == len(view) or _OPEN_SETTING.search(view, max(position, len(view) - 48)):
            return True
        if (colon := self._find(":", name_end, end)) < position:
            typed = _TYPED.match(view, colon + 1)
            end = end if typed is None else max(end, typed.end())
        behind = _BEHIND.match(view, end)
        seen = end if behind is None else behind.end()
        ends_line = "\n" in view[end:seen] and self._find(">", name_end, end) == end
        if seen + 1 >= len(view) and not ends_line:
            return True
        for mark in _MARKS.finditer(view, max(name_end, self._closed_to), end):
            if is_unclosed(view, mark.end(), mark[0]):
                return True
        self._closed_to = max(self._closed_to, end)
        return any(
            (opened := self._find(bracket, name_end, end)) < end and _is_list_open(view, opened + 1)
            for bracket in "[("
        )

    def _find(self, sign: str, start: int, end: int) -> int:
        """Return where a sign stands first from ``start`` to ``end``, or ``end``."""
        found = self._signs.get(sign, -1)
        if found < start:
            found = self._signs[sign] = self._view.find(sign, start, end) % (len(self._view) + 1)
        return min(found, end)


def _joined(view: str, word: re.Match[str], lowered: str) -> int | None:
    """Return to where a word joins a name with what follows; the end of the view where that is not
    known yet, None where it joins nothing.
    """
    if lowered in _JOINING_WORDS:
        return word.end()
    if lowered not in _OF_WORDS:
        return None
    start, end = word.span()
    is_prompt = lowered == "for"
    if _OPEN_OWNED.match(view, end) or (is_prompt and _OPEN_PROMPT.match(view, start)):
        return len(view)
    found = (_PROMPT.match(view, start) if is_prompt else None) or _OWNED.match(view, end)
    return None if found is None else found.end()


def _is_list_open(view: str, position: int) -> bool:
    while True:
        item = _ITEM.match(view, position)
        if item is None or item.end() == len(view):
            return True
        if item[1] is None:
            return False
        end = closing_quote(view, item.end(), item[1])
        if end < 0:
            return view.find("\n", item.end()) < 0
        position = end + len(item[1])
