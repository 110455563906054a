"""A Kubernetes cluster, asked who a workload is."""

from recense.adapters.kubernetes.identity import KubernetesIdentities

__all__ = ["KubernetesIdentities"]
