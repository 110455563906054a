"""Which names promise a secret: of a JSON member, a variable, a header, a flag, a form field.

Law: a name is cut into segments (camelCase and punctuation), and its *last* segment decides; what
stands before it may only refuse (`next_page_token`) or admit (`api` before `key`). Values are
judged elsewhere: a sensitive name beside a placeholder hides nothing.
"""

import functools
import unicodedata
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.hidden_characters import plain_view
from recense.limits import SENSITIVE_NAME_BYTES_MAX

PASSWORD: Final = "password"
SECRET: Final = "secret"
TOKEN: Final = "token"
KEY: Final = "key"
CREDENTIAL: Final = "credential"

KEY_KINDS: Final = frozenset({PASSWORD, SECRET, TOKEN, KEY, CREDENTIAL})
"""Kinds of finding that a name alone can give."""

_LAST: Final = {
    "password": PASSWORD,
    "passwd": PASSWORD,
    "pwd": PASSWORD,
    "psw": PASSWORD,
    "pswd": PASSWORD,
    "passphrase": PASSWORD,
    "passcode": PASSWORD,
    "passwort": PASSWORD,
    "kennwort": PASSWORD,
    "contrasena": PASSWORD,
    "senha": PASSWORD,
    "mdp": PASSWORD,
    "secret": SECRET,
    "token": TOKEN,
    "apikey": KEY,
    "credential": CREDENTIAL,
    "credentials": CREDENTIAL,
    "creds": CREDENTIAL,
    "psk": PASSWORD,
    "auth": CREDENTIAL,
    "authorization": CREDENTIAL,
}
"""Last segments that are sensitive whatever stands before them."""

_AFTER_OWNER: Final = {"pass": PASSWORD, "pw": PASSWORD, "pat": TOKEN, "login": KEY}
"""Last segments too short to mean a secret alone; the segment before must own one."""

_SHORT_OWNERS: Final = frozenset(
    "admin auth cloudant database db email ftp github gitlab http imap jira ldap login mail mongo "
    "mqtt mysql my pg postgres proxy rabbitmq redis root sl smtp ssh sonar sql sudo svc sys user "
    "vnc wifi azure devops app bot".split()
)

_GLUED: Final = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "passwort",
    "kennwort",
)
"""Words that stay recognisable at the end of a segment in one case, as in PGPASSWORD."""

_KEY_OWNERS: Final = frozenset(
    "access account aes api app application auth authentication client consumer decryption deploy "
    "encryption function functions hmac jwt kms license licence master private rsa secret server "
    "service shared signature signing ssh storage subscription webhook crypto cipher wallet "
    "integration write admin root".split()
)
"""`key` is sensitive only behind one of these."""

_VENDORS: Final = (
    "adafruit adobe airtable algolia alibaba anthropic artifactory asana atlassian aws azure "
    "beamer bitbucket bittrex cloudant cloudflare codecov cohere coinbase confluent contentful "
    "databricks datadog deepseek digitalocean discord dropbox droneci dynatrace easypost elastic "
    "endorlabs etsy facebook fastly finicity finnhub flickr freemius freshbooks gemini github "
    "gitlab gitter gocardless google grafana groq heroku hubspot huggingface ibm intercom jfrog "
    "kraken kucoin launchdarkly "
    "linkedin lob looker mailchimp mailgun mapbox mattermost meraki messagebird mistral netlify "
    "newrelic notion nytimes okta openai openrouter paypal pinecone plaid privateai rapidapi "
    "sendbird sendgrid sendinblue sentry shippo shodan shopify slack snyk softlayer sonar square "
    "squarespace stripe sumo sumologic telegram together travisci trello twilio twitch twitter "
    "typeform vault yandex zendesk"
).split()

_KEY_OWNERS_ALL: Final = _KEY_OWNERS | frozenset(_VENDORS)

_REFUSING: Final = frozenset(
    "next page pagination continuation csrf xsrf csrfmiddleware cancellation bos eos pad unk mask "
    "sep cls stop start end special idempotency lock starting creation change cursor design "
    "syntax forgot forget reset show hide toggle has is needs need requires require no without "
    "invalid wrong missing incorrect weak use".split()
)
"""Segments that turn `token`, `password` and their like into a cursor or a question."""

_NAMES_OF_OTHERS: Final = ("auth0",)
"""Names of products that end like a sensitive name with a number."""

_QUALIFIERS: Final = frozenset(
    "prod production dev staging live test old new value plain plaintext cleartext secure".split()
)
"""Last segments that only qualify the one before: DB_PASSWORD_PROD."""

_PHRASES: Final = {
    # Chinese
    "密码": PASSWORD,
    "密碼": PASSWORD,
    "口令": PASSWORD,
    "密钥": KEY,
    "密鑰": KEY,
    "秘钥": KEY,
    "私钥": KEY,
    "私鑰": KEY,
    "令牌": TOKEN,
    "权杖": TOKEN,
    "權杖": TOKEN,
    "凭证": CREDENTIAL,
    "憑證": CREDENTIAL,
    "凭据": CREDENTIAL,
    "金钥": KEY,
    "金鑰": KEY,
    "暗号": PASSWORD,
    # Japanese
    "パスワード": PASSWORD,
    "パスフレーズ": PASSWORD,
    "暗証番号": PASSWORD,
    "合言葉": PASSWORD,
    "シークレット": SECRET,
    "トークン": TOKEN,
    "秘密鍵": KEY,
    "暗号鍵": KEY,
    "apiキー": KEY,
    "アクセスキー": KEY,
    "シークレットキー": KEY,
    "パスコード": PASSWORD,
    "認証情報": CREDENTIAL,
    "資格情報": CREDENTIAL,
    # Russian
    "пароль": PASSWORD,
    "пароля": PASSWORD,
    "парольная фраза": PASSWORD,
    "секрет": SECRET,
    "токен": TOKEN,
    "токен доступа": TOKEN,
    "токена": TOKEN,
    "пин-код": PASSWORD,
    "ключ шифрования": KEY,
    "апи-ключ": KEY,
    "секретный ключ": KEY,
    "закрытый ключ": KEY,
    "приватный ключ": KEY,
    "ключ доступа": KEY,
    "ключ api": KEY,
    "api-ключ": KEY,
    "учётные данные": CREDENTIAL,
    "учетные данные": CREDENTIAL,
    # German
    "passwort": PASSWORD,
    "kennwort": PASSWORD,
    "zugangscode": PASSWORD,
    "geheimnis": SECRET,
    "zugriffstoken": TOKEN,
    "zugangstoken": TOKEN,
    "api-schlüssel": KEY,
    "geheimer schlüssel": KEY,
    "privater schlüssel": KEY,
    "zugriffsschlüssel": KEY,
    "zugangsschlüssel": KEY,
    "losungswort": PASSWORD,
    "sicherheitsschlüssel": KEY,
    "zugangsdaten": CREDENTIAL,
    # French
    "mot de passe": PASSWORD,
    "phrase secrète": PASSWORD,
    "phrase de passe": PASSWORD,
    "jeton": TOKEN,
    "jeton d'accès": TOKEN,
    "clé secrète": KEY,
    "clé privée": KEY,
    "clé api": KEY,
    "clé d'api": KEY,
    "clé d'accès": KEY,
    "clé de chiffrement": KEY,
    "code secret": PASSWORD,
    "identifiants": CREDENTIAL,
    # Spanish
    "contraseña": PASSWORD,
    "clave de cifrado": KEY,
    "clave de acceso": PASSWORD,
    "frase de contraseña": PASSWORD,
    "secreto": SECRET,
    "token de acceso": TOKEN,
    "clave secreta": KEY,
    "clave privada": KEY,
    "clave api": KEY,
    "clave de api": KEY,
    "credenciales": CREDENTIAL,
    # Portuguese
    "senha": PASSWORD,
    "palavra-passe": PASSWORD,
    "frase secreta": PASSWORD,
    "segredo": SECRET,
    "token de acesso": TOKEN,
    "chave secreta": KEY,
    "chave privada": KEY,
    "chave api": KEY,
    "chave de api": KEY,
    "chave da api": KEY,
    "chave de acesso": KEY,
    "credenciais": CREDENTIAL,
    "chave de criptografia": KEY,
    # Italian
    "parola d'ordine": PASSWORD,
    "parola chiave segreta": PASSWORD,
    "token di accesso": TOKEN,
    "chiave segreta": KEY,
    "chiave privata": KEY,
    "chiave api": KEY,
    "chiave di accesso": KEY,
    "chiave d'accesso": KEY,
    "credenziali": CREDENTIAL,
    # Korean
    "비밀번호": PASSWORD,
    "패스워드": PASSWORD,
    "암호": PASSWORD,
    "시크릿": SECRET,
    "토큰": TOKEN,
    "api 키": KEY,
    "비밀 키": KEY,
    "비밀키": KEY,
    "시크릿 키": KEY,
    "개인 키": KEY,
    "액세스 키": KEY,
    "암호화 키": KEY,
    "자격 증명": CREDENTIAL,
}
"""Names in other languages, lower case; a blank stands for a blank, a hyphen or an underscore."""

_SEGMENT = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_JOINTS = late_pattern(r"[\s_\-]+")


@functools.lru_cache(maxsize=4096)
def sensitive_kind(name: str) -> str | None:
    """The kind of secret that a name promises, or None.

    Deterministic. A name is any string; one over `SENSITIVE_NAME_BYTES_MAX` promises nothing.
    """
    if not name or len(name) > SENSITIVE_NAME_BYTES_MAX:
        return None
    if (plain := plain_view(name)) is not None:
        name = plain.text
    if not name.isascii():
        return _foreign_kind(name)
    segments = [segment.lower() for segment in _SEGMENT.findall(name.replace("OAuth", "Oauth"))]
    while len(segments) > 1 and (segments[-1].isdigit() or segments[-1] in _QUALIFIERS):
        segments.pop()
    if not segments or name.lower().endswith(_NAMES_OF_OTHERS):
        return None
    return _last_segment_kind(segments) or _spelled_kind(name)


def _last_segment_kind(segments: list[str]) -> str | None:
    last, before = segments[-1], segments[:-1]
    if not _REFUSING.isdisjoint(before):
        return None
    if (kind := _LAST.get(last)) is not None:
        return kind
    owner = before[-1] if before else ""
    if last == "pass" and not before:
        return CREDENTIAL
    if last in _AFTER_OWNER:
        return _AFTER_OWNER[last] if owner in _SHORT_OWNERS else None
    if last == "key":
        if owner.endswith("api"):
            return KEY
        return KEY if owner in _KEY_OWNERS_ALL or not _KEY_VENDORS.isdisjoint(before) else None
    return _glued_kind(last)


_KEY_VENDORS: Final = frozenset(_VENDORS)


def _glued_kind(segment: str) -> str | None:
    for word in _GLUED:
        if segment.endswith(word):
            stem = segment.removesuffix(word)
            refused = stem.startswith(_GLUED_REFUSING) or stem.endswith(_GLUED_REFUSING)
            return None if refused else _LAST[word]
    if segment.endswith("key") and segment.removesuffix("key") in _KEY_OWNERS_ALL:
        return KEY
    return None


_GLUED_REFUSING: Final = ("nextpage", "next", "csrf", "xsrf", "pagination", "forgot", "reset")


def _spelled_kind(name: str) -> str | None:
    """The kind of a name that ends in ASCII words of another language, as `db_mot_de_passe`."""
    words = _JOINTS.sub(" ", name.lower()).split()
    for first in range(max(0, len(words) - _SPELLED_WORDS_MAX), len(words)):
        kind = _SPELLED.get(" ".join(words[first:]))
        if kind is not None:
            return kind if _REFUSING.isdisjoint(words[:first]) else None
    return None


def _foreign_kind(name: str) -> str | None:
    spelled = _JOINTS.sub(" ", unicodedata.normalize("NFC", name).lower().replace("’", "'"))
    held = (phrase for phrase in _SPELLED if not phrase.isascii() and phrase in spelled)
    longest = max(held, key=len, default=spelled.strip())
    return _SPELLED.get(longest)


_SPELLED: Final = {_JOINTS.sub(" ", phrase): kind for phrase, kind in _PHRASES.items()}
_SPELLED_WORDS_MAX: Final = max(phrase.count(" ") for phrase in _SPELLED) + 1


def _spelling(phrase: str) -> bytes:
    """A phrase as a pattern over UTF-8 bytes, in any case, its accents composed or not."""
    return b"".join(map(_letter, phrase))


def _letter(letter: str) -> bytes:
    if letter in " -":
        return rb"[ _-]?"
    if letter == "'":
        return rb"(?:'|\xe2\x80\x99)"
    if letter.isascii():
        return f"[{letter}{letter.upper()}]".encode() if letter.isalpha() else letter.encode()
    cases = {letter, letter.upper()}
    forms = {unicodedata.normalize(form, case) for case in cases for form in ("NFC", "NFD")}
    return rb"(?:" + rb"|".join(sorted(form.encode() for form in forms)) + rb")"


_SUFFIX: Final = (
    rb"(?:[-_]?(?i:"
    + rb"|".join(word.encode() for word in sorted(_QUALIFIERS))
    + rb"))?(?:_?[0-9]{1,2})?"
)


def _ascii_spellings(*, of_password: bool) -> bytes:
    """The phrases in ASCII, longest first: `token de acceso` is not `token`."""
    phrases = (
        phrase
        for phrase, kind in _PHRASES.items()
        if phrase.isascii() and (kind == PASSWORD) is of_password
    )
    return rb"|".join(map(_spelling, sorted(phrases, key=lambda each: (-len(each), each))))


_PASSWORD_WORDS: Final = (
    rb"(?i:"
    + _ascii_spellings(of_password=True)
    + rb"|pass(?:word|wd|phrase|code|wort)|ps?wd|pswd|psk|kennwort|contrasena|senha|mdp)"
    + rb"|[_-](?i:pass|pw)|[\"']pass|[a-z0-9](?:Pass|Pw)"
)
_OTHER_WORDS: Final = (
    rb"(?i:"
    + _ascii_spellings(of_password=False)
    + rb"|secret|token|credentials?|creds|auth(?:orization)?|sonar[._-]?login|(?:access|api|account"
    rb"|client|encryption|license|master|private|secret|service|shared|signing|ssh)[ .]?key"
    rb")|[_-](?i:key|pat)|[a-z0-9](?:Key|Pat)"
)

PASSWORD_PATTERN: Final = rb"(?:" + _PASSWORD_WORDS + rb")" + _SUFFIX
"""The part of `KEY_PATTERN` whose value may be a plain word."""

KEY_PATTERN: Final = rb"(?:" + _PASSWORD_WORDS + rb"|" + _OTHER_WORDS + rb")" + _SUFFIX
"""RE2 over UTF-8 bytes read as Latin-1: what a sensitive name in ASCII may end with. A superset:
whether the whole name is sensitive is for `sensitive_kind` to say."""

FOREIGN_KEY_PATTERN: Final = (
    rb"(?:"
    + rb"|".join(
        _spelling(phrase)
        for phrase in sorted(_PHRASES, key=lambda each: (-len(each), each))
        if not phrase.isascii()
    )
    + rb")"
    + _SUFFIX
)
"""As `KEY_PATTERN`, for names that are not ASCII: a text in ASCII need not be searched for them."""
