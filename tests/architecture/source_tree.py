"""The package as text: its modules, their syntax trees, and the definitions inside."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import PROJECT

SOURCE = PROJECT / "src"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, kw_only=True)
class Module:
    """One file of the package."""

    name: str
    path: str
    text: str
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the package, by name."""
    return tuple(sorted(map(_module, (SOURCE / "recense").rglob("*.py")), key=lambda m: m.name))


def _module(file: Path) -> Module:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    text = file.read_text(encoding="utf-8")
    return Module(
        name=".".join(parts[:-1] if parts[-1] == "__init__" else parts),
        path=file.relative_to(PROJECT).as_posix(),
        text=text,
        tree=ast.parse(text),
    )


def definitions(module: Module) -> Iterator[tuple[str, Definition]]:
    """Yield every class and function of a module with its qualified name, in source order."""
    yield from _definitions(module.tree, ())


def _definitions(node: ast.AST, above: tuple[str, ...]) -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            qualified = (*above, child.name)
            yield ".".join(qualified), child
            inside = qualified if isinstance(child, ast.ClassDef) else (*qualified, "<locals>")
            yield from _definitions(child, inside)
        else:
            yield from _definitions(child, above)


def is_public(qualified_name: str) -> bool:
    """Whether others may use it: it is not local, and no part begins with an underscore."""
    return not any(part.startswith(("_", "<")) for part in qualified_name.split("."))


def body_without_docstring(function: Function) -> list[ast.stmt]:
    """Return the statements of a function that do something."""
    body = function.body
    return body[1:] if ast.get_docstring(function, clean=False) is not None else body
