"""What each provider is sent, and how its answer is read."""

from typing import Final

import msgspec
import pytest

from recense.errors import ModelAnswerUnusable, ModelRejected, ModelTimedOut
from recense.ports.models import ModelAnswer
from recense.testing.clock import FakeClock
from recense.testing.model_server import ModelServer, Provider, Sent, Spoken
from tests.adapters.models.asking import KEY, PROVIDERS, REQUEST, asked, model_at, model_of

EMPTY: Final = '{"facts":[]}'


def _sent(body: object) -> Sent:
    return Sent(body=msgspec.json.encode(body))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_has_its_text_and_what_it_took(provider: Provider) -> None:
    with ModelServer([Spoken(text=EMPTY, tokens_in=31, tokens_out=7)]) as server:
        answer = asked(model_of(provider, server))
    assert answer == ModelAnswer(text=EMPTY, tokens_in=31, tokens_out=7)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_that_ended_at_its_limit_is_cut(provider: Provider) -> None:
    with ModelServer([Spoken(text='{"facts":[{"sub', is_cut=True)]) as server:
        answer = asked(model_of(provider, server))
    assert answer == ModelAnswer(text='{"facts":[{"sub', is_cut=True)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_instructions_material_and_name_are_where_the_provider_looks(provider: Provider) -> None:
    with ModelServer([Spoken(text=EMPTY)]) as server:
        model = model_of(provider, server)
        asked(model)
        received = server.received[0]
    assert model.name == f"{provider}:kestrel-1"
    assert received.body["model"] == "kestrel-1"
    assert (received.instructions, received.text) == (REQUEST.instructions, REQUEST.text)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_half_a_character_in_an_answer_is_replaced(provider: Provider) -> None:
    bodies: dict[Provider, str] = {
        "openai": r'{"choices": [{"message": {"content": "a\ud83d"}}]}',
        "anthropic": r'{"content": [{"type": "text", "text": "a\ud83d"}]}',
        "ollama": r'{"message": {"content": "a\ud83d"}}',
    }
    with ModelServer([Sent(body=bodies[provider].encode())]) as server:
        assert asked(model_of(provider, server)).text == "a\ufffd"


@pytest.mark.parametrize(
    ("provider", "doubled"),
    [("anthropic", "/v1"), ("ollama", "/api")],
)
def test_a_path_that_the_address_already_has_is_not_doubled(
    provider: Provider, doubled: str
) -> None:
    with ModelServer([Spoken(text=EMPTY)]) as server:
        assert asked(model_at(provider, f"{server.url}{doubled}/")).text == EMPTY


def test_openai_is_held_to_the_schema_and_bounded() -> None:
    with ModelServer([Spoken(text=EMPTY)]) as server:
        asked(model_of("openai", server))
        received = server.received[0]
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": REQUEST.schema},
    }
    assert received.body["max_tokens"] == REQUEST.answer_tokens_max


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_that_knows_no_schema_is_asked_without_and_remembered(status: int) -> None:
    script = [Sent(status=status), Spoken(text=EMPTY), Spoken(text=EMPTY)]
    with ModelServer(script) as server:
        model = model_of("openai", server)
        assert [asked(model).text, asked(model).text] == [EMPTY, EMPTY]
        schemas = ["response_format" in received.body for received in server.received]
    assert schemas == [True, False, False]


def test_a_request_that_is_refused_either_way_says_nothing_about_schemas() -> None:
    refusal = Sent(status=400)
    with ModelServer([refusal, refusal, Spoken(text=EMPTY)]) as server:
        model = model_of("openai", server)
        with pytest.raises(ModelRejected):
            asked(model)
        asked(model)
        schemas = ["response_format" in received.body for received in server.received]
    assert schemas == [True, False, True]


def test_both_requests_of_one_call_share_its_deadline() -> None:
    clock = FakeClock(step_ms=2_000)  # what the first takes, by its own clock
    with ModelServer([Sent(status=400), Spoken(text=EMPTY)]) as server:
        with pytest.raises(ModelTimedOut):
            asked(model_of("openai", server, clock=clock), deadline_seconds=1.5)
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"content": None, "refusal": "I cannot."}},
        {"message": {"content": ""}, "finish_reason": "content_filter"},
    ],
)
def test_openai_that_will_not_answer_is_no_empty_answer(choice: dict[str, object]) -> None:
    said = _sent({"choices": [choice]})
    with ModelServer([said]) as server, pytest.raises(ModelAnswerUnusable, match="refuses"):
        asked(model_of("openai", server))


def test_openai_without_a_choice_is_no_answer() -> None:
    with ModelServer([_sent({"choices": []})]) as server, pytest.raises(ModelAnswerUnusable):
        asked(model_of("openai", server))


def test_anthropic_has_to_call_the_tool_that_takes_the_answer() -> None:
    with ModelServer([Spoken(text=EMPTY)]) as server:
        asked(model_of("anthropic", server))
        received = server.received[0]
    assert received.headers["x-api-key"] == KEY
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert received.body["max_tokens"] == REQUEST.answer_tokens_max
    assert received.body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert received.body["tools"] == [
        {"name": "answer", "description": "Gives the answer.", "input_schema": REQUEST.schema}
    ]


def test_anthropic_counts_what_came_from_a_cache_and_takes_words_for_a_call() -> None:
    body = {
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": EMPTY}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 2},
    }
    with ModelServer([_sent(body)]) as server:
        answer = asked(model_of("anthropic", server))
    assert answer == ModelAnswer(text=EMPTY, tokens_in=95, tokens_out=2)


def test_anthropic_that_will_not_answer_is_no_empty_answer() -> None:
    said = _sent({"content": [], "stop_reason": "refusal"})
    with ModelServer([said]) as server, pytest.raises(ModelAnswerUnusable, match="refuses"):
        asked(model_of("anthropic", server))


def test_ollama_gets_room_for_all_that_it_is_shown_and_may_not_shorten_it() -> None:
    long = msgspec.structs.replace(REQUEST, text="å" * 20_000)
    with ModelServer([Spoken(text=EMPTY), Spoken(text=EMPTY)]) as server:
        model = model_of("ollama", server)
        asked(model)
        model.complete(long, deadline_seconds=30.0)
        bodies = [received.body for received in server.received]
    assert bodies[0]["format"] == REQUEST.schema
    assert all(body[name] is False for body in bodies for name in ("stream", "truncate", "shift"))
    options = [msgspec.convert(body["options"], dict[str, int]) for body in bodies]
    assert [each["num_ctx"] for each in options] == [8_192, 24_576]
    assert [each["num_predict"] for each in options] == [256, 256]
