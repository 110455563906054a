"""``recense convert``."""

import typer

from recense.cli.call import AsJson, Call, Namespace, Store, examples, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_kept import convert_lines

app = new_app()


@app.command("convert", epilog=examples("recense convert", "recense convert --json"))
def convert(
    context: typer.Context,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Convert archived sessions now rather than later.

    Needed after an import with --archive-only. What is converted already stays as it is; a run that
    was stopped goes on where it was.
    """
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory, call.progress() as progress:
        report = memory.convert(progress)
    return outcome(report, convert_lines)
