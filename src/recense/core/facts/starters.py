"""Starter registries: predicates for kinds of memories, to begin with.

`note` is in every registry by itself (`recense.core.facts.changes.NOTE`).
"""

from collections.abc import Mapping
from typing import Final

from recense.core.facts.changes import FIRST_INSTANT, Define, Definition, registry_event
from recense.core.facts.event import FactEvent
from recense.core.facts.values import ValueType


def _one(predicate: str, value_type: ValueType = "string") -> Definition:
    """Return a predicate that holds one value at a time."""
    return Definition(predicate=predicate, cardinality="single", value_type=value_type)


def _choice(predicate: str, *allowed: str) -> Definition:
    return Definition(predicate=predicate, cardinality="single", value_type="enum", allowed=allowed)


def _many(
    predicate: str,
    value_type: ValueType = "string",
    *,
    excludes: tuple[str, ...] = (),
    historical: bool = False,
) -> Definition:
    """Return a predicate that holds any number of values."""
    return Definition(
        predicate=predicate, value_type=value_type, excludes=excludes, historical=historical
    )


CODING: Final = (
    _one("prefers_editor"),
    _one("prefers_language"),
    _one("prefers_response_style"),
    _one("prefers_test_framework"),
    _one("prefers_package_manager"),
    _one("name"),
    _one("pronouns"),
    _one("timezone"),
    _one("role"),
    _one("project_name"),
    _one("repository_url"),
    _one("project_status"),
    _one("deployment_target"),
    _many("uses_technology"),
    _many("project_constraint"),
    _many("decided", historical=True),
    _many("avoids", excludes=("uses_technology",)),
)

PERSONAL: Final = (
    _one("name"),
    _one("lives_in"),
    _one("works_at"),
    _one("role"),
    _one("status"),
    _many("relationship"),
    _many("owns"),
    _many("gave_away", historical=True, excludes=("owns",)),
    _many("likes", excludes=("dislikes",)),
    _many("dislikes", excludes=("likes",)),
    _many("did", historical=True),
    _many("plans"),
    _many("cancelled", historical=True, excludes=("plans",)),
    _many("goal"),
    _one("amount"),
    _one("date", "date"),
    _many("detail"),
)

SUPPORT: Final = (
    _one("name"),
    _one("preferred_language"),
    _one("timezone"),
    _one("account_id"),
    _one("plan"),
    _choice("contact_channel", "email", "phone", "chat", "sms"),
    _one("company", "ref"),
    _one("renewal_date", "date"),
    _choice("sentiment", "positive", "neutral", "frustrated"),
    _one("escalated_to", "ref"),
    _many("uses_product"),
    _many("open_issue"),
    _many("resolved_issue", excludes=("open_issue",)),
    _many("promised", historical=True),
)

SALES: Final = (
    _one("name"),
    _one("title"),
    _one("next_step"),
    _one("works_at", "ref"),
    _one("reports_to", "ref"),
    _one("champion", "ref"),
    _many("decision_maker", "ref"),
    _choice("deal_stage", "lead", "qualified", "proposal", "negotiation", "won", "lost"),
    _one("deal_value", "number"),
    _one("close_date", "date"),
    _one("last_contacted", "date"),
    _one("budget_confirmed", "boolean"),
    _many("pain_point"),
    _many("objection"),
    _many("competitor"),
    _many("uses_technology"),
)

VOICE: Final = (
    _one("name"),
    _one("pronouns"),
    _one("preferred_language"),
    _one("timezone"),
    _one("callback_number"),
    _one("preferred_contact_time"),
    _one("prefers_response_style"),
    _one("reason_for_calling"),
    _one("appointment_time", "date"),
    _one("consent_to_record", "boolean"),
    _one("calling_on_behalf_of", "ref"),
    _many("open_request"),
    _many("accessibility_need"),
)

STARTERS: Final[Mapping[str, tuple[Definition, ...]]] = {
    "coding": CODING,
    "personal": PERSONAL,
    "support": SUPPORT,
    "sales": SALES,
    "voice": VOICE,
}
"""The starters by name, the definitions of each in the order in which they are listed."""


def beginning() -> tuple[FactEvent, ...]:
    """Return what the log of an open registry begins with: coding, then what personal adds.

    The events are the same in every store and of FIRST_INSTANT, so that whoever writes them,
    however often, writes the same.
    """
    definitions = {each.predicate: each for each in (*PERSONAL, *CODING)}
    changes = (Define(definition=each) for each in definitions.values())
    return tuple(registry_event(change, FIRST_INSTANT) for change in changes)
