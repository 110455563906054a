"""The words that checks are written in."""

from collections.abc import Callable
from typing import Final, NoReturn, Protocol

from recense.core.values import Value
from recense.errors import RecenseError
from recense.ports.transcripts import TranscriptStore


class Opener(Protocol):
    """Opens the store of a name; equal names are one store, also after it was closed."""

    def __call__(self, name: str) -> TranscriptStore:
        """Return the open store, made when the name is new."""
        ...


class CheckFailed(AssertionError):
    """The subject does not do what the check asks; the message says what was found."""


class Untested(Exception):
    """The check cannot be made here; the message says what is missing."""


class Case:
    """What one check works with: stores of its own, closed when the check ends."""

    def __init__(self, name: str, open_subject: Opener, open_reference: Opener) -> None:
        self._name: Final = name
        self._open_subject: Final = open_subject
        self._open_reference: Final = open_reference
        self._made = 0
        self._open: Final[dict[str, TranscriptStore]] = {}

    def subject(self) -> TranscriptStore:
        """Return a fresh store of the kind that is under test."""
        return self._fresh(self._open_subject)

    def reference(self) -> TranscriptStore:
        """Return a fresh reference store."""
        return self._fresh(self._open_reference)

    def reopened(self, store: TranscriptStore) -> TranscriptStore:
        """Close a subject and return it as it is found when it is opened again."""
        name = next(name for name, each in self._open.items() if each is store)
        store.close()
        self._open[name] = self._open_subject(name)
        return self._open[name]

    def close(self) -> None:
        """Close every store that is still open."""
        while self._open:
            self._open.popitem()[1].close()

    def _fresh(self, opener: Opener) -> TranscriptStore:
        self._made += 1
        name = f"{self._name}-{self._made}"
        self._open[name] = opener(name)
        return self._open[name]


class Check(Value, kw_only=True):
    """One sentence about every store, and the function that tries it; it raises when it fails."""

    sentence: str
    attempt: Callable[[Case], None]


REGISTERED: Final[dict[str, Check]] = {}
"""Every check by its sentence; `check` fills it when the modules of checks are imported."""


def check(sentence: str) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Register a function as the check of a sentence, which no other check may have."""

    def register(attempt: Callable[[Case], None]) -> Callable[[Case], None]:
        if sentence in REGISTERED:
            raise ValueError(f"two checks say {sentence!r}; each needs a sentence of its own")
        REGISTERED[sentence] = Check(sentence=sentence, attempt=attempt)
        return attempt

    return register


def expect_equal(what: str, found: object, expected: object) -> None:
    """Fail unless two values are equal."""
    if found != expected:
        raise CheckFailed(f"{what}: found {_shown(found)}, expected {_shown(expected)}")


def expect(what: str, *, holds: bool) -> None:
    """Fail unless a statement holds."""
    if not holds:
        raise CheckFailed(f"not so: {what}")


def expect_raises(what: str, error: type[RecenseError], call: Callable[[], object]) -> None:
    """Fail unless a call raises an error of exactly this class."""
    try:
        answer = call()
    except RecenseError as raised:
        if type(raised) is not error:
            fail(f"{what}: raised {type(raised).__name__}, expected {error.__name__}")
        return
    fail(f"{what}: answered {_shown(answer)}, expected {error.__name__}")


def fail(message: str) -> NoReturn:
    """Fail the check."""
    raise CheckFailed(message)


_SHOWN_CHARACTERS_MAX: Final = 300


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS_MAX else text[:_SHOWN_CHARACTERS_MAX] + "…"
