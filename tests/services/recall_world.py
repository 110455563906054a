"""A store by hand for tests of recall: sessions with their messages, and nothing else."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from msgspec.structs import replace

from recense.core.transcript.messages import LoadedSession, Message, Transcript, can_match
from recense.core.transcript.records import Counts, Origin, Session, is_settled
from recense.core.transcript.visible import image
from recense.errors import StoreFault
from recense.operations.texts import TextFact
from recense.ports.commits import ImportFile
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.recall import Recall

T0 = 1_700_000_000_000_000
SECOND = 1_000_000


def _unavailable_facts(_text: str | None) -> tuple[TextFact, ...]:
    raise StoreFault("this world keeps no facts")


class SteppingClock:
    """A clock on which a millisecond passes at each look."""

    def __init__(self) -> None:
        self._ms = 0.0

    def now(self) -> int:
        return T0

    def elapsed_ms(self) -> float:
        self._ms += 1.0
        return self._ms


def counted(messages: Sequence[Message]) -> tuple[int, int]:
    """Return how many messages can match, and the code points of their images."""
    live = [message for message in messages if can_match(message)]
    return len(live), sum(len(image(message.runs)) for message in live)


class World:
    """Sessions with their messages; it is the store, its reader, and what loads a session."""

    def __init__(self) -> None:
        self.rows: dict[str, Session] = {}
        self.messages: dict[str, tuple[Message, ...]] = {}
        self.failed: list[ImportFile] = []
        self.loaded: list[str] = []
        self.snapshots = 0
        self.is_complete: dict[str, Session] = {}

    def add(
        self,
        name: str,
        *messages: Message,
        start: int | None = T0,
        last: int | None = None,
        origin: Origin = "interactive",
        workspace: str | None = "/work/app",
        parent: str | None = None,
        private: bool = False,
        counts: Counts | None = None,
        owned: tuple[int, int] | None = None,
        title: str | None = None,
        source_path: str | None = None,
    ) -> None:
        """Add the session ``s:name`` with these messages, counted as conversion counts them."""
        held = counted(messages)
        owned_messages, owned_length = held if owned is None else owned
        row = Session(
            session_id=f"s:{name}",
            source="s",
            source_session_id=name,
            workspace=workspace,
            title=title,
            origin=origin,
            parent_session_id=parent,
            created_at=start,
            last_event_at=last,
            source_path=source_path,
            counts=counts or Counts(messages=held[0], length=held[1]),
            owned_messages=owned_messages,
            owned_length=owned_length,
            private=private,
        )
        self.rows[row.session_id] = row
        self.messages[row.session_id] = messages

    def __repr__(self) -> str:
        """Return what a failing example has to show."""
        rows = [
            f"{row.session_id} start={row.created_at} {row.origin} of={row.parent_session_id} "
            f"private={row.private} owned={row.owned_messages, row.owned_length}\n"
            + "\n".join(f"  {message}" for message in self.messages[row.session_id])
            for row in self.sessions()
        ]
        return "\n".join(rows)

    def recall(self, *sources: CandidateSource) -> Recall:
        """Return the service over this world; without sources it scans."""
        store = cast("TranscriptStore", self)
        return Recall(
            store,
            SteppingClock(),
            self.load,
            sources,
            lambda path: path == "/there",
            find_facts=_unavailable_facts,
            incognito=False,
        )

    def load(self, _reader: TranscriptReader, row: Session) -> LoadedSession:
        """Return a session as conversion in memory would complete it."""
        self.loaded.append(row.session_id)
        complete = self.is_complete.get(row.session_id, row)
        if row.converted_through < row.records:
            known = [each.at for each in self.messages[row.session_id] if each.at is not None]
            complete = replace(complete, last_event_at=max(known, default=None))
        return LoadedSession(
            session=complete,
            transcript=Transcript(messages=self.messages[row.session_id], counts=complete.counts),
            unconverted=row.records - row.converted_through,
        )

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Give a reader: this world does not change."""
        self.snapshots += 1
        yield cast("TranscriptReader", self)

    def sessions(self) -> Iterator[Session]:
        """Yield the rows by start, no instant last."""
        yield from sorted(
            self.rows.values(),
            key=lambda row: (row.created_at is None, row.created_at or 0, row.session_id),
        )

    def session(self, session_id: str) -> Session | None:
        """Return a row, or None."""
        return self.rows.get(session_id)

    def outline(self, session_id: str) -> Session | None:
        """Return a row, or None."""
        return self.rows.get(session_id)

    def named(self, name: str) -> list[Session]:
        """Return the rows of this name by start."""
        return [row for row in self.sessions() if name in (row.session_id, row.source_session_id)]

    def waiting(self) -> Iterator[Session]:
        """Yield the rows that wait for conversion, by start."""
        return (row for row in self.sessions() if not is_settled(row))

    def workspaces(self) -> list[str]:
        """Return the workspaces of the rows that do not wait."""
        return sorted({row.workspace for row in self.rows.values() if row.workspace is not None})

    def message_index(self) -> None:
        """Return None: this world keeps no index."""

    def failed_files(self) -> dict[str, int]:
        """Return how many files failed, by source."""
        return dict(Counter(file.source for file in self.failed if file.reason))

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of files."""
        yield from self.failed
