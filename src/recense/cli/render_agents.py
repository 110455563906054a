"""Agents as lines: what they were doing, which acts nobody knows the outcome of, their briefing.

Pure: structs in, lines out. What an agent wrote down is data; nothing in it is followed.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final, get_args

from recense.cli.columns import shortened
from recense.cli.lines import (
    BLANK,
    Line,
    Style,
    about_line,
    command_line,
    indented_lines,
    line,
    span,
)
from recense.cli.page_shapes import next_page_line, range_lines
from recense.cli.render_facts import cut_words
from recense.cli.render_recall import counted, instant_words
from recense.core.agents.values import ActionStatus, ClosedStatus, SettledBy, TurnRole, WorkingState
from recense.operations.agents import (
    ActionList,
    ActionView,
    AgentContext,
    AgentList,
    AgentSummary,
    Briefing,
    PointerView,
    TurnView,
)

GLANCE_COLUMNS: Final = 160
"""Columns of what an action was called with, or came to, in a list."""

STATUS_LOOKS: Final[dict[ActionStatus, Style]] = {
    "open": "bad",
    "unknown": "bad",
    "succeeded": "good",
    "failed": "plain",
    "abandoned": "plain",
    "compensated": "plain",
}
SETTLED_BY: Final[dict[SettledBy, str]] = {
    "agent": "the agent said so",
    "reconcile": "by the rule of its class",
    "probe": "a probe looked",
    "person": "a person decided",
}
ROLE_LOOKS: Final[dict[TurnRole, Style]] = {
    "user": "user",
    "assistant": "agent",
    "tool": "tool",
    "system": "faint",
}


def agent_list_lines(page: AgentList, offset: int) -> list[Line]:
    """Return a page of a list of agents that began at ``offset``."""
    lines: list[Line] = []
    for summary in page.agents:
        lines += _summary_lines(summary)
    more = "recense agent list --offset"
    return lines + range_lines("agent", offset, page.agents, page.total, more)


def _summary_lines(summary: AgentSummary) -> list[Line]:
    about = (
        instant_words(summary.last_at),
        f"step {summary.step:,}" if summary.step else "",
        summary.milestone,
        counted(summary.turns, "turn"),
        counted(summary.outputs, "output") if summary.outputs else "",
        counted(summary.pointers, "pointer") if summary.pointers else "",
        counted(summary.actions, "action"),
    )
    lines = [
        line(span(summary.agent, "title"), f"  {cut_words(summary.goal)}"),
        about_line(about),
    ]
    if summary.unsettled:
        unsettled = counted(summary.unsettled, "action")
        lines.append(line(span(f"{unsettled} open or of unknown outcome", "bad"), indent=3))
        see = f"recense agent actions {summary.agent} --unsettled"
        lines.append(command_line(see, indent=3))
    return lines


def agent_lines(context: AgentContext) -> list[Line]:
    """Return what an agent was doing: open actions first, then its state and what was said last."""
    holder = "" if context.holder is None else f", last resumed by {context.holder}"
    lines = [
        line(
            span(context.agent, "title"),
            span(f"  epoch {context.epoch:,}{holder}; session {context.session}", "faint"),
        ),
        *_unsettled_lines(context.agent, context.actions),
        *_state_lines(context),
        *_pointer_lines(context.pointers),
    ]
    if context.outputs:
        lines += [BLANK, line(span("Outputs", "title"))]
        lines += [
            line(span(f"{each.ref} ", "faint"), f"{each.tool}: {cut_words(each.summary)}", indent=3)
            for each in context.outputs
        ]
    lines += _turn_lines(context.turns)
    lines += [BLANK, *_shown_lines(context.briefing)]
    return lines


def _unsettled_lines(agent: str, actions: Sequence[ActionView]) -> list[Line]:
    if not actions:
        return []
    lines = [BLANK, line(span("Nobody knows yet what became of this", "bad"))]
    for action in actions:
        lines += _action_lines(action, indent=3)
    undecided = next((action for action in actions if not _has_rule(action)), None)
    if undecided is None:
        lines.append(line("Started again, the agent can settle this by the rule of its class."))
        lines.append(line("To decide instead, look whether it was done, then say so:"))
    else:
        lines.append(line("If its process is gone, look whether it was done, then say so:"))
    return lines + _decision_lines(agent, (undecided or actions[0]).id, indent=3)


def _has_rule(action: ActionView) -> bool:
    """Return whether the agent's next process can settle an action without a person."""
    is_rerun = action.action_class in {"idempotent", "keyed"}
    return (
        action.status == "open"
        and action.action_class != "unsafe"
        and not (is_rerun and action.args_redacted)
    )


def _decision_lines(agent: str, action_id: str, indent: int = 0) -> list[Line]:
    """Return what to type to decide, and the words for it."""
    return [
        command_line(f"recense agent decide {agent} {action_id} OUTCOME", indent=indent),
        line(span(f"OUTCOME: {', '.join(get_args(ClosedStatus))}", "faint"), indent=indent),
    ]


def _state_lines(context: AgentContext) -> list[Line]:
    view = context.state
    if view.version == 0:
        return [BLANK, line("No working state was written down.")]
    written = f"  version {view.version:,}, {instant_words(view.at)}"
    lines = [BLANK, line(span("Working state", "title"), span(written, "faint"))]
    for name, value in _state_fields(view.state):
        if isinstance(value, str):
            lines += _named_lines(name, value)
        else:
            lines.append(line(span(f"{name}:", "faint"), indent=3))
            lines += [row for item in value for row in _bullet_lines(item)]
    return lines


def _state_fields(state: WorkingState) -> Iterable[tuple[str, str | tuple[str, ...]]]:
    """Yield the fields of a state that hold something, in the order of the briefing."""
    fields: tuple[tuple[str, str | tuple[str, ...]], ...] = (
        ("goal", state.goal),
        ("plan", state.plan),
        ("progress", state.progress),
        ("focus", state.focus),
        ("decisions", state.decisions),
        ("open questions", state.open_questions),
        ("notes", state.notes),
        ("step", str(state.step) if state.step else ""),
        ("milestone", state.milestone),
    )
    return ((name, value) for name, value in fields if value)


def _named_lines(name: str, text: str) -> list[Line]:
    return indented_lines([span(f"{name}: ", "faint"), span(text, "plain")], indent=3)


def _bullet_lines(text: str) -> list[Line]:
    return indented_lines([span("- ", "faint"), span(text, "plain")], indent=5)


def _pointer_lines(pointers: Sequence[PointerView]) -> list[Line]:
    if not pointers:
        return []
    lines = [BLANK, line(span("Where things lie", "title"))]
    for pointer in pointers:
        fields = "  ".join(f"{name}={value}" for name, value in sorted(pointer.fields.items()))
        lines.append(
            line(
                f"{pointer.name} ",
                span(pointer.type, "faint"),
                f"  {fields}",
                span(f"  {pointer.note}" if pointer.note else "", "faint"),
                indent=3,
            )
        )
    return lines


def _turn_lines(turns: Sequence[TurnView]) -> list[Line]:
    if not turns:
        return []
    lines = [BLANK, line(span("Said last", "title"))]
    for turn in turns:
        name = f" {turn.name}" if turn.name else ""
        lines.append(
            line(
                span(f"{turn.seq} ", "faint"),
                span(turn.role + name, ROLE_LOOKS[turn.role]),
                span(f"  {instant_words(turn.at)}", "faint"),
                indent=3,
            )
        )
        content = "(its session was forgotten)" if turn.content is None else turn.content
        lines += indented_lines([span(cut_words(content), "plain")], indent=6)
        lines += _whole_lines(turn.output_ref, indent=6)
    return lines


def _shown_lines(briefing: Briefing) -> list[Line]:
    """Return what a briefing shows and leaves out."""
    shown = ", ".join(
        (
            counted(briefing.turns, "turn"),
            counted(briefing.memories, "memory", "memories"),
            counted(briefing.outputs, "output"),
        )
    )
    left = briefing.omitted
    omitted = ", ".join(
        words
        for number, words in (
            (left.turns, counted(left.turns, "turn")),
            (left.memories, counted(left.memories, "memory", "memories")),
            (left.outputs, counted(left.outputs, "output")),
        )
        if number
    )
    more = f"; left out: {omitted} (--tokens shows more)" if omitted else ""
    budget = f"{briefing.tokens:,} of {briefing.token_budget:,} tokens"
    lines = [line(span(f"A briefing of {budget}: {shown}{more}", "faint"))]
    if briefing.memories_unavailable:
        lines.append(line(span(f"No memories: {briefing.memories_unavailable}", "bad")))
    return lines


def briefing_lines(context: AgentContext) -> list[Line]:
    """Return a briefing as the agent gets it, and below it what it leaves out."""
    text = indented_lines([span(context.briefing.text.rstrip("\n"), "plain")], indent=0)
    return [*text, BLANK, *_shown_lines(context.briefing)]


def action_list_lines(page: ActionList, *, unsettled: bool) -> list[Line]:
    """Return actions, newest first, and how many there are."""
    lines: list[Line] = []
    for action in page.actions:
        lines += _action_lines(action, indent=0)
    of_total = f"{len(page.actions):,} of " if len(page.actions) < page.total else ""
    which = " open or of unknown outcome" if unsettled else ""
    lines.append(
        line(span(f"{of_total}{counted(page.total, 'action')} of {page.agent}{which}", "faint"))
    )
    if page.next_after is not None:
        lines.append(next_page_line(page.next_after))
    return lines


def action_lines(action: ActionView) -> list[Line]:
    """Return an action, and what to type where somebody has to decide."""
    lines = _action_lines(action, indent=0, is_alone=True)
    if action.status in {"open", "unknown"}:
        lines += _decision_lines(action.agent, action.id)
    return lines


def decided_lines(action: ActionView) -> list[Line]:
    """Return an action that was decided."""
    return [
        line(f"Decided: {action.tool} of {action.agent} {action.status}."),
        *action_lines(action),
    ]


def _action_lines(action: ActionView, indent: int, *, is_alone: bool = False) -> list[Line]:
    """Return an action; beside others, what it was called with is cut to a glance."""
    shown = cut_words if is_alone else _glance
    begun = f"  {action.action_class}  began {instant_words(action.started_at)}"
    again = f", equal call {action.occurrence + 1:,}" if action.occurrence else ""
    again += f", tried {action.attempts:,} times" if action.attempts > 1 else ""
    where = f"  step {action.step:,}, epoch {action.epoch:,}{again}"
    lines = [
        line(
            span(action.status, STATUS_LOOKS[action.status]),
            "  ",
            span(action.tool, "tool"),
            f" {shown(_json_words(action.args))}" if action.args is not None else "",
            span(begun + where, "faint"),
            indent=indent,
        )
    ]
    lines += _whole_lines(action.args_ref, indent + 3)
    if action.args_redacted:
        hidden = "a secret in the arguments was not kept"
        lines.append(line(span(hidden, "faint"), indent=indent + 3))
    if action.key is not None:
        lines.append(line(span(f"key {action.key}", "faint"), indent=indent + 3))
    if action.ended_at is not None:
        by = "" if action.settled_by is None else f", {SETTLED_BY[action.settled_by]}"
        ended = f"ended {instant_words(action.ended_at)}{by}"
        result = "" if action.result is None else f": {shown(_json_words(action.result))}"
        lines.append(line(span(ended, "faint"), result, indent=indent + 3))
    lines += _whole_lines(action.result_ref, indent + 3)
    if action.note:
        lines.append(line(f'"{cut_words(action.note)}"', indent=indent + 3))
    for each in action.decisions:
        before = f"before that, {instant_words(each.at)}, a person decided: {each.status}"
        note = f' "{cut_words(each.note)}"' if each.note else ""
        lines.append(line(span(before, "faint"), note, indent=indent + 3))
    lines.append(line(span(action.id, "faint"), indent=indent + 3))
    return lines


def _whole_lines(ref: str | None, indent: int) -> list[Line]:
    """Return where the whole is of what was cut; nothing for what was not."""
    return [] if ref is None else [line(span(f"whole in output {ref}", "faint"), indent=indent)]


def _json_words(value: object) -> str:
    """Return a JSON value on one line; nothing for null."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _glance(text: str) -> str:
    return shortened(text, GLANCE_COLUMNS)
