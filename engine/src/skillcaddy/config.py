"""Gathers settings from every layer: argument, environment, host configuration, shared config file, default.

Outside a turn (`strict=True`) anything wrong raises, all of it at once. Inside a turn (`strict=False`) nothing raises:
what is wrong becomes a warning that names it, the next layer's value stands in, and everything else is kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillcaddy.environment import read_environment
from skillcaddy.expand import Expander
from skillcaddy.loaded import Kind, Loaded, Origin
from skillcaddy.paths import CONFIG_VARIABLE, locations
from skillcaddy.settings import OFF, Settings, setting_fields, variable_of
from skillcaddy.settings_errors import (
    BadConfigError,
    BadSettingsError,
    BadValueError,
    SettingsError,
    UnknownVariableError,
    shown,
)

__all__ = ["Loaded", "Origin", "load", "wanted_file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layer:
    kind: Kind
    values: Mapping[str, Any]
    where: str
    folder: Path | None

    def origin(self, key: str) -> Origin:
        where = {"environment": variable_of(key), "argument": key}.get(self.kind, self.where)
        return Origin(kind=self.kind, where=where)


def load(
    *,
    arguments: Mapping[str, Any] | None = None,
    host: Mapping[str, Any] | None = None,
    host_name: str = "",
    environ: Mapping[str, str] | None = None,
    config_file: Path | None = None,
    settings_class: type[Settings] = Settings,
    strict: bool = True,
    host_folder: Path | None = None,
) -> Loaded:
    """The settings, each from the first layer that has a good value for it.

    Arguments that are None count as not given. Relative folders are taken from the file's folder, from `host_folder`
    for host configuration, and from the working directory otherwise. BadSettingsError (if strict) names every problem;
    unknown `SKILLCADDY_*` variables, which may be another version's, are warnings even then.
    """
    from skillcaddy.validation import judge  # late: it brings pydantic

    environ = os.environ if environ is None else environ
    errors: list[SettingsError] = []
    layers: list[_Layer] = []
    given = {key: value for key, value in (arguments or {}).items() if value is not None}
    values, bad = judge(given, where="argument", settings_class=settings_class)
    layers.append(_Layer(kind="argument", values=values, where="argument", folder=None))
    errors += bad
    values, bad = read_environment(environ, settings_class)
    layers.append(_Layer(kind="environment", values=values, where="environment", folder=None))
    errors += bad
    label = f"{host_name or 'host'} configuration"
    values, bad = judge({} if host is None else host, where=label, settings_class=settings_class)
    layers.append(_Layer(kind="host", values=values, where=label, folder=host_folder))
    errors += bad
    path = wanted_file(environ, config_file)
    if path is not None:
        explicit = config_file is not None or bool(environ.get(CONFIG_VARIABLE, "").strip())
        values, bad = _read_file(path, explicit, settings_class)
        layers.append(_Layer(kind="file", values=values, where=str(path), folder=path.parent))
        errors += bad
    loud = [error for error in errors if not isinstance(error, UnknownVariableError)]
    if strict and loud:
        raise BadSettingsError(loud)
    return _resolved(layers, errors, environ, path, settings_class)


def wanted_file(environ: Mapping[str, str], config_file: Path | None = None) -> Path | None:
    """The shared config file to read, absolute: the given one, the one SKILLCADDY_CONFIG names, or the user's."""
    named = environ.get(CONFIG_VARIABLE, "").strip()
    if config_file is None and named == OFF:
        return None
    if config_file is None and not named:
        return locations(environ).config_file
    return Path(Expander(environ).path(named if config_file is None else str(config_file), folder=None))


def _read_file(
    path: Path, explicit: bool, settings_class: type[Settings]
) -> tuple[dict[str, Any], list[SettingsError]]:
    from skillcaddy.config_file import read_config_file
    from skillcaddy.validation import judge

    try:
        if not os.path.lexists(path):
            missing = BadConfigError(where=str(path), detail="there is no such file")
            return {}, [missing] if explicit else []
        return judge(read_config_file(path), where=str(path), settings_class=settings_class)
    except BadConfigError as error:
        return {}, [error]


def _resolved(
    layers: list[_Layer],
    errors: list[SettingsError],
    environ: Mapping[str, str],
    path: Path | None,
    settings_class: type[Settings],
) -> Loaded:
    expander = Expander(environ)
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    unread = next((error for error in errors if isinstance(error, BadConfigError)), None)
    for each in setting_fields(settings_class):
        for layer in layers:
            if each.name not in layer.values:
                continue
            value = layer.values[each.name]
            if each.metadata.get("path"):
                value = expander.setting(
                    value, folder=layer.folder, where=f"{layer.origin(each.name).where}: {each.name}"
                )
            if value is not None:
                values[each.name] = value
                origins[each.name] = layer.origin(each.name)
                break
        if each.name not in origins:
            origins[each.name] = Origin(kind="default")
            if unread is not None and each.metadata.get("cautious") is not None:
                # What cannot be read may have said "off" to something that reaches the network.
                values[each.name] = each.metadata["cautious"]
                origins[each.name] = Origin(kind="default", where=f"held back: {unread.where} cannot be read")
    settings = settings_class(**values)
    secrets = {each.name for each in setting_fields(settings_class) if each.metadata.get("secret")}
    warnings = [_warning(error, settings, origins, secrets) for error in errors] + expander.warnings
    return Loaded(
        settings=settings,
        origins=origins,
        locations=locations(environ, state_dir=settings.state_dir),
        warnings=tuple(dict.fromkeys(warnings)),
        problems=tuple(dict.fromkeys([str(error) for error in errors] + expander.warnings)),
        config_file="" if path is None else str(path),
        expanded=expander.used,
    )


def _warning(error: SettingsError, settings: Settings, origins: Mapping[str, Origin], secrets: set[str]) -> str:
    key = error.key.partition("[")[0]
    if key not in origins:
        return str(error)
    hint = f" {error.hint}" if isinstance(error, BadValueError) and error.hint else ""
    stand_in = shown(getattr(settings, key), secret=key in secrets)
    return f"{error.problem()}{hint} Going on with {key} = {stand_in}, {origins[key]}."
