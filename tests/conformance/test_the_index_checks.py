"""The checks of indexes find the faults they are there for, planted in the store on SQLite."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite import forgetting, index_reading, indexing, restarting
from recense.adapters.sqlite import store as store_module
from recense.adapters.sqlite.driver import Connection
from recense.conformance import all_checks, run_check
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.text.grams import distinct_grams
from recense.limits import WINDOW_BYTES, WINDOW_OVERLAP_BYTES
from recense.ports.index import IndexPage, SessionImages
from tests.conformance.openers import memory_opener, sqlite_opener

WRITE = indexing.write_index_page
FORGET = indexing.forget_images

Plant = Callable[[pytest.MonkeyPatch], None]


def _writing(bend: Callable[[IndexPage], IndexPage]) -> Plant:
    """Return what makes the store write another page than it was given."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def write(connection: Connection, page: IndexPage) -> frozenset[str]:
            return WRITE(connection, bend(page))

        patch.setattr(store_module, "write_index_page", write)

    return plant


def _sessions(**changes: object) -> Callable[[IndexPage], IndexPage]:
    def bend(page: IndexPage) -> IndexPage:
        return replace(page, sessions=tuple(replace(each, **changes) for each in page.sessions))

    return bend


def _vouches_at_once(patch: pytest.MonkeyPatch) -> None:
    def write(connection: Connection, page: IndexPage) -> frozenset[str]:
        written = WRITE(connection, page)
        connection.execute("UPDATE sessions SET indexed_events = events WHERE index_version <> 0")
        return written

    patch.setattr(store_module, "write_index_page", write)


def _trusts_every_base(patch: pytest.MonkeyPatch) -> None:
    def key(connection: Connection, page: IndexPage, images: SessionImages) -> int | None:
        row = connection.execute(
            "SELECT session_key FROM sessions WHERE session_id = ?", (images.session_id,)
        ).fetchone()
        return row[0] if row else None

    patch.setattr(indexing, "_key_as_expected", key)


def _keeps_vouches(patch: pytest.MonkeyPatch) -> None:
    def empty(connection: Connection) -> None:
        connection.execute("DELETE FROM images")
        connection.execute("DELETE FROM grams")

    patch.setattr(store_module, "empty_index", empty)


def _asks_too_much(patch: pytest.MonkeyPatch) -> None:
    def grams(term: bytes) -> tuple[bytes, ...]:
        return (*distinct_grams(term), b"fer")

    patch.setattr(index_reading, "distinct_grams", grams)


def _forgets_no_image(patch: pytest.MonkeyPatch) -> None:
    def nothing(connection: Connection, keys: Iterable[int]) -> None:
        pass

    patch.setattr(forgetting, "forget_images", nothing)


def _restarts_without_it(patch: pytest.MonkeyPatch) -> None:
    def nothing(connection: Connection, keys: Iterable[int]) -> None:
        pass

    patch.setattr(restarting, "forget_images", nothing)


def _cuts_windows_apart(patch: pytest.MonkeyPatch) -> None:
    def apart(image: bytes) -> Iterable[bytes]:
        stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
        for start in range(0, max(1, len(image)), stride):
            yield image[start : start + stride]

    patch.setattr(indexing, "windows", apart)


PLANTED: Final[dict[str, tuple[Plant, str]]] = {
    "vouches at once": (
        _vouches_at_once,
        "an index answers for a session when it is written to its end, and not before",
    ),
    "trusts every base": (
        _trusts_every_base,
        "a page of an index on another base writes nothing, and others on it are written",
    ),
    "ignores standings": (
        _writing(_sessions(standings=())),
        "standings of a page apply to the rows of an index, one after the other",
    ),
    "adds to what is there": (
        _writing(_sessions(rows=())),
        "rows of an index replace those at their places, and a page on nothing replaces all",
    ),
    "vouches for what it could not read": (
        _writing(_sessions(is_readable=True)),
        "an index answers for nothing that other rules made, or that could not be read",
    ),
    "vouches by other rules": (
        _writing(lambda page: replace(page, index_version=INDEX_VERSION)),
        "an index answers for nothing that other rules made, or that could not be read",
    ),
    "takes every redaction for its own": (
        _writing(lambda page: replace(page, redaction_version=REDACTION_VERSION)),
        "an index answers for nothing that other rules made, or that could not be read",
    ),
    "keeps vouches when emptied": (
        _keeps_vouches,
        "emptying an index takes back all that it answers for",
    ),
    "asks for more than the term": (
        _asks_too_much,
        "an index offers every message that holds a term, of any length and any script",
    ),
    "cuts long texts apart": (
        _cuts_windows_apart,
        "a long text is offered wherever in it a term stands, and once",
    ),
    "forgets no image": (
        _forgets_no_image,
        "forgetting leaves nothing of a session in an index",
    ),
    "restarts without it": (_restarts_without_it, "a conversion made anew is indexed anew"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_of_an_index_fails_the_check_that_is_for_it(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant, sentence = PLANTED[name]
    (check,) = (each for each in all_checks() if each.sentence == sentence)
    plant(monkeypatch)
    outcome = run_check(check, "planted", sqlite_opener(tmp_path), memory_opener())
    assert outcome.verdict == "failed"


def test_a_vouch_that_outlives_a_change_fails_the_check_that_is_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    vouched: str = index_reading._VOUCHED  # pyright: ignore[reportPrivateUsage]
    statement = vouched.replace("vouch = ?", "index_version = ?")
    monkeypatch.setattr(index_reading, "_VOUCHED", statement)
    sentence = "whatever happens to a session takes back what an index said of it"
    (check,) = (each for each in all_checks() if each.sentence == sentence)
    outcome = run_check(check, "planted", sqlite_opener(tmp_path), memory_opener())
    assert outcome.verdict == "failed"
