"""What the owner of a memory decided, as services are joined by it."""

from collections.abc import Callable
from typing import Literal

from recense.core.extraction.spending import Prices
from recense.core.values import Value
from recense.limits import (
    EXTRACTION_CEILING_TOKENS,
    EXTRACTION_CHUNK_TOKENS_DEFAULT,
    EXTRACTION_DAILY_TOKENS_DEFAULT,
)
from recense.operations.admin import HealthCheck, SettingView
from recense.settings.loading import Settings


class ExtractionPolicy(Value, kw_only=True):
    """How sessions and texts are read for facts; see `recense.settings.Settings`. ``daily_tokens``
    None is no bound, and so is ``daily_micros``; without ``prices`` no money is counted.
    """

    extractor: Literal["rules", "openai", "anthropic", "ollama"] = "rules"
    model: str = ""
    url: str = ""
    chunk_tokens: int = EXTRACTION_CHUNK_TOKENS_DEFAULT
    ceiling_tokens: int = EXTRACTION_CEILING_TOKENS
    daily_tokens: int | None = EXTRACTION_DAILY_TOKENS_DEFAULT
    prices: Prices | None = None
    daily_micros: int | None = None
    timezone: str = "UTC"

    @property
    def asks_a_model(self) -> bool:
        """Whether what is read is sent to a model."""
        return self.extractor != "rules"


def extraction_policy(settings: Settings) -> ExtractionPolicy:
    """Return how sessions and texts are read by what the settings say."""
    prices = Prices(
        input_micros=settings.extraction_input_price_micros,
        output_micros=settings.extraction_output_price_micros,
    )
    return ExtractionPolicy(
        extractor=settings.extractor,
        model=settings.extractor_model,
        url=settings.extractor_url,
        chunk_tokens=settings.extraction_chunk_tokens,
        daily_tokens=settings.extraction_daily_tokens or None,
        prices=prices if prices.input_micros or prices.output_micros else None,
        daily_micros=settings.extraction_daily_micros or None,
        timezone=settings.timezone,
    )


_BY_RULES: ExtractionPolicy = ExtractionPolicy()


class Policy(Value, kw_only=True):
    """What the owner of a memory decided; the fields are those of `recense.settings.Settings`.

    ``settings`` and ``settings_file`` are for the doctor to show, and ``examine_control`` is how it
    looks at the control file of the store; None where there can be none.
    """

    redact_secrets: bool = True
    keep_source: Literal["compressed", "drop"] = "compressed"
    incognito: bool = False
    registry: Literal["open", "closed"] = "open"
    extraction: ExtractionPolicy = _BY_RULES
    settings: tuple[SettingView, ...] = ()
    settings_file: str | None = None
    examine_control: Callable[[], HealthCheck] | None = None
