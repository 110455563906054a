"""No subject, value, evidence or rule begins a line of ours, or hides what it holds."""

import msgspec
import pytest

from recense.core.facts.changes import Definition
from recense.operations.facts import (
    BeliefView,
    ContestedView,
    ElsewhereView,
    EvidenceView,
    ExplainedRule,
    RegistryView,
    ReplacedView,
)
from recense.operations.texts import ForgetAnswer, HistoryThread, NotFiled, TextFact, ThreadStep
from tests.cli import fact_samples, fact_words
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Screen, run_here
from tests.cli.test_forgery import HOSTILE, assert_nothing_is_forged
from tests.rows import each_row

replace = msgspec.structs.replace
AT = fact_samples.AS_OF

EVIDENCE = (EvidenceView(excerpt=HOSTILE, episode=HOSTILE, anchor=HOSTILE),)

BELIEF: BeliefView = replace(
    fact_samples.OSLO,
    subject=HOSTILE,
    predicate=HOSTILE,
    value=HOSTILE,
    sentence=HOSTILE,
    writer=HOSTILE,
    event_id=HOSTILE,
    evidence=EVIDENCE,
    replaced=(ReplacedView(value=HOSTILE, since=AT, event_id=HOSTILE),),
    elsewhere=(ElsewhereView(predicate=HOSTILE, since=AT, event_id=HOSTILE),),
    contested=ContestedView(value=HOSTILE, writer=HOSTILE, event_id=HOSTILE),
    via=HOSTILE,
)

EVENT = replace(
    fact_samples.OSLO_SAID,
    sentence=HOSTILE,
    writer=HOSTILE,
    event_id=HOSTILE,
    evidence=EVIDENCE,
    replaces=(HOSTILE,),
)

RULE = ExplainedRule(event_id=HOSTILE, text=HOSTILE, since=None)

TEXT_FACT = TextFact(
    fact=HOSTILE,
    text=HOSTILE,
    since=AT,
    days_ago=1,
    before=(HOSTILE,),
    elsewhere=(HOSTILE,),
    anchors=(HOSTILE,),
)

ANSWERS = FactAnswers(
    beliefs=replace(fact_samples.BELIEFS, beliefs=(BELIEF,), next_after=HOSTILE),
    remembered=replace(
        fact_samples.REMEMBERED,
        belief=BELIEF,
        superseded=(BELIEF,),
        outranked_by=(BELIEF,),
        related=(BELIEF,),
        unreplaced=(replace(fact_samples.REMEMBERED.unreplaced[0], reason=HOSTILE),),
        defined=Definition(predicate=HOSTILE),
    ),
    forgotten=replace(fact_samples.WITHDRAWN, withdrawn=(BELIEF,), event_id=HOSTILE),
    truth=replace(fact_samples.HOLDS, belief=BELIEF),
    history=replace(fact_samples.HISTORY, events=(EVENT, replace(EVENT, retraction=True))),
    explanation=replace(
        fact_samples.EXPLANATION,
        pairs=(
            replace(
                fact_samples.EXPLANATION.pairs[0],
                subject=HOSTILE,
                predicate=HOSTILE,
                names=(f"{HOSTILE}x",),
                rules=(RULE,),
                steps=(
                    replace(
                        fact_samples.EXPLANATION.pairs[0].steps[0], event=EVENT, effect=HOSTILE
                    ),
                ),
                beliefs=(BELIEF,),
            ),
        ),
    ),
    timeline=replace(
        fact_samples.TIMELINE,
        subject=HOSTILE,
        spans=tuple(
            replace(each, predicate=HOSTILE, value=HOSTILE, ended_by=HOSTILE)
            for each in fact_samples.TIMELINE.spans
        ),
    ),
    difference=replace(fact_samples.DIFFERENCE, added=(BELIEF,), removed=(BELIEF,)),
    changed=replace(fact_samples.CHANGED, event_id=HOSTILE),
    view=RegistryView(
        definitions=(
            Definition(
                predicate=HOSTILE,
                description=HOSTILE,
                allowed=(HOSTILE,),
                excludes=(HOSTILE,),
                template=HOSTILE,
            ),
            *fact_samples.REGISTRY.definitions,
        ),
        names={HOSTILE: (HOSTILE, f"{HOSTILE}x")},
        subjects={HOSTILE: (HOSTILE, f"{HOSTILE}x")},
        is_open=True,
    ),
    log=replace(fact_samples.REGISTRY_LOG, changes=(RULE,)),
    text_remembered=replace(
        fact_samples.TEXT_REMEMBERED,
        episode=HOSTILE,
        filed=(TEXT_FACT,),
        known=(TEXT_FACT,),
        ended=(HOSTILE,),
        not_filed=(NotFiled(evidence=HOSTILE, reason=HOSTILE, to_confirm=True),),
        unread=HOSTILE,
    ),
    forget_answer=ForgetAnswer(
        withdrawn=(HOSTILE,), offers=(TEXT_FACT,), not_held=(HOSTILE,), undecided=HOSTILE
    ),
    text_history=replace(
        fact_samples.TEXT_HISTORY,
        threads=(
            HistoryThread(
                now=(HOSTILE,),
                steps=(ThreadStep(text=HOSTILE, since=AT, until=AT, ended_by=HOSTILE),),
            ),
        ),
    ),
)

CASES = {
    name: words
    for name, words in fact_words.WORDS.items()
    if name != "registry load"  # which says names of ours alone
}


@each_row("words", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("is_terminal", [True, False])
def test_no_fact_begins_a_line_or_hides(
    words: tuple[str, ...], is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100000")
    out = Screen() if is_terminal else None
    environment = {"COLUMNS": "100000"} | ({} if is_terminal else {"NO_COLOR": "1"})
    memory = FakeMemory(facts=ANSWERS)
    assert_nothing_is_forged(run_here(*words, memory=memory, out=out, environment=environment))


def test_what_was_typed_begins_no_line_either() -> None:
    for words in (("merge", HOSTILE, HOSTILE), ("split", HOSTILE), ("define", HOSTILE)):
        assert_nothing_is_forged(run_here("registry", *words))


def test_each_line_of_evidence_stands_behind_a_bar() -> None:
    evidence = (EvidenceView(excerpt="first\n\tsecond\r\nyes\n"),)
    belief = replace(fact_samples.OSLO, evidence=evidence)
    memory = FakeMemory(facts=FactAnswers(truth=replace(fact_samples.HOLDS, belief=belief)))
    page = run_here("fact", "holds", "mira", "lives_in", "Oslo", memory=memory).out
    assert "   | first\n   | \tsecond\n   | yes\n" in page
