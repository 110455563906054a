"""No damage of the index changes an answer, or the doctor tells of it."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import cast

import pytest

from recense.adapters.sqlite.connections import connect
from recense.core.instants import text_from_instant
from recense.core.transcript.events import Text, encode_payload
from recense.core.values import Value
from recense.operations.recall import MoreRequest, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.services import indexing
from recense.services.memory import Memory
from tests.end_to_end.histories import EPOCH, run
from tests.end_to_end.killed_indexing import SMALL
from tests.end_to_end.narrowing import EMPTY_INDEX, STORE, ask_both_ways, copied, outcome, said
from tests.end_to_end.worlds import on_sqlite

WORDS = ("moss", "数据库", "数", "-", "needle 7919", "丁", "nowhere")
HEAD = "zx fern - needle"


CHANCE = f"x'{Random(7).randbytes(4_096).hex()}'"
"""Bytes that the engine tells for damage, the same in each run. Of a hundred others it reads some
five without a word, as lists of other texts: those only the doctor finds."""

LEAVES = "UPDATE grams_data SET block = substr(?, 1, length(block)) WHERE id > 10"


class Herbarium(Value, kw_only=True):
    """A closed store of two dozen sessions, wholly indexed, over many pages of every table; what a
    full scan answers of each of the words, and what follows one anchor.
    """

    folder: Path
    answers: tuple[object, ...]
    anchor: str
    more: object

    def damaged(self, target: Path, *statements: str) -> Path:
        """Copy the store, execute statements on the copy, and return its folder."""
        return copied(self.folder, target, *statements)

    def assert_answered(self, memory: Memory) -> Counter[str]:
        """Ask a memory everything; count the ways by which it found."""
        ways: Counter[str] = Counter()
        for word, expected in zip(WORDS, self.answers, strict=True):
            found = memory.recall(RecallRequest(terms=(word,)))
            assert outcome(lambda f=found: f) == expected, (word, found.path)
            ways[found.path] += 1
        more = MoreRequest(anchor=self.anchor, before=2, after=2)
        assert outcome(lambda: memory.recall_more(more)) == self.more
        return ways


@pytest.fixture(scope="module")
def herbarium(tmp_path_factory: pytest.TempPathFactory) -> Herbarium:
    folder = tmp_path_factory.mktemp("herbarium")
    with on_sqlite(folder) as memory:
        for session in range(24):
            opened = memory.session_open(OpenSession(session=f"s{session}"))
            memory.session_append(opened.session, [_sheet(session, n) for n in range(10)])
        memory.index()
        asked = [RecallRequest(terms=(word,)) for word in WORDS]
        answers = [memory.recall_by_scan(request) for request in asked]
        anchor = answers[0].passages[0].anchor
        return Herbarium(
            folder=folder,
            answers=tuple(outcome(lambda a=answer: a) for answer in answers),
            anchor=anchor,
            more=memory.recall_more(MoreRequest(anchor=anchor, before=2, after=2)),
        )


def _sheet(session: int, number: int) -> AppendedEvent:
    rare = "".join(
        chr(0x4E00 + (session * 37 + number * 91 + k * k * 13) % 9000) for k in range(70)
    )
    text = f"{HEAD} {session * number * 7919 % 1_000_003} moss 数据库 {rare}"
    return AppendedEvent(
        event_id=f"e{session}-{number}",
        at=text_from_instant(EPOCH + number),
        payload=encode_payload(Text(role="user" if number % 3 == 0 else "model", text=text)),
    )


SEEN = "seen"
UNSEEN = "unseen"
HARMLESS = "harmless"

DAMAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "emptied grams": (SEEN, ("DELETE FROM grams",)),
    "grams all deleted": (SEEN, ("INSERT INTO grams(grams) VALUES ('delete-all')",)),
    "emptied images": (SEEN, ("DELETE FROM images",)),
    "some images gone": (SEEN, ("DELETE FROM images WHERE image_key % 2 = 0",)),
    "emptied marks": (SEEN, ("DELETE FROM index_mark",)),
    "emptied states": (SEEN, ("DELETE FROM index_states",)),
    "all emptied": (
        SEEN,
        (
            *("DELETE FROM images", "DELETE FROM index_states", "DELETE FROM index_mark"),
            "INSERT INTO grams(grams) VALUES ('delete-all')",
        ),
    ),
    "overwritten images": (SEEN, ("UPDATE images SET image = zeroblob(length(image))",)),
    "dropped grams": (SEEN, ("DROP TABLE grams",)),
    "dropped images": (SEEN, ("DROP TABLE images",)),
    "dropped states": (SEEN, ("DROP TABLE index_states",)),
    "dropped marks": (SEEN, ("DROP TABLE index_mark",)),
    "all dropped": (
        SEEN,
        tuple(f"DROP TABLE {each}" for each in ("grams", "images", "index_states", "index_mark")),
    ),
    "an index of images dropped": (HARMLESS, ("DROP INDEX images_by_place",)),
    **{
        f"{table} {way}": (SEEN, (statement.format(table=table),))
        for table in ("grams_data", "grams_idx", "grams_docsize", "grams_config")
        for way, statement in (
            ("emptied", "DELETE FROM {table}"),
            ("dropped", "DROP TABLE {table}"),
        )
    },
    "leaves gone": (SEEN, ("DELETE FROM grams_data WHERE id > 10",)),
    "leaves emptied": (SEEN, ("UPDATE grams_data SET block = x'' WHERE id > 10",)),
    "leaves cut": (
        SEEN,
        ("UPDATE grams_data SET block = substr(block, 1, length(block) / 2) WHERE id > 10",),
    ),
    "leaves zeroed": (
        SEEN,
        ("UPDATE grams_data SET block = zeroblob(length(block)) WHERE id > 10",),
    ),
    "leaves of chance": (
        SEEN,
        (LEAVES.replace("?", CHANCE),),
    ),
    "terms of chance": (SEEN, ("UPDATE grams_idx SET term = randomblob(length(term))",)),
    "terms that lead nowhere": (SEEN, ("UPDATE grams_idx SET pgno = 0",)),
    "the engine's structure of chance": (
        SEEN,
        ("UPDATE grams_data SET block = randomblob(length(block)) WHERE id = 10",),
    ),
    "an engine's structure that asks for more memory than there is": (
        SEEN,
        ("UPDATE grams_data SET block = x'a242fdf11f8f2b1a39f3c3e6' WHERE id = 10",),
    ),
    "other rules of indexing": (
        HARMLESS,
        ("UPDATE sessions SET index_version = index_version + session_key % 3 - 1",),
    ),
    "other rules of redaction": (
        HARMLESS,
        ("UPDATE sessions SET redaction_version = redaction_version + session_key % 2",),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_damage_of_the_index_changes_an_answer_and_indexing_again_mends_it(
    tmp_path: Path, herbarium: Herbarium, damage: str
) -> None:
    kind, statements = DAMAGES[damage]
    with on_sqlite(herbarium.damaged(tmp_path / "damaged", *statements)) as memory:
        ways = herbarium.assert_answered(memory)
        checks = {check.name: check.ok for check in memory.doctor().checks}
        assert checks == checks | {"index": kind != SEEN, "store_integrity": True}
        memory.index(anew=kind == SEEN and "narrowed" in ways)
        assert set(herbarium.assert_answered(memory)) == {"narrowed"}


EVENT_DAMAGES: dict[str, str] = {
    "an event changed": "UPDATE events SET payload = x'7b' WHERE session_key = 1 AND ordinal = 1",
    "an event gone": "DELETE FROM events WHERE session_key = 1 AND ordinal = 1",
    "the last event gone": "DELETE FROM events WHERE session_key = 1 AND ordinal = 9",
    "all events but one gone": "DELETE FROM events WHERE session_key = 1 AND ordinal > 0",
    "an instant of no year": "UPDATE events SET at = 4611686018427387904 WHERE event_id = 'e0-4'",
}


@pytest.mark.parametrize("damage", EVENT_DAMAGES)
def test_a_session_of_which_an_event_cannot_be_read_is_never_vouched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, herbarium: Herbarium, damage: str
) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(indexing, name, value)
    folder = herbarium.damaged(tmp_path / "damaged", *EMPTY_INDEX, EVENT_DAMAGES[damage])
    asked = [RecallRequest(terms=(word,)) for word in WORDS[:3]]
    with on_sqlite(folder) as memory:
        memory.index()
        assert ask_both_ways(memory, asked)["mixed"] == len(asked)
        memory.session_append("api:s0", [said("later", "moss"), said("latest", "moss")])
        memory.index()
        assert ask_both_ways(memory, asked)["mixed"] == len(asked)


def test_a_message_that_grows_out_of_a_damaged_event_keeps_no_other_session_from_being_indexed(
    tmp_path: Path,
) -> None:
    def part(number: int) -> AppendedEvent:
        payload = Text(role="model", text=f"moss {number}", message="one")
        return AppendedEvent(event_id=f"{number}", payload=encode_payload(payload))

    with on_sqlite(tmp_path) as memory:
        for name in ("grows", "other"):
            memory.session_open(OpenSession(session=name))
            memory.session_append(f"api:{name}", [part(1), part(2)])
        memory.index()
        run(tmp_path / STORE, "UPDATE events SET payload = x'7b' WHERE event_id = '1'")
        run(tmp_path / STORE, "UPDATE sessions SET indexed_events = 0 WHERE session_key = 2")
        memory.session_append("api:grows", [part(3)])
        memory.index()
        assert ask_both_ways(memory, [RecallRequest(terms=("moss",))])["hits"] == 1


def test_a_session_whose_state_of_indexing_is_lost_is_indexed_anew_when_it_has_grown(
    tmp_path: Path, herbarium: Herbarium
) -> None:
    lost = "DELETE FROM index_states WHERE session_key = 2"
    with on_sqlite(herbarium.damaged(tmp_path / "damaged", lost)) as memory:
        memory.session_append("api:s1", [said("later", "moss")])
        memory.index()
        assert ask_both_ways(memory, [RecallRequest(terms=("moss",))])["narrowed"] == 1


def _pages_of_the_index(store: Path) -> list[tuple[str, int]]:
    """Return (table, page number) of every page that the index alone uses."""
    connection = connect(store, busy_wait_ms=0)
    try:
        rows = connection.execute(
            "SELECT name, pageno FROM dbstat WHERE name GLOB 'grams*' OR name GLOB 'image*'"
            " OR name GLOB 'index_*' ORDER BY name, pageno"
        ).fetchall()
    finally:
        connection.close()
    return cast("list[tuple[str, int]]", rows)


def test_no_page_of_the_index_that_is_zeroed_changes_an_answer_unless_the_doctor_tells(
    tmp_path: Path, herbarium: Herbarium
) -> None:
    pages = _pages_of_the_index(herbarium.folder / STORE)
    tables = Counter(name for name, _ in pages)
    assert tables["grams_data"] > 10
    assert tables["images"] > 10
    tried = [page for at, page in enumerate(pages) if tables[page[0]] < 3 or at % 17 == 0]
    folder = herbarium.damaged(tmp_path / "damaged")
    for name, number in tried:
        with (folder / STORE).open("r+b") as file:
            file.seek((number - 1) * 4096)
            kept = file.read(4096)
            file.seek(-4096, 1)
            file.write(bytes(4096))
        with on_sqlite(folder) as memory:
            try:
                herbarium.assert_answered(memory)
            except AssertionError:
                told = [check.name for check in memory.doctor().checks if not check.ok]
                assert told, (name, number)
        with (folder / STORE).open("r+b") as file:
            file.seek((number - 1) * 4096)
            file.write(kept)
