"""Made histories: sessions of every way in, grown in steps, with texts that are hard to find.

Everything is drawn from one seeded `random.Random`, so that a seed names a history for good. People
and words are invented.
"""

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from recense.adapters.sqlite.connections import connect
from recense.core.instants import text_from_instant
from recense.core.transcript.events import (
    Attachment,
    Error,
    InvocationEnded,
    Note,
    PathChosen,
    Payload,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    encode_payload,
)
from recense.core.transcript.records import Origin
from recense.errors import NotFound, StoreConflict
from recense.operations.sessions import AppendedEvent, OpenSession, StreamDelta
from recense.services.memory import Memory
from tests.end_to_end.scribes import Scribe
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)
from tests.importers.trees import conversation, export, node, root

EPOCH: Final = 1_700_000_000_000_000
DAY: Final = 86_400_000_000
State = Literal["none", "whole", "stale"]


class History:
    """A history in the making over one memory; each `step` is one thing that people do.

    ``folder`` takes the files that agents leave. ``sessions`` are the ids that are known.
    """

    def __init__(self, seed: int, memory: Memory, folder: Path) -> None:
        self.chance: Final = random.Random(seed)
        self.scribe: Final = Scribe(self.chance)
        self.memory: Final = memory
        self.sessions: Final[list[str]] = []
        self.events: Final[list[tuple[str, str]]] = []
        self._folder: Final = folder
        self._numbers = iter(range(10**6))
        self._open_streams: Final[dict[tuple[str, str], str]] = {}
        self._files: Final[dict[str, list[dict[str, object]]]] = {}
        self._rollouts: Final[dict[str, list[dict[str, object]]]] = {}
        self._nodes: Final[list[dict[str, object]]] = [root()]
        folder.mkdir(parents=True, exist_ok=True)

    def step(self) -> None:
        """Let one thing happen."""
        steps: Sequence[tuple[int, Callable[[], None]]] = (
            (4, self._open),
            (14, self._append),
            (4, self._stream),
            (6, self._claude),
            (2, self._copy),
            (3, self._codex),
            (3, self._chatgpt),
            (1, self._hide),
            (1, self._unhide),
            (1, self._forget),
            (1, self._convert),
        )
        weights, acts = zip(*steps, strict=True)
        (act,) = self.chance.choices(acts, weights)
        act()

    # --- written by the API -----------------------------------------------------------------------

    def _open(self) -> None:
        chance = self.chance
        origin: Origin = chance.choice(("interactive", "agent", "subagent", "headless", "agent"))
        known = self.sessions or [None]
        opened = self.memory.session_open(
            OpenSession(
                session=f"s{next(self._numbers)}",
                origin=origin,
                parent=chance.choice([None, *known]) if origin == "subagent" else None,
                revision_of=chance.choice(known) if chance.random() < 0.3 else None,
                workspace=chance.choice((None, "/a", "/a/b", "/ab")),
                title=chance.choice((None, self.scribe.words(2))),
                created_at=text_from_instant(EPOCH + chance.randrange(3)),
            )
        )
        self.sessions.append(opened.session)

    def _append(self) -> None:
        chance = self.chance
        mine = [each for each in self.sessions if each.startswith("api:")]
        if not mine:
            return self._open()
        session = chance.choice(mine)
        events: list[AppendedEvent] = []
        for _ in range(chance.randrange(1, 9)):
            name = f"e{next(self._numbers)}"
            at = chance.choice((0, 0, 1, 2, 3)) * DAY + EPOCH
            events.append(
                AppendedEvent(
                    event_id=name,
                    at=text_from_instant(at),
                    payload=encode_payload(self._payload()),
                )
            )
            self.events.append((session, name))
        try:
            self.memory.session_append(session, events)
        except (NotFound, StoreConflict):  # it was forgotten
            self._learn()
        return None

    def _payload(self) -> Payload:
        chance, text = self.chance, self.scribe.text
        key = chance.choice((None, None, "m1", "m2"))
        tree = chance.choice((None, None, None, "n1", "n2", "n3"))
        call = chance.choice("ab")
        makers: Sequence[Callable[[], Payload]] = (
            lambda: Text(
                role="user",
                text=text(),
                standing=chance.choice(("typed", "typed", "queued", "agent", "injected")),
                message=key,
                parent=chance.choice((None, None, None, "p1", "p2")),
                node=tree,
            ),
            lambda: Text(
                role="user",
                text=chance.choice(("do it", "and then")),
                standing=chance.choice(("typed", "queued")),
                message=key,
            ),
            lambda: Text(role="model", text=text(), message=key, node=tree),
            lambda: Text(role="model", text=text(), message=key, node=tree),
            lambda: Text(role="user", text=text(), standing="boilerplate"),
            lambda: Thinking(text=text(is_long=False), message=key),
            lambda: ToolCall(call_id=call, name="Bash", arguments={"command": text()}),
            lambda: ToolResult(call_id=call, content=text(), spilled=chance.random() < 0.1),
            lambda: Attachment(
                name=chance.choice(("", "plan ﬁcus.pdf")),
                media_type="image/png",
                bytes=7,
                message=key,
                call_id=chance.choice((None, call)),
            ),
            lambda: Summary(text=text()),
            lambda: Note(text=text(), boilerplate=chance.random() < 0.3, node=tree),
            lambda: Error(text=text()),
            lambda: InvocationEnded(status="failed", cause=text()),
            lambda: PathChosen(nodes=tuple(chance.sample(("n1", "n2", "n3"), 2))),
        )
        (make,) = chance.choices(makers, (5, 2, 5, 3, 1, 1, 3, 4, 2, 1, 2, 1, 1, 1))
        return make()

    def _stream(self) -> None:
        """Begin a stream, go on with one, or complete one."""
        chance = self.chance
        mine = [each for each in self.sessions if each.startswith("api:")]
        if not mine:
            return
        if self._open_streams and chance.random() < 0.6:
            (session, key), text = chance.choice(list(self._open_streams.items()))
            if chance.random() < 0.5:
                del self._open_streams[session, key]
                payload = encode_payload(Text(role="model", text=text))
                done = AppendedEvent(event_id=key, payload=payload, stream=key)
                self._try(session, lambda: self.memory.session_append(session, [done]))
                return
        else:
            session, key, text = chance.choice(mine), f"st{next(self._numbers)}", ""
        delta = self.scribe.text(is_long=False)
        half = delta[: len(delta) // 2]  # the rest of a word comes with another piece, or never
        self.scribe.said.append((text + half)[-12:] or "x")
        self._open_streams[session, key] = text + half
        piece = StreamDelta(stream=key, delta=half)
        self._try(session, lambda: self.memory.session_stream(session, piece))

    def _try(self, session: str, act: Callable[[], object]) -> None:
        try:
            act()
        except (NotFound, StoreConflict):  # the session was forgotten
            self._learn()
            for place in [each for each in self._open_streams if each[0] == session]:
                del self._open_streams[place]

    # --- files of agents --------------------------------------------------------------------------

    def _said(self) -> str:
        """Return a text for a file, where lone surrogates can stand."""
        self.scribe.surrogates = True
        text = self.scribe.text()
        self.scribe.surrogates = False
        return text

    def _claude(self) -> None:
        """Begin a Claude Code session or a sub-agent of one, or let one grow, and import it."""
        chance = self.chance
        if self._files and chance.random() < 0.6:
            name = chance.choice(list(self._files))
        elif self._files and chance.random() < 0.5:
            parent = chance.choice([each for each in self._files if "/" not in each])
            name = f"{parent}/subagents/agent-a{next(self._numbers)}"
        else:
            name = f"0a1b2c3d-0000-4000-8000-{next(self._numbers):012}"
        records = self._files.setdefault(name, [])
        session, _, agent = name.partition("/subagents/agent-")
        fields: dict[str, object] = {"sessionId": session}
        if agent:
            fields |= {"isSidechain": True, "agentId": agent}
        if chance.random() < 0.3 and len(records) > 2:  # a rewind
            fields["parentUuid"] = chance.choice(records)["parentUuid"]
        for _ in range(chance.randrange(1, 6)):
            records.append(self._claude_record(fields, records))
            fields.pop("parentUuid", None)
        path = self._folder / "projects" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_escaped(records) if chance.random() < 0.5 else _plain(records))
        self._import(path)

    def _claude_record(
        self, fields: dict[str, object], before: Sequence[Mapping[str, object]]
    ) -> dict[str, object]:
        chance = self.chance
        number = next(self._numbers) + 1
        last = before[-1].get("uuid") if before else None
        fields = {"parentUuid": last} | fields
        text = self._said()
        match chance.randrange(7):
            case 0 | 1:
                return claude_user(number, text, **fields)
            case 2:
                picture = b"\x89PNG\r\n" + number.to_bytes(4) * 400
                source = {
                    "type": "base64",
                    "media_type": "image/png",
                    "data": base64.b64encode(picture).decode(),
                }
                blocks = [text_block(text), {"type": "image", "source": source}]
                return claude_user(number, blocks, **fields)
            case 3:
                return claude_user(number, [tool_result(f"c{number}", text)], **fields)
            case 4:
                call = tool_use(f"c{number + 1}", "Bash", command=text)
                return claude_assistant(number, call, **fields)
            case _:
                message = f"msg_{chance.randrange(4)}" if chance.random() < 0.5 else f"msg_{number}"
                return claude_assistant(number, text_block(text), message_id=message, **fields)

    def _copy(self) -> None:
        """Copy the first records of a Claude Code session into another one: a fork."""
        known = [each for each in self._files if "/" not in each]
        if not known:
            return
        name = f"0a1b2c3d-0000-4000-9000-{next(self._numbers):012}"
        records = self._files[self.chance.choice(known)]
        kept = records[: self.chance.randrange(1, len(records) + 1)]
        self._files[name] = [each | {"sessionId": name} for each in kept]
        path = self._folder / "projects" / f"{name}.jsonl"
        path.write_bytes(_plain(self._files[name]))
        self._import(path)

    def _codex(self) -> None:
        """Begin a Codex session, perhaps an edited version of another, or let one grow."""
        chance = self.chance
        if self._rollouts and chance.random() < 0.5:
            name = chance.choice(list(self._rollouts))
        else:
            name = f"0a1b2c3d-0000-4000-a000-{next(self._numbers):012}"
            meta: dict[str, object] = {"id": name}
            if self._rollouts and chance.random() < 0.6:
                meta["forked_from_id"] = chance.choice(list(self._rollouts))
            elif self._rollouts and chance.random() < 0.5:
                parent = {"parent_thread_id": chance.choice(list(self._rollouts)), "depth": 1}
                meta["source"] = {"subagent": {"thread_spawn": parent}}
            self._rollouts[name] = [codex_meta(**meta)]
        records = self._rollouts[name]
        for _ in range(chance.randrange(1, 4)):
            asked, at = self._said(), len(records)
            records.append(codex_message("user", asked, at=at))
            records.append(codex_event("user_message", at=at, message=asked))
            records.append(codex_message("assistant", self._said(), at=at))
        path = self._folder / f"rollout-2026-02-03T11-00-00-{name}.jsonl"
        path.write_bytes(_escaped(records) if chance.random() < 0.5 else _plain(records))
        self._import(path)

    def _chatgpt(self) -> None:
        """Let a ChatGPT conversation grow a branch or go back to one, and export it again."""
        chance, nodes = self.chance, self._nodes
        parent = str(chance.choice(nodes)["id"])
        if chance.random() < 0.7:
            for role in ("user", "assistant"):
                name = f"n{next(self._numbers)}"
                nodes.append(node(name, parent, role, self._said()))
                parent = name
        made = conversation(
            [each | {"children": list[object]()} for each in nodes],
            parent,
            updated=1_700_000_100 + next(self._numbers),
        )
        path = self._folder / f"conversations-{next(self._numbers)}" / "conversations.json"
        path.parent.mkdir()
        path.write_bytes(export(made))
        self._import(path)

    def _import(self, path: Path) -> None:
        self.memory.import_sessions(None, [str(path)], archive_only=self.chance.random() < 0.25)
        self._learn()

    def _learn(self) -> None:
        listed = self.memory.sessions(shelved=True, limit=500).sessions
        self.sessions[:] = [each.session for each in listed]

    # --- what people do with sessions -------------------------------------------------------------

    def _hide(self) -> None:
        if self.sessions:
            self.memory.hide_session(self.chance.choice(self.sessions))

    def _unhide(self) -> None:
        for each in self.memory.sessions(limit=500).sessions:
            if each.private:
                self.memory.unhide_session(each.session)
                return

    def _forget(self) -> None:
        if len(self.sessions) > 4:
            session = self.chance.choice(self.sessions)
            self.memory.forget_session(session, with_forks=self.chance.random() < 0.2)
            self._learn()

    def _convert(self) -> None:
        self.memory.convert()


def _plain(records: Sequence[Mapping[str, object]]) -> bytes:
    try:
        return lines(records)
    except UnicodeEncodeError:  # a lone surrogate can only be written escaped
        return _escaped(records)


def _escaped(records: Sequence[Mapping[str, object]]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def build(seed: int, memory: Memory, folder: Path, *, steps: int, state: State) -> History:
    """Make a history, indexed meanwhile and, for ``whole``, at its end."""
    history = History(seed, memory, folder)
    for _ in range(steps):
        history.step()
        if state != "none" and history.chance.random() < 0.2:
            memory.index()
    if state == "whole":
        memory.convert()
        memory.index()
    return history


def run(store: Path, *statements: str) -> None:
    """Execute statements on a store's file, as no part of Recense would."""
    connection = connect(store, busy_wait_ms=0)
    try:
        for statement in statements:
            connection.execute(statement)
    finally:
        connection.close()
