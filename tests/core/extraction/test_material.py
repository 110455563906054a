"""What a model is shown: fenced, numbered, and in the person's time."""

import re
from datetime import timedelta, timezone
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.material import material
from recense.core.extraction.views import ExtractorView, ViewMessage, ViewPart
from recense.core.facts.changes import NOTE, Definition
from recense.core.instants import instant_from_text
from recense.limits import VOCABULARY_BYTES_MAX, VOCABULARY_LINE_CODE_POINTS_MAX

NEPAL: Final = timezone(timedelta(hours=5, minutes=45))
MORNING: Final = instant_from_text("2026-03-04T04:15:00Z")


def _view(*texts: str) -> ExtractorView:
    parts = tuple(ViewPart(author="tool", text=text, event_id="1") for text in texts)
    return ExtractorView(messages=(ViewMessage(parts=parts, at=MORNING),))


def _shown(view: ExtractorView, *vocabulary: Definition, observed_at: int | None = None) -> str:
    return material(
        view, vocabulary, observed_at=observed_at, zone=NEPAL, zone_name="Asia/Kathmandu"
    )


def test_a_view_is_numbered_fenced_and_dated_where_the_person_is() -> None:
    view = ExtractorView(
        messages=(
            ViewMessage(
                parts=(ViewPart(author="user", text="Where is it?", event_id="1"),), at=MORNING
            ),
            ViewMessage(
                parts=(
                    ViewPart(author="agent", text="I look.", event_id="2"),
                    ViewPart(author="tool", text="In ```b```.\n", event_id="3"),
                )
            ),
        )
    )
    vocabulary = (
        Definition(predicate="lives_in", cardinality="single", description="Where\nthey live."),
        Definition(predicate="status", value_type="enum", allowed=("busy", "free")),
        Definition(predicate="owner", value_type="ref"),
    )
    assert _shown(view, *vocabulary, observed_at=MORNING) == (
        """\
The person's time zone is Asia/Kathmandu. The newest message was written at \
2026-03-04T10:00:00+05:45.

# Vocabulary

```
- lives_in: one value at a time, a string. Where they live.
- status: any number of values, one of a list (busy, free)
- owner: any number of values, a subject
```

# Messages

## Message 1, 2026-03-04T10:00:00+05:45

user:
```
Where is it?
```

## Message 2

agent:
```
I look.
```

tool:
````
In ```b```.

````
"""
    )


@given(st.lists(st.text(alphabet="`~#\n a", max_size=40), min_size=1, max_size=4))
def test_no_text_closes_its_fence(texts: list[str]) -> None:
    shown = _shown(_view(*texts), NOTE).splitlines()
    inside: list[list[str]] = []
    fence = ""
    for line in shown:
        opening = re.fullmatch("`{3,}", line)
        if fence:
            if line == fence:
                fence = ""
            else:
                inside[-1].append(line)
        elif opening is not None:
            fence = line
            inside.append([])
        else:
            assert not line or line.startswith(("The person's", "# ", "## Message 1", "tool:"))
    assert not fence
    assert inside[1:] == [f"{text}\n".splitlines() for text in texts]


def test_a_vocabulary_that_has_no_room_is_counted() -> None:
    long = "x" * 2 * VOCABULARY_LINE_CODE_POINTS_MAX
    definitions = [Definition(predicate=f"p{n}", description=long) for n in range(100)]
    shown = _shown(_view("a"), *definitions)
    lines = [line for line in shown.splitlines() if line.startswith("- p")]
    assert all(len(line) == VOCABULARY_LINE_CODE_POINTS_MAX for line in lines)
    assert sum(len(line.encode()) + 1 for line in lines) <= VOCABULARY_BYTES_MAX
    assert f"(and {100 - len(lines)} more)" in shown


def test_an_empty_vocabulary_says_so() -> None:
    assert "# Vocabulary\n\n```\n(none yet)\n```\n" in _shown(_view("a"))


def test_an_instant_at_the_end_of_the_calendar_stays_where_it_is() -> None:
    last = instant_from_text("9999-12-31T23:59:59Z")
    shown = material(
        _view("a"), (), observed_at=last, zone=timezone(timedelta(hours=14)), zone_name="x"
    )
    assert "9999-12-31T23:59:59+00:00" in shown
