"""A real Raven, a stand-in model on loopback, and a library whose facts no model could know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from raven_overlay import overlay, packed

from skillcaddy.standin.facts import write_library
from skillcaddy.standin.played import Played
from skillcaddy_raven.driver import Raven
from skillcaddy_raven.dropin import lay_out


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with Raven and the engine, but without our plugin."""
    return overlay(tmp_path_factory.mktemp("overlay") / "venv")


@pytest.fixture(scope="session")
def by_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our plugin as pip installs it."""
    return packed(tmp_path_factory.mktemp("packed"))


@pytest.fixture
def model() -> Iterator[Played]:
    standin = Played()
    with standin:
        yield standin
    assert standin.problems == []


@pytest.fixture
def raven(python: Path, by_pip: Path, model: Played, tmp_path: Path) -> Callable[..., Raven]:
    """Makes a host with the plugin put in one of its three places, and the library outside the workspace."""

    def make(mode: str = "on_demand", *, via: str = "user", library: Path | None = None, **more: Any) -> Raven:
        library = library or write_library(tmp_path / "library")
        settings = {"mode": mode, "skills_dirs": [str(library)], **more.pop("settings", {})}
        environment = {**({"PYTHONPATH": str(by_pip)} if via == "pip" else {}), **more.pop("environment", {})}
        made = Raven(
            python=python,
            folder=tmp_path / "host",
            model_url=model.url,
            settings=settings,
            environment=environment,
            **more,
        )
        if via in ("user", "project"):
            lay_out((made.home if via == "user" else made.project) / ".raven" / "plugins")
        return made

    return make
