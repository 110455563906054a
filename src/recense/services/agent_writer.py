"""The one door by which the holder of an agent writes.

Laws: whoever holds the lease is alone, so where the agent stands need not be read again between two
writes; after a write that failed it is, for the write may have been kept all the same. A lease that
was deferred is taken before the first write, and then where the agent stands is read anew. A holder
that speaks through servers may do so twice at once: a commit is kept only on what it was decided
by, and a StoreConflict says that it was not.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Protocol

from msgspec.structs import replace

from recense.errors import LeaseLost
from recense.limits import TURNS_INDEXED_TOGETHER
from recense.ports.records import Lease
from recense.services.agent_records import Head, SeenHead, head_record, head_records, read_seen_head
from recense.services.agent_store import AgentDraft, AgentStore


class WriterLease(Protocol):
    """The lease under which an agent is written: `recense.services.held_lease.HeldLease` of who
    is in this process, `recense.services.spoken_lease.SpokenLease` of who is elsewhere.
    """

    @property
    def holder(self) -> str:
        """Who holds it, for others to read."""
        ...

    @property
    def epoch(self) -> int:
        """Its epoch; 0 where it was not taken."""
        ...

    @property
    def is_taken(self) -> bool:
        """Whether it was taken; it may have been lost since."""
        ...

    @property
    def is_lost(self) -> bool:
        """Whether it is known to be this holder's no more."""
        ...

    def acquire(self) -> Lease:
        """Take it, and return it. Raises LeaseHeld."""
        ...

    def required(self) -> Lease:
        """Return it for a write, renewed if that is due. Raises LeaseLost."""
        ...

    def renew(self) -> None:
        """Let it hold for its time from now. Raises LeaseLost."""
        ...

    def lose(self, reason: str) -> None:
        """Give it up for good, and say why."""
        ...

    def lost_error(self) -> LeaseLost:
        """Return the error for who has lost it."""
        ...

    def release(self) -> None:
        """Give it back. A second call does nothing."""
        ...


class AgentWriter:
    """Writes as one agent; its methods may be called by any thread, one writes at a time."""

    def __init__(
        self,
        store: AgentStore,
        lease: WriterLease,
        agent: str,
        *,
        taker: str = "",
        seen: SeenHead | None = None,
    ) -> None:
        """``taker`` is who takes the lease, by what a server knows of its caller. ``seen`` is where
        the agent stood a moment ago, for a writer whose lease is taken already.
        """
        self.store: Final = store
        self.lease: Final = lease
        self.agent: Final = agent
        self._lock: Final = threading.RLock()
        self._taker: Final = taker
        self._seen = seen

    def take(self) -> Head:
        """Return where the agent stands, with the lease taken and its holder written down. Raises
        LeaseHeld.
        """
        with self._lock:
            lease = self.lease.acquire()
            try:
                head = self._read().head
                head = replace(
                    head,
                    epoch=lease.epoch,
                    holder=self.lease.holder,
                    taker=self._taker,
                    session=self.store.current_session(head),
                )
                with self.losing():
                    self.store.records.fenced_put(lease, head_records(head))
            except BaseException:
                self.lease.release()
                raise
            self._seen = SeenHead(head=head, record=head_record(head))
            return head

    @contextmanager
    def writing(self) -> Generator[AgentDraft]:
        """Give what is to be written, and write it in one commit when the block ends; a block that
        raises, or puts nothing into it, writes nothing.

        Raises LeaseLost, which names the agent, who had it and who has it; LeaseHeld when a lease
        that was deferred is another's by now; StoreConflict when the same holder wrote meanwhile
        by another way; NotFound for events of a session that was forgotten or closed since the
        agent resumed.
        """
        with self._lock:
            if not self.lease.is_taken:
                self.take()
            with self.losing():
                lease = self.lease.required()
            seen, self._seen = self._seen or self._read(), None
            draft = AgentDraft(seen, self.store.clock.now())
            try:
                yield draft
            except BaseException:
                self._seen = seen
                raise
            if draft.is_empty:
                self._seen = seen
                return
            with self.losing():
                self.store.keep(lease, draft)
            self._seen = SeenHead(head=draft.head, record=head_record(draft.head))
            before, after = seen.head.turns, draft.head.turns
            if after // TURNS_INDEXED_TOGETHER > before // TURNS_INDEXED_TOGETHER:
                self.store.index(draft.head.session)

    @contextmanager
    def losing(self) -> Generator[None]:
        """Give up for good when the store says that the lease is lost: who has it now is said in
        the LeaseLost that passes.
        """
        try:
            yield
        except LeaseLost as error:
            if not self.lease.is_lost:
                self.lease.lose(error.message)
            newest = self._read().head
            lost = self.lease.lost_error()
            whose = f"; epoch {newest.epoch} is that of {newest.holder!r}" if newest.epoch else ""
            raise LeaseLost(f"{lost.message}{whose}", hint=lost.hint) from error

    def _read(self) -> SeenHead:
        with self.store.reading() as reader:
            return read_seen_head(reader, self.agent)
