"""``recense serve``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_serving import listening_line, served_lines
from recense.limits import SERVER_PORT_DEFAULT
from recense.servers.http.options import Listening, ServeOptions

app = new_app()

_HOSTS = typer.Option("--allow-host", metavar="NAME", help="Take calls to this name too.")
_ORIGINS = typer.Option("--allow-origin", metavar="ORIGIN", help="Take calls from pages there.")

_KUBERNETES = typer.Option(
    "--kubernetes", metavar="AUDIENCE", help="Give keys for tokens of pods that are for AUDIENCE."
)
_TENANT_LABEL = typer.Option(
    "--kubernetes-tenant-label", metavar="LABEL", help="What names a namespace's tenant."
)


@command(
    app,
    "serve",
    "recense serve",
    "recense serve --watch --extract",
    "recense serve --host 0.0.0.0 --allow-host memory.example",
    "recense serve --insecure             no keys; this machine alone",
)
def serve(
    call: Call,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", help="0 for one that is free.")
    ] = SERVER_PORT_DEFAULT,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Answer without keys, on this machine alone.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Import what agents on this machine say.")
    ] = False,
    extract: Annotated[
        bool, typer.Option("--extract", help="Read for facts what comes to the default namespace.")
    ] = False,
    allow_host: Annotated[list[str] | None, _HOSTS] = None,
    allow_origin: Annotated[list[str] | None, _ORIGINS] = None,
    kubernetes: Annotated[str | None, _KUBERNETES] = None,
    kubernetes_tenant_label: Annotated[str | None, _TENANT_LABEL] = None,
) -> CommandOutcome:
    """Serve the store to others, over HTTP.

    It answers until it is stopped. Each call needs a key (recense keys issue) but with --insecure.
    A call to a name that is none of the server's own, or from a web page elsewhere, is refused
    unless it is allowed. On stderr is a line of JSON for each call, without content.

    With --extract a session of the default namespace is read for facts each time that enough of it
    is new, and to its end when nobody said anything in it for hours: what was sent over HTTP, and
    with --watch also what agents on this machine say.

    The first Ctrl-C or termination signal lets calls in flight end, a second one ends at once.
    """
    options = ServeOptions(
        host=host,
        port=port,
        insecure=insecure,
        watch=watch,
        extract=extract,
        hosts=tuple(allow_host or ()),
        origins=tuple(allow_origin or ()),
        kubernetes=kubernetes,
        kubernetes_tenant_label=kubernetes_tenant_label,
    )

    def ready(listening: Listening) -> None:
        call.say([listening_line(listening)])

    return outcome(call.serve(options, ready), served_lines)
