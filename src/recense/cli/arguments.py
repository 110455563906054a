"""Values as a person types them: origins."""

from typing import Final, Literal

from recense.core.transcript.records import Origin
from recense.errors import InvalidRequest

OriginOrAll = Origin | Literal["all"]

ORIGINS: Final[tuple[OriginOrAll, ...]] = (
    "interactive",
    "subagent",
    "headless",
    "agent",
    "all",
)


def origin_named(text: str) -> OriginOrAll:
    """Return the origin of this name. Raises InvalidRequest for a name that is none."""
    for origin in ORIGINS:
        if text == origin:
            return origin
    raise InvalidRequest(
        f"--origin {text!r} is none of {', '.join(ORIGINS)}", hint="--origin all for every one"
    )
