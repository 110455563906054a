"""Projection: the pure function from a session's events to its messages.

Laws:

- Messages are derived from events alone; projecting again gives the same messages.
- A later event may finish an open message and change the *flags* of earlier ones, nothing else: the
  messages of a prefix keep their places, kinds, turns and instants.
- A turn begins at what comes first in a session, then at every message that a person typed, at
  every prompt that an agent gave a sub-agent, and at an attachment that stands alone. Its id is
  that message's event id. A queued prompt joins the running turn, since it may still turn out to
  have been typed later.
- Fragments with one message key are one message, in order, joined by U+000A.
- Two typed prompts under one parent are a rewind: from the earlier one up to the later one the
  branch is abandoned.
- Where a session is a tree, the last chosen path answers and the rest is abandoned.

`Projector` is the whole rule, fed one event at a time; its state is small and goes on from page to
page, so that the counts of a growing session cost the new events only. What it says is applied in
`recense.core.transcript.transcript`.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec.structs import replace

from recense.core.transcript.changes import Change, Flagged, Grown, Opened, Thought
from recense.core.transcript.events import (
    Attachment,
    Error,
    Event,
    InvocationEnded,
    InvocationOpened,
    Note,
    PathChosen,
    Payload,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    call_of,
    decode_payload,
    node_of,
)
from recense.core.transcript.materials import caption_of, material_of
from recense.core.transcript.messages import (
    Flag,
    Material,
    Message,
    MessageKind,
    Run,
)
from recense.core.transcript.paths import choose_path
from recense.core.transcript.projection_state import (
    OpenMessage,
    ProjectionState,
    Prompt,
    Queued,
    before_position,
    call_key,
    fragment_key,
    short_key,
)
from recense.core.transcript.remembering import forget_oldest
from recense.core.transcript.visible import (
    JOINT,
    on_new_line,
    own_length,
    runs_of,
    tool_call_text,
    tool_result_text,
    without_escapes,
)
from recense.limits import OPEN_MESSAGES_MAX, PROMPTS_REMEMBERED_MAX, QUEUED_REMEMBERED_MAX


class Projector:
    """Feeds on events in order and says what changes in the messages.

    ``recollect`` returns the messages as the events fed so far left them; it is asked only when a
    path is chosen, which may concern any of them. ``counts`` and ``state()`` are those after the
    last event fed.
    """

    def __init__(
        self, state: ProjectionState | None, recollect: Callable[[], Sequence[Message]]
    ) -> None:
        start = state or ProjectionState()
        self._recollect = recollect
        self._node: str | None = None
        self._call_id: str | None = None
        self._ordinal = start.ordinal
        self._position = start.position
        self._turn = start.turn
        self._open = {message.key: message for message in start.open_messages}
        self._prompts = {prompt.parent: prompt for prompt in start.prompts}
        self._queued = {queued.digest: queued for queued in start.queued}
        self.counts = start.counts

    def state(self) -> ProjectionState:
        """Return what a later projector needs to go on from here."""
        return ProjectionState(
            ordinal=self._ordinal,
            position=self._position,
            turn=self._turn,
            counts=self.counts,
            open_messages=tuple(self._open.values()),
            prompts=tuple(self._prompts.values()),
            queued=tuple(self._queued.values()),
        )

    def feed(self, event: Event) -> list[Change]:
        """Return the changes that one event makes, in the order in which they apply."""
        payload = decode_payload(event.payload)
        if payload is None:
            self.counts = replace(self.counts, unreadable_events=self.counts.unreadable_events + 1)
            changes: list[Change] = []
        else:
            self._node = node_of(payload)
            self._call_id = call_of(payload)
            changes = self._changes(event, payload)
        self._ordinal += 1
        return changes

    def _changes(self, event: Event, payload: Payload) -> list[Change]:
        match payload:
            case Text():
                return self._text(event, payload)
            case ToolCall():
                runs = runs_of(tool_call_text(payload))
                return self._open_message(event, "tool_call", runs)
            case ToolResult():
                return self._tool_result(event, payload)
            case Attachment():
                return self._attachment(event, payload)
            case Summary():
                return self._open_message(event, "summary", runs_of(payload.text))
            case Note():
                return self._note(event, payload.text, boilerplate=payload.boilerplate)
            case Error():
                return self._note(event, payload.text)
            case InvocationEnded():
                return self._note(event, payload.cause or "")
            case Thinking():
                return [Thought(text=payload.text)]
            case PathChosen():
                return self._choose(frozenset(payload.nodes))
            case InvocationOpened():
                return []
            case _:
                assert_never(payload)

    def _text(self, event: Event, text: Text) -> list[Change]:
        key = fragment_key(text.role, text.message)
        if text.role == "model":
            return self._fragment(event, "assistant", key, text)
        match text.standing:
            case "injected" | "boilerplate":
                return self._note(event, text.text, boilerplate=text.standing == "boilerplate")
            case "queued":
                return self._queue(event, text)
            case "typed" | "agent":
                return self._prompt(event, text, key)
            case _:
                assert_never(text.standing)

    def _note(self, event: Event, text: str, *, boilerplate: bool = False) -> list[Change]:
        flags: frozenset[Flag] = frozenset({"boilerplate"}) if boilerplate else frozenset()
        runs = runs_of(without_escapes(text))
        return self._open_message(event, "note", runs, flags=flags)

    def _prompt(self, event: Event, text: Text, key: str | None) -> list[Change]:
        """A prompt: it joins its own fragments, or opens a turn, perhaps after a rewind."""
        typed = text.standing == "typed"
        if key in self._open:
            return self._fragment(event, "user", key, text)
        changes: list[Change] = []
        if typed:
            changes += self._rewind(text.parent)
            changes += self._unqueue(text.text)
        return changes + self._open_message(
            event,
            "user",
            runs_of(text.text),
            key=key,
            by_person=typed,
            begins_turn=True,
        )

    def _rewind(self, parent: str | None) -> list[Change]:
        """Abandon the branch that began at an earlier prompt under the same parent."""
        if parent is None:
            return []
        key = short_key(parent)
        earlier = self._prompts.get(key)
        changes: list[Change] = []
        if earlier is None:
            prompt = Prompt(
                parent=key,
                position=self._position,
                messages=self.counts.messages,
                length=self.counts.length,
                branch_messages=self.counts.branch_messages,
            )
        else:
            last = self._position - 1
            changes.append(Flagged(first=earlier.position, last=last, flag="abandoned"))
            self.counts = replace(
                self.counts,
                messages=earlier.messages,
                length=earlier.length,
                branch_messages=earlier.branch_messages + self._position - earlier.position,
            )
            self._open.clear()
            self._prompts = before_position(self._prompts, earlier.position)
            self._queued = before_position(self._queued, earlier.position)
            prompt = replace(
                earlier, position=self._position, branch_messages=self.counts.branch_messages
            )
        self._prompts.pop(key, None)
        self._prompts[key] = prompt
        forget_oldest(self._prompts, PROMPTS_REMEMBERED_MAX)
        return changes

    def _unqueue(self, text: str) -> list[Change]:
        """A queued prompt that is typed after all steps back."""
        queued = self._queued.pop(short_key(text.strip()), None)
        if queued is None:
            return []
        self._count(-1, -queued.length, at=queued.position)
        self._open = {
            key: opened for key, opened in self._open.items() if opened.position != queued.position
        }
        return [Flagged(first=queued.position, last=queued.position, flag="superseded")]

    def _choose(self, nodes: frozenset[str]) -> list[Change]:
        """Abandon what is off the chosen path, take back what is on it, and count anew."""
        chosen = choose_path(self._recollect(), nodes, self.counts)
        self.counts = chosen.counts
        # What they remember of earlier messages holds no longer.
        for remembered in (self._open, self._prompts, self._queued):
            remembered.clear()
        return list(chosen.changes)

    def _queue(self, event: Event, text: Text) -> list[Change]:
        digest = short_key(text.text.strip())
        if digest in self._queued:
            return self._open_message(
                event, "user", runs_of(text.text), by_person=True, flags=frozenset({"superseded"})
            )
        position = self._position
        before = self.counts.length
        key = fragment_key("user", text.message)
        changes = self._open_message(event, "user", runs_of(text.text), key=key, by_person=True)
        if changes:
            self._queued[digest] = Queued(
                digest=digest, position=position, length=self.counts.length - before
            )
            forget_oldest(self._queued, QUEUED_REMEMBERED_MAX)
        return changes

    def _tool_result(self, event: Event, result: ToolResult) -> list[Change]:
        cut = tool_result_text(result)
        if cut.bytes_beyond or result.spilled:
            self.counts = replace(
                self.counts,
                bytes_beyond_limit=self.counts.bytes_beyond_limit + cut.bytes_beyond,
                spilled_bodies=self.counts.spilled_bodies + result.spilled,
            )
        runs = runs_of(cut.text)
        if cut.bytes_beyond:
            runs += (Run(text=f"\n[… {cut.bytes_beyond} bytes more]", synthetic=True),)
        key = call_key(result.call_id)
        return self._open_message(event, "tool_result", runs, key=key)

    def _attachment(self, event: Event, attachment: Attachment) -> list[Change]:
        """A file beside words or in a tool result; alone, it is a message of the person's."""
        material = material_of(attachment, event.event_id)
        named = runs_of(attachment.name)
        runs = named or (Run(text=caption_of(material), synthetic=True),)
        key = (
            call_key(attachment.call_id)
            if attachment.call_id is not None
            else fragment_key("user", attachment.message)
        )
        if key in self._open:
            return self._grow(key, on_new_line(runs), (material,))
        if attachment.call_id is not None:
            return self._open_message(
                event,
                "tool_result",
                runs,
                key=key,
                materials=(material,),
            )
        return self._open_message(
            event,
            "user",
            runs,
            key=key,
            by_person=True,
            begins_turn=True,
            materials=(material,),
        )

    def _fragment(
        self, event: Event, kind: MessageKind, key: str | None, text: Text
    ) -> list[Change]:
        runs = runs_of(text.text)
        if key is not None and key in self._open:
            return self._grow(key, on_new_line(runs), ())
        return self._open_message(event, kind, runs, key=key)

    def _open_message(
        self,
        event: Event,
        kind: MessageKind,
        runs: tuple[Run, ...],
        *,
        key: str | None = None,
        by_person: bool = False,
        begins_turn: bool = False,
        flags: frozenset[Flag] = frozenset(),
        materials: tuple[Material, ...] = (),
    ) -> list[Change]:
        """Open a message; nothing to see (no run, no material) opens none."""
        if not runs and not materials and kind != "tool_result":
            return []
        if begins_turn or not self._turn:
            self._turn = event.event_id
        length = own_length(runs)
        message = Message(
            position=self._position,
            event_id=event.event_id,
            ordinal=self._ordinal,
            turn=self._turn,
            kind=kind,
            at=event.at,
            runs=runs,
            identity=event.identity,
            by_person=by_person,
            flags=flags,
            materials=materials,
            node=self._node,
            call_id=self._call_id,
        )
        if key is not None:
            self._open.pop(key, None)
            self._open[key] = OpenMessage(
                key=key,
                position=self._position,
                counted=not flags,
                owns=any(not run.synthetic for run in runs),
                ends_own=bool(runs) and not runs[-1].synthetic,
            )
            forget_oldest(self._open, OPEN_MESSAGES_MAX)
        self._position += 1
        if not flags:
            self._count(1, length, at=message.position)
        return [Opened(message=message, length=length)]

    def _grow(
        self, key: str, runs: tuple[Run, ...], materials: tuple[Material, ...]
    ) -> list[Change]:
        if not runs and not materials:
            return []
        open_message = self._open[key]
        owns = any(not run.synthetic for run in runs)
        becomes_one_run = open_message.ends_own and bool(runs) and not runs[0].synthetic
        has_joint = open_message.owns and owns and not becomes_one_run
        length = own_length(runs) + has_joint * len(JOINT)
        if open_message.counted:
            self._count(0, length, at=open_message.position)
            for digest, queued in self._queued.items():
                if queued.position == open_message.position:
                    self._queued[digest] = replace(queued, length=queued.length + length)
        self._open[key] = replace(
            open_message,
            owns=open_message.owns or owns,
            ends_own=not runs[-1].synthetic if runs else open_message.ends_own,
        )
        return [
            Grown(position=open_message.position, runs=runs, materials=materials, length=length)
        ]

    def _count(self, messages: int, length: int, *, at: int) -> None:
        """Count a change to the message at this position, also in what later prompts remember."""
        self.counts = replace(
            self.counts,
            messages=self.counts.messages + messages,
            length=self.counts.length + length,
        )
        for prompt in reversed(self._prompts.values()):
            if prompt.position <= at:
                break  # prompts are remembered in the order of their positions
            self._prompts[prompt.parent] = replace(
                prompt, messages=prompt.messages + messages, length=prompt.length + length
            )
