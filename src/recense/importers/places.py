"""Where agents keep their sessions, and which names their files have.

The agent hook asks this after every turn of an agent, so nothing is loaded here that starts slowly.
"""

import os
import re
from collections.abc import Mapping
from typing import Final

SIDE_FILES: Final = frozenset({"history.jsonl", "journal.jsonl", "session_index.jsonl"})
"""Names of files that agents keep beside sessions and that hold none: prompts to type again, a
workflow's progress, an index. No importer claims another agent's either, in a folder of both.
"""

ROLLOUT_SUFFIXES: Final = (".jsonl", ".jsonl.zst")
"""How the names of Codex sessions end: plain, and as Codex itself compresses them."""


_OF_A_WORKFLOW: Final = re.compile(
    r"/subagents/workflows/[^/]+/journal\.jsonl\Z"
    r"|/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/workflows/[^/]+\.json\Z"
)


def claude_code_home(environment: Mapping[str, str], home: str) -> str:
    """Return the folder of Claude Code: CLAUDE_CONFIG_DIR, else ``~/.claude``."""
    return environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def codex_folders(environment: Mapping[str, str], home: str) -> tuple[str, str]:
    """Return the folders of live and archived sessions, below CODEX_HOME, else ``~/.codex``."""
    base = environment.get("CODEX_HOME") or os.path.join(home, ".codex")
    return os.path.join(base, "sessions"), os.path.join(base, "archived_sessions")


def why_passed_over(path: str) -> str:
    """Return why a file that Claude Code keeps beside sessions holds none; "" for any other."""
    if _OF_A_WORKFLOW.search(path.replace("\\", "/")) is None:
        return ""
    return "progress or outcome of a workflow; its agents' sessions are files of their own"


def is_session_file(path: str) -> bool:
    """Whether the name is that of a session in JSON Lines, of Claude Code or a sub-agent of it."""
    name = os.path.basename(path)
    return name.endswith(".jsonl") and name not in SIDE_FILES


def is_rollout(path: str) -> bool:
    """Whether the name is that of a Codex session, plain or compressed."""
    name = os.path.basename(path)
    return name.endswith(ROLLOUT_SUFFIXES) and name not in SIDE_FILES
