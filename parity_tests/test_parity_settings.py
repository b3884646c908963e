"""Settings against manifests: what a host accepts is what we accept, and everything declared is real."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from readers import READERS, ROOT, Declared

from skillcaddy.hosting import Host, hosts
from skillcaddy.settings import Settings, setting_fields
from skillcaddy.settings_errors import SettingsError
from skillcaddy.validation import choices, default_of, types_of, validate

HOSTS = {host.id: host for host in hosts()}
CHECKED = sorted(READERS)


def grid(settings: type[Settings]) -> list[tuple[str, Any]]:
    """For each setting values that are good, just bad, and of every wrong kind."""
    rows: list[tuple[str, Any]] = []
    for field in setting_fields(settings):
        default = default_of(field)
        values: list[Any] = [list(default) if isinstance(default, tuple) else default]
        values += ["8", "", "atuo", True, False, None, 1.5, 2, -1, [], ["a"], [1], {}, {"a": 1}]
        values += choices(field, settings)
        low, high = field.metadata["ge"], field.metadata["le"]
        if low is not None and high is not None:
            values += [low, high, low - 1, high + 1, str(low)]
        rows += [(field.name, value) for value in values]
    return rows


def we_accept(settings: type[Settings], config: dict[str, Any]) -> bool:
    try:
        validate(config, where="the grid", settings_class=settings)
    except SettingsError:
        return False
    return True


def differences(host: Host, declared: Declared) -> list[str]:
    """Every way in which the declaration and the settings disagree, in words."""
    settings = host.settings
    fields = {field.name: field for field in setting_fields(settings)}
    found = [f"{key}: a setting that is not declared" for key in fields.keys() - declared.keys]
    found += [f"{key}: declared, but no setting" for key in declared.keys - fields.keys()]
    for key, default in declared.defaults.items():
        if key in fields and default != _plain(default_of(fields[key])):
            found.append(f"{key}: default {default!r}, not {default_of(fields[key])!r}")
    for key, value in grid(settings):
        ours, theirs = we_accept(settings, {key: value}), declared.accepts({key: value})
        out_of_bounds = not declared.bounds and isinstance(value, (int, float)) and _in_kind(settings, key, value)
        an_entry = not declared.entries and isinstance(value, list) and we_accept(settings, {key: []})
        if ours != theirs and not out_of_bounds and not an_entry:
            found.append(f"{key}={value!r}: we {'accept' if ours else 'refuse'} it, the host does not")
    if declared.closed and declared.accepts({"no_such_key": 1}):
        found.append("no_such_key: the host lets an unknown key through")
    if declared.secrets is not None:
        secrets = {key for key, field in fields.items() if field.metadata["secret"]}
        found += [f"{key}: secret here, or there, but not both" for key in declared.secrets ^ secrets]
    return found


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


def _in_kind(settings: type[Settings], key: str, value: Any) -> bool:
    kind = types_of(settings)[key]
    return not isinstance(value, bool) and (kind is float or (kind is int and float(value).is_integer()))


@pytest.mark.parametrize("host_id", CHECKED)
def test_settings_and_declaration_agree_in_both_directions(host_id: str) -> None:
    assert differences(HOSTS[host_id], READERS[host_id]()) == []


def _lose_a_key(schema: Any) -> None:
    del schema["properties"]["top_k"]


def _add_a_key(schema: Any) -> None:
    schema["properties"]["bogus"] = {"type": "string", "default": ""}


def _change_a_type(schema: Any) -> None:
    schema["properties"]["top_k"]["type"] = "string"


def _open_the_choice(schema: Any) -> None:
    schema["properties"]["mode"].pop("enum", None)
    schema["properties"]["mode"].pop("choices", None)


def _change_the_default(schema: Any) -> None:
    schema["properties"]["top_k"]["default"] = 5


def _open_the_schema(schema: Any) -> None:
    schema["additionalProperties"] = True


def _lose_a_bound(schema: Any) -> None:
    schema["properties"]["top_k"].pop("maximum", None)


MUTATIONS = [_lose_a_key, _add_a_key, _change_a_type, _open_the_choice, _change_the_default]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__.strip("_"))
@pytest.mark.parametrize("host_id", CHECKED)
def test_a_wrong_declaration_is_seen(host_id: str, mutation: Callable[[Any], None]) -> None:
    assert differences(HOSTS[host_id], READERS[host_id](mutation))


@pytest.mark.parametrize("mutation", [_open_the_schema, _lose_a_bound], ids=["open schema", "lost bound"])
@pytest.mark.parametrize("host_id", ["openclaw", "dsh"])
def test_a_loose_json_schema_is_seen(host_id: str, mutation: Callable[[Any], None]) -> None:
    assert differences(HOSTS[host_id], READERS[host_id](mutation))


def test_openclaw_declares_no_default_since_the_host_would_pass_it_off_as_the_users_word() -> None:
    """A default that the host fills in would win over the environment's lower layers; it stands in the help instead."""
    declared = READERS["openclaw"]()
    assert declared.defaults == {}
    for field in setting_fields(HOSTS["openclaw"].settings):
        default = default_of(field)
        if default not in ("", ()):
            assert f"Without it: {default}" in declared.help[field.name], field.name


def test_every_setting_is_read_by_something() -> None:
    """T107, T108: a setting offered and never read is a promise broken."""
    sources = [
        path.read_text(encoding="utf-8")
        for path in [
            *ROOT.glob("engine/src/**/*.py"),
            *ROOT.glob("hosts/*/src/**/*.py"),
            *ROOT.glob("hosts/*/plugin/*.*js"),
        ]
        if path.name != "settings.py"
    ]
    for host in [None, *HOSTS.values()]:
        for field in setting_fields(host.settings if host else Settings):
            read = re.compile(rf"(?:\.|\[[\"']|[\"']){field.name}\b")
            assert any(read.search(text) for text in sources), field.name


def test_every_host_narrows_and_adds_no_new_meaning() -> None:
    base = {field.name: types_of(Settings)[field.name] for field in setting_fields()}
    for host in HOSTS.values():
        types = types_of(host.settings)
        assert base.keys() <= types.keys()
        for name, kind in base.items():
            assert set(choices(_field(host, name), host.settings)) <= set(choices(_field(None, name))), (host.id, name)
            assert types[name] == kind or choices(_field(host, name), host.settings), (host.id, name)


def _field(host: Host | None, name: str) -> Any:
    return next(field for field in setting_fields(host.settings if host else Settings) if field.name == name)


def test_every_checked_host_is_described_and_its_files_are_where_they_are_said_to_be() -> None:
    assert set(CHECKED) <= set(HOSTS)
    for host in HOSTS.values():
        for path in host.manifests:
            assert (host.root / path).is_file(), f"{host.id}: {path}"
            assert Path(path) == Path(*Path(path).parts)
