"""Whatever an endpoint does, who asks is told by name and in time."""

import runpy
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec
import pytest

from recense.adapters.models import http
from recense.core.instants import instant_from_text
from recense.errors import (
    MaterialRejected,
    MissingExtra,
    ModelAnswerUnusable,
    ModelFault,
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
    SettingsInvalid,
)
from recense.limits import MODEL_REPLY_BYTES_MAX, MODEL_RETRY_AFTER_SECONDS_MAX
from recense.testing.clock import FakeClock
from recense.testing.model_server import (
    Behaviour,
    Closed,
    Hung,
    ModelServer,
    Provider,
    Sent,
    Spoken,
)
from tests.adapters.models.asking import KEY, LATE, PROVIDERS, SOON, asked, model_at, model_of

_PAGE: Final = b"<!doctype html><html><body>Please sign in.</body></html>"


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Provider:
    return request.param


@pytest.fixture(autouse=True)
def no_exchange_outlives_its_test() -> Iterator[None]:
    """What waits for a server is woken at its deadline, while the server still says nothing."""
    yield
    for thread in threading.enumerate():
        if thread.name == "recense-model":
            thread.join(LATE)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    "behaviour",
    [
        Hung(),
        Spoken(text="-" * 10_000, pause_seconds=SOON / 4),
        Sent(headers={"X": "-" * 10_000}, head_pause_seconds=SOON / 4),
        Sent(body=b"x" * 10_000, status=500, pause_seconds=SOON / 4),
    ],
    ids=["hangs", "trickles its answer", "trickles its head", "trickles its refusal"],
)
def test_the_deadline_is_that_of_the_whole_call(provider: Provider, behaviour: Behaviour) -> None:
    with ModelServer([behaviour]) as server:
        with pytest.raises(ModelTimedOut, match=r"no whole answer from 127.0.0.1 within 0.2 s"):
            asked(model_of(provider, server), deadline_seconds=SOON)
        for thread in threading.enumerate():
            if thread.name == "recense-model":
                thread.join(LATE)
        assert not any(thread.name == "recense-model" for thread in threading.enumerate())


def test_a_name_that_nobody_resolves_holds_up_nobody(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def waits(*_: object, **__: object) -> None:
        over.wait(LATE)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", waits)
    try:
        with pytest.raises(ModelTimedOut) as caught:
            asked(model_at(provider, "https://kestrel.example"), deadline_seconds=SOON)
        assert caught.value.is_cost_known
    finally:
        over.set()


def test_a_deadline_that_has_passed_asks_nobody(provider: Provider) -> None:
    with ModelServer() as server:
        with pytest.raises(ModelTimedOut) as caught:
            asked(model_of(provider, server), deadline_seconds=0.0)
        assert caught.value.is_cost_known
        assert server.received == []


def test_an_endpoint_that_is_not_there_is_unavailable(provider: Provider) -> None:
    with ModelServer() as server:
        base_url = server.base_url(provider)
    with pytest.raises(ModelUnavailable, match=r"no whole answer from 127.0.0.1") as caught:
        asked(model_at(provider, base_url))
    assert caught.value.is_cost_known
    assert not caught.value.was_sent


def test_one_that_shows_no_certificate_is_sent_nothing(provider: Provider) -> None:
    with ModelServer() as server:
        base_url = server.base_url(provider).replace("http:", "https:")
        with pytest.raises(ModelUnavailable) as caught:
            asked(model_at(provider, base_url))
        assert server.received == []
    assert caught.value.is_cost_known


@pytest.mark.parametrize(
    ("behaviour", "is_known"),
    [
        (Hung(), False),
        (Closed(), False),
        (Sent(body=b'{"a": 1}', breaks_after=3), False),
        (Sent(status=500), False),
        (Sent(status=504), False),
        (Sent(status=429), True),
    ],
)
def test_what_may_have_arrived_may_have_been_paid(
    provider: Provider, behaviour: Behaviour, is_known: bool
) -> None:
    with ModelServer([behaviour]) as server:
        deadline = SOON if isinstance(behaviour, Hung) else LATE
        with pytest.raises(ModelFault) as caught:
            asked(model_of(provider, server), deadline_seconds=deadline)
        assert len(server.received) == 1
    assert caught.value.is_cost_known is is_known
    assert caught.value.was_sent


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        (Closed(), ModelUnavailable),
        (Sent(body=b'{"a": 1}', breaks_after=0), ModelUnavailable),
        (Sent(body=b'{"a": 1}', breaks_after=3), ModelUnavailable),
        (Sent(body=b'{"a": 1}', content_length=400), ModelUnavailable),
        (Sent(body=b'{"a": 1}', content_length=3), ModelAnswerUnusable),
        (Sent(body=_PAGE, content_type="text/html"), ModelAnswerUnusable),
        (Sent(), ModelAnswerUnusable),
        (Sent(body=b"[" * 100_000), ModelAnswerUnusable),
        (Sent(body=b"\xff\xfe{}"), ModelAnswerUnusable),
        (Sent(body=b" " * (MODEL_REPLY_BYTES_MAX + 1)), ModelAnswerUnusable),
        (Sent(body=b" " * (MODEL_REPLY_BYTES_MAX + 1), content_length=10**15), ModelAnswerUnusable),
        (Sent(body=b"{}", headers={"Content-Encoding": "gzip"}), ModelAnswerUnusable),
        (Sent(body=b'{"error": {"message": "overloaded", "code": 529}}'), ModelUnavailable),
        (Sent(body=b'{"error": {"message": "no credit", "code": 402}}'), ModelRejected),
        (Sent(body=b'{"error": "failed"}'), ModelUnavailable),
        (Sent(status=302, headers={"Location": "http://127.0.0.1:1/"}), ModelRejected),
        (Sent(status=401), ModelRejected),
        (Sent(status=403), ModelRejected),
        (Sent(status=404, body=b'{"error": "no such model"}'), ModelRejected),
        (Sent(status=408), ModelTimedOut),
        (Sent(status=413, body=b"x" * 100_000), MaterialRejected),
        (Sent(status=429), ModelUnavailable),
        (
            Sent(status=429, body=b'{"error": {"message": "pay", "code": "insufficient_quota"}}'),
            ModelRejected,
        ),
        (Sent(status=500), ModelUnavailable),
        (Sent(status=503, body=_PAGE, content_type="text/html"), ModelUnavailable),
        (Sent(status=504), ModelTimedOut),
        (Sent(status=529), ModelUnavailable),
    ],
)
def test_each_misbehaviour_has_its_name(
    provider: Provider, behaviour: Behaviour, fault: type[ModelFault]
) -> None:
    with ModelServer([behaviour]) as server:
        with pytest.raises(ModelFault) as caught:
            asked(model_of(provider, server))
        assert type(caught.value) is fault
        assert len(server.received) == 1


def test_a_refused_request_is_rejected_with_what_the_endpoint_says(provider: Provider) -> None:
    refusal = Sent(status=400, body=b'{"error": {"message": "no parameter of that name"}}')
    says = "status 400: 'no parameter of that name'"
    with ModelServer([refusal] * 2) as server, pytest.raises(ModelRejected, match=says):
        asked(model_of(provider, server))


def _refusal(message: str, status: int = 400, **inside: object) -> Sent:
    body = msgspec.json.encode({"type": "error", "error": {"message": message, **inside}})
    return Sent(status=status, body=body)


@pytest.mark.parametrize(
    "refusal",
    [
        _refusal("see the code", code="context_length_exceeded", type="invalid_request_error"),
        _refusal("see the code", code="content_filter"),
        _refusal("see the code", code="invalid_prompt"),
        _refusal("see the type", code=400, type="exceed_context_size_error"),
        _refusal("see the type", 200, code=400, type="exceed_context_size_error"),
        _refusal("see the type", 500, code=500, type="exceed_context_size_error"),
        _refusal("Context size has been exceeded.", 500, code=500, type="server_error"),
        _refusal("This model's maximum context length is 4096 tokens.", type="BadRequestError"),
        _refusal("request (4390 tokens) exceeds the available context size (4096 tokens)"),
        _refusal("prompt is too long: 9 tokens > 8 maximum", type="invalid_request_error"),
        _refusal("input length and `max_tokens` exceed context limit: 9 + 8 > 16"),
        _refusal("Output blocked by content filtering policy", type="invalid_request_error"),
        _refusal("the input was flagged"),
        Sent(status=400, body=b'{"error": "the input length exceeds the context length"}'),
        _refusal("Request exceeds the maximum size", 413, type="request_too_large"),
    ],
)
def test_a_refusal_of_what_was_shown_is_none_of_the_request_and_is_asked_once(
    provider: Provider, refusal: Sent
) -> None:
    with ModelServer([refusal]) as server:
        with pytest.raises(MaterialRejected) as caught:
            asked(model_of(provider, server))
        assert caught.value.is_cost_known
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        _refusal("max_tokens is too large: 8192", param="max_tokens"),
        _refusal("Your credit balance is too low", type="invalid_request_error"),
        _refusal("Unsupported parameter: 'max_tokens'", code="unsupported_parameter"),
        _refusal("the model `kestrel-1` does not exist", 404, code="model_not_found"),
        _refusal("Incorrect key", 401, code="invalid_api_key"),
        _refusal("the prompt is too long to be read without a key", 403),
        Sent(status=400, body=b"Bad Request"),
    ],
)
def test_a_refusal_of_the_request_the_key_or_the_model_is_none_of_what_was_shown(
    provider: Provider, refusal: Sent
) -> None:
    with ModelServer([refusal] * 2) as server, pytest.raises(ModelRejected) as caught:
        asked(model_of(provider, server))
    assert caught.value.is_cost_known


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Wed, 04 Mar 2026 10:00:30 GMT", 30.0),
        ("Wed, 04 Mar 2026 09:00:00 GMT", 0.0),
        ("Wed, 04 Mar 2026 10:00:30 -0000", 30.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MODEL_RETRY_AFTER_SECONDS_MAX),
        ("999999999999", MODEL_RETRY_AFTER_SECONDS_MAX),
        ("soon", None),
        ("-1", None),
        ("Wed, 99 Mar 2026 10:00:30 GMT", None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_how_long_to_stay_away_is_read_in_both_its_forms(
    header: str, seconds: float | None, status: int
) -> None:
    clock = FakeClock(instant_from_text("2026-03-04T10:00:00Z") or 0)
    with ModelServer([Sent(status=status, headers={"Retry-After": header})]) as server:
        with pytest.raises(ModelUnavailable) as caught:
            asked(model_of("openai", server, clock=clock))
        assert caught.value.retry_after_seconds == seconds


def test_a_redirect_takes_the_key_nowhere(provider: Provider) -> None:
    with ModelServer() as elsewhere:
        away = Sent(status=307, headers={"Location": f"{elsewhere.base_url(provider)}/messages"})
        with ModelServer([away]) as server, pytest.raises(ModelRejected, match="never followed"):
            asked(model_of(provider, server))
        assert elsewhere.received == []


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500])
def test_a_key_is_in_a_header_and_nowhere_else(provider: Provider, status: int) -> None:
    body = f'{{"error": {{"message": "the key {KEY} is wrong"}}}}'.encode()
    with ModelServer([Sent(status=status, body=body)] * 2) as server:
        model = model_of(provider, server)
        with pytest.raises(ModelFault) as caught:
            asked(model)
        error = caught.value
        said = f"{error!r} {error.message} {error.hint} {error.__cause__!r} {model!r} {vars(model)}"
        assert KEY not in said
        for received in server.received:
            assert KEY not in repr((received.path, received.body))
            assert sum(KEY in value for value in received.headers.values()) == 1


def test_several_threads_may_ask_at_once(provider: Provider) -> None:
    with ModelServer(lambda _: Spoken(text='{"facts":[]}')) as server:
        model = model_of(provider, server)
        with ThreadPoolExecutor(4) as threads:
            answers = [threads.submit(asked, model) for _ in range(8)]
        assert [answer.result().text for answer in answers] == ['{"facts":[]}'] * 8


@pytest.mark.parametrize(
    ("base_url", "why"),
    [
        ("", "neither https:// nor http://"),
        ("api.example.com/v1", "neither https:// nor http://"),
        ("ftp://api.example.com", "neither https:// nor http://"),
        ("https://", "names no host"),
        ("https:///v1", "names no host"),
        ("https://api.example.com/v1?model=x", "query or a fragment"),
        ("https://api.example.com/v1#x", "query or a fragment"),
        ("https://api.example.com:port/v1", "no URL"),
        ("https://api.example.com/\n", "no URL"),
    ],
)
def test_an_address_that_is_none_is_refused(provider: Provider, base_url: str, why: str) -> None:
    with pytest.raises(SettingsInvalid, match=why):
        model_at(provider, base_url)


def test_a_password_in_an_address_is_refused_and_not_repeated(provider: Provider) -> None:
    with pytest.raises(SettingsInvalid, match="user name or a password") as caught:
        model_at(provider, f"https://mira:{KEY}@api.example.com/v1")
    assert KEY not in f"{caught.value!r} {caught.value.hint}"


@pytest.mark.parametrize(
    ("base_url", "is_allowed"),
    [
        ("https://api.example.com/v1", True),
        ("http://api.example.com/v1", False),
        ("http://203.0.113.7/v1", True),  # documentation only, and so in nobody's reach
        ("http://8.8.8.8/v1", False),
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://workstation:8000/v1", True),
        ("http://workstation.local:8000/v1", True),
    ],
)
def test_a_key_goes_over_plain_http_to_a_near_host_alone(
    provider: Provider, base_url: str, is_allowed: bool
) -> None:
    if is_allowed:
        model_at(provider, base_url)
    else:
        with pytest.raises(SettingsInvalid, match="over http"):
            model_at(provider, base_url)


@pytest.mark.parametrize("key", ["", " ", "two words", "line\n", "schlüssel", '"quoted" '])
def test_a_key_that_no_header_carries_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(SettingsInvalid, match="the key of the model is empty, or holds") as caught:
        http.Endpoint(
            "https://api.example.com", key=key, key_header=("x-api-key", ""), clock=FakeClock()
        )
    assert not key.strip() or key.strip() not in caught.value.message


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_a_model_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(SettingsInvalid, match="is no name"):
        http.require_model_name(name)


def test_without_its_extra_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    run: Callable[[str], object] = runpy.run_path
    with pytest.raises(MissingExtra) as caught:
        run(http.__file__)
    assert "recense[models]" in caught.value.hint
