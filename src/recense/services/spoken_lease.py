"""A lease whose holder is elsewhere and speaks through a server: each of its calls names the epoch.

Laws: the store alone says whether a lease holds, so a server that begins anew, and another on the
same store, know as much as the one that gave it. It is renewed when its holder speaks, and by
nothing else: whoever is silent for its time has lost it, and is told so. The epoch keeps a holder
of before from writing. It is no secret: who took it is remembered beside it, and
`recense.services.agent_calls` keeps everybody else out.
"""

from typing import Final

from recense.errors import LeaseLost
from recense.limits import LEASE_RENEWED_AT
from recense.ports.records import GrantedLease, Lease, RecordStore
from recense.services.held_lease import taken


class SpokenLease:
    """One lease, for as long as one call takes; see `recense.services.agent_writer.WriterLease`."""

    def __init__(
        self,
        records: RecordStore,
        *,
        name: str,
        what: str,
        again: str,
        epoch: int = 0,
        holder: str = "",
        ttl_ms: int = 0,
    ) -> None:
        """Either with the ``epoch`` that the call names, or with who is to hold it and for how
        long.
        """
        self._records: Final = records
        self._name: Final = name
        self._what: Final = what
        self._again: Final = again
        self._ttl_ms: Final = ttl_ms
        self._epoch = epoch
        self._lost_because = ""
        self.holder: Final = holder

    @property
    def epoch(self) -> int:
        """The epoch that the call names, or was given."""
        return self._epoch

    @property
    def is_taken(self) -> bool:
        """Whether there is an epoch; it may be another's by now."""
        return self._epoch != 0

    @property
    def is_lost(self) -> bool:
        """Whether the store said that the epoch is over."""
        return bool(self._lost_because)

    def acquire(self) -> Lease:
        """Take the lease, and return it. Raises LeaseHeld, which says who has it and for how
        long.
        """
        lease = taken(self._records, self._name, self.holder, ttl_ms=self._ttl_ms, what=self._what)
        self._epoch = lease.epoch
        return lease

    def required(self) -> Lease:
        """Return the lease for a write: renewed, since its holder has spoken, where a third of its
        time is over. Raises LeaseLost.
        """
        return self._held(LEASE_RENEWED_AT)

    def renew(self) -> None:
        """Let the lease hold for its time from now. Raises LeaseLost."""
        self._held(0)

    def lose(self, reason: str) -> None:
        """Give the lease up, and say why."""
        self._lost_because = self._lost_because or reason

    def lost_error(self) -> LeaseLost:
        """Return the error for a call that names an epoch which does not hold."""
        return LeaseLost(
            f"{self._what} is not held under epoch {self._epoch}: {self._lost_because}",
            hint=f"nothing of this call was kept; {self._again} again to go on from what is",
        )

    def of_another(self) -> LeaseLost:
        """Return the error for a call by another than who took the lease: that it is over, where it
        is.
        """
        newest = self._records.newest_lease(self._name)
        if newest is None or newest.lease.epoch != self._epoch or not newest.left_ms:
            return self._not_held(newest)
        self.lose("it is another caller who took it")
        return self.lost_error()

    def release(self) -> None:
        """Give the lease back. What is over already stays so. Raises LeaseLost where another has
        it, and for an epoch that nobody was given.
        """
        newest = self._records.newest_lease(self._name)
        if newest is not None and newest.lease.epoch == self._epoch:
            self._records.release(newest.lease)
        elif newest is None or newest.left_ms or newest.lease.epoch < self._epoch:
            raise self._not_held(newest)

    def _held(self, renewed_at: float) -> Lease:
        newest = self._records.newest_lease(self._name)
        if newest is None or newest.lease.epoch != self._epoch or not newest.left_ms:
            raise self._not_held(newest)
        lease = newest.lease
        if lease.ttl_ms - newest.left_ms >= renewed_at * lease.ttl_ms:
            self._records.renew(lease)
        return lease

    def _not_held(self, newest: GrantedLease | None) -> LeaseLost:
        self.lose(_why_not(newest, self._epoch))
        return self.lost_error()


def _why_not(newest: GrantedLease | None, epoch: int) -> str:
    if newest is None or newest.lease.epoch < epoch:
        return "nobody was given that epoch"
    if newest.lease.epoch == epoch:
        return "it was given back, or its time is over"
    if not newest.left_ms:
        return "another had it since"
    return f"{newest.lease.holder!r} has it for another {newest.left_ms} ms"
