"""What is said of an operation is the same wherever it is said."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import msgspec
import pytest

from recense.operations.catalogue import OPERATIONS, OPERATIONS_BY_NAME
from recense.operations.schemas import JsonObject, schema_of
from recense.servers.http.openapi import openapi
from recense.servers.mcp.offer import tool_of
from tests.cli.running import run_here
from tests.servers.door_requests import commands
from tests.servers.door_scene import Scene

READING = {"Check", "Draw", "Examine", "Find", "Give", "List", "Say", "Show", "Tell"}
CHANGING = {
    *("Convert", "Define", "File", "Give", "Hide", "Index", "Issue", "Keep", "Let", "Read"),
    *("Remember", "Remove", "Say", "Show", "Take", "Withdraw"),
}
"""Words by which a summary begins, by whether what it says changes something; some may do both."""

FAMILIES = {"agent", "extract", "fact", "keys", "registry", "sessions"}
"""Commands with commands below them."""

TAKING = ("withdraw ", "remove ", "no more")
"""What a summary says of what takes something away."""

BEGIN_OTHERWISE = {
    "agent_resume": "a person is printed the briefing; its page says that the agent is taken"
}
"""Commands whose help begins with something else than what the operation does, and why."""

COMMANDS = commands(
    Scene(
        statements=Path("statements.json"),
        anchor="anchor",
        material="material",
        episode="episode",
        fact="fact",
        note="note",
        epoch=1,
        action="action",
        ended="ended",
        left_open="left open",
        unsettled="unsettled",
        spare="spare",
    )
)


class Components(msgspec.Struct):
    """What is read of the structs that a server describes."""

    schemas: dict[str, JsonObject]


class Described(msgspec.Struct):
    """What is read of the description of a server."""

    paths: dict[str, dict[str, JsonObject]]
    components: Components


def test_every_operation_is_described_to_callers_over_http_as_the_catalogue_does() -> None:
    document = msgspec.json.decode(msgspec.json.encode(openapi("0")), type=Described)
    for each in OPERATIONS:
        posted = document.paths[f"/v1/{each.name}"]["post"]
        assert (posted["operationId"], posted["summary"]) == (each.name, each.summary)
        for struct in (each.request, each.answer):
            described, schema = document.components.schemas[struct.__name__], schema_of(struct)
            for part in ("properties", "required"):
                assert _names(described.get(part)) == _names(schema.get(part)), (each.name, part)


def test_every_tool_is_described_as_the_catalogue_does() -> None:
    for each in OPERATIONS:
        tool = tool_of(each)
        assert (tool.name, tool.input_schema) == (each.name, schema_of(each.request))
        assert (tool.description or "").startswith(each.summary)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_does_not_contradict_what_its_operation_does(name: str) -> None:
    operation = OPERATIONS_BY_NAME[name]
    said = _first_line_of_help(COMMANDS[name])
    assert _takes(said) == _takes(operation.summary)
    assert _takes(said) or not operation.destructive
    begins = CHANGING if operation.changes else READING
    assert _first_word(operation.summary) in begins
    assert _first_word(said) in begins or name in BEGIN_OTHERWISE


def _takes(summary: str) -> bool:
    return any(word in summary.lower() for word in TAKING)


def _first_word(summary: str) -> str:
    return summary.partition(" ")[0].rstrip(",")


def _first_line_of_help(words: tuple[str, ...]) -> str:
    """Return what a command is for, in the words of its own page."""
    page = run_here(*words[: 2 if words[0] in FAMILIES else 1], "--help").out
    return page.split("\n\n")[1].strip().partition("\n")[0]


def _names(part: object) -> list[str]:
    """Return the names in a part of a schema: of its fields, or of those that must be given."""
    return sorted(map(str, cast("Iterable[object]", part))) if isinstance(part, Iterable) else []
