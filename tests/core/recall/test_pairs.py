"""What the pairs of a stretch count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.pairs import weighted_pairs


@given(st.text(alphabet="数据库迁移", min_size=1, max_size=20))
def test_the_pairs_of_a_stretch_count_half_its_characters(stretch: str) -> None:
    found = list(weighted_pairs(stretch, lambda _: True))
    assert sum(weight for *_, weight in found) == pytest.approx(max(1.0, len(stretch) / 2))
    assert all(stretch[at : at + 2] == pair for at, pair, _ in found)


def test_a_pair_that_says_nothing_parts_a_stretch() -> None:
    found = list(weighted_pairs("数据的迁移表", lambda pair: "的" not in pair))
    assert found == [(0, "数据", 1.0), (3, "迁移", 0.75), (4, "移表", 0.75)]
