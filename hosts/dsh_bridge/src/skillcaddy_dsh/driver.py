"""Drives a real DeepSeek Harness in a folder of its own: headless turns, and what the host says when it won't boot.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillcaddy.standin.driving import Driven, Turn
from skillcaddy_dsh.manifests import ROW

PROFILE = "headless"
MODEL = "stand-in"
_KEY_VARIABLE = "STAND_IN_KEY"


@dataclass(frozen=True, kw_only=True)
class Harness(Driven):
    """One host with its own home and workspace; nothing of the user's is read or written."""

    package: Path
    """The installed npm package, `.../node_modules/@deepseek-ai/dsh`."""
    node: Path
    """The Node binary to run it with."""
    plugin: Path | None
    """The plugin's module, loaded from where it lies by a row of its own; None leaves that out."""
    rows: Sequence[Mapping[str, Any]] = ()
    """Further entries of the patch."""
    timeout_s: float = 120.0

    @property
    def home(self) -> Path:
        """The host's own folder."""
        return self.folder / "dsh"

    @property
    def workspace(self) -> Path:
        """Where the agent works."""
        return self.folder / "workspace"

    @property
    def profile(self) -> Path:
        """The folder of the profile that is run."""
        return self.home / "profiles" / PROFILE

    def turn(self, text: str) -> Turn:
        """One headless turn."""
        return self.run("--patch", str(self.configure()), text)

    def configure(self) -> Path:
        """Write the patch and return its path. JSON is YAML, so the host reads it as it is."""
        self.workspace.mkdir(parents=True, exist_ok=True)
        path = self.folder / "patch.yml"
        path.write_text(json.dumps(self._patch(), indent=2), encoding="utf-8")
        return path

    def run(self, *arguments: str) -> Turn:
        """The launcher with these arguments, in the profile, to its end."""
        self.workspace.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        done = self.to_its_end(
            [str(self.node), str(self.package / "lib" / "bin.js"), "--profile", PROFILE, *arguments],
            cwd=self.workspace,
            environment=self._environment(),
        )
        seconds = time.monotonic() - begun
        return Turn(code=done.returncode, reply=done.stdout.strip(), log=done.stderr, seconds=seconds)

    def _environment(self) -> dict[str, str]:
        own = {
            "NO_COLOR": "1",
            "DSH_HOME": str(self.home),
            "DSH_TELEMETRY_DISABLED": "1",
            _KEY_VARIABLE: "none",
        }
        return self.bare(program=self.node, home=self.folder / "home", **own)

    def _patch(self) -> list[dict[str, Any]]:
        limits = {"contextWindow": 100_000, "maxTokens": 4096}
        endpoint = {
            "apiKeyEnv": _KEY_VARIABLE,
            "baseURL": self.model_url,
            "thinking": "disabled",
            "maxTokens": limits["maxTokens"],
            "defaultContextWindow": limits["contextWindow"],
            "models": [{"id": MODEL, **limits}],
        }
        rows: list[dict[str, Any]] = [
            {"id": "llm-deepseek", "config": endpoint},
            {"id": "agent-default-model", "config": {"provider": "deepseek-official", "model": MODEL}},
        ]
        if self.plugin is not None:
            row = {"id": ROW, "name": str(self.plugin), "config": dict(self.settings)}
            rows.append({"insert": [row]})
        return [*rows, *map(dict, self.rows)]
