"""A home of its own for each test, and the host's stand-in where a test wants one."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from raven_double import Generation, Raven, modules

from skillcaddy.engine import Engine
from skillcaddy_raven import deployment, plugin


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SKILLCADDY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SKILLCADDY_HOME", str(tmp_path_factory.mktemp("home")))
    # Nothing is remembered from one test's process start to the next one's, and no indexer outlives a test.
    monkeypatch.setattr(deployment, "_made", {})
    monkeypatch.setattr(plugin, "_said", set())
    monkeypatch.setattr(deployment, "Engine", functools.partial(Engine, indexing="inline"))
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Raven]:
    """Puts a host of that generation in place of whatever may be installed, with a few skills in its library."""

    def make(generation: Generation = "released", *, segments: bool = False) -> Raven:
        for name in [name for name in sys.modules if name.partition(".")[0] == "raven"]:
            monkeypatch.delitem(sys.modules, name)
        for name, module in modules(generation, tmp_path / "raven", segments=segments).items():
            monkeypatch.setitem(sys.modules, name, module)
        made = Raven(generation, tmp_path)
        made.skill("sourdough-loaf", "Bake a sourdough loaf in the cast iron pot", "Proof it under a damp cloth.")
        made.skill(
            "quarterly-deck", "Build the quarterly review deck from our house template", "The heron comes first."
        )
        made.skill("rotate-keys", "How we rotate the signing keys of the release service", "Say ZEBRA-42 first.")
        return made

    return make
