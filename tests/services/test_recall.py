"""Recall as a caller meets it: filters, budgets, gaps, anchors, and what never comes back."""

from collections.abc import Sequence

import msgspec
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.ids import anchor, material_id
from recense.core.instants import text_from_instant
from recense.core.text.redact import redact
from recense.core.transcript.messages import Material, Message, MessageKind, Run
from recense.core.transcript.records import Counts, Session
from recense.errors import CredentialShaped, InvalidRequest, NotFound, StoreBusy
from recense.limits import ENVELOPE_BYTES_MAX, MESSAGE_BYTES_MAX, PASSAGE_BYTES_MAX
from recense.operations.recall import (
    BranchesLeftOut,
    BudgetDropped,
    Exclude,
    FactsUnavailable,
    Gap,
    MoreRequest,
    NotConverted,
    NotImported,
    OriginLeftOut,
    Passage,
    RecallAnswer,
    RecallRequest,
    SemanticUnavailable,
    SessionsSearched,
    SessionUnreadable,
    SpilledBodyMissing,
    TermsLeftOut,
    TextBeyondLimit,
    UnmatchedTerm,
)
from recense.ports.commits import ImportFile
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader
from tests.core.recall.messages_by_hand import SECRET, message
from tests.services.recall_world import SECOND, T0, World


def ask(world: World, *terms: str, limit: int = 8, **filters: str) -> RecallAnswer:
    fields: dict[str, object] = {"terms": terms, "limit": limit, **filters}
    return world.recall().recall(msgspec.convert(fields, RecallRequest))


def found(answer: RecallAnswer) -> list[tuple[str, int]]:
    return [(passage.session, passage.position) for passage in answer.passages]


def gaps(answer: RecallAnswer, kind: type[Gap]) -> list[Gap]:
    return [gap for gap in answer.gaps if isinstance(gap, kind)]


def turn(*kinds_and_texts: tuple[MessageKind, str], first: int = 0) -> list[Message]:
    return [
        message(first + number, text, kind=kind, turn=f"e{first}", at=T0 + number * SECOND)
        for number, (kind, text) in enumerate(kinds_and_texts)
    ]


def calls(count: int) -> list[tuple[MessageKind, str]]:
    return [("tool_call", f"call {number}") for number in range(count)]


def size(value: object) -> int:
    return len(msgspec.json.encode(value))


# --- an answer ------------------------------------------------------------------------------------


def test_a_passage_is_a_verified_hit_with_its_neighbours() -> None:
    world = World()
    world.add(
        "a",
        *turn(
            ("user", "why does the pool hang?"),
            ("tool_call", "Bash psql"),
            ("tool_result", "no pgbouncer here"),
            ("assistant", "PgBouncer waits for the lock."),
        ),
        title="The hanging pool",
        source_path="/there",
    )
    answer = ask(world, "PGBOUNCER", "rollback")
    (passage,) = answer.passages
    assert [(each.kind, each.is_anchor, each.trust) for each in passage.messages] == [
        ("user", False, "user_said"),
        ("tool_call", False, "agent_said"),
        ("assistant", True, "agent_said"),
    ]
    assert passage.messages[2].text == "PgBouncer waits for the lock."
    assert passage.messages[2].at == text_from_instant(T0 + 3 * SECOND)
    assert passage.matched_terms == ("PGBOUNCER",)
    assert passage.anchor == anchor("s:a", "e3")
    assert (passage.title, passage.workspace, passage.source) == (
        "The hanging pool",
        "/work/app",
        "s",
    )
    assert (passage.has_more_before, passage.has_more_after, passage.truncated) == (False,) * 3
    assert passage.source_available
    assert answer.terms == ("PGBOUNCER", "rollback")
    assert answer.took_ms == 1.0
    assert answer.path == "scan"


def test_a_tool_result_is_shown_only_as_the_anchor() -> None:
    world = World()
    world.add("a", *turn(("user", "go"), ("tool_result", "needle"), ("assistant", "done")))
    (passage,) = ask(world, "needle").passages
    assert [each.kind for each in passage.messages] == ["user", "tool_result", "assistant"]
    (passage,) = ask(world, "done").passages
    assert [each.kind for each in passage.messages] == ["user", "assistant"]


def test_the_prompt_of_a_long_turn_is_shown_with_the_window() -> None:
    world = World()
    world.add("a", *turn(("user", "prompt"), *calls(20)))
    (passage,) = ask(world, "call 10").passages
    assert [each.text for each in passage.messages] == [
        "prompt",
        *(f"call {number}" for number in range(6, 15)),
    ]
    assert (passage.has_more_before, passage.has_more_after, passage.truncated) == (
        True,
        True,
        False,
    )


def test_all_of_an_answer_comes_from_one_snapshot_and_a_refusal_from_none() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    with pytest.raises(CredentialShaped):
        ask(world, SECRET)
    assert world.snapshots == 0
    ask(world, "needle")
    assert world.snapshots == 1


def test_the_same_question_gives_the_same_answer() -> None:
    world = World()
    for name in "abc":
        world.add(name, *turn(("user", "needle in a haystack"), ("assistant", "needle")))
    request = RecallRequest(terms=("needle",), question="which needle?")
    answers = {
        msgspec.json.encode(replace(world.recall().recall(request), took_ms=0.0)) for _ in range(9)
    }
    assert len(answers) == 1


def test_an_explanation_adds_up_to_the_score() -> None:
    world = World()
    world.add("a", *turn(("user", "which pool?"), ("assistant", "The pool is pgbouncer, a pool.")))
    world.add("b", *turn(("assistant", "pooling")))
    request = RecallRequest(terms=("pgbouncer", "pool"), question="which pool?")
    answer = world.recall().recall(replace(request, explain=True))
    for passage in answer.passages:
        explanation = passage.explanation
        assert explanation is not None
        parts = sum(term.score for term in explanation.terms) + explanation.support
        assert parts == pytest.approx(passage.score, abs=1e-12)
        assert explanation.quota == "first_pass"
    best = answer.passages[0].explanation
    assert best is not None
    assert [(term.of, term.term, term.tf, term.weight) for term in best.terms] == [
        ("term", "pgbouncer", 1, 1.0),
        ("term", "pool", 2, 1.0),
        ("session", "pgbouncer", 1, 1.5),
        ("session", "pool", 3, 1.5),
        ("question", "pool", 2, 1.0),
        ("question_session", "pool", 3, 1.5),
    ]
    assert best.corpus_messages == 3
    assert world.recall().recall(request).passages[0].explanation is None


# --- filters --------------------------------------------------------------------------------------


def test_a_session_is_named_by_its_id_or_by_its_sources_id() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    world.add("b", *turn(("user", "needle")))
    assert found(ask(world, "needle", session="s:b")) == [("s:b", 0)]
    assert found(ask(world, "needle", session="b")) == [("s:b", 0)]
    with pytest.raises(NotFound):
        ask(world, "needle", session="c")


def test_a_name_that_several_sessions_have_is_refused() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    world.rows["t:a"] = replace(world.rows["s:a"], session_id="t:a")
    world.messages["t:a"] = ()
    with pytest.raises(InvalidRequest, match="s:a, t:a"):
        ask(world, "needle", session="a")


def test_a_named_session_is_scored_by_what_it_holds_and_a_search_by_what_each_owns() -> None:
    world = World()
    copy = message(0, "needle", identity=b"one")
    world.add("a", copy, message(1, "hay", turn="e1"), start=T0)
    world.add("b", copy, message(1, "more hay", turn="e1"), start=T0 + 1, owned=(1, 8))
    everywhere = world.recall().recall(RecallRequest(terms=("needle",), explain=True))
    assert found(everywhere) == [("s:a", 0)]
    named = world.recall().recall(RecallRequest(terms=("needle",), session="b", explain=True))
    assert found(named) == [("s:b", 0)]
    figures = [
        (explanation.corpus_messages, explanation.corpus_length)
        for answer in (everywhere, named)
        if (explanation := answer.passages[0].explanation)
    ]
    assert figures == [(3, 6 + 3 + 8), (2, 6 + 8)]


def test_a_workspace_includes_what_lies_below_it_and_nothing_beside_it() -> None:
    world = World()
    for name, workspace in (("a", "/w/app"), ("b", "/w/app/src"), ("c", "/w/app2"), ("d", None)):
        world.add(name, *turn(("user", "needle")), workspace=workspace)
    answer = ask(world, "needle", workspace="/w/app")
    assert {session for session, _ in found(answer)} == {"s:a", "s:b"}
    assert gaps(answer, SessionsSearched) == [SessionsSearched(n=2, oldest=text_from_instant(T0))]


def test_time_filters_are_inclusive_and_drop_what_has_no_instant() -> None:
    world = World()
    world.add(
        "a",
        *(
            message(number, "needle", turn=f"e{number}", at=at)
            for number, at in enumerate([None, T0, T0 + SECOND, T0 + 2 * SECOND])
        ),
    )
    since, until = text_from_instant(T0), text_from_instant(T0 + SECOND)
    assert sorted(found(ask(world, "needle", since=since, until=until))) == [("s:a", 1), ("s:a", 2)]
    assert len(found(ask(world, "needle"))) == 4


def test_sub_agents_and_headless_runs_are_left_out_unless_asked_for() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    world.add("b", *turn(("user", "needle")), origin="agent")
    world.add("c", *turn(("user", "needle")), origin="subagent", parent="s:a")
    world.add("d", *turn(("user", "needle")), origin="headless")
    answer = ask(world, "needle")
    assert sorted(found(answer)) == [("s:a", 0), ("s:b", 0)]
    assert gaps(answer, OriginLeftOut) == [
        OriginLeftOut(origin="headless", sessions=1),
        OriginLeftOut(origin="subagent", sessions=1),
    ]
    everything = ask(world, "needle", origin="all")
    assert len(everything.passages) == 4
    assert gaps(everything, OriginLeftOut) == []
    assert found(ask(world, "needle", origin="subagent")) == [("s:c", 0)]


def test_a_private_session_is_not_read_not_counted_and_not_named() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")), private=True)
    answer = ask(world, "needle")
    assert found(answer) == []
    assert gaps(answer, SessionsSearched) == [SessionsSearched(n=0, oldest=None)]
    assert world.loaded == []
    for name in ("s:a", "a"):
        with pytest.raises(NotFound):
            ask(world, "needle", session=name)
    with pytest.raises(NotFound):
        world.recall().recall_more(MoreRequest(anchor=anchor("s:a", "e0")))


def test_flagged_messages_do_not_answer() -> None:
    world = World()
    flags = ("abandoned", "superseded", "boilerplate")
    world.add(
        "a",
        *(message(number, "needle", flags=frozenset({flag})) for number, flag in enumerate(flags)),
    )
    assert found(ask(world, "needle")) == []


@pytest.mark.parametrize("name", ["s:a", "a"])
@pytest.mark.parametrize("turn_id", ["last", "e2"])
def test_the_asking_agents_turn_never_comes_back(name: str, turn_id: str) -> None:
    world = World()
    world.add(
        "a", *turn(("user", "needle"), ("assistant", "needle")), *turn(("user", "needle"), first=2)
    )
    exclude = Exclude(session=name, turn=turn_id)
    answer = world.recall().recall(RecallRequest(terms=("needle",), exclude=exclude))
    assert {each for _, each in found(answer)} <= {0, 1}
    assert answer.passages
    with pytest.raises(NotFound):
        world.recall().recall_more(MoreRequest(anchor=anchor("s:a", "e2"), exclude=exclude))
    assert world.recall().recall_more(MoreRequest(anchor=anchor("s:a", "e0"), exclude=exclude))


def test_a_copy_of_the_asking_agents_turn_comes_back_neither_as_hit_nor_as_neighbour() -> None:
    world = World()
    mine = message(0, "needle", identity=b"one")
    world.add("a", mine)
    world.add("fork", mine, message(1, "needle goes on", kind="assistant"), start=T0 + 1)
    exclude = Exclude(session="s:a", turn="last")
    answer = world.recall().recall(RecallRequest(terms=("needle",), exclude=exclude))
    (passage,) = answer.passages
    assert [each.text for each in passage.messages] == ["needle goes on"]


def test_a_turn_that_is_not_there_excludes_nothing() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    for session, turn_id in (("s:new", "last"), ("s:a", "e9")):
        exclude = Exclude(session=session, turn=turn_id)
        answer = world.recall().recall(RecallRequest(terms=("needle",), exclude=exclude))
        assert found(answer) == [("s:a", 0)]


# --- what is not converted yet --------------------------------------------------------------------


def test_a_session_that_is_not_converted_is_filtered_by_what_its_records_say() -> None:
    world = World()
    for name, workspace in (("a", "/w/app"), ("b", "/other")):
        world.add(name, *turn(("user", "needle")), workspace=workspace)
        row = world.rows[f"s:{name}"]
        world.is_complete[row.session_id] = replace(row, title="from the records")
        world.rows[row.session_id] = replace(row, workspace=None, records=5, converted_through=2)
    answer = ask(world, "needle", workspace="/w/app")
    assert found(answer) == [("s:a", 0)]
    assert answer.passages[0].title == "from the records"
    assert gaps(answer, NotConverted) == [NotConverted(n=3)]


def test_a_sub_agent_that_is_not_converted_spends_the_quota_of_its_parent() -> None:
    world = World()
    world.add("a", message(0, "needle needle needle"))
    world.add("agent", message(0, "needle needle hay"), origin="subagent", parent="s:a")
    world.add("b", message(0, "needle in much more hay"))
    request = RecallRequest(terms=("needle",), limit=2, origin="all")
    converted = found(world.recall().recall(request))
    assert converted == [("s:a", 0), ("s:b", 0)]
    row = world.rows["s:agent"]
    world.is_complete[row.session_id] = row
    world.rows[row.session_id] = replace(
        row, origin="interactive", parent_session_id=None, records=1
    )
    assert found(world.recall().recall(request)) == converted


def test_a_session_that_is_not_converted_is_read_whatever_the_sources_offer() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    world.add("b", *turn(("user", "needle")))
    world.rows["s:b"] = replace(world.rows["s:b"], records=1)
    answer = world.recall(Source(())).recall(RecallRequest(terms=("needle",)))
    assert found(answer) == [("s:b", 0)]
    assert answer.path == "mixed"


class Source:
    """A source that names what it is told to, declines, or fails."""

    def __init__(self, answer: Sequence[str] | StoreBusy | None) -> None:
        self._answer = answer

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        if isinstance(self._answer, StoreBusy):
            raise self._answer
        if self._answer is None:
            return None
        return [row for row in eligible if row.session_id in self._answer]


@pytest.mark.parametrize(
    ("sources", "path", "read"),
    [
        ([Source(None)], "scan", {"s:a", "s:b"}),
        ([Source(StoreBusy("locked"))], "scan", {"s:a", "s:b"}),
        ([Source(["s:b"])], "narrowed", {"s:b"}),
        ([Source(["s:a", "s:b"]), Source(["s:b"])], "narrowed", {"s:b"}),
        ([Source(["s:b"]), Source(None)], "mixed", {"s:b"}),
    ],
)
def test_sources_narrow_together_and_one_that_fails_declines(
    sources: list[CandidateSource], path: str, read: set[str]
) -> None:
    world = World()
    world.add("a", *turn(("user", "hay")))
    world.add("b", *turn(("user", "needle")))
    answer = world.recall(*sources).recall(RecallRequest(terms=("needle",)))
    assert found(answer) == [("s:b", 0)]
    assert answer.path == path
    assert set(world.loaded) == read


# --- gaps -----------------------------------------------------------------------------------------


def test_gaps_say_how_far_the_search_looked() -> None:
    world = World()
    counts = Counts(
        messages=1,
        length=6,
        branch_messages=2,
        unreadable_events=3,
        bytes_beyond_limit=400,
        spilled_bodies=5,
    )
    world.add("a", *turn(("user", "needle")), counts=counts, start=T0 + 9)
    world.add("b", *turn(("user", "hay")), counts=replace(counts, unreadable_events=0), start=T0)
    world.failed = [
        ImportFile(source="codex", path="/x", reason="no records"),
        ImportFile(source="codex", path="/y"),
    ]
    answer = world.recall().recall(RecallRequest(terms=("needle", "Rollback"), question="which?"))
    assert [
        gap for gap in answer.gaps if not isinstance(gap, FactsUnavailable | SemanticUnavailable)
    ] == [
        UnmatchedTerm(term="Rollback"),
        SessionsSearched(n=2, oldest=text_from_instant(T0)),
        SessionUnreadable(session="s:a", events=3),
        TextBeyondLimit(sessions=2, bytes=800),
        SpilledBodyMissing(sessions=2, bodies=10),
        BranchesLeftOut(sessions=2, messages=4),
        NotImported(source="codex", files=1),
    ]
    assert len(gaps(answer, FactsUnavailable)) == len(gaps(answer, SemanticUnavailable)) == 1


def test_facts_that_cannot_be_read_are_a_gap_and_meanings_when_a_question_is_asked() -> None:
    answer = ask(World(), "needle")
    assert len(gaps(answer, FactsUnavailable)) == 1
    assert gaps(answer, SemanticUnavailable) == []
    assert gaps(answer, SessionsSearched) == [SessionsSearched(n=0, oldest=None)]


def test_of_many_unreadable_sessions_the_worst_are_named_and_the_rest_summed() -> None:
    world = World()
    for number in range(25):
        world.add(f"{number:02}", counts=Counts(unreadable_events=number + 1))
    unreadable = gaps(ask(world, "needle"), SessionUnreadable)
    assert len(unreadable) == 21
    assert unreadable[0] == SessionUnreadable(session="s:24", events=25)
    assert unreadable[-1] == SessionUnreadable(session=None, events=15, sessions=5)


# --- budgets --------------------------------------------------------------------------------------


def assert_within_budgets(passage: Passage) -> None:
    assert size(passage) <= PASSAGE_BYTES_MAX
    assert sum(each.is_anchor for each in passage.messages) == 1
    for each in passage.messages:
        assert size(each) <= MESSAGE_BYTES_MAX
        assert each.offset + len(each.text) <= each.length
        assert (each.offset, len(each.text)) == (0, each.length) or passage.truncated


LONG = '数据库 é "quoted" \\ \n\x01 👩‍👩‍👧‍👦 ' * 300
long_texts = st.sampled_from(
    ["needle", LONG, LONG + "needle" + LONG, "x" * 9_000 + "needle", "short"]
)
long_turns = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool_call", "tool_result"]), long_texts),
    min_size=1,
    max_size=12,
)


@given(st.lists(long_turns, min_size=1, max_size=9), st.integers(1, 25), st.booleans())
def test_an_answer_keeps_every_budget_and_says_what_it_dropped(
    turns: list[list[tuple[MessageKind, str]]], limit: int, explain: bool
) -> None:
    world = World()
    for number, drawn in enumerate(turns):
        world.add(f"{number}", *turn(*drawn))
    answer = world.recall().recall(RecallRequest(terms=("needle",), limit=limit, explain=explain))
    assert size(answer) <= ENVELOPE_BYTES_MAX
    for passage in answer.passages:
        assert_within_budgets(passage)
        shown = next(each for each in passage.messages if each.is_anchor)
        assert "needle" in shown.text
    held = sum(any("needle" in text for _, text in drawn) for drawn in turns)
    dropped = [gap.n for gap in answer.gaps if isinstance(gap, BudgetDropped)]
    assert len(answer.passages) + sum(dropped) == min(held, limit)


def test_passages_share_an_envelope_that_is_too_small_for_all() -> None:
    world = World()
    for number in range(25):
        world.add(
            f"{number}", *turn(("user", LONG), ("assistant", LONG + "needle"), ("user", LONG))
        )
    answer = ask(world, "needle", limit=25)
    assert len(answer.passages) == 25
    assert ENVELOPE_BYTES_MAX * 0.9 < size(answer) <= ENVELOPE_BYTES_MAX
    sizes = [size(passage) for passage in answer.passages]
    assert max(sizes) - min(sizes) < 600
    assert all(passage.truncated for passage in answer.passages)


def test_a_long_message_is_a_window_around_its_best_place() -> None:
    world = World()
    text = "needle " + LONG + "needle and thread" + LONG
    world.add("a", *turn(("assistant", text)))
    (passage,) = ask(world, "needle", "thread").passages
    (shown,) = passage.messages
    assert text[shown.offset : shown.offset + len(shown.text)] == shown.text
    assert "needle and thread" in shown.text
    assert shown.length == len(text)
    assert {shown.offset, shown.offset + len(shown.text)} <= {
        each.end() for each in regex.finditer(r"\X", text)
    }


def test_a_passage_without_room_for_its_anchor_is_refused_with_the_bound() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")), title="x" * PASSAGE_BYTES_MAX)
    request = MoreRequest(anchor=anchor("s:a", "e0"))
    with pytest.raises(InvalidRequest, match=str(PASSAGE_BYTES_MAX)):
        world.recall().recall_more(request)


def test_a_question_with_too_many_terms_says_how_many_were_left_out() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    question = " ".join(f"zone{number}" for number in range(30))
    asked = world.recall().recall(RecallRequest(question=question))
    assert gaps(asked, TermsLeftOut) == [TermsLeftOut(n=30 - len(asked.terms))]
    with_terms = RecallRequest(terms=("needle",), question=question)
    assert gaps(world.recall().recall(with_terms), TermsLeftOut) == []


def test_terms_too_long_for_a_passage_drop_it_and_say_so() -> None:
    terms = [chr(0x4E00 + number) * 500 for number in range(8)]
    world = World()
    world.add("a", *turn(("user", "".join(terms))))
    answer = ask(world, *terms)
    assert answer.passages == ()
    assert gaps(answer, BudgetDropped) == [BudgetDropped(n=1)]


# --- redaction ------------------------------------------------------------------------------------


def test_what_leaves_is_redacted_whole_and_then_cut() -> None:
    world = World()
    for lead in range(3_900, 4_100, 7):
        world.add(
            f"{lead}", *turn(("user", "x" * lead + f" {SECRET} needle")), title=f"about {SECRET}"
        )
    encoded = msgspec.json.encode(ask(world, "needle", limit=25)).decode()
    shown = [at for at in range(len(SECRET) - 6) if SECRET[at : at + 6] in encoded]
    assert shown == []


def test_names_of_materials_are_redacted_and_bytes_never_travel() -> None:
    world = World()
    shot = Material(
        id="m1", kind="image", name=f"{SECRET}.png", media_type="image/png", bytes=9, sha256="00"
    )
    world.add(
        "a",
        replace(message(0, "see needle"), materials=(shot,)),
        message(1, "x", kind="tool_result"),
    )
    answer = ask(world, "needle")
    assert SECRET[4:12].encode() not in msgspec.json.encode(answer)
    shown = [material_id("s:a", "m1")]
    assert [view.id for view in answer.materials] == shown
    assert [view.id for view in answer.passages[0].messages[0].materials] == shown


def test_materials_of_the_turn_are_listed_and_too_many_are_counted() -> None:
    world = World()
    shots = tuple(
        Material(
            id=f"m{n}", kind="image", name="shot.png", media_type="image/png", bytes=9, sha256=None
        )
        for n in range(200)
    )
    world.add(
        "a", message(0, "needle"), replace(message(1, "", kind="tool_result"), materials=shots)
    )
    answer = ask(world, "needle")
    (dropped,) = gaps(answer, BudgetDropped)
    assert dropped == BudgetDropped(n=0, materials=200 - len(answer.materials))
    assert size(answer.materials) <= 8 * 1024 + 2


# --- more -----------------------------------------------------------------------------------------


def test_more_extends_a_passage_on_both_sides() -> None:
    world = World()
    world.add("a", *turn(("user", "prompt"), *calls(30)))
    (passage,) = ask(world, "call 15").passages
    more = world.recall().recall_more(MoreRequest(anchor=passage.anchor))
    assert [each.text for each in more.messages] == [
        "prompt",
        *(f"call {number}" for number in range(7, 24)),
    ]
    assert (more.has_more_before, more.has_more_after) == (True, True)
    alone = world.recall().recall_more(MoreRequest(anchor=passage.anchor, before=0, after=0))
    assert [each.text for each in alone.messages] == ["call 15"]
    assert (alone.session, alone.position, alone.matched_terms) == ("s:a", 16, ())


@given(
    st.sampled_from(
        [LONG, "ab" * 6_000, f"{'x' * 3_990} {SECRET} {'y' * 5_000}", "e" + "\u0301" * 9_000]
    )
)
def test_paging_through_a_long_text_gives_the_redacted_whole(text: str) -> None:
    world = World()
    told = message(0, text, Run(text="[end]", synthetic=True), kind="assistant")
    world.add("a", told)
    read = ""
    while True:
        request = MoreRequest(anchor=anchor("s:a", "e0"), before=0, after=0, offset=len(read))
        (page,) = world.recall().recall_more(request).messages
        assert page.offset <= len(read)
        read = read[: page.offset] + page.text
        if len(read) == page.length:
            break
    is_whole = read == redact(text).text + "[end]"
    assert is_whole
    assert len(read) > 8_000


def test_an_offset_beyond_the_text_is_refused() -> None:
    world = World()
    world.add("a", *turn(("user", "needle")))
    with pytest.raises(InvalidRequest, match="ends at 6"):
        world.recall().recall_more(MoreRequest(anchor=anchor("s:a", "e0"), offset=6))


def test_anchors_that_lead_nowhere_are_one_and_the_same_answer() -> None:
    world = World()
    world.add("a", message(0, "needle"), message(1, "gone", flags=frozenset({"abandoned"})))
    world.add("p", message(0, "needle"), private=True)
    exclude = Exclude(session="s:a", turn="last")
    refusals: set[tuple[str, str, str]] = set()
    for asked in (
        MoreRequest(anchor="nonsense"),
        MoreRequest(anchor=anchor("s:zzz", "e0")),
        MoreRequest(anchor=anchor("s:a", "e7")),
        MoreRequest(anchor=anchor("s:a", "e1")),
        MoreRequest(anchor=anchor("s:p", "e0")),
        MoreRequest(anchor=anchor("s:a", "e0"), exclude=exclude),
    ):
        with pytest.raises(NotFound) as refused:
            world.recall().recall_more(asked)
        refusals.add((refused.value.code, refused.value.message, refused.value.hint))
    assert len(refusals) == 1


# --- questions ------------------------------------------------------------------------------------


def test_a_question_alone_is_searched_by_its_own_words() -> None:
    world = World()
    world.add("a", *turn(("user", "migrating the database"), ("assistant", "Use pgbouncer.")))
    world.add("b", *turn(("user", "something else")))
    answer = world.recall().recall(RecallRequest(question="How did we migrate the database?"))
    assert found(answer) == [("s:a", 0)]
    assert answer.terms == ("migrat", "databas")


def test_a_question_with_terms_only_re_ranks() -> None:
    world = World()
    world.add("a", *turn(("assistant", "the pool of swimmers")), start=T0 + 1)
    world.add("b", *turn(("assistant", "the pool of workers!")), start=T0)
    plain = ask(world, "pool")
    asked = ask(world, "pool", question="how many workers?")
    assert {session for session, _ in found(plain)} == {session for session, _ in found(asked)}
    assert found(asked)[0] == ("s:b", 0)
    assert asked.terms == ("pool",)


def test_one_session_does_not_fill_the_answer() -> None:
    world = World()
    world.add("a", *(message(n, "needle " * 9, turn=f"e{n}") for n in range(20)))
    for name in "bcde":
        world.add(name, message(0, "one needle in much hay " * 4))
    sessions = [session for session, _ in found(ask(world, "needle", limit=6))]
    assert sessions.count("s:a") == 2
    assert len(sessions) == 6
