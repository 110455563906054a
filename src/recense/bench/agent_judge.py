"""What must hold of an agent that was killed, as seen from outside: in its store and its world."""

from collections import Counter
from typing import Final

from recense.bench.agent_script import (
    LifeReport,
    ScriptedStep,
    file_content,
    script,
    step_at,
    step_called,
)
from recense.bench.agent_worker import journal_of
from recense.bench.agent_world import CountingServer, Hands
from recense.bench.measuring import Assertions
from recense.core.agents.values import ClosedStatus
from recense.errors import NotFound
from recense.limits import ACTIONS_LISTED_MAX, TURNS_LISTED_MAX
from recense.operations.agents import ActionView, DecideAction
from recense.services.memory import Memory


class Judge:
    """Looks at one agent, and decides what only a person can."""

    def __init__(
        self,
        memory: Memory,
        agent: str,
        server: CountingServer,
        hands: Hands,
        asserted: Assertions,
    ) -> None:
        self._memory: Final = memory
        self.agent: Final = agent
        self._server: Final = server
        self._hands: Final = hands
        self._journal: Final = journal_of(hands.folder)
        self._asserted: Final = asserted
        self._was_done: Final[set[str]] = set()

    def next_step(self) -> int:
        """Return the first step that was not begun."""
        numbers = [step_called(each.call_id).number for each in self._actions()]
        return max(numbers, default=-1) + 1

    def unsettled(self) -> set[str]:
        """Return the ids of the actions of which nobody knows the outcome."""
        self._hands.settle()
        found = {each.id for each in self._actions() if each.status in {"open", "unknown"}}
        self._was_done.update(found & self._server.ordered.keys())
        return found

    def resumed(self, report: LifeReport, expected: set[str]) -> None:
        """Compare what a life saw when it resumed with what the life before left."""
        hold = self._asserted.hold
        hold(
            set(report.unsettled) == expected and not report.unnamed,
            "every open action is in the next briefing, and nothing else",
            f"{sorted(expected)} in {report}",
        )

    def after_a_life(self) -> None:
        """Look at what must hold at every moment."""
        self._hands.settle()
        hold = self._asserted.hold
        sent = self._server.sent
        hold(max(sent.values(), default=0) <= 1, "an unsafe request is never sent twice", f"{sent}")
        labels = {step.label for step in self._steps() if step.tool == "append_line"}
        hold(
            all(self._hands.appended(label)[0] <= 1 for label in labels),
            "an unsafe line is never appended twice",
        )
        hold(
            max(self._server.ordered.values(), default=0) <= 1,
            "a checkable order is made once, since a probe looks before it is made again",
            f"{self._server.ordered}",
        )
        known = {each.call_id: each for each in self._actions()}
        begun, ended = self._acknowledged()
        hold(
            all(step_at(number).call_id in known for number in begun),
            "no action is lost whose beginning was acknowledged",
        )
        hold(
            all(known[step_at(number).call_id].status == "succeeded" for number in ended),
            "no outcome is lost that was acknowledged",
        )

    def decide(self) -> None:
        """Look at the world as a person would, and say what became of what nobody knows."""
        for action in self._actions():
            if action.status == "unknown":
                status, note = self._seen(action)
                decided = self._memory.agents.decide(
                    DecideAction(agent=self.agent, action=action.id, status=status, note=note)
                )
                self._asserted.hold(
                    action.action_class == "unsafe"
                    and (decided.status, decided.settled_by) == (status, "person"),
                    "an unsafe action is never settled but by a person",
                    f"{decided}",
                )

    def at_the_end(self, steps: int) -> None:
        """Look at everything, after the last step."""
        done = script(steps)
        actions = self._actions()
        by_call = {each.call_id: each for each in actions}
        hold = self._asserted.hold
        hold(
            Counter(each.call_id for each in actions) == Counter(step.call_id for step in done),
            "every step is one action: nothing is lost, and nothing is there twice",
        )
        hold(
            all(_is_settled_rightly(each) for each in actions),
            "every action has an outcome that somebody knows",
            f"{[each for each in actions if not _is_settled_rightly(each)]}",
        )
        self._require_acts(done, by_call)
        self._require_turns()
        state = self._memory.agents.state(self.agent)
        hold(
            state.state.step == steps and state.version >= steps,
            "the working state is that of the last step, and every version was kept",
            f"{state}",
        )

    def _require_acts(
        self, done: list[ScriptedStep], by_call: dict[str | None, ActionView]
    ) -> None:
        hold, server = self._asserted.hold, self._server
        keys = {step.label: set[str]() for step in done if step.tool == "charge"}
        for step in done:
            action = by_call[step.call_id]
            match step.tool:
                case "charge":
                    keys[step.label].add(action.key or action.id)
                case "write_file":
                    hold(
                        self._hands.file_of(step.label).read_text(encoding="utf-8")
                        == file_content(step.label),
                        "an idempotent write ends whole, however often it was repeated",
                    )
                case "order":
                    hold(server.ordered[action.key or action.id] == 1, "every order was made once")
                case "send":
                    hold(server.sent[step.label] == 1, "every unsafe request was sent once")
                case "append_line":
                    hold(self._hands.appended(step.label)[0] == 1, "every line was appended once")
                case "look":
                    pass
        hold(
            keys == server.charged and server.charges >= sum(map(len, keys.values())),
            "a keyed charge counts exactly once, and twice where it was made twice on purpose",
            f"{keys} and {server.charged}",
        )
        hold(
            all(
                each.settled_by == "probe" for each in by_call.values() if each.id in self._was_done
            ),
            "an order that was made and not recorded is settled by the probe",
        )

    def _require_turns(self) -> None:
        page = self._memory.agents.turns(self.agent, limit=TURNS_LISTED_MAX)
        turns = list(page.turns)
        while page.before is not None:
            page = self._memory.agents.turns(self.agent, before=page.before, limit=TURNS_LISTED_MAX)
            turns = [*page.turns, *turns]
        hold = self._asserted.hold
        hold(
            [turn.seq for turn in turns] == list(range(1, page.total + 1)),
            "turns are numbered without a hole",
        )
        times = Counter(turn.message_id for turn in turns if turn.message_id is not None)
        _, ended = self._acknowledged()
        hold(
            set(times.values()) <= {1}
            and all(times[step_at(number).message_id] == 1 for number in ended),
            "every turn that was acknowledged is there once",
        )

    def _seen(self, action: ActionView) -> tuple[ClosedStatus, str]:
        """Return what became of an action, as its world shows it."""
        step = step_called(action.call_id)
        if step.tool == "send":
            is_done = self._server.sent[step.label] == 1
            return ("succeeded", "it was counted") if is_done else ("abandoned", "never came")
        times, is_whole = self._hands.appended(step.label)
        if not times:
            return "abandoned", "there is no line"
        return ("succeeded", "the line is there") if is_whole else ("compensated", "half a line")

    def _steps(self) -> list[ScriptedStep]:
        return script(self.next_step())

    def _actions(self) -> tuple[ActionView, ...]:
        """Return every action; none where the first life died before it wrote anything."""
        found: list[ActionView] = []
        after: str | None = None
        try:
            while True:
                page = self._memory.agents.actions(
                    self.agent, limit=ACTIONS_LISTED_MAX, after=after
                )
                found += page.actions
                after = page.next_after
                if after is None:
                    return tuple(found)
        except NotFound:
            return ()

    def _acknowledged(self) -> tuple[set[int], set[int]]:
        """Return the numbers of the steps whose beginning, and whose end, was acknowledged."""
        said: dict[str, set[int]] = {"begun": set(), "ended": set()}
        if self._journal.exists():
            for line in self._journal.read_text(encoding="utf-8").splitlines():
                what, number = line.split()
                said[what].add(int(number))
        return said["begun"], said["ended"]


def _is_settled_rightly(action: ActionView) -> bool:
    if action.tool == "append_line":
        return action.status in {"succeeded", "compensated"}
    return action.status == "succeeded"
