"""Grepping: every line that holds a pattern, for a person; counted all, the newest shown.

Laws: what may be read is what recall may read, with the same filters and the same gaps; a private
session never is. Nothing is ranked and there are no shares. Copies of one message in several
sessions count once, in the newest of them; versions of an edited session are not told apart. One
session is in memory at a time, and of the matches only those that are shown. All of an answer comes
from one snapshot, and nothing is written.
"""

import functools
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from recense.core.ids import anchor
from recense.core.instants import text_from_instant
from recense.core.recall.filters import Period, period_of
from recense.core.recall.grep import LineMatch, MatchedText, Pattern, admit_pattern, matched_text
from recense.core.text.fold import fold
from recense.core.text.redact import redact
from recense.core.text.snippets import excerpt_around, excerpt_from
from recense.core.transcript.messages import LoadedSession, Message, can_match, role_of
from recense.core.transcript.records import Session
from recense.core.transcript.remembering import forget_oldest
from recense.core.transcript.totals import totals_of
from recense.errors import InvalidRequest, StoreFault
from recense.limits import (
    CONTEXT_LINES_MAX,
    COPIES_REMEMBERED_MAX,
    MATCH_LINE_BYTES_MAX,
    MATCHES_MAX,
)
from recense.operations.grep import Columns, GrepAnswer, GrepMatch, GrepRequest
from recense.operations.recall import BranchesLeftOut, Gap
from recense.ports.clock import Clock
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.admission import typed
from recense.services.cancelling import IsCancelled, load_while_wanted, never
from recense.services.candidates import candidates
from recense.services.conversion import Load
from recense.services.eligibility import Scope
from recense.services.gaps import (
    gaps_of_files,
    gaps_of_privacy,
    gaps_of_sessions,
    in_contract_order,
)
from recense.services.requests import require_recall_allowed
from recense.services.searching import offered_sessions, unvouched_sessions
from recense.services.sessions import newest_first


class Grep:
    """Grep over one store."""

    def __init__(
        self,
        store: TranscriptStore,
        clock: Clock,
        load: Load,
        sources: Sequence[CandidateSource],
        *,
        incognito: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._load = load
        self._sources = sources
        self._incognito = incognito

    def grep(self, request: GrepRequest, *, is_cancelled: IsCancelled = never) -> GrepAnswer:
        """Return the newest matches of a request and the number of all; see `GrepAnswer` for the
        order. Asking again changes nothing.

        Raises Incognito, InvalidRequest or CredentialShaped for a request that is refused before
        anything is read, NotFound for a session that is not there, Cancelled, and the faults of the
        store.
        """
        began = self._clock.elapsed_ms()
        require_recall_allowed(incognito=self._incognito)
        pattern, period = _admit(request)
        with self._store.snapshot() as reader:
            found = functools.partial(
                self._found, reader, request, pattern, period, is_cancelled=is_cancelled
            )
            try:
                collected, gaps = found(narrows=True)
            except StoreFault:  # of the index, or of the store itself: then reading says so
                collected, gaps = found(narrows=False)
        return GrepAnswer(
            matches=tuple(collected.matches),
            total=collected.total,
            gaps=in_contract_order(_told(gaps, everything=request.everything)),
            took_ms=round(self._clock.elapsed_ms() - began, 3),
        )

    def _found(
        self,
        reader: TranscriptReader,
        request: GrepRequest,
        pattern: Pattern,
        period: Period,
        *,
        narrows: bool,
        is_cancelled: IsCancelled,
    ) -> "tuple[_Collected, tuple[Gap, ...]]":
        """Return the matches, the newest session first, and the gaps."""
        load = load_while_wanted(self._load, is_cancelled)
        scope = Scope(
            reader,
            load,
            session=request.session,
            workspace=request.workspace,
            origin=request.origin,
        )
        for _loaded in scope.walk():
            pass  # it is read again in its place: the newest session comes first
        # The index vouches for folded terms among the messages that answer, and for nothing else.
        is_plain = not (request.regex or request.case or request.everything)
        index = reader.message_index() if narrows and is_plain else None
        if index is None:
            offered: Sequence[Session] = ()
            rows = tuple(scope.settled_rows())
            settled = totals_of(rows)
        else:
            folded = [fold(request.pattern).encode()]
            offered = offered_sessions(index, scope, folded, is_cancelled=is_cancelled)
            rows = unvouched_sessions(reader, index, scope)
            settled = scope.sum_settled()
        if narrows and is_plain:
            terms, sources = (fold(request.pattern),), self._sources
            rows = candidates(reader, rows, terms, sources, is_cancelled=is_cancelled).sessions
        collected = _Collected(request, pattern, period)
        for row in sorted((*scope.waiting.values(), *offered, *rows), key=newest_first):
            loaded = load(reader, reader.session(row.session_id) or row)
            if row.session_id not in scope.waiting:
                scope.note(loaded)
            collected.take(loaded)
        gaps = (
            *gaps_of_sessions(
                scope.totals(settled),
                scope.left_out,
                unconverted=scope.unconverted,
                unsearched=scope.unsearched,
            ),
            *gaps_of_privacy(scope.private),
            *gaps_of_files(reader.failed_files()),
        )
        return collected, gaps


def _admit(request: GrepRequest) -> tuple[Pattern, Period]:
    """Return the pattern and the period of a request, before any store is touched."""
    typed(request, GrepRequest)
    for name, count, highest in (
        ("limit", request.limit, MATCHES_MAX),
        ("context", request.context, CONTEXT_LINES_MAX),
    ):
        if not 0 <= count <= highest:
            raise InvalidRequest(f"{name} is {count}; expected 0 to {highest}")
    if request.workspace is not None and not request.workspace.strip():
        raise InvalidRequest("workspace is blank", hint="leave it out to search every workspace")
    pattern = admit_pattern(request.pattern, is_regex=request.regex, heeds_case=request.case)
    return pattern, period_of(request.since, request.until)


def _told(gaps: Sequence[Gap], *, everything: bool) -> Iterator[Gap]:
    """Yield the gaps but for branches where they were searched."""
    return (gap for gap in gaps if not (everything and isinstance(gap, BranchesLeftOut)))


class _Collected:
    """The matches so far: the first ``limit`` of them, and the number of all."""

    def __init__(self, request: GrepRequest, pattern: Pattern, period: Period) -> None:
        self._request = request
        self._pattern = pattern
        self._period = period
        self._holders: dict[bytes, str] = {}
        self.matches: list[GrepMatch] = []
        self.total = 0

    def take(self, loaded: LoadedSession) -> None:
        """Take the matches of a session, from its last message to its first."""
        session = loaded.session
        for message in reversed(loaded.transcript.messages):
            if not (self._request.everything or can_match(message)):
                continue
            if not self._period.holds(message.at) or self._is_copy(session, message):
                continue
            found = matched_text(message, self._pattern)
            if found is not None:
                self._take_lines(session, message, found)

    def _is_copy(self, session: Session, message: Message) -> bool:
        holder = self._holders.get(message.identity or b"")
        return holder is not None and holder != session.session_id

    def _take_lines(self, session: Session, message: Message, found: MatchedText) -> None:
        before = self.total
        for line in found.lines():
            self.total += 1
            if len(self.matches) < self._request.limit:
                match = _shown(session, message, found, line)
                self.matches.append(_with_context(match, found.text, line, self._request.context))
        if self.total > before and message.identity is not None:
            self._holders.setdefault(message.identity, session.session_id)
            forget_oldest(self._holders, COPIES_REMEMBERED_MAX)


def _shown(session: Session, message: Message, found: MatchedText, match: LineMatch) -> GrepMatch:
    """Return a match without the lines around it."""
    line = found.text[match.start : match.end]
    columns = found.columns(match)
    if columns:
        first, last = columns[0]
        window = excerpt_around(line, first, last, MATCH_LINE_BYTES_MAX)
    else:
        window = excerpt_from(line, 0, MATCH_LINE_BYTES_MAX)
    end = window.offset + len(window.text)
    return GrepMatch(
        session=session.session_id,
        title=None if session.title is None else redact(session.title).text,
        workspace=session.workspace,
        anchor=anchor(session.session_id, message.event_id),
        position=message.position,
        at=None if message.at is None else text_from_instant(message.at),
        role=role_of(message),
        kind=message.kind,
        line=match.number,
        text=window.text,
        offset=window.offset,
        length=len(line),
        columns=tuple(
            Columns(start=first, end=min(last, end))
            for first, last in columns
            if window.offset <= first < end
        ),
        before=(),
        after=(),
    )


def _with_context(shown: GrepMatch, text: str, match: LineMatch, count: int) -> GrepMatch:
    return replace(
        shown,
        before=tuple(reversed(list(_lines_before(text, match.start, count)))),
        after=tuple(_lines_after(text, match.end, count)),
    )


def _lines_before(text: str, start: int, count: int) -> Iterator[str]:
    """Yield the lines before the one that starts here, nearest first."""
    for _ in range(count):
        if start == 0:
            return
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        yield _head(text[start:end])


def _lines_after(text: str, end: int, count: int) -> Iterator[str]:
    """Yield the lines after the one that ends here; what follows the last line break is none."""
    for _ in range(count):
        start = end + 1
        if start >= len(text):
            return
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield _head(text[start:end])


def _head(line: str) -> str:
    return excerpt_from(line, 0, MATCH_LINE_BYTES_MAX).text
