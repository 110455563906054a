"""Settings: defaults < recense.toml < environment RECENSE_* < flags; each knows where it came from.

They are read once, at the edge; services take values and never a setting. The file is the first of
``recense.toml`` in the working directory and ``recense/recense.toml`` in the user's configuration
folder that exists.
"""

import os
import sys
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final, Literal, cast

import re2

from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import SettingsInvalid
from recense.operations.admin import SettingView

FILE_NAME: Final = "recense.toml"

_SettingOrigin = Literal["default", "file", "environment", "flag"]

_NAMESPACE: Final = re2.compile(r"[a-z0-9][a-z0-9._-]{0,62}")

_PERSONAL: Final = frozenset({"namespace", "store", "store_secrets"})
"""Settings that a file in the working folder may not hold: it may have come with a repository."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "store_secrets": ("redact", "keep"),
    "keep_source": ("compressed", "drop"),
    "synchronous": ("normal", "full"),
}


class Settings(Value, kw_only=True):
    """What the machine's owner decided.

    ``store`` is a URL (``sqlite:///path``, ``memory:``). ``namespace`` is a tenant, a store of its
    own. ``store_secrets`` says whether secrets are redacted before they are stored, ``keep_source``
    what becomes of archive records after conversion, ``synchronous`` whether an acknowledged write
    survives a power cut (full) or a killed process only (normal).
    """

    store: str
    namespace: str
    store_secrets: Literal["redact", "keep"]
    keep_source: Literal["compressed", "drop"]
    synchronous: Literal["normal", "full"]
    origins: tuple[tuple[str, _SettingOrigin], ...]
    file: str | None

    def views(self) -> tuple[SettingView, ...]:
        """Return each setting with its value and where it came from."""
        return tuple(
            SettingView(name=name, value=redact(str(getattr(self, name))).text, origin=origin)
            for name, origin in self.origins
        )


def load_settings(
    flags: Mapping[str, str], environment: Mapping[str, str], home: str, working_directory: str
) -> Settings:
    """Return the settings in force. ``flags`` holds only those that were given.

    Raises SettingsInvalid for an unknown name, an impossible value or an unreadable file; the
    message says where it stands.
    """
    data_folder = _data_folder(environment, home)
    values: dict[str, str] = {
        "store": "sqlite:///" + os.path.join(data_folder, "recense.db").lstrip("/"),
        "namespace": "default",
        "store_secrets": "redact",
        "keep_source": "compressed",
        "synchronous": "normal",
    }
    origins: dict[str, _SettingOrigin] = dict.fromkeys(values, "default")
    file = _settings_file(environment, home, working_directory)
    in_file = {} if file is None else _read_file(file)
    if file is not None and file == os.path.join(working_directory, FILE_NAME):
        _refuse_what_a_folder_may_not_decide(file, in_file)
    layers: tuple[tuple[_SettingOrigin, str, Mapping[str, str]], ...] = (
        ("file", file or "", in_file),
        ("environment", "environment", _from_environment(environment, values)),
        ("flag", "flags", flags),
    )
    for origin, place, layer in layers:
        for name, value in layer.items():
            if name not in values:
                raise SettingsInvalid(
                    f"unknown setting {name!r} in {place}; expected one of {', '.join(values)}",
                    hint=_nearest(name, values),
                )
            _check(name, value, place)
            values[name], origins[name] = value, origin
    return Settings(
        store=values["store"],
        namespace=values["namespace"],
        store_secrets=cast("Literal['redact', 'keep']", values["store_secrets"]),
        keep_source=cast("Literal['compressed', 'drop']", values["keep_source"]),
        synchronous=cast("Literal['normal', 'full']", values["synchronous"]),
        origins=tuple(origins.items()),
        file=file,
    )


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
            f"setting {name} in {place} is {value!r}; expected {' or '.join(choices)}"
        )
    if name == "namespace" and _NAMESPACE.fullmatch(value) is None:
        raise SettingsInvalid(
            f"namespace in {place} is {value!r}; expected lower-case letters, digits, '.', '_' and "
            "'-', at most 63, beginning with a letter or digit"
        )
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
            content = cast("dict[str, object]", tomllib.load(file))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsInvalid(
            f"the settings file {path} cannot be read: {error}", hint="mend or remove it"
        ) from error
    for name, value in content.items():
        if not isinstance(value, str):
            raise SettingsInvalid(f"setting {name} in {path} is {value!r}; expected a string")
    return cast("dict[str, str]", content)


def _nearest(name: str, known: Mapping[str, str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def _data_folder(environment: Mapping[str, str], home: str) -> str:
    """Return the folder for a user's data, by the custom of the platform."""
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = environment.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.path.join(base, "recense")


def _configuration_folder(environment: Mapping[str, str], home: str) -> str:
    """Return the folder for a user's configuration, by the custom of the platform."""
    if sys.platform == "win32":
        return environment.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
