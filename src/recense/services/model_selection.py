"""The selector that asks a model, once: what it cannot say the person says.

Law: an answer is the object that was asked for, or of no use. Nothing is mended in it, for what it
names is withdrawn.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

import msgspec

from recense.core.extraction.material import fenced
from recense.core.text.redact import redact
from recense.core.text.tokens import estimate_tokens
from recense.core.values import Value
from recense.errors import ModelAnswerUnusable
from recense.limits import (
    FACTS_FOUND_MAX,
    MODEL_CALL_SECONDS,
    SELECTION_ANSWER_TOKENS_MAX,
    VIEW_PART_OVERHEAD_TOKENS,
)
from recense.ports.models import ChatModel, ModelRequest
from recense.ports.selection import Selected

_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "meant": {"type": "array", "items": {"type": "integer"}},
        "certain": {"type": "boolean"},
    },
    "required": ["meant", "certain"],
    "additionalProperties": False,
}


class _Answer(Value, kw_only=True, forbid_unknown_fields=True):
    meant: tuple[int, ...]
    certain: bool


class ModelSelector:
    """A `recense.ports.selection.Selector` that asks a model."""

    def __init__(self, model: ChatModel, *, call_seconds: float = MODEL_CALL_SECONDS) -> None:
        """``call_seconds`` is the deadline of a call."""
        self._model: Final = model
        self._call_seconds: Final = call_seconds
        instructions = files("recense").joinpath("prompts", "forget.md")
        self._instructions: Final = instructions.read_text(encoding="utf-8")

    @property
    def overhead_tokens(self) -> int:
        """The most that a call is sent beside the text and the sentences."""
        once = estimate_tokens(self._instructions) + estimate_tokens(json.dumps(_SCHEMA))
        return once + (FACTS_FOUND_MAX + 1) * VIEW_PART_OVERHEAD_TOKENS

    @property
    def answer_tokens(self) -> int:
        """The most tokens of an answer."""
        return SELECTION_ANSWER_TOKENS_MAX

    def select(self, text: str, sentences: Sequence[str]) -> Selected:
        """Return which sentences a text asks to forget.

        Raises ModelFault; of an answer of no use the error tells what it took.
        """
        listed = [
            f"## {number}\n\n{fenced(redact(each).text)}"
            for number, each in enumerate(sentences, start=1)
        ]
        shown = "\n\n".join(
            ["# What the person said", fenced(redact(text).text), "# What is held", *listed]
        )
        request = ModelRequest(
            instructions=self._instructions,
            text=f"{shown}\n",
            schema=_SCHEMA,
            answer_tokens_max=SELECTION_ANSWER_TOKENS_MAX,
        )
        answer = self._model.complete(request, deadline_seconds=self._call_seconds)
        sent = estimate_tokens(self._instructions) + estimate_tokens(request.text)
        tokens_in = sent if answer.tokens_in is None else answer.tokens_in
        said = estimate_tokens(answer.text)
        tokens_out = said if answer.tokens_out is None else answer.tokens_out
        try:
            read = msgspec.json.decode(answer.text, type=_Answer)
        except msgspec.DecodeError as error:
            unusable = ModelAnswerUnusable(
                f"{self._model.name} gave an answer of no use; expected the numbers of a list"
            )
            unusable.tokens_in, unusable.tokens_out = tokens_in, tokens_out
            raise unusable from error
        return Selected(
            numbers=read.meant,
            is_certain=read.certain and not answer.is_cut,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
        )
