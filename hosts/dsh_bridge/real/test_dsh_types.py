"""The shell compiles against the installed host's own types (T105)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import dsh_installed
import pytest

from skillcaddy_dsh import plugin_folder

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
# What the shell reads off the context is declared by packages that a plugin need not import.
AMBIENT = "\n".join(
    f'import "@deepseek-ai/{name}";'
    for name in ("dsh-agent", "dsh-tools", "dsh-skill", "dsh-session", "dsh-compaction", "dsh-llm")
)


def compiled(folder: Path) -> subprocess.CompletedProcess[str]:
    """The compiler's verdict on a copy of the shell beside the host's packages."""
    modules = folder / "node_modules"
    (modules / "@types").mkdir(parents=True)
    (modules / "@deepseek-ai").symlink_to(dsh_installed.harness().parent)
    (modules / "@types" / "node").symlink_to(dsh_installed.typescript() / "@types" / "node")
    files = [*plugin_folder().glob("*.mjs"), plugin_folder() / "package.json"]
    for each in files:
        if not (folder / each.name).exists():
            shutil.copy(each, folder)
    (folder / "ambient.d.ts").write_text(AMBIENT + "\nexport {};\n", encoding="utf-8")
    names = ["ambient.d.ts", *(each.name for each in files if each.suffix == ".mjs")]
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": names}), encoding="utf-8")
    compiler = dsh_installed.typescript() / "typescript" / "bin" / "tsc"
    return subprocess.run(
        [str(dsh_installed.node()), str(compiler), "-p", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.requirement("dsh:types")
def test_the_shell_compiles_against_the_hosts_types(tmp_path: Path) -> None:
    verdict = compiled(tmp_path)
    assert (verdict.returncode, verdict.stdout) == (0, "")


def test_a_tool_without_its_output_would_not_compile(tmp_path: Path) -> None:
    source = (plugin_folder() / "tools.mjs").read_text(encoding="utf-8")
    (tmp_path / "tools.mjs").write_text(source.replace("    output: {", "    outputs: {"), encoding="utf-8")
    verdict = compiled(tmp_path)
    assert verdict.returncode != 0
    assert "output" in verdict.stdout
