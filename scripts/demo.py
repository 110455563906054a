"""Shows Recense at work: imports the bundled sessions, asks, looks for a secret in the store, reads
the sessions for facts, remembers and corrects a fact, forgets a session, and kills an agent that
then says what it does not know.

It works in a temporary folder, which it removes, and touches nothing else. It exits with 0 only if
everything that it says held. The commands it prints are the ones it runs.

    python scripts/demo.py
"""

import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

import apsw
import msgspec
import zstandard
from demo_agent import AGENT, NOTICE, SENT
from demo_story import (
    DATABASE_PLACEHOLDER,
    DEPLOY_PLACEHOLDER,
    KIOSK_SCREEN,
    NIGHTLY_IMPORT,
    OFFLINE_TICKETS,
    OUTBOX,
    POOL,
)

from recense.adapters.sqlite.driver import Connection
from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.operations.grep import GrepAnswer
from recense.operations.recall import RecallAnswer

SESSIONS: Final = Path(__file__).resolve().parent.parent / "demo" / "home"
STORE_NAME: Final = "recense.db"

_NOT_OURS: Final = ("RECENSE_", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_")
"""Variables by which a person's own folders or settings could come in."""


_FOR_A_SHELL: Final = frozenset(" |")
"""What a word that is typed into a shell may hold between quotation marks alone."""


def invented(name: str, length: int) -> str:
    """Return letters and digits that look like chance and are the same every time."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    digest = hashlib.sha512(name.encode()).digest()
    return "".join(letters[byte % len(letters)] for byte in digest[:length])


SECRETS: Final[Mapping[str, str]] = {
    DEPLOY_PLACEHOLDER: "gh" + "p_" + invented("the deploy token", 36),
    DATABASE_PLACEHOLDER: invented("the password of the database", 20),
}
"""What stands in the copied sessions for each placeholder: nobody's secrets, made on the run."""


class Demonstration:
    """One run, in a folder of its own; ``failed`` lists what did not hold."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.home = folder / "home of Mira Okafor"
        self.store = folder / STORE_NAME
        self.failed: list[str] = []

    def move_in(self) -> None:
        """Make this process live in the folder: its home, its settings, its store."""
        for name in list(os.environ):
            if name.startswith(_NOT_OURS):
                del os.environ[name]
        os.environ |= {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "RECENSE_STORE": str(self.store),
        }
        os.chdir(self._folder)

    def copy_sessions(self) -> None:
        """Copy the bundled sessions into the home folder, with secrets for placeholders."""
        for source in SESSIONS.rglob("*"):
            if source.is_file():
                text = source.read_text(encoding="utf-8")
                for placeholder, secret in SECRETS.items():
                    text = text.replace(placeholder, secret)
                copy = self.home / source.relative_to(SESSIONS)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text, encoding="utf-8", newline="\n")

    def show(self, *words: str) -> None:
        """Print a command and run it, its output going where ours goes."""
        typed = " ".join(f'"{word}"' if _FOR_A_SHELL & set(word) else word for word in words)
        print(f"\n$ recense {typed}", flush=True)
        self.expect(run(words) == 0, f"recense {typed} answers")

    def ask(self, *words: str) -> str:
        """Run a command with ``--json`` and return its document."""
        out = io.StringIO()
        run((*words, "--json"), terminal=Terminal(out, sys.stderr, os.environ))
        return out.getvalue()

    def expect(self, held: bool, words: str) -> None:  # noqa: FBT001 -- what is expected is a truth
        """Take note of something that should hold."""
        if not held:
            self.failed.append(words)

    def store_files(self) -> list[Path]:
        """Return every file that the store consists of."""
        return [path for path in sorted(self._folder.iterdir()) if path.is_file()]


def kept_bytes(demonstration: Demonstration) -> Iterator[bytes]:
    """Yield all that the store holds: its files as they are, and each value, inflated."""
    for file in demonstration.store_files():
        yield file.read_bytes()
    inflate = zstandard.ZstdDecompressor()
    opened = apsw.Connection(str(demonstration.store), flags=apsw.SQLITE_OPEN_READONLY)
    connection = cast("Connection", opened)
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_list")]
    for table in tables:
        name = table.replace('"', '""')
        for row in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 -- quoted
            for value in row:
                if isinstance(value, str):
                    yield value.encode()
                elif isinstance(value, bytes):
                    is_frame = value.startswith(zstandard.FRAME_HEADER)
                    yield inflate.decompress(value) if is_frame else value
    connection.close()


def shows(document: str, session: str, words: str) -> bool:
    """Whether an answer has a passage of this session in which these words stand."""
    answer = msgspec.json.decode(document, type=RecallAnswer)
    return any(
        passage.session.endswith(session) and words in message.text
        for passage in answer.passages
        for message in passage.messages
    )


def ask_three_questions(demonstration: Demonstration) -> None:
    """Find a term, a Chinese term, and an answer to a question in words."""
    for words, session, expected in (
        (("recall", "ECONNRESET", "--limit", "2"), NIGHTLY_IMPORT.session, "ECONNRESET"),
        (("recall", "离线检票", "--limit", "2"), OFFLINE_TICKETS.session, "离线检票"),
        (
            ("recall", "-q", "why did we drop the nightly import?", "--limit", "2"),
            NIGHTLY_IMPORT.session,
            "Decision: drop the nightly import",
        ),
    ):
        demonstration.show(*words)
        found = shows(demonstration.ask(*words), session, expected)
        demonstration.expect(found, f"{' '.join(words)} finds its passage")


def look_at_every_line(demonstration: Demonstration) -> None:
    """Find every decision, in two languages."""
    words = ("grep", "Decision:|结论：", "--regex", "--context", "0")
    demonstration.show(*words)
    answer = msgspec.json.decode(demonstration.ask(*words), type=GrepAnswer)
    found = {match.session.rpartition(":")[2] for match in answer.matches}
    expected = {NIGHTLY_IMPORT.session, OFFLINE_TICKETS.session}
    demonstration.expect(found == expected, "grep finds every line, and no other")


def look_for_the_secrets(demonstration: Demonstration) -> None:
    """Show what is left of a secret that an agent printed, and that it is nowhere in the store."""
    sources = [path.read_bytes() for path in demonstration.home.rglob("*.jsonl")]
    for secret in SECRETS.values():
        there = sum(text.count(secret.encode()) for text in sources)
        demonstration.expect(there > 0, "the copied sessions hold the secrets")
    demonstration.show("recall", "SKERRY_DEPLOY_TOKEN", "--limit", "1")
    bytes_seen = 0
    found = False
    for piece in kept_bytes(demonstration):
        bytes_seen += len(piece)
        found = found or any(secret.encode() in piece for secret in SECRETS.values())
    demonstration.expect(not found, "no secret is in the store")
    where = "FOUND" if found else "not found"
    print(
        "\nThe deploy token and the password stand in the agent's own file."
        f"\nIn the store: {where}, in {bytes_seen:,} bytes: its files, and each value inflated."
    )
    refused = json.loads(demonstration.ask("recall", SECRETS[DEPLOY_PLACEHOLDER]))
    code = refused.get("error", {}).get("code")
    demonstration.expect(code == "credential_shaped", "a search for a secret is refused")
    print(f"Searching for the token itself is refused before anything is read: {code}.")


def read_for_facts(demonstration: Demonstration) -> None:
    """Read every session for facts, by rules, and find two of them beside where they were said."""
    demonstration.show("extract", "run", "--all")
    for term, session, fact in (
        ("thirty days", OUTBOX.session, "keep sent mails for thirty days"),
        ("横屏", KIOSK_SCREEN.session, "码头的屏幕都是横屏"),
    ):
        words = ("recall", term, "--limit", "1")
        demonstration.show(*words)
        document = demonstration.ask(*words)
        answer = msgspec.json.decode(document, type=RecallAnswer)
        stands_beside = any(fact in each.text for each in answer.facts)
        demonstration.expect(
            stands_beside and shows(document, session, fact),
            f"{' '.join(words)} finds a fact, and the passage that it was read in",
        )
    again = json.loads(demonstration.ask("extract", "run", "--all"))
    tokens = sum(each["tokens_read"] for each in again["sessions"])
    demonstration.expect(tokens == 0, "nothing is read twice")
    print(f"\nNo model was asked. Reading again: {tokens} tokens, since nothing is new.")


def forget_a_session(demonstration: Demonstration) -> None:
    """Forget a session, look for a word that it alone holds, and import again."""
    word = b"pgbouncer"
    kept = any(word in piece for piece in kept_bytes(demonstration))
    demonstration.expect(kept, "the store holds the session that is to be forgotten")
    demonstration.show("sessions", "forget", f"{POOL.source}:{POOL.session}", "--yes")
    kept = any(word in piece for piece in kept_bytes(demonstration))
    demonstration.expect(not kept, "what was forgotten is nowhere in the store")
    where = "FOUND" if kept else "not found"
    print(f"\nIts word {word.decode()}, in the store: {where}.")


def remember_and_correct(demonstration: Demonstration) -> None:
    """Remember where somebody lives, correct it, and have it explained."""
    demonstration.show("fact", "set", "mira", "lives_in", "Bergen", "--observed-at", "2026-02-01")
    demonstration.show("fact", "set", "mira", "lives_in", "Oslo")
    demonstration.show("fact", "explain", "mira", "lives_in")
    beliefs = json.loads(demonstration.ask("fact", "get", "mira", "lives_in"))["beliefs"]
    held = [belief["value"] for belief in beliefs]
    demonstration.expect(held == ["Oslo"], "one value holds after a correction")
    asked = ("fact", "get", "mira", "lives_in", "--as-of", "2026-02-02")
    earlier = json.loads(demonstration.ask(*asked))["beliefs"]
    held = [belief["value"] for belief in earlier]
    demonstration.expect(held == ["Bergen"], "what held then still held then")
    print("On 2 February 2026 the answer was Bergen, and still is for that day.")


def kill_an_agent(demonstration: Demonstration) -> None:
    """Kill an agent when it has sent a notice and not yet written that down, and resume it."""
    outbox = demonstration.store.with_name("outbox.txt")
    words = [sys.executable, str(Path(__file__).with_name("demo_agent.py")), str(outbox)]
    with subprocess.Popen([*words, "wait"], stdin=-1, stdout=-1, encoding="utf-8") as agent:
        said = "" if agent.stdout is None else agent.stdout.readline().strip()
        agent.kill()
    demonstration.expect(said == SENT, "the agent sends its notice")
    print("\nAn agent sends a notice, and is killed before it can write down that it did.")
    print("Resumed in another process, it says:\n", flush=True)
    resumed = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")
    print("".join(f"    {line}\n" for line in resumed.stdout.splitlines()), end="")
    demonstration.expect("I do not know" in resumed.stdout, "the agent says what it does not know")
    demonstration.show("agent", "actions", AGENT, "--unsettled")
    (action,) = json.loads(demonstration.ask("agent", "actions", AGENT))["actions"]
    demonstration.expect(action["status"] == "unknown", "an unsafe act is never settled by itself")
    briefing = json.loads(demonstration.ask("agent", "show", AGENT))["briefing"]["text"]
    demonstration.expect(action["id"] in briefing, "it stands in the briefing")
    note = "it is in the outbox"
    demonstration.show("agent", "decide", AGENT, action["id"], "succeeded", "--note", note)
    subprocess.run(words, check=False, capture_output=True)
    sent = outbox.read_text(encoding="utf-8").splitlines()
    demonstration.expect(sent == [NOTICE], "the notice is sent once")
    print(f"\nThe agent went on. In the outbox: {len(sent)} notice.")


def demonstrate(folder: Path) -> int:
    """Run everything in this folder and return the exit code."""
    began = time.monotonic()
    demonstration = Demonstration(folder)
    demonstration.copy_sessions()
    demonstration.move_in()
    print("Nine sessions of an invented team, six weeks, two agents; in a temporary folder.")
    demonstration.show("import")
    ask_three_questions(demonstration)
    look_at_every_line(demonstration)
    look_for_the_secrets(demonstration)
    read_for_facts(demonstration)
    remember_and_correct(demonstration)
    forget_a_session(demonstration)
    again = json.loads(demonstration.ask("import"))
    demonstration.expect(again["messages_new"] == 0, "importing again adds nothing")
    print(f"Importing again: {again['messages_new']} new messages.")
    kill_an_agent(demonstration)
    for words in demonstration.failed:
        print(f"\nDID NOT HOLD: {words}")
    program = ".venv/bin/recense" if os.name == "posix" else r".venv\Scripts\recense"
    print(
        f"\nDone in {time.monotonic() - began:.1f} s; the temporary folder is gone."
        " Your own history:\n\n"
        f"    {program} import                  find and import your agents' sessions\n"
        f"    {program} recall WORD             find what was said\n"
        f'    {program} recall -q "why …?"      ask in words\n'
        f"    {program} grep TEXT               every line, newest first\n"
        f"    {program} extract run --all       read sessions for facts, offline\n"
        f"    {program} --help                  everything else"
    )
    return 1 if demonstration.failed else 0


def main() -> int:
    """Run the demonstration and return its exit code."""
    stream: object = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="recense-demo-") as folder:
        try:
            return demonstrate(Path(folder))
        finally:
            os.chdir(here)  # a folder that a process stands in cannot be removed everywhere


if __name__ == "__main__":
    sys.exit(main())
