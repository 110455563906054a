"""What is asked of the benchmarks."""

from typing import Literal

from recense.core.values import Value

Half = Literal["dev", "test", "all"]
"""Questions to develop on, questions to report on, or both; each set says how it is halved."""

SetName = Literal["locomo", "memdaily"]

SEED_DEFAULT = 7


class QualityRequest(Value, kw_only=True):
    """Ask every question of these sets. ``data`` is the folder that holds ``retrieval``, None for
    where it usually is.
    """

    sets: tuple[SetName, ...] = ("locomo", "memdaily")
    half: Half = "all"
    data: str | None = None
    seed: int = SEED_DEFAULT


class ImportRequest(Value, kw_only=True):
    """Import a made corpus, ``scale`` times *sessions-178*, or the files of the folder ``real``."""

    scale: float = 1.0
    seed: int = SEED_DEFAULT
    real: str | None = None


class SpeedRequest(Value, kw_only=True):
    """Recall terms of each sort from a made corpus, ``scale`` times *sessions-178*, in as many
    sessions as that has or in ``sessions`` that have its size all together.
    """

    scale: float = 1.0
    sessions: int | None = None
    seed: int = SEED_DEFAULT


class ColdRequest(Value, kw_only=True):
    """Ask fresh processes for terms of a made corpus, ``scale`` times *sessions-178*."""

    scale: float = 1.0
    seed: int = SEED_DEFAULT


class ScaleRequest(Value, kw_only=True):
    """Compare ``scale`` times *sessions-178* with ten times as much, and look at ``scale`` times a
    million short messages.
    """

    scale: float = 1.0
    seed: int = SEED_DEFAULT


class NeedlesRequest(Value, kw_only=True):
    """Ask for facts hidden in a made corpus, ``scale`` times *sessions-178*."""

    scale: float = 1.0
    seed: int = SEED_DEFAULT


class FactsRequest(Value, kw_only=True):
    """Remember, read, search and fold ``facts`` facts made from the seed, in *facts-100k*."""

    facts: int = 100_000
    seed: int = SEED_DEFAULT


class AgentsRequest(Value, kw_only=True):
    """Resume an agent of ``turns`` turns, and kill one ``kills`` times."""

    kills: int = 500
    turns: int = 10_000
    seed: int = SEED_DEFAULT


class ServeRequest(Value, kw_only=True):
    """Ask a server ``calls`` mixed calls, and a quarter of as many recalls."""

    calls: int = 8_000
    seed: int = SEED_DEFAULT


class GrowingRequest(Value, kw_only=True):
    """Read a session for facts as it grows to eight times ``tokens``."""

    tokens: int = 16_000
    seed: int = SEED_DEFAULT


BenchRequest = (
    QualityRequest
    | ImportRequest
    | SpeedRequest
    | ColdRequest
    | ScaleRequest
    | NeedlesRequest
    | FactsRequest
    | AgentsRequest
    | GrowingRequest
    | ServeRequest
)
