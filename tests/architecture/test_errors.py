"""The error tree is one tree, its codes are unique, and its drawing is true."""

import re
from collections import Counter
from collections.abc import Iterator

import recense.errors
from recense.errors import RecenseError


def _tree(error: type[RecenseError]) -> Iterator[type[RecenseError]]:
    yield error
    for child in error.__subclasses__():
        yield from _tree(child)


def test_every_error_has_a_code_of_its_own() -> None:
    codes = Counter(error.code for error in _tree(RecenseError))
    assert [code for code, times in codes.items() if times > 1] == []
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


def test_every_error_is_defined_in_the_one_file_of_errors() -> None:
    assert {error.__module__ for error in _tree(RecenseError)} == {"recense.errors"}


def test_the_tree_drawn_in_the_docstring_is_the_tree_that_is() -> None:
    drawing = recense.errors.__doc__ or ""
    drawn = dict(re.findall(r"[├└]── (\w+)(?: +([a-z_]+)\b(?! \w))?", drawing))
    tree = {error.__name__: error for error in _tree(RecenseError) if error is not RecenseError}
    assert drawn.keys() == tree.keys()
    leaves = {name for name, error in tree.items() if not error.__subclasses__()}
    assert {name: drawn[name] for name in leaves} == {name: tree[name].code for name in leaves}
    retryable = set(re.findall(r"[├└]── (\w+) .*\(retryable\)", drawing))
    assert retryable == {name for name, error in tree.items() if error.retryable}
