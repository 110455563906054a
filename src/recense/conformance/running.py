"""Running the checks, and what came of them."""

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import Literal

from recense.conformance import checks as checks_package
from recense.conformance import joint_checks as joint_checks_package
from recense.conformance import record_checks as record_checks_package
from recense.conformance.joint_vocabulary import JOINT, JointCheck, JointOpener
from recense.conformance.record_vocabulary import RECORDS, RecordCheck, RecordOpener
from recense.conformance.vocabulary import (
    TRANSCRIPTS,
    CaseOf,
    Check,
    CheckFailed,
    CheckOf,
    Opener,
    OpenerOf,
    StoreT,
    Suite,
    Untested,
)
from recense.core.values import Value
from recense.errors import RecenseError

Verdict = Literal["passed", "failed", "untested"]


class Outcome(Value, kw_only=True):
    """What came of one check; ``detail`` says why it failed or could not be made."""

    sentence: str
    verdict: Verdict
    detail: str = ""


class Report(Value, kw_only=True):
    """What came of every check, in the order they were made."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether checks were made, and none failed or was left untested."""
        verdicts = {outcome.verdict for outcome in self.outcomes}
        return verdicts == {"passed"}

    def lines(self) -> list[str]:
        """Return the report for a person: one line a check, then the sum."""
        counts = {
            verdict: sum(outcome.verdict == verdict for outcome in self.outcomes)
            for verdict in ("passed", "failed", "untested")
        }
        return [
            *(
                f"{outcome.verdict:8}  {outcome.sentence}"
                + (f"  ({outcome.detail})" if outcome.detail else "")
                for outcome in self.outcomes
            ),
            ", ".join(f"{count} {verdict}" for verdict, count in counts.items()),
        ]


def all_checks() -> tuple[Check, ...]:
    """Return every check of a store of transcripts, by sentence."""
    return _found(checks_package, TRANSCRIPTS)


def all_record_checks() -> tuple[RecordCheck, ...]:
    """Return every check of a store of records, by sentence."""
    return _found(record_checks_package, RECORDS)


def all_joint_checks() -> tuple[JointCheck, ...]:
    """Return every check of two stores on one place, by sentence."""
    return _found(joint_checks_package, JOINT)


def run(open_subject: Opener, open_reference: Opener) -> Report:
    """Make every check on a store of transcripts and report."""
    return _run(all_checks(), open_subject, open_reference)


def run_records(open_subject: RecordOpener, open_reference: RecordOpener) -> Report:
    """Make every check on a store of records and report.

    An opener may also have what `recense.conformance.record_vocabulary` says: without it some
    checks are made by threads, wait, or are left untested.
    """
    return _run(all_record_checks(), open_subject, open_reference)


def run_joint(open_subject: JointOpener, open_reference: JointOpener) -> Report:
    """Make every check on stores of transcripts and of records that lie on one place, and
    report.
    """
    return _run(all_joint_checks(), open_subject, open_reference)


def run_check(
    check: CheckOf[StoreT],
    name: str,
    open_subject: OpenerOf[StoreT],
    open_reference: OpenerOf[StoreT],
) -> Outcome:
    """Make one check, on stores whose names begin with ``name``.

    An error of the subject's that the check did not ask for fails it; anything that is no
    RecenseError passes through, for it is a bug and its traceback is wanted.
    """
    case = CaseOf(name, open_subject, open_reference)
    try:
        check.attempt(case)
    except Untested as reason:
        return Outcome(sentence=check.sentence, verdict="untested", detail=str(reason))
    except CheckFailed as failure:
        notes: list[str] = getattr(failure, "__notes__", [])  # where Hypothesis writes the steps
        detail = "\n".join([str(failure), *notes])
        return Outcome(sentence=check.sentence, verdict="failed", detail=detail)
    except RecenseError as error:
        detail = f"{type(error).__name__}: {error}"
        return Outcome(sentence=check.sentence, verdict="failed", detail=detail)
    finally:
        case.close()
    return Outcome(sentence=check.sentence, verdict="passed", detail=case.notes())


def _found(package: ModuleType, suite: Suite[StoreT]) -> tuple[CheckOf[StoreT], ...]:
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return tuple(check for _, check in sorted(suite.registered.items()))


def _run(
    checks: Iterable[CheckOf[StoreT]],
    open_subject: OpenerOf[StoreT],
    open_reference: OpenerOf[StoreT],
) -> Report:
    return Report(
        outcomes=tuple(
            run_check(check, f"check-{number}", open_subject, open_reference)
            for number, check in enumerate(checks)
        )
    )
