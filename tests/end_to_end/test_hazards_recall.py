"""What has hurt others about what is found: our own answers found again, copies and old versions of
one conversation, filters that hold on one way only.
"""

import io
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.core.transcript.events import Text, encode_payload
from recense.errors import CredentialShaped, InvalidRequest, NotFound
from recense.operations.grep import GrepRequest
from recense.operations.recall import Exclude, MoreRequest, Passage, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.services.memory import Memory
from tests.cli.running import Pipe
from tests.core.recall.messages_by_hand import SECRET
from tests.end_to_end.worlds import on_reference, on_sqlite
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)

TERM = "timetable"


@pytest.fixture(params=["sqlite", "reference"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory over each store."""
    memory = on_sqlite(tmp_path) if request.param == "sqlite" else on_reference(tmp_path)
    with memory:
        yield memory


def _recalled(memory: Memory, request: RecallRequest) -> tuple[Passage, ...]:
    return memory.recall(request).passages


def _anchor_text(passage: Passage) -> str:
    return next(message.text for message in passage.messages if message.is_anchor)


# --- our own answers ------------------------------------------------------------------------------


def _said_by_the_command(memory: Memory, *words: str) -> str:
    """Return what a command line prints about this memory."""
    out = Pipe()
    terminal = Terminal(out, io.StringIO(), {}, milliseconds=lambda: 0.0)

    def opened(flags: Mapping[str, str], *, create: bool) -> AbstractContextManager[Memory]:
        assert (flags, create) == ({}, False)
        return nullcontext(memory)

    assert run(words, open_memory=opened, terminal=terminal) == 0
    return out.getvalue()


def _asking(
    number: int, generation: int, ask: dict[str, object], answer: object
) -> Iterator[object]:
    """Yield a session in which an agent asks us for the term and gets this answer."""
    own = {
        "sessionId": f"asking-{generation}-{number}",
        "timestamp": f"2026-03-{10 + generation:02}T10:00:0{number}.000Z",
    }
    base = 100 * generation + 10 * number
    call = f"call{generation}{number}"
    yield claude_user(base + 1, "what did we decide?") | own
    yield claude_assistant(base + 2, ask | {"id": call}) | own
    yield claude_user(base + 3, [tool_result(call, answer)]) | own


@pytest.mark.parametrize("form", ["json", "words", "blocks"])
def test_what_recense_once_answered_ranks_after_all_else_over_three_generations(
    memory: Memory, tmp_path: Path, form: str
) -> None:
    """Each generation asks, and its answer, which holds those before it, is imported."""
    path = tmp_path / "first.jsonl"
    path.write_bytes(
        lines(
            [
                claude_user(1, f"write the {TERM}"),
                claude_assistant(2, text_block(f"the {TERM} is written")),
                claude_user(3, "and where is it?"),
                claude_assistant(4, text_block(f"{TERM} lies " + "in the second drawer " * 40)),
            ]
        )
    )
    memory.import_sessions("claude_code", [str(path)])
    asked = RecallRequest(terms=(TERM,), limit=25)
    genuine = _recalled(memory, asked)
    assert len(genuine) == 2
    for generation in range(1, 4):
        answer: object
        match form:
            case "json":
                answer = msgspec.json.encode(memory.recall(asked)).decode()
                ask = tool_use("", "mcp__recense__recall", terms=[TERM])
            case "words":
                answer = _said_by_the_command(memory, "recall", TERM)
                ask = tool_use("", "Bash", command=f"recense recall {TERM}")
            case _:
                answer = [text_block(_said_by_the_command(memory, "recall", TERM, "--json"))]
                ask = tool_use("", "Bash", command=f"uv run recense recall {TERM} --json")
        for number in range(2):
            asking = tmp_path / f"asking-{generation}-{number}.jsonl"
            asking.write_bytes(lines(_asking(number, generation, ask, answer)))
        memory.import_sessions("claude_code", [str(tmp_path)])
        found = _recalled(memory, asked)
        echoes = [passage.echo for passage in found]
        assert echoes == sorted(echoes)
        assert echoes.count(True) == 2 * generation
        assert [passage.anchor for passage in found if not passage.echo] == [
            passage.anchor for passage in genuine
        ]
        assert [_anchor_text(passage) for passage in found[:2]] == list(map(_anchor_text, genuine))
    few = _recalled(memory, replace(asked, limit=2))
    assert [passage.anchor for passage in few] == [passage.anchor for passage in genuine]


# --- versions of one conversation -----------------------------------------------------------------


def _said(memory: Memory, session: str, text: str, second: int) -> None:
    event = AppendedEvent(
        event_id=f"e-{second}",
        payload=encode_payload(Text(role="user", text=text)),
        at=f"2026-02-03T10:00:{second:02}Z",
    )
    memory.session_append(session, [event])


def test_of_edited_and_resent_sessions_the_freshest_that_hits_answers(memory: Memory) -> None:
    first = memory.session_open(OpenSession(session="v1")).session
    second = memory.session_open(OpenSession(session="v2", revision_of=first)).session
    third = memory.session_open(OpenSession(session="v3", revision_of=second)).session
    other = memory.session_open(OpenSession(session="other")).session
    for number, (session, text) in enumerate(
        [
            (first, f"the {TERM} of the ferry, and the harbour"),
            (second, f"the {TERM} of the small ferry"),
            (third, "the map of the small ferry"),
            (other, f"the {TERM} of the bus"),
        ]
    ):
        _said(memory, session, text, second=number)

    def sessions(term: str, **filters: str) -> set[str]:
        request = RecallRequest(terms=(term,), limit=25, origin="all")
        found = _recalled(memory, replace(request, **filters))
        return {passage.session for passage in found}

    assert sessions(TERM) == {second, other}
    assert sessions("small ferry") == {third}
    assert sessions("harbour") == {first}
    assert sessions(TERM, session=first) == {first}
    memory.hide_session(second)
    assert sessions(TERM) == {first, other}


def test_of_a_codex_thread_and_its_forks_the_freshest_that_hits_answers(
    memory: Memory, tmp_path: Path
) -> None:
    names = [f"0a1b2c3d-0000-4000-8000-00000000000{number}" for number in range(3)]
    first = codex_meta(id=names[0])
    second = codex_meta(id=names[1], forked_from_id=names[0])
    third = codex_meta(id=names[2], forked_from_id=names[1])
    spoken = [
        codex_message("user", f"draw the {TERM}", at=1),
        codex_event("user_message", at=1, message=f"draw the {TERM}"),
        codex_message("assistant", "drawn in ink", at=2),
    ]
    files = [
        [first, *spoken],
        [second, first, *spoken, codex_message("user", "now in pencil", at=20)],
        [third, second, first, *spoken, codex_message("user", "now in chalk", at=30)],
    ]
    for name, records in zip(names, files, strict=True):
        path = tmp_path / f"rollout-2026-02-03T11-00-00-{name}.jsonl"
        path.write_bytes(lines(records))
    memory.import_sessions("codex", [str(tmp_path)])
    found = _recalled(memory, RecallRequest(terms=(TERM,), limit=25))
    assert [passage.session for passage in found] == [f"codex:{names[2]}"]
    only_second = _recalled(memory, RecallRequest(terms=("pencil",)))
    assert [passage.session for passage in only_second] == [f"codex:{names[1]}"]


# --- filters and refusals -------------------------------------------------------------------------


@pytest.fixture
def two_sessions(memory: Memory, tmp_path: Path) -> Memory:
    """Two sessions of one day each that say the same word in two folders."""
    for number, day in enumerate(("03", "04")):
        record = claude_user(1, f"the {TERM} of day {day}", sessionId=f"s{number}")
        own = {"cwd": f"/home/mira/{number}", "timestamp": f"2026-02-{day}T10:00:00.000Z"}
        later = claude_user(2, f"and the {TERM} once more", sessionId=f"s{number}", **own)
        path = tmp_path / f"s{number}.jsonl"
        path.write_bytes(
            lines([record | own | {"uuid": f"a{number}"}, later | {"uuid": f"b{number}"}])
        )
    memory.import_sessions("claude_code", [str(tmp_path)])
    return memory


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"since": "2026-02-04T10:00:00Z"}, {"s1"}),
        ({"since": "2026-02-04T10:00:00.000001Z"}, set[str]()),
        ({"until": "2026-02-03T10:00:00Z"}, {"s0"}),
        ({"until": "2026-02-03T09:59:59.999999Z"}, set[str]()),
        ({"since": "2026-02-03", "until": "2026-02-03"}, {"s0"}),
        ({"since": "2026-02-03", "until": "2026-02-04"}, {"s0", "s1"}),
        ({"session": "s1"}, {"s1"}),
        ({"session": "claude_code:s0"}, {"s0"}),
        ({"workspace": "/home/mira/1"}, {"s1"}),
        ({"workspace": "/home/mira"}, {"s0", "s1"}),
        ({"workspace": "/home/mira/"}, {"s0", "s1"}),
        ({"workspace": "/home/mir"}, set[str]()),
    ],
)
def test_a_filter_holds_for_recall_and_grep_alike(
    two_sessions: Memory, filters: dict[str, str], expected: set[str]
) -> None:
    recalled = _recalled(two_sessions, replace(RecallRequest(terms=(TERM,)), **filters))
    grepped = two_sessions.grep(replace(GrepRequest(pattern=TERM), **filters)).matches
    named = {f"claude_code:{session}" for session in expected}
    assert {passage.session for passage in recalled} == named
    assert {match.session for match in grepped} == named


@pytest.mark.parametrize("named", ["by its id", "as the last"])
def test_an_excluded_turn_comes_back_by_no_anchor(two_sessions: Memory, named: str) -> None:
    asked = RecallRequest(terms=("once more",), session="s1")
    (passage,) = _recalled(two_sessions, asked)
    turn = passage.turn if named == "by its id" else "last"
    exclude = Exclude(session=passage.session, turn=turn)
    assert not _recalled(two_sessions, replace(asked, exclude=exclude))
    with pytest.raises(NotFound) as excluded:
        two_sessions.recall_more(MoreRequest(anchor=passage.anchor, exclude=exclude))
    with pytest.raises(NotFound) as unknown:
        two_sessions.recall_more(MoreRequest(anchor="none of ours"))
    assert str(excluded.value) == str(unknown.value)
    assert two_sessions.recall_more(MoreRequest(anchor=passage.anchor)).anchor == passage.anchor


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (("fern", " \t\n"), "term 2 is blank"),
        (tuple(f"fern{number}" for number in range(9)), "9 terms given; at most 8"),
        (("fern", "x" * 501), "term 2 has 501 code points; at most 500"),
    ],
)
def test_terms_beyond_their_bounds_are_refused_by_place(
    memory: Memory, terms: tuple[str, ...], words: str
) -> None:
    with pytest.raises(InvalidRequest, match=words):
        memory.recall(RecallRequest(terms=terms))


def test_eight_terms_of_five_hundred_code_points_are_searched(memory: Memory) -> None:
    terms = tuple(f"{number}" + "界" * 499 for number in range(8))
    assert memory.recall(RecallRequest(terms=terms)).terms == terms


def test_a_secret_is_refused_by_its_place_wherever_it_is_asked_for(memory: Memory) -> None:
    asked = [
        ("term 2", lambda: memory.recall(RecallRequest(terms=("fern", SECRET)))),
        ("term 1", lambda: memory.recall(RecallRequest(terms=(f"my {SECRET} is",)))),
        ("the question", lambda: memory.recall(RecallRequest(question=f"whose is {SECRET}?"))),
        (
            "the question",
            lambda: memory.recall(RecallRequest(terms=("fern",), question=f"is it {SECRET}?")),
        ),
        ("the pattern", lambda: memory.grep(GrepRequest(pattern=SECRET))),
        ("the pattern", lambda: memory.grep(GrepRequest(pattern=SECRET, regex=True))),
    ]
    for place, ask in asked:
        with pytest.raises(CredentialShaped) as refused:
            ask()
        assert refused.value.message.startswith(place)
        assert SECRET not in refused.value.message + refused.value.hint


# --- searching ------------------------------------------------------------------------------------


def test_reading_two_hundred_times_changes_neither_the_answer_nor_a_byte_of_the_store(
    tmp_path: Path,
) -> None:
    path = tmp_path / "session.jsonl"
    prompt = claude_user(1, [text_block(f"the {TERM}"), text_block("of the ferry")])
    path.write_bytes(lines([prompt, claude_assistant(2, text_block("it is written"))]))
    kept = tmp_path / "kept"
    kept.mkdir()
    with on_sqlite(kept) as memory:
        memory.import_sessions("claude_code", [str(path)], archive_only=True)
        path.write_bytes(path.read_bytes() + lines([claude_user(3, f"and the old {TERM}")]))
        memory.import_sessions("claude_code", [str(path)], archive_only=True)
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    with on_sqlite(kept) as memory:
        answers = {
            msgspec.json.encode(replace(memory.recall(RecallRequest(terms=(TERM,))), took_ms=0.0))
            for _ in range(200)
        }
        (first, second) = memory.recall(RecallRequest(terms=(TERM,))).passages
        for _ in range(5):
            memory.recall_more(MoreRequest(anchor=first.anchor))
            memory.grep(GrepRequest(pattern=TERM))
            memory.sessions()
            memory.transcript(second.session)
            memory.doctor()
            memory.digest()
    assert len(answers) == 1
    after = {
        file.name: file.read_bytes() for file in kept.iterdir() if not file.name.endswith("-shm")
    }
    assert after == before


def test_a_session_with_the_one_rare_word_comes_before_fifty_with_two_common_ones(
    memory: Memory, tmp_path: Path
) -> None:
    for number in range(50):
        record = claude_user(1, "the ferry leaves the harbour", sessionId=f"s{number}")
        (tmp_path / f"s{number}.jsonl").write_bytes(lines([record | {"uuid": f"u{number}"}]))
    rare = claude_user(1, "where is the zwitschermaschine?", sessionId="rare") | {"uuid": "rare"}
    (tmp_path / "rare.jsonl").write_bytes(lines([rare]))
    memory.import_sessions("claude_code", [str(tmp_path)])
    terms = ("ferry", "harbour", "zwitschermaschine")
    assert _recalled(memory, RecallRequest(terms=terms))[0].session == "claude_code:rare"


def test_what_a_person_would_type_in_chinese_is_found_by_two_characters(
    memory: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines([claude_user(1, "我们决定下周开始数据库迁移")]))
    memory.import_sessions("claude_code", [str(path)])
    for term in ("数据库", "迁移", "决"):
        assert len(_recalled(memory, RecallRequest(terms=(term,)))) == 1
    assert len(_recalled(memory, RecallRequest(question="数据库什么时候迁移？"))) == 1
