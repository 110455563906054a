"""How a server is to serve, and what it says when it does; loaded without what serves."""

from recense.core.values import Value
from recense.limits import SERVER_PORT_DEFAULT


class ServeOptions(Value, kw_only=True):
    """How to serve. ``insecure`` answers without keys, on loopback alone; ``hosts`` and ``origins``
    are allowed besides the server's own; port 0 is one that is free. With an audience,
    tokens for it that the cluster issued are exchanged for keys, of the tenant that
    ``tenant_label`` names.
    """

    host: str = "127.0.0.1"
    port: int = SERVER_PORT_DEFAULT
    insecure: bool = False
    watch: bool = False
    extract: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    kubernetes_audience: str | None = None
    tenant_label: str | None = None


class Listening(Value, kw_only=True):
    """A server that answers: its address, the store it answers from, and whether it asks for
    keys.
    """

    address: str
    store: str
    insecure: bool
