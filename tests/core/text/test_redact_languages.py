"""Labels of secrets in the languages of the people who write them, and one-time codes."""

import pytest

from recense.core.text.redact import redact
from tests.rows import each_row

_PASSWORD = "Xk9-mate" + "Vz3q"
_WORDY = "gira" + "sol88"
_TOKEN = "Zr7Kq2MvX9" + "tB4wLhD8nP"
_CODE = "83" + "4219"

_PASSWORD_LABELS = [
    *(
        "密码",
        "数据库密码",
        "口令",
        "登录密码",
        "管理员密码",
        "密碼",
        "パスワード",
        "暗証番号",
        "パスフレーズ",
    ),
    *("Пароль", "пароль", "пароль от базы", "пароль администратора", "парольная фраза"),
    *("Passwort", "Kennwort", "Datenbank-Passwort", "WLAN-Passwort", "Passwort für die Datenbank"),
    *("mot de passe", "Mot de passe", "mot de passe root", "mot de passe de la base"),
    *("contraseña", "Contraseña", "contraseña del servidor", "clave de acceso", "CONTRASEÑA"),
    *(
        "senha",
        "Senha",
        "senha do banco",
        "palavra-passe",
        "parola d'ordine",
        "password della rete",
    ),
    *("비밀번호", "암호", "패스워드", "password for the staging db", "admin password"),
]
_TOKEN_LABELS = [
    *(
        "密钥",
        "API密钥",
        "API 密钥",
        "访问密钥",
        "访问令牌",
        "令牌",
        "私钥",
        "密鑰",
        "トークン",
        "APIキー",
    ),
    *(
        "アクセスキー",
        "シークレットキー",
        "秘密鍵",
        "токен",
        "токен доступа",
        "секретный ключ",
        "ключ API",
    ),
    *("API-ключ", "ключ доступа", "секрет", "API-Schlüssel", "geheimer Schlüssel", "Zugriffstoken"),
    *(
        "Zugriffsschlüssel",
        "clé API",
        "clé d'API",
        "clé d’API",
        "clé secrète",
        "clé d'accès",
        "jeton",
    ),
    *(
        "jeton d'accès",
        "clave API",
        "clave secreta",
        "clave de API",
        "token de acceso",
        "chave API",
    ),
    *("chave de API", "chave secreta", "token de acesso", "chiave API", "chiave segreta", "토큰"),
    *("token di accesso", "API 키", "비밀 키", "액세스 키", "액세스 토큰"),
]
_MARKS = [": ", "：", "=", "＝", " = ", " : ", ":\t"]


@each_row("label", _PASSWORD_LABELS)
def test_a_password_behind_its_label_is_hidden(label: str) -> None:
    for mark in _MARKS:
        assert _PASSWORD not in redact(f"- {label}{mark}{_PASSWORD}\n").text


@each_row("label", _TOKEN_LABELS)
def test_a_token_behind_its_label_is_hidden(label: str) -> None:
    for mark in (": ", "：", "=", " : "):
        assert _TOKEN not in redact(f"{label}{mark}{_TOKEN}").text


@each_row("secret", [_PASSWORD, _WORDY])
@each_row(
    "sentence",
    [
        *(
            "密码是{}",
            "密码是 {}，别忘了",
            "密码为{}。",
            "密码是：{}",
            "密码改成{}了",
            "密码已改为 {}",
        ),
        *(
            "口令是“{}”",
            "密码设置为{}",
            "パスワードは{}です",
            "パスワードは「{}」",
            "パスワードが{}です",
        ),
        *("пароль — {}", "пароль - {}", "пароль это {}", "Пароль: «{}»", "Passwort ist {}"),
        *(
            "Das Kennwort lautet {}.",
            "Passwort lautet: {}",
            "Passwort: „{}“",
            "mot de passe est {}",
        ),
        *(
            "Le mot de passe est : {}",
            "mot de passe : « {} »",
            "La contraseña es {}",
            "A senha é {}",
        ),
        *(
            "A senha é: {}",
            "La password è {}",
            "비밀번호는 {}",
            "비밀번호는{}",
            "the password is {}",
        ),
        *("we set the password to {}", "I've changed the root password to {}", "password is “{}”"),
    ],
)
def test_a_password_told_in_a_sentence_is_hidden(sentence: str, secret: str) -> None:
    assert secret not in redact(sentence.replace("{}", secret)).text


@each_row(
    "text",
    [
        *(
            "密码必须至少8位",
            "密码错误",
            "请输入密码：",
            "密码长度为8-20位",
            "密码：<你的密码>",
            "密码：******",
        ),
        *(
            "忘记密码？点击 https://x.test/reset?id=5",
            "修改密码成功",
            "密码强度：强",
            "密码是必填项",
            "密码为空",
        ),
        *(
            "令牌已过期",
            "令牌无效: 401",
            "密钥长度为256位",
            "密钥长度：2048",
            "密码改为至少12位",
            "密码学：RSA2048",
        ),
        *("主键：user_id_2024", "密码已重置为默认值", "パスワードは8文字以上で入力してください"),
        *(
            "パスワードが違います",
            "パスワード：********",
            "トークンの有効期限は30日です",
            "トークン数は4096です",
        ),
        *("пароль не найден", "Пароль должен содержать минимум 8 символов", "пароль: ********"),
        *(
            "Неверный пароль: попробуйте ещё раз",
            "Забыли пароль?",
            "токен истёк в 10:45",
            "токен: string",
        ),
        *(
            "Passwort vergessen?",
            "Das Passwort muss mindestens 8 Zeichen lang sein",
            "Passwort: ****",
        ),
        *("Das Passwort ist falsch", "Passwort: <dein-passwort>", "Das Geheimnis ist gelüftet"),
        *(
            "mot de passe oublié ?",
            "Le mot de passe doit contenir 8 caractères",
            "jeton invalide : 401",
        ),
        *("Le mot de passe est incorrect", "mot de passe : obligatoire", "clé API manquante"),
        *("La contraseña debe tener al menos 8 caracteres", "La contraseña es incorrecta"),
        *("contraseña: obligatoria", "¿Olvidaste tu contraseña?", "El secreto es paciencia"),
        *("A senha deve ter no mínimo 8 caracteres", "A senha é obrigatória", "Esqueceu a senha?"),
        *("senha inválida: tente novamente", "o segredo é trabalhar", "La password è errata"),
        *(
            "비밀번호는 8자 이상이어야 합니다",
            "비밀번호가 틀렸습니다",
            "비밀번호: ********",
            "토큰이 만료되었습니다",
        ),
        *("we set the password to expire", "the password is 8-character", "token for user: nadia"),
        *("moved the token to config.py", "password - must be changed", "the password to 2fa-page"),
    ],
)
def test_what_only_speaks_of_secrets_is_left_alone(text: str) -> None:
    assert redact(text).text == text


@each_row(
    "sentence",
    [
        *(
            "the code is {}",
            "Your code is {}.",
            "your code: {}",
            "My PIN is {}",
            "use code {} to go on",
        ),
        *("enter the code {}", "{} is your code", "{} is your verification code", "OTP: {}"),
        *("2FA code {}", "Your login code is G-{}", "security code: {}", "the code is **{}**"),
        *("验证码：{}", "验证码{}", "您的验证码是 {}", "动态密码为{}", "驗證碼: {}", "短信码：{}"),
        *("認証コード：{}", "認証コードは{}です", "コードは{}です", "確認コード: {}"),
        *("ваш код: {}", "Ваш код {}", "код подтверждения: {}", "одноразовый пароль {}"),
        *("Ihr Code lautet {}", "Der Code ist {}", "Bestätigungscode: {}", "votre code est {}"),
        *("Code de vérification : {}", "le code est {}", "tu código es {}", "seu código é {}"),
        *("Código de verificación: {}", "código de acesso: {}", "il tuo codice è {}"),
        *("인증번호는 {}입니다", "인증 코드: {}"),
    ],
)
@each_row("code", [_CODE, _CODE[:4], _CODE + "07"])
def test_a_one_time_code_beside_its_word_is_hidden(sentence: str, code: str) -> None:
    redacted = redact(sentence.replace("{}", code))
    assert code not in redacted.text
    assert [finding.kind for finding in redacted.findings] == ["one-time-code"]


@pytest.mark.parametrize(
    "text",
    [
        *("exit code 1234", "error code: 10061", "status code is 4040", "HTTP code 5000"),
        *("the code is 2000 lines long", "the code is 95% covered", "zip code is 94110"),
        *("source code 2024", "code = 12345", "see code 1234", "the code is in main.py"),
        *("pin 1234 of the chip", "promo code SAVE2024", "git code 834219", "错误代码：10061"),
        *("код ошибки: 10061", "Fehlercode: 10061", "code d'erreur : 10061", "エラーコード：10061"),
        *("código de error: 10061", "código postal 28013", "verification code sent to 1 device"),
    ],
)
def test_a_code_of_another_kind_is_left_alone(text: str) -> None:
    assert redact(text).text == text
