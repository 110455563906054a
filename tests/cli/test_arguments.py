from typing import get_args

import pytest

from recense.cli.session_arguments import ORIGINS, origin_named
from recense.core.transcript.records import Origin
from recense.errors import InvalidRequest


def test_every_origin_can_be_named_and_nothing_else() -> None:
    assert set(ORIGINS) == {*get_args(Origin), "all"}
    assert [origin_named(origin) for origin in ORIGINS] == list(ORIGINS)
    with pytest.raises(InvalidRequest, match="'human' is none of interactive"):
        origin_named("human")
