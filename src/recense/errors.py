"""Every error Recense raises, in one tree.

    RecenseError
    ├── RequestRefused              the caller asked for something that is not allowed or not there
    │   ├── InvalidRequest          invalid_request
    │   ├── CredentialShaped        credential_shaped
    │   ├── Incognito               incognito
    │   ├── NotConfirmed            not_confirmed
    │   ├── NeedsConfirmation       needs_confirmation
    │   ├── BudgetExhausted         budget_exhausted
    │   ├── NotFound                not_found
    │   ├── MaterialUnavailable     material_unavailable
    │   └── OutputUnwritable        output_unwritable
    ├── SourceFault                 a file we were asked to read
    │   ├── SourceUnreadable        source_unreadable
    │   └── SourceUnrecognised      source_unrecognised
    ├── StoreFault                  the database below us
    │   ├── StoreBusy               store_busy            (retryable)
    │   ├── StoreConflict           store_conflict        (retryable)
    │   ├── StoreFull               store_full
    │   ├── StoreCorrupt            store_corrupt
    │   ├── StoreReadOnly           store_read_only
    │   ├── StoreForeign            store_foreign
    │   ├── StoreTooNew             store_too_new
    │   ├── StoreUnavailable        store_unavailable
    │   ├── LeaseHeld               lease_held            (retryable)
    │   ├── LeaseLost               lease_lost
    │   ├── DimensionMismatch       dimension_mismatch
    │   └── Unsupported             unsupported
    ├── ModelFault                  a model that was asked
    │   ├── ModelTimedOut           model_timed_out       (retryable)
    │   ├── ModelUnavailable        model_unavailable     (retryable)
    │   ├── ModelRejected           model_rejected
    │   ├── MaterialRejected        material_rejected
    │   └── ModelAnswerUnusable     model_answer_unusable
    ├── SettingsInvalid             settings_invalid
    └── MissingExtra                missing_extra

Law: a message says what was given, what was expected and what to do next; a code never changes its
meaning; a secret is never part of a message. Any other exception that reaches a caller is a bug of
ours.
"""

from typing import ClassVar


class RecenseError(Exception):
    """The root: catch this to catch everything that Recense raises on purpose.

    ``code`` is stable and meant for programs, the message for people, ``hint`` is the next step
    where there is one, and ``retryable`` says that the same call may succeed later unchanged.
    """

    code: ClassVar[str] = "recense_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class RequestRefused(RecenseError):
    """The caller asked for something that is not allowed, not understood or not there."""

    code = "request_refused"


class InvalidRequest(RequestRefused):
    """A field is missing, unknown, of the wrong type or outside its bounds."""

    code = "invalid_request"


class CredentialShaped(RequestRefused):
    """A text to search for looks like a secret; the message names its position, never its text."""

    code = "credential_shaped"


class Incognito(RequestRefused):
    """The person wants nothing recalled now."""

    code = "incognito"


class NotConfirmed(RequestRefused):
    """What cannot be undone was asked for, and nobody said yes."""

    code = "not_confirmed"


class NeedsConfirmation(RequestRefused):
    """An inference would displace what a person stated: the person has to say so."""

    code = "needs_confirmation"


class BudgetExhausted(RequestRefused):
    """The tokens of a day or of a run do not reach for what comes next."""

    code = "budget_exhausted"


class NotFound(RequestRefused):
    """No such thing that this caller may see; unknown, invisible and foreign are one answer."""

    code = "not_found"


class MaterialUnavailable(RequestRefused):
    """A material that the caller may see, and whose bytes cannot be given: the source never gave
    them, they are damaged, or they are more than leaves.
    """

    code = "material_unavailable"


class OutputUnwritable(RequestRefused):
    """A file that a person named for the answer exists already, or cannot be written."""

    code = "output_unwritable"


class SourceFault(RecenseError):
    """A file or folder we were asked to import cannot be used as it is."""

    code = "source_fault"


class SourceUnreadable(SourceFault):
    """The file or folder cannot be read: absent, no permission, not a regular file."""

    code = "source_unreadable"


class SourceUnrecognised(SourceFault):
    """The file was read, and no importer understands what is in it."""

    code = "source_unrecognised"


class StoreFault(RecenseError):
    """The store could not do what was asked; nothing of the failed call was kept."""

    code = "store_fault"


class StoreBusy(StoreFault):
    """Another process held the store for longer than the bounded wait."""

    code = "store_busy"
    retryable = True


class StoreConflict(StoreFault):
    """What the caller based its write on has changed meanwhile; read again, then try again."""

    code = "store_conflict"
    retryable = True


class StoreFull(StoreFault):
    """The disk or the quota below the store is full."""

    code = "store_full"


class StoreCorrupt(StoreFault):
    """The store's own bytes are damaged."""

    code = "store_corrupt"


class StoreReadOnly(StoreFault):
    """The store can be read but not written."""

    code = "store_read_only"


class StoreForeign(StoreFault):
    """The file is a database of something else, or no database."""

    code = "store_foreign"


class StoreTooNew(StoreFault):
    """The store was written by a later release than this one."""

    code = "store_too_new"


class StoreUnavailable(StoreFault):
    """The store cannot be opened or reached."""

    code = "store_unavailable"


class LeaseHeld(StoreFault):
    """Another holds the lease; the message names the holder and what is left of its time."""

    code = "lease_held"
    retryable = True


class LeaseLost(StoreFault):
    """The lease is another's by now, or its time is over; nothing was written under it."""

    code = "lease_lost"


class DimensionMismatch(StoreFault):
    """A vector has another length than those of its collection."""

    code = "dimension_mismatch"


class Unsupported(StoreFault):
    """The backend has declared that it cannot do this."""

    code = "unsupported"


class ModelFault(RecenseError):
    """A model that was asked gave no answer that can be used.

    ``tokens_in`` and ``tokens_out`` are what earlier calls for the same work took, where there were
    any: they are spent all the same. Where an answer came that is of no use, they count it too.
    ``is_cost_known`` is false where the last call may have been paid and nobody says so.
    """

    code = "model_fault"
    tokens_in: int = 0
    tokens_out: int = 0
    is_cost_known: bool = True


class ModelTimedOut(ModelFault):
    """No whole answer came by the deadline."""

    code = "model_timed_out"
    retryable = True
    is_cost_known = False


class ModelUnavailable(ModelFault):
    """The endpoint cannot be reached, broke off, is overloaded or failed.

    ``retry_after_seconds`` is how long it asked to be left alone, None where it did not say.
    """

    code = "model_unavailable"
    retryable = True
    is_cost_known = False

    def __init__(
        self, message: str, *, hint: str = "", retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class ModelRejected(ModelFault):
    """The endpoint refuses the request, and would refuse any: no access, no such model."""

    code = "model_rejected"


class MaterialRejected(ModelFault):
    """The endpoint refuses what it was shown, and may read other text: it is too long for the
    model, or against what the provider allows.
    """

    code = "material_rejected"


class ModelAnswerUnusable(ModelFault):
    """An answer came, and nothing in it can be read as what was asked for."""

    code = "model_answer_unusable"


class SettingsInvalid(RecenseError):
    """A setting from a file, the environment or a flag is unknown or has an impossible value."""

    code = "settings_invalid"


class MissingExtra(RecenseError):
    """An optional dependency is not installed; the hint names the extra."""

    code = "missing_extra"
