"""Real hosts, a stand-in model on loopback, and a library whose facts no model could know."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import installed
import pytest
from seen import Model

from skillcaddy_openclaw import plugin_folder
from skillcaddy_openclaw.driver import OpenClaw

CANARY = "The heron slide comes first, drawer 7431."
OTHER = "Proof it under a damp linen cloth, code RYE-88."
SKILLS = {
    "quarterly-deck": ("Build the quarterly review deck from our house template", CANARY),
    "sourdough-loaf": ("Bake a sourdough loaf in the cast iron pot", OTHER),
    "rotate-signing-keys": ("Rotate the signing keys of the packaging service", "Vault phrase ZEBRA-42."),
}


@pytest.fixture
def model() -> Iterator[Model]:
    standin = Model()
    with standin:
        yield standin
    assert standin.problems == []


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("library")
    for name, (description, fact) in SKILLS.items():
        (root / name).mkdir()
        text = f"---\nname: {name}\ndescription: {description}\n---\n\n{fact}\n"
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")
    return root


Start = Callable[..., OpenClaw]


@pytest.fixture
def openclaw(model: Model, library: Path, tmp_path: Path) -> Start:
    """Makes a host of a version in a mode, ready for turns."""

    def make(version: str, mode: str, *, slot: str | None = "by mode", **more: Any) -> OpenClaw:
        settings = {
            "mode": mode,
            "python": sys.executable,
            "skills_dirs": [str(library)],
            # The stand-in is no judge; one test lets it judge.
            "rewrite": "off",
            "gate": "off",
            **more.pop("settings", {}),
        }
        if slot == "by mode":
            slot = "skillcaddy" if mode == "auto" and version >= "2026.8" else None
        return OpenClaw(
            package=installed.openclaw(version),
            node=installed.node(),
            folder=tmp_path / "host",
            model_url=model.url,
            plugin=plugin_folder(),
            settings={key: value for key, value in settings.items() if value is not None},
            slot=slot,
            **more,
        )

    return make


def ended(pid: int) -> None:
    """Fails unless the process of that id is gone, or goes soon: nobody tells us when."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} still runs")
