"""The manifest of requirements holds both ways: what it names exists, and what is owed is in it."""

import ast
import re
from collections import Counter
from functools import cache

from recense.conformance import all_checks
from tests.conftest import PROJECT
from tests.requirements import REQUIREMENTS, Requirement
from tests.rows import each_row

SECTIONS = {
    *(f"hazards {letter}" for letter in "ABCEFGHI"),
    *(f"10-ledger {number}" for number in range(1, 7)),
    *(f"20-recall {number}" for number in (1, 4, 8, 9, 10, 11)),
    "25-redaction",
}
"""The sections that the manifest answers for."""

HAZARD_TESTS = sorted((PROJECT / "tests" / "end_to_end").glob("test_*hazards*.py"))


@cache
def _tests_of(file: str) -> frozenset[str]:
    """Return the node ids of the tests that a file defines."""
    path = PROJECT / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        f"{file}::{node.name}"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def _identified(requirement: Requirement) -> str:
    return requirement.id


def test_every_requirement_has_an_id_of_its_own() -> None:
    times = Counter(requirement.id for requirement in REQUIREMENTS)
    assert [name for name, count in times.items() if count > 1] == []
    assert all(re.fullmatch(r"[A-Z]-[a-z]+(-[a-z0-9]+)*", name) for name in times)


@each_row("requirement", REQUIREMENTS, ids=_identified)
def test_a_requirement_is_proved_or_says_why_it_is_not_built(requirement: Requirement) -> None:
    assert requirement.tests or requirement.checks or requirement.missing
    assert requirement.sentence.endswith(".")
    assert requirement.section in SECTIONS


@each_row("requirement", REQUIREMENTS, ids=_identified)
def test_every_test_that_a_requirement_names_exists(requirement: Requirement) -> None:
    assert len(set(requirement.tests)) == len(requirement.tests)
    for node in requirement.tests:
        assert node in _tests_of(node.partition("::")[0]), node


def test_every_check_that_a_requirement_names_exists() -> None:
    known = {check.sentence for check in all_checks()}
    named = {name for requirement in REQUIREMENTS for name in requirement.checks}
    assert named - known == set()


def test_every_section_is_answered_for() -> None:
    assert {requirement.section for requirement in REQUIREMENTS} == SECTIONS


def test_every_test_of_a_hazard_proves_a_requirement() -> None:
    named = {node for requirement in REQUIREMENTS for node in requirement.tests}
    written = {
        node for path in HAZARD_TESTS for node in _tests_of(path.relative_to(PROJECT).as_posix())
    }
    assert written
    assert written - named == set()
