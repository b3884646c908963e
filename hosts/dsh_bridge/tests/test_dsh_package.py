"""The npm package of the plugin, and what the driver writes for the host."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path

import pytest

from skillcaddy import __version__
from skillcaddy.js import PARTS
from skillcaddy_dsh import plugin_folder
from skillcaddy_dsh.driver import Harness
from skillcaddy_dsh.host import HOST
from skillcaddy_dsh.manifests import NAME, ROW

PLUGIN = plugin_folder()
PACKAGE = json.loads((PLUGIN / "package.json").read_text(encoding="utf-8"))


def test_the_package_names_itself_its_version_and_a_module_that_is_there() -> None:
    assert (PACKAGE["name"], PACKAGE["version"]) == (NAME, __version__)
    assert (PLUGIN / PACKAGE["main"]).is_file()
    assert PACKAGE["type"] == "module"
    assert "dependencies" not in PACKAGE
    assert "scripts" not in PACKAGE


def test_everything_that_the_modules_reach_for_is_packed() -> None:
    packed = {path.name for path in PLUGIN.iterdir() if any(fnmatch(path.name, each) for each in PACKAGE["files"])}
    assert packed == {path.name for path in PLUGIN.iterdir()} - {"node_modules"}
    for path in PLUGIN.glob("*.mjs"):
        text = path.read_text(encoding="utf-8")
        wanted = re.findall(r'from "\./([^"]+)"', text) + re.findall(r'new URL\("\./([^"]+)"', text)
        assert set(wanted) <= packed, path.name
        outside = set(re.findall(r'^import .* from "([^".][^"]*)"', text, re.MULTILINE))
        assert all(name.startswith("node:") for name in outside), path.name


@pytest.mark.requirement("dsh:bundle")
def test_the_bundles_patch_inserts_the_row_under_which_users_configure_us() -> None:
    patch = (PLUGIN / PACKAGE["dsh"]["bundle"]["patch"]).read_text(encoding="utf-8")
    assert patch == f"- insert:\n    - id: {ROW}\n      name: {NAME}\n"


def test_the_shells_shared_half_is_the_engines_byte_for_byte() -> None:
    source = {path.name: path.read_bytes() for path in files("skillcaddy.js").iterdir() if path.name.endswith(".mjs")}
    assert set(source) == set(PARTS)
    assert {path.name: path.read_bytes() for path in PLUGIN.glob("bridge*")} == source
    assert {f"plugin/{name}" for name in source} <= set(HOST.manifests)


def test_the_driver_writes_a_patch_with_our_row_and_the_callers(tmp_path: Path) -> None:
    host = Harness(
        package=tmp_path / "dsh",
        node=tmp_path / "node",
        folder=tmp_path / "host",
        model_url="http://127.0.0.1:1/v1",
        plugin=PLUGIN / "index.mjs",
        settings={"mode": "auto"},
        rows=[{"id": "tool-skill", "disabled": True}],
    )
    rows = json.loads(host.configure().read_text(encoding="utf-8"))
    assert rows[0]["config"]["baseURL"] == "http://127.0.0.1:1/v1"
    assert rows[2]["insert"] == [{"id": ROW, "name": str(PLUGIN / "index.mjs"), "config": {"mode": "auto"}}]
    assert rows[3] == {"id": "tool-skill", "disabled": True}
    assert host.workspace.is_dir()
