"""Front matter read line by line: the quick reader for the plain forms of YAML, and the patient one for broken YAML.

Both give a mapping of text, lists and mappings, in which white space is collapsed, so that a folded, a literal and a
one-line value come out alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from skillcaddy.patterns import late

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TWO_KEYS = re.compile(r"name: +([^\s\[{|>][^\n]*)\ndescription: +([^\s\[{|>][^\n]*)\n")
_TOP_LEVEL = late(r"""(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=\s|$)""", re.ASCII)
# No space after the colon, or a full-width one: a key only where nothing else could be meant.
_LOOSE = late(r"""(["']?)(name|description)\1[ \t]*[:：]""", re.IGNORECASE)
_BLOCK_HEAD = late(r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_LIST_ITEM = late(r"[ \t]*-[ \t]+(.*)")
_FLOW_ITEM = late(r"[^\W_][\w .+/@-]*")
# Characters that YAML forbids, or takes for line breaks or markers: their blocks go to the real parser.
_ODD = late("[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=")
_ESCAPE = late(r"\\([\"\\/ntr])")
_ESCAPED = {"n": " ", "t": " ", "r": " "}
_MAX_DEPTH = 6


def collapse(text: str) -> str:
    """The text on one line, each run of white space made one space."""
    if "  " not in text and text.isascii() and text.isprintable():
        return text.strip(" ")
    return " ".join(text.split())


def two_keys(block: str) -> tuple[str, str] | None:
    """Name and description of a block that holds just these two on a line each; None for any other block."""
    found = _TWO_KEYS.fullmatch(block)
    if found is None or _ODD().search(block):
        return None
    name, description = _scalar(found[1].strip(" ")), _scalar(found[2].strip(" "))
    return None if name is None or description is None else (name, description)


def simple(block: str) -> dict[str, Any] | None:
    """What YAML would make of a block in plain forms, or None where only a YAML parser can be sure.

    Scalars stay text whatever their type. Takes scalars on one or more lines (plain, or quoted without escapes), block
    scalars, nested mappings, lists of scalars and one-line JSON.
    """
    return None if _ODD().search(block) else _mapping(block.split("\n"), 0)


def _mapping(lines: list[str], depth: int) -> dict[str, Any] | None:
    values: dict[str, Any] = {}
    at, end = 0, len(lines)
    while at < end:
        line = lines[at]
        at += 1
        if not line or line[0] == "#" or line.isspace():
            continue
        key, colon, head = line.partition(":")
        if not colon or not _KEY.fullmatch(key) or (head and head[0] != " "):
            return None
        start = at
        while at < end and (not lines[at] or lines[at][0] == " "):
            at += 1
        head = head.strip(" ")
        if not head and at == start and lines[at : at + 1] and lines[at].startswith("- "):
            while at < end and lines[at].startswith("- "):
                at += 1
        value = _value(head, lines[start:at], depth)
        if value is None:
            return None
        values[key] = value
    return values


def _value(head: str, rest: list[str], depth: int) -> Any:
    while rest and not rest[-1].strip(" "):
        rest.pop()
    if not rest:
        return _scalar(head) if not head or head[0] not in "[{" else _flow(head)
    if head in {"|", ">", "|-", ">-", "|+", ">+"}:
        return _block(rest)
    if head:
        return _scalar(collapse(" ".join([head, *rest]))) if head[0] not in "|>[{" else None
    first = rest[0]
    indent = len(first) - len(first.lstrip(" "))
    margin = first[:indent]
    if indent == len(first) or depth == _MAX_DEPTH or not all(not row or row.startswith(margin) for row in rest):
        return None
    if first.startswith("- ", indent):
        rows = [row[indent:] for row in rest]
        items = [_scalar(row[2:].strip(" ")) for row in rows]
        good = all(row.startswith("- ") and item for row, item in zip(rows, items, strict=True))
        return items if good else None
    return _mapping([row[indent:] for row in rest], depth + 1)


def _scalar(text: str) -> str | None:
    if not text:
        return ""
    first = text[0]
    if first in "\"'":
        inner = text[1:-1]
        if len(text) < 2 or text[-1] != first or first in inner or (first == '"' and "\\" in inner):
            return None
        return collapse(inner)
    if first in _INDICATORS or ": " in text or " #" in text or text[-1] == ":":
        return None
    return collapse(text)


def _block(rows: list[str]) -> str | None:
    indent = len(rows[0]) - len(rows[0].lstrip(" "))
    margin = rows[0][:indent]
    if indent == len(rows[0]) or not all(not row.strip(" ") or row.startswith(margin) for row in rows):
        return None
    return collapse(" ".join(rows))


def _flow(text: str) -> Any:
    if text[0] == "[" and text[-1] == "]":
        items = []
        for part in text[1:-1].split(",") if text[1:-1].strip() else []:
            item = part.strip(" ")
            value = _scalar(item) if item[:1] in {'"', "'"} else item if _FLOW_ITEM().fullmatch(item) else None
            if not value or value.endswith((":", "#")) or " #" in value:
                return None
            items.append(value)
        return items
    if text[0] == "{" and "\\" not in text:
        try:
            return _as_text(json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse))
        except (ValueError, RecursionError):
            return None
    return None


def _refuse(word: str) -> str:
    raise ValueError(word)


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {collapse(key): _as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value]
    if isinstance(value, str):
        return collapse(value)
    return {True: "true", False: "false", None: "null"}[value]


def tolerant(block: str, parse: Callable[[str], dict[str, Any] | None]) -> dict[str, Any]:
    """What a person would read in a block that YAML refuses: each top-level `key:` up to the next one.

    `parse` reads the entries that are sound by themselves (None where one is not); only the others are guessed.
    """
    values: dict[str, Any] = {}
    for key, head, rest in _entries(block):
        if key in values:
            continue  # A later one is a line of the text that ran over, or of the body.
        text = "\n".join([f"{key}: {head}", *rest])
        sound = parse(text)
        if sound is not None and list(sound) == [key]:
            values[key] = sound[key]
        else:
            # A name stands on one line; what follows it ran on from somewhere else.
            values[key] = _guess(head.strip(), [] if key == "name" and head.strip(" >|-") else rest)
    return values


def _entries(block: str) -> list[tuple[str, str, list[str]]]:
    entries: list[tuple[str, str, list[str]]] = []
    for line in block.split("\n"):
        found = _TOP_LEVEL().match(line) or _LOOSE().match(line)
        if found:
            entries.append((found[2], line[found.end() :], []))
        elif entries:
            entries[-1][2].append(line)
    return entries


def _guess(head: str, rest: list[str]) -> str | list[str]:
    if _BLOCK_HEAD().match(head):
        return collapse(" ".join(rest))
    items = [_LIST_ITEM().match(row) for row in rest if row.strip()]
    if not head and items and all(items):
        return [_unquote(collapse(item[1])) for item in items if item]
    return _unquote(collapse(" ".join([head, *rest])))


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            # Emoji as a pair of \\u escapes are good JSON, but not YAML.
            inner = json.loads(text)
        except ValueError:
            inner = _ESCAPE().sub(lambda found: _ESCAPED.get(found[1], found[1]), text[1:-1])
        return collapse(inner.encode("utf-8", "replace").decode("utf-8"))
    if len(text) > 1 and text[0] == text[-1] == "'":
        return collapse(text[1:-1].replace("''", "'"))
    return text
