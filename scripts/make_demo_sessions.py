"""Writes the sessions of the demonstration into `demo/home`, the same bytes every time.

The people and their words are in `demo_story.py`; here are the file formats of the two agents.
Where a session shows a secret, the file holds a placeholder: `demo.py` puts an invented secret
there, in a copy, when it runs.

    python scripts/make_demo_sessions.py [FOLDER]
"""

import base64
import hashlib
import json
import shutil
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, assert_never
from uuid import UUID

from demo_story import STORIES, Compaction, Says, Step, Story, SubAgent, Tool, Typed

HOME: Final = Path(__file__).resolve().parent.parent / "demo" / "home"

SECONDS_BETWEEN: Final = 23
"""From one record to the next: no two share a second, and it is still a conversation."""

Record = dict[str, object]


def screenshot() -> bytes:
    """Return a PNG of a kiosk whose fifth row is cut off: 64 by 40 pixels.

    It is not compressed, so that every release of zlib gives the same bytes.
    """
    width, height = 64, 40
    ink, paper, row_colour = (20, 30, 60), (235, 240, 245), (250, 200, 60)

    def pixel(x: int, y: int) -> tuple[int, int, int]:
        if x in {0, width - 1} or y in {0, height - 1}:
            return ink
        in_a_row = y // 4 % 2 == 1
        return row_colour if in_a_row and x // 4 in range(1, 4 + y // 8) else paper

    rows = b"".join(
        b"\x00" + bytes(part for x in range(width) for part in pixel(x, y)) for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, level=0))
        + chunk(b"IEND", b"")
    )


class Ticks:
    """What changes from record to record of a file: an instant, and ids that derive from a name."""

    def __init__(self, name: str, begins: datetime) -> None:
        self._name = name
        self._at = begins
        self._count = 0

    @property
    def at(self) -> datetime:
        """The instant of the next record."""
        return self._at

    def id(self, kind: str) -> str:
        """Return hexadecimal digits that no other call gives."""
        self._count += 1
        return hashlib.sha256(f"{self._name}/{kind}/{self._count}".encode()).hexdigest()

    def uuid(self) -> str:
        """Return a UUID that no other call gives."""
        return str(UUID(self.id("uuid")[:32], version=4))

    def instant(self) -> str:
        """Return the next instant as both agents write it."""
        text = self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._at += timedelta(seconds=SECONDS_BETWEEN)
        return text


class ClaudeFile:
    """The records of one Claude Code file, in order."""

    def __init__(self, story: Story, ticks: Ticks, agent: str | None = None) -> None:
        self._story = story
        self._ticks = ticks
        self._agent = agent
        self._parent: str | None = None
        self.records: list[Record] = []

    def _add(self, kind: str, fields: Record) -> str:
        uuid = self._ticks.uuid()
        record: Record = {
            "parentUuid": self._parent,
            "isSidechain": self._agent is not None,
            "userType": "external",
            "cwd": self._story.folder,
            "sessionId": self._story.session,
            "version": "2.1.114",
            "gitBranch": self._story.branch,
        }
        if self._agent is not None:
            record["agentId"] = self._agent
        record |= {"type": kind, **fields, "uuid": uuid, "timestamp": self._ticks.instant()}
        self.records.append(record)
        self._parent = uuid
        return uuid

    def user(self, content: object, **fields: object) -> str:
        """Add a record of the person's side and return its uuid."""
        return self._add("user", {"message": {"role": "user", "content": content}, **fields})

    def assistant(self, block: Record, message: str | None = None) -> str:
        """Add a record with one content block of a model's message and return its uuid."""
        return self._add(
            "assistant",
            {
                "message": {
                    "model": "claude-sonnet-4-5",
                    "id": message or f"msg_{self._ticks.id('message')[:24]}",
                    "type": "message",
                    "role": "assistant",
                    "content": [block],
                    "stop_reason": None,
                    "stop_sequence": None,
                    "usage": {"input_tokens": 4, "output_tokens": 96},
                },
                "requestId": f"req_{self._ticks.id('request')[:24]}",
            },
        )

    def call(self, tool: Tool) -> None:
        """Add a tool's call and its result, which the format repeats beside it."""
        call = f"toolu_{self._ticks.id('call')[:24]}"
        asked = self.assistant(
            {"type": "tool_use", "id": call, "name": tool.name, "input": dict(tool.arguments)}
        )
        result: Record = {"tool_use_id": call, "type": "tool_result", "content": tool.result}
        if tool.failed:
            result["is_error"] = True
        self.user(
            [result],
            toolUseResult={"stdout": tool.result, "stderr": "", "interrupted": False},
            sourceToolAssistantUUID=asked,
        )

    def sub_agent(self, task: SubAgent) -> None:
        """Add the call of a sub-agent and its report; its own file is another."""
        call = f"toolu_{self._ticks.id('call')[:24]}"
        asked = self.assistant(
            {
                "type": "tool_use",
                "id": call,
                "name": "Task",
                "input": {
                    "description": task.description,
                    "prompt": task.prompt,
                    "subagent_type": "Explore",
                },
            }
        )
        report: list[Record] = [{"type": "text", "text": task.report}]
        self.user(
            [{"tool_use_id": call, "type": "tool_result", "content": report}],
            toolUseResult={
                "status": "completed",
                "prompt": task.prompt,
                "agentId": task.agent,
                "content": report,
                "totalToolUseCount": len(task.steps),
            },
            sourceToolAssistantUUID=asked,
        )

    def compaction(self, summary: str) -> None:
        """Add the border of a compaction and the summary that stands for what came before."""
        before, self._parent = self._parent, None
        self._add(
            "system",
            {
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "level": "info",
                "logicalParentUuid": before,
                "compactMetadata": {"trigger": "auto", "preTokens": 155_112},
            },
        )
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def step(self, step: Step) -> None:
        """Add a step of the story."""
        match step:
            case Typed(text=text, screenshot=False):
                self.user(text)
            case Typed(text=text):
                data = base64.b64encode(screenshot()).decode()
                source = {"type": "base64", "media_type": "image/png", "data": data}
                self.user(
                    [{"type": "text", "text": text}, {"type": "image", "source": source}],
                    imagePasteIds=[1],
                )
            case Says(text=text):
                self.assistant({"type": "text", "text": text})
            case Tool():
                self.call(step)
            case SubAgent():
                self.sub_agent(step)
            case Compaction(summary=summary):
                self.compaction(summary)
            case _:
                assert_never(step)

    def title(self) -> None:
        """Add the title that a model made of this session."""
        title = {"type": "summary", "summary": self._story.title, "leafUuid": self._parent}
        self.records.append(dict(title))


def claude_files(story: Story) -> Iterator[tuple[str, str]]:
    """Yield the files of a Claude Code session, as path below the home folder and text."""
    folder = f".claude/projects/{story.folder.replace('/', '-')}"
    begins = datetime.fromisoformat(story.begins).replace(tzinfo=UTC)
    ticks = Ticks(story.session, begins)
    main = ClaudeFile(story, ticks)
    for step in story.steps:
        if isinstance(step, SubAgent):
            own = ClaudeFile(story, Ticks(f"{story.session}/{step.agent}", ticks.at), step.agent)
            own.user(step.prompt)
            for below in step.steps:
                own.step(below)
            own.step(Says(step.report))
            path = f"{folder}/{story.session}/subagents/agent-{step.agent}"
            yield f"{path}.jsonl", _lines(own.records)
            about = {"agentType": "Explore", "description": step.description}
            yield f"{path}.meta.json", json.dumps(about) + "\n"
        main.step(step)
    main.title()
    yield f"{folder}/{story.session}.jsonl", _lines(main.records)


def codex_files(story: Story) -> Iterator[tuple[str, str]]:
    """Yield the file of a Codex session, as path below the home folder and text."""
    ticks = Ticks(story.session, datetime.fromisoformat(story.begins).replace(tzinfo=UTC))
    day, time = story.begins.split("T")
    name = f"rollout-{day}T{time.replace(':', '-')}-{story.session}.jsonl"
    records = [_codex_record(ticks, kind, payload) for kind, payload in _codex_items(story, ticks)]
    yield f".codex/sessions/{day.replace('-', '/')}/{name}", _lines(records)


def _codex_record(ticks: Ticks, kind: str, payload: Record) -> Record:
    return {"timestamp": ticks.instant(), "type": kind, "payload": payload}


def _codex_items(story: Story, ticks: Ticks) -> Iterator[tuple[str, Record]]:
    yield (
        "session_meta",
        {
            "id": story.session,
            "timestamp": f"{story.begins}.000Z",
            "cwd": story.folder,
            "originator": "codex_cli_rs",
            "cli_version": "0.58.0",
            "source": "cli",
            "model_provider": "openai",
            "git": {"branch": story.branch},
        },
    )
    context = f"<environment_context>\n  <cwd>{story.folder}</cwd>\n</environment_context>"
    yield "response_item", _codex_message("user", context)
    for step in story.steps:
        match step:
            case Typed(text=text):
                yield "turn_context", {"cwd": story.folder, "model": "gpt-5-codex"}
                yield "response_item", _codex_message("user", text)
                yield "event_msg", {"type": "user_message", "message": text}
            case Says(text=text):
                yield "response_item", _codex_message("assistant", text)
                yield "event_msg", {"type": "agent_message", "message": text}
            case Tool():
                call = f"call_{ticks.id('call')[:24]}"
                command = ["bash", "-lc", step.arguments["command"]]
                asked = {"type": "function_call", "name": step.name, "call_id": call}
                yield "response_item", {**asked, "arguments": json.dumps({"command": command})}
                answer = {"output": step.result, "metadata": {"exit_code": int(step.failed)}}
                output: Record = {"type": "function_call_output", "call_id": call}
                yield "response_item", {**output, "output": json.dumps(answer)}
            case SubAgent() | Compaction():
                raise ValueError(f"{story.session}: no story of a Codex session has this step yet")
            case _:
                assert_never(step)


def _codex_message(role: str, text: str) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _lines(records: Iterable[Record]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def files() -> Iterator[tuple[str, str]]:
    """Yield every file of the demonstration, as path below the home folder and text."""
    for story in STORIES:
        yield from (codex_files if story.source == "codex" else claude_files)(story)


def write_sessions(home: Path) -> int:
    """Write every file below ``home``, whose sessions are replaced, and return their bytes."""
    for agent in (".claude", ".codex"):
        if (home / agent).is_dir():
            shutil.rmtree(home / agent)
    written = 0
    for path, text in files():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        written += file.write_bytes(text.encode())
    return written


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HOME
    print(f"{write_sessions(folder):,} bytes of sessions below {folder}")
