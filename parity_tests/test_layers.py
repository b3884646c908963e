"""Who may import whom: parity_tests, bench -> hosts -> skillcaddy; a host's own modules only inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = sorted((ROOT / "engine" / "src").rglob("*.py"))
HOSTS = sorted(ROOT.glob("hosts/*/src/**/*.py"))
OURS = {path.name for path in ROOT.glob("hosts/*/src/skillcaddy_*")}
HOST_MODULES = {
    "agent", "cli", "cron", "gateway", "hermes_cli", "plugins", "providers", "run_agent", "tools", "toolsets", "utils",
    "raven", "loguru", "litellm",
}  # fmt: skip
"""Top-level names that hosts own; none may be imported where an import statement runs on its own."""


def at_import(path: Path) -> Iterator[str]:
    """The modules that importing this file imports; imports in functions and under TYPE_CHECKING are not among them."""
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        yield from _named(node)
        pending += ast.iter_child_nodes(node)


def everywhere(path: Path) -> Iterator[str]:
    """The modules that this file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        yield from _named(node)


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


def top(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_engine_knows_no_host(path: Path) -> None:
    assert not {top(module) for module in everywhere(path)} & (OURS | HOST_MODULES)


@pytest.mark.parametrize("path", HOSTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_host_knows_the_engine_and_itself_and_its_own_host_only_inside_functions(path: Path) -> None:
    own = path.relative_to(ROOT).parts[3]
    assert not {top(module) for module in everywhere(path)} & (OURS - {own})
    assert not {top(module) for module in at_import(path)} & HOST_MODULES


@pytest.mark.parametrize("path", [*ENGINE, *HOSTS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_imports_tests_or_benches(path: Path) -> None:
    assert not {top(module) for module in everywhere(path)} & {"bench", "parity_tests", "tests", "pytest"}


def test_the_layer_test_can_see_a_forbidden_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from agent.memory import X\ndef f():\n    import raven.tool\n", encoding="utf-8")
    assert [top(module) for module in at_import(bad)] == ["agent"]
    assert {top(module) for module in everywhere(bad)} == {"agent", "raven"}
