"""How a cluster is asked."""

from recense.core.values import Value
from recense.limits import CLUSTER_SECONDS_MAX


class KubernetesOptions(Value, kw_only=True):
    """How tokens of a Kubernetes cluster are exchanged.

    ``audience`` is what a token has to be for. The tenant is the namespace of the service account,
    or with ``tenant_label`` the value of that label of the namespace. ``folder`` is where the
    cluster mounts what this server is known by: ``token`` and ``ca.crt``; ``address`` is that of
    the API server, which has ``seconds_max`` for each answer.
    """

    audience: str
    tenant_label: str | None = None
    folder: str
    address: str
    seconds_max: float = CLUSTER_SECONDS_MAX
