"""What the two clients share: the address, the key and the headers of a server."""

import re
import ssl
from typing import Final

from recense.client.exchange import Sending, ServerReply, Unanswered
from recense.core.addresses import is_near, is_of_this_machine
from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest, MissingExtra, SettingsInvalid

try:
    import httpx2
except ImportError as error:
    raise MissingExtra(
        f"a client needs httpx2, which is not installed: {error}",
        hint="install the extra: pip install 'recense[client]'",
    ) from error

_PORTS: Final = {"http": 80, "https": 443}
_HEADER_TEXT: Final = re.compile(r"[!-~]+")
_NOBODY: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts no certificate, for where none is shown: to load what the system trusts takes 60 ms."""


class ServerAccess:
    """A server and the key by which it is asked.

    Raises SettingsInvalid for an address that is none, a key that no header can carry, and a key
    that would go over plain http to a machine elsewhere.
    """

    def __init__(self, url: str, key: str | None) -> None:
        self.address: Final = _checked(url)
        self._headers: Final = {"Content-Type": "application/json", "Accept": "application/json"}
        if key is not None:
            _check_key(key, self.address)
            self._headers["Authorization"] = f"Bearer {key}"
        self.trusts_environment: Final = not is_of_this_machine(self.address.host)
        self.verify: Final = (
            _NOBODY if self.address.scheme == "http" else httpx2.create_ssl_context()
        )

    def headers(self, sending: Sending) -> dict[str, str]:
        """Return the headers of a request."""
        if sending.idempotency_key is None:
            return self._headers
        return self._headers | {"Idempotency-Key": sending.idempotency_key}

    def url(self, sending: Sending) -> httpx2.URL:
        """Return the address of a request."""
        return self.address.copy_with(path=self.address.path.rstrip("/") + sending.path)

    def reply_of(self, response: httpx2.Response) -> ServerReply:
        """Return what came back."""
        return ServerReply(
            status=response.status_code,
            body=response.content,
            retry_after=response.headers.get("Retry-After"),
            address=str(self.address),
        )

    def failed(self, error: Exception, client: httpx2.Client | httpx2.AsyncClient) -> Unanswered:
        """Return why nothing whole came back. A RuntimeError is what a client says that another
        closed while this was under way; raised again where it was not closed.
        """
        if isinstance(error, RuntimeError) and not client.is_closed:
            raise error
        return self.unanswered(error)

    def unanswered(self, error: Exception) -> Unanswered:
        """Return why nothing whole came back, and from where."""
        address = self.address
        port = address.port or _PORTS[address.scheme]
        host = f"[{address.host}]" if ":" in address.host else address.host
        why = str(error) or type(error).__name__
        return Unanswered(why=f"{address.scheme}://{host}:{port}: {why}")


def require_open(client: httpx2.Client | httpx2.AsyncClient) -> None:
    """Raise InvalidRequest for a client that was closed."""
    if client.is_closed:
        raise InvalidRequest(
            "the client is closed, and nothing was sent",
            hint="ask before it is closed, or within its `with` block; or make another",
        )


def _checked(url: str) -> httpx2.URL:
    try:
        address = httpx2.URL(url)
        address.host.encode("idna")  # a label that is empty or too long is found only when asked
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise _bad(url, "it is no URL") from error
    if address.scheme not in {"http", "https"} or not address.host:
        raise _bad(url, "it begins with neither https:// nor http://, or names no host")
    if address.userinfo or address.query or address.fragment:
        raise _bad(url, "it holds more than a host and a path")
    return address


def _bad(url: str, why: str) -> SettingsInvalid:
    return SettingsInvalid(
        f"the address of the server is {quoted(url)}: {why}",
        hint="for example http://127.0.0.1:7373",
    )


def _check_key(key: str, address: httpx2.URL) -> None:
    if not _HEADER_TEXT.fullmatch(key):
        raise SettingsInvalid(
            "the key is empty, or holds blanks or characters beyond ASCII",
            hint="look for a line break or a quotation mark that was copied along",
        )
    if address.scheme == "http" and not is_near(address.host):
        raise SettingsInvalid(
            f"a key would go to {quoted(address.host)} over http: anybody on the way reads it",
            hint="use https",
        )
