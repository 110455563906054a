"""What a store has to pass, shipped so that whoever writes one can run it.

    from recense.conformance import run, run_joint, run_records

    report = run(open_subject, open_reference)  # of a store of transcripts
    report = run_records(open_subject, open_reference)  # of a store of records
    report = run_joint(open_subject, open_reference)  # of both on one place

Both arguments open a store by a name: a new one for a name not used before, the same one again for
a name used before, also after it was closed. The reference is `recense.adapters.memory`.

Laws: checks are found by their decorator, never listed; each starts from a fresh store; a run
without a check is a failure; what could not be tested is said to be untested, never passed.
"""

from recense.conformance.joint_vocabulary import JointCheck, JointOpener, JointStores
from recense.conformance.record_vocabulary import RecordCheck, RecordOpener
from recense.conformance.running import (
    Outcome,
    Report,
    all_checks,
    all_joint_checks,
    all_record_checks,
    run,
    run_check,
    run_joint,
    run_records,
)
from recense.conformance.vocabulary import Check, CheckFailed, Opener

__all__ = [
    "Check",
    "CheckFailed",
    "JointCheck",
    "JointOpener",
    "JointStores",
    "Opener",
    "Outcome",
    "RecordCheck",
    "RecordOpener",
    "Report",
    "all_checks",
    "all_joint_checks",
    "all_record_checks",
    "run",
    "run_check",
    "run_joint",
    "run_records",
]
