"""A small server of the Model Context Protocol over stdio that behaves as it is told.

`python mcp_stub.py WHAT WORD…`: ``answers`` with three tools on two pages, after a notification and
a question of its own; ``is_silent``; ``ends``; ``babbles``; ``refuses``; ``floods``.
"""

import json
import sys
from typing import Any


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def result(message: dict[str, Any]) -> object:
    if message["method"] == "initialize":
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stub", "version": "1"},
        }
    assert message["method"] == "tools/list"
    if message["params"]:
        return {"tools": [{"name": "history"}]}
    return {"tools": [{"name": "recall"}, {"name": "remember"}], "nextCursor": "2"}


def main(what: str) -> None:
    if what == "ends":
        sys.exit("the store is held by somebody else")
    if what == "babbles":
        sys.stdout.write("Welcome!\n")
    if what == "floods":
        sys.stdout.write("x" * 10_000_000)
    for line in sys.stdin:
        message = json.loads(line)
        if what == "is_silent" or "id" not in message:
            continue
        if what == "refuses":
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "no"}})
            continue
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        say({"jsonrpc": "2.0", "id": message["id"], "method": "roots/list"})
        say({"jsonrpc": "2.0", "id": message["id"], "result": result(message)})


if __name__ == "__main__":
    main(sys.argv[1])
