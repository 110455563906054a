"""Extractors that say what a test wants, and sessions that grow."""

from collections.abc import Callable, Sequence
from typing import Final

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.core.facts.changes import Definition
from recense.ports.extraction import Proposed
from recense.ports.selection import Selected

Script = Callable[[ExtractorView], Proposed]


def says_nothing(view: ExtractorView) -> Proposed:
    """Find nothing in a view."""
    del view
    return Proposed()


class ScriptedExtractor:
    """Does what a function says, and keeps what it was shown."""

    def __init__(
        self,
        script: Script = says_nothing,
        *,
        extractor_id: str = "scripted",
        version: str = "1",
        overhead_tokens: int = 0,
        answer_tokens: int = 0,
        readings_max: int = 1,
    ) -> None:
        self._script: Final = script
        self.extractor_id: Final = extractor_id
        self.version: Final = version
        self._overhead_tokens: Final = overhead_tokens
        self.answer_tokens: Final = answer_tokens
        self.readings_max: Final = readings_max
        self.views: Final[list[ExtractorView]] = []

    def overhead_tokens(self, parts: int, vocabulary: Sequence[Definition]) -> int:
        """Return what a test said, answers apart."""
        del parts, vocabulary
        return self._overhead_tokens - self.answer_tokens

    def propose(
        self,
        view: ExtractorView,
        vocabulary: Sequence[Definition],
        observed_at: int | None,
        timezone: str,
    ) -> Proposed:
        """Return what the script makes of a view."""
        del vocabulary, observed_at, timezone
        self.views.append(view)
        return self._script(view)

    @property
    def texts(self) -> list[str]:
        """The texts of all parts that were shown, in order."""
        return [part.text for view in self.views for each in view.messages for part in each.parts]


class ScriptedSelector:
    """Names numbers as a function says, and keeps what it was shown."""

    def __init__(
        self, script: Callable[[str, Sequence[str]], Selected] = lambda _text, _shown: Selected()
    ) -> None:
        self._script: Final = script
        self.overhead_tokens: Final = 10
        self.answer_tokens: Final = 5
        self.shown: Final[list[tuple[str, ...]]] = []

    def select(self, text: str, sentences: Sequence[str]) -> Selected:
        """Return what the script makes of a text and sentences."""
        self.shown.append(tuple(sentences))
        return self._script(text, sentences)


def proposing(*lines: tuple[str, Proposal]) -> Script:
    """Return a script that proposes what goes with each text that stands in a view."""

    def script(view: ExtractorView) -> Proposed:
        shown = "\n".join(part.text for each in view.messages for part in each.parts)
        return Proposed(proposals=tuple(proposal for text, proposal in lines if text in shown))

    return script
