"""The settings in force, as one value.

They are read once, at the edge; services take values and never a setting.
"""

from collections.abc import Mapping
from typing import Literal, cast

from recense.core.text.redact import redact
from recense.core.values import Value
from recense.operations.admin import SettingView
from recense.settings.layers import SettingOrigin, read_layers


class Settings(Value, kw_only=True):
    """What the machine's owner decided.

    ``store`` is a URL (``sqlite:///path``, ``memory:``). ``namespace`` is a tenant, a store of its
    own. ``store_secrets`` says whether secrets are redacted before they are stored, ``keep_source``
    what becomes of archive records after conversion, ``synchronous`` whether an acknowledged write
    survives a power cut (full) or a killed process only (normal). ``incognito`` refuses every
    search while it is on. ``registry`` says whether a predicate is defined by its first use (open)
    or has to be defined first. ``extractor`` reads sessions for facts, offline (rules)
    or by a model: ``extractor_model`` of the endpoint ``extractor_url``, empty for the provider's
    own. ``extraction_chunk_tokens`` are read at once, ``extraction_daily_tokens`` a day (0: without
    a bound). What a million tokens cost is ``extraction_input_price_micros`` and
    ``extraction_output_price_micros``, in millionths of a currency's unit, and a day has
    ``extraction_daily_micros`` of them (0: no price, without a bound).
    ``timezone`` is the person's, an IANA name or an offset.
    """

    store: str
    namespace: str
    store_secrets: Literal["redact", "keep"]
    keep_source: Literal["compressed", "drop"]
    synchronous: Literal["normal", "full"]
    incognito: Literal["off", "on"]
    registry: Literal["open", "closed"]
    extractor: Literal["rules", "openai", "anthropic", "ollama"]
    extractor_model: str
    extractor_url: str
    extraction_chunk_tokens: int
    extraction_daily_tokens: int
    extraction_input_price_micros: int
    extraction_output_price_micros: int
    extraction_daily_micros: int
    timezone: str
    origins: tuple[tuple[str, SettingOrigin], ...]
    file: str | None

    def views(self) -> tuple[SettingView, ...]:
        """Return each setting with its value and where it came from."""
        return tuple(
            SettingView(name=name, value=redact(str(getattr(self, name))).text, origin=origin)
            for name, origin in self.origins
        )


def load_settings(
    flags: Mapping[str, str], environment: Mapping[str, str], home: str, working_directory: str
) -> Settings:
    """Return the settings in force. ``flags`` holds only those that were given.

    Raises SettingsInvalid for an unknown name, an impossible value or an unreadable file, and
    NamespaceInvalid; the message says where it stands.
    """
    values, origins, file = read_layers(flags, environment, home, working_directory)
    return Settings(
        store=values["store"],
        namespace=values["namespace"],
        store_secrets=cast("Literal['redact', 'keep']", values["store_secrets"]),
        keep_source=cast("Literal['compressed', 'drop']", values["keep_source"]),
        synchronous=cast("Literal['normal', 'full']", values["synchronous"]),
        incognito=cast("Literal['off', 'on']", values["incognito"]),
        registry=cast("Literal['open', 'closed']", values["registry"]),
        extractor=cast("Literal['rules', 'openai', 'anthropic', 'ollama']", values["extractor"]),
        extractor_model=values["extractor_model"],
        extractor_url=values["extractor_url"],
        extraction_chunk_tokens=int(values["extraction_chunk_tokens"]),
        extraction_daily_tokens=int(values["extraction_daily_tokens"]),
        extraction_input_price_micros=int(values["extraction_input_price_micros"]),
        extraction_output_price_micros=int(values["extraction_output_price_micros"]),
        extraction_daily_micros=int(values["extraction_daily_micros"]),
        timezone=values["timezone"],
        origins=tuple(origins.items()),
        file=file,
    )
