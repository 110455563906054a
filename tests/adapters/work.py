"""A small import that goes on from whatever is there: what programs do when they are killed."""

from msgspec.structs import replace

from recense.conformance.material import (
    SOURCE,
    append,
    archive,
    birth,
    event,
    mark,
    next_page,
    record,
    row,
)
from recense.core.transcript.records import SessionFacts
from recense.limits import CHUNK_BYTES
from recense.ports.transcripts import TranscriptStore

SESSIONS = ("early", "late")
STARTS = {"early": 1, "late": 2}
PAGES = 3
RECORDS_A_PAGE = 4
PATH = "/home/ada/one.jsonl"


def work(store: TranscriptStore) -> None:
    """Archive three pages, convert two sessions, note the file; what is done is not done again."""
    store.open_session(birth("late", 2), SessionFacts(title="Garden", title_rank=3))
    _archive_pages(store)
    for session_id in ("late", "early"):
        _convert(store, session_id)
    with store.snapshot() as reader:
        file = reader.file(SOURCE, PATH)
    if file is not None and not file.reason:
        store.note_file(file, replace(file, reason="read to its end"))


def _archive_pages(store: TranscriptStore) -> None:
    births = [birth(name, start) for name, start in STARTS.items()]
    for page in range(PAGES):
        with store.snapshot() as reader:
            there = sum(each.records for each in reader.sessions())
        if there >= (page + 1) * RECORDS_A_PAGE * len(SESSIONS):
            continue
        places = range(page * RECORDS_A_PAGE, (page + 1) * RECORDS_A_PAGE)
        records = [
            record(name, place, name=f"shared {place}", body=_body(place))
            for place in places
            for name in SESSIONS
        ]
        archive(store, records, births=births, path=PATH)


def _convert(store: TranscriptStore, session_id: str) -> None:
    while True:
        with store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or session.converted_through == session.records:
                return
            done = session.converted_through
            records = reader.records(session_id, done, 3, 10_000_000)
        places = [each.position for each in records]
        page = replace(
            next_page(store, session_id),
            events=tuple(event(f"{session_id} {place}") for place in places),
            opened=tuple(row(place, name=f"shared {place}", length=place) for place in places),
            conversion=mark(done + len(records)),
        )
        append(store, page)


def _body(place: int) -> bytes:
    return "数据 ".encode() * CHUNK_BYTES if place == 1 else b'{"says":%d}' % place
