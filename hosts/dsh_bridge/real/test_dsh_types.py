"""The shell compiles against the installed host's own types (T105)."""

from __future__ import annotations

from pathlib import Path

import dsh_installed
import pytest

from skillcaddy.standin.compiling import compiled
from skillcaddy_dsh import plugin_folder

# What the shell reads off the context is declared by packages that a plugin need not import.
AMBIENT = "\n".join(
    f'import "@deepseek-ai/{name}";'
    for name in ("dsh-agent", "dsh-tools", "dsh-skill", "dsh-session", "dsh-compaction", "dsh-llm")
)


def verdict(folder: Path) -> tuple[int, str]:
    """The compiler's exit code on the shell beside the host's packages, and what it printed."""
    done = compiled(plugin_folder(), folder, {"@deepseek-ai": dsh_installed.harness().parent}, AMBIENT)
    return done.returncode, done.stdout


@pytest.mark.requirement("dsh:types")
def test_the_shell_compiles_against_the_hosts_types(tmp_path: Path) -> None:
    assert verdict(tmp_path) == (0, "")


def test_a_tool_without_its_output_would_not_compile(tmp_path: Path) -> None:
    source = (plugin_folder() / "tools.mjs").read_text(encoding="utf-8")
    (tmp_path / "tools.mjs").write_text(source.replace("    output: {", "    outputs: {"), encoding="utf-8")
    code, printed = verdict(tmp_path)
    assert code != 0
    assert "output" in printed
