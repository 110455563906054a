"""The API server of a cluster, asked over HTTPS as the service account that this server runs as.

Laws:

- The certificate of the API server has to be signed by the cluster's own authority, and for the
  address that is asked. Nothing else is trusted, no proxy is used, no redirect is followed: our
  token, and that of the workload, go to the API server and to nobody else.
- Token and authority are read anew for each exchange: the cluster replaces both while we run.
- No message of ours has a token in it, nor anything that the API server sent.
"""

import re
import ssl
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from recense.adapters.kubernetes.options import KubernetesOptions
from recense.errors import IdentityUnavailable, MissingExtra, SettingsInvalid
from recense.limits import CLUSTER_REPLY_BYTES_MAX
from recense.ports.clock import Clock

try:
    import httpx2
except ImportError as error:
    raise MissingExtra(
        f"the exchange of a cluster's tokens needs httpx2, which is not installed: {error}",
        hint="install the extra: pip install 'recense[server]'",
    ) from error

Answer = TypeVar("Answer")

_TOKEN: Final = re.compile(r"[!-~]+")
_MS_PER_SECOND: Final = 1_000


class ApiServer:
    """Where questions about a cluster go. For any thread."""

    def __init__(self, options: KubernetesOptions, clock: Clock) -> None:
        """Raises SettingsInvalid for an address that is not https."""
        if not re.fullmatch(r"https://[^/@?#]+", options.address):
            raise SettingsInvalid(
                "the address of the API server is not https://HOST:PORT",
                hint="inside of a cluster it is known; give none",
            )
        self._address: Final = options.address
        self._folder: Final = Path(options.folder)
        self._seconds_max: Final = options.seconds_max
        self._clock: Final = clock

    @contextmanager
    def asked(self) -> "Generator[Asking]":
        """Give what asks, for the questions of one exchange. Raises IdentityUnavailable where what
        this server is known by cannot be read.
        """
        try:
            token = (self._folder / "token").read_text(encoding="ascii").strip()
            trusted = ssl.create_default_context(cafile=str(self._folder / "ca.crt"))
        except (OSError, UnicodeError) as error:
            raise IdentityUnavailable(
                f"what the cluster knows this server by cannot be read: {type(error).__name__}",
                hint="mount the token of its service account (automountServiceAccountToken)",
            ) from error
        if not _TOKEN.fullmatch(token):
            raise IdentityUnavailable(
                "the mounted token of this server is empty or no token",
                hint="mount the token of its service account (automountServiceAccountToken)",
            )
        with httpx2.Client(
            base_url=self._address,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            verify=trusted,
            trust_env=False,
            follow_redirects=False,
            timeout=self._seconds_max,
        ) as client:
            yield Asking(client, self._clock, self._seconds_max)


class Asking:
    """Asks the questions of one exchange."""

    def __init__(self, client: httpx2.Client, clock: Clock, seconds_max: float) -> None:
        self._client: Final = client
        self._clock: Final = clock
        self._seconds_max: Final = seconds_max

    def create(self, path: str, body: msgspec.Struct, form: type[Answer]) -> Answer:
        """Return what the API server makes of an object. Raises IdentityUnavailable."""
        status, content = self._reply("POST", path, msgspec.json.encode(body))
        if status not in {HTTPStatus.OK, HTTPStatus.CREATED}:
            raise _unavailable(status, path)
        return _read(content, form)

    def get(self, path: str, form: type[Answer]) -> Answer | None:
        """Return an object; None where there is none. Raises IdentityUnavailable."""
        status, content = self._reply("GET", path, None)
        if status == HTTPStatus.NOT_FOUND:
            return None
        if status != HTTPStatus.OK:
            raise _unavailable(status, path)
        return _read(content, form)

    def _reply(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers: Mapping[str, str] = {} if body is None else {"Content-Type": "application/json"}
        asked_ms = self._clock.elapsed_ms()
        try:
            with self._client.stream(method, path, content=body, headers=headers) as response:
                content = bytearray()
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > CLUSTER_REPLY_BYTES_MAX:
                        raise IdentityUnavailable(
                            f"the API server sent more than {CLUSTER_REPLY_BYTES_MAX} bytes"
                        )
                    if self._clock.elapsed_ms() - asked_ms > self._seconds_max * _MS_PER_SECOND:
                        raise IdentityUnavailable(
                            f"the API server sent no whole answer in {self._seconds_max:g} s"
                        )
                return response.status_code, bytes(content)
        except httpx2.HTTPError as error:
            raise IdentityUnavailable(
                f"the API server cannot be asked: {type(error).__name__}",
                hint="look whether it is reached from here, and signed by the mounted ca.crt",
            ) from error


def _read(content: bytes, form: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(content, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise IdentityUnavailable(
            f"the API server sent {len(content)} bytes that are no answer of its kind",
            hint="look whether the address leads to the API server of the cluster",
        ) from error


def _unavailable(status: int, path: str) -> IdentityUnavailable:
    what = path.rsplit("/", 1)[-1] if path.endswith("tokenreviews") else path.split("/")[-2]
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return IdentityUnavailable(
            f"the API server does not let this server ask for {what} (status {status})",
            hint="bind its service account as deploy/kubernetes/rbac.yaml does",
        )
    return IdentityUnavailable(
        f"the API server answered a question for {what} with status {status}",
        hint="try again later",
    )
