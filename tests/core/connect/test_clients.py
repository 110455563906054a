"""Where each client keeps its files, on every system, and what it is told."""

import json
import tomllib
from typing import Any

import pytest

from recense.core.connect.clients import (
    CLIENTS,
    System,
    hook_additions,
    places,
    refuse_older_layout,
    remote_addition,
    server_addition,
)
from recense.core.connect.editing import spliced
from recense.errors import ClientFileUnusable, InvalidRequest

HOMES: dict[System, str] = {
    "linux": "/home/mira",
    "darwin": "/Users/mira",
    "win32": r"C:\Users\Mira Okafor",
}

SERVERS = {
    ("claude-code", "linux"): "/home/mira/.claude.json",
    ("claude-code", "darwin"): "/Users/mira/.claude.json",
    ("claude-code", "win32"): r"C:\Users\Mira Okafor\.claude.json",
    ("claude-desktop", "linux"): "/home/mira/.config/Claude/claude_desktop_config.json",
    (
        "claude-desktop",
        "darwin",
    ): "/Users/mira/Library/Application Support/Claude/claude_desktop_config.json",
    (
        "claude-desktop",
        "win32",
    ): r"C:\Users\Mira Okafor\AppData\Roaming\Claude\claude_desktop_config.json",
    ("codex", "linux"): "/home/mira/.codex/config.toml",
    ("codex", "darwin"): "/Users/mira/.codex/config.toml",
    ("codex", "win32"): r"C:\Users\Mira Okafor\.codex\config.toml",
    ("cursor", "linux"): "/home/mira/.cursor/mcp.json",
    ("cursor", "darwin"): "/Users/mira/.cursor/mcp.json",
    ("cursor", "win32"): r"C:\Users\Mira Okafor\.cursor\mcp.json",
    ("vscode", "linux"): "/home/mira/.config/Code/User/mcp.json",
    ("vscode", "darwin"): "/Users/mira/Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): r"C:\Users\Mira Okafor\AppData\Roaming\Code\User\mcp.json",
    ("gemini", "linux"): "/home/mira/.gemini/settings.json",
    ("gemini", "darwin"): "/Users/mira/.gemini/settings.json",
    ("gemini", "win32"): r"C:\Users\Mira Okafor\.gemini\settings.json",
    ("zed", "linux"): "/home/mira/.config/zed/settings.json",
    ("zed", "darwin"): "/Users/mira/.config/zed/settings.json",
    ("zed", "win32"): r"C:\Users\Mira Okafor\AppData\Roaming\Zed\settings.json",
    ("opencode", "linux"): "/home/mira/.config/opencode/opencode.json",
    ("opencode", "darwin"): "/Users/mira/.config/opencode/opencode.json",
    ("opencode", "win32"): r"C:\Users\Mira Okafor\.config\opencode\opencode.json",
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("system", HOMES)
def test_every_client_has_its_place_on_every_system(client: str, system: System) -> None:
    assert places(client, system, HOMES[system], {}).servers == SERVERS[client, system]


@pytest.mark.parametrize(
    ("client", "system", "environment", "servers", "hooks"),
    [
        (
            "claude-code",
            "linux",
            {"CLAUDE_CONFIG_DIR": "/c"},
            "/c/.claude.json",
            "/c/settings.json",
        ),
        ("codex", "linux", {"CODEX_HOME": "/x/"}, "/x/config.toml", ""),
        ("vscode", "linux", {"XDG_CONFIG_HOME": "/y"}, "/y/Code/User/mcp.json", ""),
        ("vscode", "linux", {"XDG_CONFIG_HOME": "y"}, "/home/mira/.config/Code/User/mcp.json", ""),
        ("zed", "darwin", {"XDG_CONFIG_HOME": "/y"}, "/Users/mira/.config/zed/settings.json", ""),
        ("opencode", "darwin", {"XDG_CONFIG_HOME": "/y"}, "/y/opencode/opencode.json", ""),
        ("zed", "win32", {"APPDATA": r"D:\Roaming"}, r"D:\Roaming\Zed\settings.json", ""),
    ],
)
def test_the_environment_moves_a_place(
    client: str, system: System, environment: dict[str, str], servers: str, hooks: str
) -> None:
    found = places(client, system, HOMES[system], environment)
    assert (found.servers, found.hooks) == (servers, hooks)


def test_claude_code_keeps_its_hooks_in_another_file() -> None:
    assert places("claude-code", "linux", "/home/mira", {}).hooks == (
        "/home/mira/.claude/settings.json"
    )


URL = "https://memory.example.com:7373/mcp"

WORDS = (r"C:\Program Files\é\recense.exe", "mcp", "--store", "/x y/時.db")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_command_is_a_list_of_words_and_never_one_text(client: str) -> None:
    row = CLIENTS[client]
    addition = server_addition(row, "recense", WORDS)
    assert addition.path == (*row.servers, "recense")
    text = spliced(row.form, "", (addition,)).text
    document: dict[str, Any] = tomllib.loads(text) if row.form == "toml" else json.loads(text)
    for name in addition.path:
        document = document[name]
    program: Any = document["command"]
    words: list[str] = [program, *document["args"]] if "args" in document else program
    assert tuple(words) == WORDS


@pytest.mark.parametrize(
    ("client", "value"),
    [
        (
            "claude-code",
            {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${KEY}"}},
        ),
        ("codex", {"url": URL, "bearer_token_env_var": "KEY"}),
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer ${env:KEY}"}}),
        (
            "vscode",
            {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${env:KEY}"}},
        ),
        ("gemini", {"httpUrl": URL, "headers": {"Authorization": "Bearer ${KEY}"}}),
        (
            "opencode",
            {"type": "remote", "url": URL, "headers": {"Authorization": "Bearer {env:KEY}"}},
        ),
    ],
)
def test_a_server_that_runs_is_told_by_its_address_and_the_name_of_a_variable(
    client: str, value: object
) -> None:
    assert remote_addition(CLIENTS[client], "recense", URL, "KEY").value == value


def test_a_client_that_would_need_the_key_in_its_file_is_not_told_of_one() -> None:
    with pytest.raises(InvalidRequest, match="cannot take a key from a variable"):
        remote_addition(CLIENTS["zed"], "recense", URL, "KEY")
    assert remote_addition(CLIENTS["zed"], "recense", URL, "").value == {"url": URL}


def test_a_client_whose_file_names_programs_alone_is_told_of_no_address() -> None:
    with pytest.raises(InvalidRequest, match="cannot name a server that runs elsewhere"):
        remote_addition(CLIENTS["claude-desktop"], "recense", URL, "")


@pytest.mark.parametrize(
    ("client", "word"),
    [("gemini", "/a/$b"), ("cursor", "/a/${b}"), ("opencode", "/a/{env:B}"), ("vscode", "${x}")],
)
def test_a_word_that_a_client_would_replace_is_refused(client: str, word: str) -> None:
    with pytest.raises(InvalidRequest, match="would replace"):
        server_addition(CLIENTS[client], "recense", ("recense", word))
    server_addition(CLIENTS["codex"], "recense", ("recense", word))


def test_a_hook_is_quoted_for_the_shell_that_runs_it() -> None:
    first, *others = hook_additions(CLIENTS["claude-code"], ("/opt/a b/recense-hook",))
    assert first.path == ("hooks", "Stop")
    assert first.value == {
        "hooks": [{"type": "command", "command": "'/opt/a b/recense-hook'", "timeout": 60}]
    }
    assert [each.path[1] for each in others] == ["SubagentStop", "PreCompact", "SessionEnd"]


def test_a_client_without_hooks_gets_none() -> None:
    assert hook_additions(CLIENTS["zed"], ("recense-hook",)) == ()


def test_a_file_of_the_first_opencode_is_refused() -> None:
    text = '{"mcp": {"docs": {"type": "local", "command": ["docs"]}}}'
    with pytest.raises(ClientFileUnusable, match="OpenCode 1"):
        refuse_older_layout("opencode", text)
    refuse_older_layout("cursor", text)
    refuse_older_layout("opencode", '{"mcp": {"timeout": {"catalog": 1}, "servers": {}}}')
    refuse_older_layout("opencode", "")


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://mira:" + "gannet" + "@example.com/mcp",
            "https://example.com/mcp?key=" + "gannet",
        ),
        *("example.com/mcp", "file:///etc/passwd", "https://", "https://a b/", ""),
    ],
)
def test_an_address_that_is_none_or_holds_a_key_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        remote_addition(CLIENTS["cursor"], "recense", url, "KEY")
    assert "gannet" not in raised.value.message


def test_a_path_that_is_no_utf8_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="is not UTF-8"):
        server_addition(CLIENTS["cursor"], "recense", ("/opt/\udcff/recense", "mcp"))
