"""What the commands of facts share: their options, and the words of which there are few."""

from typing import Annotated, Final, get_args

import typer

from recense.core.facts.event import Kind, Source
from recense.core.facts.values import ValueType
from recense.limits import FACTS_FOUND_MAX, FACTS_LISTED_MAX

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
VALUE_TYPES: Final[tuple[ValueType, ...]] = get_args(ValueType)

_KIND: Final = typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}.")

Subject = Annotated[str, typer.Argument(metavar="SUBJECT", hidden=True)]
Predicate = Annotated[str, typer.Argument(metavar="PREDICATE", hidden=True)]
AnyPredicate = Annotated[str | None, typer.Argument(metavar="PREDICATE", hidden=True)]
TypedValue = Annotated[str, typer.Argument(metavar="VALUE", hidden=True)]
AnyTypedValue = Annotated[str | None, typer.Argument(metavar="VALUE", hidden=True)]

OfSubject = Annotated[
    str | None, typer.Option("--subject", metavar="SUBJECT", help="Only of this subject.")
]
KindWord = Annotated[str, _KIND]
AnyKindWord = Annotated[str | None, _KIND]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help="What held then: a date (UTC) or an instant."),
]
KnownBy = Annotated[
    str | None,
    typer.Option("--known-by", metavar="TIME", help="Only what this store had received by then."),
]
ObservedAt = Annotated[
    str | None,
    typer.Option("--observed-at", metavar="TIME", help="When it was observed; else it is now."),
]
StatedBy = Annotated[
    str,
    typer.Option("--source", metavar="SOURCE", help=f"One of {', '.join(SOURCES)}."),
]
Key = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="Said again with this key, it is done once."),
]
AsText = Annotated[bool, typer.Option("--text", help="VALUE is a text.")]
AsNumber = Annotated[bool, typer.Option("--number", help="VALUE is a number.")]
AsBoolean = Annotated[bool, typer.Option("--boolean", help="VALUE is true or false.")]
ListedLimit = Annotated[
    int,
    typer.Option("--limit", metavar="N", help=f"Facts at most, 1 to {FACTS_LISTED_MAX}."),
]
FoundLimit = Annotated[
    int,
    typer.Option("--limit", metavar="N", help=f"Facts at most, 1 to {FACTS_FOUND_MAX}."),
]
After = Annotated[
    str | None,
    typer.Option("--after", metavar="ID", help="Go on after this fact, as a page before said."),
]
