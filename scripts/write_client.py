"""Write the clients' methods from the catalogue: ``python scripts/write_client.py``.

A second run changes nothing; a test fails while the file is not what this makes of the catalogue.
"""

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Final

import recense.operations
from recense.operations.catalogue import OPERATIONS
from recense.operations.operation import AnyOperation, Operation

TARGET: Final = Path(recense.operations.__file__).parent.parent / "client" / "methods.py"

_TITLE: Final = "The operations as methods; written by scripts/write_client.py from the catalogue."
_HEAD: Final = '''"""{title}"""

from abc import ABC, abstractmethod
from typing import TypeVar

{imports}

_Request = TypeVar("_Request", bound=Value)
_Answer = TypeVar("_Answer", bound=Value)
'''
_CLASS: Final = '''

class {name}(ABC):
    """{about}"""

    @abstractmethod
    {define} _answer(
        self,
        operation: Operation[_Request, _Answer],
        request: _Request,
        idempotency_key: str | None = None,
    ) -> _Answer:
        """Return the answer of an operation to a request."""
'''
_LINE: Final = 100


def methods(operations: Iterable[AnyOperation]) -> str:
    """Return the module that has a method for each operation, in order, twice: blocking and not."""
    described = tuple(operations)
    places = _places()
    imports: dict[str, set[str]] = defaultdict(set)
    imports["recense.core.values"].add("Value")
    imports["recense.operations"] |= {places[each.name][0].rpartition(".")[2] for each in described}
    imports["recense.operations.operation"].add("Operation")
    for each in described:
        for kind in (each.request, each.answer):
            imports[kind.__module__].add(kind.__name__)
    lines = [f"from {module} import {_listed(names)}" for module, names in sorted(imports.items())]
    text = _HEAD.format(title=_TITLE, imports="\n".join(lines))
    for name, about, define, wait in (
        ("Methods", "Every operation there is, blocking.", "def", ""),
        ("AsyncMethods", "Every operation there is, as coroutines.", "async def", "await "),
    ):
        text += _CLASS.format(name=name, about=about, define=define)
        for each in described:
            text += _method(each, places[each.name], define, wait)
    return text


def _places() -> Mapping[str, tuple[str, str]]:
    """Return for each operation the module and the name of the constant that describes it."""
    found: dict[str, tuple[str, str]] = {}
    for module in pkgutil.iter_modules(recense.operations.__path__, "recense.operations."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Operation):
                found.setdefault(value.name, (module.name, name))
    return found


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names, key=str.lower)
    return (
        ordered[0]
        if len(ordered) == 1
        else "(\n" + "".join(f"    {name},\n" for name in ordered) + ")"
    )


def _method(operation: AnyOperation, place: tuple[str, str], define: str, wait: str) -> str:
    constant = f"{place[0].rpartition('.')[2]}.{place[1]}"
    asked = f"self, request: {operation.request.__name__}"
    given = f"{constant}, request"
    if operation.changes:
        asked += ", *, idempotency_key: str | None = None"
        given += ", idempotency_key"
    about = "\n        ".join(wrap(operation.summary, _LINE - 14))
    end = "\n        " if "\n" in about else ""
    first = f"    {define} {operation.name}({asked}) -> {operation.answer.__name__}:"
    if len(first) > _LINE:
        first = first.replace("(", "(\n        ", 1).replace(") ->", "\n    ) ->", 1)
    return f'\n{first}\n        """{about}{end}"""\n        return {wait}self._answer({given})\n'


def main() -> None:
    """Write the module."""
    TARGET.write_text(methods(OPERATIONS), encoding="utf-8")


if __name__ == "__main__":
    main()
