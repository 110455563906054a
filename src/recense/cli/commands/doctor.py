"""``recense doctor``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_kept import digest_lines, health_lines

app = new_app()


@command(app, "doctor", "recense doctor", "recense doctor --digest --json")
def doctor(
    call: Call,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print only a digest of everything that is kept.")
    ] = False,
) -> CommandOutcome:
    """Check the store, and say where each setting came from.

    The list of namespaces and the keys beside it are checked too. Exits with 1 when something is
    wrong, and says what to do. Two stores with one digest hold the same sessions.
    """
    with call.memory() as memory:
        if digest:
            return outcome(memory.digest(), digest_lines)
        health = memory.doctor(everywhere=True)
    return outcome(health, health_lines, exit_code=ANSWERED if health.ok else FAILED)
