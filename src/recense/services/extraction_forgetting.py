"""Forgetting what is kept of reading sessions: what was proposed repeats what they said.

Law: it comes after the session is gone from the ledger, so that whoever is killed in between does
it again when the session is named again.
"""

from collections.abc import Iterable

from recense.ports.records import ContainsAny, RecordStore
from recense.services.extraction_collection import EXTRACTION, LISTS, session_list


def forget_extraction(records: RecordStore, sessions: Iterable[str]) -> int:
    """Remove all that is kept of reading some sessions; return how many records that were. Their
    bytes are gone as far as readers of an earlier moment let it. A second call finds nothing.
    """
    lists = tuple(map(session_list, sessions))
    with records.snapshot() as reader:
        where = (ContainsAny(field=LISTS, values=lists),)
        found = reader.list(EXTRACTION, where, counted=False).records
    return records.delete(EXTRACTION, [each.record_id for each in found]) if found else 0
