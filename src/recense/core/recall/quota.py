"""The quota: no session fills an answer alone while others have something to say.

Law: in a first pass, by rank, a family of sessions (a session and its sub-agents) takes at most
max(1, limit // 3) places; places still free are then filled by rank. The chosen stay in rank order.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeVar

from recense.core.transcript.records import Session

Decision = Literal["first_pass", "filled"]

_Item = TypeVar("_Item")


def choose(
    ranked: Iterable[_Item], family_of: Callable[[_Item], str], limit: int
) -> list[tuple[_Item, Decision]]:
    """Return at most ``limit`` of the ranked items, in rank order, each with how it got its
    place. No more of them is asked for than it takes.
    """
    share = max(1, limit // 3)
    taken: Counter[str] = Counter()
    places: dict[int, Decision] = {}
    seen: list[_Item] = []
    for rank, item in enumerate(ranked if limit else ()):
        seen.append(item)
        family = family_of(item)
        if taken[family] < share:
            taken[family] += 1
            places[rank] = "first_pass"
            if len(places) == limit:
                break
    for rank in range(len(seen)):
        if len(places) == limit:
            break
        places.setdefault(rank, "filled")
    return [(seen[rank], places[rank]) for rank in sorted(places)]


def family_of_session(session_id: str, sessions: Mapping[str, Session]) -> str:
    """Return the id of the session whose quota a session spends: itself, or for a sub-agent the
    first ancestor that is none. ``sessions`` may lack ancestors; a circle of parents is followed
    once.
    """
    seen = {session_id}
    current = session_id
    while (session := sessions.get(current)) is not None:
        parent = session.parent_session_id
        if session.origin != "subagent" or parent is None or parent in seen:
            break
        seen.add(parent)
        current = parent
    return current
