"""The objects of a cluster, as far as they are asked for and read here.

Field names are those of the API of Kubernetes; what is not named here is passed over. See
authentication.k8s.io/v1 TokenReview, v1 Pod, v1 Namespace, and agents.x-k8s.io of agent-sandbox.
"""

from typing import Final

from recense.core.values import Value

POD_NAME: Final = "authentication.kubernetes.io/pod-name"
POD_UID: Final = "authentication.kubernetes.io/pod-uid"
"""What a token that is bound to a pod says of it, as the API server found it to be."""


class ReviewAsked(Value, kw_only=True):
    """A token, and for whom it has to be."""

    token: str
    audiences: tuple[str, ...]


class ReviewToken(Value, kw_only=True, rename="camel"):
    """The question whose a token is."""

    api_version: str = "authentication.k8s.io/v1"
    kind: str = "TokenReview"
    spec: ReviewAsked


class ReviewedUser(Value, kw_only=True):
    """Whose a token is."""

    username: str = ""
    uid: str = ""
    extra: dict[str, tuple[str, ...]] = {}


class ReviewStatus(Value, kw_only=True):
    """Whether a token holds, for whom it is and whose it is."""

    authenticated: bool = False
    user: ReviewedUser = ReviewedUser()
    audiences: tuple[str, ...] = ()
    error: str = ""


class ReviewedToken(Value, kw_only=True):
    """The answer whose a token is."""

    kind: str
    status: ReviewStatus


class OwnerReference(Value, kw_only=True, rename="camel"):
    """Who owns an object; one owner at most is its ``controller``."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool = False


class ObjectMetadata(Value, kw_only=True, rename="camel"):
    """What every object is known by."""

    name: str
    uid: str
    namespace: str = ""
    labels: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    deletion_timestamp: str | None = None


class PodAsWanted(Value, kw_only=True, rename="camel"):
    """What a pod was made to be."""

    service_account_name: str = ""


class ClusterPod(Value, kw_only=True):
    """A pod."""

    metadata: ObjectMetadata
    spec: PodAsWanted


class ClusterObject(Value, kw_only=True):
    """Any object, by what it is known by."""

    metadata: ObjectMetadata
