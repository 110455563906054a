"""Reading a state of the reference store; what can be counted is counted here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from recense.adapters.memory.state import Holding, State, identities
from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Session,
    is_settled,
    start_key,
    without_states,
)
from recense.core.transcript.totals import SessionFilter, SettledSessions, totals_of
from recense.core.transcript.visibility import is_hidden
from recense.ports.commits import ImportFile, MessageRow, OpenStream, SecretsFound


class MemoryReader:
    """A `recense.ports.transcripts.TranscriptReader` of one state."""

    def __init__(self, state: State) -> None:
        self._state: Final = state

    def sessions(self) -> Iterator[Session]:
        """Yield every session, by start."""
        for holding in sorted(
            self._state.holdings.values(),
            key=lambda each: start_key(each.session.created_at, each.session.session_id),
        ):
            yield self.complete(holding)

    def session(self, session_id: str) -> Session | None:
        """Return one session, or None."""
        holding = self._state.holdings.get(session_id)
        return None if holding is None else self.complete(holding)

    def outline(self, session_id: str) -> Session | None:
        """Return one session without its states, or None."""
        session = self.session(session_id)
        return None if session is None else without_states(session)

    def named(self, name: str) -> list[Session]:
        """Return the sessions of this name, by start, without their states."""
        return [
            without_states(session)
            for session in self.sessions()
            if name in (session.session_id, session.source_session_id)
        ]

    def settled(self, wanted: SessionFilter) -> SettledSessions:
        """Return what the counters of settled sessions say together."""
        every = {session.session_id: session for session in self.sessions()}
        seen = [session for session in every.values() if not is_hidden(session, every.get)]
        near = [each for each in seen if is_settled(each) and wanted.is_near(each)]
        return SettledSessions(
            totals=totals_of(each for each in near if wanted.passes(each)),
            left_out=Counter(each.origin for each in near if not wanted.passes(each)),
            hidden=len(every) - len(seen),
        )

    def waiting(self) -> Iterator[Session]:
        """Yield every session that waits, by start."""
        return (session for session in self.sessions() if not is_settled(session))

    def workspaces(self) -> list[str]:
        """Return the distinct workspaces of the settled sessions, in order."""
        return sorted(
            {
                session.workspace
                for session in self.sessions()
                if is_settled(session) and session.workspace is not None
            }
        )

    def message_index(self) -> None:
        """Return None: this store keeps no index."""

    def records(
        self, session_id: str, after: int, count_max: int, bytes_max: int
    ) -> list[ArchivedRecord]:
        """Return archived records in order, within the bounds."""
        found: list[ArchivedRecord] = []
        total = 0
        holding = self._state.holdings.get(session_id)
        if holding is None:
            return found
        for record in holding.records:
            if record.seq < after or record.seq in holding.dropped:
                continue
            total += len(record.record)
            if len(found) == count_max or (found and total > bytes_max):
                break
            found.append(record)
        return found

    def is_whole(self, session_id: str) -> bool:
        """Whether every archived record of the session still has its bytes."""
        holding = self._state.holdings.get(session_id)
        return holding is None or not holding.dropped

    def events(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the events of a session from an ordinal on."""
        holding = self._state.holdings.get(session_id)
        yield from holding.events[max(after, 0) :] if holding else ()

    def events_at(self, session_id: str, ordinals: Iterable[int]) -> list[Event]:
        """Return the events at these ordinals, in the order given."""
        held = list(self.events(session_id))
        return [held[ordinal] for ordinal in ordinals if 0 <= ordinal < len(held)]

    def may_hold(self, session_id: str, spellings: Sequence[bytes]) -> bool:
        """Return True: this store does not look."""
        return True

    def known_event_ids(self, session_id: str, event_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the given ids that the session holds."""
        return frozenset(event_ids) & {event.event_id for event in self.events(session_id)}

    def message_rows(self, session_id: str) -> Iterator[MessageRow]:
        """Yield the message rows of a session by position."""
        holding = self._state.holdings.get(session_id)
        yield from (holding.rows[position] for position in sorted(holding.rows)) if holding else ()

    def streams(self, session_id: str) -> list[OpenStream]:
        """Return the open streams of a session, by where and by what name they began."""
        holding = self._state.holdings.get(session_id)
        streams = holding.streams.values() if holding else ()
        return sorted(streams, key=lambda each: (each.after_ordinal, each.stream_key))

    def holders(self, session_ids: Iterable[str]) -> dict[str, int]:
        """Return the other sessions that hold records of these, and how many."""
        named = frozenset(session_ids)
        theirs = identities(self._state.holdings[name] for name in named & {*self._state.holdings})
        shared = {
            session_id: len(theirs & identities([holding]))
            for session_id, holding in self._state.holdings.items()
            if session_id not in named
        }
        return {session_id: count for session_id, count in shared.items() if count}

    def is_forgotten(self, session_id: str) -> bool:
        """Whether a tombstone names this session."""
        return self._state.is_forgotten(session_id)

    def secrets_found(self) -> Iterator[SecretsFound]:
        """Yield what the gate hid, by session and kind."""
        for session_id, holding in sorted(self._state.holdings.items()):
            for kind, count in sorted(holding.findings.items()):
                yield SecretsFound(session_id=session_id, kind=kind, count=count)

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of every source file, by source and path."""
        for _, file in sorted(self._state.files.items()):
            yield file

    def file(self, source: str, path: str) -> ImportFile | None:
        """Return the bookkeeping of one source file, or None."""
        return self._state.files.get((source, path))

    def failed_files(self) -> dict[str, int]:
        """Return how many files failed, by source."""
        return dict(Counter(file.source for file in self.files() if file.reason))

    def blob(self, sha256: str) -> bytes | None:
        """Return a blob's bytes, or None."""
        return self._state.blobs.get(sha256)

    def blob_ids(self) -> Iterator[str]:
        """Yield the SHA-256 of every blob, in order."""
        yield from sorted(self._state.blobs)

    def complete(self, holding: Holding) -> Session:
        """Return the session's row with its owned counters, counted anew."""
        owned = [
            row
            for row in holding.rows.values()
            if row.live
            and (row.identity is None or self._owners[row.identity] == _start_of(holding))
        ]
        return replace(
            holding.session,
            open_streams=len(holding.streams),
            owned_messages=len(owned),
            owned_length=sum(row.length for row in owned),
        )

    @cached_property
    def _owners(self) -> dict[bytes, tuple[bool, int, str]]:
        """Who owns each identity: the start of the earliest session with a live row of it."""
        owners: dict[bytes, tuple[bool, int, str]] = {}
        for holding in self._state.holdings.values():
            start = _start_of(holding)
            for row in holding.rows.values():
                if row.live and row.identity is not None:
                    owners[row.identity] = min(start, owners.get(row.identity, start))
        return owners


def _start_of(holding: Holding) -> tuple[bool, int, str]:
    return start_key(holding.session.created_at, holding.session.session_id)
