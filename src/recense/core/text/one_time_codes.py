"""One-time codes next to the words for them, in ten languages and whatever their length.

A code is too short to be told from any number, so the word must be whole ("verification code",
验证码) and nothing but a joint may stand between the two.
"""

import re
from collections.abc import Iterator
from typing import Final

import re2

from recense.core.text.secret_spans import Detector, Source, Span, pattern_of
from recense.limits import ONE_TIME_CODES_MAX

ONE_TIME_CODE: Final = "one-time-code"

_ENGLISH = (
    rb"(?i:(?:one[- ]time|verification|security|confirmation|authentication|authenticator|log-?in"
    rb"|sign-?in|access|[2m]fa|sms|two-factor|recovery|backup)[ -](?:pass)?(?:code|pin)s?"
    rb"|one[- ]time[- ]pass(?:word|code)s?|\bt?otp(?:[ _-]code)?\b"
    rb"|einmalcode|einmalpasswort|sicherheitscode|verifizierungscode|anmeldecode)"
)
_PHRASES: Final = (
    "bestätigungscode",
    "code de vérification",
    "code de validation",
    "code de sécurité",
    "code de confirmation",
    "code à usage unique",
    "código de verificación",
    "código de seguridad",
    "código de confirmación",
    "código de acceso",
    "código de verificação",
    "código de segurança",
    "código de confirmação",
    "código de acesso",
    "код подтверждения",
    "код проверки",
    "проверочный код",
    "одноразовый код",
    "одноразовый пароль",
    "код из смс",
    "код доступа",
    "验证码",
    "驗證碼",
    "校验码",
    "动态码",
    "動態碼",
    "动态密码",
    "一次性密码",
    "动态口令",
    "認証コード",
    "確認コード",
    "検証コード",
    "認証番号",
    "セキュリティコード",
    "ワンタイムパスワード",
)


def _foreign_pattern() -> bytes:
    spellings = {
        form for phrase in _PHRASES for form in (phrase, phrase.capitalize(), phrase.upper())
    }
    return rb"|".join(re2.escape(form.encode()) for form in sorted(spellings))


_FOREIGN = _foreign_pattern()
_WORDS = _ENGLISH + rb"|" + _FOREIGN
_NOISE = rb"(?:[\s\"'*`(\\]|\\[nrt]|\xe3\x80[\x8c\x90])"
_JOINT = (
    rb"(?:(?i:is|was|ist|lautet|est|es|are)\b|\xc3\xa9 |[:=,-]"
    rb"|\xef\xbc[\x9a\x8c\x9d]|\xe2\x80[\x93\x94]"
    rb"|\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf|\xe3\x81\x8c)"
)
_CODE = rb"([0-9]{3,4}[ -][0-9]{3,4}|[0-9A-Z]{4,10}|[0-9a-z]{4,6}-[0-9a-z]{4,6})"
_AFTER = (
    rb"(?:"
    + _WORDS
    + rb")[\"'*`)\\]{0,4}"
    + _NOISE
    + rb"{0,4}"
    + _JOINT
    + rb"?"
    + _NOISE
    + rb"{0,6}"
    + _CODE
)
_BEFORE = (
    rb"(?:^|[^\w.#-]|\bG-)([0-9]{3,4}[ -][0-9]{3,4}|[0-9]{4,10})[\"'*`\\]{0,4}"
    rb"(?:\xe3\x80[\x8d\x91])?[ \t]{0,3}(?:(?:(?i:is|ist|est|es)\b|\xc3\xa9)[^\n0-9]{0,24}[ ]"
    rb"|[(-][ ]?|\xe2\x80[\x93\x94][ ]?|\xe3\x81\xaf|\xe6\x98\xaf)"
    rb"(?:" + _WORDS + rb")"
)
_MORE = re.compile(
    r"(?:\s|\\[nrt]|[-*,|]){1,8}(?:[0-9]{1,2}[.)][ ])?"
    r"([0-9]{3,4}[ -][0-9]{3,4}|[0-9a-zA-Z]{4,6}-[0-9a-zA-Z]{4,6})\b",
    re.ASCII,
)


def find_one_time_codes(source: Source) -> Iterator[Span]:
    """Codes beside a word for them, and the further codes of a list that follows it."""
    for pattern in (_AFTER, _BEFORE):
        for match in pattern_of(pattern).finditer(source.data):
            start, end = match.span(1)
            if not _is_code(source.data, start, end):
                continue
            yield Span(start, end, ONE_TIME_CODE)
            for _ in range(ONE_TIME_CODES_MAX):
                more = _MORE.match(source.view, end)
                if more is None or not any(character.isdigit() for character in more[1]):
                    break
                start, end = more.span(1)
                yield Span(start, end, ONE_TIME_CODE)


def _is_code(data: bytes, start: int, end: int) -> bool:
    """Whether a candidate holds a digit and ends where it seems to: `2024.1` and `12ab` do not."""
    following = data[end : end + 2]
    goes_on = following[:1].isalnum() or following[:1] == b"_"
    is_part = following[:1] in {b".", b"-"} and following[1:].isalnum()
    return not goes_on and not is_part and any(48 <= byte <= 57 for byte in data[start:end])  # noqa: PLR2004 - ASCII digits


ONE_TIME_CODES: Final = Detector((_ENGLISH.replace(rb"\b", b""),), find_one_time_codes, (_FOREIGN,))
