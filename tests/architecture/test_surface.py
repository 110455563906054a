"""The public surface is a list, and the list is true."""

from importlib import import_module

import pytest

import recense
from tests.architecture.source_tree import modules


def test_the_public_names_are_sorted_and_said_once() -> None:
    assert list(recense.__all__) == sorted(set(recense.__all__))


@pytest.mark.parametrize("name", recense.__all__)
def test_a_public_name_is_an_object_of_ours_with_a_docstring(name: str) -> None:
    value: object = getattr(recense, name)
    home = str(getattr(value, "__module__", ""))
    assert home in {module.name for module in modules()}
    assert getattr(import_module(home), str(getattr(value, "__name__", ""))) is value
    assert value.__doc__


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(recense, "nothing")  # noqa: B009 -- a type checker knows that there is none
