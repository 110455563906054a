"""``recense material``."""

import os
from base64 import b64encode
from functools import partial
from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.images import picture_text
from recense.cli.lines import Line, command_line, line
from recense.cli.outcome import CommandOutcome
from recense.cli.render_recall import counted
from recense.core.values import Value
from recense.errors import InvalidRequest, OutputUnwritable
from recense.operations.materials import MaterialBytes

app = new_app()


class MaterialDocument(Value, kw_only=True):
    """A material for scripts. ``bytes`` and ``sha256`` are those of what leaves: ``data``, in
    base64, or the file at ``path``.
    """

    id: str
    kind: str
    name: str
    media_type: str
    bytes: int
    sha256: str
    changed: str | None
    data: str | None
    path: str | None


@command(
    app,
    "material",
    "recense material ID -o kiosk.png     save it",
    "recense material ID                  show it, where the terminal can",
    "recense material ID --json",
)
def material(
    call: Call,
    material_id: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write it to this file, a new one."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over FILE where it exists.")
    ] = False,
) -> CommandOutcome:
    """Show or save an attachment that recall listed.

    ID is what recall and sessions show print below an attachment. In a pipe it is the bytes and
    nothing else. A large image is scaled, which takes the extra recense[images].
    """
    if output is not None and not output.strip():
        raise InvalidRequest("-o names no file", hint="leave it out, or name a file")
    with call.memory() as memory:
        found = memory.recall_material(material_id)
    document = _document(found, output)
    if output is not None:
        save(found.data, output, over=force)
        return CommandOutcome(document=document, render=lambda: _saved_lines(document))
    is_image = found.media_type.startswith("image/")
    return CommandOutcome(
        document=document,
        render=lambda: _lines(document),
        data=found.data,
        picture=partial(picture_text, found.data) if is_image else None,
    )


def save(data: bytes, path: str, *, over: bool) -> None:
    """Write a file, and nothing over one that exists unless ``over``.

    Raises OutputUnwritable; a new file that could not be written whole is removed.
    """
    is_made = False
    try:
        with open(path, "wb" if over else "xb") as file:
            is_made = not over
            file.write(data)
    except FileExistsError as error:
        raise OutputUnwritable(
            f"{path!r} exists already", hint="name another file, or say --force"
        ) from error
    except (OSError, ValueError) as error:
        if is_made:
            os.remove(path)
        raise OutputUnwritable(
            f"{path!r} cannot be written: {error}", hint="name a file in a folder of yours"
        ) from error


def _document(found: MaterialBytes, output: str | None) -> MaterialDocument:
    return MaterialDocument(
        id=found.material.id,
        kind=found.material.kind,
        name=found.material.name,
        media_type=found.media_type,
        bytes=len(found.data),
        sha256=found.sha256,
        changed=found.changed,
        data=b64encode(found.data).decode("ascii") if output is None else None,
        path=output,
    )


def _lines(document: MaterialDocument) -> list[Line]:
    """Return what an attachment is, and how to save it."""
    return [line(_words(document)), command_line(f"recense material {document.id} -o FILE")]


def _saved_lines(document: MaterialDocument) -> list[Line]:
    return [line(f"Saved {_words(document)}, to {document.path}")]


def _words(document: MaterialDocument) -> str:
    name = f"{document.name}, " if document.name else ""
    changed = f", {document.changed} to leave" if document.changed else ""
    return (
        f"{document.kind}: {name}{document.media_type}, {counted(document.bytes, 'byte')}{changed}"
    )
