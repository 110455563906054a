"""The loop to copy does what its README says, when it is copied."""

import re
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from recense.operations.agents import ResumeAgent
from recense.wiring import open_url
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


WAITING = """
import sys
from pathlib import Path
import run

def model(messages, step):
    print("asked", flush=True)
    sys.stdin.readline()

run.scripted_model = model
run.TTL_MS = 600_000
sys.exit(run.work(Path(sys.argv[1]), "nowhere", None))
"""


def test_the_loop_gives_its_agent_back_when_it_is_ended(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(tmp_path)],
        cwd=shutil.copytree(EXAMPLE, tmp_path / "copy"),
        env=environment_with({"HOME": str(tmp_path), "PYTHONPATH": str(PROJECT / "src")}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    watchdog = threading.Timer(WAIT_SECONDS_MAX, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        process.terminate()
        assert process.wait(timeout=WAIT_SECONDS_MAX) == 143
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate(timeout=WAIT_SECONDS_MAX)
    url = f"sqlite:///{tmp_path}/recense.db"
    with open_url(url) as memory:
        assert memory.agents.resume(ResumeAgent(agent="harbour-clerk")).epoch == 2


def test_the_readme_names_every_file_of_the_example() -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in EXAMPLE.glob("*.py")}
    assert files == set(re.findall(r"\]\((\w+\.py)\)", readme))
