"""The operations that keep a store in order: converting, indexing, extracting, examining."""

from typing import Final

from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    IndexReport,
    IndexRequest,
    NothingAsked,
)
from recense.operations.extraction import (
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    StatusRequest,
)
from recense.operations.operation import AnyOperation, Operation

CONVERT: Final = Operation(
    name="convert",
    summary="Convert what is archived and not converted yet, and index it.",
    request=NothingAsked,
    answer=ConvertReport,
    surface="admin",
    scope="admin",
    changes=True,
    lasting=True,
    abandonable=True,
)
INDEX: Final = Operation(
    name="index",
    summary="Index what is converted and not indexed yet, or everything anew.",
    request=IndexRequest,
    answer=IndexReport,
    surface="admin",
    scope="admin",
    changes=True,
    lasting=True,
    abandonable=True,
)
EXTRACT_STATUS: Final = Operation(
    name="extract_status",
    summary="Tell how far sessions are read for facts, and what reading the rest takes.",
    request=StatusRequest,
    answer=ExtractionStatus,
    surface="admin",
    scope="admin",
    lasting=True,
    abandonable=True,
)
EXTRACT_RUN: Final = Operation(
    name="extract_run",
    summary="Read sessions for facts, those named or all of them.",
    request=ExtractRequest,
    answer=ExtractReport,
    surface="admin",
    scope="admin",
    changes=True,
    lasting=True,
    abandonable=True,
)
DOCTOR: Final = Operation(
    name="doctor",
    summary="Examine the store, and tell what is wrong and what to do.",
    request=NothingAsked,
    answer=Health,
    surface="admin",
    scope="admin",
    lasting=True,
    abandonable=True,
)
DIGEST: Final = Operation(
    name="digest",
    summary="Give the digest of the store: equal digests mean equal sessions.",
    request=NothingAsked,
    answer=Digest,
    surface="admin",
    scope="admin",
    lasting=True,
    abandonable=True,
)

UPKEEP_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    CONVERT,
    INDEX,
    EXTRACT_STATUS,
    EXTRACT_RUN,
    DOCTOR,
    DIGEST,
)
