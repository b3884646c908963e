"""The front matter of a SKILL.md file, read so that no skill is ever lost to it.

One real file in six is not valid YAML. The plain forms are read line by line, which is many times quicker than a YAML
parser; what is not plain goes to PyYAML; what PyYAML refuses is read as a person would read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from skillcaddy.frozen import dataclass
from skillcaddy.library.frontmatter_lines import collapse, simple, tolerant, two_keys
from skillcaddy.patterns import late

# Some files put all of it into a code block.
_FENCE = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?-{3}[ \t]*\n")
_FENCE_LOST = late(r"\s*(?:name|description)[ \t]*[:：][ \t]*\S")
_BLANK_LINE = late(r"\n[ \t]*\n(?!\s*[A-Za-z_][\w-]*:(?:\s|$))")
_CLOSE = re.compile(r"^-{3}[ \t]*(?:\n|\Z)", re.MULTILINE)
# `---# Title`: the line break after the closing fence was lost.
_GLUED_CLOSE = late(r"^-{3}(?=#)", re.MULTILINE)
_HEADING_AFTER_BLANK = late(r"\n[ \t]*\n(?=#{1,6} \S)")
_PROSE_LINE = late(r"^(?![#\s]|- |[\w.-]+[ \t]*:|-{3})", re.MULTILINE)
_FIRST_KEY = late(r"""\s*(?:#[^\n]*\n\s*)*["']?[A-Za-z_][\w.-]*["']?[ \t]*[:：]""")
_HTML_COMMENT = late(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PROSE = late(r"#|```|~~~|---|===|\*\*\*|!\[|\[!|<|\|")

_MAX_YAML_CHARS = 100_000
_MAX_FIELDS = 200
_MAX_NODES = 2_000
_MAX_FIELD_CHARS = 4_000
_MAX_DEPTH = 6
# PyYAML through 6.0.3, which hosts pin, ends the whole process over text nested some ten thousand deep.
_MAX_OPENED = 1_000
_COMPACT_NEST = late(r"(?:[-?][ \t]+){64}")
_MAX_DESCRIPTION_FROM_BODY = 500
_MAX_BODY_LOOKED_AT = 8_000
_NAMED = frozenset({"name", "description", "tags"})
_ANY_CASE = frozenset({"name", "description", "tags", "keywords", "license", "version", "metadata"})
_NULLS = frozenset({"null", "Null", "NULL", "~"})


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """What a SKILL.md file says about itself."""

    name: str
    """On one line; "" where the file gives none."""
    description: str
    """On one line; the body's first paragraph where the front matter gives none."""
    tags: tuple[str, ...]
    fields: Mapping[str, str]
    """Other entries as text, nested ones under dotted keys (`metadata.hermes.requires_tools`); ", " joins lists."""
    body: str
    """The Markdown after the front matter, without the line breaks before it."""
    mended: bool
    """True when YAML refused the front matter and it was read line by line."""


def parse(text: str) -> FrontMatter:
    """The front matter and body of a file's text; never raises, whatever the text."""
    text = normalise(text)
    bounds = _bounds(text)
    if bounds is None:
        return _front_matter({}, "", text, mended=False)
    start, end, body_at = bounds
    block = text[start:end]
    pair = two_keys(block)
    if pair is not None and pair[1] and pair[0] not in _NULLS and pair[1] not in _NULLS:
        body = text[body_at:].lstrip("\n")
        return FrontMatter(name=pair[0], description=pair[1], tags=(), fields={}, body=body, mended=False)
    values = _entry(block)
    if values is not None:
        return _front_matter(values, block, text[body_at:], mended=False)
    values = tolerant(block, _entry)
    if not values:
        # A thematic break, not front matter: nothing between the lines is a key.
        return _front_matter({}, "", text, mended=False)
    lost = _lost_fence(block)
    return _front_matter(values, block, text[body_at if lost is None else start + lost :], mended=True)


def normalise(text: str) -> str:
    """The text without byte order mark and NUL characters, its line breaks made single line feeds."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.lstrip("\ufeff")


def _bounds(text: str) -> tuple[int, int, int] | None:
    """Where the block starts and ends and where the body starts; None where there is no front matter."""
    opening = _FENCE.match(text)
    if opening is not None:
        start = opening.end()
        closing = _CLOSE.search(text, start) or _GLUED_CLOSE().search(text, start)
        if closing is not None:
            return start, closing.start(), closing.end()
        if not _FIRST_KEY().match(text, start):
            return None
    elif _FENCE_LOST().match(text):
        start = 0
    else:
        return None
    # One of the fences is missing: a blank line before anything but a key ends it.
    blank = _BLANK_LINE().search(text, start)
    end = len(text) if blank is None else blank.start() + 1
    closing = _CLOSE.search(text, start, end)
    return (start, end, end) if closing is None else (start, closing.start(), closing.end())


def _lost_fence(block: str) -> int | None:
    """Where the body starts inside a refused block whose own closing fence got lost; None where it did not."""
    glued = _GLUED_CLOSE().search(block)
    if glued is not None:
        return glued.end()
    heading = _HEADING_AFTER_BLANK().search(block)
    # A heading is also what a comment looks like, so prose has to follow.
    return heading.end() if heading is not None and _PROSE_LINE().search(block, heading.end()) else None


def _entry(block: str) -> dict[str, Any] | None:
    values = simple(block)
    return _yaml(block) if values is None else values


def _yaml(block: str) -> dict[str, Any] | None:
    """The mapping that PyYAML reads, its scalars left as the text they are; None where it refuses or sees none."""
    if (
        len(block) > _MAX_YAML_CHARS
        or block.count("[") + block.count("{") > _MAX_OPENED
        or _COMPACT_NEST().search(block)
    ):
        return None
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        # The base loader keeps every scalar as text (a version 1.10 stays 1.10) and constructs no objects.
        values = yaml.load(block, Loader=loader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _front_matter(values: Mapping[Any, Any], block: str, body: str, *, mended: bool) -> FrontMatter:
    body = body.lstrip("\n")
    values = _any_case(values)
    return FrontMatter(
        name=_one_line("name", values, block),
        description=_one_line("description", values, block) or _first_paragraph(body),
        tags=_tags(values),
        fields=_flat(values),
        body=body,
        mended=mended,
    )


def _any_case(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The entries with `Name` and the like also found under `name`; an exact key goes first."""
    lowered = {str(key).lower(): value for key, value in values.items() if str(key).lower() in _ANY_CASE}
    return {**lowered, **values}


def _one_line(key: str, values: Mapping[Any, Any], block: str) -> str:
    value = values.get(key)
    if isinstance(value, str):
        return "" if value in _NULLS else collapse(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return collapse(" ".join(value))
    if value is None:
        return ""
    # Valid YAML, but not what was meant: `description: {PRODUCT}` is a mapping. The words themselves are meant.
    guessed = _any_case(tolerant(block, lambda text: None)).get(key)
    return guessed if isinstance(guessed, str) else collapse(" ".join(guessed or []))


def _tags(values: Mapping[Any, Any]) -> tuple[str, ...]:
    metadata = values.get("metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    found: dict[str, None] = {}
    for holder in (values, inner, *(host for host in inner.values() if isinstance(host, dict))):
        for key in ("tags", "keywords"):
            value = holder.get(key)
            if isinstance(value, str):
                value = value.strip("[]").split(",")
            for item in value if isinstance(value, list) else ():
                if isinstance(item, str) and (tag := collapse(collapse(item).strip("\"'"))):
                    found[tag] = None
    return tuple(found)[:_MAX_FIELDS]


def _flat(values: Mapping[Any, Any]) -> dict[str, str]:
    """Each scalar, and each list of scalars, under its dotted key; in the order of the file."""
    fields: dict[str, str] = {}
    pending: list[tuple[str, Any, int]] = [(str(k), v, 0) for k, v in values.items() if str(k).lower() not in _NAMED]
    pending.reverse()
    # Counted, because aliases let a short file stand for billions of nodes.
    for _ in range(_MAX_NODES):
        if not pending or len(fields) == _MAX_FIELDS:
            break
        name, value, depth = pending.pop()
        if isinstance(value, str):
            fields[name] = collapse(value)[:_MAX_FIELD_CHARS]
        elif isinstance(value, list):
            fields[name] = collapse(", ".join(item for item in value if isinstance(item, str)))[:_MAX_FIELD_CHARS]
        elif isinstance(value, dict) and depth < _MAX_DEPTH:
            inner = [(f"{name}.{key}", item, depth + 1) for key, item in islice(value.items(), _MAX_NODES)]
            pending.extend(reversed(inner))
    return fields


def _first_paragraph(body: str) -> str:
    """The first paragraph of prose, on one line and cut at a word; "" where there is none."""
    lines: list[str] = []
    fenced = False
    for line in _HTML_COMMENT().sub("", body[:_MAX_BODY_LOOKED_AT]).split("\n"):
        stripped = line.strip().lstrip("> ")
        if stripped.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not stripped or _NOT_PROSE().match(stripped):
            if lines:
                break
            continue
        lines.append(stripped)
    text = collapse(" ".join(lines))
    if len(text) <= _MAX_DESCRIPTION_FROM_BODY:
        return text
    cut = text[:_MAX_DESCRIPTION_FROM_BODY]
    return cut.rpartition(" ")[0] or cut
