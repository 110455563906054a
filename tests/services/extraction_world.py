"""Sessions that are read for facts over each pair of stores, by an extractor of a test."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from recense.core.extraction.spending import CallTokens, Prices
from recense.core.transcript.events import Payload, ToolCall, ToolResult, encode_payload
from recense.core.transcript.events import Text as TextPayload
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.operations.admin import Progress
from recense.operations.extraction import (
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    SessionCoverage,
    SessionRun,
)
from recense.operations.facts import GetFacts
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.extraction import Extractor
from recense.ports.records import RecordStore
from recense.ports.review import Reviewer
from recense.ports.selection import Selector
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import load_session
from recense.services.extraction import Extraction
from recense.services.extraction_budget import DailyBudget
from recense.services.extraction_collection import EXTRACTION
from recense.services.extraction_following import FollowedExtraction
from recense.services.extraction_runs import ReadableTexts
from recense.services.fact_memory import FactMemory
from recense.services.filing import Filing
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.services.remembering import TextModels
from recense.services.selecting import Selecting
from recense.services.session_extraction import ReadingRules, SessionReading
from recense.services.session_messages import SessionMessages
from recense.services.text_extraction import KeptTexts, TextReading
from recense.testing import FakeClock, FakeUptime
from recense.wiring import Importers, Stores, join
from tests.conformance.joint_openers import OpenStores, in_file, in_memory
from tests.services.extraction_fakes import ScriptedSelector
from tests.services.fact_world import T0, joined

KINDS: Final = ("memory", "sqlite")
SESSION: Final = "api:walk"


def silent(_progress: Progress) -> None:
    """Take progress and say nothing."""


class ExtractionWorld:
    """Two stores on one place, a memory over them, and what reads its sessions."""

    def __init__(self, stores: OpenStores, uptime: FakeUptime) -> None:
        self.stores: Final = stores
        self.uptime: Final = uptime
        self.clock: Final = FakeClock(T0)
        self.memory: Final = self.memory_over(Stores(stores.transcripts, stores.records))
        self._said = 0

    def memory_over(self, stores: Stores) -> Memory:
        """Return the memory of a process over stores."""
        return join(
            stores,
            importers=Importers(working={}),
            clock=self.clock,
            machine=Machine(environment={}, home="/nowhere"),
        )

    def extraction(
        self,
        extractor: Extractor,
        *,
        records: RecordStore | None = None,
        chunk_tokens: int = 1_000,
        ceiling_tokens: int = 64_000,
        daily_tokens: int | None = None,
        prices: Prices | None = None,
        daily_micros: int | None = None,
        holder: str = "here",
        reviewer: Reviewer | None = None,
    ) -> Extraction:
        """Return what reads the sessions of this world, as a process of its own has it."""
        kept = self.stores.records if records is None else records
        facts = joined(kept, self.clock, reviewer=reviewer)

        def load(reader: TranscriptReader, session: Session) -> LoadedSession:
            return load_session(reader, session, {})

        def reading_of(texts: ReadableTexts) -> SessionReading:
            return SessionReading(
                kept,
                self.clock,
                texts,
                facts.filing,
                extractor,
                rules=ReadingRules(
                    chunk_tokens=chunk_tokens, ceiling_tokens=ceiling_tokens, timezone="UTC"
                ),
                holder=holder,
            )

        reading = reading_of(SessionMessages(self.stores.transcripts, load))
        texts = KeptTexts(kept)
        days = DailyBudget(
            kept,
            self.clock,
            daily_tokens=daily_tokens,
            prices=prices,
            daily_micros=daily_micros,
        )

        def following() -> FollowedExtraction:
            return FollowedExtraction(
                self.stores.transcripts,
                kept,
                self.clock,
                reading,
                extractor,
                days=days,
                chunk_tokens=chunk_tokens,
            )

        return Extraction(
            self.stores.transcripts,
            kept,
            reading,
            extractor,
            days,
            texts=TextReading(kept, texts, reading_of(texts), days)
            if extractor.readings_max
            else None,
            following=following,
        )

    def telling(
        self,
        extractor: Extractor,
        *,
        selector: Selector | None = None,
        records: RecordStore | None = None,
        chunk_tokens: int = 10_000,
        daily_tokens: int | None = None,
    ) -> FactMemory:
        """Return the facts of this world, as a process of its own has them whose texts are read."""
        kept = self.stores.records if records is None else records
        days = DailyBudget(kept, self.clock, daily_tokens=daily_tokens)

        def text_models(filing: Filing) -> TextModels:
            texts = KeptTexts(kept)
            reading = SessionReading(
                kept,
                self.clock,
                texts,
                filing,
                extractor,
                rules=ReadingRules(
                    chunk_tokens=chunk_tokens, ceiling_tokens=64_000, timezone="UTC"
                ),
                holder="who tells",
            )
            return TextModels(
                reading=TextReading(kept, texts, reading, days),
                selecting=Selecting(selector or ScriptedSelector(), days),
            )

        facts = joined(kept, self.clock, text_models=text_models)
        return FactMemory(lambda: facts, incognito=False)

    def say(self, *payloads: Payload | str, session: str = "walk") -> str:
        """Append events, a text being what the person says; return the session's id."""
        opened = self.memory.session_open(OpenSession(session=session)).session
        events: list[AppendedEvent] = []
        for each in payloads:
            self._said += 1
            payload = TextPayload(role="user", text=each) if isinstance(each, str) else each
            events.append(
                AppendedEvent(event_id=f"event-{self._said}", payload=encode_payload(payload))
            )
        self.clock.advance(1_000)
        self.memory.session_append(opened, events)
        return opened

    def facts(self) -> list[tuple[str, str, object, str]]:
        """Return subject, predicate, value and source of every belief, sorted."""
        beliefs = self.memory.facts(GetFacts(limit=10_000)).beliefs
        return sorted((each.subject, each.predicate, each.value, each.source) for each in beliefs)

    def extraction_records(self) -> dict[str, bytes]:
        """Return all that is kept of reading, by the ids of the records."""
        with self.stores.records.snapshot() as reader:
            return {each.record_id: each.body for each in reader.list(EXTRACTION).records}


def model_says(text: str) -> TextPayload:
    """Return what the agent says."""
    return TextPayload(role="model", text=text)


def calls(call_id: str, name: str = "look", **arguments: str) -> ToolCall:
    """Return a call of a tool."""
    return ToolCall(call_id=call_id, name=name, arguments=arguments)


def answers(call_id: str, content: str) -> ToolResult:
    """Return the result of a call."""
    return ToolResult(call_id=call_id, content=content)


def sent(tokens: int) -> CallTokens:
    """Return a call that is sent so many tokens."""
    return CallTokens(tokens_in=tokens)


def run(extraction: Extraction, *, budget: int | None = 10**9) -> ExtractReport:
    """Read all sessions."""
    return extraction.run(ExtractRequest(every=True, budget_tokens=budget), silent)


def run_one(extraction: Extraction, *, session: str = SESSION) -> SessionRun:
    """Read one session."""
    (done,) = extraction.run(ExtractRequest(sessions=(session,)), silent).sessions
    return done


def status(extraction: Extraction) -> ExtractionStatus:
    """Return how far all sessions are read."""
    return extraction.status((), silent)


def stands(extraction: Extraction, session: str = SESSION) -> SessionCoverage:
    """Return how far one session is read."""
    (view,) = extraction.status((session,), silent).sessions
    return view


@contextmanager
def extraction_world(kind: str, folder: Path) -> Generator[ExtractionWorld]:
    """Give a world over the stores of a kind."""
    uptime = FakeUptime()
    stores = in_memory(uptime) if kind == "memory" else in_file(folder / "store.db", uptime)
    try:
        yield ExtractionWorld(stores, uptime)
    finally:
        stores.close()
