"""Restarting a conversion: what was derived goes, what was archived stays."""

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    contents,
    event,
    mark,
    next_page,
    owned_of,
    record,
    records_of,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, expect_raises
from recense.core.transcript.records import SessionFacts
from recense.errors import NotFound
from recense.ports.commits import KeepSource
from recense.ports.transcripts import TranscriptStore


def _converted(store: TranscriptStore, session_id: str, keep_source: KeepSource) -> None:
    archive(store, [record(session_id, number) for number in range(3)], path=session_id)
    page = replace(
        next_page(store, session_id),
        events=(event("one"), event("two")),
        opened=(row(0, name="shared", length=5), row(1, length=7)),
        facts=SessionFacts(title="Garden", workspace="/work"),
        conversion=mark(2, keep_source),
    )
    append(store, page)


@check("a restarted conversion leaves the archive, and the session as it was before it")
def _(case: Case) -> None:
    store, fresh = case.subject(), case.reference()
    _converted(store, "alpha", "compressed")
    archive(fresh, [record("alpha", number) for number in range(3)], path="alpha")
    version = session_of(store, "alpha").importer_version
    expect_equal("messages taken back", store.restart("alpha", version), 2)
    expect_equal("contents", contents(store), contents(fresh))
    expect_equal("records", records_of(store, "alpha"), records_of(fresh, "alpha"))
    append(store, replace(next_page(store, "alpha"), events=(event("one"),), conversion=mark(1)))
    expect_equal("converted anew", session_of(store, "alpha").converted_through, 1)
    expect_equal("faults", list(store.check()), [])


@check("the next session owns what a restarted one no longer holds")
def _(case: Case) -> None:
    store = case.subject()
    for session_id in ("alpha", "beta"):
        _converted(store, session_id, "compressed")
    expect_equal("before", owned_of(store), {"alpha": (2, 12), "beta": (1, 7)})
    taken = store.restart("alpha", session_of(store, "alpha").importer_version)
    expect_equal("messages taken back, but for what another holds", taken, 1)
    expect_equal("after", owned_of(store), {"alpha": (0, 0), "beta": (2, 12)})


@check("what another version converted, what was dropped and what was never archived stay")
def _(case: Case) -> None:
    store = case.subject()
    _converted(store, "alpha", "drop")
    with store.snapshot() as reader:
        expect("records were dropped", holds=not reader.is_whole("alpha"))
    before = contents(store)
    version = session_of(store, "alpha").importer_version
    expect_equal("of dropped records", store.restart("alpha", version), None)
    _converted(store, "beta", "compressed")
    expect_equal("of another version", store.restart("beta", version + 1), None)
    store.forget(["beta"])
    expect_equal("alpha", contents(store)["sessions"], before["sessions"])
    expect_raises("of nobody", NotFound, lambda: store.restart("nobody", version))
