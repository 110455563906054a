"""How a server is to serve, and what it says when it does; loaded without what serves."""

from recense.core.values import Value
from recense.limits import SERVER_PORT_DEFAULT


class ServeOptions(Value, kw_only=True):
    """How to serve. ``insecure`` answers without keys, on loopback alone; ``hosts`` and ``origins``
    are allowed besides the server's own; port 0 is one that is free. ``kubernetes`` is the audience
    of the tokens of a cluster that are exchanged for keys, None where none are; whose tenant each
    is, is said by the label ``kubernetes_tenant_label`` of its namespace, or by that itself.
    """

    host: str = "127.0.0.1"
    port: int = SERVER_PORT_DEFAULT
    insecure: bool = False
    watch: bool = False
    extract: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    kubernetes: str | None = None
    kubernetes_tenant_label: str | None = None


class Listening(Value, kw_only=True):
    """A server that answers: its address, the store it answers from, and whether it asks for
    keys.
    """

    address: str
    store: str
    insecure: bool
