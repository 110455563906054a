"""What the state machine draws from: names, records, changes of the ledger.

The universe is small on purpose, so that calls meet: five sessions, two of one start and one of
none, a handful of identities, places, streams and files.
"""

import operator
from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st

from recense.conformance.material import (
    birth,
    blob_of,
    mark,
    record,
    row,
)
from recense.core.transcript.changes import Standing
from recense.core.transcript.records import Blob, Session, SessionBirth, SessionFacts
from recense.core.transcript.totals import SessionFilter
from recense.core.values import Value
from recense.limits import CHUNK_BYTES
from recense.ports.commits import ConversionMark, Growth, KeepSource, MessageRow, NewRecord

STARTS: Final[dict[str, int | None]] = {"a": 5, "b": 5, "c": None, "é": -1, "late": 1}
LATE: Final = "late"
NAMES: Final = ("n0", "n1", "n2", "n3")
BODIES: Final = {
    b"empty": b"",
    b"NUL": b"\x00",
    b"short": b'{"says":"good morning"}',
    b"compressible": b"word " * 200,
    b"long": "数据".encode() * (CHUNK_BYTES // 4),
}
"""What records say, by a name that Hypothesis can print."""

ARRIVALS: Final = {"nothing": "", "a word": "deploy ", "long": "数" * CHUNK_BYTES}
"""What arrives of streams, by a name likewise."""

PICTURES: Final = (b"", b"p" * (CHUNK_BYTES + 1))

FILTERS: Final = (
    SessionFilter(),
    SessionFilter(origins=frozenset({"interactive"})),
    SessionFilter(workspaces=frozenset({"/home/ada"})),
    SessionFilter(session_id="a", origins=frozenset({"headless"})),
)
"""Which sessions are summed up."""


def blobs_of(pictures: tuple[int, ...]) -> tuple[Blob, ...]:
    """Return pictures by their places."""
    return tuple(blob_of(PICTURES[each]) for each in pictures)


sessions = st.sampled_from((*STARTS, *(name for name in STARTS if name != LATE)))
maybe_names = st.none() | st.sampled_from(NAMES)
parents = st.sampled_from((None, None, "a"))
births: st.SearchStrategy[SessionBirth] = st.tuples(sessions, parents).map(
    lambda pair: birth(pair[0], STARTS[pair[0]], parent=pair[1])
)
pictures = st.lists(st.sampled_from(range(len(PICTURES))), max_size=2).map(tuple)
findings = st.lists(
    st.tuples(st.sampled_from(("password", "token")), st.integers(1, 3)), max_size=2
).map(tuple)
records: st.SearchStrategy[NewRecord] = st.builds(
    record,
    sessions,
    st.integers(0, 4),
    name=maybe_names,
    body=st.sampled_from(tuple(BODIES)),
    disposition=st.sampled_from(("parsed", "skipped", "bad")),
    blobs=st.just(()) | pictures.map(blobs_of),
    findings=findings,
)
facts: st.SearchStrategy[SessionFacts] = st.builds(
    SessionFacts,
    workspace=st.none() | st.just("/home/ada"),
    title=st.none() | st.sampled_from(("Garden", "Kitchen")),
    title_rank=st.integers(0, 3),
    origin=st.none() | st.sampled_from(("headless", "subagent")),
    parent_session_id=parents,
    revision_root=st.none() | st.just("a"),
    shelved=st.none() | st.booleans(),
)
lengths = st.integers(0, 30)
stream_keys = st.sampled_from(("reply", "reply", "aside"))
paths = st.sampled_from(("/one", "/two"))
rarely = st.sampled_from((False,) * 7 + (True,))
mostly = rarely.map(operator.not_)


class NewMessage(Value, kw_only=True):
    """A message row that is yet to be given its position."""

    name: str | None
    length: int
    live: bool


class Changes(Value, kw_only=True):
    """What a page of the ledger may bring besides its events."""

    opened: tuple[NewMessage, ...]
    grown: tuple[Growth, ...]
    standings: tuple[Standing, ...]
    pictures: tuple[int, ...]
    facts: SessionFacts
    at: int | None
    converted: int | None
    keep_source: KeepSource
    ended_streams: tuple[str, ...]
    findings: tuple[tuple[str, int], ...]
    closed: bool

    def opened_from(self, free: int) -> tuple[MessageRow, ...]:
        """Return the new messages at the positions from a free one on."""
        return tuple(
            row(free + place, name=each.name, length=each.length, live=each.live)
            for place, each in enumerate(self.opened)
        )

    def grown_among(self, rows: Mapping[int, MessageRow]) -> tuple[Growth, ...]:
        """Return the growths of rows that are there."""
        return tuple(each for each in self.grown if each.position in rows)

    def conversion_of(self, session: Session, *, beyond: bool) -> ConversionMark | None:
        """Return the mark of converting some records more, perhaps more than there are."""
        if self.converted is None:
            return None
        through = session.converted_through + self.converted
        return mark(through if beyond else min(through, session.records), self.keep_source)


changes: st.SearchStrategy[Changes] = st.builds(
    Changes,
    opened=st.lists(
        st.builds(
            NewMessage,
            name=maybe_names,
            length=lengths,
            live=mostly,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    grown=st.lists(st.builds(Growth, position=st.integers(0, 4), length=lengths), max_size=2).map(
        tuple
    ),
    standings=st.lists(
        st.builds(Standing, first=st.integers(0, 4), last=st.integers(0, 6), live=st.booleans()),
        max_size=2,
    ).map(tuple),
    pictures=pictures,
    facts=facts,
    at=st.none() | st.integers(-5, 5),
    converted=st.none() | st.integers(0, 3),
    keep_source=st.sampled_from(("compressed", "drop")),
    ended_streams=st.lists(stream_keys, max_size=2).map(tuple),
    findings=findings,
    closed=rarely,
)
