"""Images, documents and files of a Claude Code session."""

import base64
from collections.abc import Sequence

import pytest

from recense.core.transcript.events import Attachment, Payload, Text, ToolResult
from recense.core.transcript.gate import pass_gate
from recense.core.transcript.messages import Message, visible_text
from recense.core.transcript.records import ArchivedRecord
from recense.core.transcript.transcript import project
from recense.importers.claude_code import conversion
from recense.importers.claude_code.record import ClaudeRecord, name_of
from tests.core.transcript.event_builders import events
from tests.importers.builders import (
    CLAUDE,
    SESSION,
    claude_assistant,
    claude_record,
    claude_user,
    lines,
    payloads_of,
    read,
    text_block,
    tool_result,
    tool_use,
)

WORDS = "Fern spores keep for a year when dry. " * 50


def base64_block(kind: str, media_type: str, data: bytes, **fields: object) -> dict[str, object]:
    source = {
        "type": "base64",
        "media_type": media_type,
        "data": base64.b64encode(data).decode(),
    }
    return {"type": kind, "source": source, **fields}


def image(number: int = 0) -> dict[str, object]:
    return base64_block("image", "image/png", b"\x89PNG\r\n" + bytes([number]) * 2_000)


PDF = base64_block("document", "application/pdf", b"%PDF-1.7" + bytes(2_000), title="spores.pdf")
NOTE: dict[str, object] = {
    "type": "document",
    "title": "notes.txt",
    "source": {"type": "text", "media_type": "text/plain", "data": WORDS},
}


def attachment(number: int, kind: str, **fields: object) -> dict[str, object]:
    return claude_record(number, "attachment", attachment={"type": kind, **fields})


def file_record(number: int, name: str, **content: object) -> dict[str, object]:
    return attachment(number, "file", filename=f"/h/{name}", displayPath=name, content=content)


def text_file(number: int, name: str) -> dict[str, object]:
    return file_record(number, name, type="text", file={"filePath": name, "content": WORDS})


def attached(payloads: Sequence[Payload]) -> list[Attachment]:
    return [payload for payload in payloads if isinstance(payload, Attachment)]


def projected(*records: object) -> Sequence[Message]:
    return project(events(*payloads_of(CLAUDE, *records))).messages


def kept_blobs(*records: object) -> dict[str, bytes]:
    """Return the blobs that archiving these records keeps."""
    blobs: dict[str, bytes] = {}
    for record in read(CLAUDE, lines(records)).records:
        gated = pass_gate(
            record.record,
            is_structural=CLAUDE.is_structural,
            is_opaque=CLAUDE.is_opaque,
            opaque_marks=CLAUDE.opaque_marks,
            lifted=record.blobs,
        )
        blobs |= {blob.sha256: blob.data for blob in gated.blobs}
        assert WORDS.encode() not in gated.record
    return blobs


def test_twelve_images_and_a_document_on_one_prompt_are_materials_of_one_message() -> None:
    blocks = [image(number) for number in range(12)]
    messages = projected(claude_user(1, [text_block("press these"), *blocks, PDF]))
    assert len(messages) == 1
    assert [material.kind for material in messages[0].materials] == ["image"] * 12 + ["pdf"]
    assert visible_text(messages[0]).splitlines()[0] == "press these"
    assert "spores.pdf" in visible_text(messages[0])


def test_files_in_records_after_a_prompt_are_materials_of_its_message() -> None:
    records = [text_file(number, f"fern{number}.md") for number in range(2, 14)]
    messages = projected(claude_user(1, "read these"), *records, claude_assistant(14))
    assert len(messages) == 1
    assert [material.name for material in messages[0].materials] == [
        f"fern{number}.md" for number in range(2, 14)
    ]


def test_the_name_of_a_text_is_matched_and_its_words_become_a_redacted_blob() -> None:
    records = [
        claude_user(1, [text_block("see"), NOTE]),
        claude_user(2, [tool_result("t1", [NOTE])]),
        text_file(3, "fern.md"),
        attachment(4, "edited_text_file", filename="/h/moss.md", snippet=WORDS),
    ]
    files = attached(payloads_of(CLAUDE, *records))
    names = ["notes.txt", "notes.txt", "fern.md", "/h/moss.md"]
    assert [file.name for file in files] == names
    assert {file.media_type for file in files} == {"text/plain"}
    blobs = kept_blobs(*records)
    assert list(blobs.values()) == [WORDS.encode()]
    assert [(file.sha256, file.bytes) for file in files] == [
        (next(iter(blobs)), len(WORDS.encode()))
    ] * 4


def test_a_secret_in_an_attached_text_is_redacted() -> None:
    secret = "AKIA" + "Q3EGRLPZX4TTJ7BN"
    source = {"type": "text", "media_type": "text/plain", "data": f"aws_key = {secret}"}
    blobs = kept_blobs(claude_user(1, [{"type": "document", "source": source}]))
    assert [secret.encode() in data for data in blobs.values()] == [False]


def test_an_image_that_a_tool_read_has_the_name_that_its_call_gave() -> None:
    payloads = payloads_of(
        CLAUDE,
        claude_assistant(1, tool_use("t1", "Read", file_path="/home/mira/herbarium/fern.png")),
        claude_user(2, [tool_result("t1", [image()])]),
        claude_assistant(3, tool_use("t2", "Read", file_path="C:\\herbarium\\spores.PDF")),
        claude_user(4, [tool_result("t2", "PDF file read")]),
        claude_user(5, [PDF | {"title": None}], isMeta=True, sourceToolUseID="t2"),
    )
    assert [(file.name, file.call_id) for file in attached(payloads)] == [
        ("fern.png", "t1"),
        ("spores.PDF", "t2"),
    ]
    messages = project(events(*payloads)).messages
    results = [message for message in messages if message.kind == "tool_result"]
    assert [len(message.materials) for message in results] == [1, 1]


@pytest.mark.parametrize(
    ("content", "media_type", "size", "has_blob"),
    [
        ({"type": "image", "file": {"base64": "", "type": "image/webp"}}, "image/webp", 0, False),
        (
            {"type": "image", "file": {"base64": base64.b64encode(bytes(3_000)).decode()}},
            "image/png",
            3_000,
            True,
        ),
        (
            {"type": "pdf", "file": {"filePath": "a", "originalSize": 77}},
            "application/pdf",
            77,
            False,
        ),
        ({"type": "notebook", "file": {"cells": []}}, "text/plain", 0, False),
    ],
)
def test_a_file_of_any_kind_is_described_by_what_is_known(
    content: dict[str, object], media_type: str, size: int, has_blob: bool
) -> None:
    (file,) = attached(payloads_of(CLAUDE, file_record(1, "x", **content)))
    assert (file.media_type, file.bytes, file.sha256 is not None) == (media_type, size, has_blob)


def test_a_document_too_long_to_be_read_is_named() -> None:
    record = attachment(1, "pdf_reference", filename="/h/flora.pdf", fileSize=9_000, pageCount=400)
    (file,) = attached(payloads_of(CLAUDE, record))
    assert (file.name, file.media_type, file.bytes) == ("/h/flora.pdf", "application/pdf", 9_000)


def test_files_that_no_person_named_begin_no_turn_and_are_no_persons() -> None:
    messages = projected(
        claude_user(1, "go on"),
        claude_assistant(2, text_block("yes")),
        attachment(3, "edited_text_file", filename="moss.md", snippet=WORDS),
        text_file(4, "restored.md"),
    )
    assert {message.turn for message in messages} == {messages[0].turn}
    assert [message.by_person for message in messages] == [True, False, False, False]


def test_images_of_a_queued_prompt_come_when_it_is_delivered_and_join_it() -> None:
    queued = {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": [text_block("like this"), image()],
        "sessionId": SESSION,
    }
    delivered = attachment(2, "queued_command", prompt=[text_block("like this"), image(), image(1)])
    messages = projected(claude_user(1, "go"), queued, delivered)
    assert [len(message.materials) for message in messages if not message.flags] == [0, 2]
    alone = projected(claude_user(1, "go"), delivered)
    assert [len(message.materials) for message in alone] == [0, 2]


def test_a_document_at_an_address_is_named_by_it() -> None:
    source = {"type": "url", "url": "https://example.org/fern.png"}
    text, file = payloads_of(
        CLAUDE, claude_user(1, [{"type": "image", "source": source}, text_block("see")])
    )
    assert isinstance(text, Text)
    assert isinstance(file, Attachment)
    assert (file.name, file.bytes, file.sha256) == ("https://example.org/fern.png", 0, None)


def test_a_record_of_two_thousand_images_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(record: ClaudeRecord, archived: ArchivedRecord) -> str:
        nonlocal asked
        asked += 1
        return name_of(record, archived)

    monkeypatch.setattr(conversion, "name_of", counted)
    payloads = payloads_of(CLAUDE, claude_user(1, [text_block("see"), *[image()] * 2_000]))
    assert len(attached(payloads)) == 2_000
    assert asked == 1


def test_a_result_of_a_tool_and_its_image_are_one_message() -> None:
    messages = projected(claude_user(1, [tool_result("t1", [text_block("seen"), image()])]))
    assert [(message.kind, len(message.materials)) for message in messages] == [("tool_result", 1)]
    assert isinstance(
        payloads_of(CLAUDE, claude_user(1, [tool_result("t", [image()])]))[0], ToolResult
    )
