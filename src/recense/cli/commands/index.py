"""``recense index``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_kept import index_lines

app = new_app()


@command(app, "index", "recense index", "recense index --anew")
def index(
    call: Call,
    anew: Annotated[
        bool, typer.Option("--anew", help="Throw the index away first: it is made of the sessions.")
    ] = False,
) -> CommandOutcome:
    """Index what is converted, so that recall finds it quickly.

    An import does this by itself; what a program writes is indexed here, or by the next import. A
    damaged index is made anew. Recall answers the same with and without it.
    """
    with call.memory() as memory, call.progress() as progress:
        report = memory.index(progress, anew=anew)
    return outcome(report, index_lines)
