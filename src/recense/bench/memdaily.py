"""MemDaily: what people tell an assistant about their days, in Chinese, and a question about each
lot.

A case is a trajectory: one session of some ten messages. Each message is a turn of its own, so that
an answer can name it. Questions that the set's own makers marked as failed are left out. Files are
read by name; the halves count trajectories through all of them.
"""

import os
from datetime import UTC, datetime
from typing import Final

from recense.bench.material import Question, RetrievalCase, RetrievalSet, Said, SetSession, decoded
from recense.core.values import Value
from recense.errors import SourceUnreadable, SourceUnrecognised

FOLDER: Final = "memdaily-zh"
_FAILED: Final = ("ERRORQ", "ERRORA")
_DATE_CHARACTERS: Final = len("2024年04月01日")


class _Told(Value, kw_only=True):
    mid: int
    message: str
    time: str


class _AskedAbout(Value, kw_only=True):
    question: str
    answer: object
    target_step_id: list[int]


class _Trajectory(Value, kw_only=True):
    tid: int
    message_list: list[_Told]
    question_list: list[_AskedAbout]


def read_memdaily(folder: str) -> RetrievalSet:
    """Return the set below a folder of sets; see `recense.bench.material.decoded`."""
    place = os.path.join(folder, FOLDER)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    paths = [os.path.join(place, name) for name in names if name.endswith(".json")]
    if not paths:
        raise SourceUnreadable(
            f"there are no files of MemDaily in {place!r}", hint="look whether the set is complete"
        )
    cases = tuple(
        _case(path, trajectory) for path in paths for trajectory in decoded(path, list[_Trajectory])
    )
    return RetrievalSet(name="memdaily", finds="messages", cases=cases)


def instant_text(written: str) -> str:
    """Return ``2024年04月01日 周一 08:39`` in RFC 3339, taken as UTC: the set names no zone."""
    day, clock = written[:_DATE_CHARACTERS], written.rpartition(" ")[2]
    parsed = datetime.strptime(f"{day} {clock}", "%Y年%m月%d日 %H:%M")  # noqa: DTZ007 -- the next line
    return parsed.replace(tzinfo=UTC).isoformat()


def _case(path: str, trajectory: _Trajectory) -> RetrievalCase:
    name = f"{os.path.basename(path).removesuffix('.json')}-{trajectory.tid}"
    told = trajectory.message_list
    try:
        instants = tuple(instant_text(each.time) for each in told)
    except ValueError as error:
        raise SourceUnrecognised(
            f"{path!r} holds an instant of another form", hint="fetch the set again"
        ) from error
    said = tuple(Said(place=str(each.mid), role="user", text=each.message) for each in told)
    places = {each.place for each in said}
    asked = [
        Question(text=each.question, right=right)
        for each in trajectory.question_list
        if not _has_failed(each) and (right := frozenset(map(str, each.target_step_id)) & places)
    ]
    session = SetSession(place=name, at=instants, said=said)
    return RetrievalCase(name=name, sessions=(session,), questions=tuple(asked))


def _has_failed(asked: _AskedAbout) -> bool:
    return any(mark in f"{asked.question} {asked.answer}" for mark in _FAILED)
