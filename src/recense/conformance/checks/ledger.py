"""The ledger: events, message rows, facts, conversion, and what a page may not do."""

from hashlib import sha256
from typing import Final

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    birth,
    contents,
    event,
    mark,
    next_page,
    record,
    records_of,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, expect_raises
from recense.core.transcript.changes import Standing
from recense.core.transcript.events import Event
from recense.core.transcript.records import Blob, Counts, SessionFacts
from recense.errors import NotFound, StoreConflict, StoreFault
from recense.limits import CHUNK_BYTES, STATE_BYTES_MAX
from recense.ports.commits import Growth
from recense.ports.transcripts import TranscriptStore

NO_IDS: Final[frozenset[str]] = frozenset()

KNOWN_IDS: Final = 40_000
"""More ids in one question than an engine takes parameters in one statement."""


def _with_session(case: Case, records: int = 0) -> TranscriptStore:
    store = case.subject()
    archive(store, [record("alpha", n) for n in range(records)], births=[birth("alpha")])
    return store


def _at(event_id: str, at: int | None) -> Event:
    return replace(event(event_id), at=at)


@check("events come back as they were given, in order, from any ordinal")
def _(case: Case) -> None:
    store = _with_session(case)
    events = [event(f"e{n}", payload=b'{"kind":"later","n":%d}' % n) for n in range(5)]
    events[1] = replace(events[1], at=None, identity=None, invocation_id="run 1")
    append(store, replace(next_page(store, "alpha"), events=tuple(events[:2])))
    append(store, replace(next_page(store, "alpha"), events=tuple(events[2:])))
    with store.snapshot() as reader:
        for after in range(7):
            expect_equal(f"from {after}", list(reader.events("alpha", after)), events[after:])
        expect_equal("all", list(reader.events("alpha")), events)
    expect_equal("head", session_of(store, "alpha").events, 5)


@check("a payload of any bytes and a megabyte survives")
def _(case: Case) -> None:
    store = _with_session(case)
    payloads = [b"", b"\x00", "😀 数据".encode(), b"\xff", b"x" * 1_048_576, b"y" * CHUNK_BYTES]
    events = tuple(event(f"e{n}", payload=payload) for n, payload in enumerate(payloads))
    append(store, replace(next_page(store, "alpha"), events=events))
    with store.snapshot() as reader:
        found = [each.payload for each in reader.events("alpha")]
    expect("every byte is the same", holds=found == payloads)


@check("a page for a session that was never introduced is refused")
def _(case: Case) -> None:
    store = _with_session(case)
    page = replace(next_page(store, "alpha"), session_id="nobody")
    expect_raises("append", NotFound, lambda: store.append(page))


@check("a page on another head or another conversion is a conflict, and nothing of it is kept")
def _(case: Case) -> None:
    store = _with_session(case, records=2)
    page = replace(next_page(store, "alpha"), events=(event("e0"),), opened=(row(0),))
    append(store, page)
    before = contents(store)
    stands = next_page(store, "alpha")
    for page in (
        replace(stands, expected_events=0),
        replace(stands, expected_events=2),
        replace(stands, expected_through=1),
    ):
        wrong = replace(
            page,
            events=(event("e1"),),
            opened=(row(1),),
            blobs=(Blob(sha256=sha256(b"x").hexdigest(), data=b"x"),),
        )
        expect_raises("append", StoreConflict, lambda page=wrong: store.append(page))
    expect_equal("contents", contents(store), before)


@check("a page that contradicts the store is refused, and nothing of it is kept")
def _(case: Case) -> None:
    store = _with_session(case, records=2)
    page = replace(
        next_page(store, "alpha"), events=(event("e0"),), opened=(row(0),), conversion=mark(1)
    )
    append(store, page)
    before = contents(store)
    stands = replace(next_page(store, "alpha"), events=(event("e1"),))
    for what, page in {
        "an event id that is held": replace(stands, events=(event("e1"), event("e0"))),
        "an event id twice": replace(stands, events=(event("e1"), event("e1"))),
        "a message that is there": replace(stands, opened=(row(1), row(0))),
        "a message opened twice": replace(stands, opened=(row(1), row(1))),
        "growth of nothing": replace(stands, grown=(Growth(position=7, length=1),)),
        "conversion beyond the archive": replace(stands, conversion=mark(3)),
        "conversion taken back": replace(stands, conversion=mark(0)),
    }.items():
        expect_raises(what, StoreFault, lambda page=page: store.append(page))
        expect_equal(f"contents after {what}", contents(store), before)


@check("message rows are opened, then grown, then dead, and stay by position")
def _(case: Case) -> None:
    store = _with_session(case)
    first = replace(
        next_page(store, "alpha"),
        opened=tuple(row(n, name=f"n{n}") for n in (2, 0, 1, 3)),
        grown=(Growth(position=0, length=5), Growth(position=0, length=1)),
        standings=(Standing(first=1, last=2, live=False),),
    )
    append(store, first)
    second = replace(
        next_page(store, "alpha"),
        opened=(row(4, live=False), row(5)),
        grown=(Growth(position=3, length=7), Growth(position=1, length=2)),
        standings=(Standing(first=5, last=900, live=False), Standing(first=4, last=3, live=False)),
    )
    append(store, second)
    with store.snapshot() as reader:
        found = [(each.position, each.length, each.live) for each in reader.message_rows("alpha")]
    expected = [
        (0, 16, True),
        (1, 12, False),
        (2, 10, False),
        (3, 17, True),
        (4, 10, False),
        (5, 10, False),
    ]
    expect_equal("rows", found, expected)


@check("a session's row takes from a page what the page says, and nothing else")
def _(case: Case) -> None:
    store = _with_session(case, records=2)
    counts = Counts(
        branch_messages=3, unreadable_events=4, bytes_beyond_limit=2**40, spilled_bodies=6
    )
    state = bytes(range(256)) * (STATE_BYTES_MAX // 256)
    page = replace(
        next_page(store, "alpha"),
        events=(_at("e0", 9_000), _at("e1", 7_000)),
        counts=counts,
        projection_state=state,
        conversion=mark(2),
    )
    before = session_of(store, "alpha")
    store.append(page)
    expected = replace(
        before,
        events=2,
        counts=counts,
        projection_state=state,
        last_event_at=9_000,
        converted_through=2,
        convert_state=b"converted 2",
        importer_version=3,
    )
    expect_equal("session", session_of(store, "alpha"), expected)
    store.append(replace(next_page(store, "alpha"), events=(_at("e2", 8_000), _at("e3", None))))
    expect_equal(
        "after a page that says little", session_of(store, "alpha"), replace(expected, events=4)
    )


@check("a closed session takes no more events of the API, and goes on being converted")
def _(case: Case) -> None:
    store = _with_session(case, records=1)
    store.append(replace(next_page(store, "alpha"), events=(_at("e0", 1),), closed=True))
    late = replace(next_page(store, "alpha"), events=(_at("e1", 2),))
    expect_raises("append", StoreConflict, lambda: store.append(late))
    expect_equal("events", session_of(store, "alpha").events, 1)
    store.append(replace(late, conversion=mark(1)))
    expect("it stays closed", holds=session_of(store, "alpha").closed)


@check("of several titles the highest rank holds, the last given and the first prompt")
def _(case: Case) -> None:
    store = _with_session(case)
    for title, rank, expected in [
        ("first prompt", 0, "first prompt"),
        ("second prompt", 0, "first prompt"),
        ("a summary", 1, "a summary"),
        ("given", 3, "given"),
        ("by a model", 2, "given"),
        ("given again", 3, "given again"),
        (None, 3, "given again"),
    ]:
        facts = SessionFacts(title=title, title_rank=rank)
        store.append(replace(next_page(store, "alpha"), facts=facts))
        expect_equal(f"title after {title!r}", session_of(store, "alpha").title, expected)


@check("the first workspace stays; origin, parent and family follow what records say")
def _(case: Case) -> None:
    store = _with_session(case)
    for facts in (
        SessionFacts(workspace="/home/ada/garden"),
        SessionFacts(workspace="/home/ada/kitchen", origin="subagent"),
        SessionFacts(origin="headless", parent_session_id="root"),
        SessionFacts(revision_root="first", shelved=True),
        SessionFacts(),
    ):
        store.append(replace(next_page(store, "alpha"), facts=facts))
    found = session_of(store, "alpha")
    expect_equal("workspace", found.workspace, "/home/ada/garden")
    expect_equal("origin", found.origin, "headless")
    expect_equal("parent", found.parent_session_id, "root")
    expect_equal("family", (found.revision_root, found.shelved), ("first", True))
    store.append(replace(next_page(store, "alpha"), facts=SessionFacts(shelved=False)))
    expect_equal("taken out again", session_of(store, "alpha").shelved, expected=False)


@check("a session is introduced with its facts, and one that exists is returned as it is")
def _(case: Case) -> None:
    store = case.subject()
    facts = SessionFacts(workspace="/home/ada", title="Garden", title_rank=3)
    opened = store.open_session(birth("alpha", 5), facts)
    expect_equal("session", opened, session_of(store, "alpha"))
    expect_equal("title", (opened.title, opened.workspace), ("Garden", "/home/ada"))
    append(store, replace(next_page(store, "alpha"), events=(event("e0"),), opened=(row(0),)))
    again = store.open_session(birth("alpha", 1), SessionFacts(title="Other", title_rank=3))
    expect_equal("again", again, session_of(store, "alpha"))
    expect_equal("as it was", (again.created_at, again.title, again.events), (5, "Garden", 1))
    expect_equal("owned", again.owned_messages, 1)


@check("converted records come back as they were archived when they are kept")
def _(case: Case) -> None:
    store = case.subject()
    bodies = [b"", b"x", b"a word " * 500, sha256(b"n").digest(), b"long " * CHUNK_BYTES]
    given = [record("alpha", n, body=body) for n, body in enumerate(bodies)]
    archive(store, given)
    before = records_of(store, "alpha")
    append(store, replace(next_page(store, "alpha"), conversion=mark(3)))
    append(store, replace(next_page(store, "alpha"), conversion=mark(5)))
    expect("every record is the same", holds=records_of(store, "alpha") == before)
    expect_equal("read again", set(archive(store, given)), {"duplicate"})


@check("dropped records are absent, and are known when they are read again")
def _(case: Case) -> None:
    store = case.subject()
    given = [
        record("alpha", 0),
        record("alpha", 1, body=b"long " * CHUNK_BYTES),
        record("alpha", 2, disposition="skipped"),
        record("alpha", 3),
    ]
    archive(store, given)
    append(store, replace(next_page(store, "alpha"), conversion=mark(1)))
    append(store, replace(next_page(store, "alpha"), conversion=mark(3, "drop")))
    expect_equal("left", [each.seq for each in records_of(store, "alpha")], [0, 3])
    expect_equal("counted", session_of(store, "alpha").records, 4)
    expect_equal("read again", set(archive(store, given)), {"duplicate"})
    expect_equal("still left", [each.seq for each in records_of(store, "alpha")], [0, 3])
    archive(store, [record("alpha", 4)])
    expect_equal("the next seq", [each.seq for each in records_of(store, "alpha")], [0, 3, 4])


@check("any number of event ids can be asked for at once")
def _(case: Case) -> None:
    store = _with_session(case)
    archive(store, [], births=[birth("beta")])
    for session_id in ("alpha", "beta"):
        events = tuple(event(f"{session_id} {n}") for n in range(300))
        append(store, replace(next_page(store, session_id), events=events))
    asked = [f"alpha {n}" for n in range(KNOWN_IDS)] + ["beta 1", "", "alpha 1"]
    with store.snapshot() as reader:
        known = reader.known_event_ids("alpha", iter(asked))
        expect_equal("known", known, frozenset(f"alpha {n}" for n in range(300)))
        expect_equal("none asked", reader.known_event_ids("alpha", []), NO_IDS)
        expect_equal("nobody's", reader.known_event_ids("nobody", asked), NO_IDS)


@check("a page carries blobs of its own")
def _(case: Case) -> None:
    store = _with_session(case)
    data = b"\x89PNG" * 50_000
    blob = Blob(sha256=sha256(data).hexdigest(), data=data)
    append(store, replace(next_page(store, "alpha"), blobs=(blob, blob)))
    with store.snapshot() as reader:
        expect("every byte is the same", holds=reader.blob(blob.sha256) == data)
