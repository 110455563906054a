"""``recense fact``: what is said of a subject under a predicate, set and withdrawn.

What reads facts stands in `recense.cli.commands.fact_reading`, and belongs to the same command.
"""

from typing import Annotated

import typer

from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.commands import fact_reading
from recense.cli.declaring import command, family, new_app
from recense.cli.fact_arguments import (
    KINDS,
    SOURCES,
    AnyTypedValue,
    AsBoolean,
    AsNumber,
    AsText,
    Key,
    KindWord,
    ObservedAt,
    Predicate,
    StatedBy,
    Subject,
    TypedValue,
)
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_facts import forgotten_lines, remembered_lines
from recense.cli.typed_words import forced_form, share_named, value_typed
from recense.errors import InvalidRequest
from recense.operations.facts import EvidenceRequest, ForgetFact, RememberFact, ReplaceRequest

app = new_app()


@family(
    app,
    "recense fact set mira lives_in Oslo",
    "recense fact get mira                what is believed of her",
    "recense fact explain mira lives_in   why",
    'recense fact search "where she lives"',
    "recense fact forget mira lives_in Oslo",
)
def fact(call: Call) -> CommandOutcome:
    """Set, read, explain and withdraw single facts.

    A fact is a subject, a predicate and a value. Alone it lists what is believed now.
    """
    return fact_reading.list_(call)


@command(
    app,
    "set",
    "recense fact set mira lives_in Oslo --observed-at 2026-05-01",
    "recense fact set kiosk budget 8000 --number --single",
    'recense fact set mira note "Prefers to be called in the morning."',
    "recense fact set mira drinks tea --replaces ID --source agent_inferred",
    "recense fact set -- oslo coldest_day -27",
)
def set_(
    call: Call,
    subject: Subject,
    predicate: Predicate,
    value: TypedValue,
    observed_at: ObservedAt = None,
    source: StatedBy = "user_stated",
    replaces: Annotated[
        list[str] | None,
        typer.Option(
            "--replaces", metavar="ID", help="Withdraw this fact; may be said several times."
        ),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option("--evidence", metavar="TEXT", help="The words it was read in, word for word."),
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", metavar="N", help="How sure it is, 0 to 1.")
    ] = "1",
    kind: KindWord = "fact",
    single: Annotated[
        bool,
        typer.Option("--single", help="A predicate that is new holds one value at a time."),
    ] = False,
    key: Key = None,
    text: AsText = False,
    number: AsNumber = False,
    boolean: AsBoolean = False,
) -> CommandOutcome:
    """Remember that a subject has a value under a predicate.

    VALUE is read by the type of its predicate: a number, true or false, else a text; under a
    predicate that is new it is a text. Where a predicate holds one value at a time, the new one
    takes the place of the old.
    """
    form = forced_form(text=text, number=number, boolean=boolean)
    stated_by = word_named("--source", source, SOURCES)
    kind_named = word_named("--kind", kind, KINDS)
    sureness = share_named("--confidence", confidence)
    with call.memory(create=True) as memory:
        request = RememberFact(
            subject=subject,
            predicate=predicate,
            value=value_typed(memory, value, predicate, form),
            kind=kind_named,
            confidence=sureness,
            source=stated_by,
            observed_at=observed_at,
            evidence=tuple(EvidenceRequest(excerpt=excerpt) for excerpt in evidence or ()),
            replaces=tuple(ReplaceRequest(event_id=each) for each in replaces or ()),
            cardinality="single" if single else None,
            idempotency_key=key,
        )
        remembered = memory.remember_fact(request)
    return outcome(remembered, remembered_lines)


@command(
    app,
    "forget",
    "recense fact forget mira lives_in Oslo",
    "recense fact forget mira lives_in --all",
)
def forget(
    call: Call,
    subject: Subject,
    predicate: Predicate,
    value: AnyTypedValue = None,
    all_values: Annotated[
        bool, typer.Option("--all", help="Withdraw every value there is.")
    ] = False,
    observed_at: ObservedAt = None,
    source: StatedBy = "user_stated",
    key: Key = None,
    text: AsText = False,
    number: AsNumber = False,
    boolean: AsBoolean = False,
) -> CommandOutcome:
    """Withdraw a value of a subject, or every one with --all.

    What is withdrawn holds no longer; that it once did stays in its history. Nothing is deleted.
    """
    form = forced_form(text=text, number=number, boolean=boolean)
    stated_by = word_named("--source", source, SOURCES)
    if (value is None) != all_values:
        raise InvalidRequest(
            "expected either VALUE or --all", hint="recense fact get SUBJECT PREDICATE lists values"
        )
    with call.memory() as memory:
        request = ForgetFact(
            subject=subject,
            predicate=predicate,
            value=None if value is None else value_typed(memory, value, predicate, form),
            all_values=all_values,
            source=stated_by,
            observed_at=observed_at,
            idempotency_key=key,
        )
        forgotten = memory.forget_fact(request)
    return outcome(forgotten, forgotten_lines)


app.registered_commands += fact_reading.app.registered_commands
