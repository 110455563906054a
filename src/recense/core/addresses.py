"""Which hosts are on this machine, and which in one's own network: by address or by name."""

import ipaddress

_NEAR_ENDINGS = (".local", ".internal", ".localhost")


def is_near(host: str) -> bool:
    """Whether a host is in one's own network: a private address, or a name that only it knows."""
    address = _address(host)
    if address is not None:
        return address.is_private or address.is_loopback or address.is_link_local
    return "." not in host or host.endswith(_NEAR_ENDINGS)


def is_of_this_machine(host: str) -> bool:
    """Whether a host is reached without leaving this machine."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
