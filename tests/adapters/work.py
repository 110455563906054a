"""A small import that goes on from whatever is there: what programs do when they are killed."""

from msgspec.structs import replace

from recense.conformance.material import (
    SOURCE,
    append,
    archive,
    arrive,
    birth,
    event,
    mark,
    next_page,
    record,
    row,
    streams_of,
)
from recense.core.transcript.records import SessionFacts
from recense.limits import CHUNK_BYTES
from recense.ports.transcripts import TranscriptStore

SESSIONS = ("early", "late")
STARTS = {"early": 1, "late": 2}
PAGES = 3
RECORDS_A_PAGE = 4
PATH = "/home/ada/one.jsonl"
OTHER_PATH = "/home/ada/two.jsonl"


def work(store: TranscriptStore) -> None:
    """Archive three pages, convert two sessions, stream, hide, forget, note the file.

    What is done is not done again.
    """
    store.open_session(birth("late", 2), SessionFacts(title="Garden", title_rank=3))
    _archive_pages(store)
    for session_id in ("late", "early"):
        _convert(store, session_id)
    _stream(store)
    store.set_private("late", private=True)
    with store.snapshot() as reader:
        is_new = reader.file(SOURCE, OTHER_PATH) is None
    if is_new:
        archive(store, [record("unwanted", 0)], path=OTHER_PATH)
    store.forget(["unwanted"])
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


def _stream(store: TranscriptStore) -> None:
    """Let a text arrive in two parts, and one that is completed; neither is begun again."""
    _arrive_whole(store, "reply", "deploy in progress")
    with store.snapshot() as reader:
        if reader.known_event_ids("late", ["aside"]):
            return
    _arrive_whole(store, "aside", "good morning")
    page = next_page(store, "late")
    append(store, replace(page, events=(event("aside"),), ended_streams=("aside",)))


def _arrive_whole(store: TranscriptStore, key: str, text: str) -> None:
    for end in (len(text) // 2, len(text)):
        held = {each.stream_key: len(each.text) for each in streams_of(store, "late")}.get(key, 0)
        if held < end:
            arrive(store, "late", key, text[held:end])


def _body(place: int) -> bytes:
    return "数据 ".encode() * CHUNK_BYTES if place == 1 else b'{"says":%d}' % place
