"""The namespaces of a store, each a memory of its own, opened when it is asked for.

Laws:

- The namespace is an argument, from the credential of a call down to the file that is opened. No
  object here has a namespace in force.
- A namespace is open once in a process, however many threads ask for it at once; one in use is
  never closed; one that nobody has used for NAMESPACE_IDLE_MS_MAX is. Where NAMESPACES_OPEN_MAX are
  open, the one that was used longest ago makes room; before it one that holds no text back.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import msgspec

from recense.adapters.system import SystemChance, SystemClock
from recense.errors import StoreBusy, StoreFault, StoreUnavailable
from recense.limits import (
    NAMESPACE_IDLE_MS_MAX,
    NAMESPACE_WAIT_MS_MAX,
    NAMESPACES_CLOSE_MS_MAX,
    NAMESPACES_OPEN_MAX,
)
from recense.ports.clock import Clock
from recense.ports.records import RecordStore
from recense.services.keys import Keys
from recense.services.memory import Memory
from recense.services.namespaces import known_namespaces, note_namespace, require_namespace
from recense.settings.loading import Settings
from recense.wiring import open_memory
from recense.wiring.control import open_control


class _Place:
    """A namespace that is open or being opened, then it has users; or one that is being closed."""

    def __init__(self) -> None:
        self.memory: Memory | None = None
        self.users = 0
        self.used_at_ms = 0.0
        self.is_closing = False

    @property
    def is_unused(self) -> bool:
        """Whether it is open and may be closed."""
        return self.memory is not None and not self.users and not self.is_closing

    @property
    def holds_text(self) -> bool:
        """Whether closing it would lose the end of a text that is still arriving."""
        return self.memory is not None and self.memory.holds_text


class Namespaces:
    """The memories of all namespaces, and the keys to them; for any thread."""

    def __init__(
        self,
        open_one: Callable[[str], Memory],
        control: RecordStore,
        keys: Keys,
        clock: Clock,
        *,
        close_control: Callable[[], None],
        open_max: int = NAMESPACES_OPEN_MAX,
    ) -> None:
        self.keys: Final = keys
        self._open_one: Final = open_one
        self._control: Final = control
        self._clock: Final = clock
        self._close_control: Final = close_control
        self._open_max: Final = open_max
        self._changed: Final = threading.Condition()
        self._places: Final[OrderedDict[str, _Place]] = OrderedDict()
        self._is_closing = False
        self._is_closed = False

    @contextmanager
    def memory(self, namespace: str) -> Generator[Memory]:
        """Hold the memory of a namespace, made when there is none; leave the context soon.

        Raises NamespaceInvalid, the faults of opening a store, StoreBusy where too many others are
        in use, and StoreUnavailable when all are being closed.
        """
        require_namespace(namespace)
        place, memory = self._taken(namespace)
        try:
            yield memory
        finally:
            with self._changed:
                place.users -= 1
                place.used_at_ms = self._clock.elapsed_ms()
                self._changed.notify_all()
            self.close_idle()

    def names(self) -> tuple[str, ...]:
        """Return every namespace there is, the default one first, then in order."""
        return known_namespaces(self._control)

    def open_names(self) -> tuple[str, ...]:
        """Return the namespaces that are open now, the one that was used longest ago first."""
        with self._changed:
            return tuple(name for name, place in self._places.items() if place.memory is not None)

    def close_idle(self) -> None:
        """Close what nobody has used for a while, and once all is being closed what nobody uses;
        called after each use, and by who has nothing else to do.
        """
        before = self._clock.elapsed_ms() - NAMESPACE_IDLE_MS_MAX
        with self._changed:
            idle = [
                (name, place)
                for name, place in self._places.items()
                if place.is_unused and (self._is_closing or place.used_at_ms <= before)
            ]
            for _, place in idle:
                place.is_closing = True
        for name, place in idle:
            self._close_one(name, place)
        self._let_go_of_control()

    def close(self, *, wait_ms: int = NAMESPACES_CLOSE_MS_MAX) -> tuple[str, ...]:
        """Close every memory and let go of the keys; none is opened from now on.

        Waits for those in use. What is in use after ``wait_ms`` is returned by its name, and closed
        by who gives it back; the keys are let go of after the last one.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: not any(place.users for place in self._places.values()), wait_ms / 1000
            )
        self.close_idle()
        with self._changed:
            return tuple(name for name, place in self._places.items() if place.users)

    def _taken(self, namespace: str) -> tuple[_Place, Memory]:
        """Return a namespace that is open, with one more user."""
        with self._changed:
            self._wait_for(namespace)
            place = self._places.get(namespace)
            if place is not None and place.memory is not None:
                place.users += 1
                self._places.move_to_end(namespace)
                return place, place.memory
            room = self._making_room()
            place = self._places[namespace] = _Place()
            place.users = 1
        if room is not None:
            self._close_one(*room)
        return place, self._opened(namespace, place)

    def _wait_for(self, namespace: str) -> None:
        """Wait until a namespace can be used or opened; the condition is held."""
        is_in_time = self._changed.wait_for(
            lambda: self._is_closing or self._is_ready(namespace), NAMESPACE_WAIT_MS_MAX / 1000
        )
        if self._is_closing:
            raise StoreUnavailable(
                "the namespaces are being closed", hint="try again when the server is back"
            )
        if not is_in_time:
            raise StoreBusy(
                f"all {self._open_max} namespaces that may be open have been in use for "
                f"{NAMESPACE_WAIT_MS_MAX} ms",
                hint="try again",
            )

    def _is_ready(self, namespace: str) -> bool:
        place = self._places.get(namespace)
        if place is not None:
            return place.memory is not None and not place.is_closing
        return not self._is_full() or any(each.is_unused for each in self._places.values())

    def _is_full(self) -> bool:
        return sum(not place.is_closing for place in self._places.values()) >= self._open_max

    def _making_room(self) -> tuple[str, _Place] | None:
        """Return what has to be closed before another is opened, marked so; None for nothing."""
        if not self._is_full():
            return None
        unused = [each for each in self._places.items() if each[1].is_unused]
        name, place = next((each for each in unused if not each[1].holds_text), unused[0])
        place.is_closing = True
        return name, place

    def _opened(self, namespace: str, place: _Place) -> Memory:
        """Return the memory of a namespace, opened now; where that fails, the next who asks tries
        again.
        """
        with ExitStack() as undo:
            undo.callback(self.close_idle)
            undo.callback(self._drop, namespace)
            note_namespace(self._control, namespace, self._clock)  # one put back by hand, too
            memory = self._open_one(namespace)
            undo.pop_all()
        with self._changed:
            place.memory = memory
            self._changed.notify_all()
        return memory

    def _close_one(self, namespace: str, place: _Place) -> None:
        """Close what was marked. What was acknowledged is kept; whoever opens it next is told what
        is wrong with its file.
        """
        try:
            if place.memory is not None:
                with suppress(StoreFault):
                    place.memory.close()
        finally:
            self._drop(namespace)

    def _drop(self, namespace: str) -> None:
        with self._changed:
            del self._places[namespace]
            self._changed.notify_all()

    def _let_go_of_control(self) -> None:
        with self._changed:
            if not self._is_closing or self._places or self._is_closed:
                return
            self._is_closed = True
        self._close_control()


def open_namespaces(settings: Settings) -> Namespaces:
    """Return the namespaces of the store that the settings name, and its keys; the setting of the
    namespace is not looked at.

    Raises SettingsInvalid for a store that lies in no file, and the faults of opening the file of
    the keys.
    """

    def open_one(namespace: str) -> Memory:
        return open_memory(msgspec.structs.replace(settings, namespace=namespace), create=True)

    clock = SystemClock()
    with ExitStack() as undo:
        control = undo.enter_context(open_control(settings, create=True))
        keys = Keys(control, clock, SystemChance())
        return Namespaces(open_one, control, keys, clock, close_control=undo.pop_all().close)
