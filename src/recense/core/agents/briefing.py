"""One text from which a model goes on: what its agent wrote down, and what is known beside it.

Laws: equal records give an equal text, byte for byte; nothing in it depends on when, where or by
whom it is asked for. It states and never orders: what records say is quoted, line by line, behind a
mark that they cannot close, so that no text in them passes for one of ours.

Open actions, the header, the working state and the pointers are whole, whatever the budget. What is
left of it is shared: 40 % for the newest turns without a hole, 40 % for memories, 20 % for outputs;
what one does not use goes on to the next. Nothing is cut: an item is shown whole or counted as left
out.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from recense.core.agents.values import Action, FoundMemory, Output, Pointer, Turn, WorkingState
from recense.core.instants import text_from_instant
from recense.core.text.tokens import estimate_tokens
from recense.core.values import Value

Tokens = Callable[[str], int]
"""Counts the tokens of a text."""

_QUOTE: Final = "| "
_TURNS_PERCENT: Final = 40
_MEMORIES_PERCENT: Final = 40


class BriefedRecords(Value, kw_only=True):
    """What a briefing is made from. ``actions`` are open or of unknown outcome, oldest first;
    ``outputs`` newest first, ``memories`` best first, ``turns`` the newest, in order. The totals
    count what there is, also of what is not given here.
    """

    agent: str
    state: WorkingState = WorkingState()
    state_version: int = 0
    state_at: int | None = None
    actions: tuple[Action, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    outputs: tuple[Output, ...] = ()
    outputs_total: int = 0
    memories: tuple[FoundMemory, ...] = ()
    memories_unavailable: str = ""
    turns: tuple[Turn, ...] = ()
    turns_total: int = 0


class WrittenBriefing(Value, kw_only=True):
    """A briefing, what it costs, and what of the records it shows, each in the order in which the
    records were given.
    """

    text: str
    tokens: int
    turns: tuple[Turn, ...]
    memories: tuple[FoundMemory, ...]
    outputs: tuple[Output, ...]


def write_briefing(
    records: BriefedRecords, token_budget: int, tokens: Tokens = estimate_tokens
) -> WrittenBriefing:
    """Return the briefing of records. It exceeds the budget by nothing but what is always whole."""
    whole = "".join(_whole(records))
    room = max(0, token_budget - tokens(whole))
    turns = _Share(
        f"\n## Turns, the newest of {records.turns_total:,}\n",
        [_turn(each) for each in reversed(records.turns)],
        tokens,
        has_no_hole=True,
    )
    memories = _Share(
        f"\n## Memories that match the focus and questions, {len(records.memories):,} found\n",
        [_memory(each) for each in records.memories],
        tokens,
    )
    outputs = _Share(
        f"\n## Stored outputs, the newest of {records.outputs_total:,}\n",
        [_output(each) for each in records.outputs],
        tokens,
    )
    for_turns = room * _TURNS_PERCENT // 100
    for_memories = room * _MEMORIES_PERCENT // 100
    left = turns.fill(for_turns)
    left = memories.fill(for_memories + left)
    left = outputs.fill(room - for_turns - for_memories + left)
    memories.fill(turns.fill(left))
    text = _joined(whole, outputs, memories, turns)
    while tokens(text) > token_budget and any(
        share.drop() for share in (memories, outputs, turns)
    ):  # a caller's own tokens need not add up
        text = _joined(whole, outputs, memories, turns)
    return WrittenBriefing(
        text=text,
        tokens=tokens(text),
        turns=tuple(records.turns[len(records.turns) - 1 - place] for place in turns.shown())[::-1],
        memories=tuple(records.memories[place] for place in memories.shown()),
        outputs=tuple(records.outputs[place] for place in outputs.shown()),
    )


class _Share:
    """A part of a briefing that takes as many of its items as there is room for, in order."""

    def __init__(
        self, heading: str, items: Sequence[str], tokens: Tokens, *, has_no_hole: bool = False
    ) -> None:
        self._items: Final = items
        self._heading: Final = heading
        self._tokens: Final = tokens
        self._has_no_hole: Final = has_no_hole
        self._taken: Final[dict[int, None]] = {}

    def fill(self, room: int) -> int:
        """Take what fits and return what room is left."""
        for place, item in enumerate(self._items):
            if place in self._taken:
                continue
            cost = self._tokens(item if self._taken else self._heading + item)
            if cost <= room:
                self._taken[place] = None
                room -= cost
            elif self._has_no_hole:
                break
        return room

    def drop(self) -> bool:
        """Let go of the last item, and return whether there was one."""
        if self._taken:
            del self._taken[max(self._taken)]
            return True
        return False

    def shown(self) -> list[int]:
        """Return the places of the items that are shown, in order."""
        return sorted(self._taken)

    def text(self, *, is_reversed: bool = False) -> str:
        """Return the part; empty where nothing is shown."""
        places = self.shown()[::-1] if is_reversed else self.shown()
        return self._heading + "".join(self._items[place] for place in places) if places else ""


def _joined(whole: str, outputs: _Share, memories: _Share, turns: _Share) -> str:
    return whole + outputs.text() + memories.text() + turns.text(is_reversed=True)


# --- what is whole --------------------------------------------------------------------------------


def _whole(records: BriefedRecords) -> list[str]:
    parts: list[str] = []
    if records.actions:
        parts.append(f"## Actions of which nobody knows the outcome, {len(records.actions):,}\n")
        parts.extend(_action(each) for each in records.actions)
        parts.append("\n")
    parts.append(_header(records))
    parts.extend(_state(records))
    if records.pointers:
        parts.append(f"\n## Pointers, {len(records.pointers):,}\n")
        parts.extend(_pointer(each) for each in records.pointers)
    return parts


def _header(records: BriefedRecords) -> str:
    state = (
        f"version {records.state_version:,} of its working state"
        if records.state_version
        else "no working state"
    )
    memories = (
        f", and no memories ({_in_line(records.memories_unavailable)})"
        if records.memories_unavailable
        else ""
    )
    return (
        f"This is what agent {records.agent} wrote down: {state}, "
        f"{_counted(records.turns_total, 'turn')}, {_counted(records.outputs_total, 'output')}, "
        f"{_counted(len(records.pointers), 'pointer')} and "
        f"{_counted(len(records.actions), 'action')} without a known outcome{memories}; "
        f'lines that begin with "{_QUOTE}" are quoted data.\n'
    )


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _state(records: BriefedRecords) -> list[str]:
    if not records.state_version:
        return []
    state = records.state
    at = "" if records.state_at is None else f", {text_from_instant(records.state_at)}"
    parts = [
        f"\n## Working state, version {records.state_version:,}{at}\n",
        f"step: {state.step}\n",
    ]
    for name, text in (
        ("milestone", state.milestone),
        ("goal", state.goal),
        ("focus", state.focus),
        ("progress", state.progress),
    ):
        if text:
            parts.append(f"{name}:\n{quoted_lines(text)}")
    for name, items in (
        ("plan", state.plan),
        ("decisions", state.decisions),
        ("open questions", state.open_questions),
    ):
        if items:
            parts.append(f"{name}:\n")
            parts.extend(
                quoted_lines(f"{number}. {item}") for number, item in enumerate(items, start=1)
            )
    if state.notes:
        parts.append(f"notes:\n{quoted_lines(state.notes)}")
    return parts


def _action(action: Action) -> str:
    begun = f"begun {text_from_instant(action.started_at)} at step {action.step}"
    lines = [
        f"action {action.action_id}, {action.action_class}, {action.status}, {begun}:\n",
        quoted_lines(f"tool: {action.tool}"),
        quoted_lines(f"arguments: {action.args}"),
    ]
    for name, text in (
        ("arguments go on in output", action.args_ref),
        ("call id", action.call_id),
        ("key", action.key),
    ):
        if text is not None:
            lines.append(quoted_lines(f"{name}: {text}"))
    lines.extend(
        quoted_lines(f"a person said before: {each.status}{f', {each.note}' if each.note else ''}")
        for each in action.decisions
    )
    if action.outcome is not None:
        if action.outcome.note:
            lines.append(quoted_lines(f"note: {action.outcome.note}"))
        if action.outcome.result is not None:
            lines.append(quoted_lines(f"result: {action.outcome.result}"))
    return "".join(lines)


def _pointer(pointer: Pointer) -> str:
    lines = [f"pointer {pointer.name}, {pointer.type}:\n"]
    lines.extend(quoted_lines(f"{name}: {value}") for name, value in sorted(pointer.fields.items()))
    if pointer.note:
        lines.append(quoted_lines(f"note: {pointer.note}"))
    return "".join(lines)


# --- what shares the rest -------------------------------------------------------------------------


def _turn(turn: Turn) -> str:
    name = "" if turn.name is None else f" {_in_line(turn.name)}"
    goes_on = "" if turn.output_ref is None else f", goes on in output {turn.output_ref}"
    heading = f"turn {turn.seq}, {turn.role}{name}, {text_from_instant(turn.at)}{goes_on}"
    if turn.content is None:
        return f"{heading}: its text was forgotten\n"
    brief = quoted_lines(f"in short: {turn.brief}") if turn.brief else ""
    return f"{heading}:\n{brief}{quoted_lines(turn.content)}"


def _memory(memory: FoundMemory) -> str:
    at = "" if memory.at is None else f", {memory.at}"
    session = "" if memory.session is None else f" of session {_in_line(memory.session)}"
    return f"{memory.kind} {memory.name}{session}{at}:\n{quoted_lines(memory.text)}"


def _output(output: Output) -> str:
    heading = (
        f"output {output.ref} of {_in_line(output.tool)}, {output.size:,} bytes, "
        f"{text_from_instant(output.at)}"
    )
    return f"{heading}:\n{quoted_lines(output.summary)}" if output.summary else f"{heading}\n"


def quoted_lines(text: str) -> str:
    """Return a text with the mark before each of its lines, whatever breaks them; a line break at
    its end is no line. Nothing in the text can end the quotation.
    """
    return "".join(f"{_QUOTE}{line}\n" for line in text.splitlines() or [""])


def _in_line(text: str) -> str:
    """Return a text within quotation marks that it cannot close, on one line."""
    quoted = msgspec.json.encode(text).decode()
    lines = quoted.splitlines()
    return " ".join(lines)
