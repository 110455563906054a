"""Holding a lease: taking it, keeping it, and knowing when it is lost.

Laws: the moment from which a lease counts is taken before the request for it leaves, so that the
holder never believes in it for longer than the store does. It is renewed when a third of its time
is over; renewals may fail until two thirds are, and then the holder gives up, while nobody else can
have begun. What is lost stays lost: who wants to go on resumes, and reads what happened meanwhile.
A lease is that of the process that took it: one that is forked from that has no part in it, for two
that write under one epoch would be two holders.
That a write is late is found by the store all the same, in the transaction of the write; what is
known here spares the attempt.
"""

import os
import threading
from collections.abc import Callable
from typing import Final

from recense.errors import LeaseHeld, LeaseLost, StoreFault
from recense.limits import LEASE_LOOKS, LEASE_RENEWED_AT, LEASE_TOLERATED_TO
from recense.ports.clock import Clock
from recense.ports.records import Lease, RecordStore


class HeldLease:
    """One lease; its methods may be called by any thread."""

    def __init__(
        self,
        records: RecordStore,
        clock: Clock,
        *,
        name: str,
        what: str,
        again: str,
        holder: str,
        ttl_ms: int,
    ) -> None:
        """``name`` is the lease's. In errors ``what`` says what is held by it, and ``again`` how to
        take it again.
        """
        self._records: Final = records
        self._clock: Final = clock
        self._name: Final = name
        self._what: Final = what
        self._again: Final = again
        self.holder: Final = holder
        self._ttl_ms: Final = ttl_ms
        self._lock: Final = threading.RLock()
        self._lease: Lease | None = None
        self._granted_ms = 0.0
        self._process_id = 0
        self._lost_because = ""
        self._is_over: Final = threading.Event()

    @property
    def is_taken(self) -> bool:
        """Whether the lease was taken; it may have been lost since."""
        return self._lease is not None

    @property
    def is_lost(self) -> bool:
        """Whether the lease is this holder's no more: lost, or given back."""
        return bool(self._lost_because) or self._is_of_another_process()

    @property
    def epoch(self) -> int:
        """The epoch of the lease; 0 where it was not taken."""
        return 0 if self._lease is None else self._lease.epoch

    def acquire(self) -> Lease:
        """Return the lease, taken now, and keep it from now on. Raises LeaseHeld, which names the
        agent, who has it and for how long.
        """
        with self._lock:
            self._require_not_lost()
            asked_ms = self._clock.elapsed_ms()
            lease = taken(
                self._records, self._name, self.holder, ttl_ms=self._ttl_ms, what=self._what
            )
            self._lease, self._granted_ms = lease, asked_ms
            self._process_id = os.getpid()
        threading.Thread(
            target=keep_renewed,
            args=(self.keep, self._is_over, self._ttl_ms / LEASE_LOOKS / 1_000),
            name=f"lease of {self._what}",
            daemon=True,
        ).start()
        return lease

    def required(self) -> Lease:
        """Return the lease for a write, renewed if that is due. Raises LeaseLost."""
        self._require_not_forked()
        self.keep()
        with self._lock:
            self._require_not_lost()
            if self._lease is None:
                raise LeaseLost(f"{self._what} is not held", hint=f"{self._again} before writing")
            return self._lease

    def keep(self) -> bool:
        """Renew the lease if a third of its time is over, and return whether it is held.

        A renewal that fails for another reason than that the lease is lost is tolerated until two
        thirds of its time are over.
        """
        with self._lock:
            if self._lease is None or self._lost_because or self._is_over.is_set():
                return False
            if self._since_granted_ms() >= LEASE_RENEWED_AT * self._ttl_ms:
                self._renew(self._lease)
            return not self._lost_because

    def renew(self) -> None:
        """Let the lease hold for its time from now; nothing while it is not taken. Raises LeaseLost
        when it is lost.
        """
        self._require_not_forked()
        with self._lock:
            self._require_not_lost()
            if self._lease is not None:
                self._renew(self._lease)
            self._require_not_lost()

    def lose(self, reason: str) -> None:
        """Give up the lease for good, and say why."""
        with self._lock:
            self._lost_because = self._lost_because or reason
            self._is_over.set()

    def release(self) -> None:
        """Give the lease back; what was lost stays lost. A second call does nothing, nor does one
        by a process that is forked from the holder's.
        """
        if self._is_of_another_process():
            return
        with self._lock:
            if self._is_over.is_set():
                return
            self.lose("it was given back")
            if self._lease is not None:
                self._records.release(self._lease)

    def lost_error(self) -> LeaseLost:
        """Return the error for a write of who has lost the lease."""
        return LeaseLost(
            f"{self._what} is no longer held by {self.holder!r} (epoch {self.epoch}): "
            f"{self._lost_because}",
            hint=f"nothing of this call was kept; {self._again} again to go on from what is",
        )

    def _renew(self, lease: Lease) -> None:
        asked_ms = self._clock.elapsed_ms()
        try:
            self._records.renew(lease)
        except LeaseLost as error:
            self.lose(error.message)
        except StoreFault as error:
            if self._since_granted_ms() >= LEASE_TOLERATED_TO * self._ttl_ms:
                self.lose(f"it could not be renewed in time: {error.message}")
        else:
            self._granted_ms = asked_ms

    def _is_of_another_process(self) -> bool:
        return self._lease is not None and self._process_id != os.getpid()

    def _require_not_forked(self) -> None:
        """Raise LeaseLost in a process that is forked from the holder's; takes no lock, for
        a thread that is not here may have had it.
        """
        if self._is_of_another_process():
            self._lost_because = (
                f"process {self._process_id} took it, and this one is forked from that"
            )
            raise self.lost_error()

    def _since_granted_ms(self) -> float:
        return self._clock.elapsed_ms() - self._granted_ms

    def _require_not_lost(self) -> None:
        if self._lost_because:
            raise self.lost_error()


def taken(records: RecordStore, name: str, holder: str, *, ttl_ms: int, what: str) -> Lease:
    """Return a lease, taken now. Raises LeaseHeld, which says ``what`` is held, who has it and for
    how long.
    """
    try:
        return records.acquire(name, holder, ttl_ms=ttl_ms)
    except LeaseHeld as error:
        raise LeaseHeld(
            f"{what} is taken: {error.message}",
            hint="wait until then, or end that process: it is free at once when its holder lets "
            "go of it, and else when the time is over",
        ) from error


def keep_renewed(keep: Callable[[], bool], is_over: threading.Event, every_seconds: float) -> None:
    """Renew a lease until it is over or lost: work of a thread, while its holder waits for a model
    or a tool.
    """
    while not is_over.wait(every_seconds) and keep():
        pass
