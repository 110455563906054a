"""What every door is asked about: one store, prepared through the library, and what is in it."""

import base64
import json
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.facts.changes import Definition
from recense.core.values import Value
from recense.limits import LEASE_TTL_MS_MAX
from recense.operations.agent_calls import (
    AcquireAgent,
    BeginAgentAction,
    EndAgentAction,
    RecordTurn,
    ReleaseAgent,
    SetAgentPointer,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.facts import RememberFact
from recense.operations.recall import RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession, StreamDelta
from recense.operations.texts import RememberText, Statement
from recense.services.agent_records import head_record, read_seen_head
from recense.services.memory import Memory
from tests.importers.builders import SESSION, claude_user, lines

PICTURE: Final = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
IMPORTED: Final = f"claude_code:{SESSION}"
CLERK: Final = "clerk"
"""An agent that its holder holds."""
SLEEPER: Final = "sleeper"
"""An agent that nobody holds, and that left an action open."""
HOLDER: Final = "the clerk's process"
TEA_KEY: Final = "tea"
"""Under which that somebody likes tea was said."""
TOLD: Final = "Mira moved to Oslo in May."
MORNING: Final = "2026-05-01T08:00:00.000000Z"

STATEMENTS: Final = (
    Statement(subject="ada", predicate="keeps", value="bees", evidence="Ada keeps bees"),
    Statement(subject="ada", predicate="keeps", value="cats", evidence="not in the text"),
)


class Scene(Value, kw_only=True):
    """What the store holds that is only known once it does; ``spare`` is the id of a key, and
    ``statements`` a file of `STATEMENTS`.
    """

    statements: Path
    anchor: str
    material: str
    episode: str
    fact: str
    note: str
    epoch: int
    action: str
    ended: str
    left_open: str
    unsettled: str
    spare: str = ""


def payload(text: str) -> bytes:
    """Return the payload of words of a person."""
    return json.dumps({"kind": "text", "role": "user", "text": text}).encode()


def prepared(memory: Memory, files: Path) -> Scene:
    """Fill a memory, and return what is in it; ``files`` is a folder for what is imported."""
    _sessions(memory, files)
    _registry(memory)
    fact, note, episode = _facts(memory)
    epoch, action, ended, left_open = _clerk(memory)
    unsettled = _sleeper(memory)
    memory.index()
    found = memory.recall(RecallRequest(terms=("needle",)))
    statements = files / "statements.json"
    statements.write_bytes(msgspec.json.encode(STATEMENTS))
    return Scene(
        statements=statements,
        anchor=found.passages[0].anchor,
        material=found.materials[0].id,
        episode=episode,
        fact=fact,
        note=note,
        epoch=epoch,
        action=action,
        ended=ended,
        left_open=left_open,
        unsettled=unsettled,
    )


def _sessions(memory: Memory, files: Path) -> None:
    source = {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(PICTURE).decode("ascii"),
    }
    content = [{"type": "text", "text": "see the needle"}, {"type": "image", "source": source}]
    said = "The herbarium closes at noon. My favourite tea is fennel."
    file = files / "talk.jsonl"
    file.write_bytes(lines([claude_user(1, content), claude_user(2, said)]))
    memory.import_sessions("claude_code", [str(file)])
    for name in ("shown", "hidden"):
        memory.session_open(OpenSession(session=name, title=f"Talk {name}", created_at=MORNING))
        words = payload(f"The kettle of {name} is blue.")
        event = AppendedEvent(event_id="e1", payload=words, at=MORNING)
        memory.session_append(f"api:{name}", [event])
    memory.hide_session("api:hidden")
    memory.session_stream("api:shown", StreamDelta(stream="s0", delta="Later. ", at=MORNING))


def _registry(memory: Memory) -> None:
    for name in ("resides_in", "enjoys", "savours"):
        memory.define_predicate(Definition(predicate=name))
    memory.merge_predicates("resides_in", "lives_in")
    memory.merge_subjects("mira okafor", "mira")


def _facts(memory: Memory) -> tuple[str, str, str]:
    for value, at in (("Bergen", "2026-01-01"), ("Oslo", "2026-05-01")):
        memory.remember_fact(
            RememberFact(subject="mira", predicate="lives_in", value=value, observed_at=at)
        )
    tea = memory.remember_fact(
        RememberFact(
            subject="mira",
            predicate="likes",
            value="tea",
            observed_at="2026-05-02",
            idempotency_key=TEA_KEY,
        )
    )
    note = memory.remember_fact(
        RememberFact(
            subject="mira", predicate="note", value="Likes mornings.", observed_at="2026-05-03"
        )
    )
    city = Statement(subject="mira", predicate="works_in", value="Oslo", evidence="to Oslo")
    text = memory.remember(RememberText(text=TOLD, statements=(city,), observed_at="2026-05-04"))
    assert tea.event_id is not None
    assert note.event_id is not None
    return tea.event_id, note.event_id, text.episode


def _clerk(memory: Memory) -> tuple[int, str, str, str]:
    """Let an agent write down something of each kind, and hold on to it."""
    calls = memory.agents.calls
    lease = AcquireAgent(agent=CLERK, holder=HOLDER, ttl_ms=LEASE_TTL_MS_MAX)
    epoch = calls.acquire(lease).epoch
    left = calls.begin_action(
        BeginAgentAction(
            agent=CLERK, epoch=epoch, tool="file_return", action_class="checkable", args=[1]
        )
    )
    calls.release(ReleaseAgent(agent=CLERK, epoch=epoch))
    epoch = calls.acquire(lease).epoch
    calls.update_state(UpdateWorkingState(agent=CLERK, epoch=epoch, goal="close the day", step=3))
    for number in (1, 2):
        turn = RecordTurn(
            agent=CLERK, epoch=epoch, role="user", content=f"Turn {number}.", at=MORNING
        )
        calls.record_turn(turn)
    calls.store_output(
        StoreOutput(agent=CLERK, epoch=epoch, tool="list_tills", content="till one, till two")
    )
    calls.set_pointer(
        SetAgentPointer(
            agent=CLERK, epoch=epoch, name="till", type="object", fields={"id": "till one"}
        )
    )
    ended = calls.begin_action(
        BeginAgentAction(agent=CLERK, epoch=epoch, tool="count", action_class="read", args={})
    )
    calls.end_action(EndAgentAction(agent=CLERK, epoch=epoch, action=ended.id, result=12))
    begun = calls.begin_action(
        BeginAgentAction(
            agent=CLERK, epoch=epoch, tool="send_mail", action_class="unsafe", args={"to": "mira"}
        )
    )
    return epoch, begun.id, ended.id, left.id


def hand_over(memory: Memory, taker: str) -> None:
    """Let the clerk be held by another caller, as if that had taken it; all else stays."""
    store = memory.agents.calls._store  # pyright: ignore[reportPrivateUsage] - no call does this
    with store.reading() as reader:
        head = read_seen_head(reader, CLERK).head
    store.records.put([head_record(replace(head, taker=taker))])


def _sleeper(memory: Memory) -> str:
    calls = memory.agents.calls
    epoch = calls.acquire(AcquireAgent(agent=SLEEPER, holder=HOLDER)).epoch
    begun = calls.begin_action(
        BeginAgentAction(agent=SLEEPER, epoch=epoch, tool="pay", action_class="unsafe", args=[7])
    )
    calls.release(ReleaseAgent(agent=SLEEPER, epoch=epoch))
    return begun.id
