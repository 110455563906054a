"""``recense forget``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.fact_arguments import FoundLimit
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_texts import forget_answer_lines
from recense.errors import InvalidRequest
from recense.limits import FACTS_FOUND_DEFAULT
from recense.operations.texts import ForgetText

app = new_app()


@command(
    app,
    "forget",
    'recense forget "where Mira lives"    lists what may be meant',
    "recense forget --fact ID             withdraws it",
    "recense forget --fact ID --fact ID",
)
def forget(
    call: Call,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", hidden=True)] = None,
    facts: Annotated[
        list[str] | None,
        typer.Option("--fact", metavar="ID", help="Withdraw this one; may be said several times."),
    ] = None,
    limit: FoundLimit = FACTS_FOUND_DEFAULT,
) -> CommandOutcome:
    """Withdraw facts: find them by words, then name them.

    TEXT finds what may be meant, and nothing is withdrawn until it is named with --fact. What is
    withdrawn holds no longer; that it once did stays in its history.
    """
    if (text is None) == (not facts):
        raise InvalidRequest(
            "expected either TEXT or --fact ID", hint="TEXT lists the facts that may be meant"
        )
    request = ForgetText(text=text, facts=tuple(facts or ()), limit=limit)
    with call.memory() as memory:
        answer = memory.forget(request)
    return outcome(answer, forget_answer_lines)
