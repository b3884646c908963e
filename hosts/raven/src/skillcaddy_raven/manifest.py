"""`raven-plugin.toml`, rendered: what the host reads before it imports anything of ours."""

from __future__ import annotations

import json
from typing import Any

from skillcaddy import __version__
from skillcaddy.guidance import tool_schemas

ID = "skillcaddy"
FILE = "raven-plugin.toml"


def manifest() -> str:
    """The manifest's text."""
    from skillcaddy.validation import json_schema  # late: it brings pydantic
    from skillcaddy_raven.settings import RavenSettings

    lines = [
        "# Rendered by `uv run nox -s manifests`; the host ignores a key that it does not know without a word.",
        "[plugin]",
        f"id = {_toml(ID)}",
        f"version = {_toml(__version__)}",
        'display_name = "skillcaddy"',
        'raven = ">=0.1.4"',
        "# Without this the host skips the plugin, and it has no switch to turn one on.",
        "enabled_by_default = true",
    ]
    for tool in tool_schemas("en"):
        lines += ["", "[[plugin.contributes.tools]]", f"name = {_toml(tool.name)}"]
        lines += [f"factory = {_toml(f'skillcaddy_raven.plugin:make_{tool.name}')}"]
    lines += [
        "",
        "# No released host reads this; one that does gets auto mode.",
        "[[plugin.contributes.context_segments]]",
    ]
    lines += [f"name = {_toml(ID)}", 'factory = "skillcaddy_raven.plugin:make_segment"', "", "[plugin.config_schema]"]
    for key, schema in json_schema(RavenSettings)["properties"].items():
        lines += [f"# {schema['description']}", f"{key} = {_declaration(schema)}"]
    return "\n".join(lines) + "\n"


def _declaration(schema: dict[str, Any]) -> str:
    """A key's type, default and closed set, in the host's words for them."""
    parts = [f"type = {_toml(schema['type'])}", f"default = {_toml(schema['default'])}"]
    if "enum" in schema:
        parts.append(f"choices = {_toml(schema['enum'])}")
    return "{ " + ", ".join(parts) + " }"


def _toml(value: Any) -> str:
    """A text, number or list of texts as TOML, which agrees with JSON on these."""
    return json.dumps(value, ensure_ascii=False)
