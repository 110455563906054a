"""Keys: issued, listed, renewed, revoked, and checked at every call that a server answers.

Laws:

- No store, error, log or picture of a value holds a key: what is kept is the SHA-256 of the whole
  key, whose secret has 256 bits of chance. A key is shown once, in the answer that issues it.
- The record of a key is written once, and again only with a later expiry. That a key was revoked is
  a record of its own, which is added and never replaced; each check reads both. So no write that
  comes late makes a key valid again.
- A key that was verified is taken for valid for KEY_CACHE_MS_MAX at most, counted by a clock that
  never steps back from before the store was asked; what was refused is asked anew each time. Its
  expiry is looked at every time.
- Nothing that a key issues or renews exceeds it: neither in namespace, nor in agent, nor in scopes,
  nor in time. Who runs the process (a credential without a key) may issue for every namespace.
"""

import hmac
import re
import threading
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

import msgspec

from recense.core.agents.ids import require_agent_id
from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import (
    IdentityMismatch,
    InvalidRequest,
    KeyMissing,
    KeyRefused,
    NotFound,
    ScopeMissing,
    StoreConflict,
)
from recense.limits import (
    KEY_CACHE_MS_MAX,
    KEY_ID_BYTES,
    KEY_SECONDS_MAX,
    KEY_SECRET_BYTES,
    KEYS_CACHED_MAX,
    KEYS_LISTED_MAX,
)
from recense.operations.keys import (
    KEY_SCOPES,
    LOCAL,
    Credential,
    IssueKey,
    KeyIssued,
    KeyList,
    KeyScope,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.ports.clock import Chance, Clock
from recense.ports.records import (
    Append,
    Equals,
    Order,
    Record,
    RecordStore,
    Where,
)
from recense.services.admission import typed
from recense.services.key_records import (
    KEYS,
    REVOKED_KEYS,
    KeyRecord,
    RevokedKey,
    key_view,
    read_key,
    revoked_among,
    stored_key,
    text_or_none,
    until_words,
)
from recense.services.namespaces import require_namespace

KEY_PREFIX: Final = "rcl_"

_KEY: Final = re.compile(rf"{KEY_PREFIX}([a-z2-7]{{16}})_([a-z2-7]{{52}})")
_NO_DIGEST: Final = bytes(32)
_NEWEST_FIRST: Final = Order(field="issued_at", descending=True)
_MICROSECONDS: Final = 1_000_000


class _Verified(Value, kw_only=True):
    """A key that the store vouched for at ``at_ms`` (`Clock.elapsed_ms`)."""

    credential: Credential
    at_ms: float


class Keys:
    """The keys of a server; its methods may be called by any thread."""

    def __init__(self, control: RecordStore, clock: Clock, chance: Chance) -> None:
        self._control: Final = control
        self._clock: Final = clock
        self._chance: Final = chance
        self._lock: Final = threading.Lock()
        self._verified: Final[OrderedDict[bytes, _Verified]] = OrderedDict()

    def check(self, key: str | None, *, anew: bool = False) -> Credential:
        """Return the credential that a key proves; ``anew`` asks the store, whatever is remembered.

        Raises KeyMissing for none, and KeyRefused for one that is unknown, expired or revoked;
        and what the store raises where it cannot be asked.
        """
        if not key:
            raise KeyMissing(
                "no key came with the request",
                hint="send one as `Authorization: Bearer rcl_...`; `recense keys issue` makes one",
            )
        named = _KEY.fullmatch(key)
        if named is None:
            raise _refused()
        digest = sha256(key.encode()).digest()
        if anew:
            self._forget(digest)
        credential = self._remembered(digest)
        if credential is None:
            asked_at_ms = self._clock.elapsed_ms()
            credential = self._verify(named[1], digest)
            self._remember(digest, _Verified(credential=credential, at_ms=asked_at_ms))
        return credential

    def known(self, key: str | None) -> Credential | None:
        """Return the credential of a key that is taken for valid without a look at the store; None
        where `check` has to ask it. Waits for nothing.
        """
        return None if key is None else self._remembered(sha256(key.encode()).digest())

    def issue(self, request: IssueKey, by: Credential = LOCAL) -> KeyIssued:
        """Issue a key, durable when this returns; a second call issues another.

        Raises NamespaceInvalid, InvalidRequest, IdentityMismatch for another namespace or agent
        than the issuer's, and ScopeMissing for more than the issuer has.
        """
        asked = typed(request, IssueKey)
        now = self._clock.now()
        expires_at = _expiry(asked.expires_in_seconds, now)
        namespace = by.namespace if asked.namespace is None else asked.namespace
        record = KeyRecord(
            key_id=self._drawn(KEY_ID_BYTES),
            digest=_NO_DIGEST,
            namespace=require_namespace(namespace),
            agent=asked.agent,
            scopes=_scopes(asked.scopes),
            issued_at=now,
            expires_at=expires_at,
        )
        if asked.agent is not None:
            require_agent_id("agent", asked.agent)
        _require_within(record, by)
        key = f"{KEY_PREFIX}{record.key_id}_{self._drawn(KEY_SECRET_BYTES)}"
        kept = stored_key(msgspec.structs.replace(record, digest=sha256(key.encode()).digest()))
        if not self._control.append(Append(records=(kept,)), now=now).stamps:
            raise StoreConflict("the id that was drawn for a key is another's", hint="try again")
        return KeyIssued(
            key=key,
            id=record.key_id,
            namespace=record.namespace,
            agent=record.agent,
            scopes=record.scopes,
            expires_at=text_or_none(expires_at),
        )

    def list(self, request: ListKeys, by: Credential = LOCAL) -> KeyList:
        """Return a page of keys, the newest first; `KeyView` shows no part of what proves one.

        Raises InvalidRequest, NotFound for an ``after`` that is no key, and IdentityMismatch for
        another namespace than the caller's.
        """
        asked = typed(request, ListKeys)
        if not 0 < asked.limit <= KEYS_LISTED_MAX:
            raise InvalidRequest(f"limit is {asked.limit}; expected 1 to {KEYS_LISTED_MAX}")
        where = _visible(asked, by)
        with self._control.snapshot() as reader:
            found = reader.list(
                KEYS, where, limit=asked.limit, order=_NEWEST_FIRST, after=asked.after
            )
            records = [read_key(record) for record in found.records]
            revoked = revoked_among(reader, [record.key_id for record in records])
        now = self._clock.now()
        return KeyList(
            keys=tuple(key_view(record, revoked, now) for record in records), total=found.total or 0
        )

    def renew(self, request: RenewKey, by: Credential = LOCAL) -> KeyView:
        """Let a key hold until later, also one that has expired; return it as it is then.

        Raises NotFound for a key that the caller may not see, InvalidRequest for one that was
        revoked or holds as long already, and ScopeMissing where it exceeds the caller.
        """
        asked = typed(request, RenewKey)
        now = self._clock.now()
        expires_at = _expiry(asked.expires_in_seconds, now)
        record, revoked = self._find(asked.id, by)
        if revoked:
            raise InvalidRequest("the key was revoked, and holds no more", hint="issue another")
        if record.expires_at is None or (expires_at or 0) <= record.expires_at:
            raise InvalidRequest(
                f"the key holds {until_words(record.expires_at)} already", hint="name a later end"
            )
        renewed = msgspec.structs.replace(record, expires_at=expires_at)
        _require_within(renewed, by)
        self._control.put([stored_key(renewed)])
        self._forget(record.digest)
        return key_view(renewed, {}, now)

    def revoke(self, request: RevokeKey, by: Credential = LOCAL) -> KeyView:
        """Let a key hold no more, for good; a second call changes nothing.

        Raises NotFound for a key that the caller may not see.
        """
        asked = typed(request, RevokeKey)
        now = self._clock.now()
        record, revoked = self._find(asked.id, by)
        tombstone = RevokedKey(key_id=record.key_id, revoked_at=now)
        self._control.append(
            Append(
                records=(
                    Record(
                        collection=REVOKED_KEYS,
                        record_id=record.key_id,
                        body=msgspec.json.encode(tombstone),
                    ),
                )
            ),
            now=now,
        )
        self._forget(record.digest)
        return key_view(record, {record.key_id: tombstone, **revoked}, now)

    def _drawn(self, size: int) -> str:
        return b32encode(self._chance.token(size)).decode("ascii").rstrip("=").lower()

    def _remembered(self, digest: bytes) -> Credential | None:
        with self._lock:
            verified = self._verified.get(digest)
            if verified is None:
                return None
            is_old = self._clock.elapsed_ms() - verified.at_ms >= KEY_CACHE_MS_MAX
            if is_old or self._has_expired(verified.credential.expires_at):
                del self._verified[digest]
                return None
            self._verified.move_to_end(digest)
            return verified.credential

    def _remember(self, digest: bytes, verified: _Verified) -> None:
        with self._lock:
            self._verified[digest] = verified
            self._verified.move_to_end(digest)
            while len(self._verified) > KEYS_CACHED_MAX:
                self._verified.popitem(last=False)

    def _forget(self, digest: bytes) -> None:
        with self._lock:
            self._verified.pop(digest, None)

    def _verify(self, key_id: str, digest: bytes) -> Credential:
        with self._control.snapshot() as reader:
            found = reader.get(KEYS, [key_id]).get(key_id)
            revoked = revoked_among(reader, [key_id])
        record = None if found is None else read_key(found)
        is_right = hmac.compare_digest(digest, _NO_DIGEST if record is None else record.digest)
        if record is None or not is_right or revoked or self._has_expired(record.expires_at):
            raise _refused()
        return Credential(
            namespace=record.namespace,
            agent=record.agent,
            scopes=frozenset(record.scopes),
            key_id=record.key_id,
            expires_at=record.expires_at,
        )

    def _has_expired(self, expires_at: int | None) -> bool:
        return expires_at is not None and self._clock.now() >= expires_at

    def _find(self, key_id: str, by: Credential) -> tuple[KeyRecord, Mapping[str, RevokedKey]]:
        """Return a key that the caller may see, and that it was revoked where it was."""
        with self._control.snapshot() as reader:
            found = reader.get(KEYS, [key_id]).get(key_id) if key_id.isascii() else None
            revoked = revoked_among(reader, [key_id]) if found else {}
        record = None if found is None else read_key(found)
        if record is None or not _sees(by, record):
            raise NotFound(
                f"there is no key {quoted(key_id)}",
                hint="`recense keys list --all` shows the ids of all namespaces",
            )
        return record, revoked


def _refused() -> KeyRefused:
    """Return the one answer to every key that does not hold."""
    return KeyRefused(
        "the key is unknown, expired or revoked",
        hint="ask whoever runs the server for another; `recense keys issue` makes one",
    )


def _sees(by: Credential, record: KeyRecord) -> bool:
    return by.key_id is None or (
        by.namespace == record.namespace and by.agent in {None, record.agent}
    )


def _visible(asked: ListKeys, by: Credential) -> Where:
    """Return which keys a list is of. Raises NamespaceInvalid, and IdentityMismatch."""
    namespace = by.namespace if asked.namespace is None else require_namespace(asked.namespace)
    if by.key_id is not None and (namespace != by.namespace or asked.everywhere):
        raise _elsewhere("lists the keys")
    mine: Where = () if asked.everywhere else (Equals(field="namespace", value=namespace),)
    return mine if by.agent is None else (*mine, Equals(field="agent", value=by.agent))


def _elsewhere(what: str) -> IdentityMismatch:
    return IdentityMismatch(
        f"a key {what} of its own namespace alone",
        hint="`recense keys`, run beside the store, may name every namespace",
    )


def _require_within(record: KeyRecord, by: Credential) -> None:
    """Refuse what exceeds who issues it."""
    if by.key_id is None:
        return
    if record.namespace != by.namespace:
        raise _elsewhere("issues keys")
    if by.agent is not None and record.agent != by.agent:
        raise IdentityMismatch(
            "a key for one agent issues keys for that agent alone", hint="name the agent of the key"
        )
    beyond = set(record.scopes) - by.scopes - {"read-only"}
    if beyond or (by.is_read_only and "read-only" not in record.scopes):
        raise ScopeMissing(
            f"a key issues what it has itself, and this one has not {', '.join(sorted(beyond))}"
            if beyond
            else "a key that is read-only issues none that is not",
            hint="leave that out, or ask whoever runs the server",
        )
    if by.expires_at is not None and (record.expires_at or by.expires_at + 1) > by.expires_at:
        raise ScopeMissing(
            f"a key issues none that holds longer than itself: {until_words(by.expires_at)}",
            hint="name an earlier end",
        )


def _scopes(asked: Iterable[KeyScope]) -> tuple[KeyScope, ...]:
    """Return scopes in their order, each once. Raises InvalidRequest where nothing is allowed."""
    given = set(asked)
    if not given - {"read-only"}:
        raise InvalidRequest(
            f"scopes are {', '.join(sorted(given)) or 'none'}, which allow nothing",
            hint="name what may be done, as recall, or recall and read-only",
        )
    return tuple(scope for scope in KEY_SCOPES if scope in given)


def _expiry(seconds: int | None, now: int) -> int | None:
    if seconds is None:
        return None
    if not 0 < seconds <= KEY_SECONDS_MAX:
        raise InvalidRequest(
            f"expires_in_seconds is {seconds}; expected 1 to {KEY_SECONDS_MAX} (ten years)"
        )
    return now + seconds * _MICROSECONDS
