"""Which namespaces a store has: a record for each but the default one, which is always there.

A name is kept before the file of the namespace is made, and files cannot be read for names; so no
namespace is without its name here.
"""

from typing import Final

from recense.core.namespaces import (
    DEFAULT_NAMESPACE,
    is_namespace,
    namespace_base_name,
    namespace_refused,
)
from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.ports.clock import Clock
from recense.ports.records import Append, Record, RecordStore

NAMESPACES: Final = "_namespaces"


def require_namespace(name: str) -> str:
    """Return a namespace as it is.

    Raises NamespaceInvalid for a text that is none, or a secret: a file is called after it.
    """
    if not is_namespace(name) or redact(name).text != name:
        raise namespace_refused(quoted(name))
    return name


def note_namespace(control: RecordStore, namespace: str, clock: Clock) -> None:
    """Keep that there is a namespace; a second call changes nothing."""
    require_namespace(namespace)
    if namespace != DEFAULT_NAMESPACE:
        record = Record(
            collection=NAMESPACES,
            record_id=namespace_base_name(namespace),
            body=namespace.encode(),
        )
        control.append(Append(records=(record,)), now=clock.now())


def known_namespaces(control: RecordStore) -> tuple[str, ...]:
    """Return every namespace that was noted, in order, and the default one before them."""
    with control.snapshot() as reader:
        noted = reader.list(NAMESPACES, counted=False).records
    return (DEFAULT_NAMESPACE, *sorted(record.body.decode() for record in noted))
