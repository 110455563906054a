"""The package imports what it declares, and declares what it imports."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement

from tests.architecture.source_tree import Module, modules
from tests.architecture.test_locks import declared


def _imported(module: Module) -> Iterator[str]:
    """Yield the top-level name of everything a module imports from outside the package."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(name)):
                yield name.partition(".")[0]
            case _:
                pass


def test_the_package_imports_its_base_dependencies_all_of_them_and_nothing_else() -> None:
    homes = packages_distributions()
    ours = {"recense", *sys.stdlib_module_names}
    imported = {name for module in modules() for name in _imported(module)} - ours
    distributions = {homes.get(name, [f"not installed: {name}"])[0] for name in imported}
    base = {Requirement(text).name for text in declared().project.dependencies}
    assert {name.lower() for name in distributions} == base
