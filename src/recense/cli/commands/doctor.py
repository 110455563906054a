"""``recense doctor``."""

from typing import Annotated

import typer

from recense.cli.call import AsJson, Call, Namespace, Store, examples, new_app
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_kept import digest_lines, health_lines

app = new_app()


@app.command("doctor", epilog=examples("recense doctor", "recense doctor --digest --json"))
def doctor(
    context: typer.Context,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print only a digest of everything that is kept.")
    ] = False,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Check the store, and say where each setting came from.

    Exits with 1 when something is wrong, and says what to do. Two stores with one digest hold the
    same sessions.
    """
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        if digest:
            return outcome(memory.digest(), digest_lines)
        health = memory.doctor()
    return outcome(health, health_lines, exit_code=ANSWERED if health.ok else FAILED)
