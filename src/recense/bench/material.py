"""A retrieval set as the quality benchmark sees it: cases, each a store of its own with its
questions.

What is to be found has a *place*: a name that a ranking lists. In a set of sessions it is the
session's, in a set of messages the message's.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

from recense.bench.requests import Half, SetName
from recense.core.transcript.events import Role
from recense.core.values import Value
from recense.errors import SourceUnreadable, SourceUnrecognised

_Form = TypeVar("_Form")

FOLDER_VARIABLE = "RECENSE_TEST_DATA"


class Said(Value, kw_only=True):
    """One message of a set; ``place`` is unique in its case."""

    place: str
    role: Role
    text: str


class SetSession(Value, kw_only=True):
    """One session of a set; ``at`` is RFC 3339, the instant that the set gives for all of it or for
    each message in turn.
    """

    place: str
    at: tuple[str, ...]
    said: tuple[Said, ...]


class Question(Value, kw_only=True):
    """A question and the places that answer it: at least one."""

    text: str
    right: frozenset[str]


class RetrievalCase(Value, kw_only=True):
    """What is kept and asked together, apart from all other cases."""

    name: str
    sessions: tuple[SetSession, ...]
    questions: tuple[Question, ...]


class RetrievalSet(Value, kw_only=True):
    """A set: its cases in order, and whether sessions or messages are to be found."""

    name: SetName
    finds: Literal["sessions", "messages"]
    cases: tuple[RetrievalCase, ...]


def half_of(cases: Sequence[RetrievalCase], half: Half) -> tuple[RetrievalCase, ...]:
    """Return one half of a sequence of cases: counted from one, the odd ones are for development,
    the even ones for the test.
    """
    match half:
        case "dev":
            return tuple(cases[::2])
        case "test":
            return tuple(cases[1::2])
        case "all":
            return tuple(cases)


def retrieval_folder(
    named: str | None, environment: Mapping[str, str], working_directory: str
) -> str:
    """Return the folder of retrieval sets: below the folder named, else below the one of
    RECENSE_TEST_DATA, else below ``shared/data`` beside the working directory.

    Raises SourceUnreadable, saying where it looked.
    """
    if named is not None:
        data, reason = named, "--data"
    elif environment.get(FOLDER_VARIABLE):
        data, reason = environment[FOLDER_VARIABLE], FOLDER_VARIABLE
    else:
        beside = os.path.join(working_directory, os.pardir, "shared", "data")
        data, reason = os.path.normpath(beside), "beside the working directory"
    folder = os.path.join(data, "retrieval")
    if not os.path.isdir(folder):
        raise SourceUnreadable(
            f"no retrieval sets: there is no folder {folder!r} ({reason})",
            hint=f"name the folder that holds 'retrieval' with --data or {FOLDER_VARIABLE}",
        )
    return folder


def decoded(path: str, form: type[_Form]) -> _Form:
    """Return the JSON of a file of a set.

    Raises SourceUnreadable for a file that cannot be read and SourceUnrecognised for one of another
    form; neither quotes it.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise SourceUnreadable(
            f"{path!r} cannot be read: {error.strerror}", hint="look whether the set is complete"
        ) from error
    try:
        return msgspec.json.decode(content, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SourceUnrecognised(
            f"{path!r} is no file of this set: {error}", hint="fetch the set again"
        ) from error
