"""Any sequence of calls: the subject against the reference, by Hypothesis.

Hypothesis is no dependency of the package. This is the one place that looks for it, when the check
is made; without it the check is untested, and says so.
"""

import importlib
import importlib.util

from recense.conformance.vocabulary import Case, Untested, check

_MACHINE = "recense.conformance.machine"


@check("after any sequence of calls it tells what the reference tells")
def _(case: Case) -> None:
    if importlib.util.find_spec("hypothesis") is None:
        raise Untested("Hypothesis is not installed: pip install hypothesis")
    importlib.import_module(_MACHINE).compare(case)
