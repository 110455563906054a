"""The API server of a cluster on this machine, which answers and refuses as that of Kubernetes.

Laws: nothing leaves the machine. What it knows are the objects and tokens that a test gives it; a
token holds as long as it is not expired and its pod is there, and is reviewed as the documents of
authentication.k8s.io/v1 say. What a test puts in the place of an answer holds over all that. Every
wait of the server ends with the server.
"""

import ssl
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self, cast

import msgspec

from recense.core.values import Value

_HOST: Final = "127.0.0.1"
_POLL_SECONDS: Final = 0.01
_REVIEWS: Final = "/apis/authentication.k8s.io/v1/tokenreviews"
_REASONS: Final = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    429: "TooManyRequests",
    500: "InternalError",
}

_Json = dict[str, object]


class IssuedToken(Value, kw_only=True):
    """What the cluster knows of a token that it issued; ``pod`` is what it is bound to."""

    namespace: str
    account: str = "default"
    audiences: tuple[str, ...]
    pod: str | None = None
    pod_uid: str = ""
    expires_at: int = 3_600


class Instead(Value, kw_only=True):
    """What comes in the place of an answer: bytes with a status, or nothing with ``is_hanging``.
    With ``pause_seconds`` each byte waits that long.
    """

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    is_hanging: bool = False
    pause_seconds: float = 0.0


class ClusterServer:
    """Serves while it is entered, at a port of its own.

    ``objects`` are by their path, ``tokens`` by themselves; ``denied`` are paths that nobody may
    ask for, by how they begin, and ``instead`` is what comes in their place. ``now`` are seconds by
    which tokens expire. ``asked`` is what was asked: method, path and who.
    """

    audience: Final = "https://kubernetes.default.svc.cluster.local"

    def __init__(self, trusted: ssl.SSLContext, own_token: str) -> None:
        """``trusted`` has the certificate of the server; who asks shows ``own_token``."""
        self.own_token = own_token
        self.objects: Final[dict[str, _Json]] = {}
        self.tokens: Final[dict[str, IssuedToken]] = {}
        self.denied: Final[set[str]] = set()
        self.instead: Final[dict[str, Instead]] = {}
        self.now = 0
        self.asked: Final[list[tuple[str, str, str]]] = []
        self.stopping: Final = Event()
        self._server: Final = _Server((_HOST, 0), _Handler, self)
        self._server.socket = trusted.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self._thread: Final = Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def address(self) -> str:
        """The address of the server."""
        return f"https://{_HOST}:{self._server.server_port}"

    def put(
        self,
        path: str,
        uid: str,
        *,
        owner: tuple[str, str, str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        **spec: object,
    ) -> None:
        """Keep an object; ``owner`` is the version, kind, name and uid of what controls it."""
        parts = path.split("/")
        metadata: _Json = {"name": parts[-1], "uid": uid, "labels": dict(labels or {})}
        if parts[-2] != "namespaces":
            metadata["namespace"] = parts[-3]
        if owner is not None:
            names = ("apiVersion", "kind", "name", "uid")
            reference: _Json = {**dict(zip(names, owner, strict=True)), "controller": True}
            metadata["ownerReferences"] = [reference]
        self.objects[path] = {"metadata": metadata, "spec": spec, "status": {}}

    def answer(self, method: str, path: str, bearer: str, body: bytes) -> tuple[int, _Json]:
        """Return the status and the object that a question is answered with."""
        self.asked.append((method, path, bearer))
        if bearer != f"Bearer {self.own_token}":
            return _failure(401, "Unauthorized")
        if any(path.startswith(each) for each in self.denied):
            return _failure(403, f'cannot {method.lower()} resource at "{path}"')
        if method == "POST" and path == _REVIEWS:
            return 201, self._review(msgspec.json.decode(body, type=_Json))
        found = self.objects.get(path) if method == "GET" else None
        if found is None:
            return _failure(404, f'"{path}" not found')
        return 200, found

    def _review(self, asked: _Json) -> _Json:
        spec = msgspec.convert(asked["spec"], dict[str, object])
        wanted = msgspec.convert(spec.get("audiences") or [self.audience], list[str])
        status = self._status(str(spec["token"]), wanted)
        return {**asked, "metadata": {"creationTimestamp": None}, "status": status}

    def _status(self, given: str, wanted: list[str]) -> _Json:
        token = self.tokens.get(given)
        if token is None:
            return _unauthenticated("invalid bearer token")
        if self.now >= token.expires_at:
            return _unauthenticated("[invalid bearer token, service account token has expired]")
        if token.pod is not None:
            path = f"/api/v1/namespaces/{token.namespace}/pods/{token.pod}"
            pod = self.objects.get(path)
            metadata = {} if pod is None else msgspec.convert(pod["metadata"], _Json)
            if metadata.get("uid") != token.pod_uid:
                return _unauthenticated("[invalid bearer token, pod not found or another]")
        both = [each for each in wanted if each in token.audiences]
        if not both:
            return _unauthenticated(
                f"token audiences {list(token.audiences)} is invalid for the target "
                f"audiences {wanted}"
            )
        return {"authenticated": True, "user": _user(token), "audiences": both}


def _unauthenticated(why: str) -> _Json:
    return {"user": {}, "error": why}  # authenticated is left out where it is false


def _user(token: IssuedToken) -> _Json:
    extra: dict[str, list[str]] = {"authentication.kubernetes.io/credential-id": ["JTI=1"]}
    if token.pod is not None:
        extra["authentication.kubernetes.io/node-name"] = ["node-1"]
        extra["authentication.kubernetes.io/pod-name"] = [token.pod]
        extra["authentication.kubernetes.io/pod-uid"] = [token.pod_uid]
    return {
        "username": f"system:serviceaccount:{token.namespace}:{token.account}",
        "uid": f"uid of {token.account}",
        "groups": ["system:serviceaccounts", f"system:serviceaccounts:{token.namespace}"],
        "extra": extra,
    }


def _failure(status: int, message: str) -> tuple[int, _Json]:
    return status, {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": _REASONS[status],
        "code": status,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(
        self, address: tuple[str, int], handler: "type[_Handler]", cluster: ClusterServer
    ) -> None:
        self.cluster: Final = cluster
        super().__init__(address, handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: who asked trusts another authority, or has gone."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer one question, and close."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer one question that has a body, and close."""
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name of the base
        """Say nothing."""

    def _answer(self, body: bytes) -> None:
        self.close_connection = True
        cluster = cast("_Server", self.server).cluster
        bearer = self.headers.get("Authorization", "")
        status, answer = cluster.answer(self.command, self.path, bearer, body)
        instead = next(
            (it for begin, it in cluster.instead.items() if self.path.startswith(begin)),
            Instead(status=status, body=msgspec.json.encode(answer)),
        )
        if instead.is_hanging:
            cluster.stopping.wait()
            return
        content = instead.body
        if content is None:
            content = msgspec.json.encode(_failure(instead.status, "as a test says")[1])
        self.send_response(instead.status)
        for name, value in instead.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not instead.pause_seconds:
            self.wfile.write(content)
            return
        for byte in content:
            if cluster.stopping.wait(instead.pause_seconds):
                return
            self.wfile.write(bytes([byte]))
