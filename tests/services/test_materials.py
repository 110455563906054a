"""The bytes of a material: who gets them, who does not, and that nobody can tell why not."""

import hashlib
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace

from recense.core.ids import anchor, material_id
from recense.core.text.redact import redact
from recense.core.transcript.messages import Flag, Material, Message
from recense.errors import (
    Incognito,
    MaterialUnavailable,
    MissingExtra,
    NotFound,
    RecenseError,
    StoreCorrupt,
)
from recense.limits import (
    ENVELOPE_BYTES_MAX,
    IMAGE_BYTES_MAX,
    IMAGE_PIXELS_MAX,
    IMAGE_SIDE_PIXELS_MAX,
    MATERIAL_BYTES_MAX,
    MATERIALS_BYTES_MAX,
)
from recense.operations.materials import MaterialBytes
from recense.operations.recall import RecallRequest
from recense.ports.images import ImageScaler, ScaledImage
from recense.ports.transcripts import TranscriptStore
from recense.services.materials import Materials
from tests.core.recall.messages_by_hand import SECRET, message
from tests.services.recall_world import World

PNG = b"\x89PNG\r\n\x1a\n"


class Shelf(World):
    """A world that keeps blobs; ``damage`` is what reading one raises."""

    def __init__(self) -> None:
        super().__init__()
        self.blobs: dict[str, bytes] = {}
        self.damage: RecenseError | None = None

    def blob(self, sha256: str) -> bytes | None:
        """Return the bytes kept under a name, whatever they are."""
        if self.damage is not None:
            raise self.damage
        return self.blobs.get(sha256)

    def attach(
        self,
        session: str,
        data: bytes | None,
        *,
        media_type: str = "image/png",
        private: bool = False,
        flags: frozenset[Flag] = frozenset(),
    ) -> str:
        """Add a session with an attachment, and return the id under which that leaves."""
        sha256 = None if data is None else hashlib.sha256(data).hexdigest()
        if sha256 is not None and data is not None:
            self.blobs[sha256] = data
        kept = Material(
            id="a1",
            kind="image" if media_type.startswith("image/") else "doc",
            name="kiosk.png",
            media_type=media_type,
            bytes=len(data or b""),
            sha256=sha256,
        )
        self.add(session, attached(kept, flags=flags), private=private)
        return material_id(f"s:{session}", "a1")


class Scales:
    """A scaler that answers as it is told, and remembers what it was asked."""

    def __init__(self, answer: ScaledImage | None) -> None:
        self._answer = answer
        self.asked: list[tuple[int, int, int, int]] = []

    def scaled(
        self, data: bytes, *, side_max: int, pixels_max: int, bytes_max: int
    ) -> ScaledImage | None:
        self.asked.append((len(data), side_max, pixels_max, bytes_max))
        return self._answer


def attached(*materials: Material, flags: frozenset[Flag] = frozenset()) -> Message:
    return replace(message(0, "see needle", flags=flags), materials=materials)


def fetched(
    world: World, wanted: str, scaler: ImageScaler | None = None, *, incognito: bool = False
) -> MaterialBytes:
    store = cast("TranscriptStore", world)
    return Materials(store, world.load, lambda: scaler, incognito=incognito).recall_material(wanted)


def test_the_bytes_are_those_of_the_listed_material() -> None:
    shelf = Shelf()
    shelf.attach("a", PNG)
    answer = shelf.recall().recall(RecallRequest(terms=("needle",)))
    (listed,) = answer.materials
    found = fetched(shelf, listed.id)
    assert found == MaterialBytes(
        material=listed,
        media_type="image/png",
        sha256=hashlib.sha256(PNG).hexdigest(),
        data=PNG,
    )
    assert fetched(shelf, listed.id) == found


def test_forks_with_one_event_have_ids_of_their_own() -> None:
    shelf = Shelf()
    first, second = shelf.attach("a", PNG), shelf.attach("b", PNG + b"2")
    assert first != second
    assert (fetched(shelf, first).data, fetched(shelf, second).data) == (PNG, PNG + b"2")


# --- one answer to all that may not be seen -------------------------------------------------------

ABSENT = {
    "empty": "",
    "a word": "kiosk.png",
    "an event's own id": "a1",
    "an anchor": anchor("s:seen", "e0"),
    "the mark alone": "m.",
    "no base64": "m.%%%",
    "cut": material_id("s:seen", "a1")[:-3],
    "longer": material_id("s:seen", "a1") + "A",
    "padded": material_id("s:seen", "a1") + "=",
    "in lower case": material_id("s:seen", "a1").lower(),
    "with space": material_id("s:seen", "a1") + " ",
    "not ascii": "m.\u65f6",
    "a lone surrogate": "m.\udc9b",
    "another event": material_id("s:seen", "a2"),
    "a message, not a material": material_id("s:seen", "e0"),
    "another session": material_id("s:other", "a1"),
    "an unknown session": material_id("s:nobody", "a1"),
    "a private session": material_id("s:hidden", "a1"),
    "an abandoned message": material_id("s:abandoned", "a1"),
    "a superseded message": material_id("s:superseded", "a1"),
    "boilerplate": material_id("s:boilerplate", "a1"),
    "a path": "/etc/passwd",
    "a path upwards": "../../etc/passwd",
    "a URL": "file:///etc/passwd",
    "a path within": material_id("/etc", "passwd"),
    "a path as session": material_id("../../etc/passwd", "../../etc/passwd"),
    "a digest": hashlib.sha256(PNG).hexdigest(),
    "a digest within": material_id("s:seen", hashlib.sha256(PNG).hexdigest()),
}


def shelf_of_all() -> Shelf:
    shelf = Shelf()
    shelf.attach("seen", PNG)
    shelf.attach("hidden", PNG, private=True)
    shelf.add("other", message(0, "needle"))
    flags: tuple[Flag, ...] = ("abandoned", "superseded", "boilerplate")
    for flag in flags:
        shelf.attach(flag, PNG, flags=frozenset({flag}))
    return shelf


@pytest.mark.parametrize("wanted", ABSENT.values(), ids=ABSENT.keys())
def test_whatever_may_not_be_seen_is_one_answer_byte_for_byte(wanted: str) -> None:
    shelf = shelf_of_all()
    fetched(shelf, material_id("s:seen", "a1"))
    with pytest.raises(NotFound) as refused:
        fetched(shelf, wanted)
    with pytest.raises(NotFound) as elsewhere:  # the store of another namespace
        fetched(Shelf(), material_id("s:seen", "a1"))
    one, other = (
        (type(error), error.code, error.message, error.hint, error.retryable)
        for error in (refused.value, elsewhere.value)
    )
    assert one == other
    assert wanted not in one[2] + one[3] or not wanted


def test_a_material_without_bytes_on_a_hidden_message_is_not_told_from_nothing() -> None:
    shelf = Shelf()
    for wanted in (
        shelf.attach("hidden", None, private=True),
        shelf.attach("gone", None, flags=frozenset({"abandoned"})),
    ):
        with pytest.raises(NotFound):
            fetched(shelf, wanted)


def test_incognito_refuses_before_anything_is_read() -> None:
    shelf = Shelf()
    wanted = shelf.attach("a", PNG)
    for each in (wanted, "m.nothing"):
        with pytest.raises(Incognito):
            fetched(shelf, each, incognito=True)
    assert shelf.snapshots == 0


# --- bytes that cannot be given -------------------------------------------------------------------


def test_bytes_that_the_source_never_gave_are_an_answer_of_its_own() -> None:
    shelf = Shelf()
    wanted = shelf.attach("a", None)
    with pytest.raises(
        MaterialUnavailable,
        match=r"not kept by themselves.*so little that it stands in the message's own record",
    ):
        fetched(shelf, wanted)


@pytest.mark.parametrize("kept", [None, b"", PNG[:-1], PNG + b"\0"])
def test_lost_and_damaged_bytes_never_leave(kept: bytes | None) -> None:
    shelf = Shelf()
    wanted = shelf.attach("a", PNG)
    shelf.blobs = {} if kept is None else dict.fromkeys(shelf.blobs, kept)
    with pytest.raises(MaterialUnavailable, match="damaged or lost"):
        fetched(shelf, wanted)


def test_a_store_that_finds_the_damage_itself_is_the_same_answer() -> None:
    shelf = Shelf()
    wanted = shelf.attach("a", PNG)
    shelf.damage = StoreCorrupt("a chunk is missing")
    with pytest.raises(MaterialUnavailable, match="damaged or lost"):
        fetched(shelf, wanted)


def test_other_materials_leave_up_to_a_bound() -> None:
    shelf = Shelf()
    most, more = (b"\xff" * size for size in (MATERIAL_BYTES_MAX, MATERIAL_BYTES_MAX + 1))
    assert fetched(shelf, shelf.attach("a", most, media_type="application/zip")).data == most
    with pytest.raises(MaterialUnavailable, match=str(MATERIAL_BYTES_MAX + 1)):
        fetched(shelf, shelf.attach("b", more, media_type="application/zip"))


# --- images and texts -----------------------------------------------------------------------------


def test_an_image_of_five_megabytes_leaves_as_it_is() -> None:
    shelf = Shelf()
    data = PNG + b"\xff" * (IMAGE_BYTES_MAX - len(PNG))
    scaler = Scales(None)
    assert fetched(shelf, shelf.attach("a", data), scaler).data == data
    assert scaler.asked == []


def test_a_larger_image_is_scaled_and_told_so() -> None:
    shelf = Shelf()
    data = PNG + b"\xff" * IMAGE_BYTES_MAX
    scaler = Scales(ScaledImage(data=b"small", media_type="image/jpeg"))
    found = fetched(shelf, shelf.attach("a", data), scaler)
    assert (found.data, found.media_type, found.changed) == (b"small", "image/jpeg", "scaled")
    assert found.sha256 == hashlib.sha256(b"small").hexdigest()
    assert (found.material.media_type, found.material.bytes) == ("image/png", len(data))
    limits = (IMAGE_SIDE_PIXELS_MAX, IMAGE_PIXELS_MAX, IMAGE_BYTES_MAX)
    assert scaler.asked == [(len(data), *limits)]


def test_a_larger_image_is_refused_with_its_size_where_nothing_scales_it() -> None:
    shelf = Shelf()
    data = PNG + b"\xff" * IMAGE_BYTES_MAX
    wanted = shelf.attach("a", data)
    with pytest.raises(MissingExtra, match=str(len(data))) as missing:
        fetched(shelf, wanted)
    assert missing.value.hint == "pip install 'recense[images]'"
    with pytest.raises(MaterialUnavailable, match=str(len(data))):
        fetched(shelf, wanted, Scales(None))


@pytest.mark.parametrize("media_type", ["text/plain", "image/svg+xml"])
def test_a_text_is_redacted_once_more_before_it_leaves(media_type: str) -> None:
    shelf = Shelf()
    text = f"<svg>时区 {SECRET}</svg>"
    found = fetched(shelf, shelf.attach("a", text.encode(), media_type=media_type))
    assert found.data == redact(text).text.encode()
    assert SECRET.encode() not in found.data
    assert found.changed == "redacted"
    assert found.sha256 == hashlib.sha256(found.data).hexdigest()


# --- the list in an answer ------------------------------------------------------------------------


def test_twelve_attachments_of_one_turn_are_listed_within_their_bytes() -> None:
    world = World()
    materials = tuple(
        Material(
            id=f"a{number}",
            kind="image",
            name=f"{SECRET} {'n' * 80} {number}.png",
            media_type="image/png",
            bytes=number,
            sha256="ab" * 32,
        )
        for number in range(12)
    )
    world.add("a", attached(*materials), title="About it")
    answer = world.recall().recall(RecallRequest(terms=("needle",)))
    assert [each.bytes for each in answer.materials] == list(range(12))
    assert len({each.id for each in answer.materials}) == 12
    (passage,) = answer.passages
    shown = passage.messages[0].materials
    assert shown == answer.materials[: len(shown)]
    assert passage.truncated is (len(shown) < 12)
    encoded = msgspec.json.encode(answer)
    assert SECRET.encode() not in encoded
    assert len(encoded) <= ENVELOPE_BYTES_MAX
    assert len(msgspec.json.encode(answer.materials)) <= MATERIALS_BYTES_MAX


def test_a_name_with_line_breaks_and_controls_costs_what_its_json_takes() -> None:
    world = World()
    hostile = Material(
        id="a1",
        kind="other",
        name="\n\x1b[2J\u202e" * 500,
        media_type="\x00" * 500,
        bytes=1,
        sha256=None,
    )
    world.add("a", attached(*[replace(hostile, id=f"a{n}") for n in range(12)]))
    answer = world.recall().recall(RecallRequest(terms=("needle",)))
    assert len(msgspec.json.encode(answer.materials)) <= MATERIALS_BYTES_MAX
    assert any(getattr(gap, "materials", 0) for gap in answer.gaps)
