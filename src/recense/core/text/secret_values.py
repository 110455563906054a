"""Whether the value beside a sensitive name is a secret, or only stands where one would.

Law: a placeholder (`<your-key>`, `xxx`, `changeme`, `${VAR}`, `process.env.X`, a type name, a
short number, a path, prose, code) is left alone: hiding it hides meaning and protects nothing.
What is left is a secret as readily as its name and its place allow: a literal beside `password`
nearly always, a bare word beside `token` only when it looks drawn at random.
"""

import math
import re
from collections import Counter
from enum import Enum
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.markers import MARKER_START
from recense.core.text.sensitive_keys import KEY, PASSWORD, SECRET


class Place(Enum):
    """Where a value stands, from the most to the least certain that it is meant literally."""

    MEMBER = "member"
    """A string that is the value of a member of JSON or of a like notation."""
    QUOTED = "quoted"
    """A quoted literal that is assigned or compared."""
    SETTING = "setting"
    """A bare word that fills the rest of a line of settings: `.env`, YAML, INI."""
    BARE = "bare"
    """A bare word after a separator: a value, or an expression of some language."""
    NEAR = "near"
    """A word that only stands beside the name: in a call, a flag, a sentence."""


_MASK_CHARACTERS: Final = frozenset("xX*•●·.…_-#?=~ \t")
_SHORT_NUMBER_DIGITS = 8
_ENTROPY_MIN_BITS = 3.5
_ENTROPY_MIN_CHARACTERS = 16
_DRAWN_MIN_CHARACTERS = 8
_KEY_MIN_CHARACTERS = 12
_WORD_LETTERS_MAX = 15

_TEMPLATE = late_pattern(
    r"\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|\$\{[A-Za-z_][\w.\[\]]*(?:\([^(){}]{0,40}\))?(?:[:?+\-/=#%|,][^{}$]{0,80})?\}|\$\([^()]*\)?|%\([A-Za-z_]\w*\)[sdr]"
    r"|\$[A-Z_][A-Z0-9_]{2,}|<[^<>]{1,80}>|\[[A-Za-z_ -]{2,60}\]|#\{[^{}]*\}"
    r"|\{[A-Za-z_][\w.\[\]'\":()-]{0,80}\}|%[sdrvq](?![0-9A-Za-z])|\{\}|\{[0-9]\}|`[^`]*`"
)
_TEMPLATE_SIGN = late_pattern(r"[$%<\[#{`]")
_PLAIN = late_pattern(r"[\w-]+", re.ASCII)
_DIGIT = late_pattern(r"\d")
_LETTER = late_pattern(r"[^\W\d_]")
_LETTER_OR_DIGIT = late_pattern(r"[^\W_]")
_MORE_THAN_LETTERS = late_pattern(r"[\W\d](?<![.-])")
_VARIABLE = late_pattern(
    r"[$@%&*!]([A-Za-z_][\w.:-]*)%?|\$[0-9@*#?]|\$[{(][^})]*[})]?\Z"
    r"|\$[A-Za-z_]\w*(?:(?:->|::|\.)\w+(?:\(\))?|\[['\"\w]*\]|\{\w*\})+|(?:\$[A-Za-z_]\w*[-_./:@]?){2,}"
)
_LOOKUP = late_pattern(
    r"(?:process\.env|os\.environ|os\.getenv|System\.getenv|import\.meta|ENV\[|env\.|getenv|secrets\."
    r"|vars?\.|config\.|settings\.|self\.|this\.|await\b|new\b|lambda\b|func(?:tion)?\b|ENC\[|vault:"
    r"|op://|!Ref|!Sub|!GetAtt|arn:|projects/)"
)
_CALL = late_pattern(r"[A-Za-z_$.]+\([^\n]*\)[;,]?")
_CODE_HEAD = late_pattern(
    r"(?P<name>[A-Za-z_$][\w$]*)(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*(?:\(|\[|\?\.|\.|::|->|\Z)"
)
_CODE_SIGNS = late_pattern(r"\(\)|=>|\)\{|\}\)|\);|\};|&&|\|\||==.")
_TYPE_NAME = late_pattern(
    r"[A-Za-z_][\w.]*(?:Key|Token|Secret|Password|Auth|Credentials?|Provider|Type|Config|Str)",
    re.ASCII,
)
_TOKEN_ALPHABET = late_pattern(r"[\w+/=.~:%|@!#*$&^-]+", re.ASCII)
_NAME_WORD = late_pattern(r"[A-Za-z_$]+[0-9]{0,2}")
_PATH = late_pattern(r"(?:[.~]{0,2}/|[A-Za-z]:\\{1,2}|\.{1,2}\\|file:|https?:|[a-z]{2,10}://)")
_NO_PATH = late_pattern(r"[()^;!|]")
_FILE = late_pattern(
    r"[\w./\\@-]*\.(?:pem|key|crt|cer|pub|json|ya?ml|toml|txt|env|ini|py|[jt]sx?|go|rs|md|html?|sh|conf|cfg|lock|pfx|p12|jks)"
)
_STAMP = late_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]*(?:Z|[+-][0-9:]+)?)?")
_VERSION = late_pattern(r"[\^~>=<v ]{0,3}[0-9]+(?:\.[0-9]+){1,3}(?:[-+][\w.]{0,12})?")
_WORD = late_pattern(r"[^\W\d_]+")
# The underscore is of the words, which \W leaves it to, and in no separator: it cannot backtrack.
_WORDS = late_pattern(r"[^\W\d]+(?:['\-./: ]{1,3}[^\W\d]+)*[.:]?")
_COUNTED = late_pattern(r"[0-9]{1,3}[-+][^\W\d_]+")
_HUMP = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NO_VALUE = late_pattern(
    r"(?:\$\{?[A-Z_]+\}?|%[A-Z_]+%|[.~]{0,2})(?:/[A-Za-z_.-]{1,40})*/?"
    r"|https?://[a-z0-9.-]{1,80}(?::[0-9]{1,5})?(?:/[a-z_.-]{1,40})*/?"
    r"|[a-z_./-]{1,80}\.(?:pem|key|crt|cer|pub|json|ya?ml|toml|txt|env|ini|db|sqlite|log|conf|cfg)"
)
"""A variable, a path, an address without a query or a file: of small letters, and not drawn."""
_DIGITS = late_pattern(r"[0-9]+")
_SEPARATORS = late_pattern(r"[_\-./: ]+")
_NUMBERED_WORD = late_pattern(r"[A-Za-z]{2,14}[0-9]?|[0-9]{1,3}|v[0-9]+")
_ALPHABET = "abcdefghijklmnopqrst"
_NAME_OF_ONE = late_pattern(
    r"[a-z]+(?:[A-Z][a-z]+)*(?:Password|Passphrase|Secret|Token|Key|Credentials?)"
)
_BLANK = late_pattern(r"\s")

_STANDING_WORDS: Final = frozenset(
    "your my our the a an some any insert enter put add paste set use key keys api token tokens "
    "secret secrets password passwords passwd pass pwd pw passphrase passwort kennwort contrasena "
    "senha credential credentials here fake dummy example sample test testing changeme changeit "
    "change me it replace with value values default redacted hidden masked removed omitted "
    "filtered none null nil undefined todo fixme tbd string str text placeholder goes this that "
    "is not real invalid empty blank access auth authorization authentication client user "
    "username login id app service private public env environment var variable config from in of "
    "for to new old current foo bar baz qux demo mock stub na unknown required optional true "
    "false yes no on off type bool boolean int integer number float double char varchar bytes "
    "byte object array list dict map date uuid email name basic bearer oauth jwt sha md hash hmac "
    "digest plain plaintext inherit file path url uri host port server field input output data "
    "label title hint error wrong missing incorrect expired bad weak strong confirm repeat forgot "
    "reset show hide min max length long short enough secretstr option symbol never void self "
    "xxx args kwargs param params arg anthropic openai github gitlab aws google azure slack stripe "
    "admin root header headers cookie session request response provided found valid and or by at "
    "as be can will must should when if then generate generated random encrypted decrypted".split()
)
"""Words that a value may be made of and still hold no secret, as long as it holds no digit."""

_STANDING_WORDS_ELSEWHERE: Final = frozenset(
    "erforderlich falsch richtig ungültig gültig vergessen leer geheim abgelaufen keine keins dein "
    "deine mein meine ihr ihre hier passwort kennwort schlüssel "
    "obligatoire requis requise incorrect incorrecte invalide oublié oubliée vide votre mon ton "
    "aucun aucune ici expiré manquant manquante "
    "obligatoria obligatorio requerida requerido incorrecta incorrecto inválida inválido olvidada "
    "vacía vacío tu su mi aquí ninguna ninguno contraseña clave caducada "
    "obrigatória obrigatório incorreta incorreto esquecida vazia vazio sua seu minha meu aqui "
    "nenhuma nenhum senha expirada "
    "obbligatoria obbligatorio richiesta errata errato dimenticata vuota vuoto tua nessuna "
    "обязательно обязательный обязателен неверный неверно пусто нет ваш мой свой пароль токен "
    "ключ значение строка текст скрыт скрыто здесь".split()
)
"""The same in other languages."""

_FUNCTION_WORDS: Final = frozenset(
    "the a an is are was be to of for with and or in on at by from your my please enter must "
    "should this that it not no if when as will can you we".split()
)


def is_secret(value: str, kind: str, place: Place) -> bool:
    """Whether ``value``, found beside a name of ``kind`` at ``place``, must be hidden.

    ``kind`` is one of `sensitive_keys.KEY_KINDS`. Deterministic, linear in the value.
    """
    if is_placeholder(value):
        return False
    literal = place is Place.MEMBER or place is Place.QUOTED
    if not literal and _is_code(value):
        return False
    if kind == PASSWORD:
        return _is_password(value, place)
    if not literal:
        return looks_drawn(value) and (
            place is Place.SETTING or kind == SECRET or _TOKEN_ALPHABET.fullmatch(value) is not None
        )
    if looks_drawn(value):
        return True
    if kind in {SECRET, KEY} and place is Place.MEMBER:
        return len(value) > 3  # noqa: PLR2004 - `abc`
    if kind == KEY:
        return len(value) >= _KEY_MIN_CHARACTERS and not is_words(value)
    return (place is Place.MEMBER or kind == SECRET) and len(value) > 3 and not is_words(value)  # noqa: PLR2004 - `abc`


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands for a secret, names where it lies, or says something about it."""
    bare = value.strip()
    characters = set(bare)
    if len(characters) < 2 or characters <= _MASK_CHARACTERS:  # noqa: PLR2004 - one, repeated
        return True
    if _PLAIN.fullmatch(bare) and not bare.isdecimal():
        if _is_masked(bare) or _LOOKUP.match(bare):
            return True
        return _STAMP.fullmatch(bare) is not None or _is_standing(bare)
    if MARKER_START in bare:
        return True
    if bare[0] == "{" and bare[-1] == "}" and looks_random(inner := bare.strip("{}")):
        bare = inner
    if (variable := _VARIABLE.fullmatch(bare)) is not None and not looks_random(variable[1] or ""):
        return True
    if bare.isdecimal():
        return len(bare) < _SHORT_NUMBER_DIGITS
    if _is_masked(bare) or _LOOKUP.match(bare) or _CALL.fullmatch(bare):
        return True
    if _TEMPLATE_SIGN.search(bare) and (rest := _TEMPLATE.sub("", bare)) != bare:
        return not looks_drawn(rest.strip())
    return _is_located(bare) or _is_prose(bare) or _is_standing(bare)


def _is_masked(value: str) -> bool:
    """`xxxx-1234`, `abcd****`, `sk-...`: a part is shown, the secret part is not."""
    lowered = value.lower()
    if _ALPHABET in lowered or "****" in value or "xxxx" in lowered or "…" in value or "•" in value:
        return True
    if value.endswith("...") and len(value) < 60:  # noqa: PLR2004 - a head and three dots
        return True
    size = len(value)
    if size < _DRAWN_MIN_CHARACTERS or len(set(value)) * 5 > size * 2 + 5:
        return False  # so many characters that none of them can be three in five
    return max(Counter(value).values()) * 5 >= size * 3


def _is_located(value: str) -> bool:
    """A path, a file name, a URL, an instant or a version: it says where or when, not what."""
    if _STAMP.fullmatch(value) or _VERSION.fullmatch(value) or _FILE.fullmatch(value):
        return True
    if not _PATH.match(value) or _NO_PATH.search(value):
        return False
    parts = re.split(r"[/\\?=&]", value)
    return not any(looks_random(part) for part in parts) or value.startswith(("http:", "https:"))


def _is_prose(value: str) -> bool:
    """Several words, or words of a script that writes without blanks."""
    if any(character > "\u2e7f" for character in value) and not any(
        character.isascii() and character.isalnum() for character in value
    ):
        return True
    if not _BLANK.search(value):
        return False
    words = value.split()
    plain = [word.strip(".,;:!?\"'()[]{}<>`").replace("'", "").replace("-", "") for word in words]
    lettered = [word for word in plain if word.isalpha()]
    if len(lettered) < 2 or len(lettered) * 2 < len(words):  # noqa: PLR2004 - one word is no prose
        return False
    return not _is_word_list(plain)


def _is_word_list(words: list[str]) -> bool:
    """Four words or more, all lower case and none of them grammar: a drawn pass phrase."""
    if not 4 <= len(words) <= 24:  # noqa: PLR2004 - dice-ware has 4 to 8, recovery phrases to 24
        return False
    return all(
        word.isascii() and word.isalpha() and word.islower() and word not in _FUNCTION_WORDS
        for word in words
    )


def is_standing_word(word: str) -> bool:
    """Whether a word in lower case says something about secrets or settings, and is none."""
    return word in _STANDING_WORDS


def _is_standing(value: str) -> bool:
    """`your-api-key`, `changeme`, `SECRET_TOKEN`: words about secrets, no digit among them."""
    if _DIGIT.search(value):
        return False
    words = _words(value)
    if not words or sum(map(len, words)) * 4 < len(value) * 3:
        return False
    if _NAME_OF_ONE.fullmatch(value) or all(map(_stands, words)):
        return True
    return (
        value.replace("_", "").isupper() and "_" in value and value.replace("_", "").isalpha()
    ) or any(
        mark in value.lower() for mark in ("changeme", "placeholder", "your_", "your-", "_here")
    )


def _words(value: str) -> list[str]:
    """The words of a value in lower case, camelCase parted."""
    return [
        hump.lower()
        for word in _WORD.findall(value)
        for hump in (_HUMP.findall(word) if word.isascii() else ()) or [word]
    ]


def _stands(word: str) -> bool:
    return word in _STANDING_WORDS or word in _STANDING_WORDS_ELSEWHERE or len(word) == 1


def is_exact_placeholder(value: str) -> bool:
    """Whether ``value``, which a person calls a secret, cannot be one: all of it is a template, a
    mask, a variable, words about secrets, a short number, or says where or when.

    It asks for more than `is_placeholder`: here nothing that only resembles one may be left out.
    """
    if set(value) <= _MASK_CHARACTERS or _TEMPLATE.fullmatch(value) or _NO_VALUE.fullmatch(value):
        return True
    if value.isdecimal():
        return len(value) < _SHORT_NUMBER_DIGITS
    if _STAMP.fullmatch(value) or _VERSION.fullmatch(value):
        return True
    words = _words(value)
    return bool(words) and _DIGIT.search(value) is None and all(map(_stands, words))


def _is_code(value: str) -> bool:
    """An expression of a programming language that yields the value: a call, a lookup, a member."""
    if value[0] in "([{:)|" or value.endswith("{") or _CODE_SIGNS.search(value):
        return True
    if _TYPE_NAME.fullmatch(value):
        return True
    head = _CODE_HEAD.match(value)
    if head is None or head.end() == head.end("name") or not _NAME_WORD.fullmatch(head["name"]):
        return False
    called = value[head.end() - 1] in "(["
    return called or not any(looks_random(part) for part in re.split(r"\W+", value))


def is_words(value: str) -> bool:
    """Nothing but pronounceable words: letters only, in humps or parts no longer than words are."""
    return _WORDS.fullmatch(value) is not None and all(map(_is_worded, _WORD.findall(value)))


def _is_worded(part: str) -> bool:
    humps = _HUMP.findall(part) or [part]
    if max(map(len, humps)) > _WORD_LETTERS_MAX:
        return False
    return len(part) < _DRAWN_MIN_CHARACTERS or len(part) >= len(humps) * 3


def _is_password(value: str, place: Place) -> bool:
    if not _LETTER_OR_DIGIT.search(value):
        return False
    if place is Place.MEMBER or place is Place.QUOTED:
        return len(value) > 3  # noqa: PLR2004 - `abc`
    if not _MORE_THAN_LETTERS.search(value):
        return place is Place.SETTING and len(value) > 5 and value.islower() and value.isalpha()  # noqa: PLR2004 - `admin`
    if place is Place.SETTING:
        return len(value) > 3  # noqa: PLR2004 - `a1b2`
    return (
        len(value) > 5  # noqa: PLR2004 - `hunter2`
        and _BLANK.search(value) is None
        and _COUNTED.fullmatch(value) is None
    )


def looks_drawn(value: str) -> bool:
    """Whether ``value`` looks drawn at random: letters and digits, or high entropy.

    High entropy is Shannon >= 3.5 bits a character over >= 16 characters that are not words.
    """
    if len(value) < _DRAWN_MIN_CHARACTERS or _BLANK.search(value):
        return False
    runs = _DIGITS.findall(value)
    if runs and _LETTER.search(value):
        return not _is_numbered_words(value, runs)
    if runs:
        return value.isdecimal()
    return (
        len(value) >= _ENTROPY_MIN_CHARACTERS
        and entropy_bits(value) >= _ENTROPY_MIN_BITS
        and not is_words(value)
    )


def _is_numbered_words(value: str, runs: list[str]) -> bool:
    """Words with a short number between or behind them, as in `oauth2-proxy` or `MyToken2`."""
    if len(runs) == 1 and len(runs[0]) < 3 and is_words(_DIGITS.sub("", value)):  # noqa: PLR2004 - `2`, `64`
        return True
    parts = [part for part in _SEPARATORS.split(value) if part]
    return len(parts) > 1 and len(value) < 40 and all(map(_NUMBERED_WORD.fullmatch, parts))  # noqa: PLR2004 - names are short


def looks_random(part: str) -> bool:
    """Whether one word holds several numbers among its letters, over eight characters or more."""
    return (
        len(part) >= _DRAWN_MIN_CHARACTERS
        and len(_DIGITS.findall(part)) > 1
        and _LETTER.search(part) is not None
    )


def entropy_bits(value: str) -> float:
    """Shannon entropy of the characters of ``value``, in bits a character; 0.0 for none."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())
