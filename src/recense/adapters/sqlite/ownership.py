"""Ownership: who counts a message that several sessions hold.

Law: of the sessions with a live row of an identity, the one that starts first owns it, and all its
rows of it; a row without an identity is its own session's. A session's owned counters are the
number and length of the rows it owns. They are kept by difference: what the identities that a page
touches gave to each session before it, and what they give after it. The sum over all pages is what
counting anew would find, in whatever order the sessions came.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from recense.adapters.sqlite.driver import Connection
from recense.core.transcript.records import start_key
from recense.core.values import Value
from recense.ports.commits import MessageRow


class Amount(Value, kw_only=True):
    """A number of messages and their length in code points; it may be a difference."""

    messages: int = 0
    length: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(messages=self.messages + other.messages, length=self.length + other.length)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(messages=self.messages - other.messages, length=self.length - other.length)


def owned_differences(
    connection: Connection,
    key: int,
    before: Iterable[MessageRow],
    after: Iterable[MessageRow],
) -> Mapping[int, Amount]:
    """Return what changes in each session's owned counters when rows of session ``key`` change.

    ``before`` are the rows as the tables hold them at this moment, ``after`` the same rows and new
    ones as they are about to be. Sessions whose counters stay are left out.
    """
    unshared_before, shared_before = _by_identity(before)
    unshared_after, shared_after = _by_identity(after)
    differences: defaultdict[int, Amount] = defaultdict(Amount)
    differences[key] = unshared_after - unshared_before
    starts = _Starts(connection)
    for identity, holders in _held(connection, shared_before.keys() | shared_after.keys()).items():
        if not holders:  # nearly all: nobody had it
            differences[key] += shared_after[identity]
            continue
        owner = starts.earliest(holders)
        differences[owner] -= holders[owner]
        here = holders.get(key, Amount()) - shared_before[identity] + shared_after[identity]
        remaining = {**holders, key: here}
        if not here.messages:
            del remaining[key]
        if remaining:
            owner = starts.earliest(remaining)
            differences[owner] += remaining[owner]
    return {holder: change for holder, change in differences.items() if change != Amount()}


class _Starts:
    """When sessions started, read once each."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection
        self._known: Final[dict[int, tuple[bool, int, str]]] = {}

    def earliest(self, keys: Iterable[int]) -> int:
        """Return the key of the session that starts first."""
        return min(keys, key=self._start)

    def _start(self, key: int) -> tuple[bool, int, str]:
        if key not in self._known:
            ((created_at, session_id),) = self._connection.execute(
                "SELECT created_at, session_id FROM sessions WHERE session_key = ?", (key,)
            )
            self._known[key] = start_key(created_at, session_id)
        return self._known[key]


def _by_identity(rows: Iterable[MessageRow]) -> tuple[Amount, defaultdict[bytes, Amount]]:
    """Return how much of live rows has no identity, and how much each identity has."""
    unshared = Amount()
    shared: defaultdict[bytes, Amount] = defaultdict(Amount)
    for row in rows:
        amount = Amount(messages=1, length=row.length) if row.live else Amount()
        if row.identity is None:
            unshared += amount
        else:
            shared[row.identity] += amount
    return unshared, shared


def _held(connection: Connection, identities: Iterable[bytes]) -> dict[bytes, dict[int, Amount]]:
    """Return who holds how much of each identity; one that nobody holds is there with nobody.

    Rows are added up here: nearly all identities have none, and for the engine to add up nothing
    took six times as long as to find that.
    """
    held: dict[bytes, dict[int, Amount]] = {identity: {} for identity in identities}
    rows = connection.executemany(
        "SELECT identity, session_key, length FROM messages WHERE identity = ? AND live = 1",
        ((identity,) for identity in held),
    )
    for identity, holder, length in rows:
        holders = held[identity]
        holders[holder] = holders.get(holder, Amount()) + Amount(messages=1, length=length)
    return held
