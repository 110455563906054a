"""Grep: every line, newest first, among what recall may read."""

from collections.abc import Sequence
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.ids import anchor
from recense.core.transcript.records import Counts, Session
from recense.errors import CredentialShaped, Incognito, InvalidRequest, NotFound, RecenseError
from recense.limits import CONTEXT_LINES_MAX, MATCH_LINE_BYTES_MAX, MATCHES_MAX
from recense.operations.grep import GrepAnswer, GrepRequest
from recense.operations.recall import (
    BranchesLeftOut,
    NotConverted,
    NotImported,
    OriginLeftOut,
    PrivateExcluded,
    RecallRequest,
    SessionsSearched,
)
from recense.ports.commits import ImportFile
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.grepping import Grep
from tests.core.recall.messages_by_hand import SECRET, message
from tests.services.recall_world import SECOND, T0, SteppingClock, World


def grep(
    world: World, request: GrepRequest, *sources: CandidateSource, incognito: bool = False
) -> GrepAnswer:
    store = cast("TranscriptStore", world)
    service = Grep(store, SteppingClock(), world.load, sources, incognito=incognito)
    return service.grep(request)


def places(answer: GrepAnswer) -> list[tuple[str, int, int]]:
    return [(match.session, match.position, match.line) for match in answer.matches]


def test_matches_come_newest_first_and_a_message_reads_from_its_first_line() -> None:
    world = World()
    world.add("old", message(0, "needle"), last=T0)
    world.add("new", message(0, "needle"), message(1, "needle\nx\nneedle"), last=T0 + SECOND)
    world.add("unknown", message(0, "needle"))
    answer = grep(world, GrepRequest(pattern="Needle"))
    assert places(answer) == [
        ("s:new", 1, 1),
        ("s:new", 1, 3),
        ("s:new", 0, 1),
        ("s:old", 0, 1),
        ("s:unknown", 0, 1),
    ]
    assert answer.total == 5
    assert answer.took_ms > 0


def test_a_match_says_where_it_is_and_what_stands_around() -> None:
    world = World()
    of = message(2, "zero\none\nthe needle, Needle\nthree\nfour", kind="tool_result", at=T0)
    world.add("a", of, title="About it", workspace="/w")
    (match,) = grep(world, GrepRequest(pattern="needle", context=1)).matches
    assert match.anchor == anchor("s:a", "e2")
    assert (match.title, match.workspace) == ("About it", "/w")
    assert (match.role, match.kind, match.position, match.line) == ("tool", "tool_result", 2, 3)
    assert match.at == "2023-11-14T22:13:20.000000Z"
    assert (match.text, match.offset, match.length) == ("the needle, Needle", 0, 18)
    assert [(c.start, c.end) for c in match.columns] == [(4, 10), (12, 18)]
    assert (match.before, match.after) == (("one",), ("three",))


@pytest.mark.parametrize(
    ("context", "before", "after"),
    [(0, (), ()), (2, ("", "a"), ("b",)), (10, ("first", "", "a"), ("b",))],
)
def test_context_is_lines_of_the_same_message(
    context: int, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    world = World()
    world.add("a", message(0, "other"), message(1, "first\n\na\nneedle\nb\n"), message(2, "other"))
    (match,) = grep(world, GrepRequest(pattern="needle", context=context)).matches
    assert (match.before, match.after) == (before, after)


def test_all_matches_are_counted_beyond_those_that_are_shown() -> None:
    world = World()
    world.add("a", *[message(number, "needle\n" * 5) for number in range(10)])
    for limit in (0, 1, 7, 50, 100):
        answer = grep(world, GrepRequest(pattern="needle", limit=limit))
        assert (len(answer.matches), answer.total) == (min(limit, 50), 50)


def test_a_long_line_is_a_window_around_its_first_match() -> None:
    world = World()
    line = "é" * 5_000 + "needle" + "x" * 5_000 + "needle"
    world.add("a", message(0, f"{'y' * 9_000}\n{line}\n{'z' * 9_000}"))
    (match,) = grep(world, GrepRequest(pattern="needle")).matches
    assert len(msgspec.json.encode(match.text)) <= MATCH_LINE_BYTES_MAX + 2
    assert line[match.offset :].startswith(match.text)
    assert "needle" in match.text
    assert match.length == len(line)
    assert [(c.start, c.end) for c in match.columns] == [(5_000, 5_006)]
    assert match.before == ("y" * MATCH_LINE_BYTES_MAX,)
    assert match.after == ("z" * MATCH_LINE_BYTES_MAX,)


def test_the_largest_answer_is_bounded() -> None:
    world = World()
    text = "\n".join(["needle " * 1_000] * 200)
    world.add("a", *[message(number, text) for number in range(10)])
    request = GrepRequest(pattern="needle", limit=MATCHES_MAX, context=CONTEXT_LINES_MAX)
    answer = grep(world, request)
    assert answer.total == 2_000
    assert len(msgspec.json.encode(answer)) < 30 * 1024 * 1024


def test_regular_expressions_and_case_are_asked_for() -> None:
    world = World()
    world.add("a", message(0, "Ferry\nferry 7\nFERRY 12"))
    assert grep(world, GrepRequest(pattern=r"ferry \d+$")).total == 0
    assert grep(world, GrepRequest(pattern=r"ferry \d+$", regex=True)).total == 2
    assert grep(world, GrepRequest(pattern=r"ferry \d+$", regex=True, case=True)).total == 1
    assert grep(world, GrepRequest(pattern="Ferry", case=True)).total == 1


# --- what may be read -----------------------------------------------------------------------------


def test_private_sessions_are_never_read_and_counted() -> None:
    world = World()
    world.add("a", message(0, "needle"))
    world.add("hidden", message(0, "needle"), private=True)
    answer = grep(world, GrepRequest(pattern="needle", origin="all", everything=True))
    assert places(answer) == [("s:a", 0, 1)]
    assert PrivateExcluded(sessions=1) in answer.gaps
    assert world.loaded == ["s:a"]
    with pytest.raises(NotFound):
        grep(world, GrepRequest(pattern="needle", session="s:hidden"))


def test_agents_runs_are_left_out_and_counted_unless_asked_for() -> None:
    world = World()
    world.add("a", message(0, "needle"))
    world.add("sub", message(0, "needle"), origin="subagent")
    world.add("run", message(0, "needle"), origin="headless")
    answer = grep(world, GrepRequest(pattern="needle"))
    assert places(answer) == [("s:a", 0, 1)]
    left_out = [gap for gap in answer.gaps if isinstance(gap, OriginLeftOut)]
    assert [(gap.origin, gap.sessions) for gap in left_out] == [("headless", 1), ("subagent", 1)]
    assert grep(world, GrepRequest(pattern="needle", origin="all")).total == 3
    assert grep(world, GrepRequest(pattern="needle", origin="headless")).total == 1


def test_filters_are_those_of_recall() -> None:
    world = World()
    world.add("a", message(0, "needle", at=T0), message(1, "needle"), workspace="/w/app")
    world.add("b", message(0, "needle", at=T0 + 86_400 * SECOND), workspace="/w/app2")
    assert grep(world, GrepRequest(pattern="needle", workspace="/w/app/")).total == 2
    assert grep(world, GrepRequest(pattern="needle", session="b")).total == 1
    assert grep(world, GrepRequest(pattern="needle", until="2023-11-14")).total == 1
    assert grep(world, GrepRequest(pattern="needle", since="2023-11-15")).total == 1


def test_rewound_branches_answer_when_asked_for_and_are_a_gap_when_not() -> None:
    world = World()
    counts = Counts(messages=1, length=6, branch_messages=1)
    gone = message(0, "needle", flags=frozenset({"abandoned"}))
    world.add("a", gone, message(1, "needle"), counts=counts)
    answer = grep(world, GrepRequest(pattern="needle"))
    assert places(answer) == [("s:a", 1, 1)]
    assert BranchesLeftOut(sessions=1, messages=1) in answer.gaps
    answer = grep(world, GrepRequest(pattern="needle", everything=True))
    assert places(answer) == [("s:a", 1, 1), ("s:a", 0, 1)]
    assert not any(isinstance(gap, BranchesLeftOut) for gap in answer.gaps)


def test_copies_of_one_message_count_once_in_the_newest_session() -> None:
    world = World()
    shared = message(0, "needle\nneedle", identity=b"i" * 16)
    world.add("first", shared, message(1, "needle", identity=b"j" * 16), last=T0)
    world.add("fork", shared, message(1, "needle", identity=b"k" * 16), last=T0 + SECOND)
    answer = grep(world, GrepRequest(pattern="needle"))
    assert places(answer) == [
        ("s:fork", 1, 1),
        ("s:fork", 0, 1),
        ("s:fork", 0, 2),
        ("s:first", 1, 1),
    ]
    assert answer.total == 4


def test_what_waits_for_conversion_is_searched_in_its_place_and_told() -> None:
    world = World()
    world.add("old", message(0, "needle"), last=T0 + SECOND)
    world.add("fresh", message(0, "needle", at=T0 + 2 * SECOND), last=None)
    world.rows["s:fresh"] = replace(world.rows["s:fresh"], records=3)
    world.failed.append(ImportFile(source="codex", path="/x", reason="permission denied"))
    answer = grep(world, GrepRequest(pattern="needle"))
    assert places(answer) == [("s:fresh", 0, 1), ("s:old", 0, 1)]
    assert NotConverted(n=3) in answer.gaps
    assert NotImported(source="codex", files=1) in answer.gaps
    assert any(isinstance(gap, SessionsSearched) and gap.n == 2 for gap in answer.gaps)


def test_an_empty_answer_is_told_from_an_unsearched_store() -> None:
    world = World()
    assert grep(world, GrepRequest(pattern="x")).gaps == (SessionsSearched(n=0, oldest=None),)
    world.add("a", message(0, "needle"))
    answer = grep(world, GrepRequest(pattern="x"))
    assert (answer.matches, answer.total) == ((), 0)
    assert any(isinstance(gap, SessionsSearched) and gap.n == 1 for gap in answer.gaps)


class NamesOne:
    """A source of candidates that vouches for all sessions but one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[Sequence[str]] = []

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        self.asked.append(folded_terms)
        return [session for session in eligible if session.session_id == self.name]


def test_sources_of_candidates_narrow_only_what_they_vouch_for() -> None:
    world = World()
    world.add("a", message(0, "Needle"))
    world.add("b", message(0, "hay"))
    source = NamesOne("s:a")
    assert grep(world, GrepRequest(pattern="NEEDLE"), source).total == 1
    assert (world.loaded, source.asked) == (["s:a"], [("needle",)])
    for request in (
        GrepRequest(pattern="Needle", case=True),
        GrepRequest(pattern="N.edle", regex=True),
        GrepRequest(pattern="Needle", everything=True),
    ):
        world.loaded.clear()
        assert grep(world, request, source).total == 1
        assert sorted(world.loaded) == ["s:a", "s:b"]
    assert len(source.asked) == 1


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (GrepRequest(pattern=SECRET), CredentialShaped),
        (GrepRequest(pattern=SECRET, regex=True), CredentialShaped),
        (GrepRequest(pattern=" "), InvalidRequest),
        (GrepRequest(pattern="(", regex=True), InvalidRequest),
        (GrepRequest(pattern="x", limit=MATCHES_MAX + 1), InvalidRequest),
        (GrepRequest(pattern="x", limit=-1), InvalidRequest),
        (GrepRequest(pattern="x", context=CONTEXT_LINES_MAX + 1), InvalidRequest),
        (GrepRequest(pattern="x", workspace=" "), InvalidRequest),
        (GrepRequest(pattern="x", since="yesterday"), InvalidRequest),
    ],
)
def test_a_refusal_touches_no_store(request_: GrepRequest, kind: type[RecenseError]) -> None:
    world = World()
    with pytest.raises(kind):
        grep(world, request_)
    assert world.snapshots == 0


def test_incognito_refuses_a_pattern() -> None:
    world = World()
    with pytest.raises(Incognito):
        grep(world, GrepRequest(pattern="x"), incognito=True)
    assert world.snapshots == 0


# --- what leaves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("everything", [True, False])
def test_no_piece_of_a_secret_leaves_in_any_field(everything: bool) -> None:
    world = World()
    for lead in range(980, 1_040, 3):
        text = f"{SECRET}\n{'x' * lead} {SECRET} needle\nafter {SECRET}"
        world.add(f"{lead}", message(0, text), title=f"about {SECRET}")
    answer = grep(world, GrepRequest(pattern="needle", everything=everything))
    encoded = msgspec.json.encode(answer).decode()
    assert answer.total == 20
    assert [at for at in range(len(SECRET) - 6) if SECRET[at : at + 6] in encoded] == []


@given(
    st.lists(
        st.lists(st.text(st.sampled_from("ab\nß "), max_size=12), max_size=4),
        max_size=4,
    ),
    st.text(st.sampled_from("abs"), min_size=1, max_size=2),
)
def test_grep_finds_the_messages_that_recall_finds(texts: list[list[str]], words: str) -> None:
    world = World()
    for name, of_session in enumerate(texts):
        messages = [
            message(position, text, turn=f"e{position}", at=T0)
            for position, text in enumerate(of_session)
        ]
        world.add(str(name), *messages, last=T0 + name)
    answer = grep(world, GrepRequest(pattern=words))
    recalled = world.recall().recall(RecallRequest(terms=(words,), limit=25))
    assert {match.anchor for match in answer.matches} == {
        passage.anchor for passage in recalled.passages
    }
    assert len(answer.matches) == answer.total
