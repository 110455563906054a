"""Every operation there is, in order: what servers, clients and documents are made from.

Law: an operation is described here and nowhere else. Within v1 a description only grows:
`docs/api-v1.md` and its schemas are made from it, and hold it.
"""

from collections.abc import Mapping
from typing import Final

from recense.operations.agent_operations import AGENT_OPERATIONS
from recense.operations.key_operations import KEY_OPERATIONS
from recense.operations.operation import AnyOperation, Operation, Scope, Surface
from recense.operations.registry_operations import REGISTRY_OPERATIONS
from recense.operations.session_operations import SESSION_OPERATIONS
from recense.operations.text_operations import TEXT_OPERATIONS
from recense.operations.typed_operations import TYPED_OPERATIONS
from recense.operations.upkeep_operations import UPKEEP_OPERATIONS

__all__ = ["OPERATIONS", "OPERATIONS_BY_NAME", "AnyOperation", "Operation", "Scope", "Surface"]

OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    *TEXT_OPERATIONS,
    *TYPED_OPERATIONS,
    *AGENT_OPERATIONS,
    *SESSION_OPERATIONS,
    *UPKEEP_OPERATIONS,
    *REGISTRY_OPERATIONS,
    *KEY_OPERATIONS,
)
"""Text, typed, agents, then what keeps a store; families in the order of a day's use."""

OPERATIONS_BY_NAME: Final[Mapping[str, AnyOperation]] = {each.name: each for each in OPERATIONS}
