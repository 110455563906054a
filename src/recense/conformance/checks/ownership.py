"""Owned counts: who counts a message that several sessions hold."""

from itertools import permutations

from msgspec.structs import replace

from recense.conformance.material import append, archive, birth, next_page, owned_of, row
from recense.conformance.vocabulary import Case, check, expect_equal
from recense.core.transcript.changes import Standing
from recense.ports.commits import Growth
from recense.ports.transcripts import TranscriptStore

Starts = dict[str, int | None]


def _with_sessions(case: Case, starts: Starts) -> TranscriptStore:
    store = case.subject()
    archive(store, [], births=[birth(name, at) for name, at in starts.items()])
    return store


@check("a message without an identity is owned by its session")
def _(case: Case) -> None:
    store = _with_sessions(case, {"alpha": 1, "beta": 2})
    for session_id in ("beta", "alpha"):
        opened = (row(0, length=3), row(1, length=4), row(2, length=9, live=False))
        append(store, replace(next_page(store, session_id), opened=opened))
    expect_equal("owned", owned_of(store), {"alpha": (2, 7), "beta": (2, 7)})


@check("a shared message is owned by the session that starts first, whoever is imported first")
def _(case: Case) -> None:
    starts: Starts = {"late": 9, "early": 1, "none": None, "middle": 5}
    for order in permutations(starts):
        store = _with_sessions(case, starts)
        for session_id in order:
            opened = (row(0, name="same", length=len(session_id)), row(1, name=session_id))
            append(store, replace(next_page(store, session_id), opened=opened))
        expected = {"early": (2, 15), "late": (1, 10), "middle": (1, 10), "none": (1, 10)}
        expect_equal(f"owned after {order}", owned_of(store), expected)


@check("a commit says how many owned messages it added, and a copy adds none")
def _(case: Case) -> None:
    store = _with_sessions(case, {"first": 1, "second": 2})
    dead, alive = (Standing(first=0, last=0, live=live) for live in (False, True))
    opened = (row(0, name="same"), row(1), row(2, live=False))
    for what, session_id, change, added in [
        ("new messages", "second", {"opened": opened}, 2),
        ("one new beside a copy of an earlier session", "first", {"opened": opened}, 1),
        ("nothing but growth", "first", {"grown": (Growth(position=0, length=5),)}, 0),
        ("a copy that dies", "second", {"standings": (dead,)}, 0),
        ("the last that dies", "first", {"standings": (dead,)}, -1),
        ("one that lives again", "second", {"standings": (alive,)}, 1),
    ]:
        page = replace(next_page(store, session_id), **change)
        expect_equal(what, append(store, page), added)


@check("of sessions with one start, or none, the smaller id owns")
def _(case: Case) -> None:
    for start in (5, 0, -3, None):
        for order in permutations(("a", "b", "数")):
            store = _with_sessions(case, dict.fromkeys(order, start))
            for session_id in order:
                append(store, replace(next_page(store, session_id), opened=(row(0, name="same"),)))
            expect_equal(f"{order}", owned_of(store), {"a": (1, 10), "b": (0, 0), "数": (0, 0)})


@check("an instant before the epoch starts earlier than none and than the epoch")
def _(case: Case) -> None:
    store = _with_sessions(case, {"none": None, "epoch": 0, "before": -1})
    for session_id in ("none", "epoch", "before"):
        append(store, replace(next_page(store, session_id), opened=(row(0, name="same"),)))
    expect_equal("owned", owned_of(store), {"before": (1, 10), "epoch": (0, 0), "none": (0, 0)})
    with store.snapshot() as reader:
        order = [each.session_id for each in reader.sessions()]
    expect_equal("order of sessions", order, ["before", "epoch", "none"])


@check("when the owner's message dies, the next session owns it")
def _(case: Case) -> None:
    store = _with_sessions(case, {"first": 1, "second": 2, "third": 3})
    for session_id in ("third", "first", "second"):
        append(store, replace(next_page(store, session_id), opened=(row(0, name="same"),)))
    dead = (Standing(first=0, last=0, live=False),)
    for session_id, owned in [
        ("second", {"first": (1, 10), "second": (0, 0), "third": (0, 0)}),
        ("first", {"first": (0, 0), "second": (0, 0), "third": (1, 10)}),
        ("third", {"first": (0, 0), "second": (0, 0), "third": (0, 0)}),
    ]:
        append(store, replace(next_page(store, session_id), standings=dead))
        expect_equal(f"owned after {session_id}", owned_of(store), owned)


@check("growth counts for the owner alone")
def _(case: Case) -> None:
    store = _with_sessions(case, {"first": 1, "second": 2})
    for session_id in ("second", "first"):
        append(store, replace(next_page(store, session_id), opened=(row(0, name="same"),)))
    grown = (Growth(position=0, length=5),)
    append(store, replace(next_page(store, "second"), grown=grown))
    expect_equal("the other grew", owned_of(store), {"first": (1, 10), "second": (0, 0)})
    append(store, replace(next_page(store, "first"), grown=grown))
    expect_equal("the owner grew", owned_of(store), {"first": (1, 15), "second": (0, 0)})
    append(
        store,
        replace(next_page(store, "first"), standings=(Standing(first=0, last=0, live=False),)),
    )
    expect_equal("with its growth", owned_of(store), {"first": (0, 0), "second": (1, 15)})


@check("a session owns all its messages of one identity")
def _(case: Case) -> None:
    store = _with_sessions(case, {"first": 1, "second": 2})
    twins = (row(0, name="same", length=1), row(1, name="same", length=2))
    append(store, replace(next_page(store, "second"), opened=(*twins, row(2, name="own"))))
    expect_equal("alone", owned_of(store), {"first": (0, 0), "second": (3, 13)})
    append(store, replace(next_page(store, "first"), opened=twins))
    expect_equal("both", owned_of(store), {"first": (2, 3), "second": (1, 10)})
    append(
        store,
        replace(next_page(store, "first"), standings=(Standing(first=1, last=1, live=False),)),
    )
    expect_equal("one twin dead", owned_of(store), {"first": (1, 1), "second": (1, 10)})


@check("a message opened, grown and dead in one page counts for nobody")
def _(case: Case) -> None:
    store = _with_sessions(case, {"first": 1, "second": 2})
    append(store, replace(next_page(store, "second"), opened=(row(0, name="same"),)))
    page = replace(
        next_page(store, "first"),
        opened=(row(0, name="same"), row(1, name="other")),
        grown=(Growth(position=0, length=5), Growth(position=1, length=1)),
        standings=(Standing(first=0, last=0, live=False),),
    )
    append(store, page)
    expect_equal("owned", owned_of(store), {"first": (1, 11), "second": (1, 10)})
