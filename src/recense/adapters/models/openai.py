"""Models behind an endpoint that speaks as OpenAI's does: most that there are."""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

from recense.adapters.models.http import Endpoint, refused, require_model_name
from recense.adapters.models.replies import Reply, refuses_material
from recense.core.values import Value
from recense.ports.clock import Clock
from recense.ports.models import ModelAnswer, ModelRequest

OPENAI_URL: Final = "https://api.openai.com/v1"

_PATH: Final = "/chat/completions"
_SCHEMA_NAME: Final = "answer"
_NOT_UNDERSTOOD: Final = frozenset({400, 422})
"""How an endpoint refuses a field that it does not know."""

_OWN_HOSTS: Final = (".openai.com", ".openai.azure.com")
"""Hosts that know the bound of an answer by its newer name alone."""

_MS_PER_SECOND: Final = 1_000


class _Message(Value, kw_only=True):
    content: str | None = None
    refusal: str | None = None


class _Choice(Value, kw_only=True):
    message: _Message
    finish_reason: str | None = None


class _Usage(Value, kw_only=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(Value, kw_only=True):
    choices: Annotated[tuple[_Choice, ...], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


class OpenAiModel:
    """A `recense.ports.models.ChatModel` behind ``POST {base_url}/chat/completions``.

    It is held to the schema (``response_format``, strict). An endpoint that refuses a request with
    status 400 or 422 is asked once more without, in the time that is left; where that works it is
    never sent a schema again. Raises SettingsInvalid as `Endpoint` does.
    """

    def __init__(
        self, model: str, *, clock: Clock, key: str | None = None, base_url: str = OPENAI_URL
    ) -> None:
        self._model: Final = require_model_name(model)
        self._clock: Final = clock
        self._endpoint: Final = Endpoint(
            base_url, key=key, key_header=("Authorization", "Bearer "), clock=clock
        )
        self._takes_schema = True

    @property
    def name(self) -> str:
        """The provider and the model."""
        return f"openai:{self._model}"

    def complete(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Return the answer to one request; see `recense.ports.models.ChatModel`."""
        completion = self._endpoint.read(self._reply(request, deadline_seconds), _Completion)
        choice = completion.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise refused(self._endpoint.host)
        usage = completion.usage or _Usage()
        return ModelAnswer(
            text=choice.message.content or "",
            tokens_in=usage.prompt_tokens,
            tokens_out=usage.completion_tokens,
            is_cut=choice.finish_reason == "length",
        )

    def _reply(self, request: ModelRequest, deadline_seconds: float) -> Reply:
        began = self._clock.elapsed_ms()
        plain = self._payload(request)
        if not self._takes_schema:
            return self._endpoint.post(_PATH, plain, deadline_seconds=deadline_seconds)
        held = {**plain, "response_format": _response_format(request.schema)}
        reply = self._endpoint.post(_PATH, held, deadline_seconds=deadline_seconds)
        if reply.status not in _NOT_UNDERSTOOD or refuses_material(reply):
            return reply
        left = deadline_seconds - (self._clock.elapsed_ms() - began) / _MS_PER_SECOND
        reply = self._endpoint.post(_PATH, plain, deadline_seconds=left)
        if reply.is_ok:
            self._takes_schema = False
        return reply

    def _payload(self, request: ModelRequest) -> dict[str, object]:
        is_own = f".{self._endpoint.host}".endswith(_OWN_HOSTS)
        bound = "max_completion_tokens" if is_own else "max_tokens"
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.text},
            ],
            bound: request.answer_tokens_max,
        }


def _response_format(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "json_schema",
        "json_schema": {"name": _SCHEMA_NAME, "strict": True, "schema": schema},
    }
