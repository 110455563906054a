"""What the documents say of themselves is true, and nothing names a machine."""

import re
import shlex
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from recense.cli.main import COMMANDS
from recense.settings.layers import read_layers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here
from tests.conftest import PROJECT
from tests.rows import each_row
from tests.servers.http.serving_world import running

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
    rooms = "|".join(each.name for each in (PROJECT / "src" / "recense").iterdir() if each.is_dir())
    folders = f"src|tests|docs|scripts|locks|typings|.ci|{rooms}"
    written = (PROJECT / ".gitignore").read_text(encoding="utf-8").split()
    missing = [
        f"{path.relative_to(PROJECT)}: {named}"
        for path in _files()
        if path.suffix == ".md"
        for named in re.findall(rf"`((?:{folders})/[^`\s]*)`", path.read_text(encoding="utf-8"))
        if not re.search("[A-Z]{3}|[*{]", named)
        and named not in written
        and not (PROJECT / named).exists()
        and not (PROJECT / "src" / "recense" / named).exists()
    ]
    assert missing == []


_COMMAND_NAMES = [
    *((name,) for name in COMMANDS),
    *(("sessions", name) for name in ("list", "show", "hide", "unhide", "forget")),
    *(
        ("fact", name)
        for name in "set get list search forget history explain holds timeline diff".split()
    ),
    *(
        ("registry", name)
        for name in (
            "list load define redefine merge split merge-subject split-subject promote log"
        ).split()
    ),
    *(("keys", name) for name in ("issue", "list", "renew", "revoke")),
    *(("agent", name) for name in "list show resume actions decide".split()),
    *(
        ("bench", name)
        for name in "quality needles import recall cold scale facts agents serve".split()
    ),
]


def _source_names() -> tuple[str, ...]:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return tuple(sorted(project["entry-points"]["recense.importers"]))


class _EverySource(FakeMemory):
    """A memory that knows every source there is."""

    def source_names(self) -> tuple[str, ...]:
        return _source_names()


def _documents() -> Iterator[tuple[Path, str]]:
    for path in _files():
        if path.suffix == ".md":
            yield path, path.read_text(encoding="utf-8")


def _shown(program: str) -> list[str]:
    """Return every command line of a program that a document shows: in a block, whether it is
    indented or fenced, or in a sentence. What follows two blanks says what the line is for.
    """
    line = re.compile(
        rf"^(?: {{4}})?(?:\$ )?({program} .+?)(?:  .*)?$|`({program} [^`]+)`", flags=re.MULTILINE
    )
    return sorted(
        {found[1] or found[2] for _, text in _documents() for found in line.finditer(text)}
    )


@each_row("line", _shown("recense"))
def test_every_command_line_that_a_document_shows_is_understood(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    monkeypatch.chdir(folder)  # one saves a file, others name one that is there
    (folder / ".env").write_text("HARBOUR_PIN=kestrel-and-gannet\n", encoding="utf-8")
    for name in ("FILE", "PATH", "conversations.json", "export.zip"):
        (folder / name).touch()
    (folder / "registry.json").write_text("[]", encoding="utf-8")
    words = shlex.split(line.replace("…", "").replace("COMMAND", "recall"))[1:]
    if tuple(words) in _COMMAND_NAMES:
        words.append("--help")  # a sentence names it
    elif words[:2] == ["sessions", "forget"] and "--yes" not in words:
        words.append("--yes")  # it asks, and nobody answers here
    ran = run_here(*words, memory=_EverySource())
    assert ran.exit_code == 0, ran.err


def test_the_readme_shows_every_command() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert [path for path in _COMMAND_NAMES if " ".join(("recense", *path)) not in text] == []


def _options_of(*path: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", run_here(*path, "--help").out))


def test_every_option_that_a_document_names_by_itself_is_one_of_some_command() -> None:
    options = set[str]().union(*(_options_of(*page) for page in [(), *_COMMAND_NAMES]))
    named = {
        f"{path.relative_to(PROJECT)}: {option}"
        for path, text in _documents()
        if path.name in {"README.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md"}
        or path.parent.name == "docs"
        for option in re.findall(r"`(--?[a-z][a-z-]*)", text)
        if option not in options
    }
    assert named == set()


def test_every_target_of_make_that_a_document_shows_is_there() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    words = {word for line in _shown("make") for word in line.split()[1:]}
    assert {word for word in words if re.fullmatch("[a-z]+", word)} <= targets
    assert targets <= set(re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)[0].split())


def test_the_table_of_settings_holds_every_setting_with_its_default() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (?:`([^`]+)`)?", text, flags=re.MULTILINE))
    values = read_layers({}, {}, "/home/mira", "/home/mira").values
    assert list(rows) == list(values)
    del rows["store"], values["store"]  # whose default is another on every machine
    assert rows == values


def test_the_readme_names_every_source() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert [name for name in _source_names() if f"(`{name}`)" not in text] == []


def test_every_room_of_the_house_is_in_the_table_of_areas() -> None:
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    house = PROJECT / "src" / "recense"
    rooms = {module.parent for module in house.rglob("*.py")} - {house}
    unnamed = [
        room.relative_to(PROJECT).as_posix()
        for room in sorted(rooms)
        if f"`{room.relative_to(PROJECT).as_posix()}/" not in text
        and f"`{room.parent.relative_to(PROJECT).as_posix()}/`" not in text
    ]
    assert unnamed == []


def test_the_programs_in_the_documents_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECENSE_STORE", str(tmp_path / "recense.db"))
    programs = [
        program
        for _, text in _documents()
        for program in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    ]
    assert programs
    with running(tmp_path) as server:
        monkeypatch.setenv("RECENSE_URL", server.address)
        monkeypatch.setenv("RECENSE_KEY", server.key())
        for program in programs:
            exec(program, {})  # noqa: S102 -- our own document's
