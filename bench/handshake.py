"""How long a host waits: the MCP handshake and the hook's process, beside bare Python and the SDK's server.

    python bench/handshake.py [--data DIR] [--size 10000] [--runs 9] [--json]

Every figure is the median of its runs; runs of ours and of the references alternate. The SDK's server is measured when
the package `mcp` is installed; `nox -s handshake` installs it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from expand import expand
from labelled import default_data, load
from report import Bar, print_bars, print_table
from skillcaddy_workbuddy.places import marketplace_folder

QUERY = "fill in the fields of a pdf form and check the result"
SWEEP = """
import os, sys, tantivy
for path in open(sys.argv[1], encoding="utf-8").read().split("\\n"):
    os.stat(path)
"""
SDK_SERVER = """
from mcp.server import MCPServer
server = MCPServer("reference")
@server.tool(description="Search the skill library.")
def skill_search(query: str) -> str:
    return query
server.run("stdio")
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 when every measured bar holds, else 1."""
    parser = argparse.ArgumentParser(description="Start-up times of the MCP server and of the hook.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--size", type=int, default=10_000, help="skills in the library (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=9, help="runs of each (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="skillcaddy-handshake-") as folder:
        tree, home = Path(folder) / "skills", Path(folder) / "home"
        paths = [tree / name / "SKILL.md" for name in expand(load(given.data, given.size), tree).values()]
        (Path(folder) / "paths.txt").write_text("\n".join(map(str, paths)), encoding="utf-8")
        environ = _environ(tree, home)
        python = sys.executable
        subprocess.run([python, "-m", "skillcaddy", "index"], env=environ, check=True, capture_output=True)
        figures = _measure(python, environ, Path(folder) / "paths.txt", given.runs)
    bars = [
        Bar.at_most("initialize, times a bare interpreter start", figures["initialize"] / figures["python -c pass"], 6),
        Bar.at_most("hook process, times (import tantivy + stat sweep)", figures["hook, auto"] / figures["sweep"], 3),
    ]
    if "SDK's server: initialize" in figures:
        faster = figures["SDK's server: initialize"] / figures["initialize"]
        bars.append(Bar.at_least("initialize, times faster than the SDK's server", faster, 2))
    if given.json:
        found = [{"what": bar.what, "figure": bar.figure, "bar": bar.bar, "holds": bar.holds} for bar in bars]
        print(json.dumps({"ms": figures, "bars": found}, indent=1))
    else:
        print_table(f"{given.size} skills", ("what", "median ms"), list(figures.items()))
        print_bars(bars)
    return 0 if all(bar.holds is not False for bar in bars) else 1


def _environ(tree: Path, home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SKILLCADDY_")}
    ours = {"SKILLCADDY_HOME": str(home), "SKILLCADDY_SKILLS_DIRS": str(tree), "SKILLCADDY_SHARED_LIBRARY": "off"}
    data = home / "plugin-data"
    data.mkdir(parents=True)
    (data / "python").write_text(sys.executable + "\n", encoding="utf-8")
    return {**kept, **ours, "CODEBUDDY_PLUGIN_DATA": str(data)}


def _measure(python: str, environ: Mapping[str, str], paths: Path, runs: int) -> dict[str, float]:
    bin_ = marketplace_folder() / "plugin" / "bin"
    auto = {**environ, "SKILLCADDY_MODE": "auto"}
    hook = [python, "-P", "-c", "from skillcaddy_workbuddy.entry import hook; hook()"]
    server = [python, "-P", "-c", "from skillcaddy_workbuddy.entry import mcp; mcp()"]
    work: dict[str, Callable[[], float]] = {
        "python -c pass": lambda: _process([python, "-c", "pass"], environ),
        "sweep": lambda: _process([python, "-c", SWEEP, str(paths)], environ),
        "initialize": lambda: _handshake(server, environ)[0],
        "initialize and tools/list": lambda: _handshake(server, environ)[1],
        "the same by `skillcaddy mcp`": lambda: _handshake([python, "-m", "skillcaddy", "mcp"], environ)[1],
        "the same by the plugin's launcher": lambda: _handshake([str(bin_ / "skillcaddy-mcp")], environ)[1],
        "hook, on_demand": lambda: _process(hook, environ, _event()),
        "hook, auto": lambda: _process(hook, auto, _event()),
        "the same by the plugin's launcher, auto": lambda: _process(
            [str(bin_ / "skillcaddy-hook"), "UserPromptSubmit"], auto, _event()
        ),
    }
    if importlib.util.find_spec("mcp") is not None:
        work["SDK's server: initialize"] = lambda: _handshake([python, "-c", SDK_SERVER], environ)[0]
    for measure in work.values():
        measure()  # the first run of each fills caches and writes the settings' snapshot
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(runs):
        for name, measure in work.items():
            times[name].append(measure() * 1000)
    return {name: round(statistics.median(each), 2) for name, each in times.items()}


def _event() -> str:
    # No session, or the second run would find the skill already given.
    return json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "", "prompt": QUERY, "cwd": os.getcwd()})


def _process(command: Sequence[str], environ: Mapping[str, str], stdin: str = "") -> float:
    started = time.perf_counter()
    subprocess.run(command, env=dict(environ), input=stdin, text=True, capture_output=True, check=True)
    return time.perf_counter() - started


def _handshake(command: Sequence[str], environ: Mapping[str, str]) -> tuple[float, float]:
    """Seconds from the start of the process to the answers to `initialize` and to `tools/list`."""
    started = time.perf_counter()
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=dict(environ), text=True, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(message: dict[str, Any]) -> None:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        ask({"id": 1, "method": "initialize", "params": HELLO})
        assert "serverInfo" in process.stdout.readline()
        first = time.perf_counter() - started
        ask({"method": "notifications/initialized"})
        ask({"id": 2, "method": "tools/list"})
        assert "skill_search" in process.stdout.readline()
        second = time.perf_counter() - started
        process.stdin.close()
        process.wait(30)
    return first, second


if __name__ == "__main__":
    sys.exit(main())
