"""How the host finds the plugin, and what keeps it from finding any."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from raven_double import Registry, discovered

from skillcaddy_raven.dropin import lay_out

ROOT = Path(__file__).parents[1]
MANIFEST = tomllib.loads((ROOT / "src/skillcaddy_raven/raven-plugin.toml").read_text(encoding="utf-8"))["plugin"]


@pytest.mark.requirement("raven:entry-point")
def test_the_entry_point_names_the_package_that_holds_the_manifest() -> None:
    (entry,) = [each for each in entry_points(group="raven.plugins") if each.name == "skillcaddy"]
    assert entry.value == "skillcaddy_raven"
    assert discovered(packages=(entry.value,)).factories.keys() == {"skill_search", "skill_open"}


@pytest.mark.requirement("raven:cheap-import")
def test_importing_the_factories_brings_neither_the_engine_nor_the_host() -> None:
    code = "import sys, skillcaddy_raven.plugin as p; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, encoding="utf-8")
    assert not {"skillcaddy", "raven", "pydantic", "tantivy", "asyncio"} & set(done.stdout.split())


@pytest.mark.requirement("raven:drop-in")
def test_the_drop_in_folder_holds_the_package_and_works_from_there(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "plugins")
    assert sorted(path.name for path in folder.iterdir()) == ["raven-plugin.toml", "skillcaddy_raven"]
    assert lay_out(tmp_path / "plugins") == folder, "a second time replaces the first"
    assert [path.name for path in (tmp_path / "plugins").iterdir()] == ["skillcaddy"]
    # Before the installed package: only what lies in the folder can be found.
    code = f"""
import pathlib, sys
sys.path[:0] = [{str(folder)!r}, {str(Path(__file__).parent)!r}]
from raven_double import discovered
plugins = discovered(pathlib.Path({str(folder.parent)!r}))
print(sorted(plugins.factories), sys.modules["skillcaddy_raven"].__file__)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, encoding="utf-8")
    assert "['skill_open', 'skill_search']" in done.stdout
    assert str(folder) in done.stdout


@pytest.mark.requirement("raven:enabled")
def test_the_host_takes_the_plugin_in_without_a_switch_and_leaves_it_out_by_one() -> None:
    assert MANIFEST["enabled_by_default"] is True
    assert discovered(packages=("skillcaddy_raven",), disabled=frozenset({"skillcaddy"})).factories == {}


def test_a_plugin_that_cannot_be_imported_takes_all_others_with_it(tmp_path: Path) -> None:
    """Why nothing of ours may fail at import: the stand-in keeps the host's harshest rule."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "raven-plugin.toml").write_text(
        '[plugin]\nid = "broken"\nversion = "1"\nenabled_by_default = true\n'
        '[[plugin.contributes.tools]]\nname = "x"\nfactory = "no_such_module_here:make"\n',
        encoding="utf-8",
    )
    assert discovered(tmp_path, packages=("skillcaddy_raven",)).factories == {}


@pytest.mark.requirement("raven:tool-names")
def test_the_manifests_names_are_the_tools_own(host: Any) -> None:
    registry: Registry = host().start()
    assert {entry["name"] for entry in MANIFEST["contributes"]["tools"]} == set(registry.tools)
