"""``recense material``: bytes in a pipe, a picture on a screen, a file that is a new one."""

import base64
import io
import json
import os
import stat
from pathlib import Path

import msgspec
import pytest

from recense.errors import MaterialUnavailable, MissingExtra, NotFound, RecenseError
from recense.operations.materials import MaterialBytes
from tests.cli import samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Pipe, Screen, run_here, run_on, start
from tests.cli.samples import HOSTILE, PNG

replace = msgspec.structs.replace
EVERY_BYTE = bytes(range(256)) * 300
KITTY = {"TERM": "xterm-kitty"}


def holding(data: bytes, media_type: str = "image/png", name: str = "kiosk.png") -> FakeMemory:
    kind = "image" if media_type.startswith("image/") else "other"
    material = replace(samples.SCREENSHOT, name=name, kind=kind, media_type=media_type)
    return FakeMemory(
        material=MaterialBytes(
            material=material, media_type=media_type, sha256="ef" * 32, data=data
        )
    )


def test_a_material_is_asked_for_by_its_id() -> None:
    memory = FakeMemory()
    run_here("material", "m.abc", memory=memory)
    assert memory.asked == [("open", {}, False), ("material", "m.abc")]


@pytest.mark.parametrize("media_type", ["image/png", "application/zip"])
def test_a_pipe_gets_the_bytes_and_nothing_else(media_type: str) -> None:
    out = Pipe()
    ran = run_here("material", "m1", memory=holding(EVERY_BYTE, media_type), out=out)
    assert (ran.exit_code, ran.err) == (0, "")
    assert out.taken.getvalue() == EVERY_BYTE


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "gbk", "utf-16"])
def test_the_encoding_of_a_console_does_not_touch_them(encoding: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, newline="\r\n")
    assert run_on(out, io.StringIO(), ("material", "m1"), holding(EVERY_BYTE)) == 0
    assert raw.getvalue() == EVERY_BYTE


def test_a_process_writes_them_exactly() -> None:
    for environment in ({}, {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "cp1252"}):
        finished = start("answers", "material", "m1", environment=environment)
        assert (finished.returncode, finished.stderr) == (0, b"")
        assert finished.stdout == PNG


@pytest.mark.parametrize("environment", [{}, KITTY, {"TERM": "dumb"}], ids=str)
@pytest.mark.parametrize("data", [EVERY_BYTE, *map(str.encode, list(HOSTILE.values())[:3])])
def test_no_byte_of_them_reaches_a_terminal_as_it_is(
    data: bytes, environment: dict[str, str]
) -> None:
    out = Screen()
    ran = run_here("material", "m1", memory=holding(data), out=out, environment=environment)
    assert ran.exit_code == 0
    assert "image: kiosk.png, image/png" in ran.out
    assert "recense material m1 -o FILE" in ran.out
    assert "\x1b]" not in ran.out
    assert "\x1b[2J" not in ran.out
    assert "\x00" not in ran.out


def test_a_terminal_that_can_is_shown_the_image_and_what_it_is() -> None:
    ran = run_here("material", "m1", out=Screen(), environment=KITTY)
    assert ran.out.startswith("\x1b_Ga=T,f=100,q=2,m=0;")
    assert base64.b64encode(PNG).decode() in ran.out
    assert "image: kiosk.png, image/png, 69 bytes" in ran.out


def test_what_is_no_image_is_never_shown_as_one() -> None:
    memory = holding(PNG, "application/pdf")
    ran = run_here("material", "m1", memory=memory, out=Screen(), environment=KITTY)
    assert "\x1b_G" not in ran.out
    assert "other: kiosk.png, application/pdf" in ran.out


@pytest.mark.parametrize("out", [Pipe, Screen])
def test_json_is_one_document_with_the_bytes_in_base64(out: type[Pipe] | type[Screen]) -> None:
    ran = run_here("material", "m1", "--json", memory=holding(EVERY_BYTE), out=out())
    document = json.loads(ran.out)
    assert base64.b64decode(document.pop("data")) == EVERY_BYTE
    assert document == {
        "id": "m1",
        "kind": "image",
        "name": "kiosk.png",
        "media_type": "image/png",
        "bytes": len(EVERY_BYTE),
        "sha256": "ef" * 32,
        "changed": None,
        "path": None,
    }


# --- a file ---------------------------------------------------------------------------------------


def test_a_file_gets_the_bytes_and_a_person_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a b é.png"
    ran = run_here("material", "m1", "-o", str(path), memory=holding(EVERY_BYTE))
    assert (ran.exit_code, ran.err) == (0, "")
    assert ran.out.startswith("Saved image: kiosk.png")
    assert str(path) in ran.out
    assert path.read_bytes() == EVERY_BYTE


def test_json_names_the_file_instead_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.png"
    ran = run_here("material", "m1", "--output", str(path), "--json")
    document = json.loads(ran.out)
    assert (document["data"], document["path"]) == (None, str(path))
    assert path.read_bytes() == PNG


def test_a_file_that_exists_is_written_over_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.png"
    path.write_bytes(b"mine")
    ran = run_here("material", "m1", "-o", str(path), "--json")
    assert ran.exit_code == 1
    error = json.loads(ran.out)["error"]
    assert error["code"] == "output_unwritable"
    assert "--force" in error["hint"]
    assert path.read_bytes() == b"mine"
    assert run_here("material", "m1", "-o", str(path), "--force").exit_code == 0
    assert path.read_bytes() == PNG


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_no_link_is_followed_to_a_file_that_exists(tmp_path: Path) -> None:
    mine, link, dangling = tmp_path / "mine", tmp_path / "link", tmp_path / "dangling"
    mine.write_bytes(b"mine")
    link.symlink_to(mine)
    dangling.symlink_to(tmp_path / "nothing")
    for path in (link, dangling):
        assert run_here("material", "m1", "-o", str(path)).exit_code == 1
    assert mine.read_bytes() == b"mine"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("name", ["missing/kiosk.png", "", " ", ".", "nul\0byte"])
def test_a_path_that_cannot_be_written_is_an_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_here("material", "m1", "-o", name, "--json")
    assert ran.exit_code in {1, 2}
    assert json.loads(ran.out)["error"]["code"] in {"output_unwritable", "invalid_request"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said() -> None:
    ran = run_here("material", "m1", "-o", "/dev/full", "--force", memory=holding(EVERY_BYTE))
    assert ran.exit_code == 1
    assert "'/dev/full' cannot be written" in ran.err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("name", ["../../evil.png", "/etc/passwd", "-o", *HOSTILE.values()])
def test_the_name_of_a_material_is_never_a_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    for words in (("material", "m1"), ("material", "m1", "-o", "out.png")):
        ran = run_here(*words, memory=holding(PNG, name=name), out=Pipe())
        assert ran.exit_code == 0
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {str(Path("a", "b", "out.png"))}


@pytest.mark.parametrize("kind", [NotFound, MaterialUnavailable, MissingExtra])
def test_a_refusal_makes_no_file_and_writes_no_bytes(
    kind: type[RecenseError], tmp_path: Path
) -> None:
    memory = FakeMemory(error=kind("no such material", hint="copy the id"))
    path = tmp_path / "kiosk.png"
    ran = run_here("material", "m1", "-o", str(path), memory=memory)
    assert (ran.exit_code, ran.out) == (1, "")
    assert not path.exists()
