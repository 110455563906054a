"""What checks put into message indexes: a page for a session as it stands, made by hand."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    event,
    mark,
    next_page,
    record,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, expect, expect_equal
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.transcript.changes import Standing
from recense.ports.index import IndexPage, MessageImage, SessionImages
from recense.ports.transcripts import TranscriptStore

EVENTS: Final = 3
TEXTS: Final = ("good morning", "the fern needs water", "晚安")


def image(position: int, text: str = "good morning", *, live: bool = True) -> MessageImage:
    """Return what an index holds of a message with this folded text."""
    return MessageImage(
        position=position,
        ordinal=position,
        more_ordinals=(),
        turn="e0",
        kind="user",
        at=3_000,
        identity=None,
        live=live,
        echo=False,
        has_materials=False,
        length=len(text),
        redacted=None,
        image=text.encode(),
    )


def images(
    store: TranscriptStore,
    session_id: str,
    *rows: MessageImage,
    expected: int = 0,
    through: int | None = None,
    standings: Sequence[Standing] = (),
    is_readable: bool = True,
) -> SessionImages:
    """Return a page of images for a session as it stands, to its end or ``through`` an event."""
    session = session_of(store, session_id)
    end = session.events if through is None else through
    with store.snapshot() as reader:
        last = reader.events_at(session_id, [end - 1]) if end else []
    return SessionImages(
        session_id=session_id,
        expected_events=expected,
        through=end,
        last_event=(last[0].event_id, last[0].recorded_at) if last else None,
        importer_version=session.importer_version,
        state=f"after {end}".encode(),
        rows=rows,
        standings=tuple(standings),
        is_readable=is_readable,
    )


def page_of(*sessions: SessionImages) -> IndexPage:
    """Return one commit of indexing by the rules of this release."""
    return IndexPage(
        index_version=INDEX_VERSION, redaction_version=REDACTION_VERSION, sessions=sessions
    )


def keeps_index(store: TranscriptStore) -> bool:
    """Whether a store keeps a message index at all."""
    with store.snapshot() as reader:
        return reader.message_index() is not None


def is_vouched(store: TranscriptStore, session_id: str) -> bool:
    """Whether the store's index answers for a session."""
    with store.snapshot() as reader:
        index = reader.message_index()
        return index is not None and index.vouched(session_id) is not None


def indexed_of(store: TranscriptStore, session_id: str) -> list[MessageImage]:
    """Return what the index holds of a session, by position; nothing where it does not know it."""
    with store.snapshot() as reader:
        index = reader.message_index()
        number = None if index is None else index.number(session_id)
        if index is None or number is None:
            return []
        found = (index.at(number, place.position) for place in index.after(number, -1))
        return [each for each in found if each is not None]


def offered_of(store: TranscriptStore, term: str) -> list[tuple[int, int]]:
    """Return number and position of what the index offers for a folded term, in order."""
    with store.snapshot() as reader:
        index = reader.message_index()
        if index is None:
            return []
        return sorted((number, each.position) for number, each in index.offered([term.encode()]))


def converted(store: TranscriptStore, session_id: str = "alpha") -> None:
    """Keep a session of one record, three events and three messages, all of it converted."""
    archive(store, [record(session_id, 0)], path=session_id)
    page = replace(
        next_page(store, session_id),
        events=tuple(event(f"{session_id} {n}") for n in range(EVENTS)),
        opened=tuple(row(n) for n in range(EVENTS)),
        conversion=mark(1),
    )
    append(store, page)


def whole_page(store: TranscriptStore, session_id: str = "alpha") -> IndexPage:
    """Return the page that indexes such a session to its end."""
    rows = (image(place, text) for place, text in enumerate(TEXTS))
    return page_of(images(store, session_id, *rows))


def indexed_store(case: Case, *session_ids: str) -> TranscriptStore | None:
    """Return a store whose sessions are indexed to their ends; None where it keeps no index."""
    store = case.subject()
    if not keeps_index(store):
        return None
    for session_id in session_ids or ("alpha",):
        converted(store, session_id)
        written = store.write_index(whole_page(store, session_id))
        expect_equal("written", written, frozenset({session_id}))
        expect(f"{session_id} is vouched for", holds=is_vouched(store, session_id))
    return store
