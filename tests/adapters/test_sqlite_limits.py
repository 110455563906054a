"""A store that is full, busy or cannot be written refuses, keeps nothing of it, and goes on."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.driver import read_number
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.material import (
    append,
    archive,
    birth,
    contents,
    event,
    next_page,
    record,
    session_of,
)
from recense.errors import StoreBusy, StoreFull, StoreReadOnly
from recense.limits import CHUNK_BYTES
from recense.testing import SeededChance
from tests.adapters.stores import PROJECT, WAIT_SECONDS_MAX, open_store, opened

NOISE = SeededChance(3)


def writer_of(store: SqliteStore) -> object:
    return store._writer  # pyright: ignore[reportPrivateUsage]
