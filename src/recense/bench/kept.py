"""What a store holds, as benchmarks look at it: every message that a term may hit.

Law: it is read from the ledger through the projection, and no index has a part in it, so that an
answer can be held against it.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from recense.core.ids import anchor
from recense.core.transcript.messages import LoadedSession, can_match, visible_text
from recense.core.transcript.records import Session
from recense.core.transcript.visible import image
from recense.core.values import Value
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.conversion import Load, load_session
from recense.settings.loading import load_settings
from recense.testing.chance import SeededChance
from recense.wiring import load_importers, open_stores


class KeptMessage(Value, kw_only=True):
    """One message: its anchor, its visible text, and the image in which terms are looked for."""

    session: str
    turn: str
    anchor: str
    text: str
    image: str


class OpenedStore(Value, kw_only=True):
    """A store that is open, and what loads its sessions; ``path`` is its file."""

    store: TranscriptStore
    load: Load
    path: str


@contextmanager
def opened(path: str) -> Generator[OpenedStore]:
    """Open the store in a file that a memory made; no setting of this machine reaches it."""
    folder = os.path.dirname(path)
    settings = load_settings({"store": path}, {}, folder, folder)
    store = open_stores(settings, create=False, chance=SeededChance()).transcripts
    importers = load_importers().working

    def load(reader: TranscriptReader, session: Session) -> LoadedSession:
        return load_session(reader, session, importers)

    try:
        yield OpenedStore(store=store, load=load, path=path)
    finally:
        store.close()


def kept_messages(source: OpenedStore) -> Iterator[KeptMessage]:
    """Yield the messages of every session, by the sessions' start and their own order."""
    with source.store.snapshot() as reader:
        for session in reader.sessions():
            for message in source.load(reader, session).transcript.messages:
                if can_match(message):
                    yield KeptMessage(
                        session=session.session_id,
                        turn=message.turn,
                        anchor=anchor(session.session_id, message.event_id),
                        text=visible_text(message),
                        image=image(message.runs),
                    )
