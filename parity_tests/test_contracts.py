"""What each host demands has an id; every id has a test, and every test of a contract an id."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "parity_tests" / "contracts").glob("*.toml"))
TESTS = [
    path
    for pattern in ("parity_tests/test_*.py", "hosts/*/tests/**/*.*", "hosts/*/real/**/*.py", "engine/tests/test_*.py")
    for path in sorted(ROOT.glob(pattern))
    if path.suffix in {".py", ".mjs"} and path.name != Path(__file__).name
]
_MARK = re.compile(r"""requirement\(\s*["']([a-z]+:[a-z0-9-]+)["']\s*,?\s*\)""")
_FIELDS = {"must", "otherwise", "source"}


def marked() -> Iterator[tuple[str, Path]]:
    """Every id that a test is tied to; a JavaScript test names it in its title or in a comment of the same form."""
    for path in TESTS:
        for found in _MARK.finditer(path.read_text(encoding="utf-8")):
            yield found[1], path


def contracts(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_contract_says_what_must_be_what_happens_otherwise_and_how_that_is_known(path: Path) -> None:
    assert contracts(path)
    for name, row in contracts(path).items():
        assert name.startswith(f"{path.stem}:"), name
        assert set(row) - {"deferred"} == _FIELDS, name
        assert all(isinstance(value, str) and value.strip() for value in row.values()), name
    assert tomli.loads(path.read_text(encoding="utf-8")) == contracts(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_requirement_has_a_test_and_none_that_has_one_is_deferred(path: Path) -> None:
    tested = {name for name, _ in marked()}
    rows = contracts(path)
    assert {name for name, row in rows.items() if "deferred" not in row} - tested == set()
    assert {name for name, row in rows.items() if "deferred" in row} & tested == set()


def test_every_test_of_a_requirement_names_one_that_exists() -> None:
    known = {name for path in FILES for name in contracts(path)}
    assert {(name, path.name) for name, path in marked() if name not in known} == set()


def test_there_is_a_contract_file_for_every_host() -> None:
    ids = {re.sub(r"(2_bridge|_bridge|_mcp)$", "", path.name) for path in (ROOT / "hosts").iterdir() if path.is_dir()}
    assert {path.stem for path in FILES} == ids
