"""Answers about facts that are not the usual ones, as pages."""

from msgspec.structs import replace

from recense.operations.facts import (
    Beliefs,
    BeliefView,
    FactDifference,
    FactExplanation,
    FactHistory,
    FactTimeline,
)
from recense.operations.texts import ForgetAnswer, TextHistory
from tests.cli import fact_samples, fact_words
from tests.cli.answered import Case
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory

LONG: BeliefView = replace(
    fact_samples.TEA, sentence="mira note " + "very long " * 300, event_id="e-long"
)


def _page(name: str, answers: FactAnswers) -> Case:
    return fact_words.WORDS[name], FakeMemory(facts=answers)


FACT_PAGES: dict[str, Case] = {
    "fact_set_known": _page("fact set", FactAnswers(remembered=fact_samples.KNOWN_ALREADY)),
    "fact_set_outranked": _page("fact set", FactAnswers(remembered=fact_samples.OUTRANKED)),
    "fact_forget_nothing": _page(
        "fact forget", FactAnswers(forgotten=fact_samples.NOTHING_WITHDRAWN)
    ),
    "fact_holds_no": _page("fact holds", FactAnswers(truth=fact_samples.HOLDS_NOT)),
    "fact_holds_no_more": _page("fact holds", FactAnswers(truth=fact_samples.HOLDS_NO_MORE)),
    "fact_holds_unknown": _page("fact holds", FactAnswers(truth=fact_samples.UNKNOWN)),
    "fact_get_nothing": _page(
        "fact get", FactAnswers(beliefs=Beliefs(beliefs=(), total=0, as_of=fact_samples.AS_OF))
    ),
    "fact_get_page": _page(
        "fact get",
        FactAnswers(beliefs=replace(fact_samples.BELIEFS, beliefs=(LONG,), total=None)),
    ),
    "fact_history_nothing": _page(
        "fact history", FactAnswers(history=FactHistory(events=(), total=0))
    ),
    "fact_explain_nothing": _page(
        "fact explain",
        FactAnswers(explanation=FactExplanation(pairs=(), as_of=fact_samples.AS_OF)),
    ),
    "fact_timeline_nothing": _page(
        "fact timeline", FactAnswers(timeline=FactTimeline(subject="mira", spans=()))
    ),
    "fact_diff_nothing": _page(
        "fact diff",
        FactAnswers(
            difference=FactDifference(
                since=fact_samples.BERGEN.since, until=fact_samples.AS_OF, added=(), removed=()
            )
        ),
    ),
    "registry_merge_known": _page("registry merge", FactAnswers(changed=fact_samples.UNCHANGED)),
    "registry_closed": _page(
        "registry", FactAnswers(view=replace(fact_samples.REGISTRY, subjects={}, is_open=False))
    ),
    "remember_not_read": _page("remember", FactAnswers(text_remembered=fact_samples.TEXT_NOT_READ)),
    "forget_undecided": _page("forget", FactAnswers(forget_answer=fact_samples.UNDECIDED)),
    "remember_in_part": _page("remember", FactAnswers(text_remembered=fact_samples.TEXT_IN_PART)),
    "forget_nothing": _page("forget", FactAnswers(forget_answer=ForgetAnswer())),
    "history_nothing": _page("history", FactAnswers(text_history=TextHistory(threads=()))),
}
