import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.progress import ProgressLine, columns_of, cut_to, progress_text
from recense.cli.safe_text import safe_line
from recense.operations.admin import Progress
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Screen, run_here


def report(done: int, label: str = "a.jsonl", total: int | None = 100) -> Progress:
    return Progress(phase="archiving", done=done, total=total, unit="files", label=label)


class Gone(io.StringIO):
    """A stream that nobody reads any more."""

    def write(self, _text: str, /) -> int:
        raise BrokenPipeError


def drawn(*steps: tuple[float, int], shown: bool = True, drawn_over: bool = True) -> str:
    """Return what is written when reports come at these milliseconds."""
    stream = io.StringIO()
    times = itertools.chain([0.0], (at for at, _ in steps))
    line = ProgressLine(
        stream, shown=shown, drawn_over=drawn_over, columns=80, milliseconds=lambda: next(times)
    )
    with line:
        for _, done in steps:
            line(report(done))
    return stream.getvalue()


def test_nothing_is_shown_in_the_first_second() -> None:
    assert drawn((10, 1), (999, 99)) == ""


def test_nothing_is_shown_where_stderr_is_no_terminal() -> None:
    assert drawn((5_000, 1), shown=False) == ""


def test_a_line_is_drawn_over_and_wiped_at_the_end() -> None:
    text = drawn((1_000, 10), (1_050, 11), (1_100, 50))
    first = "archiving [##..................]  10% 10 of 100 files  a.jsonl"
    second = "archiving [##########..........]  50% 50 of 100 files  a.jsonl"
    assert text == f"\r{first}\r{second}\r{' ' * len(second)}\r"


def test_a_terminal_that_cannot_draw_over_gets_few_whole_lines() -> None:
    text = drawn((1_000, 10), (3_000, 30), (6_000, 60), drawn_over=False)
    assert text.splitlines() == [progress_text(report(done), 79) for done in (10, 60)]
    assert "\r" not in text


def test_progress_without_a_total_counts() -> None:
    assert progress_text(report(1_204, total=None), 60) == "archiving 1,204 files  a.jsonl"


def test_progress_past_its_total_is_whole() -> None:
    assert "100%" in progress_text(report(120), 60)


@given(st.text(), st.integers(min_value=1, max_value=100))
def test_a_line_is_never_wider_than_the_terminal_and_never_two(label: str, columns: int) -> None:
    text = progress_text(report(5, label), columns)
    assert columns_of(text) <= columns
    assert len(text.splitlines()) == 1


@given(st.text().map(safe_line), st.integers(min_value=0, max_value=20))
def test_cutting_takes_the_longest_head_that_fits(text: str, columns: int) -> None:
    head = cut_to(text, columns)
    assert text.startswith(head)
    assert columns_of(head) <= columns
    assert head == text or columns_of(text[: len(head) + 1]) > columns


def test_a_wide_character_takes_two_columns() -> None:
    assert columns_of("时区 a") == 6
    assert cut_to("时区", 3) == "时"


def test_a_reader_of_stderr_who_went_away_stops_the_progress_and_nothing_else() -> None:
    times = iter([0.0, 2_000.0, 4_000.0])
    line = ProgressLine(
        Gone(), shown=True, drawn_over=True, columns=60, milliseconds=lambda: next(times)
    )
    with line:
        line(report(1))
        line(report(2))


@pytest.mark.parametrize("words", [("import",), ("convert",)])
@pytest.mark.parametrize("as_json", [True, False])
def test_quick_work_shows_no_progress_even_on_a_terminal(
    words: tuple[str, ...], as_json: bool
) -> None:
    memory = FakeMemory(reports=[report(1), report(2)])
    ran = run_here(*words, *["--json"] * as_json, memory=memory, err=Screen())
    assert ran.err == ""
