"""Sessions made from a seed, in the shape of Claude Code's: most bytes are tool results.

Words are drawn by rank from a made-up vocabulary, so that a few are everywhere and most are rare.
Each session holds one word of its own, a needle, in one message.
"""

import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from recense.core.values import Value

_SYLLABLES = "ba ce di fo gu ha ki lo mu na pe ri so tu va we xi yo zu".split()
_HAN = "数据库迁移部署会议纪要日志缓存接口测试服务标本温室植物记录分析请求超时重试"


class Corpus(Value, kw_only=True):
    """A folder of session files and what is known to be in it.

    ``needles`` are words that stand in one message each, ``han_needles`` the same in Chinese;
    ``frequent`` stands in about half of all messages.
    """

    folder: Path
    bytes: int
    messages: int
    needles: tuple[str, ...]
    han_needles: tuple[str, ...]
    frequent: str


class _Writer:
    """Words and records of one corpus."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._words = [
            "".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(4_000)
        ]
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._words) + 1)))

    def words(self, count: int) -> str:
        """Return some words, frequent ones more often; three in ten texts are Chinese."""
        if self._dice.random() < 0.3:
            return "".join(self._dice.choices(_HAN, k=count * 2))
        return " ".join(self._dice.choices(self._words, cum_weights=self._weights, k=count))

    def session(self, number: int, needle: str, han_needle: str) -> Iterator[dict[str, object]]:
        """Yield the records of one session."""
        base = {"sessionId": f"bench-{number}", "cwd": f"/bench/{number % 7}", "version": "2.1.7"}
        turns = 12
        chosen = self._dice.randrange(turns)
        for turn in range(turns):
            often = "gardenia " if turn % 2 else ""
            secret_place = f" {needle} {han_needle}" if turn == chosen else ""
            prompt = f"{often}{self.words(20)}{secret_place}"
            output = "\n".join(self.words(12) for _ in range(self._dice.randint(5, 60)))
            call = f"toolu_{number}_{turn}"
            steps: tuple[tuple[str, object, dict[str, object]], ...] = (
                ("user", prompt, {}),
                (
                    "assistant",
                    [
                        {
                            "type": "tool_use",
                            "id": call,
                            "name": "Bash",
                            "input": {"command": f"{often}make {self.words(2)}"},
                        }
                    ],
                    {},
                ),
                (
                    "user",
                    [{"type": "tool_result", "tool_use_id": call, "content": often + output}],
                    {"toolUseResult": {"stdout": often + output, "stderr": ""}},
                ),
                ("assistant", [{"type": "text", "text": often + self.words(60)}], {}),
            )
            for step, (kind, content, more) in enumerate(steps):
                place = turn * len(steps) + step
                yield (
                    base
                    | more
                    | {
                        "type": kind,
                        "uuid": f"{number}-{place}",
                        "parentUuid": f"{number}-{place - 1}" if place else None,
                        "timestamp": f"2026-03-{1 + number % 28:02}T10:{turn:02}:{step:02}.000Z",
                        "message": {"role": kind, "id": f"m-{number}-{place}", "content": content},
                    }
                )


def make_corpus(folder: Path, *, seed: int, sessions: int) -> Corpus:
    """Write a corpus and return what is in it; equal seeds and sizes give equal bytes."""
    dice = random.Random(seed)
    writer = _Writer(dice)
    needles = tuple(f"needle{number:05}q" for number in range(sessions))
    han_needles = tuple(
        f"{_HAN[number % len(_HAN)]}{chr(0x9F00 + number % 200)}{chr(0x3400 + number)}"
        for number in range(sessions)
    )
    size = messages = 0
    for number in range(sessions):
        records = list(writer.session(number, needles[number], han_needles[number]))
        content = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
        path = folder / f"bench-{number}.jsonl"
        path.write_text(content, encoding="utf-8")
        size += path.stat().st_size
        messages += len(records)
    return Corpus(
        folder=folder,
        bytes=size,
        messages=messages,
        needles=needles,
        han_needles=han_needles,
        frequent="gardenia",
    )
