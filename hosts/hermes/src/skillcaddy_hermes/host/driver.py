"""Drives a real Hermes in a home of its own: one CLI turn, or several in one conversation.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from skillcaddy.standin.driving import Driven, HostFailed, merged

PLUGIN = "skillcaddy"
MODEL = "standin-1"


def plugin_folder() -> Path:
    """The folder that Hermes loads: this package, in a checkout as in an installed wheel."""
    return Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What one turn through the host's CLI gave."""

    reply: str
    session: str
    errors: str
    """What the host printed to stderr."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Hermes(Driven):
    """One host with its own home and configuration; nothing of the user's is read or written."""

    program: Path
    """The command `hermes` of an environment that has the host and the engine."""
    way: Literal["ordinary", "slot", "none"] = "ordinary"
    """How the plugin folder is taken in; `none` leaves that to `more` and to whoever installs it."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further host configuration, laid over ours key by key."""

    @property
    def home(self) -> Path:
        """The host's home folder."""
        return self.folder / "home"

    @property
    def skills(self) -> Path:
        """The host's own skill folder."""
        return self.home / "skills"

    def prepare(self) -> None:
        """Write the configuration and put the plugin folder in place; what is there already stays."""
        for folder in (self.skills, self.home / "plugins", self.folder / "work"):
            folder.mkdir(parents=True, exist_ok=True)
        config = self.home / "config.yaml"
        if config.exists():
            return
        # JSON is YAML.
        config.write_text(json.dumps(merged(self._document(), self.more), indent=2), encoding="utf-8")
        if self.settings:
            (self.home / "skillcaddy.json").write_text(json.dumps(self.settings, indent=2), encoding="utf-8")
        if self.way != "none":
            self.copy_plugin()

    def copy_plugin(self) -> Path:
        """Put the plugin folder where a user would copy it, without what Python left in it."""
        target = self.home / "plugins" / PLUGIN
        shutil.copytree(plugin_folder(), target, ignore=shutil.ignore_patterns("__pycache__"))
        return target

    def turn(self, text: str, *arguments: str, session: str = "") -> Turn:
        """One turn in a process of its own, of a new session or of one that is resumed. Raises HostFailed."""
        resumed = ["--resume", session] if session else []
        begun = time.monotonic()
        run = self.command("chat", "-Q", "-q", text, "--max-turns", "6", *resumed, *arguments)
        seconds = time.monotonic() - begun
        if run.returncode:
            raise HostFailed(
                f"exit code {run.returncode}\n{run.stderr[-3000:]}\n{run.stdout[-1000:]}\n{self.log()[-3000:]}"
            )
        named = [line.partition("session_id:")[2].strip() for line in run.stderr.splitlines() if "session_id:" in line]
        return Turn(reply=run.stdout.strip(), session=(named or [""])[-1], errors=run.stderr, seconds=seconds)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Any command of the host, to its end."""
        return self.run([str(self.program), *arguments])

    def run(self, command: list[str], *, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command in the host's surroundings; `given` is its standard input."""
        self.prepare()
        return self.to_its_end(command, cwd=self.folder / "work", environment=self._environment(), given=given or "")

    def log(self) -> str:
        """The host's own logs."""
        return "\n".join(
            path.read_text(encoding="utf-8", errors="replace") for path in sorted((self.home / "logs").glob("*.log"))
        )

    def said(self) -> list[str]:
        """Our lines in the host's log, each `code: sentence`."""
        lines = [line.partition("skillcaddy [")[2] for line in self.log().splitlines() if "skillcaddy [" in line]
        return list(dict.fromkeys(line.replace("]:", ":", 1) for line in lines))

    def _document(self) -> dict[str, Any]:
        return {
            "model": {
                "provider": "custom",
                "default": MODEL,
                "base_url": self.model_url,
                "api_key": "not-a-key",
                "context_length": 131_072,  # else the host probes for it
            },
            "memory": {"provider": PLUGIN if self.way == "slot" else ""},
            "plugins": {"enabled": [PLUGIN]},
            "security": {"tirith_enabled": False},  # else it tries to download a scanner
        }

    def _environment(self) -> dict[str, str]:
        own = {"HERMES_HOME": str(self.home), "TERM": "dumb", "NO_COLOR": "1"}
        return self.bare(program=self.program, home=self.folder, **own)
