"""Settings for hot paths: what `config.load` found, kept as JSON, and used again while nothing it depends on changed.

A snapshot names the inputs it was made from: config files (path, size, mtime, inode), `SKILLCADDY_*` variables, host
configuration, arguments, the settings class and the version. The values of secrets are in neither its name nor its
body; they are read again from where they came from. Anything odd about a snapshot means the slow way and a new one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillcaddy import __version__
from skillcaddy.digest import digest
from skillcaddy.installed import third_party_plugins
from skillcaddy.loaded import Loaded, Origin
from skillcaddy.paths import CONFIG_VARIABLE, HOME_VARIABLE, Locations, below, state_dir
from skillcaddy.settings import ENV_PREFIX, OFF, Settings, setting_fields, variable_of
from skillcaddy.storage import read_sealed, write_sealed

__all__ = ["load_fast", "third_party_plugins"]

_PLACES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
_LOCATIONS = ("config_file", "state_dir", "data_dir", "log_dir")
_KEPT = 32
"""Snapshots kept for one user; one each for every host, workspace and set of arguments in use."""


def load_fast(
    *,
    arguments: Mapping[str, Any] | None = None,
    host: Mapping[str, Any] | None = None,
    host_name: str = "",
    environ: Mapping[str, str] | None = None,
    config_file: Path | None = None,
    settings_class: type[Settings] = Settings,
    host_folder: Path | None = None,
) -> Loaded:
    """What `config.load(strict=False)` returns, from a snapshot where one is still true; never raises."""
    environ = os.environ if environ is None else environ
    wanted: dict[str, Any] = {
        "arguments": arguments,
        "host": host,
        "host_name": host_name,
        "config_file": config_file,
        "settings_class": settings_class,
        "host_folder": host_folder,
    }
    try:
        path = state_dir(environ) / "settings" / f"{_name(wanted, environ)}.json"
        return _from_snapshot(read_sealed(path), wanted, environ) or _slowly(path, wanted, environ)
    except Exception as error:  # noqa: BLE001 - a turn goes on with the defaults, and says so
        origins = {field.name: Origin(kind="default") for field in setting_fields(settings_class)}
        warning = f"No settings could be loaded ({type(error).__name__}: {error}), so the defaults are used."
        places = below(state_dir(environ))
        return Loaded(
            settings=settings_class(), origins=origins, locations=places, warnings=(warning,), problems=(warning,)
        )


def _slowly(path: Path, wanted: dict[str, Any], environ: Mapping[str, str]) -> Loaded:
    from skillcaddy.config import load, wanted_file  # late: the fast way needs none of it

    # Signed before it is read: a change in between makes the snapshot stale, never wrong.
    file = wanted_file(environ, wanted["config_file"])
    signature = None if file is None else _signature(str(file))
    loaded = load(environ=environ, strict=False, **wanted)
    secrets = _secrets(wanted["settings_class"])
    if _settled(signature) and not any((wanted["arguments"] or {}).get(key) for key in secrets):
        record = {
            "file": signature,
            "expanded": {name: _digest(value) for name, value in loaded.expanded.items()},
            "values": {key: value for key, value in _values(loaded.settings).items() if key not in secrets},
            "origins": {key: [origin.kind, origin.where] for key, origin in loaded.origins.items()},
            "warnings": loaded.warnings,
            "problems": loaded.problems,
            "config_file": loaded.config_file,
            "locations": {name: str(getattr(loaded.locations, name)) for name in _LOCATIONS},
        }
        write_sealed(path, record, keep=_KEPT)
    return loaded


def _from_snapshot(record: dict[str, Any] | None, wanted: dict[str, Any], environ: Mapping[str, str]) -> Loaded | None:
    """The snapshot's settings, or None where it is absent, stale, or not what a snapshot looks like."""
    if record is None:
        return None
    settings_class: type[Settings] = wanted["settings_class"]
    try:
        signature = record["file"]
        if signature is not None and _signature(signature[0]) != signature:
            return None
        if any(_digest(environ.get(name)) != known for name, known in record["expanded"].items()):
            return None
        origins = {key: Origin(kind=kind, where=where) for key, (kind, where) in record["origins"].items()}
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in record["values"].items()
        }
        for key in _secrets(settings_class):
            values[key] = _secret(key, origins[key], wanted, environ, default=_values(settings_class())[key])
        if values.keys() != _values(settings_class()).keys():
            return None
        return Loaded(
            settings=settings_class(**values),
            origins=origins,
            warnings=tuple(record["warnings"]),
            problems=tuple(record["problems"]),
            config_file=record["config_file"],
            locations=Locations(**{name: Path(record["locations"][name]) for name in _LOCATIONS}),
            expanded={name: environ.get(name) for name in record["expanded"]},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OSError):
        return None


def _secret(key: str, origin: Origin, wanted: dict[str, Any], environ: Mapping[str, str], *, default: Any) -> Any:
    if origin.kind == "environment":
        text = environ[variable_of(key)].strip()
        return "" if text == OFF else text
    if origin.kind == "host":
        return wanted["host"][key]
    if origin.kind == "file":
        import tomllib  # a key in the file costs each start a TOML parser; better name a variable

        return tomllib.loads(Path(origin.where).read_text(encoding="utf-8-sig"))[key]
    return default


def _name(wanted: dict[str, Any], environ: Mapping[str, str]) -> str:
    """A digest of every input but the files' contents; of a secret, only whether and how it is set."""
    settings_class: type[Settings] = wanted["settings_class"]
    secrets = _secrets(settings_class)
    hidden = {variable_of(key) for key in secrets}
    ours = {
        name: _how_set(text.strip()) if name in hidden else text
        for name, text in environ.items()
        if name.upper().startswith(ENV_PREFIX) or name in _PLACES
    }
    layers = [
        {str(key): _how_set(value) if key in secrets else value for key, value in layer.items()}
        if isinstance(layer, Mapping)
        else repr(layer)
        for layer in (wanted["arguments"], wanted["host"])
    ]
    shape = [repr((each.name, each.type, each.default, each.metadata)) for each in setting_fields(settings_class)]
    file = ""
    if wanted["config_file"] is not None or environ.get(CONFIG_VARIABLE, "").strip():
        from skillcaddy.config import wanted_file  # late: few name a file

        file = str(wanted_file(environ, wanted["config_file"]))
    rest = [wanted["host_name"], file, str(wanted["host_folder"])]
    inputs = [__version__, settings_class.__module__, settings_class.__qualname__, shape, ours, layers, rest]
    return _digest(json.dumps([*inputs, _folder(wanted, environ)], sort_keys=True, default=repr))[:32]


def _folder(wanted: dict[str, Any], environ: Mapping[str, str]) -> str:
    """The working directory where a relative path might start from it, else "", so that workspaces share a snapshot."""
    texts: list[Any] = [environ.get(HOME_VARIABLE, "")]
    layers = [wanted["arguments"] or {}, {} if wanted["host_folder"] else wanted["host"] or {}]
    for field in setting_fields(wanted["settings_class"]):
        if field.metadata.get("path"):
            texts += environ.get(variable_of(field.name), "").split(os.pathsep)
            for layer in layers:
                value = layer.get(field.name) if isinstance(layer, Mapping) else None
                texts += value if isinstance(value, (list, tuple)) else [value]
    relative = any(text and not str(text).strip().startswith(("/", "~")) for text in texts)
    return os.getcwd() if relative else ""


def _how_set(value: Any) -> str:
    return ("text" if value not in ("", OFF) else value) if isinstance(value, str) else type(value).__name__


def _signature(path: str) -> list[Any]:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return [path, -1, -1, -1]
    return [path, found.st_size, found.st_mtime_ns, found.st_ino]


def _settled(signature: list[Any] | None) -> bool:
    """False while another write could leave the same signature: within one tick of the file system's clock."""
    if signature is None or signature[1] < 0:
        return True
    tick_ns = 2_000_000_000 if signature[2] % 1_000_000_000 == 0 else 50_000_000
    return time.time_ns() - int(signature[2]) > tick_ns


def _secrets(settings_class: type[Settings]) -> set[str]:
    return {field.name for field in setting_fields(settings_class) if field.metadata.get("secret")}


def _values(settings: Settings) -> dict[str, Any]:
    return {field.name: getattr(settings, field.name) for field in setting_fields(type(settings))}


def _digest(text: str | None) -> str:
    return "" if text is None else digest(text.encode("utf-8", "backslashreplace"))
