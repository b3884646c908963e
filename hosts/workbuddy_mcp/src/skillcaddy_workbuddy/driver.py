"""Drives the real clients without a terminal, each in a home of its own, with the plugin installed by their commands.

The end-to-end tests use it, and so does whatever wants to prove an installation with one real turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import Any, Self

from skillcaddy.standin.driving import HostFailed

PLUGIN_ID = "skillcaddy@skillcaddy"
TURN_S = 90.0


class Client:
    """One client with the plugin installed by its own marketplace command."""

    tool_prefix = ""
    """What this client puts before the tools' names."""
    words: tuple[str, ...] = ()
    """What each run is told beside the prompt."""

    def __init__(self, binary: Path, root: Path, model_url: str, environ: Mapping[str, str] | None = None) -> None:
        """`root` must be new; `environ` is added to the short environment that the client runs in."""
        self.binary = binary
        self.root = root
        self.model_url = model_url
        self.home = root / "home"
        self.workspace = root / "workspace"
        self.home.mkdir(parents=True)
        self.workspace.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "SKILLCADDY_HOME": str(root / "skillcaddy"),
            "SKILLCADDY_PYTHON": sys.executable,
            **(environ or {}),
        }
        self.prepare()

    def prepare(self) -> None:
        """Whatever makes the client talk to the stand-in model."""
        raise TypeError("Client is made for one of the clients below")

    def install(self, marketplace: Path) -> None:
        """Install the plugin from a local marketplace folder, as a user does."""
        for words in (("marketplace", "add", str(marketplace)), ("install", PLUGIN_ID)):
            done = self.run("plugin", *words)
            if done.returncode:
                raise HostFailed(f"plugin {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run the client to its end."""
        return subprocess.run(
            [str(self.binary), *words],
            env={**self.environ, **environ},
            cwd=self.workspace,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TURN_S,
        )

    def ask(self, prompt: str, **environ: str) -> str:
        """The reply of one turn in a process and session of its own. Raises HostFailed when the client fails.

        "" where the reply can't be read: CodeBuddy prints the whole conversation and now and then loses its end.
        """
        done = self.run("-p", prompt, "--output-format", "json", *self.words, **environ)
        if done.returncode or not done.stdout.strip():
            raise HostFailed(f"no reply, exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        try:
            printed = json.loads(done.stdout)
            return str((printed[-1] if isinstance(printed, list) else printed)["result"])
        except (ValueError, KeyError, IndexError, TypeError):
            return ""

    def hook_ran(self) -> bool:
        """Whether the client has called our hook for the last prompt, as far as it can be told."""
        return True

    def talk(self, **environ: str) -> Session:
        """A session of several turns in one process."""
        return Session(self, environ)


class CodeBuddy(Client):
    """The core of WorkBuddy, from PyPI's codebuddy-agent-sdk."""

    tool_prefix = "mcp__skillcaddy__"
    words = ("--model", "stand-in", "-y")

    def prepare(self) -> None:
        model = {
            "id": "stand-in",
            "name": "stand-in",
            "vendor": "local",
            "apiKey": "none",
            "url": f"{self.model_url}/v1/chat/completions",
            "maxInputTokens": 200_000,
            "maxOutputTokens": 4096,
            "supportsToolCall": True,
        }
        (self.home / ".codebuddy").mkdir()
        listed = json.dumps({"models": [model], "availableModels": ["stand-in"]})
        (self.home / ".codebuddy" / "models.json").write_text(listed, encoding="utf-8")
        self.environ |= {"DISABLE_GALILEO": "1"}

    def hook_ran(self) -> bool:
        """False when a one-shot run took its prompt before the plugin's hooks were loaded, as happens under load."""
        logs = sorted((self.home / ".codebuddy" / "logs").rglob("*.log"), key=lambda path: path.stat().st_mtime)
        words = ("[HookExecutor] spawn", "UserPromptSubmit")
        text = logs[-1].read_text(encoding="utf-8", errors="replace") if logs else ""
        return any(all(word in line for word in words) for line in text.splitlines())


class ClaudeCode(Client):
    """The npm package of Claude Code."""

    tool_prefix = "mcp__plugin_skillcaddy_skillcaddy__"
    words = (
        "--model",
        "claude-sonnet-4-5",
        "--allowedTools",
        f"{tool_prefix}skill_search",
        f"{tool_prefix}skill_open",
    )

    def prepare(self) -> None:
        self.environ |= {
            "ANTHROPIC_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }


class Session:
    """One running client that is sent one prompt after another."""

    def __init__(self, client: Client, environ: dict[str, str]) -> None:
        words = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        self._log = (client.root / "session.err").open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(client.binary), *words, *client.words],
            env={**client.environ, **environ},
            cwd=client.workspace,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._results: Queue[dict[str, Any] | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                message = json.loads(line)
                if message.get("type") == "result":
                    self._results.put(message)
        self._results.put(None)

    def ask(self, prompt: str) -> str:
        """The reply of one turn. Raises HostFailed when the client ends instead, queue.Empty when it takes too long."""
        assert self.process.stdin is not None
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        result = self._results.get(timeout=TURN_S)
        if result is None:
            raise HostFailed("the client ended in the middle of a turn")
        return str(result.get("result", ""))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(TURN_S)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()
            self._log.close()
