"""Which leases are agents', and who may ask for one."""

from typing import Final

from recense.core.agents.ids import require_agent_id
from recense.core.values import Value
from recense.errors import InvalidRequest, Unsupported
from recense.limits import LEASE_TTL_MS_MAX, LEASE_TTL_MS_MIN
from recense.services.admission import require_identifier, require_no_credential
from recense.services.agent_store import AgentStore
from recense.services.held_lease import HeldLease
from recense.services.spoken_lease import SpokenLease

_AGAIN: Final = "resume the agent"


class AskedLease(Value, kw_only=True):
    """The lease of an agent, as somebody asks for it."""

    agent: str
    holder: str
    ttl_ms: int


def require_askable(store: AgentStore, asked: AskedLease) -> None:
    """Raise InvalidRequest for a lease that cannot be, and Unsupported where the store has none."""
    require_leased_agent(store, asked.agent)
    require_identifier("holder", asked.holder)
    if not LEASE_TTL_MS_MIN <= asked.ttl_ms <= LEASE_TTL_MS_MAX:
        raise InvalidRequest(
            f"ttl_ms is {asked.ttl_ms}; expected {LEASE_TTL_MS_MIN} to {LEASE_TTL_MS_MAX}"
        )


def require_leased_agent(store: AgentStore, agent: str) -> None:
    """Raise InvalidRequest for what names no agent, and Unsupported where the store has no
    leases.
    """
    require_agent_id("an agent", agent)
    require_no_credential("an agent", agent)
    missing = {"lease", "fenced_put"} - store.records.capabilities
    if missing:
        raise Unsupported(
            f"this store has no {' and no '.join(sorted(missing))}, and agent {agent!r} could "
            "be two at once",
            hint="keep agents in a store that has both, like SQLite",
        )


def held_here(store: AgentStore, asked: AskedLease) -> HeldLease:
    """Return the lease, not taken yet, of an agent that this process will hold."""
    require_askable(store, asked)
    return HeldLease(
        store.records,
        store.clock,
        name=_name(asked.agent),
        what=_what(asked.agent),
        again=_AGAIN,
        holder=asked.holder,
        ttl_ms=asked.ttl_ms,
    )


def asked_from_elsewhere(store: AgentStore, asked: AskedLease) -> SpokenLease:
    """Return the lease, not taken yet, of an agent that somebody elsewhere will hold."""
    require_askable(store, asked)
    return SpokenLease(
        store.records,
        name=_name(asked.agent),
        what=_what(asked.agent),
        again=_AGAIN,
        holder=asked.holder,
        ttl_ms=asked.ttl_ms,
    )


def held_elsewhere(store: AgentStore, agent: str, epoch: int) -> SpokenLease:
    """Return the lease of an agent whose holder names an epoch. Raises InvalidRequest for what can
    be none.
    """
    require_leased_agent(store, agent)
    if epoch < 1:
        raise InvalidRequest(
            f"epoch is {epoch}; expected that with which the agent was resumed",
            hint="resume or acquire the agent, and send its epoch along",
        )
    return SpokenLease(
        store.records, name=_name(agent), what=_what(agent), again=_AGAIN, epoch=epoch
    )


def _name(agent: str) -> str:
    return f"agent:{agent}"


def _what(agent: str) -> str:
    return f"agent {agent!r}"
