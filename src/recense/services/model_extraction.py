"""The extractor that asks a model.

Laws:

- Instructions are ours and stand in a file; what is read is fenced, and tells nobody what to do.
- An answer is taken as it can be read (`recense.core.extraction.salvage`). One that cannot be, or
  that was cut, is asked for once more, with its fault named; then the reading has failed, and
  nothing of it counts.
- Whatever was spent is told: in what is returned, or by the error.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta, timezone, tzinfo
from hashlib import sha256
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from recense.core.extraction.material import MATERIAL_FORM, material, vocabulary_text
from recense.core.extraction.salvage import FACTS_KEY, SalvagedAnswer, proposals_in
from recense.core.extraction.views import ExtractorView
from recense.core.facts.changes import Definition
from recense.core.text.tokens import estimate_tokens
from recense.errors import ModelAnswerUnusable, ModelFault
from recense.limits import (
    MODEL_ANSWER_TOKENS_MAX,
    MODEL_CALL_SECONDS,
    VIEW_PART_OVERHEAD_TOKENS,
)
from recense.ports.extraction import Proposed
from recense.ports.models import ChatModel, ModelAnswer, ModelRequest

_ATTEMPTS_MAX: Final = 2
_VERSION_DIGITS: Final = 16
_FRAME_TOKENS_MAX: Final = 512
"""Tokens of all else that is sent along: headings, the time zone, a fault that is named."""

_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")

_VALUE: Final[Mapping[str, object]] = {"type": ["string", "number", "boolean"]}
_FIELDS: Final[Mapping[str, object]] = {
    "subject": {"type": "string"},
    "predicate": {"type": "string"},
    "value": _VALUE,
    "kind": {"type": "string", "enum": ["fact", "preference"]},
    "confidence": {"type": "number"},
    "evidence": {"type": "string"},
    "replaces": {"type": "array", "items": _VALUE},
}
_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        FACTS_KEY: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _FIELDS,
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": [FACTS_KEY],
    "additionalProperties": False,
}
"""The form of an answer, within what every provider can hold a model to: each field required, no
bounds."""


class ModelExtractor:
    """A `recense.ports.extraction.Extractor` that asks a model, twice at most for one view."""

    def __init__(self, model: ChatModel, *, call_seconds: float = MODEL_CALL_SECONDS) -> None:
        """``call_seconds`` is the deadline of each call."""
        self._model: Final = model
        self._call_seconds: Final = call_seconds
        instructions = files("recense").joinpath("prompts", "extract.md")
        self._instructions: Final = instructions.read_text(encoding="utf-8")
        self._schema_text: Final = json.dumps(_SCHEMA, sort_keys=True)

    @property
    def extractor_id(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def version(self) -> str:
        """A digest of the instructions, the form of answers and of material, and the model."""
        parts = (self._instructions, self._schema_text, str(MATERIAL_FORM), self._model.name)
        return sha256("\0".join(parts).encode()).hexdigest()[:_VERSION_DIGITS]

    def overhead_tokens(self, parts: int, vocabulary: Sequence[Definition]) -> int:
        """Return the most that two calls send beside the view; runs of backticks in it may cost
        twice their length more.
        """
        once = (
            estimate_tokens(self._instructions)
            + estimate_tokens(self._schema_text)
            + estimate_tokens(vocabulary_text(vocabulary))
            + parts * VIEW_PART_OVERHEAD_TOKENS
            + _FRAME_TOKENS_MAX
        )
        return _ATTEMPTS_MAX * once

    @property
    def answer_tokens(self) -> int:
        """The most that two answers take."""
        return _ATTEMPTS_MAX * MODEL_ANSWER_TOKENS_MAX

    @property
    def readings_max(self) -> int:
        """How many times a view is sent at most."""
        return _ATTEMPTS_MAX

    def propose(
        self,
        view: ExtractorView,
        vocabulary: Sequence[Definition],
        observed_at: int | None,
        timezone: str,
    ) -> Proposed:
        """Return what a model says that a view says.

        Raises ModelAnswerUnusable where two answers were of no use, and what a call raises; the
        error then tells what the calls before took, and for an answer without use the most that it
        may have taken itself.
        """
        zone = _zone(timezone)
        text = material(
            view,
            vocabulary,
            observed_at=observed_at,
            zone=zone,
            zone_name="UTC" if zone is UTC else timezone,
        )
        tokens_in = tokens_out = 0
        fault = ""
        for _ in range(_ATTEMPTS_MAX):
            request = self._request(text, fault)
            try:
                answer = self._model.complete(request, deadline_seconds=self._call_seconds)
            except ModelAnswerUnusable as error:  # it may have been paid, and nobody says how much
                error.tokens_in = tokens_in + self._tokens_sent(request)
                error.tokens_out = tokens_out + request.answer_tokens_max
                raise
            except ModelFault as error:
                error.tokens_in, error.tokens_out = tokens_in, tokens_out
                raise
            tokens_in += self._tokens_in(request, answer)
            tokens_out += _tokens_out(answer)
            read = _read(answer)
            if not isinstance(read, str):
                return Proposed(
                    proposals=read.proposals,
                    dropped=read.dropped,
                    tokens_in=tokens_in,
                    tokens_out=tokens_out,
                )
            fault = read
        error = ModelAnswerUnusable(
            f"{self._model.name} gave {_ATTEMPTS_MAX} answers of no use; of the last: {fault}",
            hint="it stays unread; another model may do better",
        )
        error.tokens_in, error.tokens_out = tokens_in, tokens_out
        raise error

    def _request(self, text: str, fault: str) -> ModelRequest:
        again = (
            "\n# Your answer before this\n\nIt could not be used: "
            f"{fault}. Read the messages again and answer as you were told, in JSON alone.\n"
        )
        return ModelRequest(
            instructions=self._instructions,
            text=text + again if fault else text,
            schema=_SCHEMA,
            answer_tokens_max=MODEL_ANSWER_TOKENS_MAX,
        )

    def _tokens_in(self, request: ModelRequest, answer: ModelAnswer) -> int:
        return self._tokens_sent(request) if answer.tokens_in is None else answer.tokens_in

    def _tokens_sent(self, request: ModelRequest) -> int:
        sent = (request.instructions, request.text, self._schema_text)
        return sum(map(estimate_tokens, sent))


def _tokens_out(answer: ModelAnswer) -> int:
    return estimate_tokens(answer.text) if answer.tokens_out is None else answer.tokens_out


def _read(answer: ModelAnswer) -> SalvagedAnswer | str:
    """Return what an answer says, or what is wrong with it."""
    cut = (
        f"it was cut at {MODEL_ANSWER_TOKENS_MAX} tokens, or before; list fewer facts, those that "
        "matter longest, with shorter evidence"
    )
    if answer.is_cut:
        return cut
    try:
        salvaged = proposals_in(answer.text)
    except ModelAnswerUnusable as error:
        return error.message
    return cut if salvaged.is_cut else salvaged


def _zone(name: str) -> tzinfo:
    """Return a time zone by its IANA name or its offset; UTC where there is none of that name: an
    instant is shown with its offset, so that nothing is said wrongly then.
    """
    offset = _OFFSET.fullmatch(name.strip())
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        distance = timedelta(minutes=-minutes if offset[1] == "-" else minutes)
        return timezone(distance) if abs(distance) < timedelta(days=1) else UTC
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
