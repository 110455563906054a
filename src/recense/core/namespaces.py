"""What a namespace is called, and what is called after it.

Law: two namespaces that differ in one code point share nothing, also where names that differ in
case alone are one (as files on Windows and macOS): a name that is made from a namespace holds a
digest of it. What is made of any namespace is safe as a name of a file, of a collection or of a
table: lower-case letters and digits of ASCII, ``_`` and ``-``.

Nothing is loaded here that starts slowly: the agent hook asks after every turn of an agent.
"""

import re
from hashlib import blake2b
from typing import Final

from recense.core.ids import DIGEST_BYTES
from recense.errors import NamespaceInvalid
from recense.limits import NAMESPACE_BASE_CODE_POINTS_MAX, NAMESPACE_CODE_POINTS_MAX

DEFAULT_NAMESPACE: Final = "default"
"""The namespace of who names none."""

_NAMESPACE: Final = re.compile(
    rf"(?=[_.:-]*[A-Za-z0-9])[A-Za-z0-9_.:-]{{1,{NAMESPACE_CODE_POINTS_MAX}}}"
)

_OTHER: Final = re.compile(r"[^a-z0-9]")


def is_namespace(name: str) -> bool:
    """Whether a text is a namespace: letters and digits of ASCII, at least one of them, ``_``,
    ``-``, ``.`` and ``:``, at most NAMESPACE_CODE_POINTS_MAX. Case matters.
    """
    return _NAMESPACE.fullmatch(name) is not None


def namespace_refused(shown: str, place: str = "") -> NamespaceInvalid:
    """Return the error for a text that is no namespace, as a message may show it; ``place`` is
    where it stands, if that is known.
    """
    return NamespaceInvalid(
        f"the namespace{place and ' in '}{place} is {shown}; expected letters, digits, '_', '-', "
        f"'.' and ':', at most {NAMESPACE_CODE_POINTS_MAX}, at least one a letter or digit",
        hint="letters are those of ASCII, and upper and lower case name different namespaces",
    )


def namespace_base_name(namespace: str) -> str:
    """Return what stands for a namespace in names of files and collections: the namespace in lower
    case with all else as ``_``, cut where it is long, and a digest of the namespace as it is.
    """
    base = _OTHER.sub("_", namespace.lower())[:NAMESPACE_BASE_CODE_POINTS_MAX]
    digest = blake2b(namespace.encode(), digest_size=DIGEST_BYTES, person=b"namespace")
    return f"{base}-{digest.hexdigest()}"
