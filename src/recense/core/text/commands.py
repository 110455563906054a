"""Secrets in shell commands: arguments of clients whose flags do not say what they take.

Flags that do say so (`--password X`, `--token=X`) are read as assignments.
"""

import re
from collections.abc import Iterator
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.secret_spans import (
    Detector,
    Source,
    Span,
    closing_quote,
    pattern_of,
    stretches,
)
from recense.core.text.secret_values import Place, is_placeholder, looks_random
from recense.core.text.sensitive_keys import PASSWORD
from recense.limits import COMMAND_BYTES_MAX

_ATTACHED: Final = "attached"  # -pX, never -p X
_WORD: Final = "word"  # -p X or -pX
_PAIR: Final = "pair"  # -u user:X
_SHARE: Final = "share"  # -U user%X
_PASS: Final = "pass"  # -passin pass:X

_FLAGS: Final[dict[str, dict[str, str]]] = {
    "mysql": {"-p": _ATTACHED},
    "mysqldump": {"-p": _ATTACHED},
    "mysqladmin": {"-p": _ATTACHED},
    "mysqlimport": {"-p": _ATTACHED},
    "mysqlsh": {"-p": _ATTACHED},
    "mariadb": {"-p": _ATTACHED},
    "mariadb-dump": {"-p": _ATTACHED},
    "mongo": {"-p": _WORD},
    "mongosh": {"-p": _WORD},
    "mongodump": {"-p": _WORD},
    "mongorestore": {"-p": _WORD},
    "mongoexport": {"-p": _WORD},
    "mongoimport": {"-p": _WORD},
    "sshpass": {"-p": _WORD},
    "redis-cli": {"-a": _WORD},
    "docker login": {"-p": _WORD},
    "podman login": {"-p": _WORD},
    "helm registry": {"-p": _WORD},
    "az login": {"-p": _WORD},
    "oc login": {"-p": _WORD},
    "twine": {"-p": _WORD},
    "ldapsearch": {"-w": _WORD},
    "ldapadd": {"-w": _WORD},
    "ldapmodify": {"-w": _WORD},
    "ldapwhoami": {"-w": _WORD},
    "htpasswd": {"-b": _WORD},
    "unzip": {"-P": _WORD},
    "zip": {"-P": _WORD},
    "7z": {"-p": _ATTACHED},
    "7za": {"-p": _ATTACHED},
    "sqlcmd": {"-P": _WORD},
    "bcp": {"-P": _WORD},
    "snmpwalk": {"-A": _WORD, "-X": _WORD},
    "snmpget": {"-A": _WORD, "-X": _WORD},
    "keytool": {"-storepass": _WORD, "-keypass": _WORD},
    "jarsigner": {"-storepass": _WORD, "-keypass": _WORD},
    "curl": {"-u": _PAIR, "--user": _PAIR, "-U": _PAIR, "--proxy-user": _PAIR},
    "http": {"-a": _PAIR, "--auth": _PAIR},
    "https": {"-a": _PAIR, "--auth": _PAIR},
    "smbclient": {"-U": _SHARE},
    "openssl": {"-passin": _PASS, "-passout": _PASS, "-pass": _PASS, "-k": _WORD},
}
"""Client, or client and subcommand -> flag -> the way it takes a secret."""

_NAMES = rb"|".join(sorted((name.split()[0].encode() for name in _FLAGS), key=len, reverse=True))
_PROBE = (
    rb"(?:"
    + rb"|".join(
        name.encode().replace(b" ", rb"[ \t]+") for name in sorted(_FLAGS, key=len, reverse=True)
    )
    + rb")(?:\.exe)?[ \t]"
)
CLIENT = rb"(?:^|[^\w.-]|\\[nt])(" + _NAMES + rb")(?:\.exe)?([ \t])"
"""A client in a command, its name in group 1."""

_GAP = late_pattern(r"(?:[ \t]|\\\r?\n|\\\\n)+")
# A run of backslashes is taken at once: piece by piece, each would look for the quote at its end.
_PIECE = late_pattern(r"(\\*[\"'])|[^\s\"'|;&<>\\]+|(?:\\\\)+|\\(?!\s|n)[^\s]", re.ASCII)
_CLOSED_AROUND = late_pattern(r"(?<!\\)\\*[\"'][\"'\\}\]),]*\Z")
"""The end of a string around the command, glued to its last word."""
_BUNDLE = late_pattern(r"-[A-Za-z]{1,4}\Z")
_SEPARATORS: Final = {_PAIR: ":", _SHARE: "%", _PASS: ":"}
_REAL_NAMES: Final = frozenset({"", "admin", "root", "api", "user", "token", "test"})
"""Names that stand in for a user in documents, and are users on real machines too."""


def find_commands(source: Source) -> Iterator[Span]:
    """Passwords among the arguments of known clients: `mysql -pX`, `curl -u user:X`."""
    for start, end, limit in stretches(source, CLIENT, 1):
        name = source.view[start:end]
        words = _arguments(source.view, end, min(limit, end + COMMAND_BYTES_MAX))
        flags = _FLAGS.get(name)
        if flags is None:
            first = next(words, None)
            if first is None:
                continue
            flags = _FLAGS.get(f"{name} {source.view[slice(*first)]}")
            if flags is None:
                continue
        yield from _flagged(source, flags, words)


def _arguments(view: str, position: int, stop: int) -> Iterator[tuple[int, int]]:
    """The words of one command after its name, quotes kept, to its end or that of the stretch."""
    while (gap := _GAP.match(view, position, stop)) is not None:
        start = position = gap.end()
        while (piece := _PIECE.match(view, position, stop)) is not None:
            position = piece.end()
            if piece[1]:
                closed = closing_quote(view, position, piece[1])
                if 0 <= closed < stop:
                    position = min(stop, closed + len(piece[1]))
        if position == start:
            return
        yield start, position


def _flagged(
    source: Source, flags: dict[str, str], words: Iterator[tuple[int, int]]
) -> Iterator[Span]:
    for start, end in words:
        word = source.view[start:end]
        if not word.startswith("-"):
            continue
        flag, way, offset = _flag(flags, word)
        if way is None:
            continue
        value: tuple[int, int] | None = (start + offset, end)
        if flag == word:
            value = next(words, None) if way is not _ATTACHED else None
        if value is not None:
            yield from _secret_in(source, way, *value)


def _flag(flags: dict[str, str], word: str) -> tuple[str, str | None, int]:
    """The flag that a word is or begins with, how it takes its secret, and where that begins."""
    if (way := flags.get(word)) is not None:
        return word, way, len(word)
    for flag, way in flags.items():
        long = len(flag) > 2  # noqa: PLR2004 - `-p`
        if word.startswith(flag + "=") or (not long and word.startswith(flag)):
            return flag, way, len(flag) + (word[len(flag)] == "=")
        if not long and way is not _ATTACHED and _BUNDLE.match(word) and word.endswith(flag[1]):
            return word, way, len(word)
    return word, None, 0


def _secret_in(source: Source, way: str, start: int, end: int) -> Iterator[Span]:
    view = source.view
    if way in _SEPARATORS:
        mark = view.find(_SEPARATORS[way], start, end)
        if mark < 0:
            return
        name = source.text(start, mark).strip("\"'\\")
        stands_in = way != _PASS and is_placeholder(name) and name.lower() not in _REAL_NAMES
        if stands_in and not looks_random(source.text(mark + 1, end).strip("\"'\\{}")):
            return
        start = mark + 1
    while start < end and view[start] in "\"'\\":
        start += 1
    if (closed := _CLOSED_AROUND.search(view, start, end)) is not None:
        end = closed.start()
    while end > start and view[end - 1] in "\"'\\":
        end -= 1
    if start < end and source.is_secret(start, end, PASSWORD, Place.QUOTED):
        yield Span(start, end, PASSWORD)


_PIPED = (
    rb"echo[ \t]+(?:-n[ \t]+)?\\*[\"']?([^\s\"'|$\\]{4,128})\\*[\"']?[ \t]*\|[ \t]*"
    rb"(?:sudo[ \t]+-\w*S|docker login|podman login|passwd|chpasswd|kinit|gh auth|helm registry)"
)


def find_piped_passwords(source: Source) -> Iterator[Span]:
    """Passwords echoed into a command that reads one: `echo X | sudo -S`."""
    for match in pattern_of(_PIPED).finditer(source.data):
        start, end = match.span(1)
        start += source.view[start:end].find(":") + 1
        if start < end and source.is_secret(start, end, PASSWORD, Place.QUOTED):
            yield Span(start, end, PASSWORD)


COMMANDS: Final = (Detector((_PROBE,), find_commands), Detector((_PIPED,), find_piped_passwords))
"""Every detector of this file."""
