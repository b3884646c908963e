"""The shell compiles against each installed host's own types (T105)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from installed import VERSIONS, node, openclaw, typescript

from skillcaddy_openclaw import plugin_folder

OPTIONS = {
    "checkJs": True,
    "allowJs": True,
    "noEmit": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "skipLibCheck": True,
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "target": "es2023",
    "lib": ["es2023", "dom"],
    "types": ["node"],
}


def compiled(version: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The compiler's verdict on a copy of the shell beside that host's package."""
    modules = folder / "node_modules"
    (modules / "@types").mkdir(parents=True)
    (modules / "openclaw").symlink_to(openclaw(version))
    (modules / "@types" / "node").symlink_to(typescript() / "@types" / "node")
    files = [*plugin_folder().glob("*.js"), *plugin_folder().glob("*.mjs")]
    for each in (*files, plugin_folder() / "package.json"):
        if not (folder / each.name).exists():
            shutil.copy(each, folder)
    names = [each.name for each in files]
    project = {"compilerOptions": OPTIONS, "files": names}
    (folder / "tsconfig.json").write_text(json.dumps(project), encoding="utf-8")
    compiler = typescript() / "typescript" / "bin" / "tsc"
    return subprocess.run(
        [str(node()), str(compiler), "-p", str(folder)], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.requirement("openclaw:types")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_shell_compiles_against_the_hosts_types(version: str, tmp_path: Path) -> None:
    verdict = compiled(version, tmp_path)
    assert (verdict.returncode, verdict.stdout) == (0, "")


def test_a_result_that_the_host_does_not_know_would_not_compile(tmp_path: Path) -> None:
    wrong = (
        (plugin_folder() / "turns.js").read_text(encoding="utf-8").replace("{ prependContext: text }", "{ prepend: 7 }")
    )
    (tmp_path / "turns.js").write_text(wrong, encoding="utf-8")
    verdict = compiled(VERSIONS[0], tmp_path)
    assert verdict.returncode != 0
    assert "prepend" in verdict.stdout
