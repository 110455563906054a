"""How the reading of sessions for facts is joined; loaded when it is first asked for."""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, Protocol, cast

from recense.errors import SettingsInvalid
from recense.ports.clock import Clock
from recense.ports.extraction import Extractor
from recense.ports.models import ChatModel
from recense.ports.records import RecordStore
from recense.services.conversion import Load
from recense.services.extraction import Extraction
from recense.services.extraction_budget import DailyBudget
from recense.services.extraction_following import FollowedExtraction
from recense.services.extraction_runs import ReadableTexts
from recense.services.fact_memory import FactServices
from recense.services.filing import Filing
from recense.services.importing import Machine
from recense.services.model_extraction import ModelExtractor
from recense.services.model_selection import ModelSelector
from recense.services.remembering import TextModels
from recense.services.rule_extraction import RuleExtractor
from recense.services.selecting import Selecting
from recense.services.session_extraction import ReadingRules, SessionReading
from recense.services.session_messages import SessionMessages
from recense.services.text_extraction import KeptTexts, TextReading
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
    return extraction_by(extractor, stores, clock, load, facts().filing, policy=policy)


def extraction_by(
    extractor: Extractor,
    stores: Stores,
    clock: Clock,
    load: Load,
    filing: Filing,
    *,
    policy: ExtractionPolicy,
) -> Extraction:
    """Return what reads the sessions of stores by a given extractor, whatever the policy names; and
    the texts that were kept, where it asks a model.
    """
    reading = _reading(
        extractor,
        stores.records,
        clock,
        SessionMessages(stores.transcripts, load),
        filing,
        policy=policy,
    )
    days = _days(stores.records, clock, policy)

    def following() -> FollowedExtraction:
        return FollowedExtraction(
            stores.transcripts,
            stores.records,
            clock,
            reading,
            extractor,
            days=days,
            chunk_tokens=policy.chunk_tokens,
        )

    return Extraction(
        stores.transcripts,
        stores.records,
        reading,
        extractor,
        days,
        texts=_text_reading(extractor, stores.records, clock, filing, policy=policy)
        if extractor.readings_max
        else None,
        following=following,
    )


class MakeTextModels(Protocol):
    """What `text_models_of` is, for who loads it by its name."""

    def __call__(
        self,
        records: RecordStore,
        clock: Clock,
        filing: Filing,
        *,
        policy: ExtractionPolicy,
        machine: Machine,
    ) -> TextModels:
        """See `text_models_of`."""
        ...


def text_models_of(
    records: RecordStore,
    clock: Clock,
    filing: Filing,
    *,
    policy: ExtractionPolicy,
    machine: Machine,
) -> TextModels:
    """Return what asks the model of a policy about texts. Raises as `extraction_of`."""
    model = _model(policy, clock, machine)
    return TextModels(
        reading=_text_reading(ModelExtractor(model), records, clock, filing, policy=policy),
        selecting=Selecting(ModelSelector(model), _days(records, clock, policy)),
    )


def _text_reading(
    extractor: Extractor,
    records: RecordStore,
    clock: Clock,
    filing: Filing,
    *,
    policy: ExtractionPolicy,
) -> TextReading:
    texts = KeptTexts(records)
    reading = _reading(extractor, records, clock, texts, filing, policy=policy)
    return TextReading(records, texts, reading, _days(records, clock, policy))


def _reading(
    extractor: Extractor,
    records: RecordStore,
    clock: Clock,
    texts: ReadableTexts,
    filing: Filing,
    *,
    policy: ExtractionPolicy,
) -> SessionReading:
    return SessionReading(
        records,
        clock,
        texts,
        filing,
        extractor,
        rules=ReadingRules(
            chunk_tokens=policy.chunk_tokens,
            ceiling_tokens=policy.ceiling_tokens,
            timezone=policy.timezone,
        ),
        holder=f"process {os.getpid()}",
    )


def _days(records: RecordStore, clock: Clock, policy: ExtractionPolicy) -> DailyBudget:
    return DailyBudget(
        records,
        clock,
        daily_tokens=policy.daily_tokens,
        prices=policy.prices,
        daily_micros=policy.daily_micros,
    )


def extractor_of(policy: ExtractionPolicy, clock: Clock, machine: Machine) -> Extractor:
    """Return the extractor that a policy names; keys stand in the environment of the machine.

    Raises SettingsInvalid for a model that is not named and for a bound of money without
    prices, and MissingExtra.
    """
    if not policy.asks_a_model:
        return RuleExtractor()
    return ModelExtractor(_model(policy, clock, machine))


def _model(policy: ExtractionPolicy, clock: Clock, machine: Machine) -> ChatModel:
    """Return the model of a policy; its provider alone is loaded."""
    if policy.daily_micros is not None and policy.prices is None:
        raise SettingsInvalid(
            f"extraction_daily_micros is {policy.daily_micros}, and no price is set; expected one",
            hint="set extraction_input_price_micros and extraction_output_price_micros",
        )
    if not policy.model:
        raise SettingsInvalid(
            f"extractor is {policy.extractor}, and no model is named",
            hint="set extractor_model, or RECENSE_EXTRACTOR_MODEL",
        )
    module, name, default_url, key_name = _PROVIDERS[policy.extractor]
    make = cast("MakeModel", getattr(import_module(module), name))
    url = policy.url or cast("str", getattr(import_module(module), default_url))
    return make(policy.model, clock=clock, key=machine.environment.get(key_name), base_url=url)


class MakeModel(Protocol):
    """The class of a provider's models, for who loads it by its name."""

    def __call__(self, model: str, *, clock: Clock, key: str | None, base_url: str) -> ChatModel:
        """Return a model behind an endpoint. Raises SettingsInvalid."""
        ...


_PROVIDERS: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "openai": ("recense.adapters.models.openai", "OpenAiModel", "OPENAI_URL", "OPENAI_API_KEY"),
    "anthropic": (
        "recense.adapters.models.anthropic",
        "AnthropicModel",
        "ANTHROPIC_URL",
        "ANTHROPIC_API_KEY",
    ),
    "ollama": ("recense.adapters.models.ollama", "OllamaModel", "OLLAMA_URL", "OLLAMA_API_KEY"),
}
"""By provider: its module, the class of its models, its own endpoint, and under what name the
environment has its key.
"""
