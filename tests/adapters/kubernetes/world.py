"""A cluster on loopback with an authority of its own, and what exchanges its tokens."""

import ipaddress
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from recense.adapters.kubernetes import KubernetesIdentities
from recense.adapters.kubernetes.options import KubernetesOptions
from recense.adapters.memory.records import MemoryRecords
from recense.adapters.system import SystemClock
from recense.services.identity import IdentityExchange
from recense.services.keys import Keys
from recense.testing import FakeClock, FakeUptime, SeededChance
from recense.testing.cluster import ClusterServer, IssuedToken

AUDIENCE: Final = "recense"
OWN_TOKEN: Final = "own.token.of-this-server"
TENANT, POD, POD_UID = "harbour", "clerk-7f", "uid-of-clerk"
POD_PATH: Final = f"/api/v1/namespaces/{TENANT}/pods/{POD}"
T0: Final = 1_700_000_000_000_000
_DAY: Final = timedelta(days=1)


class Authority:
    """Signs certificates that hold for a day."""

    def __init__(self, name: str) -> None:
        self._key: Final = ec.generate_private_key(ec.SECP256R1())
        self._name: Final = _named(name)
        ends = x509.BasicConstraints(ca=True, path_length=None)
        self._certificate: Final = (
            self._begun(self._name, self._key.public_key())
            .add_extension(ends, critical=True)
            .sign(self._key, hashes.SHA256())
        )

    def write(self, path: Path) -> None:
        """Write its own certificate: what others trust."""
        path.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def serving(self, folder: Path, address: str = "127.0.0.1") -> ssl.SSLContext:
        """Return the context of a server at an address."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        certificate = (
            self._begun(_named("kube-apiserver"), key.public_key())
            .add_extension(names, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        file = folder / "server.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _begun(self, name: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY)
            .not_valid_after(now + _DAY)
        )


class ClusterWorld:
    """A cluster with one pod, whose token is ``token``, and a server of ours in it."""

    def __init__(self, cluster: ClusterServer, folder: Path) -> None:
        self.cluster: Final = cluster
        self.folder: Final = folder
        self.clock: Final = FakeClock(T0)
        self.keys: Final = Keys(MemoryRecords(FakeUptime()), self.clock, SeededChance(7))
        self.token: Final = "a.pods.token"
        (folder / "token").write_text(f"{OWN_TOKEN}\n", encoding="ascii")
        cluster.put(POD_PATH, POD_UID, serviceAccountName="clerk")
        cluster.tokens[self.token] = IssuedToken(
            namespace=TENANT,
            account="clerk",
            audiences=(AUDIENCE,),
            pod=POD,
            pod_uid=POD_UID,
        )

    def options(self, **fields: object) -> KubernetesOptions:
        """Return how the cluster is asked."""
        options = KubernetesOptions(
            audience=AUDIENCE, folder=str(self.folder), address=self.cluster.address
        )
        return replace(options, **fields)

    def identities(self, **fields: object) -> KubernetesIdentities:
        """Return what asks the cluster."""
        return KubernetesIdentities(self.options(**fields), SystemClock())

    def exchange(self, **fields: object) -> IdentityExchange:
        """Return what exchanges the tokens of the cluster."""
        return IdentityExchange(self.identities(**fields), self.keys)


@contextmanager
def cluster_world(folder: Path, authority: Authority) -> Generator[ClusterWorld]:
    """Serve a cluster whose authority is mounted."""
    authority.write(folder / "ca.crt")
    with ClusterServer(authority.serving(folder), OWN_TOKEN) as cluster:
        yield ClusterWorld(cluster, folder)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
