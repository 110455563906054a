"""An embedder on the loopback that speaks the format of OpenAI's embeddings and knows only words.

It costs next to nothing, so that what is measured beside us are stores and not models.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import msgspec

from recense.core.values import Value

DIMENSIONS: Final = 64


class _Asked(Value, kw_only=True):
    input: list[str] | str


def embedded(text: str) -> list[float]:
    """Return a vector of the words of a text."""
    vector = [0.01] * DIMENSIONS
    for word in text.lower().split():
        digest = blake2b(word.encode(), digest_size=2).digest()
        vector[digest[0] % DIMENSIONS] += 1.0 if digest[1] & 1 else -1.0
    return vector


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer with a vector for each text."""
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = msgspec.json.decode(body, type=_Asked).input
        texts = [asked] if isinstance(asked, str) else asked
        data = [
            {"object": "embedding", "index": at, "embedding": embedded(text)}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        answer = msgspec.json.encode(
            {"object": "list", "data": data, "model": "stub", "usage": usage}
        )
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the base has it
        """Say nothing."""


@contextmanager
def stub_embedder() -> Generator[str]:
    """Serve on a free port of the loopback for a block; yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
