"""How the reading of sessions for facts is joined; loaded when it is first asked for."""

import os
from collections.abc import Callable
from typing import Protocol

from recense.errors import SettingsInvalid
from recense.ports.clock import Clock
from recense.ports.extraction import Extractor
from recense.services.conversion import Load
from recense.services.extraction import Extraction, SessionMessages
from recense.services.extraction_budget import TokenBudget
from recense.services.fact_memory import FactServices
from recense.services.importing import Machine
from recense.services.session_extraction import ReadingRules, SessionReading
from recense.wiring.late import Stores
from recense.wiring.policy import ExtractionPolicy


class MakeExtraction(Protocol):
    """What `extraction_of` is, for who loads it by its name."""

    def __call__(
        self,
        stores: Stores,
        clock: Clock,
        load: Load,
        facts: Callable[[], FactServices],
        *,
        policy: ExtractionPolicy,
        machine: Machine,
    ) -> Extraction:
        """See `extraction_of`."""
        ...


def extraction_of(
    stores: Stores,
    clock: Clock,
    load: Load,
    facts: Callable[[], FactServices],
    *,
    policy: ExtractionPolicy,
    machine: Machine,
) -> Extraction:
    """Return what reads the sessions of stores by the extractor of the policy.

    Raises MissingExtra where what it needs is not installed, SettingsInvalid where it lacks a
    setting.
    """
    extractor = extractor_of(policy, clock, machine)
    reading = SessionReading(
        stores.records,
        clock,
        SessionMessages(stores.transcripts, load).of,
        facts().filing,
        extractor,
        rules=ReadingRules(
            chunk_tokens=policy.chunk_tokens,
            ceiling_tokens=policy.ceiling_tokens,
            timezone=policy.timezone,
        ),
        holder=f"process {os.getpid()}",
    )
    days = TokenBudget(stores.records, clock, daily_tokens=policy.daily_tokens)
    return Extraction(stores.transcripts, stores.records, reading, extractor, days)


def extractor_of(policy: ExtractionPolicy, clock: Clock, machine: Machine) -> Extractor:
    """Return the extractor that a policy names. Raises SettingsInvalid, and MissingExtra."""
    del clock, machine
    raise SettingsInvalid(f"extractor is {policy.extractor!r}, and this release has none yet")
