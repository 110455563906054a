"""How large things are, what they are called, and that each is written once."""

import ast
import re
from collections import defaultdict

from tests.architecture.source_tree import (
    Function,
    Module,
    body_without_docstring,
    definitions,
    is_public,
    modules,
)

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
TWIN_STATEMENTS_MIN = 4

# What is over a cap, with its reason. An entry that is no longer needed fails too.
LARGE_FILES = {
    "src/recense/client/methods.py": "a method for each operation, written from the catalogue",
    "src/recense/core/text/shapes.py": "one table, a row for each shape there is: parted it hides",
    "src/recense/errors.py": "every error there is, in one tree, as its drawing shows",
    "src/recense/limits.py": "every bound there is, in one place, as the law of bounds asks",
}
LONG_FUNCTIONS: dict[str, str] = {
    "src/recense/cli/render_recall.py::gap_words": "one case for each kind of gap, a sentence each",
}


def _lines_of(function: Function) -> int:
    """Count the lines of a function without its docstring: a long promise is no fault."""
    first = body_without_docstring(function)
    return 1 + (function.end_lineno or 0) - first[0].lineno if first else 0


def test_no_file_is_over_its_cap_without_a_reason() -> None:
    large = {module.path for module in modules() if module.text.count("\n") > FILE_LINES_MAX}
    assert large == LARGE_FILES.keys()


def test_no_function_is_over_its_cap_without_a_reason() -> None:
    long = {
        f"{module.path}::{name}"
        for module in modules()
        for name, node in definitions(module)
        if isinstance(node, Function) and _lines_of(node) > FUNCTION_LINES_MAX
    }
    assert long == LONG_FUNCTIONS.keys()


def test_everything_public_has_a_docstring() -> None:
    silent = [
        f"{module.path}::{name}"
        for module in modules()
        for name, node in [("", module.tree), *definitions(module)]
        if is_public(name) and not ast.get_docstring(node)
    ]
    assert silent == []


def test_no_two_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        for name, node in definitions(module):
            if isinstance(node, ast.ClassDef) and is_public(name):
                homes[name].append(module.path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_nothing_has_an_async_twin_or_a_numbered_successor_but_the_clients() -> None:
    names = {
        name.rpartition(".")[2]
        for module in modules()
        if module.name.rpartition(".")[0] != "recense.client"  # asked from either kind of program
        for name, _ in definitions(module)
    }
    twin = re.compile(r"^_?(?:Async|Sync|async_|sync_)(?=.)|(?:_async|_sync)$|_?[vV][2-9]$")
    assert [
        name for name in sorted(names) if twin.search(name) and twin.sub("", name) in names
    ] == []


def test_no_function_body_is_written_twice() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        for name, node in definitions(module):
            if isinstance(node, Function):
                body = body_without_docstring(node)
                if (
                    sum(isinstance(part, ast.stmt) for top in body for part in ast.walk(top))
                    >= TWIN_STATEMENTS_MIN
                ):
                    homes["\n".join(map(ast.dump, body))].append(f"{module.path}::{name}")
    assert [twins for twins in homes.values() if len(twins) > 1] == []


def _has_its_reason(suppression: str, module: Module) -> bool:
    """Whether words follow the rule, or a comment above gives the reason and names "(RULE)"."""
    rules = re.match(r": ?([A-Z]+\d+(?:, ?[A-Z]+\d+)*)|\[(\w+(?:, ?\w+)*)\]", suppression)
    if rules is None:
        return False
    named = re.split(", ?", rules[1] or rules[2])
    return bool(suppression[rules.end() :].strip(" -")) or all(
        f"({rule})" in module.text for rule in named
    )


def test_every_suppression_names_its_rule_and_has_its_reason() -> None:
    mark = re.compile(r"#\s*(?:noqa|type: ignore|pyright: ignore|pragma)\b(.*)")
    bare = [
        f"{module.path}:{number}"
        for module in modules()
        for number, line in enumerate(module.text.splitlines(), start=1)
        if (found := mark.search(line)) and not _has_its_reason(found[1], module)
    ]
    assert bare == []
