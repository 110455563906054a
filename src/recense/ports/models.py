"""Models that answer in words: what we ask of whoever runs one.

Law: one call is one request, and ends at its deadline. What a model says is text of unknown worth;
nobody here believes it. An error says whether asking again may help; nothing is tried again by who
speaks to the model, for each attempt is counted and paid by who asked.
"""

from collections.abc import Mapping
from typing import Protocol

from recense.core.values import Value


class ModelRequest(Value, kw_only=True):
    """What a model is asked: ``instructions`` are ours, ``text`` is material. ``schema`` is the
    JSON Schema of the answer, which some endpoints hold a model to and others ignore.
    """

    instructions: str
    text: str
    schema: Mapping[str, object]
    answer_tokens_max: int


class ModelAnswer(Value, kw_only=True):
    """What a model said. ``tokens_in`` and ``tokens_out`` are the provider's own count, None where
    it gives none; ``is_cut`` that the answer ended at its limit and not by itself.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    is_cut: bool = False


class ChatModel(Protocol):
    """A model behind an endpoint; may be asked by several threads."""

    @property
    def name(self) -> str:
        """Provider and model, as ``openai:gpt-4.1-mini``."""
        ...

    def complete(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Return the answer to one request, sent once.

        Raises ModelTimedOut when it is not whole by the deadline, however slowly it comes;
        ModelUnavailable for an endpoint that cannot be reached, breaks off, is overloaded or fails
        (``retry_after_seconds`` where it says so); ModelRejected where asking again would not help:
        no access, no such model, a request that it refuses; MaterialRejected where other text might
        be read; ModelAnswerUnusable where what came is no answer of such an endpoint, is too long,
        or says that the model will not do it. ``is_cost_known`` of each says whether the call cost
        nothing, for nothing of it was sent or it was refused.
        """
        ...
