"""How tokens of a cluster are exchanged for keys; loaded by a server that is told to."""

from collections.abc import Mapping
from typing import Final

from recense.adapters.kubernetes import KubernetesIdentities
from recense.adapters.kubernetes.options import KubernetesOptions
from recense.adapters.system import SystemClock
from recense.errors import SettingsInvalid
from recense.services.identity import IdentityExchange
from recense.services.keys import Keys

_MOUNTED: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where a cluster mounts the token and the authority of a pod's service account."""


def kubernetes_options(
    audience: str, environment: Mapping[str, str], *, tenant_label: str | None = None
) -> KubernetesOptions:
    """Return how the cluster is asked that this process runs in. Raises SettingsInvalid where it
    runs in none.
    """
    host = environment.get("KUBERNETES_SERVICE_HOST", "")
    port = environment.get("KUBERNETES_SERVICE_PORT", "")
    if not host or not port:
        raise SettingsInvalid(
            "this process runs in no Kubernetes cluster: KUBERNETES_SERVICE_HOST and "
            "KUBERNETES_SERVICE_PORT are not set",
            hint="exchange tokens of a cluster inside of that cluster",
        )
    shown = f"[{host}]" if ":" in host else host
    return KubernetesOptions(
        audience=audience,
        tenant_label=tenant_label,
        folder=_MOUNTED,
        address=f"https://{shown}:{port}",
    )


def kubernetes_exchange(options: KubernetesOptions, keys: Keys) -> IdentityExchange:
    """Return what exchanges the tokens of a cluster for keys. Raises SettingsInvalid for an
    audience or an address that is none; MissingExtra is raised when this module is loaded.
    """
    return IdentityExchange(KubernetesIdentities(options, SystemClock()), keys)
