"""Names that promise a secret, names that only sound like it, and values that stand for one."""

import pytest

from recense.core.text.redact import redact
from recense.core.text.secret_values import Place, is_placeholder, is_secret
from recense.core.text.sensitive_keys import KEY_KINDS, sensitive_kind
from tests.rows import each_row


@each_row(
    "name",
    [
        *("authorization", "auth", "credential", "credentials", "password", "passwd", "pwd"),
        *("passphrase", "secret", "token", "apikey", "dbPassword", "DB_PASSWORD", "PGPASSWORD"),
        *("api_key", "apiKey", "API-KEY", "X-Api-Key", "private_key", "secretKey", "ssh-key"),
        *("signing_key", "encryptionKey", "access_key", "secretAccessKey", "service-account-key"),
        *("service_account_key", "clientSecret", "refresh_token", "authToken", "OPENAI_API_KEY"),
        *("password2", "DB_PASSWORD_PROD", "spring.datasource.password", "--password", "smtp_pass"),
    ],
)
def test_a_sensitive_name_is_known_however_it_is_written(name: str) -> None:
    assert sensitive_kind(name.strip("-")) in KEY_KINDS


@each_row(
    "name",
    [
        *("cache_key", "idempotency_key", "issue_key", "public_key", "primary_key", "keyboard"),
        *("object_key", "token_count", "max_tokens", "tokens_used", "next_page_token", "author"),
        *("csrf_token", "csrfToken", "csrfmiddlewaretoken", "authors", "oauth", "tokenizer", "key"),
        *("input_tokens", "outputTokens", "sort_key", "foreignKey", "keyValue", "secretary", ""),
        *("access_key_id", "token_url", "password_hash_rounds", "passwordless", "bypass", "pat"),
        *("eos_token", "hasPassword", "resetPassword", "passed", "compass", "auth0", "x" * 200),
    ],
)
def test_a_name_that_only_sounds_sensitive_is_not(name: str) -> None:
    assert sensitive_kind(name) is None


@each_row(
    "name",
    [
        *("密码", "数据库密码", "密鑰", "私钥", "访问令牌", "API密钥", "凭证"),
        *("パスワード", "秘密鍵", "アクセストークン", "APIキー", "認証情報"),
        *("пароль", "Пароль", "ПАРОЛЬ", "секретный ключ", "токен", "API-ключ"),
        *("Passwort", "Kennwort", "API-Schlüssel", "privater Schlüssel", "Zugangsdaten"),
        *("mot de passe", "mot_de_passe", "Mot de passe", "clé secrète", "clé d'API", "clé d’API"),
        *("contraseña", "CONTRASEÑA", "contrasena", "clave secreta", "clave de acceso"),
        *("senha", "palavra-passe", "chave secreta", "chave de API", "credenciais"),
    ],
)
def test_the_words_of_seven_languages_are_known(name: str) -> None:
    assert sensitive_kind(name) in KEY_KINDS
    secret = "Zr7Kq2" + "MvX9tB4w"
    assert secret not in redact(f"{name}: {secret}").text


@each_row(
    "value",
    [
        *(
            "",
            "   ",
            "xxx",
            "XXXXXXXX",
            "****",
            "••••••",
            "...",
            "<your-key>",
            "<password>",
            "[PASSWORD]",
        ),
        *(
            "changeme",
            "change-me",
            "your_api_key_here",
            "YOUR_API_KEY",
            "placeholder",
            "none",
            "null",
        ),
        *("${VAR}", "$VAR", "${{ secrets.TOKEN }}", "{{ password }}", "%PASSWORD%", "$(cat file)"),
        *(
            "process.env.API_KEY",
            "os.environ['KEY']",
            "{token}",
            "Bearer ${token}",
            "string",
            "str",
        ),
        *(
            "1234567",
            "0",
            "/etc/ssl/server.pem",
            "./key.json",
            "https://x.test/token",
            "2024-05-01",
        ),
        *("must be at least twelve characters", "Enter your password", "请输入密码", "v1.2.3"),
        *("sk-xxxxxxxxxxxx", "abcd****", "API_TOKEN", "[redacted:token]", "config.get('token')"),
    ],
)
def test_a_value_that_stands_for_a_secret_is_a_placeholder(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    ["$this->password", "$1", "$USER:$PASS", "$_POST['pass1']", "&anchor1", "$(cat /run/secret1)"],
)
def test_a_variable_stands_for_a_secret(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    ["@G2hF4X2DxMHV" + "JgUp", "$8h(uW;m8n" + "_GEKC", "/PjUVz&j)" + "X7i9k", "!VF5p.Zj" + "Q1k2D"],
)
def test_a_drawn_value_is_no_variable_and_no_path_for_how_it_begins(value: str) -> None:
    assert is_secret(value, "password", Place.QUOTED)


@pytest.mark.parametrize("value", ["hunter" + "2", "P@ssw0rd" + "$1", "corr3ct-h0rse", "12345678"])
def test_a_weak_password_is_a_secret_all_the_same(value: str) -> None:
    assert is_secret(value, "password", Place.QUOTED)
    assert is_secret(value, "password", Place.SETTING)


@pytest.mark.parametrize(
    "text",
    [
        *("password = get_password()", "token = response.json()['token']", "token: TokenType,"),
        *("const password = user.password;", "secret = secrets.token_hex(16)", "auth: jwt"),
        *(
            '"token": "NOUN"',
            "password: str = Field(...)",
            "self.api_key = api_key",
            "pwd: /srv/app",
        ),
        *("fn login(password: &str) -> Token {", "apiKey?: string;", "auth = Depends(get_auth)"),
        *('label: "Password", type: "password"', "tests_pass: 12345678 passed", "no token here"),
        *("The token is invalid.", "your password is incorrect", "token is required", "密码错误"),
    ],
)
def test_code_and_prose_about_secrets_are_left_alone(text: str) -> None:
    assert redact(text).text == text


_PREFIXES = [
    *("config.yml:3:", "config.yml:", "./deploy/.env:12:", "3:", "3-", "src/app.py:12:7:", "app:"),
    *(
        "web_1:",
        "db.internal:postgres:",
        "note:",
        "12:30:01:",
        "[app]:",
        "C:\\etc\\x.yml:4:",
        "a::",
    ),
    *("config.yml-3-", "ERROR:app:", "level:info:", "  9:", "::", "arn:", "eu-west-1:123456:"),
]


@each_row("prefix", _PREFIXES)
@each_row(
    ("line", "secret"),
    [
        ("password: " + "Kaktus" + "99!", "Kaktus" + "99!"),
        ("password:" + "Kaktus" + "99!", "Kaktus" + "99!"),
        ("api_key: " + "Kq7Lz4Xv9Rt2" + "A8mKq7Lz4Xv9", "Kq7Lz4Xv9Rt2" + "A8mKq7Lz4Xv9"),
        ("client_secret: '" + "Kq7Lz4Xv9Rt2" + "A8m'", "Kq7Lz4Xv9Rt2" + "A8m"),
        ("Passwort: " + "Kaktus" + "99!", "Kaktus" + "99!"),
        ("пароль: " + "zima-" + "2025", "zima-" + "2025"),
        ("mot de passe : " + "fromage" + "42", "fromage" + "42"),
    ],
)
def test_what_a_search_or_a_log_writes_before_a_line_hides_nothing(
    prefix: str, line: str, secret: str
) -> None:
    for text in (prefix + line, f"x\n{prefix}{line}\ny", f"{prefix}a: b\n{prefix}{line}"):
        if prefix == "arn:" and ": " not in line:
            continue
        assert secret not in redact(text).text, text


@pytest.mark.parametrize("prefix", ["config.yml:3:", "app:", "3:", "./a/b.yml:"])
def test_a_setting_behind_its_place_is_a_setting(prefix: str) -> None:
    text = f"{prefix}password: letmein" + "please\n"
    assert redact(text).text == f"{prefix}password: [redacted:password]\n"


@pytest.mark.parametrize(
    "text",
    [
        "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-Ab12Cd34",
        '"Resource": "arn:aws:secretsmanager:*:*:secret:team-7f3a9c1e5b2d"',
        "urn:ietf:params:oauth:token-type:access_token:v2-9f8e7d6c5b4a",
        "urn:example:token:4f9a1c7e5b2d8046",
        "Type: AWS::IAM::AccessKey:a1b2c3d4e5",
        "Foo::Secret: aB3xK9mQ2vB7",
        "src/types.ts:4:password: string",
        "main.go:12:2: token: expected ';'",
        "error: token: unexpected end of file",
    ],
)
def test_a_resource_name_a_type_and_a_message_are_no_assignment(text: str) -> None:
    assert redact(text).text == text


_HEX = "3f9a1c7e5b2d8046" + "e1f7a93c0d5b8e24ac31"


@each_row(
    "after",
    [
        *(
            "",
            " and so on it goes",
            ", user-agent: x",
            " [12 bytes data]",
            " 200 OK",
            ". Then retry",
        ),
        *("; it is <redacted> there", " ${more} words here", " (from the log)"),
    ],
)
@each_row("scheme", ["token", "Token", "Bearer", "apikey", "Basic"])
@each_row("before", ["", "< ", "12:01 header ", '{"line": "> '])
def test_a_credential_in_a_header_is_hidden_whatever_goes_on_behind_it(
    before: str, scheme: str, after: str
) -> None:
    redacted = redact(f"{before}Authorization: {scheme} {_HEX}{after}").text
    assert _HEX not in redacted
    assert redacted.startswith(f"{before}Authorization: {scheme} [redacted:")
    assert redact(redacted).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Authorization: token authentication is required here",
            "Authorization: Bearer <your token>",
        ),
        *(
            "authorization: token your-token-here and so",
            "Authorization: see RFC 7235 for the rest",
        ),
    ],
)
def test_prose_about_the_header_is_no_credential(text: str) -> None:
    assert redact(text).text == text
