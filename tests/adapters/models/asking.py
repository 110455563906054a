"""Models of each provider, asked at a server of the test's own."""

from collections.abc import Callable, Mapping
from typing import Final, get_args

from recense.adapters.models.anthropic import AnthropicModel
from recense.adapters.models.ollama import OllamaModel
from recense.adapters.models.openai import OpenAiModel
from recense.adapters.system import SystemClock
from recense.ports.clock import Clock
from recense.ports.models import ChatModel, ModelAnswer, ModelRequest
from recense.testing.model_server import ModelServer, Provider

PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)

KEY: Final = "invented-" + "key-0451"

REQUEST: Final = ModelRequest(
    instructions="Read.",
    text="Mira lives in Oslo.",
    schema={"type": "object", "properties": {"facts": {"type": "array"}}},
    answer_tokens_max=256,
)

SOON: Final = 0.2
"""A deadline that is meant to pass, in seconds."""

LATE: Final = 30.0
"""A deadline that is not."""

_MODELS: Final[Mapping[Provider, Callable[..., ChatModel]]] = {
    "openai": OpenAiModel,
    "anthropic": AnthropicModel,
    "ollama": OllamaModel,
}


def model_at(provider: Provider, base_url: str, *, clock: Clock | None = None) -> ChatModel:
    """Return a model of a provider at an address."""
    clock = clock or SystemClock()
    return _MODELS[provider]("kestrel-1", clock=clock, key=KEY, base_url=base_url)


def model_of(provider: Provider, server: ModelServer, *, clock: Clock | None = None) -> ChatModel:
    """Return a model of a provider behind a server."""
    return model_at(provider, server.base_url(provider), clock=clock)


def asked(model: ChatModel, *, deadline_seconds: float = LATE) -> ModelAnswer:
    """Return the answer to a request."""
    return model.complete(REQUEST, deadline_seconds=deadline_seconds)
