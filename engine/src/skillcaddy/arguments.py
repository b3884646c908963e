"""A tool call's arguments as they really arrive: stray, missing, of the wrong type, or packed as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from skillcaddy.guidance.schemas import DELIVERIES
from skillcaddy.request import Delivery


def mapping(arguments: object, only: str) -> Mapping[str, Any]:
    """The arguments as a mapping, however a host or model packed them; a bare text is the main argument."""
    if isinstance(arguments, str) and arguments.lstrip().startswith("{"):
        import json

        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {only: arguments}
    if isinstance(arguments, Mapping):
        return {str(key): value for key, value in arguments.items()}
    return {only: arguments} if isinstance(arguments, str | list | tuple) else {}


def text(arguments: Mapping[str, Any], *names: str) -> str:
    """The first of these arguments that holds text; numbers and lists of texts count as text."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, list | tuple):
            value = " ".join(str(item) for item in value if isinstance(item, str | int | float))
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def whole(arguments: Mapping[str, Any], *names: str) -> int | None:
    """The first of these arguments that reads as a number, as a whole one; None where none does."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, bool):
            continue
        try:
            return int(float(value))  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            continue
    return None


def delivery(arguments: Mapping[str, Any]) -> Delivery:
    """The way of delivery asked for; `best` for anything unknown."""
    word = text(arguments, "delivery").lower()
    return cast(Delivery, word) if word in DELIVERIES else "best"
