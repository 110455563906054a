"""How a call of an operation is done: read, looked up among those that were answered, answered.

All of it blocks, and runs in one thread from beginning to end. What an idempotency key promises is
in `recense.services.request_outcomes`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from recense.core.values import Value
from recense.errors import InvalidRequest, OutcomeUnknown, RecenseError
from recense.operations.catalogue import AnyOperation
from recense.operations.fact_requests import RememberFacts
from recense.operations.facts import ForgetFact, RememberFact
from recense.operations.idempotency import require_idempotency_key
from recense.operations.keys import Credential
from recense.operations.wire import read_wire
from recense.servers.catalogue import OperationCall, answer
from recense.services.cancelling import IsCancelled, never
from recense.services.fact_requests import derived_key
from recense.services.memory import Memory
from recense.services.request_outcomes import KeptAnswer, RequestOfKey
from recense.wiring.namespaces import Namespaces

_ENCODER: Final = msgspec.json.Encoder()
_SORTED: Final = msgspec.json.Encoder(order="sorted")


def encoded_answer(answered: Value) -> bytes:
    """Return an answer as JSON."""
    return _ENCODER.encode(answered)


class WireCall(Value, kw_only=True):
    """A call of an operation as it came: what is asked as JSON, by whom, under which key of
    idempotency.
    """

    operation: AnyOperation
    body: bytes
    credential: Credential
    idempotency_key: str | None = None

    def answered(self, namespaces: Namespaces, is_cancelled: IsCancelled = never) -> bytes:
        """Return the answer as JSON. Raises what `recense.errors` lists."""
        request = read_wire(self.operation.request, self.body)
        with namespaces.memory(self.credential.namespace) as memory:
            call = OperationCall(
                memory=memory,
                credential=self.credential,
                keys=namespaces.keys,
                is_cancelled=is_cancelled,
            )
            if self.idempotency_key is None or not self.operation.changes:
                return encoded_answer(answer(self.operation.name, call, request))
            return self._answered_once(memory, call, request, self.idempotency_key)

    def _answered_once(
        self, memory: Memory, call: OperationCall, request: Value, key: str
    ) -> bytes:
        """Return the answer to a request that is done once, however often it comes."""
        of_key = RequestOfKey(
            key_id=self.credential.key_id or "",
            operation=self.operation.name,
            key=key,
            asked=_SORTED.encode(request),
        )
        name = self.operation.name
        if isinstance(request, RememberFact | ForgetFact):
            keyed = _with_key(request, of_key)
            return encoded_answer(answer(name, call, keyed))
        if isinstance(request, RememberFacts):
            facts = tuple(
                _with_key(fact, of_key, position) for position, fact in enumerate(request.facts)
            )
            request = msgspec.structs.replace(request, facts=facts)
        outcomes = memory.serving.outcomes
        begun = outcomes.begin(of_key, may_be_done_again=self.operation.convergent)
        if isinstance(begun, KeptAnswer):
            if begun.answer is None:
                raise OutcomeUnknown(
                    "the request was done before, and its answer was not kept",
                    hint="look at what it did",
                )
            return begun.answer
        try:
            done = encoded_answer(answer(name, call, request))
        except RecenseError:
            outcomes.undo(begun)
            raise
        except BaseException:
            outcomes.leave(begun)
            raise
        outcomes.keep(begun, None if self.operation.secret else done)
        return done


_Keyed = RememberFact | ForgetFact


def _with_key(request: _Keyed, of_key: RequestOfKey, position: int = 0) -> _Keyed:
    """Return a request with a key of its own: its service keeps the outcome in its own commit.

    Raises InvalidRequest for one that has a key already.
    """
    if request.idempotency_key is not None:
        raise InvalidRequest(
            "the request has an idempotency_key, and the call an Idempotency-Key",
            hint="give one of the two",
        )
    key = derived_key(f"{of_key.name()}-{position}")
    return msgspec.structs.replace(request, idempotency_key=key)


def idempotency_key(headers: Mapping[bytes, bytes]) -> str | None:
    """Return the idempotency key of a call, None where it has none. Raises InvalidRequest."""
    value = headers.get(b"idempotency-key")
    return None if value is None else require_idempotency_key(value.decode("latin-1"))
