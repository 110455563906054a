"""Names that promise a secret, names that only sound like it, and values that stand for one."""

import pytest

from recense.core.text.redact import redact
from recense.core.text.secret_values import Place, is_placeholder, is_secret
from recense.core.text.sensitive_keys import KEY_KINDS, sensitive_kind


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
