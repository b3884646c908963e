"""A double of the host in a home of its own for each test, with one skill in its library."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hermes_double import Collector, Context, Host

import skillcaddy.engine
import skillcaddy_hermes
from skillcaddy_hermes.surface import obstacles

CANARY = "CANARY-7f3a"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    for name in [name for name in os.environ if name.startswith("SKILLCADDY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SKILLCADDY_HOME", str(tmp_path / "skillcaddy"))
    made = Host(tmp_path / "home")
    made.skill(
        "quarterly-deck", "How to build the quarterly review deck", f"The code is {CANARY}.", under="skills/office"
    )
    for name, module in made.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    obstacles.forget_what_was_said()
    # No indexer outlives a test.
    engine: Any = skillcaddy.engine.Engine
    monkeypatch.setattr(
        skillcaddy.engine, "Engine", lambda *args, **more: engine(*args, **{**more, "indexing": "inline"})
    )
    return made


def settle(host: Host, **settings: Any) -> None:
    """Write the adapter's own configuration."""
    (host.home / "skillcaddy.json").write_text(
        json.dumps({"gate": "off", "rewrite": "off", **settings}), encoding="utf-8"
    )


Ordinary = Callable[..., Context]
Slot = Callable[..., Any]


@pytest.fixture
def ordinary(host: Host) -> Ordinary:
    """Registers as an ordinary plugin with these settings."""

    def start(**settings: Any) -> Context:
        settle(host, **settings)
        ctx = Context()
        skillcaddy_hermes.register(ctx)
        return ctx

    return start


@pytest.fixture
def slot(host: Host) -> Slot:
    """Registers as a memory provider with these settings, and initializes it for a session."""

    def start(session: str = "s1", about: dict[str, Any] | None = None, **settings: Any) -> Any:
        settle(host, **settings)
        collector = Collector()
        skillcaddy_hermes.register(collector)
        collector.provider.initialize(session, platform="cli", agent_context="primary", **(about or {}))
        return collector.provider

    return start


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Our warnings in the host's log, each `code: sentence`."""

    def lines() -> list[str]:
        ours = [
            record for record in caplog.records if record.name == "skillcaddy.hermes" and record.levelname == "WARNING"
        ]
        return [record.getMessage().removeprefix("skillcaddy [").replace("]:", ":", 1) for record in ours]

    return lines
