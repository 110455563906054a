"""``recense connect``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_connect import connect_lines
from recense.errors import InvalidRequest, NotConfirmed
from recense.operations.connecting import ConnectClient

app = new_app()

KEY_VARIABLE = "RECENSE_KEY"


@command(
    app,
    "connect",
    "recense connect claude-code          let Claude Code ask this memory",
    "recense connect codex --print        only show what would be written",
    "recense connect zed --remove         take it out again",
    "recense connect cursor --url https://memory.example.com/mcp",
)
def connect(
    call: Call,
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT",
            help="claude-code, claude-desktop, codex, cursor, vscode, gemini, zed or opencode.",
            show_default=False,
        ),
    ],
    typed: Annotated[bool, typer.Option("--typed", help="Also the tools for facts.")] = False,
    agent: Annotated[
        bool, typer.Option("--agent", help="Also the tools for agents that resume.")
    ] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="No tool that writes.")] = False,
    url: Annotated[
        str | None,
        typer.Option(
            "--url", metavar="URL", help="A server that runs, instead of one that is started."
        ),
    ] = None,
    key_variable: Annotated[
        str | None,
        typer.Option(
            "--key-env",
            metavar="NAME",
            help=f"The variable with its key (else {KEY_VARIABLE}); empty for none.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the client calls it.")
    ] = "recense",
    no_hook: Annotated[
        bool, typer.Option("--no-hook", help="Without the import hook, where there is one.")
    ] = False,
    show: Annotated[bool, typer.Option("--print", help="Only show what would be written.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take out what was written.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Also for a client that is not installed.")
    ] = False,
) -> CommandOutcome:
    """Write the settings of a client, so that it can ask this memory.

    Nothing else in its files changes, and the server that was written is started once to see that
    it answers. A key is never written: a client is told which variable holds it.
    """
    options = tuple(
        word
        for word, given in (("--typed", typed), ("--agent", agent), ("--read-only", read_only))
        if given
    )
    if url is not None and (options or call.is_store_chosen):
        raise InvalidRequest(
            "a server that runs has its own store and its own tools",
            hint="leave out --url, or the options of the server",
        )
    if url == "":
        raise InvalidRequest("--url is empty", hint="expected https://memory.example.com/mcp")
    if url is None and key_variable is not None:
        raise InvalidRequest("--key-env goes with --url")
    request = ConnectClient(
        client=client,
        name=name,
        options=options,
        url=url or "",
        key_variable="" if url is None else _or_default(key_variable),
        hook=not no_hook,
        remove=remove,
        show=show,
    )
    connecting = call.connecting()
    if not connecting.is_installed(client) and not (remove or show or yes):
        words = f"nothing of {client} is found on this machine"
        if not call.ask(f"recense: {words}. Write its settings all the same?"):
            raise NotConfirmed(words, hint="say --yes to write its settings all the same")
    return outcome(connecting.connect(request), connect_lines)


def _or_default(given: str | None) -> str:
    return KEY_VARIABLE if given is None else given
