"""Actions and records to try the rules on."""

from typing import Final

from msgspec.structs import replace

from recense.core.agents.values import (
    Action,
    ActionClass,
    ActionStatus,
    Settlement,
)

KEY: Final = b"k" * 32


def action(
    status: ActionStatus = "open",
    action_class: ActionClass = "unsafe",
    *,
    act: str = "act",
    name: str = "a1",
    **fields: object,
) -> Action:
    found = Action(
        action_id=name,
        tool="send",
        action_class=action_class,
        args='{"to":"mira"}',
        act=act,
        occurrence=0,
        started_at=1_000,
        epoch=1,
        step=3,
        outcome=None
        if status == "open"
        else Settlement(status=status, ended_at=2_000, settled_by="agent"),
    )
    return replace(found, **fields)
