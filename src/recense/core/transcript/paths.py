"""Paths through a session that is a tree: what a choice makes of the messages before it."""

from collections.abc import Iterable

from msgspec.structs import replace

from recense.core.transcript.changes import Change, Flagged, Unflagged
from recense.core.transcript.messages import Message
from recense.core.transcript.records import Counts
from recense.core.transcript.visible import own_length
from recense.core.values import Value


class ChosenPath(Value, kw_only=True):
    """The changes that a choice makes, and the session's counts after it."""

    changes: tuple[Change, ...]
    counts: Counts


def choose_path(messages: Iterable[Message], nodes: frozenset[str], counts: Counts) -> ChosenPath:
    """Abandon what is off the path of these nodes, take back what is on it, and count anew; what
    is not of messages stays as it is in ``counts``.

    A message without a node is of no tree, and stays as it is.
    """
    changes: list[Change] = []
    answering = length = branch_messages = 0
    for message in messages:
        was_abandoned = "abandoned" in message.flags
        is_abandoned = was_abandoned if message.node is None else message.node not in nodes
        answers = not is_abandoned and not message.flags - {"abandoned"}
        at = message.position
        if is_abandoned and not was_abandoned:
            changes.append(Flagged(first=at, last=at, flag="abandoned"))
        elif was_abandoned and not is_abandoned:
            changes.append(Unflagged(first=at, last=at, flag="abandoned", counts=answers))
        branch_messages += is_abandoned
        if answers:
            answering += 1
            length += own_length(message.runs)
    return ChosenPath(
        changes=tuple(changes),
        counts=replace(counts, messages=answering, length=length, branch_messages=branch_messages),
    )
