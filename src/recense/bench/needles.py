"""``recense bench needles``: does a fact that was said once come first?

Facts are hidden in *sessions-178*, once each: in plain words, in Chinese, in both, in code, in a
path, in the text of an error. Each is asked for by its own rare word, by two common words, and in
other words. A place is a message. Beside it, on the same messages: BM25 over words.
"""

import os
import random
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from recense.bench.asking import memory_at
from recense.bench.baselines import Bm25, words
from recense.bench.corpus import make_corpus, sessions_at
from recense.bench.drawing import located
from recense.bench.kept import KeptMessage, kept_messages, opened
from recense.bench.measuring import Assertions, machine, row, versions
from recense.bench.metrics import METRICS
from recense.bench.needle_facts import COMMON, FORMS, HiddenFact, make_facts
from recense.bench.peers import WORD_BM25
from recense.bench.requests import NeedlesRequest
from recense.bench.results import BenchResult, Row
from recense.bench.scoring import OURS, Answered, scored_rows
from recense.core.text.fold import fold
from recense.core.values import Value
from recense.limits import PASSAGES_MAX
from recense.operations.admin import Progress
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory

FACTS: Final = 500
FACTS_PER_SESSION: Final = 10
"""A small corpus hides fewer, so that it stays a corpus."""

COMMON_MESSAGES_MIN: Final = 3
"""Words of which half are in fewer messages are not common."""

Way = Literal["rare", "common", "reworded"]
WAYS: Final[tuple[Way, ...]] = ("rare", "common", "reworded")

Report = Callable[[Progress], None]


class AskedFact(Value, kw_only=True):
    """One fact asked for in one way."""

    way: Way
    fact: HiddenFact


def run_needles(request: NeedlesRequest, progress: Report) -> BenchResult:
    """Hide facts in a corpus made from the seed, and ask for them in an order drawn from it."""
    asserted = Assertions()
    dice = random.Random(request.seed)
    sessions = sessions_at(request.scale)
    facts = make_facts(min(FACTS, sessions * FACTS_PER_SESSION), dice)
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, "source"), os.path.join(folder, "recense.db")
        os.mkdir(source)
        make_corpus(
            source,
            seed=request.seed,
            sessions=sessions,
            guests=COMMON,
            hidden=[fact.hidden for fact in facts],
        )
        with memory_at(f"sqlite://{path}", folder) as memory:
            memory.import_sessions("claude_code", [source], progress=progress)
            with opened(path) as store:
                kept = list(kept_messages(store))
            places = _places(facts, kept, asserted)
            order = [AskedFact(way=way, fact=fact) for fact in facts for way in WAYS]
            dice.shuffle(order)
            answered = _ask_all(memory, kept, places, order, progress)
    return BenchResult(
        bench="needles",
        seed=request.seed,
        machine=machine(),
        versions=versions("bm25s", "pystemmer"),
        rows=(
            row("needles.facts", "facts", [len(facts)]),
            row("needles.messages", "messages", [len(kept)]),
            *_rows(answered),
        ),
        asserted=asserted.sentences(),
    )


def _places(
    facts: Sequence[HiddenFact], kept: Sequence[KeptMessage], asserted: Assertions
) -> dict[str, frozenset[str]]:
    """Return the place of each fact by its rare word; assert that words are what they are said to
    be.
    """
    common = [len(located(word, kept, COMMON_MESSAGES_MIN).places) for word in COMMON]
    asserted.hold(
        statistics.median(common) == COMMON_MESSAGES_MIN,
        f"more than half of the common words are in {COMMON_MESSAGES_MIN} messages or more",
    )
    waiting = {fold(fact.rare): fact for fact in facts}
    found: dict[str, set[str]] = {fact.rare: set() for fact in facts}
    for message in kept:
        for folded, fact in waiting.items():
            if folded in message.image:
                found[fact.rare].add(message.anchor)
                asserted.hold(
                    all(fold(word) in message.image for word in fact.common),
                    "a fact stands in its message with both of its common words",
                    fact.rare,
                )
    asserted.hold(
        all(len(each) == 1 for each in found.values()),
        "every fact arrived, and its rare word is in no other message",
    )
    return {rare: frozenset(each) for rare, each in found.items()}


def _ask_all(
    memory: Memory,
    kept: Sequence[KeptMessage],
    places: Mapping[str, frozenset[str]],
    order: Sequence[AskedFact],
    progress: Report,
) -> list[tuple[AskedFact, Answered]]:
    index = Bm25({each.anchor: each.text for each in kept}, words)
    answered: list[tuple[AskedFact, Answered]] = []
    for done, asked in enumerate(order):
        progress(
            Progress(
                phase="searching", done=done, total=len(order), unit="questions", label=asked.way
            )
        )
        request = _request(asked)
        answer = memory.recall(request)
        question = request.question or " ".join(request.terms)
        rankings = {
            OURS: tuple(passage.anchor for passage in answer.passages),
            WORD_BM25: tuple(index.best(question, PASSAGES_MAX)),
        }
        answered.append((asked, Answered(right=places[asked.fact.rare], rankings=rankings)))
    return answered


def _request(asked: AskedFact) -> RecallRequest:
    match asked.way:
        case "rare":
            return RecallRequest(terms=(asked.fact.rare,), limit=PASSAGES_MAX)
        case "common":
            return RecallRequest(terms=asked.fact.common, limit=PASSAGES_MAX)
        case "reworded":
            return RecallRequest(question=asked.fact.question, limit=PASSAGES_MAX)


def _rows(answered: Sequence[tuple[AskedFact, Answered]]) -> list[Row]:
    """Return the rows of each way to ask, over all facts and, for hit@1, over those of a sort."""
    first = {"hit@1": METRICS["hit@1"]}
    rows: list[Row] = []
    for way in WAYS:
        of_way = [each for asked, each in answered if asked.way == way]
        rows += scored_rows(f"needles.{way}", of_way, [WORD_BM25])
        for sort in FORMS:
            of_sort = [
                each for asked, each in answered if asked.way == way and asked.fact.sort == sort
            ]
            rows += scored_rows(f"needles.{way}.{sort}", of_sort, [WORD_BM25], first)
    return rows
