"""Issues keys, and revokes every other one, until somebody ends it: each line on stdout tells what
is acknowledged. Or does one of both, and kills itself, hard, at one commit boundary.

usage: python -m tests.end_to_end.key_child STORE [BOUNDARY_AS_JSON]
       python -m tests.end_to_end.key_child STORE write NAMESPACE NUMBER
"""

import os
import signal
import sys
from itertools import count
from pathlib import Path

import msgspec

from recense.adapters.system import SystemChance, SystemClock
from recense.core.transcript.events import Text, encode_payload
from recense.operations.keys import IssueKey, RevokeKey
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.records import RecordStore
from recense.services.keys import Keys
from recense.settings.loading import load_settings
from recense.testing import Boundary, Fault
from recense.testing.faulty_records import FaultyRecords
from recense.wiring import open_url
from recense.wiring.control import open_control

EVENTS = 20


def main() -> None:
    """Do what the words of the command line ask for."""
    store, *asked = sys.argv[1:]
    if asked[:1] == ["write"]:
        write(store, asked[1], int(asked[2]))
        return
    folder = str(Path(store).parent)
    settings = load_settings({"store": store}, {}, folder, folder)
    with open_control(settings, create=True) as control:
        if asked:
            boundary = msgspec.json.decode(asked[0], type=Boundary)
            revoke_one(FaultyRecords(control, [Fault(at=boundary, act=kill)]))
        else:
            go_on(control)


def kill() -> None:
    """End this process as nobody can prevent."""
    os.kill(os.getpid(), signal.SIGKILL)


def revoke_one(control: RecordStore) -> None:
    """Issue a key and revoke it."""
    keys = Keys(control, SystemClock(), SystemChance())
    issued = keys.issue(IssueKey(expires_in_seconds=3_600))
    print(issued.key, flush=True)  # noqa: T201
    keys.revoke(RevokeKey(id=issued.id))


def go_on(control: RecordStore) -> None:
    """Issue and revoke for ever."""
    keys = Keys(control, SystemClock(), SystemChance())
    for number in count():
        issued = keys.issue(IssueKey(expires_in_seconds=3_600))
        print("issued", issued.key, flush=True)  # noqa: T201
        if number % 2:
            keys.revoke(RevokeKey(id=issued.id))
            print("revoked", issued.key, flush=True)  # noqa: T201


def write(store: str, namespace: str, number: int) -> None:
    """Open a namespace, which others may do at the same moment, and write a session into it."""
    with open_url(store, namespace=namespace) as memory:
        session = memory.session_open(OpenSession(session=f"of-{number}")).session
        for index in range(EVENTS):
            event = AppendedEvent(
                event_id=f"{number}-{index}",
                payload=encode_payload(Text(role="user", text=f"fern {number} {index}")),
            )
            memory.session_append(session, [event])


if __name__ == "__main__":
    main()
