"""Keys: what is checked, what is kept, what a key may issue, and how soon one is refused."""

import logging
import traceback
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.adapters.memory.records import MemoryRecords
from recense.core.text.redact import redact
from recense.errors import (
    IdentityMismatch,
    InvalidRequest,
    KeyMissing,
    KeyRefused,
    NamespaceInvalid,
    NotFound,
    RecenseError,
    ScopeMissing,
    StoreConflict,
    StoreCorrupt,
)
from recense.limits import KEY_CACHE_MS_MAX, KEY_SECONDS_MAX, KEYS_CACHED_MAX
from recense.operations.keys import (
    LOCAL,
    Credential,
    IssueKey,
    KeyIssued,
    KeyScope,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.ports.records import Record, RecordStore
from recense.services.key_records import KEYS, REVOKED_KEYS
from recense.services.keys import Keys
from recense.settings.loading import Settings, load_settings
from recense.testing import FakeClock, FakeUptime, SeededChance
from recense.wiring.control import open_control

DAY_SECONDS = 86_400


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_700_000_000_000_000)


@pytest.fixture
def store() -> MemoryRecords:
    return MemoryRecords(FakeUptime())


@pytest.fixture
def keys(store: MemoryRecords, clock: FakeClock) -> Keys:
    return Keys(store, clock, SeededChance(1))


def holding(
    *scopes: KeyScope,
    namespace: str = "team",
    agent: str | None = None,
    expires_at: int | None = None,
) -> Credential:
    """Return the credential of some key."""
    return Credential(
        namespace=namespace,
        agent=agent,
        scopes=frozenset(scopes),
        key_id="somekey",
        expires_at=expires_at,
    )


def is_refused(keys: Keys, key: str) -> bool:
    try:
        keys.check(key)
    except KeyRefused:
        return True
    return False


# --- checking -------------------------------------------------------------------------------------


def test_a_key_proves_what_it_was_issued_for(keys: Keys, clock: FakeClock) -> None:
    issued = keys.issue(
        IssueKey(
            namespace="team:a",
            agent="deployer",
            scopes=("read-only", "recall", "recall"),
            expires_in_seconds=60,
        )
    )
    assert keys.check(issued.key) == Credential(
        namespace="team:a",
        agent="deployer",
        scopes=frozenset({"recall", "read-only"}),
        key_id=issued.id,
        expires_at=clock.now() + 60_000_000,
    )
    assert issued.scopes == ("recall", "read-only")
    assert issued.expires_at == "2023-11-14T22:14:20.000000Z"


def test_without_a_word_a_key_is_for_the_namespace_of_the_caller_and_holds_for_good(
    keys: Keys,
) -> None:
    issued = keys.issue(IssueKey())
    credential = keys.check(issued.key)
    assert (credential.namespace, credential.expires_at) == (LOCAL.namespace, None)
    assert credential.scopes == {"recall", "remember", "agent"}


@pytest.mark.parametrize("key", [None, ""])
def test_a_call_without_a_key_is_told_that_it_needs_one(keys: Keys, key: str | None) -> None:
    with pytest.raises(KeyMissing):
        keys.check(key)


@given(st.data())
def test_no_other_text_than_the_key_is_the_key(data: st.DataObject) -> None:
    keys = Keys(MemoryRecords(FakeUptime()), FakeClock(), SeededChance(2))
    key = keys.issue(IssueKey()).key
    position = data.draw(st.integers(0, len(key) - 1))
    other = data.draw(st.characters().filter(lambda each: each != key[position]))
    changed = data.draw(
        st.sampled_from(
            [
                key[:position] + other + key[position + 1 :],
                key[:position],
                key + other,
                other + key,
                key.upper(),
                key + "\n",
            ]
        )
    )
    if not changed:
        return
    with pytest.raises(KeyRefused):
        keys.check(changed)
    assert keys.check(key)


def test_every_key_that_does_not_hold_gets_one_answer(keys: Keys, clock: FakeClock) -> None:
    revoked = keys.issue(IssueKey())
    keys.revoke(RevokeKey(id=revoked.id))
    expired = keys.issue(IssueKey(expires_in_seconds=1))
    clock.advance(1_000)
    unknown = Keys(MemoryRecords(FakeUptime()), clock, SeededChance(9)).issue(IssueKey())
    stolen_id = f"rcl_{keys.issue(IssueKey()).id}_{unknown.key.rpartition('_')[2]}"
    said: set[str] = set()
    for key in (revoked.key, expired.key, unknown.key, stolen_id, "rcl_", "\ud800", "x" * 10_000):
        with pytest.raises(KeyRefused) as refused:
            keys.check(key)
        said.add(f"{refused.value.message} {refused.value.hint}")
    assert len(said) == 1


def test_a_key_that_was_revoked_elsewhere_is_refused_five_seconds_later(
    store: MemoryRecords, clock: FakeClock, keys: Keys
) -> None:
    elsewhere = Keys(store, clock, SeededChance(3))
    issued = elsewhere.issue(IssueKey())
    assert keys.check(issued.key)
    elsewhere.revoke(RevokeKey(id=issued.id))
    assert is_refused(elsewhere, issued.key)
    clock.advance(KEY_CACHE_MS_MAX - 1)
    assert keys.check(issued.key)
    clock.advance(1)
    assert is_refused(keys, issued.key)
    assert is_refused(keys, issued.key)


def test_a_key_expires_at_its_instant_whatever_is_remembered_of_it(
    keys: Keys, clock: FakeClock
) -> None:
    issued = keys.issue(IssueKey(expires_in_seconds=2))
    assert keys.check(issued.key)
    clock.advance(1_999)
    assert keys.check(issued.key)
    clock.advance(1)
    assert is_refused(keys, issued.key)


def test_a_clock_that_steps_back_keeps_no_revoked_key_alive(
    store: MemoryRecords, keys: Keys, clock: FakeClock
) -> None:
    issued = keys.issue(IssueKey())
    keys.check(issued.key)
    Keys(store, clock, SeededChance(3)).revoke(RevokeKey(id=issued.id))
    clock.advance(KEY_CACHE_MS_MAX)
    clock.jump(0)
    assert is_refused(keys, issued.key)


def test_a_key_that_was_renewed_elsewhere_is_taken_at_once_when_it_had_expired(
    store: MemoryRecords, keys: Keys, clock: FakeClock
) -> None:
    issued = keys.issue(IssueKey(expires_in_seconds=1))
    keys.check(issued.key)
    Keys(store, clock, SeededChance(3)).renew(RenewKey(id=issued.id, expires_in_seconds=60))
    clock.advance(1_000)
    assert keys.check(issued.key).expires_at == clock.now() + 59_000_000


class CountingRecords(MemoryRecords):
    """Counts how often it is read."""

    def __init__(self) -> None:
        super().__init__(FakeUptime())
        self.read = 0

    def snapshot(self):  # noqa: ANN201 -- as the store's
        self.read += 1
        return super().snapshot()


def test_a_verified_key_costs_a_look_at_the_store_every_five_seconds_and_a_refused_one_each_time(
    clock: FakeClock,
) -> None:
    store = CountingRecords()
    keys = Keys(store, clock, SeededChance(1))
    issued = keys.issue(IssueKey())
    for _ in range(10):
        keys.check(issued.key)
    assert store.read == 1
    clock.advance(KEY_CACHE_MS_MAX)
    keys.check(issued.key)
    assert store.read == 2
    other = f"{issued.key[:-1]}{'a' if issued.key[-1] != 'a' else 'b'}"
    for _ in range(3):
        assert is_refused(keys, other)
    assert store.read == 5


def test_a_key_is_known_without_the_store_from_when_it_was_checked_until_that_is_too_long_ago(
    keys: Keys, clock: FakeClock
) -> None:
    issued = keys.issue(IssueKey())
    assert keys.known(None) is None
    assert keys.known(issued.key) is None
    assert keys.check(issued.key) == keys.known(issued.key)
    clock.advance(KEY_CACHE_MS_MAX)
    assert keys.known(issued.key) is None
    keys.check(issued.key)
    keys.revoke(RevokeKey(id=issued.id))
    assert keys.known(issued.key) is None


def test_what_is_remembered_of_keys_is_bounded(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert KEYS_CACHED_MAX > 100
    monkeypatch.setattr("recense.services.keys.KEYS_CACHED_MAX", 2)
    store = CountingRecords()
    keys = Keys(store, clock, SeededChance(1))
    issued = [keys.issue(IssueKey()).key for _ in range(3)]
    for key in issued:
        keys.check(key)
    keys.check(issued[2])
    assert store.read == 3
    keys.check(issued[0])
    assert store.read == 4


# --- renewal and revocation -----------------------------------------------------------------------


def test_a_renewed_key_holds_longer_also_after_it_expired(keys: Keys, clock: FakeClock) -> None:
    issued = keys.issue(IssueKey(expires_in_seconds=1))
    clock.advance(5_000)
    assert is_refused(keys, issued.key)
    renewed = keys.renew(RenewKey(id=issued.id, expires_in_seconds=DAY_SECONDS))
    assert (renewed.state, renewed.id) == ("valid", issued.id)
    assert keys.check(issued.key).expires_at == clock.now() + DAY_SECONDS * 1_000_000


def test_renewing_never_shortens_and_never_wakes_a_revoked_key(keys: Keys) -> None:
    issued = keys.issue(IssueKey(expires_in_seconds=DAY_SECONDS))
    for seconds in (1, DAY_SECONDS):
        with pytest.raises(InvalidRequest, match="already"):
            keys.renew(RenewKey(id=issued.id, expires_in_seconds=seconds))
    for_good = keys.issue(IssueKey())
    with pytest.raises(InvalidRequest, match="for good already"):
        keys.renew(RenewKey(id=for_good.id, expires_in_seconds=60))
    keys.revoke(RevokeKey(id=issued.id))
    with pytest.raises(InvalidRequest, match="revoked"):
        keys.renew(RenewKey(id=issued.id, expires_in_seconds=2 * DAY_SECONDS))


def test_a_record_of_a_key_that_is_written_late_wakes_no_revoked_key(
    store: MemoryRecords, keys: Keys
) -> None:
    issued = keys.issue(IssueKey(expires_in_seconds=60))
    with store.snapshot() as reader:
        before = reader.get(KEYS, [issued.id])[issued.id]
    keys.revoke(RevokeKey(id=issued.id))
    store.put([before])  # as a store whose last writer wins might do
    assert is_refused(keys, issued.key)


def test_revoking_twice_keeps_the_first_instant(keys: Keys, clock: FakeClock) -> None:
    issued = keys.issue(IssueKey())
    first = keys.revoke(RevokeKey(id=issued.id))
    clock.advance(1_000)
    assert keys.revoke(RevokeKey(id=issued.id)) == first
    assert keys.list(ListKeys()).keys == (first,)
    assert first.state == "revoked"


def test_a_revocation_that_cannot_be_read_is_a_fault_and_no_pass(
    store: MemoryRecords, keys: Keys
) -> None:
    issued = keys.issue(IssueKey())
    store.put([Record(collection=REVOKED_KEYS, record_id=issued.id, body=b"{")])
    with pytest.raises(StoreCorrupt):
        keys.check(issued.key)


def test_a_record_of_a_key_that_cannot_be_read_is_a_fault(store: MemoryRecords, keys: Keys) -> None:
    issued = keys.issue(IssueKey())
    store.put([Record(collection=KEYS, record_id=issued.id, body=b"{}")])
    with pytest.raises(StoreCorrupt):
        keys.check(issued.key)


def test_an_id_that_was_drawn_before_is_not_given_to_a_second_key(
    store: MemoryRecords, clock: FakeClock
) -> None:
    first = Keys(store, clock, SeededChance(1)).issue(IssueKey())
    again = Keys(store, clock, SeededChance(1))
    with pytest.raises(StoreConflict):
        again.issue(IssueKey(namespace="other"))
    assert again.check(first.key).namespace == LOCAL.namespace


# --- what a key may issue -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "request_", "refusal"),
    [
        (holding("recall", "admin"), IssueKey(scopes=("recall", "import")), ScopeMissing),
        (holding("recall", "admin"), IssueKey(scopes=("recall",), namespace="b"), IdentityMismatch),
        (
            holding("recall", "admin", namespace="default"),
            IssueKey(scopes=("recall",), namespace="b"),
            IdentityMismatch,
        ),
        (holding("recall", "admin", agent="a"), IssueKey(scopes=("recall",)), IdentityMismatch),
        (
            holding("recall", "admin", agent="a"),
            IssueKey(scopes=("recall",), agent="b"),
            IdentityMismatch,
        ),
        (holding("recall", "admin", "read-only"), IssueKey(scopes=("recall",)), ScopeMissing),
        (holding("recall", expires_at=1), IssueKey(scopes=("recall",)), ScopeMissing),
        (
            holding("recall", expires_at=1_700_000_001_000_000),
            IssueKey(scopes=("recall",), expires_in_seconds=2),
            ScopeMissing,
        ),
    ],
)
def test_no_key_issues_what_exceeds_it(
    keys: Keys, by: Credential, request_: IssueKey, refusal: type[RecenseError]
) -> None:
    with pytest.raises(refusal):
        keys.issue(request_, by)
    assert keys.list(ListKeys(everywhere=True)).total == 0


def test_a_key_issues_what_it_has_itself(keys: Keys) -> None:
    by = holding("recall", "admin", agent="a", expires_at=1_700_000_060_000_000)
    asked = IssueKey(agent="a", scopes=("recall", "admin", "read-only"), expires_in_seconds=60)
    issued = keys.issue(asked, by)
    assert (issued.namespace, issued.agent) == ("team", "a")


def test_a_key_sees_and_touches_those_of_its_namespace_and_agent_alone(keys: Keys) -> None:
    mine = keys.issue(IssueKey(namespace="team", agent="a", scopes=("recall",)))
    of_another_agent = keys.issue(IssueKey(namespace="team", agent="b", scopes=("recall",)))
    elsewhere = keys.issue(IssueKey(namespace="team-b", scopes=("recall",)))
    everybody = holding("recall", "admin")
    bound = holding("recall", "admin", agent="a")
    assert {view.id for view in keys.list(ListKeys(), everybody).keys} == {
        mine.id,
        of_another_agent.id,
    }
    assert [view.id for view in keys.list(ListKeys(), bound).keys] == [mine.id]
    for by, foreign in ((everybody, elsewhere), (bound, elsewhere), (bound, of_another_agent)):
        with pytest.raises(NotFound) as one:
            keys.revoke(RevokeKey(id=foreign.id), by)
        with pytest.raises(NotFound) as unknown:
            keys.revoke(RevokeKey(id="x" * 16), by)
        assert one.value.message.replace(foreign.id, "x" * 16) == unknown.value.message
        with pytest.raises(NotFound):
            keys.renew(RenewKey(id=foreign.id, expires_in_seconds=60), by)
        assert keys.check(foreign.key)
    for asked in (ListKeys(everywhere=True), ListKeys(namespace="team-b")):
        with pytest.raises(IdentityMismatch):
            keys.list(asked, everybody)
    assert keys.revoke(RevokeKey(id=mine.id), bound).state == "revoked"


def test_no_key_prolongs_itself_or_a_stronger_one(keys: Keys) -> None:
    weak = keys.issue(IssueKey(namespace="team", scopes=("recall", "admin"), expires_in_seconds=60))
    strong = keys.issue(
        IssueKey(namespace="team", scopes=("recall", "import"), expires_in_seconds=30)
    )
    by = keys.check(weak.key)
    for key_id, seconds in ((weak.id, 61), (strong.id, 50)):
        with pytest.raises(ScopeMissing):
            keys.renew(RenewKey(id=key_id, expires_in_seconds=seconds), by)


# --- what is asked --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (IssueKey(namespace="a%"), NamespaceInvalid),
        (IssueKey(namespace=""), NamespaceInvalid),
        (IssueKey(namespace=".."), NamespaceInvalid),
        (IssueKey(agent="a/b"), InvalidRequest),
        (IssueKey(scopes=()), InvalidRequest),
        (IssueKey(scopes=("read-only",)), InvalidRequest),
        (IssueKey(expires_in_seconds=0), InvalidRequest),
        (IssueKey(expires_in_seconds=KEY_SECONDS_MAX + 1), InvalidRequest),
    ],
)
def test_what_no_key_can_be_is_refused(
    keys: Keys, asked: IssueKey, refusal: type[RecenseError]
) -> None:
    with pytest.raises(refusal):
        keys.issue(asked)


def test_pages_of_keys_follow_one_another_the_newest_first(keys: Keys, clock: FakeClock) -> None:
    issued: list[str] = []
    for _ in range(5):
        clock.advance(1)
        issued.insert(0, keys.issue(IssueKey()).id)
    first = keys.list(ListKeys(limit=2))
    second = keys.list(ListKeys(limit=2, after=first.keys[-1].id))
    assert [view.id for view in (*first.keys, *second.keys)] == issued[:4]
    assert (first.total, second.total) == (5, 5)
    with pytest.raises(NotFound):
        keys.list(ListKeys(after="unknown"))
    for limit in (0, -1, 10_000_000):
        with pytest.raises(InvalidRequest):
            keys.list(ListKeys(limit=limit))


# --- no byte of a key -----------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"store": str(tmp_path / "kept.db")}, {}, str(tmp_path), str(tmp_path))


def _secret_parts(issued: KeyIssued) -> list[bytes]:
    secret = issued.key.rpartition("_")[2].encode()
    return [issued.key.encode(), secret, secret[:16], secret[-16:]]


def test_no_file_log_error_or_picture_of_a_value_holds_a_key(
    settings: Settings, tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    with open_control(settings, create=True) as control:
        keys = Keys(control, clock, SeededChance(4))
        issued = keys.issue(IssueKey(expires_in_seconds=60))
        keys.check(issued.key)
        keys.renew(RenewKey(id=issued.id, expires_in_seconds=120))
        told += [repr(issued), str(issued), repr(issued.__rich_repr__()), f"{issued!r:>3}"]
        told += [repr(keys.check(issued.key)), repr(keys.list(ListKeys())), repr(vars(keys))]
        keys.revoke(RevokeKey(id=issued.id))
        for key in (issued.key, issued.key + "x"):
            with pytest.raises(KeyRefused) as refused:
                keys.check(key)
            told.append("".join(traceback.format_exception(refused.value)))
        held = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    held |= {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(held) >= 1
    for part in _secret_parts(issued):
        assert not any(part in content for content in held.values())
        assert not any(part.decode() in text for text in (*told, caplog.text))
    digest = msgspec.json.encode(sha256(issued.key.encode()).digest())
    assert any(digest[1:-1] in content for content in held.values())


def test_a_key_in_a_text_is_redacted(keys: Keys) -> None:
    key = keys.issue(IssueKey()).key
    for text in (key, f"Authorization: Bearer {key}", f'{{"key":"{key}"}}', f"RECENSE_KEY={key}"):
        assert key.rpartition("_")[2] not in redact(text).text


def test_a_key_survives_the_process_that_issued_it(settings: Settings, clock: FakeClock) -> None:
    def asked_of(control: RecordStore) -> Keys:
        return Keys(control, clock, SeededChance(5))

    with open_control(settings, create=True) as control:
        issued = asked_of(control).issue(IssueKey(namespace="a"))
    with open_control(settings, create=False) as control:
        assert asked_of(control).check(issued.key).namespace == "a"
        asked_of(control).revoke(RevokeKey(id=issued.id))
    with open_control(settings, create=False) as control:
        assert is_refused(asked_of(control), issued.key)
