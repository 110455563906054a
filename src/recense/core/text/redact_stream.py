"""Redaction of a text that arrives in pieces: which of it is final, and what that says.

Law: all that is given out, joined, is `redact` of the whole text, however the text is cut; and
nothing is given out that a continuation of the text could make a secret or a part of one. What may
still be claimed is held back; the rules of that are in `open_claims`.

It is redacted more than `redact` would, never less, in three places:

- what is held is at most STREAM_HELD_CODE_POINTS_MAX; beyond it the open span is hidden whole, and
  what follows is left out up to the end of its run, line or block;
- where that is the `data` of a manifest whose kind has not come, its values are hidden as if it
  were Secret, and the rest stays;
- a text whose searches never settle, which `redact` hides whole, is hidden from where it was held.

Of the few tokens that may begin with any word (an id before the secret itself), that word may have
been given out where a piece ended in it.

Work is linear in the text: what is given out stays as context to its line's beginning, or for
STREAM_CONTEXT_CODE_POINTS, and what is held is searched again when it has grown by an eighth.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from recense.core.late_patterns import late_pattern
from recense.core.text.edits import Edit, applied, in_original
from recense.core.text.hidden_characters import UNFINISHED_ESCAPE
from recense.core.text.markers import marker
from recense.core.text.open_claims import SECRET_MANIFEST, Extent, manifest_context, open_claims
from recense.core.text.redact import UNFINISHED, find_edits
from recense.core.text.secret_spans import Source
from recense.core.text.spelled_characters import UNFINISHED_SPELLING
from recense.core.text.views import views
from recense.limits import STREAM_CONTEXT_CODE_POINTS, STREAM_HELD_CODE_POINTS_MAX

_CONTINUATION: Final = 0x80
_EXAMINED_ALWAYS: Final = 256
_OPENER_CODE_POINTS_MAX: Final = 256
"""What opens a claim is shorter: the longest is a sensitive name."""
_GROWTH: Final = 8
_END_OF: Final[dict[Extent, re.Pattern[str]]] = {
    "token": late_pattern(r"(?=[\s\"'`<>(){},])"),
    "line": late_pattern(r"(?=\n)"),
    "block": late_pattern(r"-----END [A-Z0-9 ]{0,60}-----|(?=[(){}\[\];<>$&@!?^~`])"),
}
_END_CODE_POINTS_MAX: Final = 80


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """Text that is final, and the kinds of the secrets that were hidden in it, in order."""

    text: str
    findings: tuple[str, ...] = ()


class StreamRedactor:
    """Redacts one text that arrives in pieces.

    ``context`` is what stands before the text: given out before, and looked at and never again
    given out. It may itself have been redacted.
    """

    def __init__(self, context: str = "") -> None:
        self._window = context
        self._given = len(context)
        self._new = 0
        self._settled = 0
        self._swallowing: Extent | None = None

    @property
    def held(self) -> int:
        """How many code points wait."""
        return 0 if self._swallowing else len(self._window) - self._given

    def feed(self, delta: str) -> Given:
        """Take the next piece of the text and return what is final now and was not before."""
        self._window += delta
        self._new += len(delta)
        if self._swallowing is not None and not self._swallow(self._swallowing):
            return Given(text="")
        if self._new * _GROWTH < self.held - _EXAMINED_ALWAYS:
            return Given(text="")
        self._new = 0
        return self._advance()

    def finish(self) -> Given:
        """Return the rest: the text has ended. Nothing can be fed afterwards."""
        if self._swallowing is not None:
            return Given(text="")
        return self._give(len(self._window), find_edits(self._window))

    def _advance(self) -> Given:
        edits = find_edits(self._window)
        claims = list(_claims(self._window, edits, max(0, self._settled - _OPENER_CODE_POINTS_MAX)))
        free, keep, extent = self._bounds(edits, claims)
        if len(self._window) - free <= STREAM_HELD_CODE_POINTS_MAX:
            given = self._give(free, edits)
            self._settled = keep
            self._forget(keep)
            return given
        if extent == "document" and not self._window.startswith(SECRET_MANIFEST):
            self._put_before(SECRET_MANIFEST)
            return self._advance()
        return self._give_up(free, edits, "line" if extent == "document" else extent)

    def _bounds(
        self, edits: Iterable[Edit], claims: Iterable["_Placed"]
    ) -> tuple[int, int, Extent]:
        """Return from where text is claimed, what must stay as context, and how far that claim
        reaches.
        """
        free, keep, extent = len(self._window), len(self._window), "token"
        for claim in claims:
            keep = min(keep, claim.opener)
            if claim.start < free:
                free, extent = claim.start, claim.extent
        for edit in edits:
            if edit.start < free < edit.end:
                free = edit.start
        free = max(free, self._given)
        return free, min(keep, free), extent

    def _give(self, end: int, edits: Iterable[Edit]) -> Given:
        """Return the window from what was given up to ``end``, redacted."""
        parts: list[str] = []
        findings: list[str] = []
        at = self._given
        for edit in edits:
            if edit.end <= at:
                continue
            if edit.end > end:
                break
            parts += (self._window[at : edit.start], edit.replacement)
            findings.append(edit.kind)
            at = edit.end
        parts.append(self._window[at:end])
        self._given = end
        return Given(text="".join(parts), findings=tuple(findings))

    def _give_up(self, free: int, edits: Iterable[Edit], extent: Extent) -> Given:
        """Hide what is held, and all that is to come of it."""
        given = self._give(free, edits)
        hidden = marker(UNFINISHED)
        self._window = self._window[:free]
        self._forget(free)
        self._window += hidden
        self._given = len(self._window)
        self._swallowing = extent
        return Given(text=given.text + hidden, findings=(*given.findings, UNFINISHED))

    def _swallow(self, extent: Extent) -> bool:
        """Leave out what belongs to a span that was hidden; return whether it has ended."""
        rest = self._window[self._given :]
        end = _END_OF[extent].search(rest)
        if end is None:
            # What is left is for an end that is itself in two pieces.
            cut = max(0, len(rest) - _END_CODE_POINTS_MAX) if extent == "block" else len(rest)
            self._window = self._window[: self._given] + rest[cut:]
            return False
        self._window = self._window[: self._given] + rest[end.end() :]
        self._swallowing = None
        return True

    def _forget(self, keep: int) -> None:
        """Drop the context before the line of ``keep``, or what is far before it in that line."""
        start = self._window.rfind("\n", 0, keep) + 1
        if keep - start > STREAM_CONTEXT_CODE_POINTS:
            start = keep - STREAM_CONTEXT_CODE_POINTS
            blank = self._window.find(" ", start, keep - STREAM_CONTEXT_CODE_POINTS // 2)
            start = max(start, blank)
        if start == 0:
            return
        dropped = self._window[:start]
        self._window = self._window[start:]
        self._given -= start
        self._settled = max(0, self._settled - start)
        self._put_before(manifest_context(dropped))

    def _put_before(self, context: str) -> None:
        self._window = context + self._window
        self._given += len(context)
        self._settled += len(context)


class _Placed(msgspec.Struct, frozen=True):
    """A claim in code points."""

    opener: int
    start: int
    extent: Extent


def _claims(text: str, edits: Iterable[Edit], since: int) -> Iterator[_Placed]:
    """Yield the open claims of a text that goes on: as it is, and with its secrets hidden, since a
    marker may name what comes next as a key does.
    """
    first: list[_Placed] = list(_claims_as_seen(text, since))
    yield from first
    free = min((claim.start for claim in first), default=len(text))
    stable = tuple(edit for edit in edits if edit.end <= free)
    if not stable:
        return
    before = applied(text[:since], (edit for edit in stable if edit.end <= since))
    for claim in _claims_as_seen(applied(text, stable), len(before)):
        yield _Placed(_origin(stable, claim.opener), _origin(stable, claim.start), claim.extent)


def _origin(edits: tuple[Edit, ...], offset: int) -> int:
    """Return where an offset of the text that ``edits`` made was; inside a marker, its end."""
    point = Edit(kind="", start=offset, end=offset, replacement="")
    return next(in_original(edits, (point,))).end


def _claims_as_seen(text: str, since: int) -> Iterator[_Placed]:
    """Yield the claims of a text, and of what a person sees of it, once an escape has ended too."""
    yield from _claims_as_read(text, since)
    for unfinished in (UNFINISHED_ESCAPE, UNFINISHED_SPELLING):
        escape = unfinished.search(text, since)
        if escape is not None:
            yield from _claims_as_read(text[: escape.start()], since)
            yield _Placed(escape.start(), escape.start(), "token")


def _claims_as_read(text: str, since: int) -> Iterator[_Placed]:
    yield from _placed(text, since)
    for view in views(text):
        length = len(view.text)
        for claim in _placed(view.text, 0):
            opener, start = (
                next(view.spans(((offset, offset + 1),)))[0] if offset < length else len(text)
                for offset in (claim.opener, claim.start)
            )
            yield _Placed(opener, start, claim.extent)


def _placed(text: str, since: int) -> Iterator[_Placed]:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        for claim in open_claims(Source(data, text), since):
            yield _Placed(claim.opener, claim.start, claim.extent)
        return
    first = len(text[:since].encode("utf-8", "surrogatepass"))
    for claim in open_claims(Source(data, data.decode("latin-1")), first):
        yield _Placed(_points(data, claim.opener), _points(data, claim.start), claim.extent)


def _points(data: bytes, end: int) -> int:
    """Code points before a byte; one that the byte stands in is none of them."""
    while end < len(data) and data[end] & 0xC0 == _CONTINUATION:
        end -= 1
    return len(data[:end].decode("utf-8", "surrogatepass"))
