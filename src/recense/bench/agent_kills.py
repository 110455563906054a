"""The kill test: a worker that is killed again and again, and what must hold all the same.

Every kill is a process of its own that ends with SIGKILL: at each named point, with each class of
act, and at moments drawn from the seed. Another process resumes the agent and goes on. After every
life the store, the files and the server are looked at, and at the end all of it once more: the
sentences of `recense.bench.measuring.Assertions` say what held.
"""

import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from recense.bench.agent_judge import Judge
from recense.bench.agent_script import (
    AFTER_A_KILL,
    AT_STEPS,
    BEFORE_STEPS,
    CLASSES,
    Life,
    LifeEnd,
    LifeReport,
    Point,
    Told,
    Tool,
    step_at,
)
from recense.bench.agent_worker import memory_of
from recense.bench.agent_world import Hands, counting_server
from recense.bench.measuring import Assertions
from recense.core.values import Value
from recense.limits import LEASE_TTL_MS
from recense.operations.admin import Progress
from recense.testing.uptime import FakeUptime

KILLS_OF_AN_AGENT: Final = 50
"""Kills after which another agent begins, in the same store."""

STEPS_OF_A_LIFE: Final = 24
"""Steps that a life has before it when it is killed at random."""

LIFE_MS_MAX: Final = 400.0
"""A life that is killed at random is killed this long after its process began, at the latest; where
it ended before, half of that is tried."""

AT_START: Final = "random_at_start"
"""Where a life is killed at random before it has said what it resumed with."""

LIVES_PER_KILL_MAX: Final = 8
"""Lives that may end by themselves before the one that is killed; more is a fault of the test."""

_PUT_OPEN_BY: Final[dict[Point, Tool]] = {
    "reconcile_commit": "order",
    "made_again": "charge",
    "reconciled": "write_file",
}


class Kill(Value, kw_only=True):
    """A life that is to be killed: at a point, of the next step with this tool."""

    point: Point
    tool: Tool | None = None


class _Ended(Value, kw_only=True):
    """Whether a life was killed, and what it said last."""

    is_killed: bool
    report: LifeReport | None


class Survived(Value, kw_only=True):
    """How many kills there were, at which points, of how many lives."""

    kills: int
    lives: int
    at: dict[str, int]


def planned(kills: int, dice: random.Random) -> list[Kill]:
    """Return kills in an order drawn by chance. One round of each named point with each tool, but
    for an eighth of all kills at least; more of them while they are fewer than three fifths; and
    the rest at random moments. Fewer kills than a round has are its first: the points inside of an
    act, for each tool.
    """
    inside: tuple[Point, ...] = ("begun", "within", "done", "end_commit", "begin_commit", "ended")
    others: list[Point] = [point for point in AT_STEPS if point not in inside]
    one_round = [
        *(Kill(point=point, tool=tool) for point in inside for tool in CLASSES),
        *(Kill(point=point) for point in (*BEFORE_STEPS, *AFTER_A_KILL)),
        *(Kill(point=point, tool=tool) for point in others for tool in CLASSES),
    ]
    named = max(min(len(one_round), kills - kills // 8), kills * 3 // 5)
    chosen = [one_round[place % len(one_round)] for place in range(named)]
    chosen += [Kill(point="random")] * (kills - named)
    dice.shuffle(chosen)
    return chosen


def survive(
    folder: Path,
    kills: int,
    seed: int,
    asserted: Assertions,
    progress: Callable[[Progress], None],
) -> Survived:
    """Kill the worker so often, and look at what is left each time.

    Raises AssertionError for anything that does not hold.
    """
    dice = random.Random(seed)
    plan = planned(kills, dice)
    at: Counter[str] = Counter()
    lives = 0
    for first in range(0, kills, KILLS_OF_AN_AGENT):
        chunk = plan[first : first + KILLS_OF_AN_AGENT]
        number = first // KILLS_OF_AN_AGENT + 1
        with _one_agent(folder, number, dice, asserted) as agent:
            for kill in chunk:
                at.update(agent.suffer(kill))
                progress(
                    Progress(
                        phase="searching",
                        done=at.total(),
                        total=kills,
                        unit="kills",
                        label=kill.point,
                    )
                )
            agent.finish()
            lives += agent.lives
    return Survived(kills=at.total(), lives=lives, at=dict(sorted(at.items())))


@contextmanager
def _one_agent(
    folder: Path, number: int, dice: random.Random, asserted: Assertions
) -> Generator["_Mortal"]:
    """Give an agent of its own, in the store that all share, with a world of its own."""
    database = folder / "recense.db"
    mine = folder / f"world {number}"
    mine.mkdir()
    # The boot goes on where the lease of the agent before was over long ago.
    uptime = FakeUptime(number * KILLS_OF_AN_AGENT * 1_000 * LEASE_TTL_MS)
    with counting_server() as server, memory_of(database, uptime) as memory:
        hands = Hands(mine, server.server_port)
        hands.prepare()
        judge = Judge(memory, f"agent-{number}", server, hands, asserted)
        with _workers(database, mine, server.server_port) as process:
            yield _Mortal(process, judge, uptime, dice, asserted)


@contextmanager
def _workers(database: Path, folder: Path, port: int) -> "Generator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(  # noqa: S603 -- a program of ours
        [
            *(sys.executable, "-m", "recense.bench.agent_worker"),
            *(str(database), str(folder), str(port)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class _Mortal:
    """An agent that is killed, resumed, and killed again."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        judge: Judge,
        uptime: FakeUptime,
        dice: random.Random,
        asserted: Assertions,
    ) -> None:
        self._process: Final = process
        self._judge: Final = judge
        self._uptime: Final = uptime
        self._dice: Final = dice
        self._asserted: Final = asserted
        self._steps = 0
        self.lives = 0

    def suffer(self, kill: Kill) -> list[str]:
        """Live and be killed once where it is said, and before that inside of an act where that is
        a condition. Returns the points at which a process was killed.
        """
        before: list[str] = []
        if kill.point in _PUT_OPEN_BY:
            before = self.suffer(Kill(point="within", tool=_PUT_OPEN_BY[kill.point]))
        for tries in range(LIVES_PER_KILL_MAX):
            ended = self._live(self._life(kill, LIFE_MS_MAX / 2**tries))
            if ended.is_killed:
                is_early = kill.point == "random" and ended.report is None
                return [*before, AT_START if is_early else kill.point]
        raise AssertionError(f"no life of {LIVES_PER_KILL_MAX} was killed at {kill}")

    def finish(self) -> None:
        """Take what steps are left, and one more round, without being killed; then judge."""
        steps = self._steps + STEPS_OF_A_LIFE
        for _ in range(LIVES_PER_KILL_MAX):
            life = Life(agent=self._judge.agent, uptime_ms=self._later(), steps=steps)
            report = self._live(life).report
            if report is not None and report.is_finished:
                self._judge.at_the_end(steps)
                return
        raise AssertionError("the agent did not come to an end")

    def _life(self, kill: Kill, ms_max: float) -> Life:
        first = self._judge.next_step()
        step: int | None = None
        if kill.tool is not None:
            step = next(n for n in range(first, first + 100) if step_at(n).tool == kill.tool)
        steps = first + STEPS_OF_A_LIFE if step is None else step + 1
        self._steps = max(self._steps, steps)
        return Life(
            agent=self._judge.agent,
            uptime_ms=self._later(),
            steps=self._steps,
            point=kill.point,
            step=step,
            after_ms=self._dice.uniform(0, ms_max) if kill.point == "random" else 0.0,
        )

    def _later(self) -> int:
        """Let the lease of whoever died run out, and return the uptime."""
        self._uptime.advance(LEASE_TTL_MS + 1)
        return self._uptime.uptime_ms()

    def _live(self, life: Life) -> _Ended:
        """Live, look at what is left, and decide what only a person can."""
        expected = self._judge.unsettled()
        reports, end = self._told(life)
        self.lives += 1
        for report in reports[:1]:
            self._judge.resumed(report, expected)
        self._judge.after_a_life()
        if end.exit_code == -signal.SIGKILL:
            return _Ended(is_killed=True, report=reports[-1] if reports else None)
        self._asserted.hold(end.exit_code == 0, "a life that is not killed ends well", str(end))
        last = reports[-1]
        if last.undecided is not None:
            self._later()
            self._judge.decide()
        return _Ended(is_killed=False, report=last)

    def _told(self, life: Life) -> tuple[list[LifeReport], LifeEnd]:
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise OSError("the worker has no pipes")
        into.write(msgspec.json.encode(life) + b"\n")
        into.flush()
        reports: list[LifeReport] = []
        while line := out.readline():
            told = msgspec.json.decode(line, type=Told)
            match told:
                case LifeReport():
                    reports.append(told)
                case LifeEnd():
                    return reports, told
        raise OSError("the worker ended; what it wrote is above")
