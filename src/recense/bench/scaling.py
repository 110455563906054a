"""``recense bench scale``: what grows when what is kept grows?

*sessions-178* and ten times as much, one after the other: the time of an answer, memory, and disk.
The rows of the larger one have their ratio to the smaller one's. Then *messages-1m*: a million
short messages. Everything that is measured in memory is a process of its own, so that no figure
holds what another one left.
"""

import os
import random
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from recense.bench.asking import memory_at
from recense.bench.children import RECENSE, Children, Watched, decoded_as
from recense.bench.corpus import FREQUENT, MadeCorpus, make_corpus, sessions_at
from recense.bench.measuring import Assertions, machine, row, seconds, versions
from recense.bench.requests import ScaleRequest
from recense.bench.results import BenchResult, Row
from recense.bench.short_messages import make_short_messages, messages_at
from recense.core.transcript.records import session_id_of
from recense.core.values import Value
from recense.limits import PASSAGES_DEFAULT
from recense.operations.admin import Progress
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.services.memory import Memory

SMALL: Final = "1x"
LARGE: Final = "10x"
SIZES: Final = {SMALL: 1, LARGE: 10}
MESSAGES: Final = "messages_1m"

SELECTIVE_TERMS: Final = 20
OTHER_RUNS: Final = 3
PROCESSES: Final = 3

_SOURCE: Final = "claude_code"
_ABSENT: Final = ("nowhereatall", "absent_name.py:99999", "㷷鿃")
_BYTES_PER_MB: Final = 1e6

Group = Literal["selective", "no_match", "half_corpus"]
Report = Callable[[Progress], None]


class ScaledQuestion(Value, kw_only=True):
    """A term to ask for, and the row that it counts for."""

    group: Group
    term: str


class Kept(Value, kw_only=True):
    """A corpus that is in a store, and the processes that brought it there, one after the other."""

    corpus: MadeCorpus
    url: str
    folder: str
    children: Children
    steps: tuple[Watched, ...]


def run_scale(request: ScaleRequest, progress: Report) -> BenchResult:
    """Measure corpora made from the seed, each in a folder that is gone before the next."""
    asserted = Assertions()
    seed = request.seed
    by_size: dict[str, list[Row]] = {}

    def made(sessions: int) -> Callable[[str], MadeCorpus]:
        return lambda source: make_corpus(source, seed=seed, sessions=sessions)

    with tempfile.TemporaryDirectory() as compiled:
        with _keeping(made(1), compiled, asserted) as kept:
            _process_rows(kept, seed, asserted)  # so that no code is compiled while it is measured
        for done, (name, factor) in enumerate(SIZES.items()):
            _tell(progress, done, name)
            sessions = sessions_at(request.scale * factor)
            with _keeping(made(sessions), compiled, asserted) as kept:
                by_size[name] = _size_rows(kept, name, seed, asserted)
        _tell(progress, len(SIZES), MESSAGES)
        messages = messages_at(request.scale)
        with _keeping(
            lambda source: make_short_messages(source, seed=seed, messages=messages),
            compiled,
            asserted,
            in_two_steps=True,
        ) as kept:
            rows = _messages_rows(kept, seed, asserted)
    grown = zip(by_size[SMALL], by_size[LARGE], strict=True)
    compared = [
        each
        for small, large in grown
        for each in (small, replace(large, baseline=small.name, ratio=large.value / small.value))
    ]
    return BenchResult(
        bench="scale",
        seed=seed,
        machine=machine(),
        versions=versions(),
        rows=(*compared, *rows),
        asserted=asserted.sentences(),
    )


@contextmanager
def _keeping(
    make: Callable[[str], MadeCorpus],
    compiled: str,
    asserted: Assertions,
    *,
    in_two_steps: bool = False,
) -> Generator[Kept]:
    with tempfile.TemporaryDirectory() as folder:
        yield _keep(folder, make, compiled, asserted, in_two_steps=in_two_steps)


def _keep(
    folder: str,
    make: Callable[[str], MadeCorpus],
    compiled: str,
    asserted: Assertions,
    *,
    in_two_steps: bool,
) -> Kept:
    """Make a corpus and bring it into a new store: at once, or first archived and then converted,
    each by a process of its own.
    """
    source = os.path.join(folder, "source")
    os.mkdir(source)
    corpus = make(source)
    url = f"sqlite://{os.path.join(folder, 'recense.db')}"
    children = Children(url, folder, compiled, os.environ)
    imports = ("import", _SOURCE, source)
    commands = ((*imports, "--archive-only"), ("convert",)) if in_two_steps else (imports,)
    steps = tuple(children.watched(*words) for words in commands)
    with memory_at(url, folder) as memory:
        held = memory.sessions(source=_SOURCE, limit=len(corpus.messages) + 1).sessions
    asserted.hold(
        {each.session: each.messages for each in held}
        == {session_id_of(_SOURCE, name): count for name, count in corpus.messages.items()},
        "every session holds all the messages that were written, and no others",
    )
    return Kept(corpus=corpus, url=url, folder=folder, children=children, steps=steps)


def _size_rows(kept: Kept, size: str, seed: int, asserted: Assertions) -> list[Row]:
    megabytes = kept.corpus.bytes / _BYTES_PER_MB
    store = _store_bytes(kept) / _BYTES_PER_MB
    (imported,) = kept.steps
    rows = [
        row("source_mb", "MB", [megabytes]),
        row("store_mb", "MB", [store]),
        row("store_bytes_per_byte", "x", [store / megabytes]),
        row("import_s", "s", [imported.took]),
        row("import_peak_rss_mb", "MB", [imported.peak_bytes / _BYTES_PER_MB]),
        *_answer_rows(kept, ("selective", "no_match", "half_corpus"), seed, asserted),
        *_process_rows(kept, seed, asserted),
    ]
    return [replace(each, name=f"{each.name}_{size}") for each in rows]


def _messages_rows(kept: Kept, seed: int, asserted: Assertions) -> list[Row]:
    archived, converted = kept.steps
    rows = [
        row("messages", "messages", [sum(kept.corpus.messages.values())]),
        row("source_mb", "MB", [kept.corpus.bytes / _BYTES_PER_MB]),
        row("store_bytes_per_byte", "x", [_store_bytes(kept) / kept.corpus.bytes]),
        row("archive_s", "s", [archived.took]),
        row("index_s", "s", [converted.took]),
        row("index_peak_rss_mb", "MB", [converted.peak_bytes / _BYTES_PER_MB]),
        *_answer_rows(kept, ("selective", "no_match"), seed, asserted),
        *_process_rows(kept, seed, asserted),
    ]
    return [replace(each, name=f"{MESSAGES}.{each.name}") for each in rows]


def _answer_rows(kept: Kept, groups: Sequence[Group], seed: int, asserted: Assertions) -> list[Row]:
    """Ask a memory that has answered before, in an order drawn from the seed."""
    dice = random.Random(seed)
    order = [each for each in _questions(kept.corpus, dice) if each.group in groups]
    dice.shuffle(order)
    took_ms: dict[Group, list[float]] = {group: [] for group in groups}
    with memory_at(kept.url, kept.folder) as memory:
        _answer_ms(memory, kept.corpus, order[0], asserted)
        for question in order:
            took_ms[question.group].append(_answer_ms(memory, kept.corpus, question, asserted))
    return [row(group, "ms", runs) for group, runs in took_ms.items()]


def _questions(corpus: MadeCorpus, dice: random.Random) -> list[ScaledQuestion]:
    needles = (*corpus.needles, *corpus.han_needles)
    picked = dice.sample(needles, min(SELECTIVE_TERMS, len(needles)))
    return [
        *(ScaledQuestion(group="selective", term=term) for term in picked),
        *(ScaledQuestion(group="no_match", term=term) for term in _ABSENT),
        *[ScaledQuestion(group="half_corpus", term=FREQUENT)] * OTHER_RUNS,
    ]


def _answer_ms(
    memory: Memory, corpus: MadeCorpus, question: ScaledQuestion, asserted: Assertions
) -> float:
    request = RecallRequest(terms=(question.term,))
    encoded, took = seconds(lambda: msgspec.json.encode(memory.recall(request)))
    anchors = _anchor_texts(encoded)
    match question.group:
        case "selective":
            asserted.hold(
                len(anchors) == 1 and question.term in anchors[0],
                "a needle is found in the one message that holds it",
                question.term,
            )
        case "no_match":
            asserted.hold(not anchors, "an absent word is not found")
        case "half_corpus":
            asserted.hold(
                len(anchors) == min(PASSAGES_DEFAULT, corpus.frequent_turns)
                and all(question.term in text for text in anchors),
                "a frequent word is found in as many turns as an answer has room for",
            )
    return took * 1_000


def _process_rows(kept: Kept, seed: int, asserted: Assertions) -> list[Row]:
    """Ask fresh processes: for their time, and others for their peak of memory."""
    took_ms: list[float] = []
    peaks_mb: list[float] = []
    for needle in random.Random(seed).choices(kept.corpus.needles, k=PROCESSES):
        ended = kept.children.run([*RECENSE, "recall", needle, "--json"])
        watched = kept.children.watched("recall", needle, "--json")
        took_ms.append(ended.took * 1_000)
        peaks_mb.append(watched.peak_bytes / _BYTES_PER_MB)
        for out in (ended.out, watched.out):
            anchors = _anchor_texts(out)
            asserted.hold(
                len(anchors) == 1 and needle in anchors[0],
                "a fresh process finds a needle in the one message that holds it",
                needle,
            )
    return [row("first_answer_ms", "ms", took_ms), row("answer_peak_rss_mb", "MB", peaks_mb)]


def _anchor_texts(answer: bytes) -> list[str]:
    return [
        message.text
        for passage in decoded_as(RecallAnswer, answer).passages
        for message in passage.messages
        if message.is_anchor
    ]


def _store_bytes(kept: Kept) -> int:
    return sum(
        entry.stat().st_size
        for entry in os.scandir(kept.folder)
        if entry.name.startswith("recense.db")
    )


def _tell(progress: Report, done: int, label: str) -> None:
    progress(
        Progress(phase="archiving", done=done, total=len(SIZES) + 1, unit="corpora", label=label)
    )
