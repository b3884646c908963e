"""What is published: the npm package folder and the wheel that carries it."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import skillcaddy
import skillcaddy_openclaw
from skillcaddy.guidance import as_json, tool_schemas
from skillcaddy.js import PARTS
from skillcaddy_openclaw import plugin_folder

PACKAGE: dict[str, Any] = json.loads((plugin_folder() / "package.json").read_text(encoding="utf-8"))
MANIFEST: dict[str, Any] = json.loads((plugin_folder() / "openclaw.plugin.json").read_text(encoding="utf-8"))
MEMBER = Path(__file__).parents[1]


def test_one_version_everywhere() -> None:
    """T25: a bundle that changes without its version is not updated."""
    project = tomllib.loads((MEMBER / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    said = {project, skillcaddy_openclaw.__version__, PACKAGE["version"], MANIFEST["version"], version("skillcaddy")}
    assert said == {skillcaddy.__version__}


def test_the_shared_half_is_the_engines_byte_for_byte() -> None:
    engines = Path(skillcaddy.__file__).parent / "js"
    source = {path.name: path.read_bytes() for path in engines.glob("*.mjs")}
    assert set(source) == set(PARTS)
    assert {path.name: path.read_bytes() for path in plugin_folder().glob("bridge*")} == source


def test_the_texts_are_the_engines() -> None:
    assert (plugin_folder() / "guidance.json").read_text(encoding="utf-8") == as_json()


def test_every_published_file_is_there_and_every_file_there_is_published() -> None:
    there = {path.name for path in plugin_folder().iterdir()} - {"package.json"}
    assert set(PACKAGE["files"]) == there


def test_nothing_is_imported_but_node_and_what_the_host_lends() -> None:
    for path in (*plugin_folder().glob("*.js"), *plugin_folder().glob("*.mjs")):
        text = path.read_text(encoding="utf-8")
        imported = re.findall(r'^import [^;]*?from "([^"]+)"', text, re.MULTILINE | re.DOTALL)
        imported += re.findall(r'await import\("([^"]+)"\)', text)
        for name in imported:
            assert name.startswith(("node:", "./")) or name == "openclaw/plugin-sdk/core", (path.name, name)
    assert not {"dependencies", "peerDependencies", "scripts", "optionalDependencies"} & set(PACKAGE)


def test_the_plugin_and_the_package_have_one_name() -> None:
    assert PACKAGE["name"] == MANIFEST["id"] == "skillcaddy"
    assert PACKAGE["openclaw"]["extensions"] == ["./index.js"]


@pytest.mark.requirement("openclaw:tools-listed")
@pytest.mark.requirement("openclaw:no-kind")
def test_every_tool_is_listed_and_no_kind_is_claimed() -> None:
    """T05; and a `kind` would make the host give us its exclusive slot at installation, whatever the mode."""
    assert MANIFEST["contracts"]["tools"] == [tool.name for tool in tool_schemas("en")]
    assert "kind" not in MANIFEST


@pytest.mark.requirement("openclaw:closed-schema")
@pytest.mark.requirement("openclaw:no-defaults")
def test_the_configuration_is_closed_and_brings_no_defaults() -> None:
    """The host fills defaults in, after which nobody can tell them from the user's words."""
    schema = MANIFEST["configSchema"]
    assert schema["additionalProperties"] is False
    assert [key for key, declared in schema["properties"].items() if "default" in declared] == []
