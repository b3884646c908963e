"""A real host, a stand-in model on loopback, and a library whose facts no model could know."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dsh_installed
import pytest

from skillcaddy.standin.facts import write_library
from skillcaddy.standin.installing import node
from skillcaddy.standin.played import Played
from skillcaddy_dsh import plugin_folder
from skillcaddy_dsh.driver import Harness


@pytest.fixture
def model() -> Iterator[Played]:
    standin = Played()
    with standin:
        yield standin
    assert standin.problems == []


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("library"))


@pytest.fixture
def harness(model: Played, library: Path, tmp_path: Path) -> Callable[..., Harness]:
    """Makes a host in a mode, ready for turns."""

    def make(mode: str, **more: Any) -> Harness:
        settings = {
            "mode": mode,
            "python": sys.executable,
            "skills_dirs": [str(library)],
            **more.pop("settings", {}),
        }
        return Harness(
            package=dsh_installed.harness(),
            node=node(),
            folder=tmp_path / "host",
            model_url=model.url,
            settings={key: value for key, value in settings.items() if value is not None},
            **{"plugin": plugin_folder() / "index.mjs", **more},
        )

    return make
