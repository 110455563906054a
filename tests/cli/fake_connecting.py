"""A connecting of clients that touches nothing: it keeps what it was asked, and answers by that."""

from collections.abc import Callable

from recense.operations.connecting import (
    ConnectClient,
    ConnectedFile,
    ConnectReport,
    FileSplice,
)

WORDS: dict[str, tuple[str, ...]] = {
    "connect": ("connect", "codex"),
    "connect print": ("connect", "codex", "--print"),
    "connect remove": ("connect", "codex", "--remove"),
    "connect again": ("connect", "claude-desktop"),
}
"""What is asked, and its name."""

_PATH = "/home/mira/.codex/config.toml"

_TABLE = (
    '[mcp_servers.recense]\ncommand = "/opt/recense/bin/recense"\n'
    'args = ["mcp", "--store", "/home/mira/my notes.db"]'
)

_SPLICES = (
    FileSplice(line=12, text=_TABLE),
    FileSplice(line=1, text='notify = ["/opt/recense/bin/recense-hook"]'),
)


class FakeConnecting:
    """Answers by what is asked: Claude Desktop is connected already."""

    def __init__(self, take: Callable[..., None], *, installed: bool = True) -> None:
        self._take = take
        self._installed = installed

    def is_installed(self, client: str) -> bool:
        return self._installed

    def connect(self, request: ConnectClient) -> ConnectReport:
        self._take("connect", request)
        if request.client == "claude-desktop":
            path = "/home/mira/.config/Claude/claude_desktop_config.json"
            return ConnectReport(
                client=request.client,
                title="Claude Desktop",
                name=request.name,
                removed=False,
                done=True,
                files=(ConnectedFile(path=path, change="unchanged"),),
                tools=6,
                notes=("no import hook: recense-hook is not installed beside recense",),
            )
        backup = "" if request.show or request.remove else f"{_PATH}.recense-20260301T080000Z.bak"
        return ConnectReport(
            client=request.client,
            title="Codex",
            name=request.name,
            removed=request.remove,
            done=not request.show,
            files=(ConnectedFile(path=_PATH, change="changed", backup=backup, splices=_SPLICES),),
            tools=None if request.show or request.remove else 6,
        )
