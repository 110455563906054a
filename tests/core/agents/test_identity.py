"""Which call is the same as which other."""

import math
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.agents.identity import act_id, called_id, canonical_json, occurring_id
from recense.errors import InvalidRequest
from recense.limits import NESTING_MAX
from tests.core.agents.agent_samples import KEY

CANONICAL_SET = (
    "from recense.core.agents.identity import canonical_json;"
    "from recense.operations.agents import BeginAction;"
    "from recense.services.admission import typed;"
    "asked = BeginAction(tool='t', action_class='unsafe', args={'to': {'ann', 'bo', 'cy', 'di'}});"
    "print(canonical_json('args', typed(asked, BeginAction).args).decode())"
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=5))
def test_the_order_of_keys_changes_nothing(args: dict[str, int]) -> None:
    turned = {name: args[name] for name in reversed(args)}
    assert canonical_json("args", args) == canonical_json("args", turned)


@given(json_values)
def test_canonical_json_of_canonical_json_is_the_same(value: object) -> None:
    json = canonical_json("args", value)
    assert canonical_json("args", msgspec.json.decode(json)) == json


def test_a_number_is_one_number_however_it_is_written() -> None:
    assert canonical_json("args", {"n": 1.0}) == canonical_json("args", {"n": 1})
    assert canonical_json("args", -0.0) == b"0"
    assert canonical_json("args", [1, "1", True]) == b'[1,"1",true]'


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, {1: "a"}, object(), {"a": {2: 3}}, _nested(100_000)],
    ids=["nan", "inf", "key", "object", "inner key", "deep"],
)
def test_what_has_no_json_is_refused_by_its_name(value: object) -> None:
    with pytest.raises(InvalidRequest, match="args"):
        canonical_json("args", value)


def test_a_set_of_arguments_is_the_same_act_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", CANONICAL_SET],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert said == {'{"to":["ann","bo","cy","di"]}\n'}


def test_arguments_are_nested_no_deeper_than_can_be_read_again() -> None:
    deepest = _nested(NESTING_MAX)
    assert canonical_json("args", deepest).count(b"[") == NESTING_MAX
    with pytest.raises(InvalidRequest, match=f"more than {NESTING_MAX} levels"):
        canonical_json("args", {"one more": deepest})


def test_names_say_agent_tool_arguments_and_occurrence_and_depend_on_the_key() -> None:
    names = {
        act_id(KEY, "a", "send", b"{}"),
        act_id(KEY, "b", "send", b"{}"),
        act_id(KEY, "a", "sen", b"d{}"),
        act_id(KEY, "asend", "", b"{}"),
        act_id(b"j" * 32, "a", "send", b"{}"),
        called_id(KEY, "a", "c1"),
        called_id(KEY, "b", "c1"),
        called_id(KEY, "ac", "1"),
        occurring_id(KEY, act_id(KEY, "a", "send", b"{}"), 0),
        occurring_id(KEY, act_id(KEY, "a", "send", b"{}"), 1),
    }
    assert len(names) == 10
    assert all(len(name) == 32 for name in names)
