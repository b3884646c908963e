"""The client entries in docs/mcp.md are what they should be: files that parse and start our server."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.mcp import VERSIONS

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(json|toml)\n(.*?)```", PAGE, re.DOTALL)


def entries(value: Any) -> Iterator[list[str]]:
    """Every command line in a client's configuration."""
    if isinstance(value, dict):
        if "command" in value:
            command = value["command"]
            yield [*(command if isinstance(command, list) else [command]), *value.get("args", [])]
        for inner in value.values():
            yield from entries(inner)


@pytest.mark.parametrize(("kind", "text"), BLOCKS)
def test_each_entry_parses_and_starts_the_server(kind: str, text: str) -> None:
    value = json.loads(text) if kind == "json" else tomllib.loads(text)
    assert list(entries(value)) == [["skillcaddy", "mcp"]]


@pytest.mark.parametrize("client", ["Cursor", "Codex", "Claude Desktop", "Claude Code", "VS Code", "Windsurf", "Zed"])
def test_the_usual_clients_have_their_line(client: str) -> None:
    assert client in PAGE


def test_the_versions_on_the_page_are_those_served() -> None:
    assert f"{VERSIONS[-1]} to {VERSIONS[0]}" in PAGE
