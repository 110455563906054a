"""``recense history``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.fact_arguments import FoundLimit
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_texts import text_history_lines
from recense.limits import FACTS_FOUND_DEFAULT
from recense.operations.texts import HistoryRequest

app = new_app()


@command(
    app,
    "history",
    'recense history "where has Mira lived?"',
    'recense history "how did the deployment target change" --limit 3',
)
def history(
    call: Call,
    question: Annotated[str, typer.Argument(metavar="QUESTION", hidden=True)],
    limit: FoundLimit = FACTS_FOUND_DEFAULT,
) -> CommandOutcome:
    """Tell how something came to be so.

    What QUESTION is about is told from its beginning: what was so, from when to when, and why it
    ended.
    """
    with call.memory() as memory:
        told = memory.history(HistoryRequest(question=question, limit=limit))
    return outcome(told, text_history_lines)
