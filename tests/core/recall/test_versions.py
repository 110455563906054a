"""A rule that changes has another version: what an index holds by the old one is not vouched for.

The sources of the rules are known by digests, kept in golden/versions.json beside the version under
which they were taken. Comments, docstrings and layout do not count.
"""

import ast
import json
import os
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, cast

import pytest

from recense import limits
from recense.core.recall import versions
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.text.fold import FOLD_VERSION
from tests.conftest import PROJECT

CORE: Final = PROJECT / "src" / "recense" / "core"
GOLDEN: Final = Path(__file__).parent / "golden" / "versions.json"
VERSIONS_FILE: Final = "src/recense/core/recall/versions.py"

ROOTS: Final = {
    "FOLD_VERSION": ("recense.core.text.fold",),
    "_GRAMS": ("recense.core.text.grams",),
    "REDACTION_VERSION": ("recense.core.text.redact",),
    "_IMAGES": (
        "recense.core.transcript.visible",
        "recense.core.recall.predicate",
        "recense.core.recall.echo",
    ),
    "_PROJECTION": ("recense.core.transcript.projection", "recense.core.transcript.transcript"),
}
"""By version number, where its rules begin. What several import belongs to the first of them."""

NUMBERS: Final = {
    "FOLD_VERSION": int(FOLD_VERSION.partition("/")[0]),
    "_GRAMS": versions._GRAMS,  # pyright: ignore[reportPrivateUsage]
    "REDACTION_VERSION": REDACTION_VERSION,
    "_IMAGES": versions._IMAGES,  # pyright: ignore[reportPrivateUsage]
    "_PROJECTION": versions._PROJECTION,  # pyright: ignore[reportPrivateUsage]
}


def _path_of(module: str) -> Path:
    return PROJECT / "src" / Path(*module.split(".")).with_suffix(".py")


@cache
def _tree_of(module: str) -> ast.Module:
    return ast.parse(_path_of(module).read_text(encoding="utf-8"))


def _imports_of(module: str) -> Iterator[tuple[str, str]]:
    """Yield module and name of all that is imported by name from within the package."""
    for node in ast.walk(_tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                yield node.module, alias.name


def _closure(roots: Iterable[str]) -> set[str]:
    """Return the modules of the core that these rest on, themselves among them."""
    found: set[str] = set()
    pending = list(roots)
    while pending:
        module = pending.pop()
        if module in found:
            continue
        found.add(module)
        for imported, name in _imports_of(module):
            pending.extend(
                each
                for each in (imported, f"{imported}.{name}")
                if each.startswith("recense.core.") and _path_of(each).is_file()
            )
    return found


def modules_by_version() -> dict[str, list[str]]:
    """Return the modules that each version number answers for; none is in two."""
    known: set[str] = set()
    parts: dict[str, list[str]] = {}
    for name, roots in ROOTS.items():
        own = _closure(roots) - known
        known |= own
        parts[name] = sorted(own)
    return parts


def _said(node: object) -> str:
    """Return what a piece of a syntax tree says, the same in every version of Python."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return ""  # a docstring
        case ast.AST():
            fields = [(name, _said(value)) for name, value in ast.iter_fields(node)]
            told = ",".join(f"{name}={value}" for name, value in fields if value)
            return f"{type(node).__name__}({told})"
        case list():
            return ",".join(filter(None, map(_said, cast("list[object]", node))))
        case None:
            return ""
        case _:
            return repr(node)


def digest_of(modules: Iterable[str]) -> str:
    """Return a digest of sources, and of the bounds that they import."""
    digest = blake2b(digest_size=16)
    for module in modules:
        digest.update(f"{module}:{_said(_tree_of(module))}\n".encode())
        for imported, name in _imports_of(module):
            if imported == "recense.limits":
                digest.update(f"{name}={getattr(limits, name)!r}\n".encode())
    return digest.hexdigest()


def _found() -> dict[str, dict[str, object]]:
    return {
        name: {"version": NUMBERS[name], "digest": digest_of(modules)}
        for name, modules in modules_by_version().items()
    }


@pytest.mark.parametrize("name", ROOTS)
def test_a_rule_that_changed_has_another_version(name: str) -> None:
    """`RECENSE_WRITE_GOLDEN=1` writes the digests anew: raise the number first where it is due."""
    found = _found()
    if os.environ.get("RECENSE_WRITE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    kept = json.loads(GOLDEN.read_text(encoding="utf-8"))
    home = "src/recense/core/text/fold.py" if name == "FOLD_VERSION" else VERSIONS_FILE
    assert kept[name] == found[name], (
        f"the sources that {name} answers for are others than those of version "
        f"{kept[name]['version']}: if what they give has changed, raise {name} in {home}; then run "
        "this test with RECENSE_WRITE_GOLDEN=1"
    )


def test_the_rules_are_found_by_what_imports_what() -> None:
    parts = modules_by_version()
    assert parts["FOLD_VERSION"] == ["recense.core.late_patterns", "recense.core.text.fold"]
    assert parts["_GRAMS"] == ["recense.core.text.grams"]
    assert "recense.core.text.shapes" in parts["REDACTION_VERSION"]
    assert "recense.core.transcript.visible" in parts["_IMAGES"]
    assert "recense.core.transcript.paths" in parts["_PROJECTION"]
    every = [module for modules in parts.values() for module in modules]
    assert len({*every}) == len(every)


def test_what_no_rule_says_is_no_change() -> None:
    bare = ast.parse("def f(x):\n    return x + 1\n")
    told = ast.parse('"""Top."""\n# why\n\ndef f(x):\n    """Say."""\n    return (x + 1)\n')
    other = ast.parse("def f(x):\n    return x + 2\n")
    assert _said(bare) == _said(told) != _said(other)


def test_an_index_is_of_the_rules_of_all_it_holds_and_never_of_none() -> None:
    assert 0 < INDEX_VERSION < 2**63
    assert REDACTION_VERSION > 0
