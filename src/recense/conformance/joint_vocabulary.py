"""The words that checks of two stores on one place are written in: transcripts and records whose
commits reach both. An opener may have the ``uptime`` of `recense.conformance.record_vocabulary`.
"""

from typing import Final, Protocol

from recense.conformance.vocabulary import CaseOf, CheckOf, OpenerOf, Suite
from recense.ports.records import RecordStore
from recense.ports.transcripts import TranscriptStore


class JointStores(Protocol):
    """A store of transcripts and a store of records on one place."""

    @property
    def transcripts(self) -> TranscriptStore:
        """The store of transcripts."""
        ...

    @property
    def records(self) -> RecordStore:
        """The store of records."""
        ...

    def close(self) -> None:
        """Let go of both."""
        ...


JointOpener = OpenerOf[JointStores]
JointCase = CaseOf[JointStores]
JointCheck = CheckOf[JointStores]

JOINT: Final = Suite[JointStores]()

joint_check = JOINT.check
