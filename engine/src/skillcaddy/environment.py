"""Reads settings from `SKILLCADDY_*` variables; text is converted by the setting's type, never laxly.

- a blank value means "not set";
- `off` switches off what can be off: a choice that has that word, a list (no entries), a text (empty);
- lists of folders are separated as in PATH (`:`, on Windows `;`), other lists by commas; blank entries don't count;
- numbers are plain decimal numbers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import Field
from typing import Any

from skillcaddy.paths import CONFIG_VARIABLE, HOME_VARIABLE
from skillcaddy.settings import ENV_PREFIX, OFF, Settings, setting_fields, variable_of
from skillcaddy.settings_errors import SettingsError, UnknownVariableError, nearest

OTHER_VARIABLES = {
    HOME_VARIABLE: "Folder that holds everything skillcaddy keeps, config file included.",
    CONFIG_VARIABLE: "Config file to read instead of the user's; off reads none.",
    "SKILLCADDY_PYTHON": "Interpreter that host plugins start skillcaddy with.",
}
"""Variables with our prefix that are no settings."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MODES = ("on_demand", "auto")


def read_environment(
    environ: Mapping[str, str], settings_class: type[Settings] = Settings
) -> tuple[dict[str, Any], list[SettingsError]]:
    """The settings that the environment holds, and what is wrong with its other `SKILLCADDY_*` variables."""
    from skillcaddy.validation import judge, types_of  # late: it brings pydantic

    types = types_of(settings_class)
    fields = {variable_of(field.name): field for field in setting_fields(settings_class)}
    values: dict[str, Any] = {}
    errors: list[SettingsError] = []
    for variable in sorted(name for name in environ if name.upper().startswith(ENV_PREFIX)):
        text = environ[variable].strip()
        if variable in fields:
            field = fields[variable]
            value = _converted(text, types[field.name], field)
            if value is not None:
                good, bad = judge({field.name: value}, where=variable, settings_class=settings_class)
                values.update(good)
                errors.extend(bad)
        elif variable not in OTHER_VARIABLES:
            errors.append(
                UnknownVariableError(variable=variable, meant=_meant(variable, text, (*fields, *OTHER_VARIABLES)))
            )
    return values, errors


def _converted(text: str, kind: Any, field: Field[Any]) -> Any:
    """The text as its setting's type, or unchanged where it is none (for the judge to refuse); None for "not set"."""
    if not text:
        return None
    if kind is int:
        return int(text) if _WHOLE.fullmatch(text) and len(text) < 20 else text
    if kind is float:
        return float(text) if _NUMBER.fullmatch(text) else text
    if kind is bool:
        return {"true": True, "false": False}.get(text, text)
    if kind is str:
        return "" if text == OFF else text
    if kind == tuple[str, ...]:
        if text == OFF:
            return []
        separator = os.pathsep if field.metadata.get("path") else ","
        return [entry.strip() for entry in text.split(separator) if entry.strip()] or None
    return text


def _meant(variable: str, text: str, known: tuple[str, ...]) -> str:
    plain = variable.upper().removeprefix(ENV_PREFIX)
    if text in _MODES and nearest(plain, ["MODE"]):  # MODEL=auto is one letter too long, not one word too short
        return variable_of("mode")
    found = nearest(plain, [name.removeprefix(ENV_PREFIX) for name in known])
    return ENV_PREFIX + found if found else ""
