"""``recense bench agents``: what does it cost to resume, and is anything done twice after a kill?

One agent writes turns, a working state, outputs and actions; at a tenth of its turns and at all of
them it is resumed, and pages of its turns are read, so that rows ``.at_1k`` and so on say whether
that grows. Then another is killed with SIGKILL inside every kind of act; what must hold of it
stands in `recense.bench.agent_judge`.
"""

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Final, TypeVar

from recense.bench.agent_kills import survive
from recense.bench.asking import memory_at
from recense.bench.measuring import Assertions, machine, row, row_of_percentile, seconds, versions
from recense.bench.peers import bytes_of
from recense.bench.requests import AgentsRequest
from recense.bench.results import BenchResult, Row
from recense.core.agents.values import StateUpdate, TurnRole
from recense.limits import AGENT_OUTPUT_BYTES_MAX, BRIEFING_TOKENS_DEFAULT, TURNS_LISTED_MAX
from recense.operations.admin import Progress
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    BeginAction,
    EndAction,
    ReadOutput,
    ResumeAgent,
)
from recense.operations.recall import RecallRequest, TextBeyondLimit
from recense.services.agent import Agent
from recense.services.memory import Memory

RESUMES: Final = 15
PAGES: Final = 10
ACTIONS: Final = 100
STATES: Final = 100
BUDGETS: Final = (500, BRIEFING_TOKENS_DEFAULT, 50_000)
AGENT: Final = "harbour"
WORDS: Final = tuple(f"word{number:04}" for number in range(4_000))
"""What is said, each as often as any other: a word is in one turn of a hundred."""

_MS: Final = 1e3
_WORDS_OF_A_TURN: Final = 40
_EARLY: Final = "needlebeforethemebibyte"
_LATE: Final = "needleafterthemebibyte"
_READ: Final = 8_000
_K: Final = 1_000

Report = Callable[[Progress], None]

_Result = TypeVar("_Result")


def run_agents(request: AgentsRequest, progress: Report) -> BenchResult:
    """Measure an agent as it grows, then kill one again and again."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recense.db")
        with memory_at(f"sqlite://{path}", folder) as memory:
            rows = [*_Growing(memory, request, asserted, progress).rows()]
        rows.append(row("store_mb", "MB", [bytes_of(path) / 1e6]))
    with tempfile.TemporaryDirectory() as folder:
        survived, took = seconds(
            lambda: survive(Path(folder), request.kills, request.seed, asserted, progress)
        )
    rows += [
        row("kills_survived", "kills", [survived.kills]),
        *(row(f"kills_survived.{point}", "kills", [n]) for point, n in survived.at.items()),
        row("lives", "lives", [survived.lives]),
        row("kill_ms", "ms", [took * _MS / survived.lives]),
    ]
    return BenchResult(
        bench="agents",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=(row("turns", "turns", [request.turns]), *rows),
        asserted=asserted.sentences(),
    )


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(WORDS, k=count))


class _Growing:
    """One agent, from its first turn on."""

    def __init__(
        self, memory: Memory, request: AgentsRequest, asserted: Assertions, progress: Report
    ) -> None:
        self._memory: Final = memory
        self._request: Final = request
        self._hold: Final = asserted.hold
        self._progress: Final = progress
        self._dice: Final = random.Random(request.seed)
        self._turns = 0

    def rows(self) -> Iterator[Row]:
        """Yield what is measured, in order."""
        last = self._request.turns
        appended: list[float] = []
        for total in sorted({max(1, last // 10), last}):
            appended, worked = self._append(total)
            yield row(f"append_ms{_at(total)}", "ms", appended)
            yield row_of_percentile(f"append_ms{_at(total)}.p95", "ms", appended, 95)
            yield row(f"append_processor_ms{_at(total)}", "ms", worked)
            yield from self._resume(total)
            yield from self._pages(total)
        yield row("append_ms", "ms", appended)
        yield from self._acts()
        yield from self._output()
        yield from self._resume(last, name="")
        yield from self._without_memories()

    def _held(self, budget: int = BRIEFING_TOKENS_DEFAULT) -> Agent:
        return self._memory.agents.resume(
            ResumeAgent(agent=AGENT, holder="bench", token_budget=budget)
        )

    def _append(self, total: int) -> tuple[list[float], list[float]]:
        """Append turns until there are so many; return what each took, and of the processor."""
        took: list[float] = []
        worked: list[float] = []
        with self._held() as agent:
            agent.update_state(
                StateUpdate(goal="move the kiosk", focus=WORDS[0], open_questions=(WORDS[1],))
            )
            for number in range(self._turns, total):
                turn = self._turn(number, _words(self._dice, _WORDS_OF_A_TURN))
                _, took_ms, worked_ms = _milliseconds(lambda turn=turn: agent.add_turn(turn))
                took.append(took_ms)
                worked.append(worked_ms)
                if number % 500 == 0:
                    self._progress(
                        Progress(
                            phase="searching",
                            done=number,
                            total=self._request.turns,
                            unit="turns",
                            label="append",
                        )
                    )
            again = agent.add_turn(self._turn(total - 1, _words(self._dice, _WORDS_OF_A_TURN)))
            self._hold(
                not again.is_new and again.turn.seq == total,
                "a message that is handed over twice is one turn",
            )
        self._turns = total
        return took, worked

    @staticmethod
    def _turn(number: int, content: str) -> AddTurn:
        role: TurnRole = "assistant" if number % 2 else "user"
        return AddTurn(role=role, content=content, message_id=f"message-{number}")

    def _resume(self, total: int, *, name: str | None = None) -> Iterator[Row]:
        """Yield what resuming takes, for each size of a briefing; ``name`` is that of the rows."""
        at = _at(total) if name is None else name
        runs: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
        tokens: dict[int, int] = {}
        texts: dict[int, set[str]] = {budget: set() for budget in BUDGETS}
        worked: list[float] = []
        for budget in self._dice.sample(BUDGETS * RESUMES, k=len(BUDGETS) * RESUMES):
            agent, took_ms, worked_ms = _milliseconds(lambda budget=budget: self._held(budget))
            if budget == BRIEFING_TOKENS_DEFAULT:
                worked.append(worked_ms)
            with agent:
                briefing = agent.context.briefing
                omitted = briefing.omitted
                self._hold(
                    briefing.turns + omitted.turns == total
                    and briefing.outputs + omitted.outputs == agent.context.outputs_total,
                    "what a briefing shows and what it leaves out add up",
                    f"{briefing.turns} and {omitted} of {total}",
                )
                self._hold(briefing.tokens <= budget, "a briefing keeps to its budget", f"{budget}")
                runs[budget].append(took_ms)
                tokens[budget] = briefing.tokens
                texts[budget].add(briefing.text)
        self._hold(
            all(len(each) == 1 for each in texts.values()),
            "equal records give an equal briefing, byte for byte",
        )
        for budget in BUDGETS:
            of = "" if budget == BRIEFING_TOKENS_DEFAULT else f"_{budget}_tokens"
            yield row(f"resume{of}_ms{at}", "ms", runs[budget])
            yield row(f"briefing{of or '_default'}{at}", "tokens", [tokens[budget]])
        yield row(f"resume_processor_ms{at}", "ms", worked)

    def _without_memories(self) -> Iterator[Row]:
        """Yield what resuming takes where there is nothing to look memories up by."""
        with self._held() as agent:
            agent.update_state(StateUpdate(focus="", open_questions=()))
        took: list[float] = []
        worked: list[float] = []
        for _ in range(RESUMES):
            agent, took_ms, worked_ms = _milliseconds(self._held)
            took.append(took_ms)
            worked.append(worked_ms)
            agent.release()
        yield row("resume_without_focus_ms", "ms", took)
        yield row("resume_without_focus_processor_ms", "ms", worked)

    def _pages(self, total: int) -> Iterator[Row]:
        """Yield what reading every turn takes, page by page, for a thousand of them."""
        took: list[float] = []
        for _ in range(PAGES):
            seen, each = seconds(self._read_all)
            self._hold(
                seen == list(range(1, total + 1)), "pages of turns have each of them once, in order"
            )
            took.append(each * _MS * _K / total)
        yield row(f"page_of_1000_ms{_at(total)}", "ms", took)

    def _read_all(self) -> list[int]:
        page = self._memory.agents.turns(AGENT, limit=TURNS_LISTED_MAX)
        seen = [turn.seq for turn in page.turns]
        while page.before is not None:
            page = self._memory.agents.turns(AGENT, before=page.before, limit=TURNS_LISTED_MAX)
            seen = [*(turn.seq for turn in page.turns), *seen]
        return seen

    def _acts(self) -> Iterator[Row]:
        """Yield what writing down an act, and a working state, takes."""
        begins: list[float] = []
        ends: list[float] = []
        states: list[float] = []
        with self._held() as agent:
            for number in range(ACTIONS):
                begin = BeginAction(tool="send", action_class="unsafe", args={"number": number})
                begun, took = seconds(lambda begin=begin: agent.begin_action(begin))
                self._hold(begun.proceed, "a call that nobody made yet may be made")
                self._hold(
                    not agent.begin_action(begin).proceed, "an equal call that is open may not"
                )
                begins.append(took * _MS)
                end = EndAction(action=begun.id, result={"sent": number})
                _, took = seconds(lambda end=end: agent.end_action(end))
                ends.append(took * _MS)
            for number in range(STATES):
                update = StateUpdate(step=number, progress=_words(self._dice, 20))
                _, took = seconds(lambda update=update: agent.update_state(update))
                states.append(took * _MS)
        yield row("begin_action_ms", "ms", begins)
        yield row("end_action_ms", "ms", ends)
        yield row("update_state_ms", "ms", states)

    def _output(self) -> Iterator[Row]:
        """Yield what the largest output takes: to keep, and to read a piece of."""
        size = AGENT_OUTPUT_BYTES_MAX
        filler = _words(self._dice, size // 5)
        content = f"{_EARLY} {filler}"[: size - len(_LATE) - 1] + f" {_LATE}"
        with self._held() as agent:
            output, took = seconds(lambda: agent.add_output(AddOutput(tool="log", content=content)))
        yield row("output_8mb_ms", "ms", [took * _MS])
        pieces: list[float] = []
        for _ in range(PAGES):
            offset = self._dice.randrange(len(content) - _READ)
            read = ReadOutput(agent=AGENT, ref=output.ref, offset=offset, length=_READ)
            piece, took = seconds(lambda read=read: self._memory.agents.read_output(read))
            self._hold(
                piece.text == content[offset : offset + _READ],
                "a piece of an output is those characters of it",
            )
            pieces.append(took * _MS)
        yield row("output_piece_ms", "ms", pieces)
        early, late = (
            self._memory.recall(RecallRequest(terms=(term,), origin="all"))
            for term in (_EARLY, _LATE)
        )
        self._hold(
            len(early.passages) == 1
            and not late.passages
            and any(isinstance(gap, TextBeyondLimit) for gap in late.gaps),
            "the first MiB of an output is found by recall, and the rest is a gap",
            f"{late.gaps}",
        )


def _milliseconds(work: Callable[[], _Result]) -> tuple[_Result, float, float]:
    """Return the result of a piece of work, and how many milliseconds it took by the wall, and of
    the processor.
    """
    began = process_time()
    result, took = seconds(work)
    return result, took * _MS, (process_time() - began) * _MS


def _at(total: int) -> str:
    return f".at_{total // _K}k" if total >= _K else f".at_{total}"
