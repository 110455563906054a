"""The description is true: what it allows is answered as it says."""

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from recense.operations.catalogue import OPERATIONS
from recense.servers.http.openapi import openapi
from tests.servers.http.serving_world import RunningServer

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
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
    schema = schemathesis.openapi.from_dict(document)
    headers = {"authorization": f"Bearer {server.key(namespace)}"}
    found = [
        each.ok()
        for each in schema.include(path=f"/v1/{operation}").get_all_operations()
        if isinstance(each, Ok)
    ]
    assert len(found) == 1

    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=found[0].as_strategy())
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(base_url=server.address, headers=headers, checks=CHECKS)

    check()
