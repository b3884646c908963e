"""A fresh home of the real host for each test, a library with two skills in it, and the stand-in model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.standin import Recorded, StandIn
from skillcaddy.standin import count as occurrences
from skillcaddy.standin.facts import write_skill
from skillcaddy_hermes.host.driver import Hermes

sys.path.insert(0, str(Path(__file__).parent))
from installed import host_python

CANARY = "CANARY-7f3a"
OTHER = "CANARY-9b1c"
QUICK = {"gate": "off", "rewrite": "off"}
"""The model steps have tests of their own; elsewhere they would cost each turn two more requests."""

Start = Callable[..., Hermes]


def library(folder: Path) -> None:
    """Two skills with a sentinel fact each."""
    write_skill(
        folder / "office",
        "quarterly-deck",
        "How to build the quarterly review deck from the house template",
        f"# Deck\n\nThe template's code is {CANARY}.\n\nTwo charts a page.",
    )
    write_skill(
        folder,
        "sourdough",
        "How to bake a sourdough loaf in a cast iron pot",
        f"# Loaf\n\nThe oven's secret number is {OTHER}.",
    )


def count(request: Recorded, text: str = CANARY) -> int:
    """How often a text occurs in what the model reads."""
    return occurrences(request, text)


@pytest.fixture(scope="session")
def python() -> Path:
    return host_python()


@pytest.fixture
def model() -> Iterator[StandIn]:
    """Answers every turn with a word; tests that want more make their own."""
    with StandIn() as standin:
        yield standin
        assert standin.problems == []


@pytest.fixture
def hermes(python: Path, tmp_path: Path) -> Start:
    """Makes a host: `hermes(model, way, mode, **Hermes fields)`."""

    def start(model: StandIn, way: str, mode: str, *, settings: Mapping[str, Any] | None = None, **more: Any) -> Hermes:
        host = Hermes(
            program=python.with_name("hermes"),
            folder=tmp_path / "host",
            model_url=model.url,
            way=way,  # type: ignore[arg-type]
            settings={"mode": mode, **QUICK, **(settings or {})},
            **more,
        )
        library(host.skills)
        return host

    return start


def converse(host: Hermes, *steps: str | Mapping[str, Any], **about: Any) -> subprocess.CompletedProcess[str]:
    """Several steps of one conversation in one process of the host."""
    script = Path(__file__).with_name("conversation.py")
    run = host.run([str(host.program.with_name("python")), str(script)], given=json.dumps({"steps": steps, **about}))
    assert run.returncode == 0, run.stderr[-3000:] + run.stdout[-1000:]
    return run
