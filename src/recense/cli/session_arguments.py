"""What the commands of sessions share: their options, and the origins that there are."""

from typing import Annotated, Final, Literal

import typer

from recense.cli.arguments import word_named
from recense.core.transcript.records import Origin

OriginOrAll = Origin | Literal["all"]

ORIGINS: Final[tuple[OriginOrAll, ...]] = (
    "interactive",
    "subagent",
    "headless",
    "agent",
    "all",
)

_ORIGIN: Final = typer.Option("--origin", metavar="ORIGIN", help=f"One of {', '.join(ORIGINS)}.")

SessionId = Annotated[str, typer.Argument(metavar="ID", hidden=True)]

OfSession = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Only this session.")
]
Workspace = Annotated[
    str | None, typer.Option("--workspace", metavar="FOLDER", help="Only this folder.")
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="From this date (UTC) or RFC 3339 instant on."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="To the end of this date, or this instant."),
]
OriginWord = Annotated[str, _ORIGIN]
AnyOriginWord = Annotated[str | None, _ORIGIN]
WithRewound = Annotated[
    bool, typer.Option("--all", help="Also messages on branches that were rewound.")
]


def origin_named(text: str) -> OriginOrAll:
    """Return the origin of this name. Raises InvalidRequest for a name that is none."""
    return word_named("--origin", text, ORIGINS, hint="--origin all for every one")
