"""What tests of the whole may ask for: the facts of a store, on each store there is."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.prepared_stores import model_store, stores_are_copied
from tests.services.fact_world import STORES, FactWorld, fact_world

__all__ = ["model_store", "stores_are_copied"]


@pytest.fixture(params=STORES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[FactWorld]:
    """The facts of one store."""
    with fact_world(str(request.param), tmp_path) as world:
        yield world
