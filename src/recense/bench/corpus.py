"""*sessions-178*: sessions made from a seed, in the shape of Claude Code's; 178 MB at scale 1.

Shares and sizes are those of real files: how many turns a session has, how often a tool is called,
how long its result is (up to 1 MB), that each result is written twice, and how many lines say
nothing that is kept as a message. Each session holds two words of its own, its needles, in one
message. Fewer sessions of the same size all together have more turns each.
"""

import json
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from recense.bench.corpus_texts import HAN, MadeTexts
from recense.core.values import Value

SESSIONS: Final = 2_000
"""Sessions at scale 1."""

FREQUENT: Final = "gardenia"
"""A word that stands in about half of all turns."""

_TURNS: Final = (1, 1, 2, 2, 3, 4, 6, 10, 20)
"""Turns of a session at its even quantiles."""

_STEPS: Final = (0, 0, 1, 1, 2, 4)
"""Tools called in a turn, likewise."""

_RESULT_CHARACTERS: Final = (85, 143, 213, 300, 477, 900, 1_667, 3_000, 5_361, 11_466, 20_000)
"""Characters of a tool's result, likewise; the longest ones apart."""

_LONG_RESULT_CHARACTERS: Final = 1_000_000
_LONG_RESULT_EVERY: Final = 4_000

Record = dict[str, object]


class Hidden(Value, kw_only=True):
    """A text that stands once in a corpus, among other words, in a message of its own turn."""

    by: Literal["user", "assistant", "tool"]
    text: str


class MadeCorpus(Value, kw_only=True):
    """A folder of session files and what is known to be in it.

    ``messages`` counts them by the session's own id, ``needles`` stand in one message each,
    ``han_needles`` the same in Chinese; FREQUENT stands in ``frequent_turns`` turns.
    """

    folder: str
    bytes: int
    messages: dict[str, int]
    needles: tuple[str, ...]
    han_needles: tuple[str, ...]
    frequent_turns: int = 0


class SessionWriter:
    """Writes one session, line by line; counts the messages that it has."""

    def __init__(self, dice: random.Random, texts: MadeTexts, number: int) -> None:
        self._dice = dice
        self._texts = texts
        self._number = number
        self._place = 0
        self.name = f"bench-{number:05}"
        self.messages = 0
        self.frequent_turns = 0

    def records(
        self, needles: str, *, times: int = 1, hidden: Sequence[Hidden] = ()
    ) -> Iterator[Record]:
        """Yield the records of the session, ``times`` as long as it would be.

        ``needles`` stand in the prompt of one turn, what is ``hidden`` in turns between others.
        """
        turns = sum(self._dice.choice(_TURNS) for _ in range(times))
        self.frequent_turns += turns // 2
        chosen = self._dice.randrange(turns)
        after: dict[int, list[Hidden]] = defaultdict(list)
        for each in hidden:
            after[self._dice.randrange(turns)].append(each)
        yield {"type": "summary", "summary": self._texts.words(6), "leafUuid": f"{self.name}-0"}
        for turn in range(turns):
            yield from self.turn(FREQUENT if turn % 2 else "", needles if turn == chosen else "")
            for each in after[turn]:
                yield from self._hiding_turn(each)

    def turn(self, often: str, needles: str) -> Iterator[Record]:
        """Yield the records of one turn: a prompt, tools, an answer."""
        yield {"type": "file-history-snapshot", "messageId": f"{self.name}-{self._place}"}
        prompt = f"{often} {self._texts.said(self._dice.randint(5, 60))} {needles}".strip()
        yield self._message("user", prompt)
        for _ in range(self._dice.choice(_STEPS)):
            yield from self._tool(often)
        answer = f"{often} {self._texts.said(self._dice.randint(20, 120))}".strip()
        yield self._message(
            "assistant",
            [
                {
                    "type": "thinking",
                    "thinking": self._texts.words(60),
                    "signature": "c2lnbmF0dXJl",
                },
                {"type": "text", "text": answer},
            ],
        )
        yield self._line("system", {"subtype": "turn_duration", "durationMs": 1_000})

    def _hiding_turn(self, hidden: Hidden) -> Iterator[Record]:
        prompt, output, answer = (self._texts.said(self._dice.randint(5, 30)) for _ in range(3))
        match hidden.by:
            case "user":
                prompt = f"{prompt}\n{hidden.text}\n{self._texts.said(8)}"
            case "assistant":
                answer = f"{answer}\n{hidden.text}\n{self._texts.said(8)}"
            case "tool":
                output = f"{self._texts.printed(300)}\n{hidden.text}\n{self._texts.printed(300)}"
        yield self._message("user", prompt)
        yield from self._call(f"make {self._texts.words(2)}", output)
        yield self._message("assistant", [{"type": "text", "text": answer}])

    def _tool(self, often: str) -> Iterator[Record]:
        command = f"{often} make {self._texts.words(4)}".strip()
        is_long = self._dice.randrange(_LONG_RESULT_EVERY) == 0
        size = _LONG_RESULT_CHARACTERS if is_long else self._dice.choice(_RESULT_CHARACTERS)
        yield from self._call(command, f"{often} {self._texts.printed(size)}".strip())

    def _call(self, command: str, output: str) -> Iterator[Record]:
        call = f"toolu_{self._number}_{self._place}"
        yield self._message(
            "assistant",
            [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}],
        )
        for _ in range(self._dice.choice((0, 0, 1, 4))):
            progress = {"type": "bash_progress", "output": self._texts.printed(700)}
            yield self._line("progress", {"data": progress, "toolUseID": call})
        block = {"type": "tool_result", "tool_use_id": call, "content": output}
        yield self._message("user", [block]) | {"toolUseResult": {"stdout": output, "stderr": ""}}

    def _message(self, role: str, content: object) -> Record:
        self.messages += 1
        name = f"m-{self.name}-{self._place}"
        return self._line(role, {"message": {"role": role, "id": name, "content": content}})

    def _line(self, kind: str, more: Record) -> Record:
        place = self._place
        self._place += 1
        day = 1 + self._number % 28
        hour, minute, second = place // 3_600 % 24, place // 60 % 60, place % 60
        return {
            "type": kind,
            "sessionId": self.name,
            "cwd": f"/bench/{self._number % 7}",
            "version": "2.1.7",
            "uuid": f"{self.name}-{place}",
            "parentUuid": f"{self.name}-{place - 1}" if place else None,
            "timestamp": f"2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z",
            **more,
        }


def sessions_at(scale: float) -> int:
    """Return how many sessions a corpus of this scale has: at least one."""
    return max(1, round(SESSIONS * scale))


def lines_of(records: Iterator[Record]) -> bytes:
    """Return records as the lines of a session file."""
    return "".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records
    ).encode()


def make_corpus(
    folder: str,
    *,
    seed: int,
    sessions: int,
    times: int = 1,
    guests: Sequence[str] = (),
    hidden: Sequence[Hidden] = (),
) -> MadeCorpus:
    """Write a corpus and return what is in it; equal arguments give equal bytes.

    Every session is ``times`` as long as it would be. ``guests`` are frequent words of the corpus
    beside those made up. What is ``hidden`` stands once each, in sessions drawn from the seed.
    """
    dice = random.Random(seed)
    texts = MadeTexts(dice, guests)
    needles = tuple(f"needle{number:05}q" for number in range(sessions))
    han_needles = tuple(
        f"{HAN[number % len(HAN)]}{chr(0x9F00 + number % 200)}{chr(0x3400 + number % 6_000)}"
        for number in range(sessions)
    )
    holds: dict[int, list[Hidden]] = defaultdict(list)
    for each in hidden:
        holds[dice.randrange(sessions)].append(each)
    size = frequent_turns = 0
    messages: dict[str, int] = {}
    for number in range(sessions):
        writer = SessionWriter(dice, texts, number)
        words = f"{needles[number]} {han_needles[number]}"
        content = lines_of(writer.records(words, times=times, hidden=holds[number]))
        with open(os.path.join(folder, f"{writer.name}.jsonl"), "wb") as file:
            file.write(content)
        size += len(content)
        messages[writer.name] = writer.messages
        frequent_turns += writer.frequent_turns
    return MadeCorpus(
        folder=folder,
        bytes=size,
        messages=messages,
        needles=needles,
        han_needles=han_needles,
        frequent_turns=frequent_turns,
    )
