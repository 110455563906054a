"""``recense remember``."""

from typing import Annotated, Final

import msgspec
import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.fact_arguments import ObservedAt
from recense.cli.input_files import read_json
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_texts import remembered_text_lines
from recense.errors import InvalidRequest
from recense.operations.texts import RememberText, Statement, TextMessage

app = new_app()

STDIN: Final = "-"

_STATEMENTS: Final = msgspec.json.Decoder(tuple[Statement, ...])
_MESSAGES: Final = msgspec.json.Decoder(tuple[TextMessage, ...])


@command(
    app,
    "remember",
    'recense remember "Mira moved from Bergen to Oslo in May."',
    'recense remember "The kiosk runs on UTC." --observed-at 2026-03-30',
    "recense remember --messages FILE     a conversation",
)
def remember(
    call: Call,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", hidden=True)] = None,
    observed_at: ObservedAt = None,
    statements: Annotated[
        str | None,
        typer.Option(
            "--statements", metavar="FILE", help="A JSON list of how the text is filed as facts."
        ),
    ] = None,
    messages: Annotated[
        str | None,
        typer.Option(
            "--messages", metavar="FILE", help="A JSON list of messages: role and text of each."
        ),
    ] = None,
) -> CommandOutcome:
    """Keep a text, and file what it states.

    TEXT is kept word for word. Without it, or as -, it is what is piped in. A statement of
    --statements has subject, predicate, value, and evidence: its words in the text. One that cannot
    be filed is listed with its reason, and the others are filed. Without any, the model that
    extractor names reads the text; where it does not, the exit code is 1 and the answer says why.
    """
    request = RememberText(
        text=_text_of(call, text, has_messages=messages is not None),
        messages=read_json(messages, _MESSAGES, "a list of messages") if messages else (),
        statements=read_json(statements, _STATEMENTS, "a list of statements") if statements else (),
        observed_at=observed_at,
    )
    with call.memory(create=True) as memory:
        remembered = memory.remember(request)
    is_whole = not remembered.refused and not remembered.unread
    exit_code = ANSWERED if is_whole else FAILED
    return outcome(remembered, remembered_text_lines, exit_code=exit_code)


def _text_of(call: Call, text: str | None, *, has_messages: bool) -> str | None:
    """Return the text to keep: what was typed, or what stdin holds; None beside messages."""
    if has_messages:
        if text is not None:
            raise InvalidRequest(
                "TEXT and --messages are given; expected one of them", hint="leave one out"
            )
        return None
    if text is not None and text != STDIN:
        return text
    piped = call.read_input(text == STDIN)
    if piped is None:
        raise InvalidRequest(
            "there is no text to remember: TEXT is missing and nothing is piped in",
            hint='recense remember "Mira lives in Oslo."',
        )
    return piped
