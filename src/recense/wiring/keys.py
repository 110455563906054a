"""The keys of a store, for who runs the process."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.system import SystemChance, SystemClock, SystemUptime
from recense.operations.keys import (
    Credential,
    IssueKey,
    KeyIssued,
    KeyList,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
    local_credential,
)
from recense.services.keys import Keys
from recense.settings.loading import Settings
from recense.wiring.control import has_control, open_control


class OwnKeys:
    """Keys as who runs the process may use them: of every namespace, and where none is named of
    that of the settings. Each method raises as that of `Keys`.
    """

    def __init__(self, keys: Keys, credential: Credential) -> None:
        self._keys: Final = keys
        self._credential: Final = credential

    def issue(self, request: IssueKey) -> KeyIssued:
        """Issue a key."""
        return self._keys.issue(request, self._credential)

    def list(self, request: ListKeys) -> KeyList:
        """Return a page of keys, the newest first."""
        return self._keys.list(request, self._credential)

    def renew(self, request: RenewKey) -> KeyView:
        """Let a key hold until later."""
        return self._keys.renew(request, self._credential)

    def revoke(self, request: RevokeKey) -> KeyView:
        """Let a key hold no more."""
        return self._keys.revoke(request, self._credential)


@contextmanager
def open_keys(settings: Settings, *, create: bool) -> Generator[OwnKeys]:
    """Hold the keys of the store that the settings name. Without ``create`` nothing is ever made:
    where no key was issued yet, there are none.

    Raises as `recense.wiring.control.open_control`.
    """
    clock, chance = SystemClock(), SystemChance()
    credential = local_credential(settings.namespace)
    if not create and not has_control(settings):
        yield OwnKeys(Keys(MemoryRecords(SystemUptime()), clock, chance), credential)
        return
    with open_control(settings, create=create) as control:
        yield OwnKeys(Keys(control, clock, chance), credential)
