"""What all tests of the engine share: a home of their own, so that no test sees or touches the user's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SKILLCADDY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SKILLCADDY_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """An empty folder for skills; `write_skill` fills it."""
    folder = tmp_path / "skills"
    folder.mkdir()
    return folder
