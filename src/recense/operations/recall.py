"""Recall's operations: what is asked and what is answered, as it leaves on the wire.

Instants are text here (`recense.core.instants.text_from_instant`), null where unknown.
"""

from typing import Literal

from recense.core.transcript.messages import Material, MessageKind, Role, Trust
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.limits import MORE_MESSAGES_MAX, PASSAGES_DEFAULT
from recense.operations.texts import TextFact


class Exclude(Value, kw_only=True, forbid_unknown_fields=True):
    """A turn that must not come back; ``turn`` is a turn's id, or ``last`` for the newest."""

    session: str
    turn: str


class RecallRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """What is asked of recall: terms to find, a question, or both, and how to filter. Neither asks
    for a profile: the facts that hold now.

    ``origin`` is one origin, ``all``, or None for everything but sub-agents and headless runs.
    ``since`` and ``until`` are RFC 3339 instants or ISO 8601 dates, both inclusive: a date is its
    whole day in UTC, so that it begins at its first instant as ``since`` and ends with its last as
    ``until``. An instant without a zone is one in UTC. With ``explain`` each passage says why it
    stands where it stands.
    """

    terms: tuple[str, ...] = ()
    question: str | None = None
    limit: int = PASSAGES_DEFAULT
    session: str | None = None
    workspace: str | None = None
    since: str | None = None
    until: str | None = None
    origin: Origin | Literal["all"] | None = None
    exclude: Exclude | None = None
    explain: bool = False


class MoreRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """What is asked of recall_more: one anchor, how many messages on each side, and the offset in a
    long message (code points into the anchor's text).
    """

    anchor: str
    before: int = MORE_MESSAGES_MAX
    after: int = MORE_MESSAGES_MAX
    offset: int | None = None
    exclude: Exclude | None = None


class PassageMessage(Value, kw_only=True):
    """One message as shown. ``text`` is the whole text, or the window that begins ``offset`` code
    points into it when ``length``, the whole text's code points, is larger than the window.
    """

    role: Role
    kind: MessageKind
    text: str
    at: str | None
    is_anchor: bool
    trust: Trust
    offset: int
    length: int
    materials: tuple[Material, ...] = ()


class TermScore(Value, kw_only=True):
    """How one term counted for one passage, by BM25: ``weight`` times ``idf`` times what ``tf`` and
    ``length_norm`` make of it, halved for machine output.

    ``of`` says what was counted, and where. ``term``: a term that was searched for, in the
    message. ``session``: the same in the whole session, where ``tf`` is that of its hits (half of
    machine output's), ``df`` counts sessions, and the norm is that of the session's length.
    ``date``: the dates that the question names; ``tf`` is how near the message is (1, or 0.5 in
    the days after), ``df`` the number of hits that are near. ``question`` and
    ``question_session``: a whole word of the question, in any of its forms, among the hits that
    were re-ranked. ``phrase``: two words of the question that stand together. ``together``, where
    no question is asked: two terms that are near one another; ``tf`` is how near (1 with nothing
    between them), ``df`` counts the best hits with two terms in which they are, and machine output
    counts in full.
    """

    of: Literal["term", "together", "session", "date", "question", "question_session", "phrase"] = (
        "term"
    )
    term: str
    tf: float
    df: int
    idf: float
    length_norm: float
    weight: float
    score: float


class Explanation(Value, kw_only=True):
    """Why a passage stands where it stands: per term, the corpus figures, and the quota.

    The score is the sum of the terms' scores, whatever they are of, and of ``support``, which the
    rest of the turn and the messages beside it give for words of the question that the message
    itself has less of. Of equal scores the one with the later instant comes first, those without
    one last. ``corpus_sessions`` is the number of sessions among which a session counted, 0 where
    no question was asked. ``quota`` says how the passage got its place: within its session's share,
    or in one that was left when all had theirs.
    """

    terms: tuple[TermScore, ...]
    corpus_messages: int
    corpus_length: int
    corpus_sessions: int = 0
    kind_weight: float
    support: float = 0.0
    quota: Literal["first_pass", "filled"]


class Passage(Value, kw_only=True):
    """A verified hit with its neighbours. ``echo`` says that its anchor repeats what Recense itself
    once answered; such passages come last. ``supports`` are the ids of those facts of the answer
    that were read in the passage's turn.
    """

    anchor: str
    session: str
    title: str | None
    workspace: str | None
    source: str
    origin: Origin
    turn: str
    position: int
    messages: tuple[PassageMessage, ...]
    matched_terms: tuple[str, ...]
    score: float
    has_more_before: bool
    has_more_after: bool
    truncated: bool
    source_available: bool
    echo: bool = False
    explanation: Explanation | None = None
    supports: tuple[str, ...] = ()


class UnmatchedTerm(Value, kw_only=True, tag="unmatched_term", tag_field="gap"):
    """A term that hit nothing, as the caller spelled it."""

    term: str


class TermsLeftOut(Value, kw_only=True, tag="terms_left_out", tag_field="gap"):
    """Terms of a question that were not searched, since it gave more than are searched at once."""

    n: int


class SessionsSearched(Value, kw_only=True, tag="sessions_searched", tag_field="gap"):
    """How many sessions were searched and when the oldest of them began."""

    n: int
    oldest: str | None


class SessionUnreadable(Value, kw_only=True, tag="session_unreadable", tag_field="gap"):
    """Events that this release cannot read, in a searched session.

    Where many sessions have some, those with most are named, and the others are one gap without a
    name: ``sessions`` of them, ``events`` in all.
    """

    session: str | None
    events: int
    sessions: int = 1


class OriginLeftOut(Value, kw_only=True, tag="origin_left_out", tag_field="gap"):
    """Sessions left out because of who drove them."""

    origin: Origin
    sessions: int


class TextBeyondLimit(Value, kw_only=True, tag="text_beyond_limit", tag_field="gap"):
    """Bytes of visible text that are kept and not matched."""

    sessions: int
    bytes: int


class SpilledBodyMissing(Value, kw_only=True, tag="spilled_body_missing", tag_field="gap"):
    """Tool results of which only a preview is here."""

    sessions: int
    bodies: int


class BranchesLeftOut(Value, kw_only=True, tag="branches_left_out", tag_field="gap"):
    """Messages on abandoned branches, which do not answer."""

    sessions: int
    messages: int


class BudgetDropped(Value, kw_only=True, tag="budget_dropped", tag_field="gap"):
    """Passages that matched and did not fit into the answer's bytes, and materials of the turns of
    those that did.
    """

    n: int
    materials: int = 0


class FactsUnavailable(Value, kw_only=True, tag="facts_unavailable", tag_field="gap"):
    """Why no facts were searched."""

    reason: str


class SemanticUnavailable(Value, kw_only=True, tag="semantic_unavailable", tag_field="gap"):
    """Why the answer rests on words alone."""

    reason: str


class NotConverted(Value, kw_only=True, tag="not_converted", tag_field="gap"):
    """Archived records that are not converted yet. They were converted for this answer alone, or,
    where ``searched`` is false, could not be, since their importer is not installed.
    """

    n: int
    searched: bool = True


class NotImported(Value, kw_only=True, tag="not_imported", tag_field="gap"):
    """Files of a source that are known and failed to import."""

    source: str
    files: int


class PrivateExcluded(Value, kw_only=True, tag="private_excluded", tag_field="gap"):
    """Sessions that a person hid: no search reads them."""

    sessions: int


Gap = (
    UnmatchedTerm
    | TermsLeftOut
    | SessionsSearched
    | SessionUnreadable
    | OriginLeftOut
    | TextBeyondLimit
    | SpilledBodyMissing
    | BranchesLeftOut
    | BudgetDropped
    | FactsUnavailable
    | SemanticUnavailable
    | NotConverted
    | NotImported
    | PrivateExcluded
)


class RecallAnswer(Value, kw_only=True):
    """The envelope. ``facts`` are current beliefs, the best first. ``terms`` are the terms that
    were searched, as spelled or as derived from the question; ``path`` says whether an index
    narrowed the search; it never changes the answer.
    """

    facts: tuple[TextFact, ...]
    passages: tuple[Passage, ...]
    materials: tuple[Material, ...]
    gaps: tuple[Gap, ...]
    terms: tuple[str, ...]
    took_ms: float
    path: Literal["narrowed", "scan", "mixed"]


class ScanVerification(Value, kw_only=True):
    """An answer, and whether reading every eligible session gives the same.

    ``difference`` is the first difference in words, empty where there is none. How long each way
    took (``answer.took_ms``, ``scan_took_ms``) and which way it was do not count.
    """

    answer: RecallAnswer
    is_equal: bool
    difference: str
    scan_took_ms: float
