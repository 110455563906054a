"""What is put into the settings of a client, and how it is taken out again.

Law: a text is only ever *added to*, at places that are written down. As long as it is what we left,
taking the additions out in reverse gives every byte that was there before. Once somebody changed
it, what we added is found by its meaning, and only that goes.
"""

import hashlib
from typing import Final, Literal

from recense.core.values import Value
from recense.errors import ClientFileUnusable

Form = Literal["json", "toml"]
"""How a client writes its settings: JSON with or without comments, or TOML."""

BYTE_ORDER_MARK: Final = "\ufeff"

_DIGEST_BYTES: Final = 20


class Addition(Value, kw_only=True):
    """A value to stand at a path of names; with ``is_item``, at the end of the array there.

    An array that holds the words ``known_by`` somewhere has its item already, whoever wrote it. One
    that is ``optional`` is left out where something else stands in its place; any other is refused.
    """

    path: tuple[str, ...]
    value: object
    is_item: bool = False
    known_by: str = ""
    optional: bool = False


class Insertion(Value, kw_only=True):
    """Text that was put in at a place (code points) of the text that the insertion before left."""

    at: int
    text: str


class Splice(Value, kw_only=True):
    """One addition as it was made: its insertions in the order they were made, how many of the
    names on its path there were before, and whether it stands after a comma that was there.
    """

    addition: Addition
    insertions: tuple[Insertion, ...]
    names_before: int
    keeps_comma: bool = False


class Spliced(Value, kw_only=True):
    """A text with its additions; those that were there already, and those that had no place."""

    text: str
    splices: tuple[Splice, ...] = ()
    present: tuple[Addition, ...] = ()
    left_out: tuple[Addition, ...] = ()


def digest_of(text: str) -> str:
    """Return the digest by which a text is known again."""
    return hashlib.blake2b(text.encode("utf-8"), digest_size=_DIGEST_BYTES).hexdigest()


def inserted(text: str, insertion: Insertion) -> str:
    """Return a text with one insertion."""
    return text[: insertion.at] + insertion.text + text[insertion.at :]


def taken_back(text: str, splices: tuple[Splice, ...]) -> str:
    """Return the text as it was before these splices made exactly this text.

    Raises ValueError where the text does not hold an insertion at its place.
    """
    for splice in reversed(splices):
        for each in reversed(splice.insertions):
            end = each.at + len(each.text)
            if text[each.at : end] != each.text:
                raise ValueError(f"no insertion at {each.at}")
            text = text[: each.at] + text[end:]
    return text


def line_end_of(text: str) -> str:
    """Return how the lines of a text end: as its first one does."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def taken(path: tuple[str, ...]) -> ClientFileUnusable:
    """Return the refusal to replace what somebody else wrote at a path."""
    return ClientFileUnusable(
        f"{'.'.join(path)} is there already, and this command did not write it",
        hint="remove it from the file, or choose another name with --name",
    )


def no_place(path: tuple[str, ...], expected: str) -> ClientFileUnusable:
    """Return the refusal to write where the file holds something of another kind, or twice."""
    return ClientFileUnusable(
        f"{'.'.join(path) or 'the file'} is no place to write into: expected {expected}",
        hint="mend the file, or write the lines that --print shows into it yourself",
    )
