"""What a question asks of a store's sessions: names, sums, who waits, and single events."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from recense.conformance.material import (
    SOURCE,
    append,
    archive,
    birth,
    contents,
    event,
    mark,
    next_page,
    record,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal
from recense.core.transcript.records import (
    Counts,
    Origin,
    Session,
    SessionFacts,
    is_settled,
    without_states,
)
from recense.core.transcript.totals import SessionFilter, SettledSessions, Totals, totals_of
from recense.core.transcript.visibility import is_hidden
from recense.ports.commits import ImportFile
from recense.ports.transcripts import TranscriptStore

WORK: Final = "/home/ada/work"
HOME: Final = "/home/ada"

NO_GAPS: Final = Counts()

FILTERS: Final[tuple[SessionFilter, ...]] = (
    SessionFilter(),
    SessionFilter(origins=frozenset()),
    SessionFilter(origins=frozenset({"interactive"})),
    SessionFilter(origins=frozenset({"subagent", "headless"})),
    SessionFilter(workspaces=frozenset()),
    SessionFilter(workspaces=frozenset({WORK})),
    SessionFilter(workspaces=frozenset({WORK, HOME}), origins=frozenset({"subagent"})),
    SessionFilter(session_id="late"),
    SessionFilter(session_id="late", origins=frozenset({"headless"})),
    SessionFilter(session_id="nobody"),
)
"""What may be asked for: all, an origin, a folder, one session, and more than one of them."""


def _add(
    store: TranscriptStore,
    session_id: str,
    created_at: int | None,
    *,
    origin: Origin = "interactive",
    parent: str | None = None,
    workspace: str | None = None,
    gaps: Counts = NO_GAPS,
    converted: int = 1,
) -> None:
    """Keep a session of one record and two messages, one of which it shares with the others."""
    born = replace(birth(session_id, created_at, parent=parent), origin=origin)
    archive(store, [record(session_id, 0)], births=[born], path=session_id)
    page = replace(
        next_page(store, session_id),
        events=(event(f"{session_id} 0"),),
        opened=(row(0, name="shared", length=5), row(1, length=7)),
        facts=SessionFacts(workspace=workspace),
        counts=replace(gaps, messages=2, length=12),
        conversion=mark(converted),
    )
    store.append(page)


def _history(store: TranscriptStore) -> None:
    """Keep sessions of every origin, two of which lie below a hidden one, and one that waits."""
    _add(store, "early", 10, workspace=WORK, gaps=Counts(bytes_beyond_limit=4, spilled_bodies=1))
    _add(store, "late", 20, workspace=HOME, gaps=Counts(branch_messages=3, unreadable_events=2))
    _add(store, "timeless", None, workspace=WORK, gaps=Counts(bytes_beyond_limit=5))
    _add(store, "runner", 30, origin="headless", workspace=WORK)
    _add(store, "api", 5, origin="agent", gaps=Counts(unreadable_events=1))
    _add(store, "helper", 21, origin="subagent", parent="late", workspace=HOME)
    _add(store, "secret", 1, workspace=WORK, gaps=Counts(spilled_bodies=9, unreadable_events=7))
    _add(store, "secret helper", 2, origin="subagent", parent="secret", workspace=WORK)
    _add(store, "helper's helper", 3, origin="subagent", parent="secret helper", workspace=WORK)
    _add(store, "continued", 4, origin="interactive", parent="secret", workspace=WORK)
    _add(store, "waits", 0, workspace="/home/ada/unread", converted=0)
    store.set_private("secret", private=True)


def _expected(sessions: Sequence[Session], wanted: SessionFilter) -> SettledSessions:
    every = {each.session_id: each for each in sessions}
    seen = [each for each in sessions if not is_hidden(each, every.get)]
    near = [each for each in seen if is_settled(each) and wanted.is_near(each)]
    others: list[Origin] = [each.origin for each in near if not wanted.passes(each)]
    return SettledSessions(
        totals=totals_of(each for each in near if wanted.passes(each)),
        left_out=Counter(others),
        hidden=len(sessions) - len(seen),
    )


@check("the sums of settled sessions are those over their rows, whatever is asked for")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    with store.snapshot() as reader:
        sessions = list(reader.sessions())
        for wanted in FILTERS:
            expect_equal(str(wanted), reader.settled(wanted), _expected(sessions, wanted))


@check("hidden sessions and the sub-agents below them are in no sum, and are counted")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    with store.snapshot() as reader:
        found = reader.settled(SessionFilter(workspaces=frozenset({WORK})))
        expect_equal("hidden", found.hidden, 3)
        expect_equal("of the folder", found.totals.sessions, 4)
        expect_equal("unreadable", dict(found.totals.unreadable), {})
        everywhere = reader.settled(SessionFilter(session_id="nobody")).hidden
        expect_equal("hidden, whatever is asked for", everywhere, 3)
    store.set_private("secret", private=False)
    with store.snapshot() as reader:
        shown = reader.settled(SessionFilter())
        expect_equal("hidden when none is", shown.hidden, 0)
        expect_equal("unreadable of a shown one", shown.totals.unreadable.get("secret"), 7)


@check("what an origin leaves out is counted by origin, and what waits is in no sum")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    with store.snapshot() as reader:
        found = reader.settled(SessionFilter(origins=frozenset({"interactive"})))
    expect_equal("left out", dict(found.left_out), {"headless": 1, "agent": 1, "subagent": 1})
    expect_equal("of the origin", found.totals.sessions, 4)
    expect_equal("the oldest", found.totals.oldest, 4)
    expect_equal(
        "gaps",
        (found.totals.beyond_sessions, found.totals.beyond_bytes, found.totals.branch_messages),
        (2, 9, 3),
    )


@check("the sums of an empty store are nothing")
def _(case: Case) -> None:
    with case.subject().snapshot() as reader:
        nothing = SettledSessions(totals=Totals(), left_out={}, hidden=0)
        expect_equal("sums", reader.settled(SessionFilter()), nothing)
        expect_equal("workspaces", reader.workspaces(), [])
        expect_equal("waiting", list(reader.waiting()), [])
        expect_equal("failed files", reader.failed_files(), {})
        expect_equal("named", reader.named(""), [])


@check("a session waits while a record of it is not converted, and is told by start with its state")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    for name, start in (("b", 3), ("a", 3), ("c", None), ("d", -1)):
        archive(store, [record(name, 0)], births=[birth(name, start)], path=name)
    append(store, replace(next_page(store, "d"), projection_state=b"far"))
    with store.snapshot() as reader:
        found = list(reader.waiting())
        expect_equal("order", [each.session_id for each in found], ["d", "waits", "a", "b", "c"])
        expect_equal("rows", found, [reader.session(each.session_id) for each in found])
        expect_equal("state", found[0].projection_state, b"far")
    append(store, replace(next_page(store, "a"), conversion=mark(1)))
    with store.snapshot() as reader:
        names = [each.session_id for each in reader.waiting()]
    expect_equal("when one is converted", names, ["d", "waits", "b", "c"])


@check("workspaces are told once and in order, of settled sessions alone")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    _add(store, "one more", 99, workspace="/数据")
    with store.snapshot() as reader:
        expect_equal("workspaces", reader.workspaces(), [HOME, WORK, "/数据"])


@check("a session is found by its id and by its source's word for it, without its states")
def _(case: Case) -> None:
    store = case.subject()
    births = [
        replace(birth("s:one", 2), source_session_id="one"),
        replace(birth("t:one", 1), source_session_id="one"),
        replace(birth("one", None), source_session_id="s:two"),
    ]
    archive(store, [record(each.session_id, 0) for each in births], births=births)
    append(store, replace(next_page(store, "s:one"), projection_state=b"far", conversion=mark(1)))
    with store.snapshot() as reader:
        for name, ids in {
            "one": ["t:one", "s:one", "one"],
            "s:one": ["s:one"],
            "s:two": ["one"],
            "on": [],
            "ONE": [],
            "one%": [],
        }.items():
            expect_equal(name, [each.session_id for each in reader.named(name)], ids)
        (found,) = reader.named("s:one")
        expect_equal("its row", found, without_states(session_of(store, "s:one")))


@check("an outline is a session's row without its states")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    with store.snapshot() as reader:
        for session in list(reader.sessions()):
            found = reader.outline(session.session_id)
            expect_equal(session.session_id, found, without_states(session))
        expect_equal("of nobody", reader.outline("nobody"), None)
        whole = reader.session("late")
    expect("there was a state", holds=bool(whole and whole.convert_state))


@check("events are given in the order asked for, and those that are not there are left out")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [], births=[birth("alpha"), birth("beta")])
    events = tuple(event(f"e{n}") for n in range(6))
    append(store, replace(next_page(store, "alpha"), events=events))
    append(store, replace(next_page(store, "beta"), events=(event("other"),)))
    with store.snapshot() as reader:
        for asked in ([], [3], [5, 0, 2], [2, 2], [6, 1, 2**40], [-1, 4]):
            expected = [events[each] for each in asked if 0 <= each < len(events)]
            expect_equal(str(asked), reader.events_at("alpha", asked), expected)
        expect_equal("of nobody", reader.events_at("nobody", [0]), [])
        many = [n % 6 for n in range(3_000)]
        expect_equal("of many", len(reader.events_at("alpha", iter(many))), len(many))


@check("failed files are counted by source, of the sources of which any failed")
def _(case: Case) -> None:
    store = case.subject()
    for source, path, reason in (
        (SOURCE, "/a", "cut short"),
        (SOURCE, "/b", "no JSON"),
        (SOURCE, "/c", ""),
        ("other", "/a", ""),
        ("third", "/a", "no JSON"),
    ):
        store.note_file(None, ImportFile(source=source, path=path, reason=reason))
    with store.snapshot() as reader:
        expect_equal("failed", reader.failed_files(), {SOURCE: 2, "third": 1})
        file = reader.file(SOURCE, "/a")
    store.note_file(file, ImportFile(source=SOURCE, path="/a"))
    with store.snapshot() as reader:
        expect_equal("when one is mended", reader.failed_files(), {SOURCE: 1, "third": 1})


@check("asking changes nothing")
def _(case: Case) -> None:
    store = case.subject()
    _history(store)
    before = contents(store)
    with store.snapshot() as reader:
        for wanted in FILTERS:
            reader.settled(wanted)
        list(reader.waiting())
        reader.workspaces()
        reader.named("late")
        reader.outline("late")
        reader.events_at("late", [0])
        reader.failed_files()
    expect_equal("contents", contents(store), before)
