"""Models that Ollama runs.

Law: what a model is shown it is shown whole. Ollama shortens by itself what is longer than the
context that a model was loaded with, and tells nobody: so the context is asked for by the length of
the request, and shortening is forbidden.
"""

from typing import Final

from recense.adapters.models.http import Endpoint, require_model_name
from recense.core.values import Value
from recense.limits import OLLAMA_BYTES_PER_TOKEN, OLLAMA_CONTEXT_STEP_TOKENS
from recense.ports.clock import Clock
from recense.ports.models import ModelAnswer, ModelRequest

OLLAMA_URL: Final = "http://localhost:11434"

_PATH: Final = "/api/chat"


class _Message(Value, kw_only=True):
    content: str = ""


class _Chat(Value, kw_only=True):
    message: _Message
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class OllamaModel:
    """A `recense.ports.models.ChatModel` behind ``POST {base_url}/api/chat``, held to the schema by
    ``format``. Raises SettingsInvalid as `Endpoint` does.
    """

    def __init__(
        self, model: str, *, clock: Clock, key: str | None = None, base_url: str = OLLAMA_URL
    ) -> None:
        self._model: Final = require_model_name(model)
        self._endpoint: Final = Endpoint(
            base_url, key=key, key_header=("Authorization", "Bearer "), clock=clock
        )

    @property
    def name(self) -> str:
        """The provider and the model."""
        return f"ollama:{self._model}"

    def complete(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Return the answer to one request; see `recense.ports.models.ChatModel`."""
        reply = self._endpoint.post(
            _PATH, self._payload(request), deadline_seconds=deadline_seconds
        )
        chat = self._endpoint.read(reply, _Chat)
        return ModelAnswer(
            text=chat.message.content,
            tokens_in=chat.prompt_eval_count,
            tokens_out=chat.eval_count,
            is_cut=chat.done_reason == "length",
        )

    def _payload(self, request: ModelRequest) -> dict[str, object]:
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.text},
            ],
            "format": request.schema,
            "stream": False,
            "truncate": False,
            "shift": False,
            "options": {
                "temperature": 0,
                "num_predict": request.answer_tokens_max,
                "num_ctx": _context_tokens(request),
            },
        }


def _context_tokens(request: ModelRequest) -> int:
    """Return a context that holds a request and its answer, in steps: another one than before has
    the model loaded anew.
    """
    size = len(request.instructions.encode()) + len(request.text.encode())
    needed = size // OLLAMA_BYTES_PER_TOKEN + 1 + request.answer_tokens_max
    return -(-needed // OLLAMA_CONTEXT_STEP_TOKENS) * OLLAMA_CONTEXT_STEP_TOKENS
