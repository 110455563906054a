"""What becomes of an open action: a rule for each class, and never a guess."""

import pytest

from recense.core.agents.reconciling import (
    Abandon,
    CallUnknown,
    LeaveOpen,
    LookUp,
    Rule,
    RunAgain,
    rule_for,
    rule_when_not_done,
)
from recense.core.agents.values import ACTION_CLASSES, ActionClass
from tests.core.agents.agent_samples import action

WITH_ALL: dict[ActionClass, type[Rule]] = {
    "read": Abandon,
    "idempotent": RunAgain,
    "keyed": RunAgain,
    "checkable": LookUp,
    "unsafe": CallUnknown,
}
WITH_NOTHING: dict[ActionClass, type[Rule]] = {
    "read": Abandon,
    "idempotent": LeaveOpen,
    "keyed": LeaveOpen,
    "checkable": LeaveOpen,
    "unsafe": CallUnknown,
}


@pytest.mark.parametrize("action_class", ACTION_CLASSES)
def test_each_class_has_its_rule_with_a_handler_and_without(action_class: ActionClass) -> None:
    opened = action("open", action_class)
    assert type(rule_for(opened, can_run_again=True, can_probe=True)) is WITH_ALL[action_class]
    without = rule_for(opened, can_run_again=False, can_probe=False)
    assert type(without) is WITH_NOTHING[action_class]


@pytest.mark.parametrize("can_run_again", [True, False])
@pytest.mark.parametrize("can_probe", [True, False])
@pytest.mark.parametrize("args_redacted", [True, False])
def test_nothing_makes_an_unsafe_call_again(
    can_run_again: bool, can_probe: bool, args_redacted: bool
) -> None:
    opened = action("open", "unsafe", args_redacted=args_redacted)
    found = rule_for(opened, can_run_again=can_run_again, can_probe=can_probe)
    assert isinstance(found, CallUnknown)


@pytest.mark.parametrize("action_class", ["idempotent", "keyed"])
def test_a_call_whose_arguments_held_a_secret_is_not_made_again(action_class: ActionClass) -> None:
    opened = action("open", action_class, args_redacted=True)
    assert isinstance(rule_for(opened, can_run_again=True, can_probe=True), CallUnknown)


def test_what_was_found_not_done_is_closed_or_made_again_as_the_caller_wishes() -> None:
    opened = action("open", "checkable")
    assert isinstance(rule_when_not_done(opened, "close", can_run_again=True), Abandon)
    assert isinstance(rule_when_not_done(opened, "run_again", can_run_again=True), RunAgain)
    assert isinstance(rule_when_not_done(opened, "run_again", can_run_again=False), LeaveOpen)
