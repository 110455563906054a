"""*messages-1m*: many short messages made from a seed; a million at scale 1.

Each session is a thousand messages of a sentence each, a person's and a model's in turn, and holds
one word of its own, its needle.
"""

import os
import random
from collections.abc import Iterator
from typing import Final

from recense.bench.corpus import MadeCorpus, Record, lines_of
from recense.bench.corpus_texts import HAN, MadeTexts

MESSAGES: Final = 1_000_000
"""Messages at scale 1."""

SESSION_MESSAGES: Final = 1_000


def messages_at(scale: float) -> int:
    """Return how many messages a corpus of this scale has: at least one."""
    return max(1, round(MESSAGES * scale))


def make_short_messages(folder: str, *, seed: int, messages: int) -> MadeCorpus:
    """Write a corpus and return what is in it; equal arguments give equal bytes."""
    dice = random.Random(seed)
    texts = MadeTexts(dice)
    counts: dict[str, int] = {}
    needles: list[str] = []
    han_needles: list[str] = []
    size = 0
    for first in range(0, messages, SESSION_MESSAGES):
        number = first // SESSION_MESSAGES
        name = f"short-{number:05}"
        counts[name] = min(SESSION_MESSAGES, messages - first)
        needles.append(f"short{number:05}q")
        han_needles.append(f"{HAN[number % len(HAN)]}{chr(0x3400 + number)}")
        words = f"{needles[-1]} {han_needles[-1]}"
        content = lines_of(_records(dice, texts, name, counts[name], words))
        with open(os.path.join(folder, f"{name}.jsonl"), "wb") as file:
            file.write(content)
        size += len(content)
    return MadeCorpus(
        folder=folder,
        bytes=size,
        messages=counts,
        needles=tuple(needles),
        han_needles=tuple(han_needles),
    )


def _records(
    dice: random.Random, texts: MadeTexts, name: str, count: int, needles: str
) -> Iterator[Record]:
    chosen = dice.randrange(count)
    for place in range(count):
        role = "assistant" if place % 2 else "user"
        text = texts.said(dice.randint(4, 16))
        if place == chosen:
            text = f"{text} {needles}"
        yield {
            "type": role,
            "sessionId": name,
            "uuid": f"{name}-{place}",
            "parentUuid": f"{name}-{place - 1}" if place else None,
            "timestamp": f"2026-04-{1 + place % 28:02}T09:{place // 60 % 60:02}:{place % 60:02}Z",
            "message": {
                "role": role,
                "id": f"m-{name}-{place}",
                "content": [{"type": "text", "text": text}],
            },
        }
