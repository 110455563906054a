"""How the services of facts are joined; loaded when facts are first asked for."""

from collections.abc import Callable
from typing import Final, Protocol

from recense.core.facts.starters import beginning
from recense.ports.clock import Clock
from recense.ports.records import RecordStore
from recense.ports.review import Reviewer
from recense.services.fact_explaining import FactExplaining
from recense.services.fact_forgetting import FactForgetting
from recense.services.fact_memory import FactServices
from recense.services.fact_reading import Registries
from recense.services.fact_writing import FactWriting
from recense.services.facts import Facts
from recense.services.filing import Filing
from recense.services.predicates import Predicates
from recense.services.registry import RegistryService
from recense.services.remembering import Remembering, TextModels
from recense.services.reviewing import Unreviewed
from recense.wiring.late import once

_UNREVIEWED: Final = Unreviewed()


class MakeFactServices(Protocol):
    """What `fact_services` is, for who loads it by its name."""

    def __call__(
        self,
        records: RecordStore,
        clock: Clock,
        *,
        store_key: Callable[[], bytes],
        is_open: bool,
        redact_secrets: bool,
        text_models: Callable[[Filing], TextModels] | None = None,
    ) -> FactServices:
        """See `fact_services`."""
        ...


def fact_services(
    records: RecordStore,
    clock: Clock,
    *,
    store_key: Callable[[], bytes],
    is_open: bool,
    redact_secrets: bool,
    text_models: Callable[[Filing], TextModels] | None = None,
    reviewer: Reviewer = _UNREVIEWED,
) -> FactServices:
    """Return the services of the facts of a store.

    ``is_open``: the first use of a predicate defines it, and the starters are known from the
    beginning. ``store_key`` is called when words of evidence are first kept, ``text_models`` when a
    text is to be read by a model; None where none is asked. ``reviewer`` looks at what
    extractors propose.
    """
    registries = Registries(beginning() if is_open else ())
    writing = FactWriting(
        records,
        clock,
        registries,
        Predicates(is_open=is_open),
        store_key=store_key,
        redact_secrets=redact_secrets,
    )
    filing = Filing(
        records, clock, registries, writing, redact_secrets=redact_secrets, reviewer=reviewer
    )
    return FactServices(
        reading=Facts(records, clock, registries),
        writing=writing,
        explaining=FactExplaining(records, clock, registries),
        registry=RegistryService(records, clock, registries, is_open=is_open),
        remembering=Remembering(
            records,
            clock,
            registries,
            writing,
            filing,
            redact_secrets=redact_secrets,
            text_models=None if text_models is None else once(lambda: text_models(filing)),
        ),
        filing=filing,
        forgetting=FactForgetting(records, clock, registries),
    )
