"""Drives a real Raven in a home of its own: one-shot turns, and its own list of plugins.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillcaddy.standin.driving import Driven, Turn
from skillcaddy_raven.manifest import ID

MODEL = "stand-in"


@dataclass(frozen=True, kw_only=True)
class Raven(Driven):
    """One host with its own home and working directory; nothing of the user's is read or written."""

    python: Path
    """A Python that has Raven, and the engine beside it."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further top-level tables of the host's configuration, in place of ours of that name."""

    @property
    def home(self) -> Path:
        """The user's home, which is where this host looks for itself."""
        return self.folder / "home"

    @property
    def workspace(self) -> Path:
        """The agent's home."""
        return self.home / ".raven" / "workspace"

    @property
    def project(self) -> Path:
        """The working directory of the host's process."""
        return self.folder / "project"

    def turn(self, text: str) -> Turn:
        """One turn by `raven agent -m`."""
        return self.run("agent", "-m", text, "--no-markdown")

    def run(self, *arguments: str) -> Turn:
        """The host's command with these arguments, to its end."""
        self._configure()
        begun = time.monotonic()
        done = self.to_its_end(
            [str(self.python), "-m", "raven", *arguments], cwd=self.project, environment=self._environment()
        )
        seconds = time.monotonic() - begun
        return Turn(code=done.returncode, reply=done.stdout, log=done.stderr, seconds=seconds)

    def _configure(self) -> None:
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.project.mkdir(exist_ok=True)
        document = {
            "agents": {"defaults": {"model": MODEL, "provider": "custom", "workspace": str(self.workspace)}},
            "providers": {"custom": {"apiKey": "none", "apiBase": self.model_url}},
            "memory": {"backend": None},
            # The host's own retrieval would ask the model twice a turn; it adds its skills all the same.
            "skillForge": {"rewriteEnabled": False, "llmGateEnabled": False},
            # The bundled memory plugin writes to a folder beside the host's own.
            "plugins": {"disabled": ["everos-memory"], "config": {ID: dict(self.settings)}},
            **self.more,
        }
        path = self.home / ".raven" / "config.json"
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")

    def _environment(self) -> dict[str, str]:
        own = {
            "COLUMNS": "200",  # else a reply is wrapped
            "NO_PROXY": "127.0.0.1,localhost",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it asks the network while it is imported
        }
        return self.bare(program=self.python, home=self.home, **own)
