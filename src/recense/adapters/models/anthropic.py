"""Anthropic's models, and those behind endpoints that speak as Anthropic's does."""

from typing import Final

import msgspec

from recense.adapters.models.http import Endpoint, refused, require_model_name
from recense.core.values import Value
from recense.ports.clock import Clock
from recense.ports.models import ModelAnswer, ModelRequest

ANTHROPIC_URL: Final = "https://api.anthropic.com"

_PATH: Final = "/v1/messages"
_VERSION: Final = "2023-06-01"
_TOOL: Final = "answer"
_CUT: Final = frozenset({"max_tokens", "model_context_window_exceeded"})


class _Block(Value, kw_only=True):
    type: str
    text: str = ""
    input: msgspec.Raw = msgspec.Raw()


class _Usage(Value, kw_only=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Said(Value, kw_only=True):
    content: tuple[_Block, ...]
    stop_reason: str | None = None
    usage: _Usage | None = None


class AnthropicModel:
    """A `recense.ports.models.ChatModel` behind ``POST {base_url}/v1/messages``.

    It has to call a tool whose input is the answer; where it speaks instead, what it says is the
    answer. Raises SettingsInvalid as `Endpoint` does.
    """

    def __init__(
        self, model: str, *, clock: Clock, key: str | None = None, base_url: str = ANTHROPIC_URL
    ) -> None:
        self._model: Final = require_model_name(model)
        self._endpoint: Final = Endpoint(
            base_url, key=key, key_header=("x-api-key", ""), clock=clock
        )

    @property
    def name(self) -> str:
        """The provider and the model."""
        return f"anthropic:{self._model}"

    def complete(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Return the answer to one request; see `recense.ports.models.ChatModel`."""
        reply = self._endpoint.post(
            _PATH,
            self._payload(request),
            deadline_seconds=deadline_seconds,
            headers={"anthropic-version": _VERSION},
        )
        said = self._endpoint.read(reply, _Said)
        if said.stop_reason == "refusal":
            raise refused(self._endpoint.host)
        usage = said.usage or _Usage()
        return ModelAnswer(
            text=_text_of(said.content),
            tokens_in=_tokens_in(usage),
            tokens_out=usage.output_tokens,
            is_cut=said.stop_reason in _CUT,
        )

    def _payload(self, request: ModelRequest) -> dict[str, object]:
        return {
            "model": self._model,
            "max_tokens": request.answer_tokens_max,
            "system": request.instructions,
            "messages": [{"role": "user", "content": request.text}],
            "tools": [
                {
                    "name": _TOOL,
                    "description": "Gives the answer.",
                    "input_schema": request.schema,
                }
            ],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }


def _text_of(blocks: tuple[_Block, ...]) -> str:
    """Return what the tool was called with, or what was said where it was not called."""
    calls = [bytes(block.input).decode() for block in blocks if block.type == "tool_use"]
    return "\n".join(calls or [block.text for block in blocks if block.type == "text"])


def _tokens_in(usage: _Usage) -> int | None:
    """Return all that was read, whether it came from a cache or not."""
    if usage.input_tokens is None:
        return None
    cached = (usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    return usage.input_tokens + sum(tokens or 0 for tokens in cached)
