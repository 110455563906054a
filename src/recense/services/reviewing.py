"""Proposals are looked at by a reviewer, which can take away and link, and add nothing.

Law: what a reviewer may do is held here and not left to it. A review that names a proposal or a
belief that it was not shown, or one proposal twice, is refused whole.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from recense.core.extraction.proposals import presentable
from recense.core.extraction.quotation import Quotation
from recense.core.facts.values import FactValue, is_reserved, normal_subject
from recense.core.values import Value
from recense.errors import InvalidRequest, ModelAnswerUnusable
from recense.limits import REVIEW_BELIEFS_MAX, REVIEW_EVENTS_MAX, REVIEW_SUBJECTS_MAX
from recense.operations.extraction import FiledProposal, FilingOutcome
from recense.operations.facts import GetFacts
from recense.ports.clock import Clock
from recense.ports.records import RecordStore
from recense.ports.review import (
    HeldBelief,
    ReviewContext,
    Reviewer,
    ReviewVerdict,
    SubjectNames,
)
from recense.services.fact_collections import MEMORY
from recense.services.fact_pages import listed_page
from recense.services.fact_reading import NEWEST_FIRST, FactMoment, Registries, open_moment
from recense.services.fact_records import event_of

_UNSUPPORTED: Final = "the reviewer found that its words do not bear it out"


class Unreviewed:
    """The reviewer `none`: it leaves everything as it is, and reads nothing."""

    @property
    def reviewer_id(self) -> str:
        """What it is called."""
        return "none"

    def review(
        self, proposals: Sequence[Quotation], context: Callable[[], ReviewContext]
    ) -> Sequence[ReviewVerdict]:
        """Return no verdict; never raises."""
        return ()


class Reviewed(Value, kw_only=True):
    """What is left to file, and what is not filed, with its reason."""

    quotations: tuple[Quotation, ...]
    left_out: tuple[FiledProposal, ...]


class Reviewing:
    """Has the proposals of one store reviewed."""

    def __init__(
        self, store: RecordStore, clock: Clock, registries: Registries, reviewer: Reviewer
    ) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._reviewer: Final = reviewer

    def reviewed(self, quotations: Sequence[Quotation]) -> Reviewed:
        """Return proposals as the reviewer leaves them, in their order.

        Raises ModelAnswerUnusable for a review that does what none may, and what the reviewer
        raises.
        """
        shown: dict[str, HeldBelief] = {}

        def context() -> ReviewContext:
            made = self._context(quotations)
            shown.update((each.event_id, each) for each in made.beliefs)
            return made

        verdicts = self._reviewer.review(quotations, context)
        by_position = {each.position: each for each in verdicts}
        if len(by_position) < len(verdicts) or not by_position.keys() <= {*range(len(quotations))}:
            raise self._refused("a proposal that it was not shown, or one of them twice")
        kept: list[Quotation] = []
        left_out: list[FiledProposal] = []
        for position, quoted in enumerate(quotations):
            verdict = by_position.get(position, ReviewVerdict(position=position, verdict="keep"))
            match verdict.verdict:
                case "keep":
                    kept.append(self._linked(quoted, verdict, shown))
                case "duplicate":
                    left_out.append(_left_out(quoted, "known", ""))
                case "unsupported":
                    left_out.append(_left_out(quoted, "refused", _UNSUPPORTED))
                case _:
                    assert_never(verdict.verdict)
        return Reviewed(quotations=tuple(kept), left_out=tuple(left_out))

    def _linked(
        self, quoted: Quotation, verdict: ReviewVerdict, shown: Mapping[str, HeldBelief]
    ) -> Quotation:
        """Return a proposal that replaces what a verdict says too."""
        if not verdict.replaces:
            return quoted
        proposal = quoted.proposal
        with self._store.snapshot() as reader:
            registry = open_moment(reader, self._registries, self._clock.now()).registry
        about = (
            registry.canonical_subject(normal_subject(proposal.subject)),
            registry.rules(proposal.predicate).canonical,
        )
        values: list[FactValue] = list(proposal.replaces)
        for event_id in verdict.replaces:
            belief = shown.get(event_id)
            if belief is None or (belief.subject, belief.predicate) != about:
                raise self._refused("a belief of another pair, or one that it was not shown")
            values.append(belief.value)
        return replace(quoted, proposal=replace(proposal, replaces=tuple(dict.fromkeys(values))))

    def _context(self, quotations: Iterable[Quotation]) -> ReviewContext:
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            registry = moment.registry
            involved = dict.fromkeys(
                registry.canonical_subject(subject)
                for subject in map(_subject_of, quotations)
                if subject is not None
            )
            beliefs = [each for subject in involved for each in _beliefs(moment, subject)]
            recent = reader.list(
                MEMORY, limit=REVIEW_EVENTS_MAX, order=NEWEST_FIRST, counted=False
            ).records
            subjects = dict.fromkeys(
                registry.canonical_subject(event.subject)
                for event in map(event_of, recent)
                if not is_reserved(event.subject)
            )
            return ReviewContext(
                beliefs=tuple(beliefs),
                subjects=tuple(
                    SubjectNames(
                        subject=each,
                        aliases=tuple(sorted(registry.subject_names(each) - {each})),
                    )
                    for each in list(subjects)[:REVIEW_SUBJECTS_MAX]
                ),
                vocabulary=registry.definitions(),
            )

    def _refused(self, what: str) -> ModelAnswerUnusable:
        return ModelAnswerUnusable(
            f"the reviewer {self._reviewer.reviewer_id} named {what}; its review is not believed",
            hint="it stays unread; another reviewer may do better",
        )


def _beliefs(moment: FactMoment, subject: str) -> list[HeldBelief]:
    page = listed_page(moment, GetFacts(subject=subject, limit=REVIEW_BELIEFS_MAX))
    return [
        HeldBelief(
            event_id=each.event_id,
            subject=each.subject,
            predicate=each.predicate,
            value=each.value,
            source=each.source,
        )
        for each in page.beliefs
    ]


def _subject_of(quoted: Quotation) -> str | None:
    """Return whom a proposal is about, None where nobody can be of that name."""
    try:
        return normal_subject(quoted.proposal.subject)
    except InvalidRequest:
        return None


def _left_out(quoted: Quotation, outcome: FilingOutcome, reason: str) -> FiledProposal:
    return FiledProposal(proposal=presentable(quoted.proposal), outcome=outcome, reason=reason)
