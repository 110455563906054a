"""Totals: sums over sessions, the same however the sessions are divided."""

from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.records import Counts, Session
from recense.core.transcript.totals import (
    SessionFilter,
    Totals,
    together,
    totals_of,
    with_damage,
)
from recense.core.transcript.visibility import is_hidden

few = st.integers(0, 3)
names = st.sampled_from("abcdef")

rows = st.builds(
    Session,
    session_id=names,
    source=st.just("s"),
    source_session_id=names,
    workspace=st.sampled_from([None, "/one", "/two"]),
    origin=st.sampled_from(["interactive", "subagent", "headless"]),
    parent_session_id=st.none() | names,
    created_at=st.none() | st.integers(-5, 5),
    counts=st.builds(
        Counts,
        messages=few,
        length=few,
        branch_messages=few,
        unreadable_events=few,
        bytes_beyond_limit=few,
        spilled_bodies=few,
    ),
    owned_messages=few,
    owned_length=few,
    private=st.booleans(),
)
sessions = st.lists(rows, max_size=6, unique_by=lambda each: each.session_id)
filters = st.builds(
    SessionFilter,
    session_id=st.none() | names,
    workspaces=st.none() | st.frozensets(st.sampled_from(["/one", "/two"])),
    origins=st.none() | st.frozensets(st.sampled_from(["interactive", "subagent", "headless"])),
)


def _session(session_id: str, *, parent: str | None = None, private: bool = False) -> Session:
    return Session(
        session_id=session_id,
        source="s",
        source_session_id=session_id,
        origin="interactive" if parent is None else "subagent",
        parent_session_id=parent,
        private=private,
    )


def _is_hidden(name: str, *others: Session) -> bool:
    every = {each.session_id: each for each in others}
    return is_hidden(every[name], every.get)


def test_every_figure_is_summed_and_gaps_are_counted_by_session() -> None:
    first = Session(
        session_id="a",
        source="s",
        source_session_id="a",
        created_at=7,
        counts=Counts(
            messages=3,
            length=30,
            branch_messages=2,
            unreadable_events=1,
            bytes_beyond_limit=100,
            spilled_bodies=4,
        ),
        owned_messages=2,
        owned_length=20,
    )
    second = Session(
        session_id="b",
        source="s",
        source_session_id="b",
        created_at=5,
        counts=Counts(messages=1, length=8, bytes_beyond_limit=11),
        owned_messages=1,
        owned_length=8,
    )
    assert totals_of([first, second]) == Totals(
        sessions=2,
        oldest=5,
        messages=4,
        length=38,
        owned_messages=3,
        owned_length=28,
        beyond_sessions=2,
        beyond_bytes=111,
        spilled_sessions=1,
        spilled_bodies=4,
        branch_sessions=1,
        branch_messages=2,
        unreadable={"a": 1},
    )


def test_the_oldest_is_of_those_that_are_known() -> None:
    timeless = Session(session_id="a", source="s", source_session_id="a")
    assert totals_of([timeless]).oldest is None
    early = Session(session_id="b", source="s", source_session_id="b", created_at=-3)
    assert totals_of([timeless, early]).oldest == -3
    assert together(totals_of([timeless]), totals_of([early])).oldest == -3


@given(sessions, st.data())
def test_the_totals_of_two_groups_together_are_those_of_all(
    every: list[Session], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(every)))
    first, second = totals_of(every[:cut]), totals_of(every[cut:])
    assert together(first, second) == totals_of(every) == together(second, first)


@given(sessions)
def test_nothing_added_is_nothing_changed(every: list[Session]) -> None:
    totals = totals_of(every)
    assert together(totals, Totals()) == totals == with_damage(totals, {})


@given(sessions, st.dictionaries(names, st.integers(1, 4)))
def test_damage_counts_where_it_is_more_than_was_known(
    every: list[Session], damage: dict[str, int]
) -> None:
    before = totals_of(every).unreadable
    after = with_damage(totals_of(every), damage).unreadable
    assert after.keys() == before.keys() | damage.keys()
    for name, count in after.items():
        assert count == max(before.get(name, 0), damage.get(name, 0))


@given(sessions, filters)
def test_a_filter_passes_what_is_near_and_of_its_origins(
    every: list[Session], wanted: SessionFilter
) -> None:
    for session in every:
        of_origin = wanted.origins is None or session.origin in wanted.origins
        assert wanted.passes(session) == (wanted.is_near(session) and of_origin)
        assert wanted.is_near(session) == (
            wanted.session_id in (None, session.session_id)
            and (wanted.workspaces is None or session.workspace in wanted.workspaces)
        )


def test_a_hidden_session_hides_the_sub_agents_below_it() -> None:
    family = (
        _session("a", private=True),
        _session("b", parent="a"),
        _session("c", parent="b"),
        _session("d"),
        _session("e", parent="d"),
    )
    hidden = [each.session_id for each in family if _is_hidden(each.session_id, *family)]
    assert hidden == ["a", "b", "c"]


def test_what_goes_on_from_a_hidden_session_without_being_its_sub_agent_is_shown() -> None:
    fork = Session(session_id="b", source="s", source_session_id="b", parent_session_id="a")
    assert not _is_hidden("b", _session("a", private=True), fork)


def test_a_parent_that_is_not_there_and_a_circle_of_parents_hide_nothing() -> None:
    assert not _is_hidden("a", _session("a", parent="gone"))
    circle = (_session("a", parent="b"), _session("b", parent="a"))
    assert not _is_hidden("a", *circle)
    circle = (_session("a", parent="b"), _session("b", parent="a", private=True))
    assert _is_hidden("a", *circle)
