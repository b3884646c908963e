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

from skillcaddy.standin import Recorded, user_texts
from skillcaddy.standin.facts import write_library
from skillcaddy.standin.installing import node
from skillcaddy.standin.played import Played
from skillcaddy_openclaw import plugin_folder
from skillcaddy_openclaw.driver import OpenClaw

SIDE_REPLY = "Aside, says the stand-in."


@pytest.fixture
def model() -> Iterator[Played]:
    standin = Played(aside=SIDE_REPLY)
    with standin:
        yield standin
    assert standin.problems == []


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("library"))


Start = Callable[..., OpenClaw]


@pytest.fixture
def openclaw(model: Played, library: Path, tmp_path: Path) -> Start:
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
            node=node(),
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


def asked(request: Recorded) -> str:
    """The user's newest message; newer hosts put a context message of their own after it."""
    return next(text for text in reversed(user_texts(request)) if "OPENCLAW_INTERNAL_CONTEXT" not in text)
