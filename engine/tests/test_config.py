"""Settings from all layers together: what wins, what is said about the rest, and what stands in for it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from skillcaddy.config import load
from skillcaddy.loaded import Origin
from skillcaddy.paths import locations, state_dir
from skillcaddy.settings import Settings, setting, setting_fields, variable_of
from skillcaddy.settings_errors import BadSettingsError
from skillcaddy.validation import choices, types_of

CONFIGS = Path(__file__).parent / "data" / "configs"
GOOD = sorted((CONFIGS / "good").glob("*.toml"))
BAD = sorted((CONFIGS / "bad").glob("*.toml"))
FIELDS = setting_fields()


def said(file: Path, word: str) -> list[str]:
    """What the comment lines `# word: ...` of a config file say."""
    text = file.read_bytes().decode("utf-8-sig", "replace")
    return [found.strip() for found in re.findall(rf"^# {word}: (.*)$", text, re.MULTILINE)]


def assert_holds(settings: Settings, claims: list[str]) -> None:
    for claim in claims:
        key, _, value = claim.partition(" = ")
        found = getattr(settings, key)
        assert (list(found) if isinstance(found, tuple) else found) == json.loads(value), claim


def another(field: Field[Any]) -> Any:
    """An allowed value of a setting that is not its default."""
    words = choices(field)
    if words:
        return next(word for word in words if word != field.default)
    kind = types_of(Settings)[field.name]
    if kind in (int, float):
        return kind(field.metadata["le"] if field.default != field.metadata["le"] else field.metadata["ge"])
    if kind is str:
        return "/some/folder" if field.metadata["path"] else "some text"
    return ("/first", "/second")


def as_toml(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def as_variable(value: Any) -> str:
    return os.pathsep.join(value) if isinstance(value, tuple) else str(value)


def write(folder: Path, text: str) -> Path:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return file


# Every key arrives, from everywhere (T107, T108)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_setting_in_the_file_arrives(field: Field[Any], tmp_path: Path) -> None:
    """T107: a setting that was offered, written and never read."""
    value = another(field)
    file = write(tmp_path, f"{field.name} = {as_toml(value)}\n")
    loaded = load(config_file=file, environ={})
    assert getattr(loaded.settings, field.name) == value != field.default
    assert loaded.origins[field.name] == Origin(kind="file", where=str(file))
    assert loaded.warnings == ()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_setting_in_the_environment_arrives(field: Field[Any]) -> None:
    """T107, T108: every setting is reachable from every layer."""
    value, variable = another(field), variable_of(field.name)
    loaded = load(environ={variable: as_variable(value)})
    assert getattr(loaded.settings, field.name) == value
    assert type(getattr(loaded.settings, field.name)) is type(value)
    assert loaded.origins[field.name] == Origin(kind="environment", where=variable)
    assert loaded.warnings == ()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_setting_given_as_an_argument_or_by_a_host_arrives(field: Field[Any]) -> None:
    value = another(field)
    loaded = load(arguments={field.name: value}, environ={})
    assert getattr(loaded.settings, field.name) == value
    assert loaded.origins[field.name].kind == "argument"
    loaded = load(host={field.name: list(value) if isinstance(value, tuple) else value}, host_name="dsh", environ={})
    assert getattr(loaded.settings, field.name) == value
    assert loaded.origins[field.name] == Origin(kind="host", where="dsh configuration")


def test_with_nothing_set_everything_is_the_default() -> None:
    """T24: there is one source of defaults."""
    loaded = load(environ={"SKILLCADDY_CONFIG": "off"})
    assert loaded.settings == Settings()
    assert {origin.kind for origin in loaded.origins.values()} == {"default"}
    assert loaded.config_file == ""


def test_argument_beats_environment_beats_host_beats_file_beats_default(tmp_path: Path) -> None:
    layers: dict[str, Any] = {
        "arguments": {"top_k": 7},
        "environ": {"SKILLCADDY_TOP_K": "6"},
        "host": {"top_k": 5},
        "config_file": write(tmp_path, "top_k = 4\n"),
    }
    without: dict[str, Any] = {"arguments": None, "environ": {}, "host": None}
    assert load(**layers).settings.top_k == 7
    for layer, expected in (("arguments", 6), ("environ", 5), ("host", 4)):
        layers[layer] = without[layer]
        assert load(**layers).settings.top_k == expected


def test_an_argument_that_is_none_was_not_given() -> None:
    assert load(arguments={"top_k": None}, environ={"SKILLCADDY_TOP_K": "6"}).settings.top_k == 6


# Files


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_a_good_file_gives_what_it_says(file: Path) -> None:
    loaded = load(config_file=file, environ={})
    assert_holds(loaded.settings, said(file, "gives"))
    assert loaded.warnings == loaded.problems == ()


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_a_bad_file_is_never_silent_and_costs_only_what_is_bad(file: Path) -> None:
    """T10, T20, T110, T111, T112: misspelt modes, stray keys, wrong types and broken files."""
    before = file.read_bytes()
    loaded = load(config_file=file, environ={}, strict=False)
    expected = said(file, "says")
    assert expected, "a bad file says in its first lines what is to be said about it"
    for sentence in expected:
        assert any(sentence in problem for problem in loaded.problems), (sentence, loaded.problems)
    assert len(loaded.problems) == len(loaded.warnings) >= len(expected)
    assert all(warning.startswith(str(file)) for warning in loaded.warnings)
    assert_holds(loaded.settings, said(file, "keeps"))
    for secret in said(file, "never says"):
        assert secret not in "\n".join(loaded.warnings + loaded.problems)
    assert file.read_bytes() == before


HARMLESS = {"blank_entry_in_a_list", "unset_variable_in_a_folder"}


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_outside_a_turn_a_bad_file_is_an_error_that_says_it_all(file: Path) -> None:
    if file.stem in HARMLESS:
        assert load(config_file=file, environ={}).warnings
        return
    with pytest.raises(BadSettingsError) as caught:
        load(config_file=file, environ={})
    for sentence in said(file, "says"):
        assert sentence in str(caught.value)


def test_a_missing_file_is_an_error_only_when_it_was_named(tmp_path: Path) -> None:
    named = tmp_path / "absent.toml"
    assert load(environ={"SKILLCADDY_HOME": str(tmp_path)}).warnings == ()
    with pytest.raises(BadSettingsError, match="there is no such file"):
        load(environ={}, config_file=named)
    with pytest.raises(BadSettingsError, match="there is no such file"):
        load(environ={"SKILLCADDY_CONFIG": str(named)})


def test_a_folder_or_a_pipe_in_place_of_the_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for path, sentence in ((tmp_path, "it is a folder"), (pipe, "it is not a regular file")):
        [warning] = load(environ={}, config_file=path, strict=False).warnings
        assert sentence in warning


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    file = write(tmp_path, "#" * 1_000_001)
    [warning] = load(environ={}, config_file=file, strict=False).warnings
    assert "1000001 bytes" in warning


def test_the_user_s_file_is_in_the_home_and_another_can_be_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    write(home, "top_k = 4\n")
    other = tmp_path / "other.toml"
    other.write_text("top_k = 5\n", encoding="utf-8")
    environ = {"SKILLCADDY_HOME": str(home)}
    assert load(environ=environ).settings.top_k == 4
    assert load(environ={**environ, "SKILLCADDY_CONFIG": str(other)}).settings.top_k == 5
    assert load(environ={**environ, "SKILLCADDY_CONFIG": "  "}).settings.top_k == 4
    assert load(environ={**environ, "SKILLCADDY_CONFIG": "off"}).settings.top_k == 2


@dataclass(frozen=True, kw_only=True)
class WithNetwork(Settings):
    """Settings of which one reaches the network unless told otherwise."""

    catalog: str = setting("https://catalog.example", "Where further skills are looked for.", cautious="")


def test_a_file_that_cannot_be_read_does_not_switch_the_network_on(tmp_path: Path) -> None:
    """T112: the file may have said "off", so what reaches the network is held back."""
    file = write(tmp_path, 'catalog = ""\ntop_k = = 3\n')
    held = load(environ={}, config_file=file, settings_class=WithNetwork, strict=False)
    assert held.settings == WithNetwork(catalog="")
    assert "cannot be read" in str(held.origins["catalog"])
    assert load(environ={}, settings_class=WithNetwork).settings == WithNetwork()
    given = load(environ={"SKILLCADDY_CATALOG": "x"}, config_file=file, settings_class=WithNetwork, strict=False)
    assert given.settings == WithNetwork(catalog="x")


# The environment


@pytest.mark.parametrize(
    ("variable", "text", "allowed"),
    [
        ("SKILLCADDY_TOP_K", "eight", "a whole number from 1 to 10"),
        ("SKILLCADDY_TOP_K", "8.0", "a whole number from 1 to 10"),
        ("SKILLCADDY_TOP_K", "1_0", "a whole number from 1 to 10"),
        ("SKILLCADDY_TOP_K", "٣", "a whole number from 1 to 10"),
        ("SKILLCADDY_TOP_K", "9" * 5000, "a whole number from 1 to 10"),
        ("SKILLCADDY_TOP_K", "off", "a whole number from 1 to 10"),
        ("SKILLCADDY_WEIGHT_LOCAL", "nan", "a number from 0.0 to 10.0"),
        ("SKILLCADDY_WEIGHT_LOCAL", "1,5", "a number from 0.0 to 10.0"),
        ("SKILLCADDY_MODE", "atuo", '"on_demand" or "auto"'),
        ("SKILLCADDY_MODE", "off", '"on_demand" or "auto"'),
        ("SKILLCADDY_GATE", "true", '"auto", "on" or "off"'),
    ],
)
def test_a_bad_value_names_its_variable_and_the_next_layer_stands_in(variable: str, text: str, allowed: str) -> None:
    """T10, T110: on the environment's path as on the file's."""
    with pytest.raises(BadSettingsError) as caught:
        load(environ={variable: text})
    assert str(caught.value).startswith(f"{variable}: ")
    assert f"allowed: {allowed}" in str(caught.value)
    key = variable.removeprefix("SKILLCADDY_").lower()
    value = {"top_k": 4, "weight_local": 2.0, "mode": "auto", "gate": "on"}[key]
    loaded = load(environ={variable: text}, host={key: value}, host_name="raven", strict=False)
    assert getattr(loaded.settings, key) == value
    [warning] = loaded.warnings
    assert warning.startswith(f"{variable}: ")
    assert warning.endswith(f"Going on with {key} = {json.dumps(value)}, from raven configuration.")


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_blank_variable_is_not_set(field: Field[Any]) -> None:
    """T30: blank means "not set"; it can switch nothing off, and says so by changing nothing."""
    value = another(field)
    loaded = load(environ={variable_of(field.name): "  "}, host={field.name: value})
    assert getattr(loaded.settings, field.name) == value
    assert loaded.warnings == ()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_word_off_switches_off_whatever_can_be_off(field: Field[Any]) -> None:
    """T30: an explicit value that switches a source off from the environment."""
    kind = types_of(Settings)[field.name]
    off: Any = {str: "", tuple[str, ...]: ()}.get(kind, "off" if "off" in get_args(kind) else None)
    if off is None:
        with pytest.raises(BadSettingsError, match=variable_of(field.name)):
            load(environ={variable_of(field.name): "off"})
        return
    loaded = load(environ={variable_of(field.name): "off"}, host={field.name: another(field)})
    assert getattr(loaded.settings, field.name) == off
    assert loaded.origins[field.name].kind == "environment"


@pytest.mark.parametrize("text", [" ", "\t", os.pathsep, f" {os.pathsep}{os.pathsep} "])
def test_a_variable_of_nothing_but_blanks_leaves_the_host_s_folders_alone(text: str) -> None:
    """T103: such a variable emptied the host's folders, and so the shared library."""
    loaded = load(environ={"SKILLCADDY_SKILLS_DIRS": text}, host={"skills_dirs": ["/from/host"]})
    assert loaded.settings.skills_dirs == ("/from/host",)


def test_blank_folders_of_a_host_are_named_and_leave_the_file_s_alone(tmp_path: Path) -> None:
    """T103, for the host's own configuration."""
    file = write(tmp_path, 'skills_dirs = ["/from/file"]\n')
    loaded = load(environ={}, host={"skills_dirs": [" ", ""]}, host_name="raven", config_file=file)
    assert loaded.settings.skills_dirs == ("/from/file",)
    assert loaded.warnings[0].startswith("raven configuration: skills_dirs has a blank entry")


def test_blank_entries_among_folders_do_not_count() -> None:
    text = os.pathsep.join(["/a", " ", "/b, with a comma"])
    loaded = load(environ={"SKILLCADDY_SKILLS_DIRS": text})
    assert loaded.settings.skills_dirs == ("/a", "/b, with a comma")


@pytest.mark.parametrize(
    ("variable", "value", "meant"),
    [
        ("SKILLCADDY_TOPK", "3", "SKILLCADDY_TOP_K"),
        ("SKILLCADDY_MODEL", "gpt-4o", "SKILLCADDY_MODEL_NAME"),
        ("SKILLCADDY_MODEL", "auto", "SKILLCADDY_MODE"),
        ("SKILLCADDY_MOD", "auto", "SKILLCADDY_MODE"),
        ("skillcaddy_top_k", "3", "SKILLCADDY_TOP_K"),
        ("SKILLCADDY_CONFIGURATION", "x.toml", "SKILLCADDY_CONFIG"),
        ("SKILLCADDY_XYZZY", "tell-no-one", ""),
    ],
)
def test_an_unknown_variable_is_a_warning_with_the_nearest_match(variable: str, value: str, meant: str) -> None:
    """T29: near-identical names; a warning even outside a turn, since another version may know the variable."""
    [warning] = load(environ={variable: value}).warnings
    assert warning.startswith(f"{variable}: no setting has this environment variable")
    assert (f"Did you mean {meant}?" in warning) == bool(meant)
    assert "tell-no-one" not in warning


@pytest.mark.parametrize("name", ["gpt-4o", "claude-3-haiku", "qwen/qwen3-8b", "llama3:8b", "http://127.0.0.1/v1"])
def test_a_model_in_the_variable_of_the_mode_is_recognised(name: str) -> None:
    """T29: SKILLCADDY_MODE and SKILLCADDY_MODEL_NAME are one slip apart."""
    [warning] = load(environ={"SKILLCADDY_MODE": name}, strict=False).warnings
    assert "It looks like the name of a model; that is set with model_name (SKILLCADDY_MODEL_NAME)." in warning
    assert warning.endswith('Going on with mode = "on_demand", the default.')


def test_our_other_variables_and_everyone_else_s_are_left_alone() -> None:
    environ = {
        "SKILLCADDY_PYTHON": "/usr/bin/python3",
        "PATH": "/bin",
        "SKILLCADDYISH": "1",
        "SKILLCADDY_CONFIG": "off",
    }
    assert load(environ=environ).warnings == ()


# Hosts


@pytest.mark.parametrize("host", [[], "mode=auto", 3])
def test_a_host_that_hands_over_no_table_is_named(host: Any) -> None:
    [warning] = load(environ={}, host=host, host_name="hermes", strict=False).warnings
    assert warning.startswith("hermes configuration: it is a ")


def test_in_a_turn_each_layer_loses_only_what_is_bad_in_it(tmp_path: Path) -> None:
    file = write(tmp_path, 'mode = "atuo"\ntop_k = 4\nlanguage = "zh"\n')
    loaded = load(
        arguments={"top_k": True, "gate": "on"},
        environ={"SKILLCADDY_CATALOG_SIZE": "many"},
        host={"catalog_size": 5, "surprise": 1},
        config_file=file,
        strict=False,
    )
    settings = loaded.settings
    assert (settings.top_k, settings.gate, settings.catalog_size) == (4, "on", 5)
    assert (settings.mode, settings.language) == ("on_demand", "zh")
    assert len(loaded.warnings) == 4


# Folders


def test_folders_are_expanded_and_start_where_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(
        tmp_path, 'skills_dirs = ["skills", "~/mine", "$TEAM/x", "${TEAM}/y", "../up", "/abs"]\nstate_dir = "state"\n'
    )
    monkeypatch.chdir("/")
    environ = {"HOME": "/home/u", "TEAM": "/team"}
    loaded = load(environ=environ, config_file=file)
    up = str(tmp_path.parent / "up")
    assert loaded.settings.skills_dirs == (str(tmp_path / "skills"), "/home/u/mine", "/team/x", "/team/y", up, "/abs")
    assert loaded.settings.state_dir == str(tmp_path / "state")
    assert loaded.locations.state_dir == tmp_path / "state"
    assert loaded.expanded == {"HOME": "/home/u", "TEAM": "/team"}
    monkeypatch.chdir(tmp_path)
    assert load(environ={"SKILLCADDY_SKILLS_DIRS": "rel"}).settings.skills_dirs == (str(tmp_path / "rel"),)
    assert load(environ={}, arguments={"skills_dirs": ["rel"]}).settings.skills_dirs == (str(tmp_path / "rel"),)
    there = load(environ={}, host={"skills_dirs": ["rel"]}, host_folder=Path("/host"))
    assert there.settings.skills_dirs == ("/host/rel",)


def test_a_working_directory_that_is_gone_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    environ: Mapping[str, str] = {"SKILLCADDY_CONFIG": "off", "SKILLCADDY_SKILLS_DIRS": "rel"}
    [warning] = load(environ=environ, strict=False).warnings
    assert "the working directory is gone" in warning


def test_one_folder_can_hold_everything(tmp_path: Path) -> None:
    places = locations({"SKILLCADDY_HOME": str(tmp_path)})
    assert places.config_file == tmp_path / "config.toml"
    assert (places.state_dir, places.data_dir, places.log_dir) == (
        tmp_path / "state",
        tmp_path / "data",
        tmp_path / "logs",
    )


def test_a_state_folder_takes_the_logs_with_it_and_leaves_the_library(tmp_path: Path) -> None:
    places = locations({"SKILLCADDY_HOME": str(tmp_path)}, state_dir="/elsewhere")
    assert places.state_dir == Path("/elsewhere")
    assert places.log_dir == Path("/elsewhere/logs")
    assert places.data_dir == tmp_path / "data"


@pytest.mark.parametrize("cache", [None, "", "relative", "/caches"])
def test_the_cheap_look_for_the_state_folder_agrees_with_platformdirs(
    cache: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKILLCADDY_HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cache is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert state_dir().is_absolute()
    if cache != "relative":  # older releases of platformdirs take such a path as it stands, against the specification
        assert state_dir() == locations().state_dir
