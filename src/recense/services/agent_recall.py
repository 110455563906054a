"""Memories for a briefing: what recall finds of what an agent is about."""

from typing import Final

from recense.core.agents.values import FoundMemory
from recense.errors import RequestRefused, StoreFault
from recense.limits import (
    BRIEFING_HITS_PER_PASSAGE,
    BRIEFING_RERANKED_HITS_MIN,
    RERANKED_HITS_MAX,
)
from recense.operations.recall import Passage, RecallRequest
from recense.operations.texts import TextFact
from recense.services.agent_briefing import MemoriesFound
from recense.services.recall import Recall


class AgentRecall:
    """Asks recall for the memories of a briefing, and says so where nothing can be recalled."""

    def __init__(self, recall: Recall) -> None:
        self._recall: Final = recall

    def find(self, text: str, passages: int) -> MemoriesFound:
        """Return the facts and at most so many passages that match a text, facts first, each the
        best first.

        Where recall refuses, or cannot read, the briefing does without, and says why.
        """
        request = RecallRequest(question=text, limit=passages)
        try:
            answer = self._recall.recall(request, reranked_max=_reranked_max(passages))
        except (RequestRefused, StoreFault) as error:
            return MemoriesFound(unavailable=error.code)
        return MemoriesFound(memories=(*map(_fact, answer.facts), *map(_passage, answer.passages)))


def _reranked_max(passages: int) -> int:
    """Return how many hits are re-ranked for so many passages."""
    wanted = max(BRIEFING_RERANKED_HITS_MIN, BRIEFING_HITS_PER_PASSAGE * passages)
    return min(wanted, RERANKED_HITS_MAX)


def _fact(fact: TextFact) -> FoundMemory:
    return FoundMemory(kind="fact", name=fact.fact, text=fact.text, at=fact.since)


def _passage(passage: Passage) -> FoundMemory:
    anchor = next((each for each in passage.messages if each.is_anchor), None)
    return FoundMemory(
        kind="passage",
        name=passage.anchor,
        text="\n".join(f"{each.role}: {each.text}" for each in passage.messages),
        at=None if anchor is None else anchor.at,
        session=passage.session,
    )
