"""Settings as JSON Schema, for hosts whose manifests declare a plugin's configuration that way."""

from __future__ import annotations

import types
from typing import Any, Literal, get_args, get_origin, get_type_hints

from skillcaddy.settings import Settings, setting_fields


def property_schemas(settings: type[Settings], *, defaults: bool = True) -> dict[str, dict[str, Any]]:
    """One schema for each setting, in their order, with its help as the description.

    Without `defaults` each default stands in the description instead: a host that fills defaults in would make every
    setting look as if the user had made it, and the shared config file would never be heard.
    """
    hints = get_type_hints(settings)
    properties: dict[str, dict[str, Any]] = {}
    for each in setting_fields(settings):
        schema = _type_schema(hints[each.name])
        for bound, word in (("ge", "minimum"), ("le", "maximum")):
            if each.metadata.get(bound) is not None:
                schema[word] = each.metadata[bound]
        schema["description"] = each.metadata["help"]
        value = list(each.default) if isinstance(each.default, tuple) else each.default
        if defaults:
            schema["default"] = value
        elif value not in ("", []):
            schema["description"] += f" Without it: {value}."
        properties[each.name] = schema
    return properties


def _type_schema(hint: Any) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": _type_schema(arguments[0])}
    simple = {bool: "boolean", int: "integer", float: "number", str: "string"}
    if isinstance(hint, types.GenericAlias) or hint not in simple:
        raise TypeError(f"a setting of type {hint!r} has no JSON Schema here")
    return {"type": simple[hint]}
