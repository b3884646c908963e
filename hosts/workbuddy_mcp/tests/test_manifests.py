"""The plugin folder as the hosts read it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skillcaddy_workbuddy.folders import data_folder
from skillcaddy_workbuddy.manifests import HOOK_TIMEOUT_S, MANIFESTS, marketplace
from skillcaddy_workbuddy.settings import WorkBuddySettings

HOST = Path(__file__).parent.parent
PLUGIN = HOST / "plugin"
PLUGIN_FILES = [PLUGIN / folder / "plugin.json" for folder in (".claude-plugin", ".codebuddy-plugin")]
MARKETS = [HOST / folder / "marketplace.json" for folder in (".claude-plugin", ".codebuddy-plugin")]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(MANIFESTS))
def test_the_committed_files_are_the_rendered_ones(path: str) -> None:
    """T26"""
    assert (HOST / path).read_text(encoding="utf-8") == MANIFESTS[path]()


def test_both_hosts_read_the_same_manifest_with_the_packages_version() -> None:
    first, second = (read(path) for path in PLUGIN_FILES)
    assert first == second
    version = tomllib.loads((HOST / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert first["version"] == version
    assert all(entry["version"] == version for path in MARKETS for entry in read(path)["plugins"])
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", first["name"])


@pytest.mark.requirement("workbuddy:hooks-file-only")
def test_hooks_stand_in_their_own_file_only() -> None:
    """That file is always loaded; naming it in a manifest as well would load it twice."""
    assert all("hooks" not in read(path) for path in PLUGIN_FILES)
    assert set(read(PLUGIN / "hooks" / "hooks.json")["hooks"]) == {"UserPromptSubmit", "SessionStart"}


@pytest.mark.requirement("workbuddy:own-deadline")
def test_every_hook_is_a_command_with_a_limit_above_the_processes_own() -> None:
    """T31"""
    from skillcaddy.hook import LIMIT_S

    entries = [
        (event, hook)
        for event, groups in read(PLUGIN / "hooks" / "hooks.json")["hooks"].items()
        for group in groups
        for hook in group["hooks"]
    ]
    for event, hook in entries:
        assert hook["type"] == "command"
        once = '"${CLAUDE_PLUGIN_ROOT}/bin/skillcaddy-hook" ' + event
        assert hook["command"] == f"sh {once} || {once}"
        assert hook["timeout"] == HOOK_TIMEOUT_S >= LIMIT_S + 1
    longest = next(f for f in WorkBuddySettings.__dataclass_fields__.values() if f.name == "deadline_auto_s")
    assert longest.metadata["le"] < LIMIT_S


@pytest.mark.requirement("workbuddy:always-load")
def test_the_server_entry_is_loaded_always_and_points_into_the_plugin() -> None:
    """Without this key CodeBuddy shows the model a bare name and hides the description."""
    for manifest in PLUGIN_FILES:
        entries = read(PLUGIN / read(manifest)["mcpServers"])["mcpServers"]
        assert list(entries) == ["skillcaddy"]
        assert entries["skillcaddy"]["alwaysLoad"] is True
        assert entries["skillcaddy"]["command"] == "${CLAUDE_PLUGIN_ROOT}/bin/skillcaddy-mcp"


def test_the_marketplace_names_a_folder_that_is_there() -> None:
    for path in MARKETS:
        (entry,) = read(path)["plugins"]
        assert (HOST / entry["source"]).samefile(PLUGIN)
        assert entry["name"] == read(PLUGIN_FILES[0])["name"]


@pytest.mark.parametrize("folder", [".claude-plugin", ".codebuddy-plugin"])
def test_the_repository_is_a_marketplace_too_for_those_who_add_it_from_git(folder: str) -> None:
    """T27: a marketplace that is a local folder does not survive WorkBuddy's restart."""
    root = HOST.parent.parent
    text = (root / folder / "marketplace.json").read_text(encoding="utf-8")
    assert text == marketplace("./hosts/workbuddy_mcp/plugin")
    (entry,) = json.loads(text)["plugins"]
    assert (root / entry["source"]).samefile(PLUGIN)


@pytest.mark.requirement("workbuddy:no-engine-inside")
def test_the_plugin_holds_launchers_and_no_engine() -> None:
    files = {path.relative_to(PLUGIN).as_posix() for path in PLUGIN.rglob("*") if path.is_file()}
    scripts = {
        "python.sh",
        "skillcaddy-hook",
        "skillcaddy-mcp",
        "python.cmd",
        "skillcaddy-hook.cmd",
        "skillcaddy-mcp.cmd",
    }
    manifests = {".claude-plugin/plugin.json", ".codebuddy-plugin/plugin.json"}
    assert files == {f"bin/{name}" for name in scripts} | manifests | {
        "hooks/hooks.json",
        "mcp/servers.json",
        "notice.json",
    }


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_the_launchers_may_be_executed() -> None:
    assert all(os.access(PLUGIN / "bin" / name, os.X_OK) for name in ("skillcaddy-hook", "skillcaddy-mcp"))


def test_line_ends_are_those_of_each_shell() -> None:
    for path in (PLUGIN / "bin").iterdir():
        data = path.read_bytes()
        assert data.count(b"\r\n") == (data.count(b"\n") if path.suffix == ".cmd" else 0)


def released_digest(folder: Path) -> str:
    """A digest over the names and contents of a plugin folder, but for its version."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.requirement("workbuddy:same-version-no-update")
def test_a_released_version_never_changes_its_content() -> None:
    """T25: hosts pull no update that keeps its version. `released.json` maps each published version to its digest."""
    released = read(HOST / "released.json")
    version = read(PLUGIN_FILES[0])["version"]
    assert released.get(version) in (None, released_digest(PLUGIN)), "raise the version: this one is published"


def test_a_changed_file_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1", encoding="utf-8")
    before = released_digest(tmp_path)
    (tmp_path / "a").write_text("2", encoding="utf-8")
    assert released_digest(tmp_path) != before


@pytest.mark.requirement("workbuddy:data-folder")
@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"CODEBUDDY_PLUGIN_DATA": "/d/one", "CLAUDE_PLUGIN_DATA": "/d/two"}, "/d/one"),
        ({"CLAUDE_PLUGIN_DATA": "/d/two"}, "/d/two"),
        (
            {"CODEBUDDY_PLUGIN_DATA": " ", "CLAUDE_PLUGIN_ROOT": "/c/plugins/cache/mkt/sc/0.1.0"},
            "/c/plugins/data/sc-mkt",
        ),
        ({"CLAUDE_PLUGIN_ROOT": "/c/plugins/cache/m k t/sc/0.1.0"}, None),
        ({"CLAUDE_PLUGIN_ROOT": "/c/plugins/cache/../sc/0.1.0"}, None),
        ({"CLAUDE_PLUGIN_ROOT": "plugins/cache/mkt/sc/0.1.0"}, None),
        ({"CLAUDE_PLUGIN_ROOT": "/somewhere/else"}, None),
        ({"CODEBUDDY_PLUGIN_DATA": "relative/path"}, None),
        ({}, None),
    ],
)
def test_the_data_folder_is_the_hosts_or_that_of_the_install_path(
    environ: dict[str, str], expected: str | None
) -> None:
    """T37"""
    assert data_folder(environ) == (None if expected is None else Path(expected))
