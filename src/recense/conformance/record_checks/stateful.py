"""Any sequence of calls: the subject against the reference, by Hypothesis.

Hypothesis is no dependency of the package: without it the check is untested, and says so.
"""

import importlib
import importlib.util

from recense.conformance.record_vocabulary import RecordCase, record_check
from recense.conformance.vocabulary import Untested

_MACHINE = "recense.conformance.record_machine"


@record_check("after any sequence of calls its records are those of the reference")
def _(case: RecordCase) -> None:
    if importlib.util.find_spec("hypothesis") is None:
        raise Untested("Hypothesis is not installed: pip install hypothesis")
    importlib.import_module(_MACHINE).compare(case)
