"""Where each setting came from: defaults < recense.toml < environment RECENSE_* < flags.

The file is the first of ``recense.toml`` in the working directory and ``recense/recense.toml`` in
the user's configuration folder that exists. The agent hook asks this after every turn of an agent,
so nothing is loaded here that starts slowly.
"""

import os
import sys
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, cast

from recense.errors import SettingsInvalid
from recense.limits import (
    EXTRACTION_CHUNK_TOKENS_DEFAULT,
    EXTRACTION_CHUNK_TOKENS_MAX,
    EXTRACTION_CHUNK_TOKENS_MIN,
    EXTRACTION_DAILY_TOKENS_DEFAULT,
    EXTRACTION_DAILY_TOKENS_MAX,
    EXTRACTION_MICROS_MAX,
)
from recense.settings.late import (
    base_name_of,
    decoded_path,
    decoded_toml,
    nearest_of,
    quoted,
    require_namespace,
)

if sys.platform != "win32":
    import pwd

FILE_NAME: Final = "recense.toml"

SettingOrigin = Literal["default", "file", "environment", "flag"]

_DEFAULT_NAMESPACE: Final = "default"
"""As `recense.core.namespaces` names it, which is loaded for any other."""

_PERSONAL: Final = frozenset(
    {
        "extraction_daily_micros",
        "extraction_daily_tokens",
        "extraction_input_price_micros",
        "extraction_output_price_micros",
        "extractor",
        "extractor_model",
        "extractor_url",
        "incognito",
        "namespace",
        "store",
        "store_secrets",
    }
)
"""Settings that a file in the working folder may not hold: it may have come with a repository."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "store_secrets": ("redact", "keep"),
    "keep_source": ("compressed", "drop"),
    "synchronous": ("normal", "full"),
    "incognito": ("off", "on"),
    "registry": ("open", "closed"),
    "extractor": ("rules", "openai", "anthropic", "ollama"),
}

_BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "extraction_chunk_tokens": (EXTRACTION_CHUNK_TOKENS_MIN, EXTRACTION_CHUNK_TOKENS_MAX),
    "extraction_daily_tokens": (0, EXTRACTION_DAILY_TOKENS_MAX),
    "extraction_input_price_micros": (0, EXTRACTION_MICROS_MAX),
    "extraction_output_price_micros": (0, EXTRACTION_MICROS_MAX),
    "extraction_daily_micros": (0, EXTRACTION_MICROS_MAX),
}


class SettingLayers(NamedTuple):
    """The value of every setting, the layer each came from, and the settings file, if any."""

    values: dict[str, str]
    origins: dict[str, SettingOrigin]
    file: str | None


def home_folder(environment: Mapping[str, str]) -> str:
    """Return the home folder of the person, an absolute path.

    ``HOME`` where it is one; where it is not set, empty or relative, what the system has on record:
    an empty one would put a person's memory at the root of the file system. Raises SettingsInvalid
    where nobody knows.
    """
    home = os.path.expanduser("~")
    if sys.platform != "win32" and not os.path.isabs(environment.get("HOME", "")):
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not os.path.isabs(home):
        raise SettingsInvalid(
            "the home folder is not known", hint="set HOME to the absolute path of a folder"
        )
    return home


def read_layers(
    flags: Mapping[str, str], environment: Mapping[str, str], home: str, working_directory: str
) -> SettingLayers:
    """Return the settings in force. ``flags`` holds only those that were given.

    Raises SettingsInvalid for an unknown name, an impossible value or an unreadable file, and
    NamespaceInvalid; the message says where it stands.
    """
    folder = data_folder(environment, home)
    values: dict[str, str] = {
        "store": _url_of(os.path.join(folder, "recense.db")),
        "namespace": "default",
        "store_secrets": "redact",
        "keep_source": "compressed",
        "synchronous": "normal",
        "incognito": "off",
        "registry": "open",
        "extractor": "rules",
        "extractor_model": "",
        "extractor_url": "",
        "extraction_chunk_tokens": str(EXTRACTION_CHUNK_TOKENS_DEFAULT),
        "extraction_daily_tokens": str(EXTRACTION_DAILY_TOKENS_DEFAULT),
        "extraction_input_price_micros": "0",
        "extraction_output_price_micros": "0",
        "extraction_daily_micros": "0",
        "timezone": "UTC",
    }
    origins: dict[str, SettingOrigin] = dict.fromkeys(values, "default")
    file = _settings_file(environment, home, working_directory)
    in_file = {} if file is None else _read_file(file)
    if file is not None and file == os.path.join(working_directory, FILE_NAME):
        _refuse_what_a_folder_may_not_decide(file, in_file)
    layers: tuple[tuple[SettingOrigin, str, Mapping[str, str]], ...] = (
        ("file", file or "", in_file),
        ("environment", "environment", _from_environment(environment, values)),
        ("flag", "flags", flags),
    )
    for origin, place, layer in layers:
        for name, value in layer.items():
            if name not in values:
                raise SettingsInvalid(
                    f"unknown setting {quoted(name)} in {place}; expected one of "
                    f"{', '.join(values)}",
                    hint=_nearest(name, values),
                )
            _check(name, value, place)
            values[name], origins[name] = value, origin
    return SettingLayers(values=values, origins=origins, file=file)


def store_file(url: str, namespace: str) -> str | None:
    """Return the file of a store, ``sqlite:///path`` or a plain path; None for any other URL.

    ``sqlite:///tmp/a.db`` is ``/tmp/a.db`` as in a file URL. Every namespace but ``default`` is a
    file of its own in the folder ``a.db.d`` beside it: the folder has the whole name of the file,
    so that stores whose names differ in their suffix alone share nothing.
    """
    path = _named_file(url)
    if path is None or namespace == _DEFAULT_NAMESPACE:
        return path
    return os.path.join(f"{path}.d", f"{base_name_of(namespace)}.db")


def control_file(url: str) -> str | None:
    """Return the file that holds the keys of a store and the list of its namespaces, beside it;
    None for a URL that names no file.
    """
    path = _named_file(url)
    return None if path is None else f"{path}.control.db"


def _named_file(url: str) -> str | None:
    scheme, separator, rest = url.partition(":")
    if not separator or len(scheme) == 1 or os.sep in scheme:  # a path; one letter is a drive
        return os.path.abspath(os.path.expanduser(url))
    if scheme != "sqlite":
        return None
    if not rest.startswith("//"):
        return os.path.abspath(os.path.expanduser(rest))
    if not rest.startswith("///"):  # two slashes and a name: a host
        return None
    path = decoded_path(rest.removeprefix("//"))
    if os.name == "nt":  # /C:/store.db
        return os.path.abspath(path.lstrip("/"))
    return os.path.abspath("/" + path.lstrip("/"))


def _refuse_what_a_folder_may_not_decide(file: str, in_file: Mapping[str, str]) -> None:
    """Refuse what would let a folder that somebody else made move or bare a person's sessions."""
    for name in sorted(_PERSONAL & in_file.keys()):
        raise SettingsInvalid(
            f"setting {name} stands in {file}, and a working folder may not decide it",
            hint="move it to recense.toml in your own configuration folder, or use the environment",
        )


def _check(name: str, value: str, place: str) -> None:
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise SettingsInvalid(
            f"setting {name} in {place} is {quoted(value)}; expected {' or '.join(choices)}"
        )
    bounds = _BOUNDS.get(name)
    if bounds is not None and not _is_between(value, *bounds):
        raise SettingsInvalid(
            f"setting {name} in {place} is {quoted(value)}; expected a number from {bounds[0]} "
            f"to {bounds[1]}"
        )
    if name == "namespace" and value != _DEFAULT_NAMESPACE:
        require_namespace(value, place)
    if name == "store" and not value.strip():
        raise SettingsInvalid(
            f"store in {place} is empty", hint="name a store like sqlite:///path/to/recense.db"
        )


def _from_environment(environment: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among RECENSE_* variables; others of that prefix are not ours to
    judge.
    """
    found = {name: environment.get(f"RECENSE_{name.upper()}") for name in known}
    return {name: value for name, value in found.items() if value}


def _settings_file(environment: Mapping[str, str], home: str, working_directory: str) -> str | None:
    candidates = (
        os.path.join(working_directory, FILE_NAME),
        os.path.join(_configuration_folder(environment, home), "recense", FILE_NAME),
    )
    return next((path for path in candidates if os.path.isfile(path)), None)


def _read_file(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:
            content = decoded_toml(file.read())
    except (OSError, ValueError) as error:
        raise SettingsInvalid(
            f"the settings file {path} cannot be read: {error}", hint="mend or remove it"
        ) from error
    for name, value in content.items():
        if not isinstance(value, str):
            raise SettingsInvalid(
                f"setting {name} in {path} is {quoted(str(value))}; expected a string"
            )
    return cast("dict[str, str]", content)


def _nearest(name: str, known: Mapping[str, str]) -> str:
    near = nearest_of(name, tuple(known))
    return "" if near is None else f"did you mean {near!r}?"


def _is_between(value: str, least: int, most: int) -> bool:
    digits = value.isascii() and value.isdigit() and len(value) <= len(str(most))
    return digits and least <= int(value) <= most


def _url_of(path: str) -> str:
    """Return the URL of a SQLite file, in which a percent sign would be the head of an escape."""
    return "sqlite:///" + path.replace("%", "%25").lstrip("/")


def data_folder(environment: Mapping[str, str], home: str) -> str:
    """Return the folder for a user's data, by the custom of the platform."""
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = _absolute(environment, "XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.path.join(base, "recense")


def _configuration_folder(environment: Mapping[str, str], home: str) -> str:
    """Return the folder for a user's configuration, by the custom of the platform."""
    if sys.platform == "win32":
        return environment.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return _absolute(environment, "XDG_CONFIG_HOME") or os.path.join(home, ".config")


def _absolute(environment: Mapping[str, str], name: str) -> str:
    """Return a folder that the environment names; empty for a relative one, which is to be ignored
    (XDG Base Directory Specification): it would be another folder wherever a command is run.
    """
    folder = environment.get(name, "")
    return folder if os.path.isabs(folder) else ""
