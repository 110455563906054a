"""What the owner of a memory decided, as services are joined by it."""

from typing import Literal

from recense.core.extraction.spending import Prices
from recense.core.values import Value
from recense.limits import (
    EXTRACTION_CEILING_TOKENS,
    EXTRACTION_CHUNK_TOKENS_DEFAULT,
    EXTRACTION_DAILY_TOKENS_DEFAULT,
)
from recense.operations.admin import SettingView


class ExtractionPolicy(Value, kw_only=True):
    """How sessions are read for facts; see `recense.settings.Settings`. ``daily_tokens`` None is no
    bound, and so is ``daily_micros``; without ``prices`` no money is counted.
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


_BY_RULES: ExtractionPolicy = ExtractionPolicy()


class Policy(Value, kw_only=True):
    """What the owner of a memory decided; the fields are those of `recense.settings.Settings`.

    ``settings`` and ``settings_file`` are for the doctor to show.
    """

    redact_secrets: bool = True
    keep_source: Literal["compressed", "drop"] = "compressed"
    incognito: bool = False
    registry: Literal["open", "closed"] = "open"
    extraction: ExtractionPolicy = _BY_RULES
    settings: tuple[SettingView, ...] = ()
    settings_file: str | None = None
