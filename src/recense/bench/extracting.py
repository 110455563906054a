"""``recense bench extract``: what does reading a session for facts send, as the session grows?

A session grows by a quarter of a length at a time, up to eight lengths, and is read after each
growth; each growth leaves a call without its result, which arrives with the next one. The extractor
is scripted: it asks no model, counts what it is shown, and proposes what a person was made to
state. Beside it: reading the session whole after each growth. Rows ``_1x`` to ``_8x`` say where
that stands when the session has so many lengths.
"""

import os
import random
import tempfile
from collections.abc import Callable, Sequence
from time import process_time
from typing import Final

from recense.adapters.system import SystemChance, SystemClock
from recense.bench.asking import SOURCE
from recense.bench.corpus_texts import MadeTexts
from recense.bench.measuring import Assertions, machine, row, versions
from recense.bench.requests import GrowingRequest
from recense.bench.results import BenchResult, Row
from recense.core.extraction.exchanges import Exchange, exchanges_of, tokens_of
from recense.core.extraction.proposals import Proposal
from recense.core.extraction.rules import rule_proposals
from recense.core.extraction.views import Author, ExtractorView, ViewMessage, ViewPart
from recense.core.facts.changes import Definition
from recense.core.text.tokens import BYTES_PER_TOKEN
from recense.core.transcript.events import Payload, Text, ToolCall, ToolResult, encode_payload
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.limits import VIEW_PARTS_MAX
from recense.operations.admin import Progress
from recense.operations.extraction import ExtractRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.extraction import Proposed
from recense.ports.models import ModelAnswer, ModelRequest
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import load_session
from recense.services.memory import Memory
from recense.services.model_extraction import ModelExtractor
from recense.services.session_messages import SessionMessages
from recense.settings.loading import load_settings
from recense.wiring import join, load_importers, open_stores, this_machine
from recense.wiring.extraction import extraction_by
from recense.wiring.facts import fact_services
from recense.wiring.late import Stores
from recense.wiring.policy import ExtractionPolicy

LENGTHS: Final = (1, 2, 4, 8)
STEPS: Final = 4
"""Growths, each followed by a reading, of one length."""

RATIO_MAX: Final = 1.1
"""Tokens sent for each of the session and of what was opened again, at most."""

_SESSION: Final = "growing"
_STATED: Final = "Remember that berth "
_MB: Final = 1e6
_MS: Final = 1e3
_RULES_RUNS: Final = 3
_RULES_MESSAGES: Final = 1_500
_PRINTED_BYTES: Final = 700


def run_extracting(request: GrowingRequest, progress: Callable[[Progress], None]) -> BenchResult:
    """Let a session grow and read it after each growth, then read by rules."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        growing = _Growing(folder, request, asserted)
        rows: list[Row] = []
        for step in range(1, max(LENGTHS) * STEPS + 1):
            growing.grow(step)
            growing.read()
            done = Progress(
                phase="extracting", done=step, total=max(LENGTHS) * STEPS, unit="readings", label=""
            )
            progress(done)
            if step % STEPS == 0 and step // STEPS in LENGTHS:
                rows += growing.rows(step // STEPS)
        growing.close()
    return BenchResult(
        bench="extract",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=(*rows, *_rules_rows(request.seed, asserted)),
        asserted=asserted.sentences(),
    )


class _Counting:
    """An extractor that asks nobody: it counts what it is shown, and proposes what was stated."""

    def __init__(self) -> None:
        self.extractor_id: Final = "counting"
        self.version: Final = "1"
        self.answer_tokens: Final = 0
        self.readings_max: Final = 0
        self.bytes = 0
        self.calls = 0

    def overhead_tokens(self, parts: int, vocabulary: Sequence[Definition]) -> int:
        """Return 0: nothing is sent."""
        del parts, vocabulary
        return 0

    def propose(
        self,
        view: ExtractorView,
        vocabulary: Sequence[Definition],
        observed_at: int | None,
        timezone: str,
    ) -> Proposed:
        """Return the statements of a view."""
        del vocabulary, observed_at, timezone
        texts = [part.text for message in view.messages for part in message.parts]
        self.bytes += sum(len(text.encode()) for text in texts)
        self.calls += 1
        said = [text.partition("\n")[0] for text in texts if text.startswith(_STATED)]
        return Proposed(
            proposals=tuple(
                Proposal(subject="harbour", predicate="note", value=each, evidence=each)
                for each in said
            )
        )


class _NeverAsked:
    """A model of which only the instructions are looked at that it would be sent."""

    @property
    def name(self) -> str:
        """No name of a model."""
        return "never asked"

    def complete(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Raise: nobody asks."""
        raise AssertionError(f"{len(request.text)} characters for no model in {deadline_seconds} s")


class _Growing:
    """One session, what of it was sent, and what reading it whole each time would have sent."""

    def __init__(self, folder: str, request: GrowingRequest, asserted: Assertions) -> None:
        self._asserted: Final = asserted
        self._texts: Final = MadeTexts(random.Random(request.seed))
        self._step_bytes: Final = request.tokens * BYTES_PER_TOKEN // STEPS
        self._policy: Final = ExtractionPolicy()
        url = f"sqlite://{os.path.join(folder, 'recense.db')}"
        stores = open_stores(
            load_settings({"store": url}, {}, folder, folder), create=True, chance=SystemChance()
        )
        self._memory: Final = _memory_of(stores)
        self._messages: Final = SessionMessages(stores.transcripts, _load).of
        self._extractor: Final = _Counting()
        filing = fact_services(
            stores.records,
            SystemClock(),
            store_key=stores.transcripts.key,
            is_open=True,
            redact_secrets=True,
        ).filing
        self._extraction: Final = extraction_by(
            self._extractor, stores, SystemClock(), _load, filing, policy=self._policy
        )
        asked = ModelExtractor(_NeverAsked())
        beside = asked.overhead_tokens(VIEW_PARTS_MAX, filing.vocabulary())
        self._overhead: Final = beside + asked.answer_tokens
        self._session: Final = self._memory.session_open(
            OpenSession(session=_SESSION, source=SOURCE, origin="interactive")
        ).session
        self._turns = self._filed = 0
        self._open_call = ""
        self._reopened_bytes = self._whole_bytes = self._whole_calls = 0
        self._worked: list[float] = []

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def grow(self, step: int) -> None:
        """Let the session have ``step`` quarters of a length; its last call has no result yet.

        The result of the call before changes a piece that was read.
        """
        pieces = self._pieces()
        if sum(each.size for each in pieces) < step * self._step_bytes:
            self._reopened_bytes += sum(each.size for each in pieces if each.is_open)
        while self._bytes() < step * self._step_bytes:
            self._memory.session_append(self._session, self._turn())

    def _turn(self) -> list[AppendedEvent]:
        """Return the result of the call before, and a turn that ends with a call."""
        number = self._turns
        self._turns += 1
        payloads: list[tuple[str, Payload]] = [
            ("asks", Text(role="user", text=f"{_stated(number)}\n{self._texts.said(40)}")),
            ("says", Text(role="model", text=self._texts.said(60))),
            ("calls", ToolCall(call_id=f"call-{number}", name="look", arguments={"at": number})),
        ]
        if self._open_call:
            result = ToolResult(call_id=self._open_call, content=self._texts.printed(600))
            payloads.insert(0, ("answers", result))
        self._open_call = f"call-{number}"
        return [
            AppendedEvent(event_id=f"{number}-{name}", payload=encode_payload(payload))
            for name, payload in payloads
        ]

    def read(self) -> None:
        """Read what is left, and count it."""
        began = process_time()
        report = self._extraction.run(ExtractRequest(every=True), lambda _: None)
        self._worked.append((process_time() - began) * _MS)
        (run,) = report.sessions
        self._filed += sum(each.outcome == "filed" for each in run.proposals)
        self._asserted.hold(
            run.end == "complete" and all(each.outcome != "refused" for each in run.proposals),
            "a reading reads what is left to its end, and no proposal is refused",
        )
        self._asserted.hold(
            self._filed == self._turns,
            "what was stated is filed after each growth, each statement once",
            f"{self._filed} of {self._turns}",
        )
        length = self._bytes()
        self._asserted.hold(
            self._extractor.bytes == length + self._reopened_bytes,
            "each message is shown once, and once more where a late result changed it",
            f"{self._extractor.bytes} of {length} and {self._reopened_bytes}",
        )
        self._whole_bytes += length
        self._whole_calls += -(-tokens_of(length) // self._policy.chunk_tokens)

    def rows(self, lengths: int) -> list[Row]:
        """Return the rows of so many lengths; call it after a reading."""
        at = f"_{lengths}x"
        length, sent = tokens_of(self._bytes()), tokens_of(self._extractor.bytes)
        reopened = tokens_of(self._reopened_bytes)
        ratio = sent / (length + reopened)
        self._asserted.hold(
            ratio <= RATIO_MAX,
            f"at most {RATIO_MAX} times the session and what was opened again is sent",
            f"{ratio:.3f}",
        )
        whole = f"whole_session.tokens_sent{at}"
        beside = tokens_of(self._whole_bytes)
        return [
            row(f"length_tokens{at}", "tokens", [length]),
            row(f"reopened_tokens{at}", "tokens", [reopened]),
            row(f"tokens_sent{at}", "tokens", [sent], baseline=whole, ratio=sent / beside),
            row(f"tokens_sent_ratio{at}", "x", [ratio]),
            row(whole, "tokens", [beside]),
            row(f"instruction_tokens{at}", "tokens", [self._extractor.calls * self._overhead]),
            row(
                f"whole_session.instruction_tokens{at}",
                "tokens",
                [self._whole_calls * self._overhead],
            ),
            row(f"read_processor_ms{at}", "ms", self._worked[-STEPS:]),
        ]

    def _pieces(self) -> list[Exchange]:
        return exchanges_of(self._messages(self._session))

    def _bytes(self) -> int:
        return sum(each.size for each in self._pieces())


def _stated(number: int) -> str:
    return f"{_STATED}{number} is free."


def _load(reader: TranscriptReader, session: Session) -> LoadedSession:
    return load_session(reader, session, {})


def _memory_of(stores: Stores) -> Memory:
    return join(stores, importers=load_importers(), clock=SystemClock(), machine=this_machine())


def _rules_rows(seed: int, asserted: Assertions) -> list[Row]:
    """Return what the rules take for a MB that a person typed, and for one that tools printed."""
    texts = MadeTexts(random.Random(seed))
    typed = [f"{texts.said(60)}. I prefer short answers." for _ in range(_RULES_MESSAGES)]
    printed = [texts.printed(_PRINTED_BYTES) for _ in range(_RULES_MESSAGES)]
    taken: list[Row] = []
    cases: tuple[tuple[str, Author, list[str]], ...] = (
        ("rules", "user", typed),
        ("rules_printed", "tool", printed),
    )
    for name, author, words in cases:
        views = [_view(author, text) for text in words]
        megabytes = sum(len(text.encode()) for text in words) / _MB
        runs: list[float] = []
        for _ in range(_RULES_RUNS):
            began = process_time()
            found = sum(len(rule_proposals(view)) for view in views)
            runs.append((process_time() - began) * _MS / megabytes)
            asserted.hold(
                found == (len(views) if author == "user" else 0),
                "rules find what a person states, and nothing in what a tool prints",
                f"{found} of {len(views)}",
            )
        taken.append(row(f"{name}_processor_ms_per_mb", "ms", runs))
    return taken


def _view(author: Author, text: str) -> ExtractorView:
    part = ViewPart(author=author, text=text, event_id="e")
    return ExtractorView(messages=(ViewMessage(parts=(part,)),))
