"""Every operation of the catalogue gives equal answers through every door.

Reads are asked of one namespace. A write is made through each door in a namespace of its own, each
of which is a copy of one file; afterwards all of them read alike.
"""

import json
import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack

import msgspec
import pytest

from recense.cli.outcome import ANSWERED, BAD_USAGE, FAILED
from recense.core.values import Value
from recense.operations import agent_calls, agents, facts, keys, sessions, texts
from recense.operations import fact_requests as typed
from recense.operations.catalogue import OPERATIONS, OPERATIONS_BY_NAME, AnyOperation
from recense.operations.materials import MaterialRequest
from recense.operations.recall import MoreRequest, RecallRequest
from tests.cli.running import NOT_INHERITED
from tests.servers.door_blanks import blanked, differences, of_no_moment
from tests.servers.door_requests import WITHOUT_COMMAND, commands, requests
from tests.servers.door_scene import CLERK, SLEEPER, TEA_KEY, Scene
from tests.servers.door_world import World, open_world
from tests.servers.doors import DoorName, Json, is_offered_to_models

BEFORE, AFTER = "2026-01-01", "2026-02-01"

UNSEEN: Mapping[str, str] = {
    "agent_renew": "the agent is held for longer",
    "agent_release": "the agent is free, which who takes it sees",
    "convert": "nothing waits to be converted",
    "index": "what is found is found without an index too",
    "renew_key": "the key holds to another instant",
}
"""Writes after which all reads as before, and why."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    """A server on a store, and every door to it, on a machine with nothing else on it."""
    folder = tmp_path_factory.mktemp("doors")
    with pytest.MonkeyPatch.context() as machine, ExitStack() as closing:
        for name in [each for each in os.environ if each.startswith(NOT_INHERITED)]:
            machine.delenv(name)
        machine.setenv("HOME", str(folder))
        machine.setenv("USERPROFILE", str(folder))
        yield closing.enter_context(open_world(folder))


def test_no_operation_lacks_its_request(world: World) -> None:
    asked = requests(world.scene)
    assert sorted(asked) == sorted(each.name for each in OPERATIONS)
    for each in OPERATIONS:
        assert isinstance(asked[each.name], each.request)


def test_an_operation_has_a_command_or_a_reason_for_having_none(world: World) -> None:
    words = commands(world.scene)
    assert words.keys() & WITHOUT_COMMAND.keys() == set()
    assert sorted([*words, *WITHOUT_COMMAND]) == sorted(each.name for each in OPERATIONS)
    assert all(WITHOUT_COMMAND.values())


def test_the_tools_of_a_server_are_the_operations_for_models(world: World) -> None:
    expected = [each.name for each in OPERATIONS if is_offered_to_models(each)]
    assert world.mcp.tools(world.reading) == expected


def doors_of(operation: AnyOperation) -> list[DoorName]:
    """Return the doors through which an operation can be asked."""
    doors: list[DoorName] = ["library", "http"]
    if is_offered_to_models(operation):
        doors.append("mcp")
    if operation.name not in WITHOUT_COMMAND:
        doors.append("command")
    return doors


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_every_door_gives_the_same_answer_and_leaves_the_same_behind(
    world: World, operation: AnyOperation
) -> None:
    said: dict[DoorName, Json] = {}
    left: dict[DoorName, Json] = {}
    for door in doors_of(operation):
        if not operation.changes:
            said[door] = of_no_moment(_asked(world, door, operation, world.reading, world.scene))
            continue
        namespace, scene = world.copy(f"{operation.name}.{door}", door)
        said[door] = blanked(_asked(world, door, operation, namespace, scene))
        left[door] = blanked(world.everything(namespace))
    if operation.changes:
        is_seen = differences(blanked(world.unwritten), left["library"]) != []
        assert is_seen == (operation.name not in UNSEEN)
    for answers in filter(None, (said, left)):
        for door, answer in answers.items():
            assert (door, differences(answers["library"], answer)) == (door, [])
    assert isinstance(said["library"], dict)
    assert "error" not in said["library"]


def _asked(
    world: World, door: DoorName, operation: AnyOperation, namespace: str, scene: Scene
) -> Json:
    name = operation.name
    if door == "command":
        exit_code, document = world.command.ask(namespace, *commands(scene)[name])
        assert exit_code in {ANSWERED, FAILED}, document
        return document
    return world.doors[door].ask(namespace, name, requests(scene)[name])


class Wrong(Value, kw_only=True):
    """A request that is refused, the code by which it is, and the command that asks the same."""

    operation: str
    request: Value
    code: str
    words: tuple[str, ...] = ()


WRONG: tuple[Wrong, ...] = (
    Wrong(
        operation="recall_facts",
        request=facts.GetFacts(subject="mira", limit=0),
        code="invalid_request",
        words=("fact", "get", "mira", "--limit", "0"),
    ),
    Wrong(
        operation="recall",
        request=RecallRequest(terms=("needle",), since="yesterday"),
        code="invalid_request",
        words=("recall", "needle", "--since", "yesterday"),
    ),
    Wrong(
        operation="fact_difference",
        request=typed.DifferenceRequest(since=AFTER, until=BEFORE),
        code="invalid_request",
        words=("fact", "diff", AFTER, BEFORE),
    ),
    Wrong(
        operation="remember_fact",
        request=facts.RememberFact(
            subject="ada", predicate="likes", value="tea", idempotency_key=TEA_KEY
        ),
        code="idempotency_mismatch",
        words=("fact", "set", "ada", "likes", "tea", "--key", TEA_KEY),
    ),
    Wrong(
        operation="recall_more",
        request=MoreRequest(anchor="nowhere"),
        code="not_found",
        words=("more", "nowhere"),
    ),
    Wrong(operation="recall_material", request=MaterialRequest(material="m.no"), code="not_found"),
    Wrong(
        operation="show_session",
        request=sessions.ShowSession(session="nobody"),
        code="not_found",
        words=("sessions", "show", "nobody"),
    ),
    Wrong(
        operation="promote_note",
        request=typed.PromoteNote(event_id="e-none", predicate="likes"),
        code="not_found",
        words=("registry", "promote", "e-none", "likes"),
    ),
    Wrong(
        operation="revoke_key",
        request=keys.RevokeKey(id="none"),
        code="not_found",
        words=("keys", "revoke", "none"),
    ),
    Wrong(
        operation="show_agent",
        request=agent_calls.ShowAgent(agent="nobody"),
        code="not_found",
        words=("agent", "show", "nobody"),
    ),
    Wrong(
        operation="fetch_output",
        request=agents.ReadOutput(agent=CLERK, ref="o9"),
        code="not_found",
    ),
    Wrong(
        operation="agent_resume",
        request=agents.ResumeAgent(agent=CLERK),
        code="lease_held",
        words=("agent", "resume", CLERK),
    ),
    Wrong(
        operation="agent_acquire",
        request=agent_calls.AcquireAgent(agent=CLERK),
        code="lease_held",
    ),
    Wrong(
        operation="record_turn",
        request=agent_calls.RecordTurn(agent=SLEEPER, epoch=1, role="user", content="Late."),
        code="lease_lost",
    ),
    Wrong(
        operation="end_action",
        request=agent_calls.EndAgentAction(agent=CLERK, epoch=2, action="none"),
        code="not_found",
    ),
    Wrong(
        operation="close_session",
        request=sessions.CloseSession(session="claude_code:none"),
        code="not_found",
    ),
    Wrong(
        operation="remember",
        request=texts.RememberWords(text=""),
        code="invalid_request",
        words=("remember", ""),
    ),
    Wrong(
        operation="recall_facts",
        request=facts.GetFacts(subject="mira", as_of="soon"),
        code="invalid_request",
        words=("fact", "get", "mira", "--as-of", "soon"),
    ),
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: f"{each.operation} {each.code}")
def test_every_door_refuses_alike(world: World, wrong: Wrong) -> None:
    is_awaited = wrong.code == "lease_held"  # our client would ask again for seconds
    body = json.loads(msgspec.json.encode(wrong.request))
    operation = OPERATIONS_BY_NAME[wrong.operation]
    said: dict[DoorName, Json] = {}
    for door, asked in world.doors.items():
        if door == "mcp" and not is_offered_to_models(operation):
            continue
        namespace = world.reading
        if operation.scope == "agent":  # what is refused to a holder is asked by one
            namespace, _ = world.copy(f"{wrong.operation}.{wrong.code}.{door}", door)
        if is_awaited:
            said[door] = asked.ask_json(namespace, wrong.operation, body)
        else:
            said[door] = asked.ask(namespace, wrong.operation, wrong.request)
    if wrong.words:
        exit_code, said["command"] = world.command.ask(world.reading, *wrong.words)
        assert exit_code in {BAD_USAGE, FAILED}
    for door, error in said.items():
        assert (door, differences(blanked(said["library"]), blanked(error))) == (door, [])
    assert isinstance(said["library"], dict)
    assert said["library"]["error"]["code"] == wrong.code


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("recall", {"term": ["needle"]}),
        ("recall_facts", {"subject": 7}),
        ("remember_fact", {"subject": "mira", "predicate": "likes"}),
        ("record_turn", {"agent": CLERK, "epoch": 1, "role": "nobody", "content": "c"}),
        ("define_predicate", {"predicate": "size", "cardinality": "triple"}),
    ],
)
def test_what_cannot_be_read_is_refused_alike_by_every_door_that_is_sent_json(
    world: World, operation: str, body: dict[str, object]
) -> None:
    said = {
        door: world.doors[door].ask_json(world.reading, operation, body)
        for door in world.doors
        if door != "mcp" or is_offered_to_models(OPERATIONS_BY_NAME[operation])
    }
    for door, error in said.items():
        assert (door, error) == (door, said["library"])
    assert isinstance(said["library"], dict)
    assert said["library"]["error"]["code"] == "invalid_request"
