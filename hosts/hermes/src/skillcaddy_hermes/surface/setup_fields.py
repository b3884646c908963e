"""The settings as the host's setup asks for them, and what it collected, checked and written."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillcaddy.settings import setting_fields, variable_of

from .home import CONFIG_NAME, read_config
from .settings import HermesSettings


def fields(folder: Path) -> list[dict[str, Any]]:
    """One entry a setting, in the host's words. `default` is what holds now, as text, since setup offers it as the
    answer to Enter; a secret goes to the host's `.env` under its variable."""
    from skillcaddy.validation import choices, default_of

    written = read_config(folder).values
    found = []
    for field in setting_fields(HermesSettings):
        default = default_of(field)
        if isinstance(written, Mapping) and field.name in written:
            default = written[field.name]
        entry: dict[str, Any] = {
            "key": field.name,
            "description": field.metadata["help"],
            "secret": bool(field.metadata.get("secret")),
            "required": False,
            "default": _shown(default),
        }
        if words := choices(field, HermesSettings):
            entry["choices"] = list(words)
        if entry["secret"]:
            entry["env_var"] = variable_of(field.name)
            entry["default"] = ""
        found.append(entry)
    return found


def saved(values: Any, folder: Path) -> Path:
    """The file, with these values in it and what it held before; keys at their default are left to other layers.

    Setup gives texts, which are converted by each setting's type. BadSettingsError names everything that is wrong, an
    unreadable file included, and leaves the file as it is.
    """
    from skillcaddy.settings_errors import BadConfigError, BadSettingsError
    from skillcaddy.validation import default_of, validate

    path = folder / CONFIG_NAME
    before = read_config(folder)
    if isinstance(before.values, str):
        raise BadSettingsError([BadConfigError(where=str(path), detail=before.problem)])
    given = dict(values) if isinstance(values, Mapping) else {}
    good = validate(_typed(given), where="setup", settings_class=HermesSettings)
    defaults = {field.name: default_of(field) for field in setting_fields(HermesSettings)}
    document = dict(before.values)
    for key, value in good.items():
        if key in document or value != defaults[key]:
            document[key] = list(value) if isinstance(value, tuple) else value
    folder.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=folder, prefix=f".{CONFIG_NAME}.")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    os.replace(aside, path)
    return path


def _typed(given: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of setup as the settings' types, by the rules for environment variables; other values as they are."""
    from skillcaddy.environment import read_environment

    texts = {variable_of(key): value for key, value in given.items() if isinstance(value, str)}
    converted, _ = read_environment(texts, HermesSettings)
    return {key: converted.get(key, value) for key, value in given.items() if value != ""}


def _shown(value: Any) -> str:
    """A setting's value as a person would type it."""
    if isinstance(value, list | tuple):
        return os.pathsep.join(str(entry) for entry in value)
    return str(value)
