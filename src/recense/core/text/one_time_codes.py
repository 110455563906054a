"""One-time codes next to the words for them, in ten languages and whatever their length.

A code is too short to be told from any number, so the word must be whole ("verification code",
验证码) and nothing but a joint may stand between the two. A word that may mean any code ("the code
is …", "votre code est …") must be said to be one's own or to be a value, and means digits alone.
"""

import re
from collections.abc import Iterator
from typing import Final

import re2

from recense.core.late_patterns import late_pattern
from recense.core.text.secret_spans import Detector, Source, Span, pattern_of
from recense.limits import ONE_TIME_CODES_MAX

ONE_TIME_CODE: Final = "one-time-code"

_ENGLISH = (
    rb"(?i:(?:one[- ]time|verification|security|confirmation|authentication|authenticator|log-?in"
    rb"|sign-?in|access|[2m]fa|sms|two-factor|recovery|backup)[ -](?:pass)?(?:code|pin)s?"
    rb"|one[- ]time[- ]pass(?:word|code)s?"
    rb"|einmalcode|einmalpasswort|einmalkennwort|sicherheitscode|verifizierungscode|anmeldecode"
    rb"|codice di (?:verifica|sicurezza|conferma|accesso)|codice otp|code otp)"
)
_SHORT = rb"\b(?i:t?otp)(?:[ _-](?i:code))?\b"
_SHORT_PROBE = rb"(?:\A|[^A-Za-z0-9]|\\[nrtbf])(?i:t?otp)(?:[^A-Za-z0-9]|\z)"
"""Three letters that stand in many words: its probe has a boundary, as others need not."""
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
    "код для входа",
    "код безопасности",
    "пин-код",
    "验证码",
    "驗證碼",
    "校验码",
    "动态码",
    "動態碼",
    "动态密码",
    "一次性密码",
    "一次性验证码",
    "确认码",
    "確認碼",
    "安全码",
    "安全碼",
    "登录码",
    "授权码",
    "短信码",
    "校驗碼",
    "动态口令",
    "認証コード",
    "確認コード",
    "検証コード",
    "認証番号",
    "セキュリティコード",
    "ワンタイムパスワード",
    "ワンタイムコード",
    "パスコード",
    "暗証番号",
    "인증번호",
    "인증 번호",
    "인증 코드",
    "인증코드",
    "확인 코드",
    "보안 코드",
    "일회용 비밀번호",
)


def _foreign_pattern() -> bytes:
    spellings = {
        form for phrase in _PHRASES for form in (phrase, phrase.capitalize(), phrase.upper())
    }
    return rb"|".join(re2.escape(form.encode()) for form in sorted(spellings))


_FOREIGN = _foreign_pattern()
WORDS: Final = _ENGLISH + rb"|" + _SHORT + rb"|" + _FOREIGN
"""Whole words for a code that is used once."""
_NOISE = rb"(?:[\s\"'*`(\\]|\\[nrt]|\xe3\x80[\x8c\x90])"
_JOINT = (
    rb"(?:(?i:is|was|ist|lautet|est|es|are)\b|\xc3\xa9 |[:=,-]"
    rb"|\xef\xbc[\x9a\x8c\x9d]|\xe2\x80[\x93\x94]"
    rb"|\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf|\xe3\x81\x8c"
    rb"|\xeb\x8a\x94|\xec\x9d\x80|\xc3\xa8 )"
)
_CODE = rb"(?:G-)?([0-9]{3,4}[ -][0-9]{3,4}|[0-9A-Z]{4,12}|[0-9a-z]{4,6}-[0-9a-z]{4,6})"
_DIGITS = rb"([0-9]{3,4}[ -][0-9]{3,4}|[0-9]{4,12})"
_JOINED = rb"[\"'*`)\\]{0,4}" + _NOISE + rb"{0,4}" + _JOINT
_AFTER = rb"(?:" + WORDS + rb")" + _JOINED + rb"?" + _NOISE + rb"{0,6}" + _CODE
_AFTER_SHORT = rb"(?:" + WORDS + rb")" + _JOINED + _NOISE + rb"{0,6}([0-9]{3})"
_BEFORE = (
    rb"(?:^|[^\w.#-]|\bG-)([0-9]{3,4}[ -][0-9]{3,4}|[0-9]{4,10})[\"'*`\\]{0,4}"
    rb"(?:\xe3\x80[\x8d\x91])?[ \t]{0,3}(?:(?:(?i:is|ist|est|es)\b|\xc3\xa9)[^\n0-9]{0,24}[ ]"
    rb"|[(-][ ]?|\xe2\x80[\x93\x94][ ]?|\xe3\x81\xaf|\xe6\x98\xaf)"
    rb"(?:" + WORDS + rb")"
)

OWN: Final = (
    rb"(?i:(?:the|your|my|our|his|her|their|this|that|new)[ ](?:pin[ ])?"
    rb"(?:code|pin|passcode)[ ]+(?:is|was)"
    rb"|(?:your|my)[ ](?:code|pin|passcode)[ ]?[:=]"
    rb"|(?:use|enter|type|type in|with|input|try|got|sent|send|text(?:ed)?)[ ]"
    rb"(?:(?:the|this|your|my)[ ])?(?:code|pin|passcode)"
    rb"|(?:der|dein|ihr|mein)[ ](?:code|pin)[ ](?:ist|lautet)"
    rb"|(?:le|votre|ton|mon)[ ]code[ ](?:est)"
    rb"|(?:el|tu|su|mi)[ ](?:c\xc3\xb3digo|codigo|pin)[ ](?:es)"
    rb"|(?:o|seu|teu|meu)[ ](?:c\xc3\xb3digo|codigo|pin)[ ]\xc3\xa9"
    rb"|il[ ](?:tuo[ ]|suo[ ]|mio[ ])?codice[ ]\xc3\xa8)"
    rb"|PIN(?:[ ]code)?[\"'`*]{0,3}(?:[ ]is)?[ ]?:?"
)
OWN_FOREIGN: Final = rb"|".join(
    phrase.encode()
    for phrase in (
        *("ваш код", "Ваш код", "твой код", "Твой код", "мой код", "Мой код"),
        *("你的代码是", "您的代码是", "你的代码：", "您的代码："),
    )
)
_OWN_TAIL = rb"[\"'*`)\\]{0,4}" + _NOISE + rb"{0,4}" + _JOINT + rb"?" + _NOISE + rb"{0,6}" + _DIGITS
_AFTER_OWN = rb"(?:^|[^\w]|\\[nrt])(?:" + OWN + rb")" + _OWN_TAIL
_KANA_CODE = rb"(?:^|[^\xbc])\xe3\x82\xb3\xe3\x83\xbc\xe3\x83\x89(?:\xe3\x81\xaf|\xef\xbc\x9a)"
"""コードは, コード：, and not behind ー, as in the word for the code of an error."""
_AFTER_OWN_FOREIGN: Final = rb"(?:" + OWN_FOREIGN + rb"|" + _KANA_CODE + rb")" + _OWN_TAIL
_BEFORE_OWN: Final = (
    rb"(?:^|[^\w.#-])([0-9]{3,4}[ -][0-9]{3,4}|[0-9]{4,10})[\"'*`\\]{0,4}[ ]"
    rb"(?i:(?:is|ist|est|es|\xc3\xa9)[ ](?:your|my|dein|ihr|votre|ton|tu|su|seu|o seu)[ ]"
    rb"(?:code|pin|passcode|c\xc3\xb3digo))"
)
_COUNTED = late_pattern(
    r"[\"'*`]{0,2}[ -]?(?:lines?|loc|bytes?|[km]b|char|characters|tests?|files?|years?|times|words?"
    r"|tokens?|%|ms|px|zeilen|lignes|l\xc3\xadneas|linhas|righe|\xe8\xa1\x8c)",
    re.ASCII | re.IGNORECASE,
)
_MORE = late_pattern(
    r"(?:\s|\\[nrt]|[-*,|]){1,8}(?:[0-9]{1,2}[.)][ ])?"
    r"([0-9]{3,4}[ -][0-9]{3,4}|[0-9a-zA-Z]{4,6}-[0-9a-zA-Z]{4,6})\b",
    re.ASCII,
)


def find_one_time_codes(source: Source) -> Iterator[Span]:
    """Codes beside a word for them, and the further codes of a list that follows it."""
    for pattern in (_AFTER, _AFTER_SHORT, _BEFORE):
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


def find_own_codes(source: Source) -> Iterator[Span]:
    """Digits beside a word for any code, where they are said to be its value."""
    return _digits(source, (_AFTER_OWN, _BEFORE_OWN))


def find_own_codes_elsewhere(source: Source) -> Iterator[Span]:
    """The same beside words beyond ASCII."""
    return _digits(source, (_AFTER_OWN_FOREIGN,))


def _digits(source: Source, patterns: tuple[bytes, ...]) -> Iterator[Span]:
    for pattern in patterns:
        for match in pattern_of(pattern).finditer(source.data):
            start, end = match.span(1)
            if _is_code(source.data, start, end) and not _COUNTED.match(source.view, end):
                yield Span(start, end, ONE_TIME_CODE)


def _is_code(data: bytes, start: int, end: int) -> bool:
    """Whether a candidate holds a digit and ends where it seems to: `2024.1` and `12ab` do not."""
    following = data[end : end + 2]
    goes_on = following[:1].isalnum() or following[:1] == b"_"
    is_part = following[:1] in {b".", b"-"} and following[1:].isalnum()
    return not goes_on and not is_part and any(48 <= byte <= 57 for byte in data[start:end])  # noqa: PLR2004 - ASCII digits


ONE_TIME_CODES: Final = (
    Detector((_ENGLISH, _SHORT_PROBE), find_one_time_codes, (_FOREIGN,)),
    Detector((_AFTER_OWN, _BEFORE_OWN), find_own_codes),
    Detector((), find_own_codes_elsewhere, (_AFTER_OWN_FOREIGN,)),
)
"""Every detector of this file."""
