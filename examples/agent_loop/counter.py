"""The world outside: an HTTP server on the loopback that counts what it is asked to do.

``/charge/KEY`` counts each key once, ``/order/KEY`` keeps an order that ``/orders/KEY`` looks up,
``/mail`` counts every request. Any other path shows what was counted.
"""

import json
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import urlopen


class CounterServer(HTTPServer):
    """Counts by kind: mails, charges by their keys, orders by theirs."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.counted: Counter[str] = Counter()
        self.keys: set[str] = set()

    def answer(self, path: str) -> str:
        """Count what a path asks for, and return the answer."""
        kind, _, key = path.strip("/").partition("/")
        if kind == "orders":
            return "yes" if f"order/{key}" in self.keys else "no"
        if kind == "mail" or (kind in {"charge", "order"} and f"{kind}/{key}" not in self.keys):
            self.keys.add(f"{kind}/{key}")
            self.counted[kind] += 1
        return json.dumps(self.counted)


class _Handler(BaseHTTPRequestHandler):
    timeout = 10

    def do_GET(self) -> None:
        assert isinstance(self.server, CounterServer)
        body = self.server.answer(self.path).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the base has it
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # who asked was killed: it is counted all the same
            super().handle()


@contextmanager
def counter_server() -> Generator[CounterServer]:
    """Serve on a free port for a block; its address is that of `address_of`."""
    server = CounterServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def ask(address: str, path: str) -> str:
    """Ask a server and return its answer."""
    with urlopen(f"{address}/{path}", timeout=10) as answer:  # noqa: S310 -- the loopback
        return str(answer.read(), "utf-8")
