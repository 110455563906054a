"""The words that checks are written in."""

from collections.abc import Callable
from typing import Final, Generic, NoReturn, Protocol, TypeVar

from recense.core.values import Value
from recense.errors import RecenseError
from recense.ports.transcripts import TranscriptStore


class Closeable(Protocol):
    """A store of any kind."""

    def close(self) -> None:
        """Let go of the store."""
        ...


StoreT = TypeVar("StoreT", bound=Closeable)
StoreT_co = TypeVar("StoreT_co", bound=Closeable, covariant=True)


class OpenerOf(Protocol[StoreT_co]):
    """Opens the store of a name; equal names are one store, also after it was closed."""

    def __call__(self, name: str) -> StoreT_co:
        """Return the open store, made when the name is new."""
        ...


class CheckFailed(AssertionError):
    """The subject does not do what the check asks; the message says what was found."""


class Untested(Exception):
    """The check cannot be made here; the message says what is missing."""


class CaseOf(Generic[StoreT]):
    """What one check works with: stores of its own, closed when the check ends."""

    def __init__(
        self, name: str, open_subject: OpenerOf[StoreT], open_reference: OpenerOf[StoreT]
    ) -> None:
        self._name: Final = name
        self._open_subject: Final = open_subject
        self._open_reference: Final = open_reference
        self._made = 0
        self._open: Final[dict[str, StoreT]] = {}
        self._notes: Final[list[str]] = []

    def subject(self) -> StoreT:
        """Return a fresh store of the kind that is under test."""
        return self._fresh(self._open_subject)

    def reference(self) -> StoreT:
        """Return a fresh reference store."""
        return self._fresh(self._open_reference)

    def opener(self) -> OpenerOf[StoreT]:
        """Return what opens the stores that are under test."""
        return self._open_subject

    def name_of(self, store: StoreT) -> str:
        """Return the name under which a store of this case was opened."""
        return next(name for name, each in self._open.items() if each is store)

    def reopened(self, store: StoreT) -> StoreT:
        """Close a subject and return it as it is found when it is opened again."""
        name = self.name_of(store)
        store.close()
        self._open[name] = self._open_subject(name)
        return self._open[name]

    def note(self, text: str) -> None:
        """Say with the outcome how the check was made."""
        self._notes.append(text)

    def notes(self) -> str:
        """Return what was noted."""
        return "; ".join(self._notes)

    def close(self) -> None:
        """Close every store that is still open."""
        while self._open:
            self._open.popitem()[1].close()

    def _fresh(self, opener: OpenerOf[StoreT]) -> StoreT:
        self._made += 1
        name = f"{self._name}-{self._made}"
        self._open[name] = opener(name)
        return self._open[name]


class CheckOf(Value, Generic[StoreT], kw_only=True):
    """One sentence about every store, and the function that tries it; it raises when it fails."""

    sentence: str
    attempt: Callable[[CaseOf[StoreT]], None]


Attempt = Callable[[CaseOf[StoreT]], None]


class Suite(Generic[StoreT]):
    """Every check of one kind of store by its sentence, filled when their modules are imported."""

    def __init__(self) -> None:
        self.registered: Final[dict[str, CheckOf[StoreT]]] = {}

    def check(self, sentence: str) -> Callable[[Attempt[StoreT]], Attempt[StoreT]]:
        """Register a function as the check of a sentence, which no other check may have."""

        def register(attempt: Attempt[StoreT]) -> Attempt[StoreT]:
            if sentence in self.registered:
                raise ValueError(f"two checks say {sentence!r}; each needs a sentence of its own")
            self.registered[sentence] = CheckOf(sentence=sentence, attempt=attempt)
            return attempt

        return register


Opener = OpenerOf[TranscriptStore]
Case = CaseOf[TranscriptStore]
Check = CheckOf[TranscriptStore]

TRANSCRIPTS: Final = Suite[TranscriptStore]()
REGISTERED: Final = TRANSCRIPTS.registered
check: Final = TRANSCRIPTS.check


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
