"""What tests of services may ask for: the facts of a store, and the agents, on each store there
is.
"""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.prepared_stores import model_store, stores_are_copied
from tests.services.agent_world import AgentWorld, agent_world
from tests.services.fact_world import STORES, FactWorld, fact_world

__all__ = ["model_store", "stores_are_copied"]


@pytest.fixture(params=STORES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[FactWorld]:
    """The facts of one store."""
    with fact_world(str(request.param), tmp_path) as world:
        yield world


@pytest.fixture
def on_memory(tmp_path: Path) -> Generator[FactWorld]:
    """The facts of the reference store, for what is decided before a store is touched."""
    with fact_world("memory", tmp_path) as world:
        yield world


@pytest.fixture(params=STORES)
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[AgentWorld]:
    """The agents of one store."""
    with agent_world(str(request.param), tmp_path) as office:
        yield office
