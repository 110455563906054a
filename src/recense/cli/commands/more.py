"""``recense more``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_recall import more_lines
from recense.limits import MORE_MESSAGES_MAX
from recense.operations.recall import MoreRequest

app = new_app()


@command(
    app,
    "more",
    "recense more ANCHOR                  as recall printed it",
    "recense more ANCHOR --before 2 --after 0",
    "recense more ANCHOR --offset 4000    on in a long message",
)
def more(
    call: Call,
    anchor: Annotated[str, typer.Argument(metavar="ANCHOR", hidden=True)],
    before: Annotated[
        int,
        typer.Option(
            "--before", metavar="N", help=f"Messages before it, 0 to {MORE_MESSAGES_MAX}."
        ),
    ] = MORE_MESSAGES_MAX,
    after: Annotated[
        int,
        typer.Option("--after", metavar="N", help=f"Messages after it, 0 to {MORE_MESSAGES_MAX}."),
    ] = MORE_MESSAGES_MAX,
    offset: Annotated[
        int | None,
        typer.Option(
            "--offset", metavar="N", help="Show the anchor's text from this code point on."
        ),
    ] = None,
) -> CommandOutcome:
    """Show more of what surrounds a passage.

    ANCHOR is what recall printed below the passage. It stays good when sessions are imported or
    converted again.
    """
    request = MoreRequest(anchor=anchor, before=before, after=after, offset=offset)
    with call.memory() as memory:
        passage = memory.recall_more(request)
    return outcome(passage, more_lines)
