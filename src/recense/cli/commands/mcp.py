"""``recense mcp``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, page
from recense.operations.operation import Surface

app = new_app()


@command(
    app,
    "mcp",
    "recense mcp                     recall and remember, in words",
    "recense mcp --typed --agent     facts by predicate too, and agents",
    "recense mcp --read-only --tools recall --tools recall_more",
)
def mcp(
    call: Call,
    typed: Annotated[bool, typer.Option("--typed", help="Offer facts by predicate too.")] = False,
    agent: Annotated[bool, typer.Option("--agent", help="Offer agents that resume too.")] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer no tool that writes.")
    ] = False,
    tools: Annotated[
        list[str] | None,
        typer.Option("--tools", metavar="NAME", help="Offer this tool alone; may be repeated."),
    ] = None,
) -> CommandOutcome:
    """Serve a model's client over stdin and stdout.

    By the Model Context Protocol. A client starts this and ends it; nothing is printed but the
    protocol. `recense connect` writes the entry that a client needs.
    """
    serve = call.models_server()
    surfaces: set[Surface] = {"text"}
    if typed:
        surfaces.add("typed")
    if agent:
        surfaces.add("agent")
    with call.memory(create=True) as memory:
        serve(call.flags, memory, frozenset(surfaces), read_only=read_only, names=tools)
    return page("The client has left.")
