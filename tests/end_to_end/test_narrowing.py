"""Storage narrows, the predicate decides: whatever is kept and asked."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from recense.core.transcript.events import Text, encode_payload
from recense.limits import PAIRED_HITS_MAX
from recense.operations.recall import MoreRequest, RecallAnswer, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.sources import Importer
from recense.services import indexing
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock
from recense.wiring import Importers, join, load_importers
from tests.core.recall.messages_by_hand import SECRET
from tests.end_to_end.histories import (
    History,
    State,
    build,
    run,
)
from tests.end_to_end.killed_indexing import SMALL
from tests.end_to_end.narrowing import (
    EMPTY_INDEX,
    STORE,
    ask_both_ways,
    assert_rebuilt,
    copied,
    on_keeping,
    outcome,
    said,
)
from tests.end_to_end.questions import grep_requests, requests
from tests.end_to_end.worlds import on_sqlite, sqlite_store, with_records


@pytest.mark.parametrize(("opener", "in_small_pages"), [(on_sqlite, False), (on_keeping, True)])
@pytest.mark.parametrize(("seed", "state"), [(0, "none"), (1, "stale"), (3, "whole"), (4, "whole")])
def test_the_index_changes_no_answer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    state: State,
    opener: Callable[[Path], Memory],
    in_small_pages: bool,
) -> None:
    if in_small_pages:
        for name, value in SMALL.items():
            monkeypatch.setattr(indexing, name, value)
    with opener(tmp_path) as memory:
        history = build(
            2 * seed + in_small_pages, memory, tmp_path / "source", steps=20, state=state
        )
        if state == "none":
            run(tmp_path / STORE, *EMPTY_INDEX)
        asked = list(requests(history, 20))
        patterns = list(grep_requests(history, 6))
        ways = ask_both_ways(memory, asked)
        assert ways["narrowed"] or state != "whole"
        assert ways["hits"] > 3
        copied(tmp_path, tmp_path / "plain", *EMPTY_INDEX)
        with opener(tmp_path / "plain") as plain:
            for request in asked:
                _assert_alike(memory, plain, history, request)
            for pattern in patterns:
                assert outcome(lambda p=pattern: memory.grep(p)) == outcome(
                    lambda p=pattern: plain.grep(p)
                ), pattern
        assert_rebuilt(sqlite_store(tmp_path))


def _assert_alike(indexed: Memory, plain: Memory, history: History, request: RecallRequest) -> None:
    """Ask a memory with and one without an index, and go on from what they answer."""
    found = outcome(lambda: indexed.recall(request))
    assert found == outcome(lambda: plain.recall(request)), request
    if not isinstance(found, RecallAnswer):
        return
    for passage in found.passages[:2]:
        more = MoreRequest(
            anchor=passage.anchor,
            before=history.chance.randrange(9),
            after=history.chance.randrange(9),
            offset=history.chance.choice((None, None, 1, 5_000)),
            exclude=request.exclude,
        )
        assert outcome(lambda m=more: indexed.recall_more(m)) == outcome(
            lambda m=more: plain.recall_more(m)
        ), more
    for material in found.materials[:1]:
        assert outcome(lambda m=material.id: indexed.recall_material(m)) == outcome(
            lambda m=material.id: plain.recall_material(m)
        ), material


def test_messages_of_real_files_are_rebuilt_from_their_own_events(
    tmp_path: Path, shared_data: Path
) -> None:
    files = sorted((shared_data / "transcripts").rglob("*.jsonl"))
    small = [str(file) for file in files if file.stat().st_size < 30_000]
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions(None, small[::3])
        memory.index()
    assert assert_rebuilt(sqlite_store(tmp_path)) > 100


class Later:
    """An importer of a later version, that gives the same."""

    def __init__(self, importer: Importer) -> None:
        self._importer = importer
        self.version = importer.version + 1

    def __getattr__(self, name: str) -> object:
        return getattr(self._importer, name)


def test_sessions_that_another_version_of_their_importer_begins_anew_are_found_as_before(
    tmp_path: Path,
) -> None:
    with on_sqlite(tmp_path) as memory:
        history = build(7, memory, tmp_path / "source", steps=25, state="whole")
        asked = list(requests(history, 12))
    later = {name: cast("Importer", Later(each)) for name, each in load_importers().working.items()}
    with join(
        with_records(sqlite_store(tmp_path)),
        importers=Importers(working=later),
        clock=FakeClock(1),
        machine=Machine(environment={}, home=str(tmp_path)),
    ) as memory:
        ask_both_ways(memory, asked)
        assert memory.convert().sessions_converted > 0
        assert ask_both_ways(memory, asked)["narrowed"] > 0


def test_an_answer_that_is_cut_to_its_bytes_is_cut_alike_whichever_way_it_was_found(
    tmp_path: Path,
) -> None:
    with on_sqlite(tmp_path) as memory:
        for number in range(12):
            memory.session_open(OpenSession(session=f"s{number}"))
            text = "fern " * 1_300 + "x" * number
            memory.session_append(f"api:s{number}", [said(f"{n}", text) for n in range(3)])
        memory.index()
        asked = [RecallRequest(terms=("fern",), limit=limit) for limit in (12, 24, 25)]
        assert ask_both_ways(memory, asked)["narrowed"] == len(asked)


def test_terms_near_one_another_count_alike_whichever_way_their_hits_were_found(
    tmp_path: Path,
) -> None:
    """More hits hold both terms, and score the same, than are looked at."""
    with on_sqlite(tmp_path) as memory:
        for number in range(30):
            memory.session_open(OpenSession(session=f"s{number}"))
            apart = f"a fern {'and so on ' * 9}a moss"
            memory.session_append(f"api:s{number}", [said(f"{n}", apart) for n in range(9)])
        near = f"{'and so on ' * 9}a fern a moss"
        memory.session_append("api:s0", [said("near", near)])
        memory.index()
        asked = [RecallRequest(terms=("fern", "moss"), limit=limit) for limit in (1, 25)]
        assert ask_both_ways(memory, asked)["narrowed"] == len(asked)
        first = memory.recall(replace(asked[1], explain=True)).passages[0]
        assert near in [each.text for each in first.messages if each.is_anchor]
        assert first.explanation is not None
        assert {each.of for each in first.explanation.terms} == {"term", "together"}
        assert PAIRED_HITS_MAX < 30 * 9


def test_a_secret_that_is_kept_does_not_leave_beside_a_hit(tmp_path: Path) -> None:
    with on_keeping(tmp_path) as memory:
        memory.session_open(OpenSession(session="kept"))
        memory.session_append("api:kept", [said("a", "about ferns"), said("b", "moss")])
        beside = encode_payload(Text(role="model", text=f"the token is {SECRET}"))
        memory.session_append("api:kept", [AppendedEvent(event_id="c", payload=beside)])
        memory.index()
        verified = memory.verify_scan(RecallRequest(terms=("moss",)))
        assert verified.is_equal
        assert verified.answer.path == "narrowed"
        texts = [each.text for each in verified.answer.passages[0].messages]
        assert len(texts) == 2
        assert SECRET not in "".join(texts)
