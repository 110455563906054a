"""The description is true: what it allows is answered as it says."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from recense.operations.catalogue import OPERATIONS
from recense.servers.http.openapi import openapi
from tests.servers.http.serving_world import RunningServer


class Case(Protocol):
    """One call that a description allows, as Schemathesis makes it."""

    def call_and_validate(
        self, *, base_url: str, headers: Mapping[str, str], checks: Sequence[object]
    ) -> object: ...


class Described(Protocol):
    """One address of a description."""

    def as_strategy(self) -> SearchStrategy[Case]: ...


class Found(Protocol):
    """An address that was looked for."""

    def ok(self) -> Described: ...


class Description(Protocol):
    """A description, as Schemathesis reads it: its own types are not told to type checkers."""

    def include(self, *, path: str) -> "Description": ...

    def get_all_operations(self) -> Iterable[Found]: ...


with warnings.catch_warnings():
    warnings.simplefilter("ignore", EncodingWarning)  # it reads files of its own as it is loaded
    CHECKS: list[object] = [
        import_module("schemathesis.checks").not_a_server_error,
        *(
            getattr(import_module("schemathesis.specs.openapi.checks"), name)
            for name in (
                "content_type_conformance",
                "response_schema_conformance",
                "status_code_conformance",
            )
        ),
    ]

SLOW = {"convert", "digest", "doctor", "extract_run", "extract_status", "index"}
"""What looks at a whole store each time."""

EXAMPLES = 2


def test_every_operation_is_described(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        described = client.get("/schema/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert {f"/v1/{each.name}" for each in OPERATIONS} <= described["paths"].keys()


def test_the_page_needs_nothing_from_elsewhere(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        page = client.get("/schema")
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "/v1/remember_fact" in page.text
    assert "http:" not in page.text
    assert "src=" not in page.text
    assert "<script" not in page.text


@pytest.mark.parametrize("operation", [each.name for each in OPERATIONS if each.name not in SLOW])
def test_what_is_asked_as_described_is_answered_as_described(
    server: RunningServer, namespace: str, operation: str
) -> None:
    document = msgspec.json.decode(msgspec.json.encode(openapi("0.0.0")))
    read = import_module("schemathesis").openapi.from_dict(document)
    schema = cast("Description", read).include(path=f"/v1/{operation}")
    headers = {"authorization": f"Bearer {server.key(namespace)}"}
    (found,) = [each.ok() for each in schema.get_all_operations()]

    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(case=found.as_strategy())
    def check(case: Case) -> None:
        case.call_and_validate(base_url=server.address, headers=headers, checks=CHECKS)

    check()
