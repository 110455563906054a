"""How long Claude Code keeps its sessions: ``cleanupPeriodDays`` in its own settings."""

import os
import stat
from typing import Final

import msgspec

from recense.limits import AGENT_SETTINGS_BYTES_MAX
from recense.ports.sources import Retention

_DAYS_DEFAULT: Final = 30


class _AgentSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What of the settings says how long sessions are kept."""

    cleanup_period_days: int | None = None


def retention(folder: str) -> Retention:
    """Return after how many days Claude Code deletes a session: as ``settings.json`` in its folder
    says, else 30. Settings that cannot be read or understood say nothing.
    """
    return Retention(days=_days(os.path.join(folder, "settings.json")), fate="deleted")


def _days(path: str) -> int:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return _DAYS_DEFAULT
        with open(path, "rb") as file:
            found = msgspec.json.decode(file.read(AGENT_SETTINGS_BYTES_MAX), type=_AgentSettings)
    except (OSError, ValueError):
        return _DAYS_DEFAULT
    days = found.cleanup_period_days
    return _DAYS_DEFAULT if days is None or days < 0 else days
