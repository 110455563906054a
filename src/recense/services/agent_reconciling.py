"""Reconciling: settling what a holder before left open, before the model takes another step.

Recense never calls a tool itself: the harness hands over what can make a call again, or look up
whether it was made. Law of order: one action after the other, oldest first; the outcome of each is
one commit with the turn that tells of it, made when its handler has answered. Before a call is made
again that is written down, under the lease: a process that stalled past it makes none. Killed in
between, an action is still open, and is settled by the same rule again: that is safe for each class
whose rule makes a call.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Final, TypeVar, assert_never, get_args

import msgspec
from msgspec.structs import replace

from recense.core.agents.reconciling import (
    Abandon,
    CallUnknown,
    LastRule,
    LeaveOpen,
    LookUp,
    RunAgain,
    WhenNotDone,
    rule_for,
    rule_when_not_done,
)
from recense.core.agents.values import Action, OutcomeStatus, SettledBy
from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    CannotTell,
    Done,
    NotDone,
    Probed,
    Reconciled,
    SettledAction,
    SettledRule,
)
from recense.services.admission import typed
from recense.services.agent_actions import outcome_turn, required_action, settle
from recense.services.agent_reading import AgentReading, unsettled_actions
from recense.services.agent_records import action_record
from recense.services.agent_turns import draft_turn
from recense.services.agent_views import action_view
from recense.services.agent_writer import AgentWriter
from recense.services.conflicts import in_spite_of_conflicts

_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class ActionHandler(msgspec.Struct, frozen=True, kw_only=True):
    """What a harness can do about a tool's calls.

    ``run_again`` makes a call again, with the action's arguments, and its key where it has one, and
    returns what it came to. ``probe`` looks up whether a call was made. ``when_not_done`` is what
    becomes of a checkable action of which the probe says that it was not. What either raises passes
    through, and the action stays open.
    """

    run_again: Callable[[ActionView], ActionOutcome] | None = None
    probe: Callable[[ActionView], Probed] | None = None
    when_not_done: WhenNotDone = "close"


_NO_HANDLER: Final = ActionHandler()


class _Verdict(Value, kw_only=True):
    """What becomes of an action, and by which rule."""

    status: OutcomeStatus
    settled_by: SettledBy
    rule: SettledRule
    result: object = None
    note: str = ""


class AgentReconciling:
    """Settles the open actions of one agent."""

    def __init__(self, writer: AgentWriter, reading: AgentReading) -> None:
        self._writer: Final = writer
        self._store: Final = writer.store
        self._reading: Final = reading
        self._one_at_a_time: Final = threading.RLock()
        self._under_way: Final[set[str]] = set()

    def reconcile(self, handlers: Mapping[str, ActionHandler]) -> Reconciled:
        """Settle, by the rule of its class, each action that a holder before left open, and return
        what became of them. ``handlers`` are by tool.

        What this holder began is left alone: it knows what it is doing. Actions that nothing here
        can settle stay open. A second call settles what is left; one that comes meanwhile waits
        for the first, and one that a handler makes leaves alone what is being settled. Raises
        LeaseLost, and InvalidRequest for a handler that is none or answers what it may not: its
        action stays open.
        """
        for tool, handler in handlers.items():
            _require_handler(tool, handler)
        with self._one_at_a_time:
            return self._reconciled(handlers)

    def _reconciled(self, handlers: Mapping[str, ActionHandler]) -> Reconciled:
        with self._writer.writing():
            pass  # takes a deferred lease: what is read before it may be settled by another
        agent = self._writer.agent
        with self._store.reading() as reader:
            found = unsettled_actions(reader, agent)
        settled: list[SettledAction] = []
        for action in found:
            is_open = action.outcome is None and action.epoch < self._writer.lease.epoch
            if is_open and action.action_id not in self._under_way:
                self._under_way.add(action.action_id)
                try:
                    verdict = self._verdict(action, handlers.get(action.tool, _NO_HANDLER))
                    if verdict is not None:
                        settled.append(self._settled(action, verdict))
                finally:
                    self._under_way.discard(action.action_id)
        with self._store.reading() as reader:
            left = unsettled_actions(reader, agent)
        return Reconciled(
            settled=tuple(settled), unsettled=tuple(action_view(agent, each) for each in left)
        )

    def _settled(self, action: Action, verdict: _Verdict) -> SettledAction:
        return in_spite_of_conflicts(lambda: self._settled_now(action, verdict))

    def _settled_now(self, action: Action, verdict: _Verdict) -> SettledAction:
        with self._writer.writing() as draft:
            action = self._newest(action)
            if action.outcome is None:
                action = settle(
                    self._store,
                    draft,
                    action,
                    status=verdict.status,
                    settled_by=verdict.settled_by,
                    result=verdict.result,
                    note=self._store.hidden(verdict.note),
                )
                draft_turn(self._store, draft, outcome_turn(action))
        return SettledAction(action=action_view(self._writer.agent, action), rule=verdict.rule)

    def _verdict(self, action: Action, handler: ActionHandler) -> _Verdict | None:
        """Return what becomes of an action; None where it stays open."""
        rule = rule_for(
            action,
            can_run_again=handler.run_again is not None,
            can_probe=handler.probe is not None,
        )
        if isinstance(rule, RunAgain | LookUp) and self._shown(action).args_ref is not None:
            rule = CallUnknown(reason="its arguments were forgotten with their session")
        if isinstance(rule, LookUp):
            return self._looked_up(action, handler)
        return self._followed(rule, action, handler, "abandoned")

    def _looked_up(self, action: Action, handler: ActionHandler) -> _Verdict | None:
        if handler.probe is None:
            return None
        found = handler.probe(self._shown(action))
        match _answered(action, "probe", found, Done, NotDone, CannotTell):
            case Done(result=result):
                return _Verdict(
                    status="succeeded", settled_by="probe", rule="found_done", result=result
                )
            case NotDone():
                rule = rule_when_not_done(
                    action, handler.when_not_done, can_run_again=handler.run_again is not None
                )
                return self._followed(rule, action, handler, "found_not_done")
            case CannotTell():
                return None  # it is asked again the next time

    def _followed(
        self, rule: LastRule, action: Action, handler: ActionHandler, when_closed: SettledRule
    ) -> _Verdict | None:
        match rule:
            case Abandon():
                by: SettledBy = "probe" if when_closed == "found_not_done" else "reconcile"
                return _Verdict(status="abandoned", settled_by=by, rule=when_closed)
            case RunAgain():
                if handler.run_again is None:
                    return None
                answer = handler.run_again(self._attempted(action))
                outcome = _answered(action, "run_again", answer, ActionOutcome)
                return _Verdict(
                    status=outcome.status,
                    settled_by="reconcile",
                    rule="run_again",
                    result=outcome.result,
                )
            case CallUnknown(reason=reason):
                return _Verdict(
                    status="unknown", settled_by="reconcile", rule="unknown", note=reason
                )
            case LeaveOpen():
                return None
            case _:
                assert_never(rule)

    def _attempted(self, action: Action) -> ActionView:
        """Return an action whose call is about to be made again, when that is written down."""
        with self._writer.writing() as draft:
            action = self._newest(action)
            action = replace(action, attempts=action.attempts + 1)
            draft.put(action_record(draft.head.agent, action))
        return self._shown(action)

    def _newest(self, action: Action) -> Action:
        with self._store.reading() as reader:
            return required_action(reader, self._writer.agent, action.action_id)

    def _shown(self, action: Action) -> ActionView:
        agent = self._writer.agent
        return action_view(agent, self._reading.whole(agent, action))


def _require_handler(tool: str, handler: object) -> None:
    """Raise InvalidRequest for what is no handler, before any action is settled."""
    if not isinstance(handler, ActionHandler) or handler.when_not_done not in get_args(WhenNotDone):
        given = getattr(handler, "when_not_done", type(handler).__name__)
        raise InvalidRequest(
            f"the handler of {quoted(tool)} is {quoted(str(given))}; expected an ActionHandler "
            f"whose when_not_done is one of {', '.join(get_args(WhenNotDone))}",
            hint="nothing was reconciled: hand over ActionHandler(run_again=..., probe=...)",
        )


def _answered(action: Action, asked: str, answer: object, *kinds: type[_Answer]) -> _Answer:
    """Return what a handler answered. Raises InvalidRequest for what it may not: a guess at
    what was meant could close an action that nobody knows the outcome of.
    """
    for kind in kinds:
        if isinstance(answer, kind):
            return typed(answer, kind)
    raise InvalidRequest(
        f"{asked} of {quoted(action.tool)} answered {quoted(type(answer).__name__)} for action "
        f"{action.action_id}; expected {' or '.join(kind.__name__ for kind in kinds)}",
        hint="the action stays open: mend the handler, and reconcile again",
    )
