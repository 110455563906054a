"""Starter registries: predicates that fit a kind of work, to be loaded whole or in part.

Law: within a starter every name stands once. Where two starters define a name, the rules of the one
that is loaded first count.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from recense.core.facts.registry import Cardinality, Definition
from recense.core.facts.values import ValueType


def _each(
    names: str, cardinality: Cardinality, value_type: ValueType = "string"
) -> tuple[Definition, ...]:
    """Return definitions of names, alike in all else."""
    return tuple(
        Definition(predicate=name, cardinality=cardinality, value_type=value_type)
        for name in names.split()
    )


def _historical(name: str, *excludes: str) -> Definition:
    return Definition(predicate=name, historical=True, excludes=excludes)


def _excluding(name: str, *excludes: str) -> Definition:
    return Definition(predicate=name, excludes=excludes)


def _one_of(name: str, *allowed: str) -> Definition:
    return Definition(predicate=name, cardinality="single", value_type="enum", allowed=allowed)


_CODING: Final = (
    *_each(
        "prefers_editor prefers_language prefers_response_style prefers_test_framework"
        " prefers_package_manager name pronouns timezone role project_name repository_url"
        " project_status deployment_target",
        "single",
    ),
    *_each("uses_technology project_constraint", "multi"),
    _historical("decided"),
    _excluding("avoids", "uses_technology"),
)

_PERSONAL: Final = (
    *_each("name lives_in works_at role status", "single"),
    *_each("relationship owns", "multi"),
    _historical("gave_away", "owns"),
    _excluding("likes", "dislikes"),
    _excluding("dislikes", "likes"),
    _historical("did"),
    *_each("plans", "multi"),
    _historical("cancelled", "plans"),
    *_each("goal", "multi"),
    *_each("amount", "single"),
    *_each("date", "single", "date"),
    *_each("detail", "multi"),
)

_SUPPORT: Final = (
    *_each("name preferred_language timezone account_id plan", "single"),
    _one_of("contact_channel", "email", "phone", "chat", "sms"),
    *_each("company", "single", "ref"),
    *_each("renewal_date", "single", "date"),
    _one_of("sentiment", "positive", "neutral", "frustrated"),
    *_each("escalated_to", "single", "ref"),
    *_each("uses_product open_issue", "multi"),
    _excluding("resolved_issue", "open_issue"),
    _historical("promised"),
)

_SALES: Final = (
    *_each("name title next_step", "single"),
    *_each("works_at reports_to champion", "single", "ref"),
    *_each("decision_maker", "multi", "ref"),
    _one_of("deal_stage", "lead", "qualified", "proposal", "negotiation", "won", "lost"),
    *_each("deal_value", "single", "number"),
    *_each("close_date last_contacted", "single", "date"),
    *_each("budget_confirmed", "single", "boolean"),
    *_each("pain_point objection competitor uses_technology", "multi"),
)

_VOICE: Final = (
    *_each(
        "name pronouns preferred_language timezone callback_number preferred_contact_time"
        " prefers_response_style reason_for_calling",
        "single",
    ),
    *_each("appointment_time", "single", "date"),
    *_each("consent_to_record", "single", "boolean"),
    *_each("calling_on_behalf_of", "single", "ref"),
    *_each("open_request accessibility_need", "multi"),
)

STARTERS: Final[Mapping[str, tuple[Definition, ...]]] = MappingProxyType(
    {
        "coding": _CODING,
        "personal": _PERSONAL,
        "support": _SUPPORT,
        "sales": _SALES,
        "voice": _VOICE,
    }
)
"""The starters by name. Besides, every registry holds `note`."""
