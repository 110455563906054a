"""Images and documents of imported sessions: listed with their turn, given back byte for byte, and
given to nobody who may not see the message they are on.
"""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recense.core.ids import material_id, split_material_id
from recense.core.transcript.messages import Material
from recense.errors import MaterialUnavailable, MissingExtra, NotFound
from recense.limits import IMAGE_BYTES_MAX
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory
from tests.end_to_end.worlds import on_reference, on_sqlite
from tests.importers.builders import (
    SESSION,
    claude_assistant,
    claude_user,
    codex_event,
    codex_line,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)

TERM = "greenhouse"
LARGE = 20 * 1024 * 1024


@pytest.fixture(params=["sqlite", "reference"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory over each store."""
    memory = on_sqlite(tmp_path) if request.param == "sqlite" else on_reference(tmp_path)
    with memory:
        yield memory


def _image(seed: int, size: int = 3_000) -> bytes:
    """Return bytes that begin as an image does and are no text."""
    piece = hashlib.sha512(f"image {seed}".encode()).digest()
    return b"\x89PNG\r\n\x1a\n" + (piece * (size // 64 + 1))[: size - 8]


def _pdf(seed: int) -> bytes:
    return b"%PDF-1.7\n" + _image(seed)


def _block(kind: str, media_type: str, data: bytes, **fields: object) -> dict[str, object]:
    encoded = base64.b64encode(data).decode()
    return {
        "type": kind,
        "source": {"type": "base64", "media_type": media_type, "data": encoded},
        **fields,
    }


def _import(memory: Memory, folder: Path, *records: object, name: str = "session.jsonl") -> None:
    path = folder / name
    path.write_bytes(lines(records))
    report = memory.import_sessions(None, [str(path)])
    assert sum(source.files_failed for source in report.sources) == 0


def _listed(memory: Memory, term: str = TERM) -> list[Material]:
    return list(memory.recall(RecallRequest(terms=(term,), limit=25)).materials)


def _assert_given(memory: Memory, listed: Material, data: bytes) -> None:
    given = memory.recall_material(listed.id)
    assert given.data == data
    assert given.sha256 == listed.sha256 == hashlib.sha256(data).hexdigest()
    assert (listed.bytes, given.changed) == (len(data), None)


# --- what is kept ---------------------------------------------------------------------------------


def test_an_image_and_a_document_of_a_prompt_are_listed_with_its_turn_and_given_exactly(
    memory: Memory, tmp_path: Path
) -> None:
    picture, paper = _image(1), _pdf(2)
    _import(
        memory,
        tmp_path,
        claude_user(
            1,
            [
                text_block(f"plan of the {TERM}"),
                _block("image", "image/png", picture),
                _block("document", "application/pdf", paper, title="plan.pdf"),
            ],
        ),
        claude_assistant(2, text_block("I see two panes")),
        claude_user(3, [text_block("and the orchard"), _block("image", "image/png", _image(3))]),
    )
    image, document = _listed(memory)
    assert [(each.kind, each.media_type) for each in (image, document)] == [
        ("image", "image/png"),
        ("pdf", "application/pdf"),
    ]
    assert document.name == "plan.pdf"
    _assert_given(memory, image, picture)
    _assert_given(memory, document, paper)
    assert _listed(memory, "two panes") == [image, document]
    assert len(_listed(memory, "orchard")) == 1
    text = memory.recall(RecallRequest(terms=(TERM,)))
    assert base64.b64encode(picture)[:40] not in msgspec.json.encode(text)


def test_an_image_inside_a_result_is_one_material_though_it_is_on_its_line_twice(
    memory: Memory, tmp_path: Path
) -> None:
    picture = _image(4)
    encoded = base64.b64encode(picture).decode()
    _import(
        memory,
        tmp_path,
        claude_user(1, f"look at the {TERM}"),
        claude_assistant(2, tool_use("c1", "Read", file_path=f"/h/{TERM}.png")),
        claude_user(
            3,
            [tool_result("c1", [_block("image", "image/png", picture)])],
            toolUseResult={"type": "image", "file": {"base64": encoded, "type": "image/png"}},
        ),
    )
    (listed,) = _listed(memory)
    _assert_given(memory, listed, picture)
    assert memory.doctor().counts["blobs"] == 1


def test_twelve_attachments_of_one_prompt_are_all_listed_and_given(
    memory: Memory, tmp_path: Path
) -> None:
    pictures = [_image(number) for number in range(12)]
    blocks = [_block("image", "image/png", picture) for picture in pictures]
    _import(memory, tmp_path, claude_user(1, [text_block(f"twelve of the {TERM}"), *blocks]))
    listed = _listed(memory)
    assert len({each.id for each in listed}) == 12
    for material, picture in zip(listed, pictures, strict=True):
        _assert_given(memory, material, picture)


def test_an_image_of_a_codex_prompt_is_a_material(memory: Memory, tmp_path: Path) -> None:
    picture = _image(5)
    url = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    content = [
        {"type": "input_text", "text": f"what is wrong with the {TERM}?"},
        {"type": "input_image", "image_url": url},
    ]
    message = {"type": "message", "role": "user", "content": content}
    _import(
        memory,
        tmp_path,
        codex_meta(),
        codex_line("response_item", message, at=1),
        codex_event("user_message", at=1, message=f"what is wrong with the {TERM}?", images=[url]),
        name=f"rollout-2026-02-03T11-00-00-{SESSION}.jsonl",
    )
    (listed,) = _listed(memory)
    assert (listed.kind, listed.media_type) == ("image", "image/png")
    _assert_given(memory, listed, picture)
    assert memory.doctor().counts["blobs"] == 1


def test_an_image_of_twenty_megabytes_is_kept_once_whole_though_its_line_has_it_twice(
    tmp_path: Path,
) -> None:
    picture = _image(6, LARGE)
    encoded = base64.b64encode(picture).decode()
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        lines(
            [
                claude_user(1, f"look at the {TERM}"),
                claude_assistant(2, tool_use("c1", "Read", file_path="/h/large.png")),
                claude_user(
                    3,
                    [tool_result("c1", [_block("image", "image/png", picture)])],
                    toolUseResult={"type": "image", "file": {"base64": encoded}},
                ),
                claude_assistant(4, text_block("a fine pane")),
            ]
        )
    )
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions("claude_code", [str(path)])
        records = report.sources[0].records
        assert (records.parsed, records.bad, records.skipped) == (4, 0, 0)
        assert report.sources[0].bytes == path.stat().st_size
        (listed,) = _listed(memory)
        assert listed.bytes == LARGE
        assert memory.doctor().counts["blobs"] == 1
        with pytest.raises((MissingExtra, MaterialUnavailable)) as refused:
            memory.recall_material(listed.id)
        assert str(LARGE) in refused.value.message
        assert str(IMAGE_BYTES_MAX) in refused.value.message
        assert len(memory.recall(RecallRequest(terms=("fine pane",))).passages) == 1
    size = sum(file.stat().st_size for file in tmp_path.glob("recense.db*"))
    assert size < 1.6 * LARGE


# --- who may see it -------------------------------------------------------------------------------


def test_whatever_leads_to_no_material_that_may_be_seen_is_one_answer(
    memory: Memory, tmp_path: Path
) -> None:
    prompt = claude_user(2, [text_block(f"the {TERM}"), _block("image", "image/png", _image(1))])
    again = claude_user(4, "instead, the orchard", parentUuid="u1")
    _import(
        memory, tmp_path, claude_user(1, "begin"), prompt, claude_assistant(3, text_block("yes"))
    )
    for name in ("hidden", "other"):
        own = {"sessionId": name}
        blocks = [text_block(f"the {TERM} of {name}"), _block("image", "image/png", _image(2))]
        record = claude_user(1, blocks, **own) | {"uuid": f"{name}-1"}
        _import(memory, tmp_path, record, name=f"{name}.jsonl")
    by_session = {split_material_id(each.id)[0]: each for each in _listed(memory)}
    seen = by_session[f"claude_code:{SESSION}"]
    hidden, other = by_session["claude_code:hidden"], by_session["claude_code:other"]
    memory.hide_session("hidden")
    (tmp_path / "session.jsonl").write_bytes(
        lines([claude_user(1, "begin"), prompt, claude_assistant(3, text_block("yes")), again])
    )
    assert memory.recall_material(seen.id).data == _image(1)
    memory.import_sessions("claude_code", [str(tmp_path / "session.jsonl")])
    assert not [each for each in _listed(memory) if each.id == seen.id]
    path = tmp_path / "session.jsonl"
    refused = {
        "a hidden session": hidden.id,
        "an abandoned branch": seen.id,
        "the material of another session": material_id(
            f"claude_code:{SESSION}", split_material_id(other.id)[1]
        ),
        "a message": split_material_id(other.id)[1],
        "a path": str(path),
        "a path that climbs": "../../etc/passwd",
        "a URL": path.as_uri(),
        "a digest": str(other.sha256),
        "nothing": "",
        "chance": "m." + "Zm9v" * 20,
        "a cut id": other.id[:-1],
    }
    with on_sqlite(tmp_path, "recense.neighbour.db") as neighbour:
        record = claude_user(
            1, [text_block(f"the {TERM}"), _block("image", "image/png", _image(9))]
        )
        _import(neighbour, tmp_path, record | {"sessionId": "theirs"}, name="theirs.jsonl")
        refused["another namespace"] = _listed(neighbour)[0].id
    answers: set[bytes] = set()
    for what, asked in refused.items():
        with pytest.raises(NotFound) as error:
            memory.recall_material(asked)
        assert asked not in error.value.message or not asked, what
        answers.add(msgspec.json.encode([error.value.code, error.value.message, error.value.hint]))
    assert len(answers) == 1
    assert memory.recall_material(other.id).data == _image(2)
