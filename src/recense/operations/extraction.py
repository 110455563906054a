"""What of sessions was read for facts, and reading them: what is asked and what is answered."""

from typing import Final, Literal

from recense.core.extraction.proposals import Proposal
from recense.core.values import Value

FilingOutcome = Literal["filed", "known", "refused", "needs_confirmation"]
"""What became of a proposal: a new fact, one that was known already, none, or one that a person has
to confirm, since it would end what the person stated."""

RunEnd = Literal["complete", "held", "budget", "unavailable", "part"]
"""How reading a session ended: all of it is read; another process reads it; the budget does not
reach; the model is not to be had; or some of it failed."""


class FiledProposal(Value, kw_only=True):
    """What became of a proposal, and why; ``event_id`` is that of the belief that holds, ``ended``
    what it ended, in words.
    """

    proposal: Proposal
    outcome: FilingOutcome
    anchor: str | None = None
    event_id: str | None = None
    reason: str = ""
    ended: tuple[str, ...] = ()


class FailedSpan(Value, kw_only=True):
    """A message that could not be read: where it begins, how often that was tried, and why the last
    attempt failed.
    """

    anchor: str
    tokens: int
    attempts: int
    reason: str


class SessionCoverage(Value, kw_only=True):
    """How far a session is read. ``strip`` has a letter for each part of it, in order: ``c``
    covered, ``u`` not yet, ``f`` failed, the worst of its messages; at most STRIP_PARTS_MAX.
    ``to_confirm`` are the proposals that wait for the person: stated, contradicted or without what
    stood in its way, one waits no longer.
    """

    session: str
    title: str | None
    workspace: str | None
    messages: int
    covered: int
    uncovered: int
    failed: int
    tokens_uncovered: int
    tokens_omitted: int
    strip: str
    failures: tuple[FailedSpan, ...] = ()
    to_confirm: tuple[FiledProposal, ...] = ()


class CoverageTotal(Value, kw_only=True):
    """How far several sessions are read together."""

    sessions: int
    messages: int
    covered: int
    uncovered: int
    failed: int
    tokens_uncovered: int
    tokens_omitted: int


NOTHING_COVERED: Final = CoverageTotal(
    sessions=0,
    messages=0,
    covered=0,
    uncovered=0,
    failed=0,
    tokens_uncovered=0,
    tokens_omitted=0,
)


class ReadingCost(Value, kw_only=True):
    """What reading all that is left takes at most where nothing fails: calls, and tokens sent and
    answered, instructions included; ``micros`` is what they cost, in millionths of a currency's
    unit, None where no prices are set.
    """

    calls: int
    tokens: int
    micros: int | None = None


class DayMoney(Value, kw_only=True):
    """The money of a day, in millionths of a currency's unit, as `DayBudget` has its tokens."""

    limit: int | None
    spent: int
    reserved: int


class DayBudget(Value, kw_only=True):
    """The tokens of a day, in UTC: ``limit`` None is no limit. ``reserved`` are those of calls that
    have not ended, or of which nobody knows how they ended. ``money`` is None where no prices are
    set.
    """

    day: str
    limit: int | None
    spent: int
    reserved: int
    money: DayMoney | None = None


class ExtractionStatus(Value, kw_only=True):
    """How far the sessions are read by one extractor, by session, workspace and in total. ``texts``
    are the texts that were kept of which something is left or waits for a person, as sessions of
    their own; ``texts_total`` counts all that a model reads.
    """

    extractor: str
    version: str
    sessions: tuple[SessionCoverage, ...]
    workspaces: dict[str, CoverageTotal]
    total: CoverageTotal
    cost: ReadingCost
    budget: DayBudget
    texts: tuple[SessionCoverage, ...] = ()
    texts_total: CoverageTotal = NOTHING_COVERED


class StatusRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """The sessions of which it is asked how far they are read; without any, all of them."""

    sessions: tuple[str, ...] = ()


class ExtractRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """Which sessions, and texts by their ids, to read: those named, or all of them.
    ``budget_tokens`` is what this run may take at most, instructions included.
    """

    sessions: tuple[str, ...] = ()
    every: bool = False
    budget_tokens: int | None = None


class SessionRun(Value, kw_only=True):
    """What reading one session did. ``batches`` were read, ``replayed`` had been read before and
    were filed now; ``tokens_read`` are the session's own, ``tokens_taken`` all that it took.
    """

    session: str
    end: RunEnd
    reason: str = ""
    batches: int = 0
    replayed: int = 0
    failed: int = 0
    tokens_read: int = 0
    tokens_taken: int = 0
    proposals: tuple[FiledProposal, ...] = ()
    dropped: tuple[str, ...] = ()


class ExtractReport(Value, kw_only=True):
    """What a run did, by session and by text in the order in which they were taken, and the day's
    budget after it.
    """

    extractor: str
    version: str
    sessions: tuple[SessionRun, ...]
    budget: DayBudget
    texts: tuple[SessionRun, ...] = ()
