"""Where the terms of an answer stand in its texts."""

from collections.abc import Iterator, Sequence

from recense.cli.lines import StyledText
from recense.core.text.fold import FoldedText, fold


def highlighted(text: str, terms: Sequence[str]) -> list[StyledText]:
    """Return a text as spans, in order and complete, with every occurrence of a term marked.

    Terms are found as recall finds them: in folded form, anywhere.
    """
    spans: list[StyledText] = []
    done = 0
    for start, end in _merged(sorted(_occurrences(text, terms))):
        if done < start:
            spans.append(StyledText(text=text[done:start]))
        spans.append(StyledText(text=text[start:end], style="term"))
        done = end
    if done < len(text):
        spans.append(StyledText(text=text[done:]))
    return spans


def _occurrences(text: str, terms: Sequence[str]) -> Iterator[tuple[int, int]]:
    folded_text = FoldedText(text)
    for term in {fold(term) for term in terms if term}:
        at = folded_text.folded.find(term)
        while at >= 0:
            yield folded_text.original_span(at, at + len(term))
            at = folded_text.folded.find(term, at + len(term))


def _merged(ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield sorted ranges with those joined that touch or overlap."""
    open_range: tuple[int, int] | None = None
    for start, end in ranges:
        if open_range is None:
            open_range = (start, end)
        elif start <= open_range[1]:
            open_range = (open_range[0], max(end, open_range[1]))
        else:
            yield open_range
            open_range = (start, end)
    if open_range is not None:
        yield open_range
