"""The one door by which the holder of an agent writes.

Laws: whoever holds the lease is alone, so where the agent stands need not be read again between two
writes; after a write that failed it is, for the write may have been kept all the same. A lease that
was deferred is taken before the first write, and then where the agent stands is read anew.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from recense.errors import LeaseLost
from recense.limits import TURNS_INDEXED_TOGETHER
from recense.services.agent_records import Head, first_head, head_records, read_head
from recense.services.agent_store import AgentDraft, AgentStore
from recense.services.held_lease import HeldLease


class AgentWriter:
    """Writes as one agent; its methods may be called by any thread, one writes at a time."""

    def __init__(self, store: AgentStore, lease: HeldLease, agent: str) -> None:
        self.store: Final = store
        self.lease: Final = lease
        self.agent: Final = agent
        self._lock: Final = threading.RLock()
        self._head: Head | None = None

    def take(self) -> Head:
        """Return where the agent stands, with the lease taken and its holder written down. Raises
        LeaseHeld.
        """
        with self._lock:
            lease = self.lease.acquire()
            try:
                head = self._read()
                head = replace(
                    head,
                    epoch=lease.epoch,
                    holder=self.lease.holder,
                    session=self.store.current_session(head),
                )
                with self._losing():
                    self.store.records.fenced_put(lease, head_records(head))
            except BaseException:
                self.lease.release()
                raise
            self._head = head
            return head

    @contextmanager
    def writing(self) -> Generator[AgentDraft]:
        """Give what is to be written, and write it in one commit when the block ends; a block that
        raises, or puts nothing into it, writes nothing.

        Raises LeaseLost, which names the agent, who had it and who has it; LeaseHeld when a lease
        that was deferred is another's by now; NotFound for events of a session that was forgotten
        or closed since the agent resumed.
        """
        with self._lock:
            if not self.lease.is_taken:
                self.take()
            with self._losing():
                lease = self.lease.required()
            head, self._head = self._head or self._read(), None
            draft = AgentDraft(head, self.store.clock.now())
            try:
                yield draft
            except BaseException:
                self._head = head
                raise
            if draft.is_empty:
                self._head = head
                return
            with self._losing():
                self.store.keep(lease, draft)
            self._head = draft.head
            if draft.head.turns // TURNS_INDEXED_TOGETHER > head.turns // TURNS_INDEXED_TOGETHER:
                self.store.index(head.session)

    @contextmanager
    def _losing(self) -> Generator[None]:
        """Give up for good when the store says that the lease is lost."""
        try:
            yield
        except LeaseLost as error:
            if not self.lease.is_lost:
                self.lease.lose(error.message)
            newest = self._read()
            lost = self.lease.lost_error()
            raise LeaseLost(
                f"{lost.message}; epoch {newest.epoch} is that of {newest.holder!r}",
                hint=lost.hint,
            ) from error

    def _read(self) -> Head:
        with self.store.reading() as reader:
            return read_head(reader, self.agent) or first_head(self.agent)
