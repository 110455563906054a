"""Secrets known by what surrounds them: key blocks, headers, URLs, Kubernetes manifests.

Law as in `assignments`: the structure says where the secret begins and ends, the value is judged
last, and every search is linear.
"""

import binascii
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.secret_spans import (
    ANSI,
    Detector,
    Source,
    Span,
    closing_quote,
    pattern_of,
    stretches,
)
from recense.core.text.secret_values import Place, is_placeholder, looks_drawn
from recense.core.text.sensitive_keys import PASSWORD
from recense.limits import KEY_BLOCK_BYTES_MAX

PRIVATE_KEY: Final = "private-key"
AUTHORIZATION: Final = "authorization"
COOKIE: Final = "cookie"
BEARER: Final = "bearer"
BASIC: Final = "basic"
URL_PASSWORD: Final = "url-password"
KUBERNETES_SECRET: Final = "kubernetes-secret"

CONTEXT_KINDS: Final = frozenset(
    {
        PRIVATE_KEY,
        AUTHORIZATION,
        COOKIE,
        BEARER,
        BASIC,
        URL_PASSWORD,
        KUBERNETES_SECRET,
    }
)
"""Kinds of finding that a surrounding gives."""

# --- key blocks ----------------------------------------------------------------------------------

BLOCK_HEAD = rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
BLOCK_TAIL = late_pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
BLOCK_NOISE = late_pattern(r"\\[nrt]|[\s\\\"'+>|,]")
BLOCK_LINES = late_pattern(
    r"(?:(?:\s|\\[nrt]|[\\\"'+>|]){0,32}"
    r"(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}|[A-Za-z0-9+/=]{16,}+))+"
)
BLOCK_FOREIGN = late_pattern(r"[(){}\[\];<>$&@!?^~`]")
_BLOCK_MIN_CHARACTERS = 16


def find_private_keys(source: Source) -> Iterator[Span]:
    """Whole key blocks, with real or escaped line breaks; of a cut one what is left of it."""
    for start, body, limit in stretches(source, BLOCK_HEAD):
        end = _block_end(source.view, body, min(limit, body + KEY_BLOCK_BYTES_MAX))
        if end > body:
            yield Span(start, end, PRIVATE_KEY)


def _block_end(view: str, body: int, limit: int) -> int:
    tail = BLOCK_TAIL.search(view, body, limit)
    if tail is not None:
        held = BLOCK_NOISE.sub("", view[body : tail.start()])
        if len(held) >= _BLOCK_MIN_CHARACTERS and BLOCK_FOREIGN.search(held) is None:
            return tail.end()
    lines = BLOCK_LINES.match(view, body, limit)
    return lines.end() if lines is not None else body


_PUTTY_PRIVATE = late_pattern(r"Private-Lines: [0-9]+((?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,})+")


def find_putty_keys(source: Source) -> Iterator[Span]:
    """The private lines of PuTTY key files."""
    for match in _PUTTY_PRIVATE.finditer(source.view):
        yield Span(match.start(), match.end(), PRIVATE_KEY)


# --- headers -------------------------------------------------------------------------------------

_AUTHORIZATION = rb"(?i:authorization)(?:\\*[\"'`])?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}"
_SCHEME = late_pattern(
    rf"(?:[(,]?{ANSI})?(?:[fFbrRu]{{0,2}}(\\*[\"'`]))?(?:([A-Za-z][\w-]{{1,30}})(?::?[ ]+|=))?",
    re.ASCII,
)
_COOKIE = (
    rb"(?i:cookie)(?:\\*[\"'`])?[ \t]{0,4}:[ \t]{0,4}(?:\\*[\"'`])?[\w.%$!*-]{1,128}=[^;\s\"'`\\]"
)
_TEMPLATE_HEADS: Final = frozenset("{<[$(%")
_OPENED = late_pattern(r"[ \t]{0,4}(\\*[\"'`])?")
_LINE = late_pattern(r"[^\n\r\"'`\\]+")
_FIRST_WORD = late_pattern(r"\s*(\S+)", re.ASCII)
_SENTENCE_MARKS: Final = ".,;:"
_SCHEMES: Final = frozenset(
    "basic bearer token digest negotiate ntlm hawk oauth apikey api-key api-token key bot jwt dpop "
    "aws4-hmac-sha256 splunk genie ssws private snowflake sharedkey sharedaccesssignature".split()
)


def find_authorizations(source: Source) -> Iterator[Span]:
    """What follows the scheme in `Authorization` headers, in whatever notation they are written."""
    view = source.view
    for _, at, limit in stretches(source, _AUTHORIZATION):
        opened = _SCHEME.match(view, at, limit)
        if opened is None:
            continue
        quote, scheme = opened[1], opened[2]
        known = scheme is not None and scheme.lower() in _SCHEMES
        start = opened.end() if known or scheme is None else opened.start(2)
        end = _value_end(view, start, quote, limit)
        value = source.text(start, end).strip()
        if not value or value[0] in _TEMPLATE_HEADS:
            continue
        first = value.split(None, 1)[0].rstrip(_SENTENCE_MARKS)
        if is_placeholder(value):  # or a log that goes on behind the credential
            if looks_drawn(first) and not is_placeholder(first):
                word = _FIRST_WORD.match(view, start, end)
                if word is not None:
                    yield Span(word.start(1), word.start(1) + len(first.encode()), AUTHORIZATION)
        elif looks_credential(first, known=known):
            yield Span(start, start + len(view[start:end].rstrip()), AUTHORIZATION)


def _value_end(view: str, start: int, quote: str | None, limit: int) -> int:
    """Where the value of a header ends: at its quote, or where its line, string or stretch does."""
    end = closing_quote(view, start, quote) if quote else -1
    if 0 <= end <= limit:
        return end
    line = _LINE.match(view, start, limit)
    return line.end() if line is not None else start


def looks_credential(value: str, *, known: bool) -> bool:
    """Whether the first word behind a scheme is a credential; behind a known one nearly any is."""
    return looks_drawn(value) or (known and len(value) >= 8)  # noqa: PLR2004 - `required`


def find_cookies(source: Source) -> Iterator[Span]:
    """The values of `Cookie` and `Set-Cookie` headers, whole."""
    view = source.view
    for name, _, limit in stretches(source, _COOKIE):
        opened = _OPENED.match(view, view.find(":", name) + 1)
        if opened is None:
            continue
        start, end = opened.end(), _value_end(view, opened.end(), opened[1], limit)
        pairs = source.text(start, end).split(";")
        if any(not is_placeholder(pair.partition("=")[2]) for pair in pairs if "=" in pair):
            yield Span(start, start + len(view[start:end].rstrip()), COOKIE)


_BEARER = rb"(?i:bearer)(?:[ \t]|%20|\+)+([\w.~+/=%-]{12,})"
_BASIC = rb"(?i:basic)(?:[ \t]|%20)+([A-Za-z0-9+/]{8,}={0,2})"


def find_bearers(source: Source) -> Iterator[Span]:
    """Tokens behind the word `Bearer` that look like tokens; `bearer token` is prose."""
    for match in pattern_of(_BEARER).finditer(source.data):
        start, end = match.span(1)
        value = source.view[start:end].rstrip(".")
        if looks_drawn(value) and not is_placeholder(value):
            yield Span(start, start + len(value), BEARER)


def find_basics(source: Source) -> Iterator[Span]:
    """Base64 behind the word `Basic` that decodes to a name, a colon and a password."""
    for match in pattern_of(_BASIC).finditer(source.data):
        start, end = match.span(1)
        if _is_name_and_password(source.data[start:end]):
            yield Span(start, end, BASIC)


def _is_name_and_password(encoded: bytes) -> bool:
    try:
        decoded = binascii.a2b_base64(encoded + b"=" * (-len(encoded) % 4))
        return ":" in decoded.decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False


# --- URLs ----------------------------------------------------------------------------------------

_URL = (
    rb"([A-Za-z][A-Za-z0-9+.-]{1,20}):\\?/\\?/"
    rb"([^\s/?#:@\"'`<>\\]*)(?::([^\s/\"'`<>\\]+))?@([\w\[$%{.-]+)"
)
_URL_PROBE = rb":\\?/\\?/[^\s/\"'`<>\\]+@"
_STAND_INS: Final = frozenset("password passwd pass pwd pw secret token key".split())
_STAND_IN_USERS: Final = frozenset("user username usr name login your_user".split())
_STAND_IN_HOSTS: Final = ("host", "example", "server", "your", "some", "domain", "addr")


def find_url_passwords(source: Source) -> Iterator[Span]:
    """Passwords in `scheme://user:password@host`, and tokens that stand alone before the `@`.

    The line that only explains the notation (`user:password@host`) is left alone.
    """
    for match in pattern_of(_URL).finditer(source.data):
        user, host = source.text(*match.span(2)), source.text(*match.span(4))
        start, end = match.span(3)
        if start < 0:
            if len(user) >= 20 and looks_drawn(user) and not is_placeholder(user):  # noqa: PLR2004 - a token
                yield Span(*match.span(2), URL_PASSWORD)
            continue
        password = source.text(start, end)
        explained = (
            password.lower() in _STAND_INS
            and user.lower() in _STAND_IN_USERS
            and host.lower().startswith(_STAND_IN_HOSTS)
        )
        if not explained and not is_placeholder_password(password):
            yield Span(start, end, URL_PASSWORD)


def is_placeholder_password(password: str) -> bool:
    """Whether the password in a URL is a template or a mask; a plain word is a password there."""
    return is_placeholder(password) and not password.isalnum()


# --- Kubernetes ----------------------------------------------------------------------------------

SECRET_KIND = late_pattern(
    r"^[ \t]*[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?secret[\"']?[ \t]*,?[ \t]*$"
    r"|[{,]\s*\\*\"kind\\*\"\s*:\s*\\*\"secret\\*\"",
    re.IGNORECASE | re.MULTILINE,
)
_DOCUMENT = late_pattern(r"^---[^\n]*$", re.MULTILINE)
_DATA = late_pattern(
    r"^([ \t]*)[\"']?(?:data|stringData)[\"']?[ \t]*:[ \t]*\{?[ \t]*$", re.MULTILINE
)
_INLINE_DATA = late_pattern(r"\"(?:data|stringData)\\*\"\s*:\s*\{([^{}]*)\}")
_INLINE_DATUM = late_pattern(r":\s*\\*\"([^\"\\]*)")
_DATUM = late_pattern(
    r"\n([ \t]+)(?:#[^\n]*|[\"']?[\w.-]+[\"']?[ \t]*:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]+)?[\"']?"
    r"([^\s\"',#{}]*)[\"']?,?[^\n]*)"
)
_DATUM_MIN_CHARACTERS = 10


def find_kubernetes_secrets(source: Source) -> Iterator[Span]:
    """Values under `data` and `stringData` of manifests of kind Secret."""
    view = source.view
    cuts = (0, *(match.end() for match in _DOCUMENT.finditer(view)), len(view))
    for start, end in pairwise(cuts):
        if SECRET_KIND.search(view, start, end) is None:
            continue
        for block in _DATA.finditer(view, start, end):
            yield from _data_values(source, block.end(), end, len(block[1]))
        for block in _INLINE_DATA.finditer(view, start, end):
            for datum in _INLINE_DATUM.finditer(view, *block.span(1)):
                yield from _datum(source, *datum.span(1))


def _data_values(source: Source, position: int, end: int, indent: int) -> Iterator[Span]:
    while (datum := _DATUM.match(source.view, position, end)) is not None and len(
        datum[1]
    ) > indent:
        start, stop = datum.span(2)
        if start >= 0:
            yield from _datum(source, start, stop)
        position = datum.end()


def _datum(source: Source, start: int, stop: int) -> Iterator[Span]:
    value = source.text(start, stop)
    if len(value) >= _DATUM_MIN_CHARACTERS and not is_placeholder(value):
        yield Span(start, stop, KUBERNETES_SECRET)


_SQL = rb"(?i:identified[ ]+(?:by|with[ ]+\w+[ ]+(?:by|as))(?:[ ]+password)?)[ ]+\\*(['\"])"


def find_sql_passwords(source: Source) -> Iterator[Span]:
    """Passwords in `CREATE USER … IDENTIFIED BY '…'`."""
    for match in pattern_of(_SQL).finditer(source.data):
        start = match.end()
        end = closing_quote(source.view, start, source.view[match.start(1) : start])
        if end > start and source.is_secret(start, end, PASSWORD, Place.QUOTED):
            yield Span(start, end, PASSWORD)


CONTEXTS: Final = (
    Detector((rb"PRIVATE KEY",), find_private_keys),
    Detector((rb"Private-Lines:",), find_putty_keys),
    Detector((rb"(?i:authorization)[\\\"'`]*[ \t]*[:=,]",), find_authorizations),
    Detector((rb"(?i:cookie)[\\\"'`]*[ \t]*:",), find_cookies),
    Detector((_BEARER,), find_bearers),
    Detector((_BASIC,), find_basics),
    Detector((_URL_PROBE,), find_url_passwords),
    Detector((rb"(?i:kind)[\"'\\]*[ \t]*:[ \t]*[\"'\\]*(?i:secret)",), find_kubernetes_secrets),
    Detector((rb"(?i:identified[ ]+(?:by|with))",), find_sql_passwords),
)
"""Every detector of this file."""
