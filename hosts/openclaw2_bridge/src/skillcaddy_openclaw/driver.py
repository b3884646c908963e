"""Drives a real OpenClaw, of any version, in a folder of its own: one CLI turn, or a gateway with turns through it.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillcaddy.standin.driving import Driven, HostFailed, Turn, merged
from skillcaddy_openclaw import PLUGIN

MODEL = "probe-1"
_PROVIDER = "standin"
_TOKEN = "loopback-only"
_SETTLE_S = 2.0


@dataclass(frozen=True, kw_only=True)
class OpenClaw(Driven):
    """One host with its own home, workspace and configuration; nothing of the user's is read or written."""

    package: Path
    """The installed npm package, `.../node_modules/openclaw`."""
    node: Path
    """The Node binary to run it with."""
    plugin: Path
    """The plugin's folder, loaded from where it lies."""
    slot: str | None = None
    """What `plugins.slots.contextEngine` names; None leaves it unset."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further host configuration, laid over ours key by key."""

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.folder / "workspace"

    def configure(self, **gateway: Any) -> Path:
        """Write the configuration (with a `gateway` section, where given) and return its path."""
        self.workspace.mkdir(parents=True, exist_ok=True)
        (self.folder / "home").mkdir(exist_ok=True)
        document = merged(self._document(), self.more)
        if gateway:
            document["gateway"] = gateway
        path = self.folder / "openclaw.json"
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return path

    def turn(self, text: str, *, session: str = "main") -> Turn:
        """One turn by `agent --local`. Raises HostFailed when the host fails or answers nothing readable."""
        self.configure()
        return self._agent(["--local"], text, session)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Any other command of the host, to its end."""
        self.configure()
        return self._run(arguments)

    def turn_as_configured(self, text: str, *, session: str = "main") -> Turn:
        """The same with the configuration as it lies there, for one that the host has changed itself."""
        return self._agent(["--local"], text, session)

    def install(self, package: Path) -> subprocess.CompletedProcess[str]:
        """Let the host install the plugin from a folder or an archive, into a configuration that does not know it."""
        path = self.configure()
        document = json.loads(path.read_text(encoding="utf-8"))
        del document["plugins"]
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return self._run(["plugins", "install", str(package), "--force", "--accept-capabilities"])

    @contextmanager
    def gateway(self) -> Iterator[Gateway]:
        """A running gateway; it is stopped with SIGTERM, and killed when that takes too long."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        auth = {"mode": "token", "token": _TOKEN}
        self.configure(mode="local", port=port, bind="loopback", auth=auth)
        log = self.folder / "gateway.log"
        with log.open("w", encoding="utf-8") as sink:
            process = subprocess.Popen(
                [*self._program(), "gateway", "run", "--port", str(port)],
                env=self._environment(),
                cwd=self.workspace,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )
            try:
                self._wait_for(process, port, log)
                yield Gateway(host=self, process=process, log_file=log)
                process.send_signal(signal.SIGTERM)
                process.wait(30)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def _wait_for(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        end = time.monotonic() + self.timeout_s
        while time.monotonic() < end:
            if process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 0.5).close()
            except OSError:
                time.sleep(0.2)
                continue
            time.sleep(_SETTLE_S)  # it accepts connections before it can serve a turn, and says nothing in between
            return
        raise HostFailed(f"the gateway did not start (exit code {process.poll()}):\n{_tail(log)}")

    def _agent(self, how: Sequence[str], text: str, session: str) -> Turn:
        begun = time.monotonic()
        run = self._run(["agent", *how, "--session-key", f"agent:main:{session}", "--json", "--message", text])
        seconds = time.monotonic() - begun
        if run.returncode:
            raise HostFailed(f"exit code {run.returncode}\n{run.stderr[-3000:]}\n{run.stdout[-1000:]}")
        try:
            document = json.loads(run.stdout[run.stdout.index("{") :])
            document = document.get("result", document)
            payloads = document.get("payloads") or [{}]
        except (ValueError, AttributeError) as error:
            raise HostFailed(f"no JSON document ({error}):\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}") from error
        return Turn(reply=str(payloads[-1].get("text") or ""), log=run.stderr, seconds=seconds)

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return self.to_its_end([*self._program(), *arguments], cwd=self.workspace, environment=self._environment())

    def _program(self) -> list[str]:
        return [str(self.node), str(self.package / "openclaw.mjs")]

    def _environment(self) -> dict[str, str]:
        home = self.folder / "home"
        own = {
            "NO_COLOR": "1",
            "OPENCLAW_HOME": str(home),
            "OPENCLAW_STATE_DIR": str(home / ".openclaw"),
            "OPENCLAW_CONFIG_PATH": str(self.folder / "openclaw.json"),
            "OPENCLAW_NO_AUTO_UPDATE": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "OPENCLAW_SKIP_CHANNELS": "1",
        }
        return self.bare(program=self.node, home=home, **own)

    def _document(self) -> dict[str, Any]:
        model = {
            "id": MODEL,
            "name": "Stand-in",
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 128000,
            "maxTokens": 4096,
        }
        provider = {"baseUrl": self.model_url, "apiKey": "none", "api": "openai-completions", "models": [model]}
        plugins: dict[str, Any] = {
            "enabled": True,
            "allow": [PLUGIN],
            "load": {"paths": [str(self.plugin)]},
            "entries": {PLUGIN: {"enabled": True, "config": dict(self.settings)}},
        }
        if self.slot is not None:
            plugins["slots"] = {"contextEngine": self.slot}
        defaults = {
            "workspace": str(self.workspace),
            "skipBootstrap": True,
            "model": {"primary": f"{_PROVIDER}/{MODEL}"},
        }
        return {
            "agents": {"defaults": defaults},
            "models": {"mode": "replace", "providers": {_PROVIDER: provider}},
            "plugins": plugins,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Gateway:
    """A running gateway of a host."""

    host: OpenClaw
    process: subprocess.Popen[bytes]
    log_file: Path

    def turn(self, text: str, *, session: str = "main") -> Turn:
        """One turn through the gateway; `log` is what the gateway printed meanwhile. Raises HostFailed."""
        before = len(self.log())
        turn = self.host._agent([], text, session)
        return Turn(reply=turn.reply, log=self.log()[before:], seconds=turn.seconds)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of the host's CLI, which speaks to this gateway."""
        return self.host._run(arguments)

    def log(self) -> str:
        """All that the gateway printed so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")


def _tail(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-3000:]
