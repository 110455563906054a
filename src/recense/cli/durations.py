"""How long something is to hold, as a person types it: ``30d``, ``12h``, ``15m``, ``90s``."""

import re
from typing import Final

from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest

_DURATION: Final = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def seconds_named(option: str, word: str) -> int:
    """Return how many seconds a word says. Raises InvalidRequest for one that says none."""
    found = _DURATION.fullmatch(word)
    if found is None:
        raise InvalidRequest(
            f"{option} is {quoted(word)}; expected a number of days, hours, minutes or seconds",
            hint=f"as in {option} 30d, 12h, 15m or 90s",
        )
    return int(found[1]) * _SECONDS[found[2]]
