"""One case of a set in a memory of its own: written through the public API, then asked.

Every message is looked for after it was written: what is missing is no miss of ranking. A session
is found by the passages' sessions, a message by the turns that the passages anchor.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from recense.bench.material import RetrievalCase, SetSession
from recense.bench.measuring import Assertions
from recense.core.transcript.events import Text, encode_payload
from recense.limits import PASSAGES_MAX
from recense.operations.recall import RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.services.memory import Memory
from recense.settings.loading import load_settings
from recense.wiring import open_memory

SOURCE: Final = "bench"


def memory_at(url: str, folder: str) -> Memory:
    """Return a memory that no setting of this machine reaches; ``folder`` has no settings file."""
    return open_memory(load_settings({"store": url}, {}, folder, folder))


def write_case(memory: Memory, case: RetrievalCase, asserted: Assertions) -> dict[str, str]:
    """Write a case; return the place of each of its sessions by the id under which it is kept."""
    places: dict[str, str] = {}
    for session in case.sessions:
        opened = memory.session_open(
            OpenSession(
                session=f"{case.name}/{session.place}",
                source=SOURCE,
                origin="interactive",
                created_at=session.at[0] if session.at else None,
            )
        )
        places[opened.session] = session.place
        memory.session_append(opened.session, _events(session))
        kept = memory.transcript(opened.session, count=len(session.said) + 1)
        asserted.hold(
            kept.total == len(session.said)
            and [message.text for message in kept.messages] == [said.text for said in session.said],
            "every message of the set arrived, once, in order and as it is",
            session.place,
        )
    return places


def ranking(
    memory: Memory,
    question: str,
    finds: Literal["sessions", "messages"],
    places: Mapping[str, str],
) -> Sequence[str]:
    """Return the places that the memory finds for a question, each once, in answer order."""
    answer = memory.recall(RecallRequest(question=question, limit=PASSAGES_MAX))
    match finds:
        case "sessions":
            found = [places[passage.session] for passage in answer.passages]
        case "messages":
            found = [passage.turn for passage in answer.passages]
    return list(dict.fromkeys(found))


def documents(case: RetrievalCase, finds: Literal["sessions", "messages"]) -> dict[str, str]:
    """Return the whole text of everything that can be found, by place: what a baseline indexes."""
    match finds:
        case "sessions":
            return {
                session.place: "\n".join(said.text for said in session.said)
                for session in case.sessions
            }
        case "messages":
            return {said.place: said.text for session in case.sessions for said in session.said}


def _events(session: SetSession) -> list[AppendedEvent]:
    return [
        AppendedEvent(
            event_id=said.place,
            at=at,
            payload=encode_payload(Text(role=said.role, text=said.text, message=said.place)),
        )
        for said, at in zip(session.said, session.at, strict=True)
    ]
