"""One server for all tests of a file; each test has a namespace of its own."""

import itertools
from collections.abc import Generator

import pytest

from tests.servers.http.serving_world import RunningServer, running

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningServer]:
    """A server that asks for keys."""
    with running(tmp_path_factory.mktemp("served")) as answering:
        yield answering


@pytest.fixture
def namespace() -> str:
    """A namespace that nobody else uses."""
    return f"tenant-{next(_NUMBERS)}"
