"""Tokens of workloads, exchanged for keys: whose, for how long, and how many at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.errors import (
    IdentityRefused,
    IdentityUnavailable,
    InvalidRequest,
    KeyRefused,
    RecenseError,
)
from recense.limits import (
    IDENTITY_EXCHANGES_MAX,
    IDENTITY_KEY_SECONDS,
    IDENTITY_TOKEN_BYTES_MAX,
)
from recense.operations.identity import ExchangeToken
from recense.operations.keys import ISSUED_SCOPES_DEFAULT, ListKeys
from recense.operations.wire import read_wire
from recense.ports.identity import WorkloadIdentity
from recense.services.identity import IdentityExchange
from recense.services.keys import Keys
from recense.testing import FakeClock, FakeUptime, SeededChance

T0 = 1_700_000_000_000_000
TOKEN = "head.claims.signature"


class Cluster:
    """An identity provider that says what a test tells it to."""

    def __init__(self) -> None:
        self.says: WorkloadIdentity | RecenseError = WorkloadIdentity(tenant="acme", agent="clerk")
        self.asked: list[str] = []

    def identify(self, token: str) -> WorkloadIdentity:
        self.asked.append(token)
        if isinstance(self.says, RecenseError):
            raise self.says
        return self.says


class Desk:
    """An exchange, its keys and its clock."""

    def __init__(self) -> None:
        self.clock = FakeClock(T0)
        self.keys = Keys(MemoryRecords(FakeUptime()), self.clock, SeededChance(3))
        self.cluster = Cluster()
        self.exchange = IdentityExchange(self.cluster, self.keys)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_key_is_for_the_agent_and_the_tenant_that_the_provider_names(desk: Desk) -> None:
    issued = desk.exchange.exchange(ExchangeToken(token=TOKEN))
    assert (issued.namespace, issued.agent) == ("acme", "clerk")
    assert issued.scopes == ISSUED_SCOPES_DEFAULT
    credential = desk.keys.check(issued.key)
    assert (credential.namespace, credential.agent) == ("acme", "clerk")
    assert "admin" not in credential.scopes
    assert desk.cluster.asked == [TOKEN]


def test_a_key_holds_for_a_quarter_of_an_hour_and_each_exchange_gives_its_own(desk: Desk) -> None:
    assert IDENTITY_KEY_SECONDS <= 15 * 60
    one, other = (desk.exchange.exchange(ExchangeToken(token=TOKEN)) for _ in range(2))
    assert one.key != other.key
    desk.clock.advance(IDENTITY_KEY_SECONDS * 1_000 - 1)
    desk.keys.check(one.key)
    desk.clock.advance(1)
    with pytest.raises(KeyRefused):
        desk.keys.check(one.key)
    assert desk.exchange.exchange(ExchangeToken(token=TOKEN)).agent == "clerk"


def test_nothing_of_the_identity_comes_from_who_asks() -> None:
    with pytest.raises(InvalidRequest, match="no field 'agent'"):
        read_wire(ExchangeToken, b'{"token": "a.b.c", "agent": "another"}')
    with pytest.raises(InvalidRequest, match="no field 'namespace'"):
        read_wire(ExchangeToken, b'{"token": "a.b.c", "namespace": "another"}')
    assert ExchangeToken.__struct_fields__ == ("token",)


@pytest.mark.parametrize(
    "token",
    ["", "a", "a.b", "a.b.c.d", "a.b.c\n", "a b.c.d", "a..c", "ä.b.c", "a.b." + "c" * 16_384],
    ids=lambda token: repr(token[:12]),
)
def test_what_is_no_token_is_asked_about_nowhere(desk: Desk, token: str) -> None:
    assert len(f"a.b.{'c' * 16_384}") > IDENTITY_TOKEN_BYTES_MAX
    with pytest.raises(IdentityRefused):
        desk.exchange.exchange(ExchangeToken(token=token))
    assert desk.cluster.asked == []


@pytest.mark.parametrize("error", [IdentityRefused("no"), IdentityUnavailable("away")])
def test_what_the_provider_refuses_gets_no_key(desk: Desk, error: RecenseError) -> None:
    desk.cluster.says = error
    with pytest.raises(type(error), match=error.message):
        desk.exchange.exchange(ExchangeToken(token=TOKEN))
    assert desk.keys.list(ListKeys(everywhere=True)).total == 0


@pytest.mark.parametrize(
    "identity",
    [
        WorkloadIdentity(tenant="acme", agent="a" * 129),
        WorkloadIdentity(tenant="acme", agent="a/b"),
        WorkloadIdentity(tenant="a%", agent="clerk"),
        WorkloadIdentity(tenant="", agent="clerk"),
    ],
    ids=str,
)
def test_a_workload_whose_name_can_be_no_agents_gets_no_key(
    desk: Desk, identity: WorkloadIdentity
) -> None:
    desk.cluster.says = identity
    with pytest.raises(IdentityRefused, match="can be no agent here"):
        desk.exchange.exchange(ExchangeToken(token=TOKEN))
    assert desk.keys.list(ListKeys(everywhere=True)).total == 0


def test_so_many_tokens_are_looked_at_at_a_time_and_no_more(desk: Desk) -> None:
    inside, go_on = threading.Semaphore(0), threading.Event()

    class Slow(Cluster):
        def identify(self, token: str) -> WorkloadIdentity:
            inside.release()
            assert go_on.wait(timeout=30)
            return super().identify(token)

    exchange = IdentityExchange(Slow(), desk.keys)
    request = ExchangeToken(token=TOKEN)
    with ThreadPoolExecutor(IDENTITY_EXCHANGES_MAX) as pool:
        waiting = [pool.submit(exchange.exchange, request) for _ in range(IDENTITY_EXCHANGES_MAX)]
        for _ in range(IDENTITY_EXCHANGES_MAX):
            assert inside.acquire(timeout=30)
        try:
            with pytest.raises(IdentityUnavailable, match="looked at already"):
                exchange.exchange(request)
        finally:
            go_on.set()
        assert len({each.result(timeout=30).key for each in waiting}) == IDENTITY_EXCHANGES_MAX
    assert exchange.exchange(request).agent == "clerk"


def test_a_token_is_not_shown_where_a_request_is(desk: Desk) -> None:
    request = ExchangeToken(token=TOKEN)
    assert TOKEN not in repr(request)
    assert TOKEN not in str(request.__rich_repr__())
    with pytest.raises(InvalidRequest) as error:
        desk.exchange.exchange(msgspec.structs.replace(request, token=7))
    assert TOKEN not in str(error.value)
