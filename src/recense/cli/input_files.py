"""What a person hands over in a file: JSON, read whole and to its end."""

from typing import TypeVar

import msgspec

from recense.errors import InvalidRequest, SourceUnreadable
from recense.limits import INPUT_BYTES_MAX

Document = TypeVar("Document")


def read_json(path: str, decoder: msgspec.json.Decoder[Document], expected: str) -> Document:
    """Return what a file of JSON holds. ``expected`` says what that should be.

    Raises SourceUnreadable for a file that cannot be read or is longer than INPUT_BYTES_MAX, and
    InvalidRequest for one that holds something else.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(INPUT_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no path of a file"
        raise SourceUnreadable(
            f"{path!r} cannot be read: {reason}", hint=f"name a file that holds {expected}"
        ) from error
    if len(content) > INPUT_BYTES_MAX:
        raise SourceUnreadable(
            f"{path!r} is longer than {INPUT_BYTES_MAX} bytes", hint="split it into several files"
        )
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequest(
            f"{path!r} does not hold {expected}: {error}", hint="JSON in UTF-8 is read"
        ) from error
