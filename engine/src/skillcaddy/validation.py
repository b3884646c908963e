"""Judges settings: the strict pydantic model and the JSON Schema that both come from the dataclass fields.

Values are taken as JSON means them: "8" is no number, true is no number, 2.0 is an integer, null is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pydantic

from skillcaddy.settings import Settings, setting_fields
from skillcaddy.settings_errors import (
    BadConfigError,
    BadSettingsError,
    BadValueError,
    SettingsError,
    UnknownKeyError,
    nearest,
)

_KINDS: dict[Any, tuple[str, str]] = {
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
}
_TYPES: dict[Any, dict[str, Any]] = {}
_MODELS: dict[Any, type[pydantic.BaseModel]] = {}
_LIKE_A_MODEL = re.compile(r"[\d/:.-]")


def types_of(settings_class: type[Settings]) -> dict[str, Any]:
    """The resolved type of each setting; TypeError for one that no configuration format could carry."""
    if settings_class not in _TYPES:
        hints = get_type_hints(settings_class)
        types = {field.name: hints[field.name] for field in setting_fields(settings_class)}
        for name, kind in types.items():
            _check_type(f"{settings_class.__name__}.{name}", kind)
        _TYPES[settings_class] = types
    return _TYPES[settings_class]


def _check_type(named: str, kind: Any) -> None:
    if get_origin(kind) is Literal and all(isinstance(word, str) for word in get_args(kind)):
        return
    if kind in _KINDS or kind == tuple[str, ...]:
        return
    if NoneType in get_args(kind):
        raise TypeError(f"{named}: a setting cannot be optional; give it one more word, or an empty default.")
    raise TypeError(f"{named}: {kind} is not a type that a setting may have.")


def model_of(settings_class: type[Settings] = Settings) -> type[pydantic.BaseModel]:
    """The strict pydantic model of a settings class; it refuses unknown keys and whatever JSON would not mean."""
    if settings_class not in _MODELS:
        types = types_of(settings_class)
        definitions = {field.name: _definition(field, types[field.name]) for field in setting_fields(settings_class)}
        config = pydantic.ConfigDict(strict=True, extra="forbid", protected_namespaces=())  # model_name is a setting
        _MODELS[settings_class] = pydantic.create_model(settings_class.__name__, __config__=config, **definitions)
    return _MODELS[settings_class]


def _definition(field: Field[Any], kind: Any) -> Any:
    default = default_of(field)
    constraints: dict[str, Any] = {
        word: field.metadata[word] for word in ("ge", "le") if field.metadata.get(word) is not None
    }
    if kind is float:
        constraints["allow_inf_nan"] = False
    elif kind is int:
        kind = Annotated[int, pydantic.BeforeValidator(_whole)]
    elif kind == tuple[str, ...]:
        kind, default = list[str], list(default)
    return kind, pydantic.Field(default, description=field.metadata.get("help", ""), **constraints)


def judge(
    data: Any, *, where: str, settings_class: type[Settings] = Settings
) -> tuple[dict[str, Any], list[SettingsError]]:
    """The good values among these, as Settings takes them, and an error for each of the others; never raises.

    `data` should be a mapping; anything else is one error more. A bad entry of a list costs that entry,
    not the list.
    """
    if not isinstance(data, Mapping):
        return {}, [BadConfigError(where=where, detail=f"it is a {type(data).__name__}, not a table of settings")]
    known = {field.name: field for field in setting_fields(settings_class)}
    errors: list[SettingsError] = [
        UnknownKeyError(where=where, key=str(key), known=tuple(known)) for key in data if key not in known
    ]
    left = {key: list(value) if isinstance(value, tuple) else value for key, value in data.items() if key in known}
    try:
        model = model_of(settings_class).model_validate(left)
    except pydantic.ValidationError as refusal:
        for key, indexes in _places(refusal).items():
            given = left.pop(key)
            for index in sorted(indexes, key=lambda place: -1 if place is None else place):
                named, value = (key, given) if index is None else (f"{key}[{index}]", given[index])
                errors.append(_bad_value(known[key], where, named, value, settings_class))
            if None not in indexes and len(indexes) < len(given):
                left[key] = [value for index, value in enumerate(given) if index not in indexes]
        model = model_of(settings_class).model_validate(left)
    values = {key: getattr(model, key) for key in left}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}, errors


def validate(data: Mapping[str, Any], *, where: str, settings_class: type[Settings] = Settings) -> dict[str, Any]:
    """The given values as Settings takes them; BadSettingsError names everything that is wrong with them at once."""
    values, errors = judge(data, where=where, settings_class=settings_class)
    if errors:
        raise BadSettingsError(errors)
    return values


def allowed(field: Field[Any], settings_class: type[Settings] = Settings) -> str:
    """What a setting allows, in words: `a whole number from 1 to 10`, `"auto", "on" or "off"`."""
    kind = types_of(settings_class)[field.name]
    if get_origin(kind) is Literal:
        words = [f'"{word}"' for word in get_args(kind)]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    if kind == tuple[str, ...]:
        return "a list of texts"
    low, high = field.metadata.get("ge"), field.metadata.get("le")
    span = f" from {low}" if low is not None else ""
    return _KINDS[kind][1] + span + (f" to {high}" if high is not None else "")


def choices(field: Field[Any], settings_class: type[Settings] = Settings) -> tuple[str, ...]:
    """The words a setting allows; empty where it is not a choice of words."""
    kind = types_of(settings_class)[field.name]
    return tuple(get_args(kind)) if get_origin(kind) is Literal else ()


def default_of(field: Field[Any]) -> Any:
    """The default of a setting; every setting has one."""
    if field.default is not MISSING:
        return field.default
    if field.default_factory is not MISSING:
        return field.default_factory()
    raise TypeError(f"The setting {field.name} has no default.")


def json_schema(settings_class: type[Settings] = Settings) -> dict[str, Any]:
    """The settings as JSON Schema (draft 2020-12), closed, with defaults; secrets are `writeOnly`."""
    properties: dict[str, Any] = {}
    for field in setting_fields(settings_class):
        kind = types_of(settings_class)[field.name]
        schema: dict[str, Any] = {}
        if get_origin(kind) is Literal:
            schema.update(type="string", enum=list(get_args(kind)))
        elif kind == tuple[str, ...]:
            schema.update(type="array", items={"type": "string"})
        else:
            schema["type"] = _KINDS[kind][0]
        for word, bound in (("ge", "minimum"), ("le", "maximum")):
            if field.metadata.get(word) is not None:
                schema[bound] = field.metadata[word]
        default = default_of(field)
        schema["default"] = list(default) if isinstance(default, tuple) else default
        schema["description"] = field.metadata.get("help", "")
        if field.metadata.get("secret"):
            schema["writeOnly"] = True
        properties[field.name] = schema
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _whole(value: Any) -> Any:
    """2.0 is the integer 2 in JSON Schema, and a JavaScript host cannot tell the two apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _places(refusal: pydantic.ValidationError) -> dict[str, set[int | None]]:
    """The keys at fault, each with the list entries at fault, or None where the whole value is."""
    places: dict[str, set[int | None]] = {}
    for error in refusal.errors(include_url=False, include_context=False):
        key, *rest = error["loc"]
        index = rest[0] if rest and isinstance(rest[0], int) else None
        places.setdefault(str(key), set()).add(index)
    return places


def _bad_value(field: Field[Any], where: str, named: str, value: Any, settings_class: type[Settings]) -> BadValueError:
    hint = ""
    words = choices(field, settings_class)
    if field.name == named and types_of(settings_class)[named] == tuple[str, ...] and isinstance(value, str):
        hint = f"Write it as a list: {named} = [...]."
    if named == "mode" and isinstance(value, str) and _LIKE_A_MODEL.search(value) and not nearest(value, words):
        hint = "It looks like the name of a model; that is set with model_name (SKILLCADDY_MODEL_NAME)."
    return BadValueError(
        where=where,
        key=named,
        given=value,
        allowed=allowed(field, settings_class) if field.name == named else "a text",
        choices=words,
        default=default_of(field),
        hint=hint,
        secret=bool(field.metadata.get("secret")),
    )
