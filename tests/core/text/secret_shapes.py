"""Invented secrets, one or more of every shape that redaction promises to hide, and look-alikes.

Every secret is put together from parts, so that no scanner takes this file for a leak, and none of
them has ever opened anything. Other tests store `text` by every way in and then look for `secret`
in the raw bytes of the store.
"""

import base64
from typing import NamedTuple

from hypothesis import strategies as st


class SecretShape(NamedTuple):
    """A line that a person or a program might write, and the part of it that must never survive."""

    name: str
    text: str
    secret: str


def _shape(name: str, before: str, secret: str, after: str = "") -> SecretShape:
    return SecretShape(name, before + secret + after, secret)


_UPPER = "Q7ZK2M9XW4TB6RJ8HD3VNPLC5FYGSA"
_MIXED = "Zr7Kq2MvX9tB4wLhD8nPc3FyGs6JaU5eRkTo1iWmQbVx0zN7dHpC2fY"
_HEX = "3f9a1c7e5b2d8046e1f7a93c0d5b8e24" + "7c6a91f0b3d2e85a4f1c7d96a2e80b35"
_UUID = "7c1e94f2-5b3a-4d68-9f20-c8e61a7d4b35"
_B64URL = "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
_CLAIMS = "eyJ" + "zdWIiOiJpbnZlbnRlZC1wZXJzb24iLCJpYXQiOjE3MDB9"


def _pem(kind: str, line_break: str) -> str:
    lines = [_MIXED[:48] + str(n) for n in range(4)]
    head, tail = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    return line_break.join([head, *lines, tail])


_PEM_BODY = _MIXED[:48] + "2"
_BASIC = base64.b64encode(b"nadia:" + b"Winter-orchid-41").decode()

SHAPES: tuple[SecretShape, ...] = (
    # our own
    _shape(
        "recense key",
        "Authorization: Bearer ",
        "rc" + "l_k7wq2mzx4tb6rj5h_" + "your" + (_MIXED.lower().replace("0", "o") * 2)[:48],
    ),
    # clouds
    _shape("aws access key", "aws_access_key_id = ", "AK" + "IA" + _UPPER[:16]),
    _shape("aws session key", "export AWS_ACCESS_KEY_ID=", "AS" + "IA" + _UPPER[2:18]),
    _shape("aws secret key", "aws_secret_access_key = ", _MIXED[:20] + "/" + _MIXED[20:39]),
    _shape(
        "aws pair in a table", "AK" + "IA" + _UPPER[1:17] + ",", _MIXED[3:23] + "+" + _MIXED[22:41]
    ),
    _shape(
        "google api key",
        "curl 'https://maps.test/geocode?key=",
        "AI" + "za" + "Sy" + _MIXED[:33],
        "'",
    ),
    _shape("google oauth token", "access: ", "ya" + "29." + _MIXED + "-" + _MIXED[:12]),
    _shape("google client secret", "the client has ", "GOC" + "SPX-" + _MIXED[:28], " now"),
    SecretShape(
        "google service account",
        '{"type": "service_account", "private_key": "' + _pem("PRIVATE " + "KEY", "\\n") + '\\n"}',
        _PEM_BODY,
    ),
    _shape(
        "azure storage key",
        "AccountName=inv;AccountKey=",
        _MIXED + _MIXED[:33] + "==",
        ";EndpointSuffix=x",
    ),
    _shape("azure sas", "https://inv.blob.test/c?sv=2024-11-04&se=2027&sig=", _MIXED[:43] + "%3D"),
    _shape("azure client secret", "set it to ", _MIXED[:3] + "8Q" + "~" + _MIXED[3:37], " please"),
    _shape("alibaba access key", "accessKeyId: ", "LT" + "AI" + "5t" + _MIXED[:18]),
    _shape("digitalocean token", "doctl auth init -t ", "dop" + "_v1_" + _HEX),
    _shape("vault token", "VAULT: ", "hv" + "s." + _MIXED[:28]),
    _shape("heroku key", "HEROKU_API_KEY=", _UUID),
    _shape(
        "tailscale key",
        "tailscale up --authkey ",
        "tskey" + "-auth-" + "kQ3vN7CNTRL-" + _MIXED[:24],
    ),
    # code hosts and packages
    _shape("github token", "git clone https://x.test with ", "gh" + "p_" + _MIXED[:36]),
    _shape("github oauth token", "GH=", "gh" + "o_" + _MIXED[1:37]),
    _shape("github app token", "token ", "gh" + "s_" + _MIXED[2:38], "."),
    _shape(
        "github fine-grained token",
        "use ",
        "github" + "_pat_" + _MIXED[:22] + "_" + _MIXED[:45],
        "!",
    ),
    _shape("gitlab token", "PRIVATE-TOKEN: ", "gl" + "pat-" + _MIXED[:20]),
    _shape("npm token", "//registry.test/:_authToken=", "np" + "m_" + _MIXED[:36]),
    _shape(
        "pypi token", "twine upload -u __token__ -p ", "py" + "pi-AgEIcHlwaS5vcmc" + _MIXED + _MIXED
    ),
    _shape("rubygems token", "gem push --key ", "rubygems" + "_" + _HEX[:48]),
    _shape("docker token", "docker login -u inv -p ", "dckr" + "_pat_" + _MIXED[:27]),
    # chat and mail
    _shape("slack bot token", "SLACK=", "xo" + "xb-" + "472910385621-5830174926351-" + _MIXED[:24]),
    _shape("slack app token", "socket: ", "xa" + "pp-" + "1-A0INVENT1-58301749263-" + _HEX[:60]),
    _shape(
        "slack webhook",
        "curl https://hooks.slack" + ".com/services/",
        "T0INVENT1/B0INVENT2/" + _MIXED[:24],
    ),
    _shape(
        "discord webhook",
        "https://discord" + ".com/api/webhooks/",
        "112233445566778899/" + _MIXED[:50] + _MIXED[:18],
    ),
    _shape("sendgrid key", "MAIL=", "S" + "G." + _MIXED[:22] + "." + _MIXED[:43]),
    _shape("mailgun key", "mailgun uses ", "ke" + "y-" + _HEX[:32]),
    _shape("twilio key", "sid ", "S" + "K" + _HEX[:32]),
    _shape(
        "telegram token",
        "https://api.telegram.test/bot",
        "5830174926:" + "AA" + _MIXED[:33],
        "/getMe",
    ),
    # payments
    _shape("stripe secret key", "stripe login --api-key ", "sk" + "_live_" + _MIXED[:24]),
    _shape("stripe restricted key", "key=", "rk" + "_live_" + _MIXED[4:40]),
    _shape("stripe webhook secret", "endpoint secret ", "wh" + "sec_" + _MIXED[:32]),
    _shape("square token", "square: ", "sq" + "0atp-" + _MIXED[:22]),
    _shape("shopify token", "X-Shopify-Access-Token: ", "shp" + "at_" + _HEX[:32]),
    # models
    _shape(
        "openai key", "OPENAI_API_KEY=", "sk" + "-" + _MIXED[:20] + "T3Blbk" + "FJ" + _MIXED[20:40]
    ),
    _shape(
        "openai project key",
        "client = OpenAI('",
        "sk" + "-proj-" + _MIXED + "_" + _MIXED[:20],
        "')",
    ),
    _shape(
        "anthropic key", "x-api-key: ", "sk" + "-ant-api03-" + _MIXED + "-" + _MIXED[:30] + "AA"
    ),
    _shape(
        "hugging face token",
        "huggingface-cli login --token ",
        "h" + "f_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi",
    ),
    _shape("groq key", "groq: ", "gs" + "k_" + _MIXED[:52]),
    _shape("xai key", "grok uses ", "xa" + "i-" + _MIXED + _MIXED[:32]),
    _shape("replicate token", "replicate ", "r" + "8_" + _MIXED[:37]),
    # databases and brokers
    _shape(
        "postgres url",
        "DATABASE_URL=postgresql://app:",
        "v3ry-" + "l0ng-Pa55",
        "@db.internal:5432/app",
    ),
    _shape(
        "mongodb url",
        "mongodb+srv://svc:",
        "Tr0ub4dor" + "and3",
        "@cluster0.test/?retryWrites=true",
    ),
    _shape("redis url", "redis://:", "s0me" + "Redis9Pass", "@cache.test:6379/0"),
    _shape("amqp url", 'broker = "amqp://bus:', "rAbb1t" + "H0le", '@mq.test/vhost"'),
    _shape(
        "sql server string", "Server=db;User Id=sa;Password=", "Str0ng" + "!Pass9", ";Encrypt=true"
    ),
    # tokens of no one issuer
    _shape("jwt", "session ", _B64URL + "." + _CLAIMS + "." + _MIXED[:43], " expired"),
    SecretShape("rsa key", "cat id_rsa\n" + _pem("RSA PRIVATE " + "KEY", "\n") + "\n$", _PEM_BODY),
    SecretShape("openssh key", _pem("OPENSSH PRIVATE " + "KEY", "\n"), _PEM_BODY),
    SecretShape("escaped key", 'KEY="' + _pem("EC PRIVATE " + "KEY", "\\n") + '"', _PEM_BODY),
    # headers
    _shape("bearer header", "Authorization: Bearer ", _HEX[:40]),
    _shape("basic header", '-H "Authorization: Basic ', _BASIC, '"'),
    _shape("token header", "authorization: token ", _HEX[:40]),
    _shape("cookie header", "Cookie: ", "sessionid=" + _HEX[:32] + "; theme=dark"),
    _shape("set-cookie header", "Set-Cookie: ", "sid=" + _MIXED[:30], "; Path=/; HttpOnly"),
    _shape("bearer in prose", "they sent Bearer ", _MIXED[:32], " to the wrong host"),
    # commands
    _shape("password flag", "vaultctl login --password ", "Gr3en-" + "lantern"),
    _shape("password flag with equals", "pg_dump --password=", "corn" + "fl0wer", " app"),
    _shape("mysql attached", "mysql -u root -p'", "B1ue" + "-whale!", "' app"),
    _shape("curl user", "curl -u nadia:", "0range" + "Juice7", " https://x.test"),
    _shape("sshpass", "sshpass -p ", "p1ne" + "apple!", " ssh nadia@host.test"),
    _shape("sudo over a pipe", "echo ", "Su" + "d0-me-now", " | sudo -S apt update"),
    _shape("prompt echoed", "[sudo] password for nadia: ", "m00n" + "shine!"),
    _shape(
        "pass phrase prompt", "Enter passphrase for key '/home/n/.ssh/id': ", "tide" + "-P00l-9"
    ),
    # structures
    _shape("json member", '{"user": "nadia", "password": "', "hun" + "ter2", '"}'),
    _shape("json in json", '{"body": "{\\"client_secret\\": \\"', _MIXED[:24], '\\"}"}'),
    _shape("json number", '{"password": ', "8402" + "917365", "}"),
    _shape("yaml", "db:\n  password: ", "Sn0w" + "-fall", "\n  host: db"),
    _shape("toml", 'api_token = "', _HEX[:32], '"'),
    _shape("dotenv", "SMTP_PASSWORD=", "letters" + "only", "\nSMTP_PORT=25"),
    _shape("xml", "<server><password>", "Qu1et" + "-river", "</password></server>"),
    _shape("query string", "GET /cb?state=1&access_token=", _HEX[:36], "&scope=all"),
    _shape("code", 'const apiKey = "', _MIXED[:32], '";'),
    _shape("name and value", '{"name": "DB_PASSWORD", "value": "', "f0rest" + "-Path", '"}'),
    # words for the same keys
    _shape("chinese", "数据库密码：", "Xi4o" + "mao2024", "，请勿外传"),
    _shape("chinese copula", "他的密码是", "pa" + "nda8888"),
    _shape("japanese", "パスワード: ", "sa" + "kura77"),
    _shape("russian", "Пароль: ", "zi" + "ma-2025"),
    _shape("german", "Passwort: ", "Ka" + "ktus99!"),
    _shape("french", "mot de passe : ", "fro" + "mage42"),
    _shape("spanish", "La contraseña es ", "gir" + "asol88"),
    _shape("portuguese", "senha: ", "ab" + "acaxi55"),
    # one-time codes
    _shape("one-time code", "Your verification code is ", "48" + "2913"),
    _shape("short one-time code", "OTP: ", "72" + "05"),
    _shape("chinese one-time code", "您的验证码是", "93" + "1847", "，5分钟内有效"),
    _shape("own one-time code", "the code is ", "83" + "4219"),
    _shape("one-time code before its word", "use it soon: ", "61" + "8340", " is your login code"),
    _shape("russian one-time code", "Ваш код: ", "57" + "2094"),
    _shape("french one-time code", "Votre code est ", "29" + "6183"),
    _shape("japanese one-time code", "認証コードは", "74" + "0629", "です"),
    # hidden from the eye
    _shape("terminal colour inside a token", "key AK" + "IA\x1b[31m", _UPPER[:16], "\x1b[0m"),
    _shape("terminal colours before a value", "password:\x1b[0m \x1b[1m", "gra" + "pefruit5x"),
    _shape("terminal link inside a value", "token=Zr7K\x1b]8;;https://x.test\x07", _MIXED[9:30]),
    _shape("spelled colour inside a token", "gl" + "pat-\\u001b[1m", _MIXED[:20]),
    _shape("zero-width space inside a token", "gh" + "p_" + _MIXED[:18] + "\u200b", _MIXED[18:36]),
    _shape("joiner in a name", "pass\u2060word = ", "Tang" + "erine-88"),
    # more words for the same keys
    _shape("chinese access key", "访问密钥：", _MIXED[5:29]),
    _shape("chinese renewal", "密码已改为 ", "lon" + "gjing2031"),
    _shape("japanese quotes", "パスワードは「", "yu" + "zu-4417", "」です"),
    _shape("japanese secret key", "シークレットキー＝", _MIXED[6:30]),
    _shape("russian secret key", "секретный ключ = ", _MIXED[7:31]),
    _shape("russian of whom", "пароль от базы: ", "ryab" + "ina-93"),
    _shape("german sentence", "Das Passwort lautet ", "Hol" + "under-27"),
    _shape("german key", "API-Schlüssel: ", _MIXED[8:32]),
    _shape("french key", "clé d'API : ", _MIXED[9:33]),
    _shape("spanish of whom", "contraseña del servidor: ", "al" + "mendro61"),
    _shape("portuguese sentence", "a senha é ", "jabu" + "ticaba7"),
    _shape("italian key", "chiave segreta: ", _MIXED[10:34]),
    _shape("korean", "비밀번호: ", "mu" + "gunghwa3"),
    _shape("english of whom", "password for the staging db: ", "ha" + "zelnut-64"),
    _shape("english renewal", "I changed the password to ", "mul" + "berry-58"),
    # more of what programs write
    SecretShape(
        "key escaped twice",
        '{"env": "{\\"KEY\\": \\"' + _pem("RSA PRIVATE " + "KEY", "\\\\n") + '\\"}"}',
        _PEM_BODY,
    ),
    _shape(
        "curl user in braces", 'curl --user "{nadia}":"{', "Kq7" + "Lz4Xv9Rt2A", '}" https://x.test'
    ),
    _shape("cookie member", '{"headers": {"Cookie": "', "sid=" + _MIXED[11:39], '"}}'),
    _shape("softlayer url", "http://api.softlayer.com/soap/v3.1/", _HEX),
)
"""At least one invented secret for each shape."""

HARD_NEGATIVES: tuple[tuple[str, str], ...] = (
    ("git commit", "commit " + _HEX[:40]),
    ("git index", "index c3c9bb1..4c81a9e 100644"),
    ("sha-256 digest", "sha256:" + _HEX),
    ("uuid", _UUID),
    ("ulid", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    ("lock file hash", '"integrity": "sha512-' + _MIXED + _MIXED[:29] + '=="'),
    (
        "integrity attribute",
        '<script src="a.js" integrity="sha384-' + _MIXED[:53] + _MIXED[:11] + '">',
    ),
    ("base64 image", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg" + _MIXED + _MIXED),
    ("minified code", 'var a=function(t){return e.token=t,n(t)};b.key=a("x"),c.auth=!0'),
    ("hex colours", "#f3d6d2, #f1dcce, #f0e4ca"),
    ("ethereum address", "0x" + _HEX[:40]),
    ("kubernetes name", "pod/checkout-7d9f8b6c5d-x2x7p"),
    ("file path", "/home/nadia/projects/checkout/src/auth/token.py"),
    ("package name", "@babel/plugin-transform-private-methods@7.23.3"),
    ("cache key", 'cache_key = "' + _HEX[:32] + '"'),
    ("idempotency key", "Idempotency-Key: " + _UUID),
    ("issue key", "issue_key: PROJ-48213"),
    ("public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + _MIXED[:43] + " nadia@host"),
    ("primary key", "primary_key=order_id_2024_07"),
    ("object key", 'object_key: "uploads/2024/07/' + _HEX[:16] + '.bin"'),
    (
        "token counts",
        '{"input_tokens": 15023841, "max_tokens": 200000000, "token_count": 12345678}',
    ),
    ("page token", 'next_page_token: "' + _MIXED[:32] + '"'),
    ("csrf field name", '<input type="hidden" name="csrf_token">'),
    ("author", "author = nadia.k99@example.test"),
    ("placeholder in brackets", "password: <your-password>"),
    ("placeholder of crosses", "API_KEY=xxxxxxxxxxxxxxxx"),
    ("placeholder word", "password = changeme"),
    ("shell variable", "export TOKEN=${GITHUB_TOKEN}"),
    ("environment lookup", "apiKey: process.env.OPENAI_API_KEY,"),
    ("type name", "password: string;"),
    ("optional type", "def login(token: str | None = None) -> str:"),
    ("short number", "pwd: 1234567"),
    ("prose", "The password must be at least twelve characters long."),
    ("bearer prose", "a bearer token is required, and basic authentication is refused"),
    ("call", "token = self._next_token(stream)"),
    ("template", 'headers = {"Authorization": f"Bearer {token}"}'),
    ("explained url", "scheme://user:password@host"),
    ("path under a key", "private_key: /etc/ssl/private/server.pem"),
    ("port mapping", "docker run -p 8080:80 nginx"),
    ("exit code", "error code 404, exit code: 1, access code path"),
    ("status code", "status code is 4040, exit code 1234, zip code 94110, source code 2024"),
    ("counted code", "the code is 2000 lines long"),
    ("chinese rule", "密码必须至少8位"),
    ("chinese error code", "错误代码：10061"),
    ("chinese hint", "密码不正确，请重试"),
    ("chinese expiry", "令牌已过期，密钥长度：2048"),
    ("japanese rule", "パスワードは8文字以上で入力してください"),
    ("japanese error code", "エラーコード：10061"),
    ("russian error", "пароль не найден"),
    ("russian rule", "Пароль должен содержать минимум 8 символов"),
    ("german question", "Passwort vergessen?"),
    ("german rule", "Das Passwort muss mindestens 8 Zeichen lang sein"),
    ("french question", "mot de passe oublié ?"),
    ("french label", "mot de passe : obligatoire"),
    ("spanish rule", "La contraseña debe tener al menos 8 caracteres"),
    ("spanish label", "contraseña: obligatoria"),
    ("portuguese rule", "A senha deve ter no mínimo 8 caracteres"),
    ("italian rule", "La password deve contenere almeno 8 caratteri"),
    ("korean rule", "비밀번호는 8자 이상이어야 합니다"),
    ("coloured log", "\x1b[32mINFO\x1b[0m \x1b[1mtoken\x1b[0m expired after \x1b[33m3600\x1b[0m s"),
    ("joined emoji", "👩\u200d💻 password reset 👨\u200d👩\u200d👧"),
    ("upper-case stand-in", "api_key = 'XXX-API-KEY'"),
)
"""Text that looks like a secret and holds none: what it is, and the text."""

_GLUE = [
    *(
        "",
        " ",
        "\n",
        "\r\n",
        "=",
        ": ",
        '"',
        "'",
        "`",
        "\\n",
        '\\"',
        "&",
        "?",
        "/",
        "@",
        ":",
        "://",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        ",",
        "-",
        "_",
        "|",
        "%3D",
        "x",
        "0",
        "é",
        "密码",
        "\0",
    ),
    *("\x1b[0m", "\x1b]0;", "\x07", "\x1b", "\\u001b[1m", "\u200b", "\u00ad", "\u2060", "\ufeff"),
    *("пароль", "Passwort", " lautet ", "mot de passe", " à ", "비밀번호", "は「", "the code is "),
    *("\ud800", "\x1b[31m", "[redacted:token]", "[redacted:", "password", "token=", "eyJ", "is "),
    *("Authorization: ", "Cookie: a=", "curl -u a:", "-----BEGIN PRIVATE " + "KEY-----"),
    *(
        " := ",
        " => ",
        "==",
        " ?= ",
        "->",
        "：",
        "api_key",
        "_secret",
        "abcd" + "1234",
        "letme" + "in",
    ),
    *(
        ": str = ",
        " string = ",
        "${TOKEN}",
        "(",
        '("',
        '", "',
        " is ",
        " for x: ",
        "是",
        "--token ",
    ),
    *("-----END PRIVATE " + "KEY-----", "kind: Secret\ndata:\n  a: ", "verification code "),
]
_WHOLE = [shape.text for shape in SHAPES] + [text for _, text in HARD_NEGATIVES]


@st.composite
def mixtures(draw: st.DrawFn) -> str:
    """Shapes, look-alikes and what joins things, whole and cut, in any order."""
    pieces: list[str] = []
    for _ in range(draw(st.integers(1, 8))):
        piece = draw(st.sampled_from(_WHOLE) | st.sampled_from(_GLUE) | st.text(max_size=6))
        if draw(st.booleans()):
            start = draw(st.integers(0, len(piece)))
            piece = piece[start : draw(st.integers(start, len(piece)))]
        pieces.append(piece)
    return "".join(pieces)
