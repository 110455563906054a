"""Every error Recense raises, in one tree.

    RecenseError
    ├── RequestRefused              the caller asked for something that is not allowed or not there
    │   ├── InvalidRequest          invalid_request
    │   │   └── IdempotencyMismatch idempotency_mismatch
    │   ├── CredentialShaped        credential_shaped
    │   ├── Incognito               incognito
    │   ├── NotConfirmed            not_confirmed
    │   ├── NeedsConfirmation       needs_confirmation
    │   ├── BudgetExhausted         budget_exhausted
    │   ├── Cancelled               cancelled
    │   ├── NotFound                not_found
    │   ├── MaterialUnavailable     material_unavailable
    │   ├── NamespaceInvalid        namespace_invalid
    │   └── OutputUnwritable        output_unwritable
    ├── CallRefused                 a server does not take this call, whatever it asks
    │   ├── HostRefused             host_refused
    │   ├── OriginRefused           origin_refused
    │   ├── MethodRefused           method_refused
    │   ├── ContentTypeRefused      content_type_refused
    │   ├── RangeRefused            range_refused
    │   ├── RequestTooLarge         request_too_large
    │   ├── RequestTimedOut         request_timed_out     (retryable)
    │   ├── TooManyRequests         too_many_requests     (retryable)
    │   ├── ServerBusy              server_busy           (retryable)
    │   ├── RequestInProgress       request_in_progress   (retryable)
    │   └── OutcomeUnknown          outcome_unknown
    ├── AccessRefused               who asks is not known, or may not
    │   ├── KeyMissing              key_missing
    │   ├── KeyRefused              key_refused
    │   ├── ScopeMissing            scope_missing
    │   ├── IdentityMismatch        identity_mismatch
    │   ├── IdentityRefused         identity_refused
    │   └── IdentityUnavailable     identity_unavailable  (retryable)
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
    ├── RemoteFault                 a server of ours that was asked
    │   ├── ServerUnreachable       server_unreachable    (retryable)
    │   └── ServerFault             server_fault

    ├── ClientFault                 a file of a program that is to use Recense
    │   ├── ClientFileUnusable      client_file_unusable
    │   ├── ClientFileChanged       client_file_changed   (retryable)
    │   └── ConnectionUnproven      connection_unproven
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


class IdempotencyMismatch(InvalidRequest):
    """An idempotency key came again, with another request than the first time."""

    code = "idempotency_mismatch"


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


class Cancelled(RequestRefused):
    """Whoever asked waits no more; what was written before stays."""

    code = "cancelled"


class NotFound(RequestRefused):
    """No such thing that this caller may see; unknown, invisible and foreign are one answer."""

    code = "not_found"


class MaterialUnavailable(RequestRefused):
    """A material that the caller may see, and whose bytes cannot be given: the source never gave
    them, they are damaged, or they are more than leaves.
    """

    code = "material_unavailable"


class NamespaceInvalid(RequestRefused):
    """A text that can name no namespace."""

    code = "namespace_invalid"


class OutputUnwritable(RequestRefused):
    """A file that a person named for the answer exists already, or cannot be written."""

    code = "output_unwritable"


class CallRefused(RecenseError):
    """A server does not take a call as it came, or not now; what it asks was not looked at."""

    code = "call_refused"


class HostRefused(CallRefused):
    """The call is addressed to a name that is none of this server's: a page elsewhere may have
    found a way to it.
    """

    code = "host_refused"


class OriginRefused(CallRefused):
    """A web page made the call that this server does not know."""

    code = "origin_refused"


class MethodRefused(CallRefused):
    """There is such an address, and this method is none of it."""

    code = "method_refused"


class ContentTypeRefused(CallRefused):
    """What came is of another type than is taken there."""

    code = "content_type_refused"


class RangeRefused(CallRefused):
    """The part that was asked for begins behind the end."""

    code = "range_refused"


class RequestTooLarge(CallRefused):
    """What came is longer, or nested deeper, than is taken."""

    code = "request_too_large"


class RequestTimedOut(CallRefused):
    """What was announced did not come in time."""

    code = "request_timed_out"
    retryable = True


class TooManyRequests(CallRefused):
    """This caller asks more, or more at once, than one may; ``retry_after_seconds`` is when it may
    again.
    """

    code = "too_many_requests"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after_seconds: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class ServerBusy(CallRefused):
    """The server has more to do than it takes, or is stopping; ``retry_after_seconds`` is when it
    is worth while to try again.
    """

    code = "server_busy"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after_seconds: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class RequestInProgress(CallRefused):
    """A request with this idempotency key is being answered just now."""

    code = "request_in_progress"
    retryable = True


class OutcomeUnknown(CallRefused):
    """A request with this idempotency key was begun, and the server ended before it was answered:
    it may have been done, and is not done again.
    """

    code = "outcome_unknown"


class AccessRefused(RecenseError):
    """Who asks is not known, or is known and may not do this."""

    code = "access_refused"


class KeyMissing(AccessRefused):
    """No key came with a request that needs one."""

    code = "key_missing"


class KeyRefused(AccessRefused):
    """The key is unknown, expired or revoked; no part of it is in the message."""

    code = "key_refused"


class ScopeMissing(AccessRefused):
    """The key holds, and does not allow this."""

    code = "scope_missing"


class IdentityMismatch(AccessRefused):
    """The request names another namespace or agent than its key."""

    code = "identity_mismatch"


class IdentityRefused(AccessRefused):
    """What was shown as proof of who asks proves nothing; no part of it is in the message."""

    code = "identity_refused"


class IdentityUnavailable(AccessRefused):
    """Who could say whether a proof holds cannot be asked now, so that nobody is let in."""

    code = "identity_unavailable"
    retryable = True


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
    ``was_sent`` is false where nothing of that call left: what was to be read is not its reason.
    """

    code = "model_fault"
    tokens_in: int = 0
    tokens_out: int = 0
    is_cost_known: bool = True
    was_sent: bool = True


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


class RemoteFault(RecenseError):
    """A server of ours that a client asked did not do its part."""

    code = "remote_fault"


class ServerUnreachable(RemoteFault):
    """Nothing whole came back: the server cannot be reached, broke off, or was too slow."""

    code = "server_unreachable"
    retryable = True


class ServerFault(RemoteFault):
    """What came back is no answer and no problem that this version knows."""

    code = "server_fault"


class ClientFault(RecenseError):
    """Something about the settings of a program that is to use Recense; they are as they were."""

    code = "client_fault"


class ClientFileUnusable(ClientFault):
    """A program's settings file is not understood, cannot be read or written, or already holds
    something of ours that this command did not write.
    """

    code = "client_file_unusable"


class ClientFileChanged(ClientFault):
    """Somebody else changed a program's settings file between our reading and our writing it."""

    code = "client_file_changed"
    retryable = True


class ConnectionUnproven(ClientFault):
    """What was written for a program was started and did not answer; it was taken back."""

    code = "connection_unproven"


class SettingsInvalid(RecenseError):
    """A setting from a file, the environment or a flag is unknown or has an impossible value."""

    code = "settings_invalid"


class MissingExtra(RecenseError):
    """An optional dependency is not installed; the hint names the extra."""

    code = "missing_extra"
