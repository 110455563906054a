"""The clients that can be connected: where each keeps its settings, and what it is to be told.

Everything here is a pure function of the system, the home folder and the environment. What each
client's own documents say of its file, and when they said it, stands with its row in `CLIENTS`.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Final, Literal, cast

from recense.core.connect.jsonc import plain, scan
from recense.core.connect.splices import Addition, Form
from recense.core.values import Value
from recense.errors import ClientFileUnusable, InvalidRequest
from recense.limits import CONNECTION_NAME_CODE_POINTS_MAX

System = Literal["linux", "darwin", "win32"]
"""The systems that clients keep their files on, as `sys.platform` names them."""

HOOK_PROGRAM: Final = "recense-hook"

HOOK_EVENTS: Final = ("Stop", "SubagentStop", "PreCompact", "SessionEnd")
"""After what Claude Code calls the hook; see docs/hook.md."""

HOOK_SECONDS: Final = 60

NAME: Final = re.compile(f"[A-Za-z0-9_-]{{1,{CONNECTION_NAME_CODE_POINTS_MAX}}}")
"""What a server may be called: what every client can write without quoting."""

_URL: Final = re.compile(r"https?://[^\s/@?#]+(?:/[^\s@?#]*)?")

_NOT_TEXT: Final = re.compile("[\ud800-\udfff]")
"""How bytes of a path that are no UTF-8 look in a text."""

VARIABLE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""What a variable of an environment may be called so that every client can name it."""


class ConnectableClient(Value, kw_only=True):
    """A row of `CLIENTS`.

    ``servers`` are the names down to the object that holds servers. ``local`` and ``remote`` say
    how a server is written there: started by the client, or running and reached by its address; a
    client that reaches none has "none". ``key`` is how the client is told to send a variable of its
    environment, {} being its name; one that cannot has "". ``misread`` are the texts that the
    client would replace in what we write. ``hook`` says where its import hook is written.
    """

    title: str
    form: Form
    servers: tuple[str, ...]
    local: Literal["plain", "typed", "one list"]
    remote: Literal["typed", "url", "http url", "one list", "none"]
    key: str
    misread: tuple[str, ...]
    hook: Literal["settings", "notify", "none"] = "none"


CLIENTS: Final[Mapping[str, ConnectableClient]] = {
    # code.claude.com/docs/en/mcp and /hooks, as stored in October 2026: the user's servers are in
    # ~/.claude.json, hooks in settings.json of CLAUDE_CONFIG_DIR or ~/.claude; ${NAME} is replaced.
    # A hook's command without a list of arguments is run by a shell.
    "claude-code": ConnectableClient(
        title="Claude Code",
        form="json",
        servers=("mcpServers",),
        local="typed",
        remote="typed",
        key="Bearer ${{{}}}",
        misread=("${",),
        hook="settings",
    ),
    # modelcontextprotocol.io/quickstart/user, and vendors' manuals that follow it, as stored in
    # 2026. Its file starts local servers alone; what runs elsewhere is a connector in its settings.
    "claude-desktop": ConnectableClient(
        title="Claude Desktop",
        form="json",
        servers=("mcpServers",),
        local="plain",
        remote="none",
        key="",
        misread=(),
    ),
    # developers.openai.com/codex/mcp and codex-rs/config/src/mcp_types.rs, as told of release
    # 0.159.3 in November 2026: bearer_token_env_var names the variable; nothing is replaced.
    "codex": ConnectableClient(
        title="Codex",
        form="toml",
        servers=("mcp_servers",),
        local="plain",
        remote="url",
        key="{}",
        misread=(),
        hook="notify",
    ),
    # cursor.com/docs/mcp, as vendors' manuals of 2026 repeat it: ${env:NAME} is replaced.
    "cursor": ConnectableClient(
        title="Cursor",
        form="json",
        servers=("mcpServers",),
        local="typed",
        remote="url",
        key="Bearer ${{env:{}}}",
        misread=("${",),
    ),
    # code.visualstudio.com/docs/agents/reference/mcp-configuration, as stored in November 2026:
    # mcp.json of the user's profile; variables of the editor are replaced. That ${env:NAME} is not
    # replaced in headers on Windows is reported in microsoft/vscode issue 336232 (September 2026).
    "vscode": ConnectableClient(
        title="Visual Studio Code",
        form="json",
        servers=("servers",),
        local="typed",
        remote="typed",
        key="Bearer ${{env:{}}}",
        misread=("${",),
    ),
    # github.com/google-gemini/gemini-cli docs/tools/mcp-server.md and docs/cli/configuration.md, as
    # stored in 2026: $NAME and ${NAME} are replaced in every text of settings.json.
    "gemini": ConnectableClient(
        title="Gemini CLI",
        form="json",
        servers=("mcpServers",),
        local="plain",
        remote="http url",
        key="Bearer ${{{}}}",
        misread=("$",),
    ),
    # zed.dev/docs/ai/mcp, as stored in November 2026. Headers are sent as they are written
    # (zed-industries/zed issue 60459, open since July 2026), so a key would have to be in the file.
    "zed": ConnectableClient(
        title="Zed",
        form="json",
        servers=("context_servers",),
        local="plain",
        remote="url",
        key="",
        misread=(),
    ),
    # opencode.ai/docs/mcp-servers, as stored in November 2026, of OpenCode 2: servers are below
    # mcp.servers, and no longer directly below mcp; {env:NAME} and {file:…} are replaced.
    "opencode": ConnectableClient(
        title="OpenCode",
        form="json",
        servers=("mcp", "servers"),
        local="one list",
        remote="one list",
        key="Bearer {{env:{}}}",
        misread=("{env:", "{file:"),
    ),
}
"""Every client by the name that a person types."""


class ClientPlaces(Value, kw_only=True):
    """Where a client keeps things: its file of servers, other names that this may have, the file of
    its hooks where that is another, and the folders of which one is there if it is installed.
    """

    servers: str
    other_names: tuple[str, ...] = ()
    hooks: str = ""
    signs: tuple[str, ...]


def places(client: str, system: System, home: str, environment: Mapping[str, str]) -> ClientPlaces:
    """Return where a client of `CLIENTS` keeps its files, as absolute paths of that system."""
    settings = _settings_folder(system, home, environment)
    match client:
        case "claude-code":
            chosen = environment.get("CLAUDE_CONFIG_DIR", "")
            folder = chosen or _joined(system, home, ".claude")
            servers = _joined(system, chosen or home, ".claude.json")
            hooks = _joined(system, folder, "settings.json")
            return ClientPlaces(servers=servers, hooks=hooks, signs=(folder, servers))
        case "claude-desktop":
            folder = _joined(system, settings, "Claude")
            return _in(system, folder, "claude_desktop_config.json")
        case "codex":
            folder = environment.get("CODEX_HOME", "") or _joined(system, home, ".codex")
            return _in(system, folder, "config.toml")
        case "cursor":
            return _in(system, _joined(system, home, ".cursor"), "mcp.json")
        case "vscode":
            folder = _joined(system, settings, "Code")
            servers = _joined(system, folder, "User", "mcp.json")
            return ClientPlaces(servers=servers, signs=(folder,))
        case "gemini":
            return _in(system, _joined(system, home, ".gemini"), "settings.json")
        case "zed" if system == "win32":
            return _in(system, _joined(system, settings, "Zed"), "settings.json")
        case "zed":
            of_linux = settings if system == "linux" else _joined(system, home, ".config")
            return _in(system, _joined(system, of_linux, "zed"), "settings.json")
        case "opencode":
            base = _named(environment, "XDG_CONFIG_HOME") or _joined(system, home, ".config")
            return _in(system, _joined(system, base, "opencode"), "opencode.json", "opencode.jsonc")
        case _:
            raise KeyError(client)


def server_addition(client: ConnectableClient, name: str, words: tuple[str, ...]) -> Addition:
    """Return what tells a client to start a server: its program and its arguments, a text each.

    Raises InvalidRequest for a word in which the client would replace something.
    """
    _refuse_what_is_misread(client, words)
    program, arguments = words[0], list(words[1:])
    match client.local:
        case "plain":
            value: object = {"command": program, "args": arguments}
        case "typed":
            value = {"type": "stdio", "command": program, "args": arguments}
        case "one list":
            value = {"type": "local", "command": list(words)}
    return Addition(path=(*client.servers, name), value=value)


def remote_addition(client: ConnectableClient, name: str, url: str, key_variable: str) -> Addition:
    """Return what tells a client where a server runs, and which variable holds its key; none for
    an empty name. Raises InvalidRequest for a client that cannot be told so.
    """
    _refuse_what_is_misread(client, (url,))
    if _URL.fullmatch(url) is None:
        raise InvalidRequest(
            "--url takes an address like https://memory.example.com/mcp, with no name, password or "
            "query in it",
            hint="a key is never written into a file: --key-env names the variable that holds it",
        )
    if client.remote == "none":
        raise InvalidRequest(
            f"the settings file of {client.title} cannot name a server that runs elsewhere",
            hint="leave --url out, or add a connector in the client itself",
        )
    if key_variable and not client.key:
        raise InvalidRequest(
            f"{client.title} cannot take a key from a variable, and a key in its file is none",
            hint='leave --url out, or say --key-env "" for a server that asks for no key',
        )
    value: dict[str, object]
    match client.remote:
        case "typed":
            value = {"type": "http", "url": url}
        case "url":
            value = {"url": url}
        case "http url":
            value = {"httpUrl": url}
        case "one list":
            value = {"type": "remote", "url": url}
    if key_variable and client.form == "toml":
        value["bearer_token_env_var"] = client.key.format(key_variable)
    elif key_variable:
        value["headers"] = {"Authorization": client.key.format(key_variable)}
    return Addition(path=(*client.servers, name), value=value)


def hook_additions(client: ConnectableClient, words: tuple[str, ...]) -> tuple[Addition, ...]:
    """Return what tells a client to call the import hook after its turns; nothing for others."""
    match client.hook:
        case "settings":
            command = {"type": "command", "command": shlex.join(words), "timeout": HOOK_SECONDS}
            return tuple(
                Addition(
                    path=("hooks", event),
                    value={"hooks": [command]},
                    is_item=True,
                    known_by=HOOK_PROGRAM,
                )
                for event in HOOK_EVENTS
            )
        case "notify":
            return (
                Addition(path=("notify",), value=list(words), known_by=HOOK_PROGRAM, optional=True),
            )
        case "none":
            return ()


def refuse_older_layout(client: str, text: str) -> None:
    """Refuse a file of OpenCode 1, which would not start with what OpenCode 2 reads.

    Raises ClientFileUnusable, also for a text that is not understood.
    """
    if client != "opencode":
        return
    root = scan(text)
    value = None if root is None else plain(root)
    if not isinstance(value, dict):
        return
    servers = cast("dict[str, object]", value).get("mcp")
    if isinstance(servers, dict):
        for name, server in cast("dict[str, object]", servers).items():
            if name != "servers" and isinstance(server, dict) and "type" in server:
                raise ClientFileUnusable(
                    f"the server {name!r} is directly below mcp, as in OpenCode 1; expected "
                    "mcp.servers",
                    hint="update OpenCode, and move its servers below mcp.servers",
                )


def _refuse_what_is_misread(client: ConnectableClient, words: tuple[str, ...]) -> None:
    for word in words:
        if _NOT_TEXT.search(word):
            raise InvalidRequest(
                f"{word!r} is not UTF-8, and a file of {client.title} is",
                hint="use a path that is",
            )
        for text in client.misread:
            if text in word:
                raise InvalidRequest(
                    f"{client.title} would replace {text!r} in {word!r} by something else",
                    hint="use a path without it",
                )


def _in(system: System, folder: str, *names: str) -> ClientPlaces:
    files = tuple(_joined(system, folder, name) for name in names)
    return ClientPlaces(servers=files[0], other_names=files[1:], signs=(folder,))


def _settings_folder(system: System, home: str, environment: Mapping[str, str]) -> str:
    """Return where the programs of a person keep their settings, by the custom of the system."""
    match system:
        case "win32":
            return environment.get("APPDATA", "") or _joined(system, home, "AppData", "Roaming")
        case "darwin":
            return _joined(system, home, "Library", "Application Support")
        case "linux":
            return _named(environment, "XDG_CONFIG_HOME") or _joined(system, home, ".config")


def _named(environment: Mapping[str, str], name: str) -> str:
    """Return a folder that the environment names; empty for a relative one, which is to be ignored
    (XDG Base Directory Specification).
    """
    folder = environment.get(name, "")
    return folder if folder.startswith("/") or folder[1:2] == ":" else ""


def _joined(system: System, *parts: str) -> str:
    separator = "\\" if system == "win32" else "/"
    first, *others = parts
    return separator.join((first.rstrip("\\/" if system == "win32" else "/"), *others))
