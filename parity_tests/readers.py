"""Reads each rendered file the way its host does: never through the renderer, never through pydantic."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The settings that a host's file declares, and what the host does with a value."""

    keys: frozenset[str]
    defaults: Mapping[str, Any]
    """Defaults as declared; empty for a host whose defaults would hide what other layers say."""
    accepts: Callable[[Mapping[str, Any]], bool]
    """Whether the host lets a configuration through."""
    help: Mapping[str, str]
    secrets: frozenset[str] | None = None
    """Keys with the host's mark for secrets; None where it has no mark."""
    bounds: bool = True
    """Whether the host can hold a number to its bounds."""
    entries: bool = True
    """Whether the host can hold the entries of a list to a kind."""
    closed: bool = True
    """Whether the host refuses a key that is not declared."""


def _json(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def _schema(schema: Mapping[str, Any], secrets: frozenset[str] | None) -> Declared:
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    properties = schema["properties"]
    return Declared(
        keys=frozenset(properties),
        defaults={key: row["default"] for key, row in properties.items() if "default" in row},
        accepts=lambda config: validator.is_valid(dict(config)),
        help={key: row.get("description", "") for key, row in properties.items()},
        secrets=secrets,
    )


def openclaw(change: Callable[[Any], None] = lambda _: None) -> Declared:
    """`openclaw.plugin.json`: JSON Schema in `configSchema`, marks for secrets in `uiHints`."""
    manifest = copy.deepcopy(_json("hosts/openclaw2_bridge/plugin/openclaw.plugin.json"))
    change(manifest["configSchema"])
    hints = manifest.get("uiHints", {})
    return _schema(manifest["configSchema"], frozenset(key for key, hint in hints.items() if hint.get("sensitive")))


def dsh(change: Callable[[Any], None] = lambda _: None) -> Declared:
    """`settings.schema.json`, which the shell hands to the loader as a Standard Schema."""
    schema = copy.deepcopy(_json("hosts/dsh_bridge/plugin/settings.schema.json"))
    change(schema)
    secrets = frozenset(key for key, row in schema["properties"].items() if row.get("writeOnly"))
    return _schema(schema, secrets)


_RAVEN_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def raven(change: Callable[[Any], None] = lambda _: None) -> Declared:
    """`raven-plugin.toml`: per key a type, a default and perhaps choices; a bool is refused where a number is meant."""
    text = (ROOT / "hosts/raven/src/skillcaddy_raven/raven-plugin.toml").read_text(encoding="utf-8")
    schema = tomllib.loads(text)["plugin"]["config_schema"]
    change({"properties": schema})

    def accepts(config: Mapping[str, Any]) -> bool:
        for key, value in config.items():
            row = schema.get(key)
            if row is None:
                continue  # passes with a warning
            if not isinstance(value, _RAVEN_TYPES[row["type"]]):
                return False
            if isinstance(value, bool) and row["type"] != "boolean":
                return False
            if "choices" in row and value not in row["choices"]:
                return False
        return True

    return Declared(
        keys=frozenset(schema),
        defaults={key: row["default"] for key, row in schema.items()},
        accepts=accepts,
        help={},
        bounds=False,
        entries=False,
        closed=False,
    )


READERS: dict[str, Callable[..., Declared]] = {"openclaw": openclaw, "dsh": dsh, "raven": raven}
"""Hosts that check our settings by a file of ours; the others read a config file of ours, which pydantic judges."""
