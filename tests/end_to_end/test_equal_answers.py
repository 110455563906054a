"""The reference store and SQLite answer alike, whatever they hold and whatever is asked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.instants import text_from_instant
from recense.core.transcript.events import Payload, encode_payload
from recense.core.values import Value
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import TERM_CODE_POINTS_MAX
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.services.memory import Memory
from tests.core.transcript.event_builders import answer, payloads, typed
from tests.end_to_end.worlds import on_reference, on_sqlite

_EPOCH = 1_700_000_000_000_000
_DAY = 86_400_000_000

_WORDS = [
    "deploy", "数据库", "迁移", "pgbouncer", "C++", "100%", '"', "*", "\\n", "ﬁn", "fin", "İ",
    "ΣΑΣ", "ß", "SS", "a\nb", "👩‍🔬", "NOT", "_", "[redacted:", "[ｶﾞ]", "\u0301", "pre-edit",
]  # fmt: skip


class Said(Value, kw_only=True):
    """A payload and the day it was said on; the same day makes ties."""

    payload: Payload
    day: int


class Held(Value, kw_only=True):
    """A session, who drove it and what was said in it."""

    origin: str
    workspace: str | None
    said: tuple[Said, ...]


_payloads = payloads.filter(lambda payload: not isinstance(payload, bytes))
_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5).map(" ".join)


def _worded(payload: Payload, text: str) -> Payload:
    """Return the payload with other words, where it holds words."""
    return replace(payload, text=text) if hasattr(payload, "text") else payload


_said = st.builds(
    Said, payload=st.builds(_worded, _payloads, _texts), day=st.integers(min_value=0, max_value=3)
)
_held = st.builds(
    Held,
    origin=st.sampled_from(["interactive", "agent", "subagent", "headless"]),
    workspace=st.sampled_from([None, "/a", "/a/b", "/ab"]),
    said=st.lists(_said, max_size=12).map(tuple),
)
_days = st.none() | st.integers(min_value=0, max_value=3).map(
    lambda day: text_from_instant(_EPOCH + day * _DAY)
)
_terms = st.lists(st.sampled_from(_WORDS) | st.text(max_size=6), min_size=1, max_size=3).map(tuple)
_requests = st.builds(
    RecallRequest,
    terms=_terms,
    question=st.none() | _texts,
    limit=st.integers(min_value=1, max_value=25),
    workspace=st.sampled_from([None, None, "/a", "/a/b"]),
    since=_days,
    until=_days,
    origin=st.sampled_from([None, "all", "subagent"]),
)


def _fill(memory: Memory, corpus: list[Held]) -> None:
    for number, held in enumerate(corpus):
        opened = memory.session_open(
            OpenSession(
                session=f"s{number}",
                origin=held.origin,  # type: ignore[arg-type]
                workspace=held.workspace,
                created_at=text_from_instant(_EPOCH + number % 2),
            )
        )
        memory.session_append(
            opened.session,
            [
                AppendedEvent(
                    event_id=f"e{place}",
                    at=text_from_instant(_EPOCH + said.day * _DAY),
                    payload=encode_payload(said.payload),
                )
                for place, said in enumerate(held.said)
            ],
        )


def _answer(memory: Memory, request: RecallRequest) -> RecallAnswer | str:
    """Return the answer without how long it took and which way it was found, or the code of the
    refusal.
    """
    try:
        return replace(memory.recall(replace(request, explain=True)), took_ms=0.0, path="scan")
    except (InvalidRequest, CredentialShaped) as refusal:
        return refusal.code


@given(st.lists(_held, max_size=4), st.lists(_requests, min_size=1, max_size=4))
def test_both_stores_answer_alike(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Held], requests: list[RecallRequest]
) -> None:
    folder = tmp_path_factory.mktemp("alike")
    with on_sqlite(folder) as sqlite, on_reference(folder) as reference:
        for memory in (sqlite, reference):
            _fill(memory, corpus)
        assert sqlite.digest() == reference.digest()
        for request in requests:
            assert _answer(sqlite, request) == _answer(reference, request)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A memory of a few words."""
    memory = on_reference(tmp_path_factory.mktemp("small"))
    said = tuple(Said(payload=typed(word), day=0) for word in _WORDS)
    _fill(memory, [Held(origin="interactive", workspace=None, said=said)])
    return memory


@given(text=st.text(max_size=TERM_CODE_POINTS_MAX))
def test_any_string_is_answered_or_refused_as_blank_or_credential_shaped(
    small: Memory, text: str
) -> None:
    outcome = _answer(small, RecallRequest(terms=(text,)))
    if isinstance(outcome, str):
        assert outcome == "credential_shaped" or not text.strip()


def test_a_store_opened_again_answers_as_before(tmp_path: Path) -> None:
    request = RecallRequest(terms=("deploy",))
    held = Held(
        origin="interactive",
        workspace="/a",
        said=(
            Said(payload=typed("deploy it"), day=0),
            Said(payload=answer("the deploy is done"), day=1),
        ),
    )
    with on_sqlite(tmp_path) as memory:
        _fill(memory, [held])
        before = _answer(memory, request)
    with on_sqlite(tmp_path) as memory:
        assert _answer(memory, request) == before
    assert isinstance(before, RecallAnswer)
    assert len(before.passages) == 1
