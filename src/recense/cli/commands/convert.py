"""``recense convert``."""

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_kept import convert_lines

app = new_app()


@command(app, "convert", "recense convert", "recense convert --json")
def convert(call: Call) -> CommandOutcome:
    """Convert archived sessions now rather than later.

    Needed after an import with --archive-only. What is converted already stays as it is; a run that
    was stopped goes on where it was.
    """
    with call.memory() as memory, call.progress() as progress:
        report = memory.convert(progress)
    return outcome(report, convert_lines)
