"""The loop to copy does what its README says, when it is copied."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.cli.running import environment_with
from tests.conftest import PROJECT

EXAMPLE = PROJECT / "examples" / "agent_loop"
WAIT_SECONDS_MAX = 240


def test_the_loop_is_killed_within_every_tool_and_prints_what_its_readme_shows(
    tmp_path: Path,
) -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ {4}\$ python (.+)$", readme, flags=re.MULTILINE)
    (shown,) = re.findall(r"^```text\n(.*?)```$", readme, flags=re.MULTILINE | re.DOTALL)
    copy = shutil.copytree(EXAMPLE, tmp_path / "copy")
    surroundings = {"HOME": tmp_path, "TMPDIR": tmp_path, "PYTHONPATH": PROJECT / "src"}
    finished = subprocess.run(
        [sys.executable, *shlex.split(command)],
        cwd=copy,
        env=environment_with({name: str(it) for name, it in surroundings.items()}),
        capture_output=True,
        timeout=WAIT_SECONDS_MAX,
        check=False,
        encoding="utf-8",
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    # Whether it took another start is a matter of how busy the machine is.
    printed = re.sub(r"^ {3}agent 'harbour-clerk' is no longer held.*\n", "", finished.stdout)
    assert printed == shown
    assert not list(tmp_path.glob("recense*"))


def test_the_readme_names_every_file_of_the_example() -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in EXAMPLE.glob("*.py")}
    assert files == set(re.findall(r"\]\((\w+\.py)\)", readme))
