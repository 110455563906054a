"""The captures of a real session that grows: read after each, every message is sent once, and what
is known at the end is what one reading of the last capture gives.
"""

import os
import shutil
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from recense.core.extraction.exchanges import exchanges_of, tokens_of
from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.core.text.tokens import estimate_tokens
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.operations.extraction import ExtractRequest
from recense.operations.facts import GetFacts
from recense.ports.extraction import Proposed
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import load_session
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.services.session_messages import SessionMessages
from recense.testing import FakeClock, FakeUptime
from recense.wiring import Stores, join, load_importers
from recense.wiring.extraction import extraction_by
from recense.wiring.policy import ExtractionPolicy
from tests.conformance.joint_openers import OpenStores, in_file
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import silent
from tests.services.fact_world import joined

CHUNK_TOKENS: Final = 4_000
NOW: Final = 1_796_083_200_000_000
"""After the captures."""

SHARE_MAX: Final = 1.1
"""Of the length and what was re-opened: the most that is sent over a session's life."""


@pytest.fixture
def captures(shared_data: Path) -> list[Path]:
    """The four captures, in the order of their growth; skips, saying why, where they are absent."""
    folder = shared_data / "transcripts" / "claude-code" / "entire-growth"
    found = sorted(folder.glob("*.jsonl"))
    if not found:
        pytest.skip(f"no captures of a growing session at {folder}")
    return found


def _noting(view: ExtractorView) -> Proposed:
    """Propose the first line of each thing that the person said."""
    lines = [
        part.text.strip().splitlines()[0][:60]
        for each in view.messages
        for part in each.parts
        if part.author == "user" and part.text.strip()
    ]
    return Proposed(
        proposals=tuple(
            Proposal(subject="user", predicate="likes", value=line, evidence=line) for line in lines
        )
    )


class _Process:
    """A memory over a file of its own, and what reads its sessions."""

    def __init__(self, stores: OpenStores, folder: Path) -> None:
        self.extractor: Final = ScriptedExtractor(_noting)
        clock = FakeClock(NOW)
        importers = load_importers()
        self.memory: Final[Memory] = join(
            Stores(stores.transcripts, stores.records),
            importers=importers,
            clock=clock,
            machine=Machine(environment={}, home=str(folder)),
        )

        def load(reader: TranscriptReader, session: Session) -> LoadedSession:
            return load_session(reader, session, importers.working)

        self.sessions: Final = SessionMessages(stores.transcripts, load)
        self._extraction: Final = extraction_by(
            self.extractor,
            Stores(stores.transcripts, stores.records),
            clock,
            load,
            joined(stores.records, clock).filing,
            policy=ExtractionPolicy(chunk_tokens=CHUNK_TOKENS, daily_tokens=None),
        )
        self._source: Final = folder / "capture.jsonl"
        self._captures = 0

    def take(self, capture: Path) -> None:
        """Let the session have grown to a capture, import it and read what is new."""
        shutil.copyfile(capture, self._source)
        self._captures += 1
        os.utime(self._source, (self._captures, self._captures))
        self.memory.import_sessions("claude_code", [str(self._source)])
        report = self._extraction.run(ExtractRequest(every=True, budget_tokens=10**9), silent)
        assert {each.end for each in report.sessions} == {"complete"}

    def pieces(self) -> dict[tuple[str, int], int]:
        """Return the size of each piece of the session as it is now, by its unit."""
        (session,) = self.memory.sessions().sessions
        return {each.unit: each.size for each in exchanges_of(self.sessions.of(session.session))}

    def facts(self) -> list[str]:
        """Return every value that is held, sorted."""
        beliefs = self.memory.facts(GetFacts(limit=10_000)).beliefs
        return sorted(str(each.value) for each in beliefs)

    def tokens_sent(self) -> int:
        """Return the tokens of all that was shown."""
        return sum(map(estimate_tokens, self.extractor.texts))


@contextmanager
def _process(folder: Path) -> Generator[_Process]:
    folder.mkdir()
    stores = in_file(folder / "recense.db", FakeUptime())
    try:
        yield _Process(stores, folder)
    finally:
        stores.close()


def test_a_session_that_grows_is_sent_once_and_ends_with_the_facts_of_one_reading(
    captures: list[Path], tmp_path: Path
) -> None:
    assert len(captures) == 4
    with _process(tmp_path / "growing") as growing, _process(tmp_path / "last") as last:
        before: dict[tuple[str, int], int] = {}
        reopened = 0
        shown_before = 0
        for capture in captures:
            growing.take(capture)
            now = growing.pieces()
            new = {unit: size for unit, size in now.items() if unit not in before}
            reopened += sum(size for unit, size in before.items() if unit not in now)
            texts = growing.extractor.texts[shown_before:]
            shown_before += len(texts)
            sent = sum(len(text.encode("utf-8", "replace")) for text in texts)
            assert sent == sum(new.values())
            before = now
        last.take(captures[-1])
        assert growing.facts() == last.facts() != []
        length = sum(before.values())
        assert growing.tokens_sent() <= SHARE_MAX * (tokens_of(length) + tokens_of(reopened))
        once = Counter(last.extractor.texts)
        assert sum(len(text.encode("utf-8", "replace")) for text in last.extractor.texts) == length
        again = Counter(growing.extractor.texts) - once
        grown = sum(len(text.encode("utf-8", "replace")) for text in again.elements())
        assert grown <= reopened + length // 100  # windows of a message may be cut elsewhere
