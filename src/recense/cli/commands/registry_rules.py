"""``recense registry``: what gives a predicate its rules."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Annotated, Final

import msgspec
import typer

from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.fact_arguments import VALUE_TYPES, Predicate
from recense.cli.input_files import read_json
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_registry import (
    LoadedRegistry,
    changed_lines,
    definition_words,
    loaded_lines,
)
from recense.cli.typed_words import definition_of
from recense.core.facts.changes import Definition
from recense.core.facts.starters import STARTERS
from recense.errors import InvalidRequest

app = new_app()

_DEFINITIONS: Final = msgspec.json.Decoder(tuple[Definition, ...])

Single = Annotated[bool, typer.Option("--single", help="A subject has one value of it at a time.")]
Multi = Annotated[bool, typer.Option("--multi", help="A subject may have several values of it.")]
Type = Annotated[
    str | None, typer.Option("--type", metavar="TYPE", help=f"One of {', '.join(VALUE_TYPES)}.")
]
Description = Annotated[
    str | None, typer.Option("--description", metavar="TEXT", help="What it says of a subject.")
]
Allowed = Annotated[
    list[str] | None,
    typer.Option("--allowed", metavar="VALUE", help="A value of an enum; for each of them."),
]
Excludes = Annotated[
    list[str] | None,
    typer.Option(
        "--excludes", metavar="NAME", help="A value of it is withdrawn from this predicate."
    ),
]
Historical = Annotated[
    bool, typer.Option("--historical", help="What it says has happened, and stays so.")
]
NotHistorical = Annotated[
    bool, typer.Option("--not-historical", help="What it says may cease to hold.")
]
Template = Annotated[
    str | None,
    typer.Option(
        "--template", metavar="TEXT", help="Its sentence, with {subject} and {value} in it."
    ),
]


@command(
    app,
    "load",
    "recense registry load --starter coding --starter personal",
    "recense registry load FILE",
    "recense registry load FILE --starter support",
)
def load(
    call: Call,
    file: Annotated[str | None, typer.Argument(metavar="FILE", hidden=True)] = None,
    starters: Annotated[
        list[str] | None,
        typer.Option(
            "--starter", metavar="NAME", help=f"One of {', '.join(STARTERS)}; for each of them."
        ),
    ] = None,
) -> CommandOutcome:
    """Define the predicates of a file, or of a starter.

    FILE is a JSON list of objects with predicate, and what else is ruled: cardinality (single or
    multi), value_type, description, allowed, excludes, historical, template. It is refused whole
    where it contradicts what is defined. A starter adds what is not defined yet.
    """
    if file is None and not starters:
        raise InvalidRequest(
            "there is nothing to load: FILE and --starter are missing",
            hint=f"the starters are {', '.join(STARTERS)}",
        )
    of_file = () if file is None else read_json(file, _DEFINITIONS, "a list of definitions")
    of_starters = _of_starters(starters or (), {each.predicate for each in of_file})
    with call.memory(create=True) as memory:
        view = memory.registry()
        kept = [
            each for each in of_starters if definition_of(view, each.predicate) not in {None, each}
        ]
        fitting = tuple(each for each in of_starters if each not in kept)
        changes = memory.load_registry((*of_file, *fitting))
    loaded = LoadedRegistry(
        given=len(of_file) + len(of_starters),
        defined=sum(change.stored for change in changes),
        kept=tuple(each.predicate for each in kept),
        changes=changes,
    )
    return outcome(loaded, loaded_lines)


@command(
    app,
    "define",
    'recense registry define lives_in --single --description "where one lives"',
    "recense registry define size --type enum --allowed small --allowed large",
    "recense registry define dislikes --excludes likes",
    'recense registry define lives_in --template "{subject} lives in {value}"',
)
def define(
    call: Call,
    name: Predicate,
    single: Single = False,
    value_type: Type = None,
    description: Description = None,
    allowed: Allowed = None,
    excludes: Excludes = None,
    historical: Historical = False,
    template: Template = None,
) -> CommandOutcome:
    """Define a predicate.

    The options say how many values a subject has of it, of which type, and what else is ruled.
    Without options it takes several texts. One that is defined already is changed by redefine.
    """
    definition = Definition(
        predicate=name,
        cardinality="single" if single else "multi",
        value_type=word_named("--type", value_type or "string", VALUE_TYPES),
        description=description or "",
        allowed=_texts(allowed, ()),
        excludes=_texts(excludes, ()),
        historical=historical,
        template=template or None,
    )
    with call.memory(create=True) as memory:
        changed = memory.define_predicate(definition)
    words = f"Defined {name}: {definition_words(definition)}."
    return outcome(changed, partial(changed_lines, words=words))


@command(
    app,
    "redefine",
    "recense registry redefine lives_in --single",
    "recense registry redefine lives_in --multi --from-now",
    "recense registry redefine size --allowed small --allowed huge",
    "recense registry redefine dislikes --excludes ''",
)
def redefine(
    call: Call,
    name: Predicate,
    single: Single = False,
    multi: Multi = False,
    value_type: Type = None,
    description: Description = None,
    allowed: Allowed = None,
    excludes: Excludes = None,
    historical: Historical = False,
    not_historical: NotHistorical = False,
    template: Template = None,
    from_now: Annotated[
        bool,
        typer.Option("--from-now", help="How many values: only for what is said from now on."),
    ] = False,
) -> CommandOutcome:
    """Give a predicate other rules.

    They hold for all that was ever said under it, or with --from-now from now on. What
    is not given stays as it is; an empty text takes away what there is.
    """
    if (single and multi) or (historical and not_historical):
        both = "--single and --multi" if single and multi else "--historical and --not-historical"
        raise InvalidRequest(f"{both} are given; expected one of them", hint="leave one out")
    if value_type is not None:
        word_named("--type", value_type, VALUE_TYPES)
    with call.memory() as memory:
        before = definition_of(memory.registry(), name) or Definition(predicate=name)
        cardinality = "single" if single else "multi" if multi else before.cardinality
        definition = Definition(
            predicate=name,
            cardinality=cardinality,
            value_type=word_named("--type", value_type or before.value_type, VALUE_TYPES),
            description=before.description if description is None else description,
            allowed=_texts(allowed, before.allowed),
            excludes=_texts(excludes, before.excludes),
            historical=historical or (before.historical and not not_historical),
            template=before.template if template is None else template or None,
        )
        changed = memory.redefine_predicate(definition, retroactive=not from_now)
    since = "from now on" if from_now else "for all that was said under it"
    words = f"{name}, {since}: {definition_words(definition)}."
    return outcome(changed, partial(changed_lines, words=words))


def _of_starters(starters: Sequence[str], names: AbstractSet[str]) -> tuple[Definition, ...]:
    """Return the definitions of starters, in this order, without ``names``, each name's first."""
    definitions: dict[str, Definition] = {}
    for starter in starters:
        for each in STARTERS[word_named("--starter", starter, tuple(STARTERS))]:
            if each.predicate not in names:
                definitions.setdefault(each.predicate, each)
    return tuple(definitions.values())


def _texts(given: Sequence[str] | None, before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of an option that may be said several times, without empty ones; what was
    there before where it was not said.
    """
    return before if not given else tuple(text for text in given if text)
