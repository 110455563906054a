"""The package imports what it declares, and declares what it imports."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.source_tree import Module, modules
from tests.architecture.test_locks import declared

EXTRAS = {
    "recense.adapters.kubernetes": "server",
    "recense.adapters.models": "models",
    "recense.adapters.pillow": "images",
    "recense.bench": "bench",
    "recense.client.clients": "client",
    "recense.client.access": "client",
    "recense.conformance": "conformance",
    "recense.servers.http": "server",
    "recense.servers.mcp": "server",
}
"""Packages that need an extra, and which."""


def _extra_of(module: Module) -> str | None:
    return next(
        (
            extra
            for package, extra in EXTRAS.items()
            if module.name == package or module.name.startswith(f"{package}.")
        ),
        None,
    )


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


def _distributions(of: list[Module]) -> set[str]:
    homes = packages_distributions()
    ours = {"recense", *sys.stdlib_module_names}
    imported = {name for module in of for name in _imported(module)} - ours
    return {canonicalize_name(homes.get(name, [f"not installed: {name}"])[0]) for name in imported}


def _names(requirements: list[str]) -> set[str]:
    return {Requirement(text).name for text in requirements}


def test_the_package_imports_its_base_dependencies_all_of_them_and_nothing_else() -> None:
    base = [module for module in modules() if not _extra_of(module)]
    assert _distributions(base) == _names(declared().project.dependencies)


def test_what_belongs_to_an_extra_imports_the_base_and_that_extra() -> None:
    base = _names(declared().project.dependencies)
    for extra in EXTRAS.values():
        theirs = [module for module in modules() if _extra_of(module) == extra]
        assert _distributions(theirs) <= base | _names(declared().project.optional[extra])
