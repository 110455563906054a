"""What reading settings loads late, and why.

Where the store is, the agent hook asks after every turn of an agent, on most machines without a
settings file and with a plain path. What only the other cases need takes longer to load than the
rest together; it is loaded here, inside functions, and nowhere else.
"""

from typing import cast


def decoded_path(path: str) -> str:
    """Return the path of a URL with its percent escapes decoded."""
    if "%" not in path:
        return path
    from urllib.parse import unquote  # noqa: PLC0415 -- it reads addresses of networks too

    return unquote(path)


def decoded_toml(content: bytes) -> dict[str, object]:
    """Return what a TOML file holds. Raises ValueError for one that is not TOML in UTF-8."""
    import tomllib  # noqa: PLC0415 -- most machines have no settings file

    return cast("dict[str, object]", tomllib.loads(content.decode("utf-8")))


def quoted(text: str) -> str:
    """Return a text as a message may repeat it: see `recense.core.text.quoting`."""
    from recense.core.text import quoting  # noqa: PLC0415 -- the engine of redaction

    return quoting.quoted(text)


def nearest_of(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that looks most like this one, or None."""
    from difflib import get_close_matches  # noqa: PLC0415 -- only a mistyped setting needs it

    return next(iter(get_close_matches(name, known, n=1)), None)


def require_namespace(namespace: str, place: str) -> None:
    """Raise NamespaceInvalid for a text that is no namespace or a secret, saying where it is."""
    from recense.core import namespaces  # noqa: PLC0415 -- most machines have but the default one
    from recense.core.text.redact import redact  # noqa: PLC0415 -- likewise

    if not namespaces.is_namespace(namespace) or redact(namespace).text != namespace:
        raise namespaces.namespace_refused(quoted(namespace), place)


def base_name_of(namespace: str) -> str:
    """Return what names the file of a namespace: see `recense.core.namespaces`."""
    from recense.core import namespaces  # noqa: PLC0415 -- see above

    return namespaces.namespace_base_name(namespace)
