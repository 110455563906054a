"""Reading the secrets that a person names: values of `.env` files, for one run, in memory alone.

Law: no part of such a file is in a message.
"""

import os
import stat
from collections.abc import Sequence
from typing import NoReturn

from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets, parse_env
from recense.core.text.quoting import quoted
from recense.errors import SourceUnreadable
from recense.limits import SECRETS_FILE_BYTES_MAX
from recense.services.files import words_of


def read_known_secrets(paths: Sequence[str]) -> KnownSecrets:
    """Return the secrets of `.env` files.

    Raises SourceUnreadable for a path that is no regular file, cannot be read, is longer than
    SECRETS_FILE_BYTES_MAX or is not UTF-8: a secret that is not known would be kept.
    """
    if not paths:
        return NOTHING_KNOWN
    return KnownSecrets.of(value for path in paths for value in parse_env(_text_of(path)))


def _text_of(path: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            _refuse(path, "not a regular file")
        with open(path, "rb") as file:
            content = file.read(SECRETS_FILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        # The cause is left out: it may quote.
        _refuse(path, words_of(error) if isinstance(error, OSError) else "no path of a file")
    if len(content) > SECRETS_FILE_BYTES_MAX:
        _refuse(path, f"longer than {SECRETS_FILE_BYTES_MAX} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass  # the error holds the bytes: it goes no further than here
    return _refuse(path, "not in UTF-8")


def _refuse(path: str, reason: str) -> NoReturn:
    raise SourceUnreadable(
        f"secrets cannot be read from {quoted(path)}: {reason}",
        hint="name a file of NAME=value lines",
    ) from None
