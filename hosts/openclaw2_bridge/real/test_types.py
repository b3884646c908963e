"""The shell compiles against each installed host's own types (T105)."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import VERSIONS, openclaw

from skillcaddy.standin.compiling import compiled
from skillcaddy_openclaw import plugin_folder


def verdict(version: str, folder: Path) -> tuple[int, str]:
    """The compiler's exit code on the shell beside that host's package, and what it printed."""
    done = compiled(plugin_folder(), folder, {"openclaw": openclaw(version)})
    return done.returncode, done.stdout


@pytest.mark.requirement("openclaw:types")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_shell_compiles_against_the_hosts_types(version: str, tmp_path: Path) -> None:
    assert verdict(version, tmp_path) == (0, "")


def test_a_result_that_the_host_does_not_know_would_not_compile(tmp_path: Path) -> None:
    wrong = (
        (plugin_folder() / "turns.js").read_text(encoding="utf-8").replace("{ prependContext: text }", "{ prepend: 7 }")
    )
    (tmp_path / "turns.js").write_text(wrong, encoding="utf-8")
    code, printed = verdict(VERSIONS[0], tmp_path)
    assert code != 0
    assert "prepend" in printed
