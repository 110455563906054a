"""Settings: which layer holds, and what is refused."""

import os
import sys
from pathlib import Path

import pytest

from recense.errors import NamespaceInvalid, SettingsInvalid
from recense.settings.layers import home_folder, store_file
from recense.settings.loading import load_settings


def test_a_machine_without_settings_has_defaults_in_the_users_data_folder(tmp_path: Path) -> None:
    settings = load_settings({}, {}, str(tmp_path), str(tmp_path))
    assert settings.store.startswith("sqlite:///")
    assert settings.store.endswith("recense.db")
    assert (settings.namespace, settings.store_secrets) == ("default", "redact")
    assert {view.origin for view in settings.views()} == {"default"}


def test_flags_hold_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    (tmp_path / "own" / "recense").mkdir(parents=True)
    (tmp_path / "own" / "recense" / "recense.toml").write_text(
        'store = "a.db"\nnamespace = "from-file"\nkeep_source = "drop"\n', encoding="utf-8"
    )
    own = str(tmp_path / "own")
    environment = {
        "RECENSE_STORE": "b.db",
        "RECENSE_NAMESPACE": "from-environment",
        "XDG_CONFIG_HOME": own,
        "APPDATA": own,
    }
    settings = load_settings({"store": "c.db"}, environment, str(tmp_path), str(tmp_path))
    assert (settings.store, settings.namespace, settings.keep_source) == (
        "c.db",
        "from-environment",
        "drop",
    )
    origins = {view.name: view.origin for view in settings.views()}
    assert origins["store"] == "flag"
    assert origins["namespace"] == "environment"
    assert origins["keep_source"] == "file"
    assert origins["synchronous"] == "default"


def test_an_unknown_setting_is_refused_with_the_nearest_known_one(tmp_path: Path) -> None:
    (tmp_path / "recense.toml").write_text('synchronus = "full"\n', encoding="utf-8")
    with pytest.raises(SettingsInvalid, match="synchronus") as refused:
        load_settings({}, {}, str(tmp_path), str(tmp_path))
    assert "synchronous" in refused.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("synchronous", "sometimes"),
        ("store_secrets", "yes"),
        ("store", " "),
    ],
)
def test_an_impossible_value_is_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsInvalid, match=name):
        load_settings({name: value}, {}, str(tmp_path), str(tmp_path))


@pytest.mark.parametrize("name", ["../other", "", "a%", "..", "a\x00", "\uff41", "a" * 129])
def test_what_is_no_namespace_is_refused_and_the_message_says_where_it_stands(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(NamespaceInvalid, match="flags"):
        load_settings({"namespace": name}, {}, str(tmp_path), str(tmp_path))


def test_a_broken_settings_file_is_an_error_and_never_ignored(tmp_path: Path) -> None:
    (tmp_path / "recense.toml").write_text("store = [", encoding="utf-8")
    with pytest.raises(SettingsInvalid, match=r"recense\.toml"):
        load_settings({}, {}, str(tmp_path), str(tmp_path))


def test_variables_of_our_prefix_that_are_no_setting_are_left_alone(tmp_path: Path) -> None:
    load_settings({}, {"RECENSE_TEST_DATA": "elsewhere"}, str(tmp_path), str(tmp_path))


@pytest.mark.parametrize("name", ["store", "store_secrets", "namespace"])
def test_a_file_that_came_with_a_folder_may_not_move_or_bare_sessions(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "recense.toml").write_text(f'{name} = "keep"\n', encoding="utf-8")
    with pytest.raises(SettingsInvalid, match=name):
        load_settings({}, {}, str(tmp_path / "home"), str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is a custom of free desktops")
@pytest.mark.parametrize("folder", ["", "relative", "./data", "~/data"])
def test_an_xdg_folder_that_is_not_absolute_is_ignored(folder: str, tmp_path: Path) -> None:
    environment = {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    settings = load_settings({}, environment, str(tmp_path), str(tmp_path))
    assert settings == load_settings({}, {}, str(tmp_path), str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="where data lies is told by the platform")
@pytest.mark.parametrize("name", ["a%20b", "100%", "%25", "#?", "sqlite:", "a b"])
def test_the_url_of_the_default_store_leads_to_its_file(name: str) -> None:
    settings = load_settings({}, {}, f"/{name}", "/")
    assert store_file(settings.store, "default") == f"/{name}/.local/share/recense/recense.db"


@pytest.mark.skipif(sys.platform == "win32", reason="HOME is a variable of POSIX")
def test_a_home_is_an_absolute_path_or_the_one_on_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/homes/mira")
    assert home_folder({"HOME": "/homes/mira"}) == "/homes/mira"
    on_record = os.path.abspath(home_folder({}))
    for home in ("", "relative", "~"):
        monkeypatch.setenv("HOME", home)
        assert home_folder({"HOME": home}) == on_record
