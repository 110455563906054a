"""Editing a settings file of a client as text, whatever it is written in."""

from recense.core.connect.json_splices import json_spliced, json_without
from recense.core.connect.jsonc import plain, scan
from recense.core.connect.splices import (
    Addition,
    Form,
    Splice,
    Spliced,
    digest_of,
    taken_back,
)
from recense.core.connect.toml_splices import toml_spliced, toml_without
from recense.errors import ClientFileUnusable


def spliced(form: Form, text: str, additions: tuple[Addition, ...]) -> Spliced:
    """Return a document with these additions.

    What is there already, exactly, is not added again. Raises ClientFileUnusable for a document
    that is not understood, and for one that holds something else in their place.
    """
    return toml_spliced(text, additions) if form == "toml" else json_spliced(text, additions)


def without(form: Form, text: str, splices: tuple[Splice, ...], digest: str) -> str:
    """Return a document without what these splices brought.

    A document that is as they left it (``digest``) becomes, byte for byte, what it was before. In
    any other, what they brought is found by its meaning. Raises ClientFileUnusable.
    """
    if digest_of(text) == digest:
        return taken_back(text, splices)
    return toml_without(text, splices) if form == "toml" else json_without(text, splices)


def holds(form: Form, text: str, splices: tuple[Splice, ...]) -> bool:
    """Whether a document holds all that these splices brought, wherever it is by now."""
    try:
        made = spliced(form, text, tuple(splice.addition for splice in splices))
    except ClientFileUnusable:  # something else is in its place, or nothing is understood
        return False
    return not made.splices and not made.left_out


def is_vacant(form: Form, text: str) -> bool:
    """Whether a document says nothing, not even in a comment."""
    if form == "toml" or not text.strip():
        return not text.strip()
    root = scan(text)
    return root is not None and plain(root) == {} and not text.strip("{} \t\r\n")
