"""Drives a real DeepSeek Harness in a folder of its own: headless turns, and what the host says when it won't boot.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillcaddy_dsh.manifests import ROW

PROFILE = "headless"
MODEL = "stand-in"
_KEY_VARIABLE = "STAND_IN_KEY"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What one run of the host gave."""

    code: int
    """Its exit code: 0 when the turn was completed."""
    reply: str
    """The agent's last text."""
    log: str
    """What it wrote to stderr."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Harness:
    """One host with its own home and workspace; nothing of the user's is read or written."""

    package: Path
    """The installed npm package, `.../node_modules/@deepseek-ai/dsh`."""
    node: Path
    """The Node binary to run it with."""
    folder: Path
    """Where home, workspace and configuration go; made if need be."""
    model_url: str
    """An OpenAI-compatible base URL, ending in /v1."""
    plugin: Path | None
    """The plugin's module, loaded from where it lies by a row of its own; None leaves that out."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The config of the plugin's row."""
    rows: Sequence[Mapping[str, Any]] = ()
    """Further entries of the patch."""
    environment: Mapping[str, str] = field(default_factory=dict)
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
        done = subprocess.run(
            [str(self.node), str(self.package / "lib" / "bin.js"), "--profile", PROFILE, *arguments],
            env=self._environment(),
            cwd=self.workspace,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=self.timeout_s,
            check=False,
        )
        seconds = time.monotonic() - begun
        return Turn(code=done.returncode, reply=done.stdout.strip(), log=done.stderr, seconds=seconds)

    def _environment(self) -> dict[str, str]:
        return {
            # As bare as a service manager's, so that nothing is found by accident.
            "PATH": os.pathsep.join([str(self.node.parent), "/usr/bin", "/bin"]),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "DSH_HOME": str(self.home),
            "DSH_TELEMETRY_DISABLED": "1",
            _KEY_VARIABLE: "none",
            "SKILLCADDY_HOME": str(self.folder / "skillcaddy"),
            **self.environment,
        }

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
