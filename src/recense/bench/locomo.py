"""LoCoMo: long conversations of two people, and questions about them.

A case is a conversation. A session is right for a question when it holds a turn of its evidence.
Questions of category 5 are left out, since nothing answers them, and so are those whose evidence
names no turn. Of the two people the first is kept as the user and the second as the model; what a
picture shows is part of what was said with it.
"""

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

from recense.bench.material import Question, RetrievalCase, RetrievalSet, Said, SetSession, decoded
from recense.core.values import Value
from recense.errors import SourceUnrecognised

FILE: Final = os.path.join("locomo", "locomo10.json")

_ADVERSARIAL: Final = 5
_SESSION: Final = re.compile(r"session_(\d+)")
_BETWEEN_IDS: Final = re.compile(r"[;\s]+")
_TURN_ID: Final = re.compile(r"D(\d+):(\d+)")

TurnId = tuple[int, int]
"""Which session, and which turn in it; both count from one."""


class _Turn(Value, kw_only=True):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Asked(Value, kw_only=True):
    question: str
    category: int
    evidence: list[str]


class _Sample(Value, kw_only=True):
    sample_id: str
    qa: list[_Asked]
    conversation: dict[str, msgspec.Raw]


def read_locomo(folder: str) -> RetrievalSet:
    """Return the set below a folder of sets; see `recense.bench.material.decoded`."""
    path = os.path.join(folder, FILE)
    samples = decoded(path, list[_Sample])
    try:
        cases = tuple(_case(sample) for sample in samples)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise SourceUnrecognised(
            f"{path!r} holds a conversation of another form ({type(error).__name__})",
            hint="fetch the set again",
        ) from error
    return RetrievalSet(name="locomo", finds="sessions", cases=cases)


def turn_ids(evidence: Iterable[str]) -> tuple[TurnId, ...]:
    """Return the turns that pieces of evidence name, in order.

    A piece may hold several ids between semicolons and spaces, and what is no id: that is dropped.
    Leading zeros do not count.
    """
    found: list[TurnId] = []
    for piece in evidence:
        for written in _BETWEEN_IDS.split(piece):
            match = _TURN_ID.fullmatch(written)
            if match is not None:
                found.append((int(match[1]), int(match[2])))
    return tuple(found)


def instant_text(written: str) -> str:
    """Return ``1:56 pm on 8 May, 2023`` in RFC 3339, taken as UTC: the set names no zone."""
    parsed = datetime.strptime(written, "%I:%M %p on %d %B, %Y")  # noqa: DTZ007 -- the next line
    return parsed.replace(tzinfo=UTC).isoformat()


def _case(sample: _Sample) -> RetrievalCase:
    conversation = sample.conversation
    first_speaker = msgspec.json.decode(conversation["speaker_a"], type=str)
    sessions: list[SetSession] = []
    homes: dict[TurnId, str] = {}
    numbered = [(int(m[1]), m[0]) for key in conversation if (m := _SESSION.fullmatch(key))]
    for _, key in sorted(numbered):
        turns = msgspec.json.decode(conversation[key], type=list[_Turn])
        written = msgspec.json.decode(conversation[f"{key}_date_time"], type=str)
        homes.update((turn_id, key) for turn in turns for turn_id in turn_ids([turn.dia_id]))
        sessions.append(
            SetSession(
                place=key,
                at=(instant_text(written),) * len(turns),
                said=tuple(
                    Said(
                        place=turn.dia_id,
                        role="user" if turn.speaker == first_speaker else "model",
                        text=f"{turn.text}\n{turn.blip_caption or ''}".rstrip("\n"),
                    )
                    for turn in turns
                ),
            )
        )
    asked = [
        Question(text=each.question, right=right)
        for each in sample.qa
        if each.category != _ADVERSARIAL
        and (right := frozenset(homes[t] for t in turn_ids(each.evidence) if t in homes))
    ]
    return RetrievalCase(name=sample.sample_id, sessions=tuple(sessions), questions=tuple(asked))
