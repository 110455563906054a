"""Namespaces: which texts are one, and that no two of them share a name of a file."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recense.core.namespaces import is_namespace, namespace_base_name, namespace_refused
from recense.limits import NAMESPACE_CODE_POINTS_MAX

NAMES = st.from_regex(r"[A-Za-z0-9_.:-]{1,128}", fullmatch=True).filter(is_namespace)
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{name}{n}" for name in ("com", "lpt") for n in range(10)),
}


@pytest.mark.parametrize(
    "name",
    ["a", "A", "7", "a.b", "a_b", "a:b", "a-b", "team:pod-0", "_a", "a..b", "x" * 128, "default"],
)
def test_letters_digits_and_four_marks_make_a_namespace(name: str) -> None:
    assert is_namespace(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "-",
        "_:",
        "a%",
        "%",
        "a/b",
        "a\\b",
        "../a",
        "a b",
        " a",
        "a\n",
        "a\x00",
        "\x00",
        "x" * (NAMESPACE_CODE_POINTS_MAX + 1),
        "\u0430",  # Cyrillic a
        "\uff41",  # full width a
        "\u0661",  # a digit, and none of ours
        "a\u0301",
        "a\u200b",
        "\u212a",  # the sign of kelvin, which folds to k
        "\ud800",
    ],
)
def test_whatever_else_a_text_holds_it_is_no_namespace(name: str) -> None:
    assert not is_namespace(name)


def test_the_error_says_what_was_given_and_where_it_stands() -> None:
    error = namespace_refused("'a%'", "flags")
    assert error.message.startswith("the namespace in flags is 'a%'; expected letters")
    assert namespace_refused("'a%'").message.startswith("the namespace is 'a%'")


@given(NAMES, NAMES)
@example("a.b", "a_b")
@example("a", "A")
@example("Default", "default")
@example("x" * 127 + "y", "x" * 127 + "z")
def test_no_two_namespaces_share_a_name_also_where_case_does_not_count(
    one: str, other: str
) -> None:
    same = namespace_base_name(one).casefold() == namespace_base_name(other).casefold()
    assert same == (one == other)


@given(NAMES)
@example("con")
@example("COM1.")
@example("a:b")
def test_a_name_is_safe_for_a_file_on_every_system(name: str) -> None:
    base = namespace_base_name(name)
    assert re.fullmatch(r"[a-z0-9_]{1,48}-[0-9a-f]{32}", base)
    assert base.partition(".")[0] not in RESERVED
    assert len(f"{base}.db-journal") <= 143


def test_a_name_stays_the_same_from_release_to_release() -> None:
    assert namespace_base_name("a.b") == "a_b-6f4ff28b874dff91a121c675c096dab2"
