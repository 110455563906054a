"""What notices that something has changed in a namespace, once for all who follow it.

A look asks a namespace how it stands, and wakes who waits when that is not as it was. Looking takes
CHANGES_LOOK_SHARE of a processor at most, however large the store: there changes by other processes
are noticed later, and those by this one at once, for CHANGES_NUDGED_SHARE while it writes.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from recense.core.values import Value
from recense.errors import RecenseError
from recense.limits import (
    CHANGES_HUBS_MAX,
    CHANGES_KEPT_MAX,
    CHANGES_LOOK_SECONDS,
    CHANGES_LOOK_SHARE,
    CHANGES_NUDGED_SHARE,
)
from recense.operations.changes import SessionChange
from recense.servers.http.logs import ServerLog
from recense.servers.workers import Workers
from recense.services.changes import SessionStandings, StoreChanges
from recense.wiring.namespaces import Namespaces

_Found = TypeVar("_Found")
_RUN_BYTES: Final = 8


class _Seen(Value, kw_only=True):
    """How a namespace stood, and how long it took to see that."""

    mark: str
    standings: SessionStandings
    seconds: float


class Hub:
    """Who follows one namespace; for the event loop's thread alone."""

    def __init__(
        self, namespace: str, namespaces: Namespaces, workers: Workers, log: ServerLog, run: str
    ) -> None:
        self.run: Final = run
        self.version = 0
        self.mark = ""
        self.session_changes = 0
        """How many changes of sessions were seen; each has its number."""
        self.followers = 0
        self._namespace: Final = namespace
        self._namespaces: Final = namespaces
        self._workers: Final = workers
        self._log: Final = log
        self._standings: SessionStandings | None = None
        self._remembered: Final[deque[tuple[int, SessionChange]]] = deque(maxlen=CHANGES_KEPT_MAX)
        self._changed: Final = asyncio.Condition()
        self._nudged: Final = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._one_at_a_time: Final = asyncio.Lock()
        self._look_seconds = 0.0

    @contextmanager
    def followed(self) -> Generator[None]:
        """Look again and again for as long as the context lasts."""
        self.followers += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())
        try:
            yield
        finally:
            self.followers -= 1
            self._rest()

    def _rest(self) -> None:
        """Look no more, once nobody follows."""
        if not self.followers and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def nudge(self) -> None:
        """Look soon: something was written."""
        self._nudged.set()

    async def asked(self, ask: Callable[[StoreChanges], _Found]) -> _Found:
        """Return what the changes of the namespace answer."""

        def answered() -> _Found:
            with self._namespaces.memory(self._namespace) as memory:
                return ask(memory.serving.changes)

        return await self._workers.run(answered)

    async def look(self) -> None:
        """See how the namespace stands, and wake who waits where that is not as it was."""
        loop = asyncio.get_running_loop()

        def seen(changes: StoreChanges) -> _Seen:
            began = loop.time()
            mark, standings = changes.mark(), changes.sessions()
            return _Seen(mark=mark, standings=standings, seconds=loop.time() - began)

        async with self._one_at_a_time:
            now = await self.asked(seen)
            self._look_seconds = now.seconds
            before, self._standings = self._standings, now.standings
            is_other = now.mark != self.mark
            self.mark = now.mark
            for change in () if before is None else _differences(before, now.standings):
                self.session_changes += 1
                self._remembered.append((self.session_changes, change))
                is_other = True
        if is_other:
            await self.wake()

    async def wake(self) -> None:
        """Let everybody who waits look for what is new."""
        async with self._changed:
            self.version += 1
            self._changed.notify_all()

    async def changed_since(self, version: int, seconds: float) -> bool:
        """Wait until something is not as it was at a version, or so long; return whether it is."""
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.version != version)
        except TimeoutError:
            return False
        return True

    def sessions_after(self, run: str, number: int) -> list[tuple[int, SessionChange]] | None:
        """Return the changes of sessions after the ``number``-th of a run of the server, numbered;
        None where they are not remembered.
        """
        oldest = self._remembered[0][0] if self._remembered else self.session_changes + 1
        if run != self.run or not oldest - 1 <= number <= self.session_changes:
            return None
        return [each for each in self._remembered if each[0] > number]

    async def _look_on(self) -> None:
        while True:
            wait = max(CHANGES_LOOK_SECONDS, self._look_seconds / CHANGES_LOOK_SHARE)
            try:
                async with asyncio.timeout(wait):
                    await self._nudged.wait()
                await asyncio.sleep(self._look_seconds / CHANGES_NUDGED_SHARE)
            except TimeoutError:
                pass
            self._nudged.clear()
            try:
                await self.look()
            except RecenseError as error:  # a store that is busy now is looked at again
                self._log.say("look_failed", error.code, level="warning")


class Hubs:
    """The hubs of all namespaces that are followed, or were not long ago."""

    def __init__(
        self,
        namespaces: Namespaces,
        workers: Workers,
        log: ServerLog,
        draw: Callable[[int], bytes],
    ) -> None:
        self._namespaces: Final = namespaces
        self._workers: Final = workers
        self._log: Final = log
        self._draw: Final = draw
        self._hubs: Final[OrderedDict[str, Hub]] = OrderedDict()

    def of(self, namespace: str) -> Hub:
        """Return the hub of a namespace."""
        hub = self._hubs.get(namespace)
        if hub is None:
            self._forget_one()
            run = self._draw(_RUN_BYTES).hex()  # a hub that was forgotten remembers nothing
            hub = Hub(namespace, self._namespaces, self._workers, self._log, run)
            self._hubs[namespace] = hub
        self._hubs.move_to_end(namespace)
        return hub

    def nudge(self, namespace: str) -> None:
        """Tell who follows a namespace, if anybody does, that something was written."""
        hub = self._hubs.get(namespace)
        if hub is not None:
            hub.nudge()

    async def wake_all(self) -> None:
        """Let everybody who follows see that the server is stopping."""
        for hub in self._hubs.values():
            await hub.wake()

    def _forget_one(self) -> None:
        """Make room: the one that rests longest goes, and with it what it remembers."""
        if len(self._hubs) >= CHANGES_HUBS_MAX:
            resting = next((name for name, each in self._hubs.items() if not each.followers), None)
            if resting is not None:
                del self._hubs[resting]


def _differences(before: SessionStandings, now: SessionStandings) -> list[SessionChange]:
    """Return what is new, is not as it was, or is gone."""
    changed = [each for name, each in now.items() if before.get(name) != each]
    gone = [
        msgspec.structs.replace(each, gone=True) for name, each in before.items() if name not in now
    ]
    return [*changed, *gone]
