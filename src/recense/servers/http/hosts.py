"""The hosts that a server answers as, and the origins of the pages that may ask it.

Law: any web page can reach a server on this machine, under a name that its own server chose (DNS
rebinding). So the name in ``Host`` has to be one of ours, and a page that says where it comes from
(``Origin``) has to be one of ours or one that was allowed by its exact origin. An address in digits
cannot be rebound; where we listen for others, it is how probes and balancers ask.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from recense.core.addresses import is_of_this_machine
from recense.core.text.quoting import quoted
from recense.errors import HostRefused, OriginRefused, SettingsInvalid

_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^][:@/\s]+)(?::([0-9]{0,5}))?")
"""A name, or an address in digits, and a port; what stands behind that belongs to no host."""

_PORT_MAX: Final = 65_535
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class AllowedHosts:
    """The hosts and origins of one server."""

    def __init__(
        self, host: str, *, hosts: Iterable[str] = (), origins: Iterable[str] = ()
    ) -> None:
        """``host`` is where it listens; ``hosts`` and ``origins`` are allowed besides. Raises
        SettingsInvalid for an origin that is none.
        """
        self._takes_digits: Final = not is_of_this_machine(host)
        self._hosts: Final = _LOOPBACK_NAMES | {each.lower() for each in (host, *hosts)}
        self._origins: Final = frozenset(map(_origin, origins))

    def require_host(self, host: bytes | None) -> None:
        """Raise HostRefused unless a call is addressed to this server by a name of its own."""
        given = (host or b"").decode("latin-1")
        name = _name_of(given)
        if name in self._hosts or (self._takes_digits and _is_digits(name)):
            return
        raise HostRefused(
            f"the host {quoted(name or given)} is no name of this server",
            hint="start it with --allow-host for each further name under which it is asked",
        )

    def require_origin(self, origin: bytes | None, host: bytes | None) -> bool:
        """Return whether a page elsewhere, which is allowed, makes a call.

        ``host`` is the name that `require_host` let pass: a page of this server itself comes from
        there. Raises OriginRefused for any other page.
        """
        if origin is None:
            return False
        named = origin.decode("latin-1")
        if named in self._origins:
            return True
        if host is not None and named.partition("://")[2] == host.decode("latin-1"):
            return False
        raise OriginRefused(
            f"pages from {quoted(named)} may not ask this server",
            hint="start it with --allow-origin for each page elsewhere that may",
        )


def _name_of(host: str) -> str:
    """Return the name in a ``Host``, without a port; nothing where that is more, or less, than a
    host and a port.
    """
    named = _HOST.fullmatch(host)
    if named is None or int(named[2] or 0) > _PORT_MAX:
        return ""
    return named[1].lower()


def _is_digits(name: str) -> bool:
    try:
        if name.startswith("["):
            ipaddress.IPv6Address(name[1:-1])
        else:
            ipaddress.IPv4Address(name)
    except ValueError:
        return False
    return True


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or f"{parts.scheme}://{parts.netloc}" != text:
        raise SettingsInvalid(
            f"{quoted(text)} is no origin; expected one like https://notes.example",
            hint="scheme, host and port, and nothing after them; there is no wildcard",
        )
    return text
