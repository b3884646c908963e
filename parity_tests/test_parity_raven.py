"""Raven: the manifest as its host reads it, and the tools as its registry lists them."""

from __future__ import annotations

import importlib
import sys
import tomllib
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import tomli
from readers import ROOT

from skillcaddy import __version__
from skillcaddy.guidance import LANGUAGES, texts, tool_schemas

FILE = ROOT / "hosts" / "raven" / "src" / "skillcaddy_raven" / "raven-plugin.toml"
TEXT = FILE.read_text(encoding="utf-8")
MANIFEST: dict[str, Any] = tomllib.loads(TEXT)


def test_the_manifest_reads_the_same_with_either_parser() -> None:
    assert tomli.loads(TEXT) == MANIFEST


def test_the_manifest_holds_what_the_host_insists_on_and_no_key_that_it_would_ignore() -> None:
    plugin = MANIFEST["plugin"]
    assert set(MANIFEST) == {"plugin"}
    assert set(plugin) == {
        "id", "version", "display_name", "raven", "enabled_by_default", "contributes", "config_schema",
    }  # fmt: skip
    assert (plugin["id"], plugin["version"]) == ("skillcaddy", __version__)
    assert plugin["enabled_by_default"] is True
    # The second kind is the one that no released host knows; `raven:no-auto-slot` says what is done about that.
    assert set(plugin["contributes"]) == {"tools", "context_segments"}
    for rows in plugin["contributes"].values():
        assert len({row["name"] for row in rows}) == len(rows)
        for row in rows:
            module, _, attribute = row["factory"].partition(":")
            assert callable(getattr(importlib.import_module(module), attribute))
    for row in plugin["config_schema"].values():
        assert set(row) <= {"type", "default", "choices"}
        assert row["type"] in {"string", "integer", "number", "boolean", "array", "object"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tools_that_the_host_really_gets_are_the_guidances(
    language: Any, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """T14: taken from the objects that are registered, newlines included; one paragraph more than other hosts get."""
    base = ModuleType("raven.agent.tools.base")
    base.Tool = type("Tool", (), {})  # type: ignore[attr-defined]
    for name in ("raven", "raven.agent", "raven.agent.tools"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "raven.agent.tools.base", base)
    monkeypatch.setenv("SKILLCADDY_HOME", str(tmp_path_factory.mktemp("home")))
    services = SimpleNamespace(workspace=tmp_path_factory.mktemp("workspace"))
    context = SimpleNamespace(config={"language": language}, services=services, logger=None)
    for row, tool in zip(MANIFEST["plugin"]["contributes"]["tools"], tool_schemas(language), strict=True):
        module, _, attribute = row["factory"].partition(":")
        made = getattr(importlib.import_module(module), attribute)(context)
        fenced = f"\n\n{texts(language).search_fenced}" if tool.name == "skill_search" else ""
        assert (made.name, row["name"]) == (tool.name, tool.name)
        assert made.description == tool.description + fenced
        assert made.parameters == tool.parameters
