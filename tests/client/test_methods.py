"""The clients' methods are those of the catalogue."""

import inspect

import pytest

from recense.client.clients import Client
from recense.client.methods import AsyncMethods, Methods
from recense.errors import SettingsInvalid
from recense.operations.catalogue import OPERATIONS
from recense.operations.operation import AnyOperation
from scripts import write_client
from tests.conftest import PROJECT
from tests.rows import each_row


def test_the_methods_are_what_the_catalogue_makes_of_them() -> None:
    written = (PROJECT / "src/recense/client/methods.py").read_text(encoding="utf-8")
    assert written == write_client.methods(OPERATIONS)


@each_row("operation", OPERATIONS, ids=lambda each: each.name)
@each_row("kind", [Methods, AsyncMethods])
def test_every_operation_is_a_method_of_both_clients(
    kind: type[Methods | AsyncMethods], operation: AnyOperation
) -> None:
    method = getattr(kind, operation.name)
    hints = inspect.get_annotations(method, eval_str=True)
    assert (hints["request"], hints["return"]) == (operation.request, operation.answer)
    assert ("idempotency_key" in hints) == operation.changes


@pytest.mark.parametrize("host", ["x..y", "a" * 300 + ".x"])
def test_a_name_that_no_host_can_have_is_refused(host: str) -> None:
    with pytest.raises(SettingsInvalid):
        Client(f"http://{host}")
