"""Namespaces that are open: each once, none closed in use, a bounded number, and all of them closed
in the end.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from recense import wiring
from recense.adapters.memory.records import MemoryRecords
from recense.errors import (
    NamespaceInvalid,
    SettingsInvalid,
    StoreBusy,
    StoreFault,
    StoreFull,
    StoreUnavailable,
)
from recense.limits import NAMESPACE_IDLE_MS_MAX, NAMESPACES_OPEN_MAX
from recense.operations.keys import IssueKey
from recense.operations.sessions import OpenSession
from recense.services.keys import Keys
from recense.services.memory import Memory
from recense.settings.loading import Settings, load_settings
from recense.testing import Boundary, FakeClock, FakeUptime, Fault, SeededChance
from recense.testing.faulty_records import FaultyRecords
from recense.wiring import namespaces as namespaces_module
from recense.wiring import open_memory, open_url
from recense.wiring.namespaces import Namespaces, open_namespaces

WAIT_SECONDS_MAX = 20


class OpenedMemory:
    """Stands for a memory; knows whether it is closed."""

    def __init__(self, namespace: str, on_close: Callable[[], None]) -> None:
        self.namespace = namespace
        self.is_closed = False
        self.holds_text = False
        self._on_close = on_close

    def close(self) -> None:
        assert not self.is_closed
        self._on_close()
        self.is_closed = True


class Opener:
    """Opens memories, and counts how many are open and how many were at a time."""

    def __init__(self) -> None:
        self.opened: list[OpenedMemory] = []
        self.error: StoreFault | None = None
        self.close_error: StoreFault | None = None
        self.hold = threading.Event()
        self.hold.set()
        self.begun = threading.Semaphore(0)
        self.most = 0
        self.control_closed = 0

    def __call__(self, namespace: str) -> Memory:
        self.begun.release()
        assert self.hold.wait(WAIT_SECONDS_MAX)
        if self.error is not None:
            raise self.error
        assert namespace not in self.open_now()
        self.opened.append(OpenedMemory(namespace, self._closing))
        self.most = max(self.most, len(self.open_now()))
        return cast("Memory", self.opened[-1])

    def open_now(self) -> list[str]:
        return [memory.namespace for memory in self.opened if not memory.is_closed]

    def close_control(self) -> None:
        self.control_closed += 1

    def _closing(self) -> None:
        if self.close_error is not None:
            raise self.close_error


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def opener() -> Opener:
    return Opener()


@pytest.fixture
def three(opener: Opener, clock: FakeClock) -> Namespaces:
    """Namespaces of which three may be open."""
    control = MemoryRecords(FakeUptime())
    return Namespaces(
        opener,
        control,
        Keys(control, clock, SeededChance(1)),
        clock,
        close_control=opener.close_control,
        open_max=3,
    )


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has to wait waits long enough for a thread, and not for five seconds."""
    monkeypatch.setattr(namespaces_module, "NAMESPACE_WAIT_MS_MAX", 50)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"store": str(tmp_path / "kept.db")}, {}, str(tmp_path), str(tmp_path))


@pytest.fixture
def opened(settings: Settings) -> Iterator[Namespaces]:
    namespaces = open_namespaces(settings)
    try:
        yield namespaces
    finally:
        assert namespaces.close() == ()


def test_a_namespace_that_is_asked_for_again_is_still_open(
    three: Namespaces, opener: Opener
) -> None:
    with three.memory("a") as one:
        pass
    with three.memory("a") as again, three.memory("a") as within:
        assert again is one is within
    assert len(opener.opened) == 1
    assert three.open_names() == ("a",)


def test_names_that_differ_in_case_alone_are_two(three: Namespaces, opener: Opener) -> None:
    with three.memory("a") as lower, three.memory("A") as upper:
        assert lower is not upper
    assert opener.open_now() == ["a", "A"]


def test_many_threads_that_ask_at_once_open_a_namespace_once(
    three: Namespaces, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespaces_module, "NAMESPACE_WAIT_MS_MAX", WAIT_SECONDS_MAX * 1000)
    opener.hold.clear()

    def asked() -> Memory:
        with three.memory("a") as memory:
            return memory

    with ThreadPoolExecutor(12) as pool:
        asking = [pool.submit(asked) for _ in range(12)]
        assert opener.begun.acquire(timeout=WAIT_SECONDS_MAX)
        opener.hold.set()
        found = {id(each.result(WAIT_SECONDS_MAX)) for each in asking}
    assert len(found) == len(opener.opened) == 1


def test_the_one_that_was_used_longest_ago_makes_room(three: Namespaces, opener: Opener) -> None:
    for name in ("a", "b", "c", "a", "d"):
        with three.memory(name):
            pass
    assert three.open_names() == ("c", "a", "d")
    assert opener.open_now() == ["a", "c", "d"]
    assert opener.most == 3


def test_one_that_holds_text_back_makes_room_after_all_others(
    three: Namespaces, opener: Opener
) -> None:
    for name in ("a", "b", "c"):
        with three.memory(name):
            pass
    opener.opened[0].holds_text = True
    for name in ("d", "e", "f"):
        with three.memory(name):
            opener.opened[-1].holds_text = True
    assert opener.open_now() == ["d", "e", "f"]
    assert opener.opened[1].is_closed
    assert three.open_names() == ("d", "e", "f")


def test_one_in_use_is_never_closed_for_room(three: Namespaces, opener: Opener) -> None:
    with three.memory("a"), three.memory("b"):
        for name in ("c", "d", "e"):
            with three.memory(name):
                assert {"a", "b", name} == set(opener.open_now())


def test_where_all_are_in_use_another_is_refused_as_busy(three: Namespaces, opener: Opener) -> None:
    with three.memory("a"), three.memory("b"), three.memory("c"):
        with pytest.raises(StoreBusy), three.memory("d"):
            pass
        with three.memory("a"):
            assert len(opener.opened) == 3
    with three.memory("d"):
        assert opener.most == 3


def test_who_waits_for_room_gets_it(
    three: Namespaces, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespaces_module, "NAMESPACE_WAIT_MS_MAX", WAIT_SECONDS_MAX * 1000)

    def asked() -> str:
        with three.memory("d"):
            return "d"

    with ThreadPoolExecutor(1) as pool:
        with three.memory("a"), three.memory("b"), three.memory("c"):
            asking = pool.submit(asked)
        assert asking.result(WAIT_SECONDS_MAX) == "d"
    assert opener.most == 3


def test_one_that_nobody_used_for_a_while_is_closed(
    three: Namespaces, opener: Opener, clock: FakeClock
) -> None:
    with three.memory("a"):
        pass
    with three.memory("b"):
        clock.advance(NAMESPACE_IDLE_MS_MAX - 1)
        three.close_idle()
        assert opener.open_now() == ["a", "b"]
        clock.advance(1)
        three.close_idle()
        assert opener.open_now() == ["b"]
    assert opener.open_now() == ["b"]
    clock.advance(NAMESPACE_IDLE_MS_MAX)
    with three.memory("c"):
        pass
    assert opener.open_now() == ["c"]


def test_a_control_file_that_fails_leaves_nothing_half_open(
    opener: Opener, clock: FakeClock
) -> None:
    boundary = Boundary(method="append", call=1, moment="before")
    fault = Fault.raising(boundary, StoreFull("the disk is full"))
    control = FaultyRecords(MemoryRecords(FakeUptime()), [fault])
    keys = Keys(control, clock, SeededChance(1))
    namespaces = Namespaces(opener, control, keys, clock, close_control=opener.close_control)
    with pytest.raises(StoreFull), namespaces.memory("a"):
        pass
    assert (opener.opened, namespaces.open_names()) == ([], ())
    with namespaces.memory("a"):
        assert namespaces.names() == ("default", "a")
    assert namespaces.close() == ()


def test_one_that_cannot_be_opened_is_tried_again_by_the_next(
    three: Namespaces, opener: Opener
) -> None:
    opener.error = StoreFull("the disk is full")
    for _ in range(5):
        with pytest.raises(StoreFull), three.memory("a"):
            pass
    opener.error = None
    with three.memory("a"):
        assert three.open_names() == ("a",)


def test_one_that_cannot_be_closed_in_order_keeps_no_other_from_being_opened(
    three: Namespaces, opener: Opener
) -> None:
    opener.close_error = StoreFull("the disk is full")
    for name in ("a", "b", "c", "d"):
        with three.memory(name):
            pass
    assert three.open_names() == ("b", "c", "d")
    assert three.close() == ()


@pytest.mark.parametrize("name", ["", "..", "a%", "a/b", "a\x00", "\u0430", "x" * 129])
def test_what_is_no_namespace_opens_nothing(three: Namespaces, opener: Opener, name: str) -> None:
    with pytest.raises(NamespaceInvalid), three.memory(name):
        pass
    assert opener.opened == []


# --- closing --------------------------------------------------------------------------------------


def test_closing_waits_for_those_in_use(three: Namespaces, opener: Opener) -> None:
    is_used, may_end = threading.Event(), threading.Event()

    def used() -> None:
        with three.memory("a"):
            is_used.set()
            assert may_end.wait(WAIT_SECONDS_MAX)
            assert opener.open_now() == ["a"]

    with ThreadPoolExecutor(2) as pool:
        using = pool.submit(used)
        assert is_used.wait(WAIT_SECONDS_MAX)
        closing = pool.submit(three.close, wait_ms=WAIT_SECONDS_MAX * 1000)
        while True:  # it has begun to close when nothing is opened any more
            try:
                with three.memory("b"):
                    pass
            except StoreUnavailable:
                break
        assert opener.control_closed == 0
        may_end.set()
        using.result(WAIT_SECONDS_MAX)
        assert closing.result(WAIT_SECONDS_MAX) == ()
    assert opener.open_now() == []
    assert opener.control_closed == 1


def test_what_is_still_in_use_is_named_and_closed_by_who_gives_it_back(
    three: Namespaces, opener: Opener
) -> None:
    with three.memory("b"):
        pass
    with three.memory("a"):
        assert three.close(wait_ms=10) == ("a",)
        assert opener.open_now() == ["a"]
        assert opener.control_closed == 0
    assert opener.open_now() == []
    assert opener.control_closed == 1
    assert three.close() == ()
    assert opener.control_closed == 1


def test_one_that_fails_to_open_while_all_are_closed_holds_nothing_up(
    three: Namespaces, opener: Opener
) -> None:
    opener.hold.clear()

    def asked() -> None:
        with three.memory("a"):
            pass

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(asked)
        assert opener.begun.acquire(timeout=WAIT_SECONDS_MAX)
        assert three.close(wait_ms=10) == ("a",)
        opener.error = StoreFull("the disk is full")
        opener.hold.set()
        with pytest.raises(StoreFull):
            asking.result(WAIT_SECONDS_MAX)
    assert opener.control_closed == 1


# --- on SQLite ------------------------------------------------------------------------------------


def test_each_namespace_is_a_file_and_the_default_one_that_of_the_url(
    opened: Namespaces, tmp_path: Path
) -> None:
    for name in ("default", "a", "A", "a.b"):
        with opened.memory(name) as memory:
            memory.session_open(OpenSession(session=f"of-{name}", source="notes"))
    for name in ("default", "a", "A", "a.b"):
        with opened.memory(name) as memory:
            (session,) = memory.sessions().sessions
            assert session.session == f"notes:of-{name}"
    assert (tmp_path / "kept.db").exists()
    files = sorted(path.name.partition("-")[0] for path in (tmp_path / "kept.db.d").glob("*.db"))
    assert files == ["a", "a", "a_b"]


def test_every_namespace_is_on_the_list_whoever_made_it(
    opened: Namespaces, settings: Settings
) -> None:
    assert opened.names() == ("default",)
    with opened.memory("server"):
        pass
    with open_url(settings.store, namespace="library"):
        pass
    with open_url(settings.store, namespace="library"), open_url(settings.store):
        pass
    assert opened.names() == ("default", "library", "server")


def test_a_file_that_was_put_back_is_on_the_list_when_somebody_uses_it(
    settings: Settings, tmp_path: Path
) -> None:
    with open_url(settings.store, namespace="a") as memory:
        memory.session_open(OpenSession(session="s"))
    for path in tmp_path.glob("kept.db.control.db*"):
        path.unlink()
    namespaces = open_namespaces(settings)
    try:
        assert namespaces.names() == ("default",)
        with namespaces.memory("a") as memory:
            assert memory.sessions().total == 1
        assert namespaces.names() == ("default", "a")
    finally:
        namespaces.close()


def test_looking_at_a_namespace_that_is_not_there_makes_none(
    settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(StoreUnavailable):
        open_url(settings.store, namespace="nowhere", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_name_is_on_record_before_its_file_is_made(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: object, **_named: object) -> None:
        raise StoreFull("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(wiring, "open_sqlite_file", full)
        with pytest.raises(StoreFull):
            open_url(settings.store, namespace="a")
    namespaces = open_namespaces(settings)
    try:
        assert namespaces.names() == ("default", "a")
    finally:
        namespaces.close()


def test_no_namespace_that_is_set_leads_a_server_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECENSE_NAMESPACE", "set")
    flags = {"store": str(tmp_path / "kept.db"), "namespace": "set"}
    namespaces = open_namespaces(load_settings(flags, {}, str(tmp_path), str(tmp_path)))
    try:
        with namespaces.memory("a") as memory:
            assert "a-" in memory.doctor().paths["place"]
    finally:
        namespaces.close()
    assert not list((tmp_path / "kept.db.d").glob("set-*"))


def test_a_store_in_no_file_has_no_namespaces(tmp_path: Path) -> None:
    settings = load_settings({"store": "memory:"}, {}, str(tmp_path), str(tmp_path))
    with pytest.raises(SettingsInvalid, match="memory:"):
        open_namespaces(settings)


def test_the_doctor_says_which_namespace_and_which_file(settings: Settings) -> None:
    with open_url(settings.store, namespace="a:b") as memory:
        health = memory.doctor()
    shown = {view.name: view.value for view in health.settings}
    assert shown["namespace"] == "a:b"
    assert Path(health.paths["place"]).parent.name == "kept.db.d"


def test_more_namespaces_than_may_be_open_are_served(opened: Namespaces) -> None:
    for number in range(NAMESPACES_OPEN_MAX + 3):
        with opened.memory(f"n{number}"):
            pass
    assert len(opened.open_names()) == NAMESPACES_OPEN_MAX
    assert len(opened.names()) == NAMESPACES_OPEN_MAX + 4


def test_a_key_leads_to_its_namespace(opened: Namespaces) -> None:
    issued = opened.keys.issue(IssueKey(namespace="a.b"))
    credential = opened.keys.check(issued.key)
    with opened.memory(credential.namespace) as memory:
        memory.session_open(OpenSession(session="s"))
    with opened.memory("a_b") as memory:
        assert memory.sessions().total == 0


def test_a_memory_of_the_default_namespace_alone_leaves_no_other_file(
    settings: Settings, tmp_path: Path
) -> None:
    with open_memory(settings) as memory:
        memory.session_open(OpenSession(session="s"))
    assert [path.name for path in tmp_path.iterdir()] == ["kept.db"]
