"""Texts of a made corpus: what people say, and what tools print.

Words are drawn by rank from a made-up vocabulary, so that a few are everywhere and most are rare.
Three in ten texts of people are Chinese. What tools print is code, logs with colours, lock files,
diffs, listings and JSON: lines are drawn from pools, so that a corpus is made faster than it is
read, and numbered, so that few are equal.
"""

import random
from itertools import accumulate
from typing import Final

SYLLABLES: Final = "ba ce di fo gu ha ki lo mu na pe ri so tu va we xi yo zu".split()
HAN: Final = "数据库迁移部署会议纪要日志缓存接口测试服务标本温室植物记录分析请求超时重试"

CHINESE_SHARE: Final = 0.3

_VOCABULARY: Final = 4_000
_POOL_LINES: Final = 600
_HEX: Final = "0123456789abcdef"


class Texts:
    """Draws texts; equal dice give equal texts."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._words = [
            "".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) for _ in range(_VOCABULARY)
        ]
        self._weights = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))
        kinds = (self._code, self._log, self._lock, self._diff, self._listing, self._json)
        self._pools = [[make() for _ in range(_POOL_LINES)] for make in kinds]

    def words(self, count: int) -> str:
        """Return that many words in a row, frequent ones more often."""
        return " ".join(self._dice.choices(self._words, cum_weights=self._weights, k=count))

    def said(self, count: int) -> str:
        """Return what a person or a model says: about that many words, or as much in Chinese."""
        if self._dice.random() < CHINESE_SHARE:
            return "".join(self._dice.choices(HAN, k=count * 2))
        return self.words(count)

    def printed(self, size: int) -> str:
        """Return about ``size`` characters as one tool prints them, line by line."""
        pool = self._dice.choice(self._pools)
        average = sum(map(len, pool[:50])) // 50 + 6
        lines = self._dice.choices(pool, k=max(1, size // average))
        first = self._dice.randrange(1_000)
        return "\n".join(f"{number} {line}" for number, line in enumerate(lines, first))[:size]

    def _word(self) -> str:
        return self.words(1)

    def _code(self) -> str:
        indent = "    " * self._dice.randint(0, 4)
        name, of, other = self._word(), self._word(), self._word()
        return f"{indent}{name}_{of} = {other}({of}, {self._dice.randrange(99)})"

    def _log(self) -> str:
        colour = self._dice.choice(("32mINFO", "33mWARN", "31mERROR"))
        clock = f"2026-03-0{self._dice.randint(1, 9)}T10:{self._dice.randint(10, 59)}:00Z"
        return f"{clock} \x1b[{colour}\x1b[0m {self._word()}.{self._word()}: {self.words(6)}"

    def _lock(self) -> str:
        version = f"{self._dice.randint(0, 9)}.{self._dice.randint(0, 40)}"
        return f'"{self._word()}@{version}": sha256:{self._hexadecimal(64)}'

    def _diff(self) -> str:
        return f"{self._dice.choice('+- ')} {self._code()}"

    def _listing(self) -> str:
        path = "/".join(self._word() for _ in range(self._dice.randint(2, 5)))
        return f"{path}.py:{self._dice.randrange(900)}: {self.words(5)}"

    def _json(self) -> str:
        number = self._dice.randrange(10**6)
        return f'{{"{self._word()}": "{self.said(4)}", "{self._word()}": {number}}},'

    def _hexadecimal(self, count: int) -> str:
        return "".join(self._dice.choices(_HEX, k=count))
