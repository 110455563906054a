"""Rules that find something else have another version: coverage is kept by it.

Their sources, and the tables and bounds in them, are known by a digest, kept in
golden/rules_version.json beside the version under which it was taken. Comments, docstrings and
layout do not count. What redaction and folding find has versions of its own.
"""

import json
import os
from pathlib import Path
from typing import Final

from recense.core.extraction.rules import RULES_VERSION
from tests.conftest import PROJECT
from tests.core.recall.test_versions import digest_of

GOLDEN: Final = Path(__file__).parent / "golden" / "rules_version.json"
FOLDER: Final = PROJECT / "src" / "recense" / "core" / "extraction"


def test_rules_that_changed_have_another_version() -> None:
    """`RECENSE_WRITE_GOLDEN=1` writes the digest anew: raise the number first where it is due."""
    modules = sorted(f"recense.core.extraction.{path.stem}" for path in FOLDER.glob("rules*.py"))
    found = {"version": RULES_VERSION, "digest": digest_of(modules)}
    if os.environ.get("RECENSE_WRITE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    kept = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert kept == found, (
        f"the rules are others than those of version {kept['version']}: if what they find has "
        "changed, raise RULES_VERSION in src/recense/core/extraction/rules.py; then run this test "
        "with RECENSE_WRITE_GOLDEN=1"
    )
