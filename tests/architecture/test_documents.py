"""What the documents say of themselves is true, and nothing names a machine."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import run_here
from tests.conftest import PROJECT

_DECISIONS = PROJECT / "docs" / "adr"
_NOT_OURS = {".git", ".hypothesis", ".venv", "__pycache__", "build", "dist"}

# Put together here, so that this file does not name what it forbids.
_HOSTS = (
    "pypi" + ".org",
    "python" + "hosted",
    "npm" + "js.org",
    "deb" + "ian.org",
    "crates" + ".io",
)
_MACHINE_PATHS = (
    r"/wo" + r"rk/(?:main|shared|\.\w)",
    "/opt/(?:pypi|whe" + "els)",
    "/ro" + r"ot/[\w.]",
)
_FORBIDDEN = re.compile("|".join([*map(re.escape, _HOSTS), *_MACHINE_PATHS]).encode())


def _files() -> Iterator[Path]:
    folders = [PROJECT]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name in _NOT_OURS or path.name.endswith("_cache") or path.is_symlink():
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


def test_no_file_names_a_registry_host_or_a_path_of_one_machine() -> None:
    named = {
        f"{path.relative_to(PROJECT)}: {found[0].decode()}"
        for path in _files()
        if (found := _FORBIDDEN.search(path.read_bytes()))
    }
    assert named == set()


def test_decisions_are_numbered_without_a_gap_and_titled_by_their_number() -> None:
    names = sorted(path.name for path in _DECISIONS.glob("*.md"))
    assert [int(name[:4]) for name in names] == list(range(len(names)))
    for name in names:
        title = (_DECISIONS / name).read_text(encoding="utf-8").partition("\n")[0]
        assert re.fullmatch(rf"# {name[:4]} .+", title), name


@pytest.mark.parametrize(
    "heading", ["Problem", "Options", "Choice", "What it costs", "When to revisit"]
)
def test_every_decision_answers_the_same_questions(heading: str) -> None:
    silent = [
        path.name
        for path in sorted(_DECISIONS.glob("*.md"))
        if f"\n## {heading}\n" not in path.read_text(encoding="utf-8")
    ]
    assert silent == []


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\d[^\]]*)\]", changelog, flags=re.MULTILINE)
    assert versions[0] == project["version"]


def test_every_link_between_documents_leads_somewhere() -> None:
    broken = [
        f"{path.relative_to(PROJECT)}: {target}"
        for path in _files()
        if path.suffix == ".md"
        for target in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert broken == []


def test_every_path_that_a_document_names_exists() -> None:
    folders = "src|tests|docs|scripts|locks|typings|.ci"
    written = (PROJECT / ".gitignore").read_text(encoding="utf-8").split()
    missing = [
        f"{path.relative_to(PROJECT)}: {named}"
        for path in _files()
        if path.suffix == ".md"
        for named in re.findall(rf"`((?:{folders})/[^`\s]*)`", path.read_text(encoding="utf-8"))
        if not re.search("[A-Z]{3}|[*{]", named)
        and named not in written
        and not (PROJECT / named).exists()
    ]
    assert missing == []


def _command_lines() -> list[str]:
    """Return every command line of ours that a document shows, in a block or in a sentence."""
    shown = re.compile(
        r"^ {4}(?:\$ )?(recense .+?)(?:  .*)?$|`(recense [^`]+)`", flags=re.MULTILINE
    )
    return sorted(
        {
            found[1] or found[2]
            for path in _files()
            if path.suffix == ".md"
            for found in shown.finditer(path.read_text(encoding="utf-8"))
        }
    )


@pytest.mark.parametrize("line", _command_lines())
def test_every_command_line_that_a_document_shows_is_understood(line: str) -> None:
    words = shlex.split(line.replace("…", "").replace("COMMAND", "recall"))[1:]
    ran = run_here(*words)
    assert ran.exit_code == 0, ran.err
