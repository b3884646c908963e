"""What the bridge adds to a turn: warm round trips from Node to the engine, beside a bare echo over the same pipes.

    uv run python bench/bridge.py [--rounds 500] [--node node]

The rows without a search show the protocol's own cost: JSON, the pipe, the worker thread, the deadline's timer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from report import print_table

ROWS = {
    "echo": "bare stdio echo, no protocol",
    "ping": "bridge, a request that does nothing",
    "turn": "bridge, a turn without a search",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Warm round trips of the bridge beside a bare echo.")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--node", default="node", help="the Node to run the shell's side with")
    given = parser.parse_args()
    script = Path(__file__).with_name("bridge_rounds.mjs")
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            [given.node, str(script), sys.executable, str(given.rounds)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "SKILLCADDY_HOME": home},
            check=False,
        )
    if run.returncode:
        sys.exit(f"the shell's side failed:\n{run.stderr}")
    measured = json.loads(run.stdout)
    base = statistics.median(measured["echo"])
    rows = []
    for key, what in ROWS.items():
        times = sorted(measured[key])
        middle = statistics.median(times)
        rows.append((what, middle, times[int(len(times) * 0.95)], middle / base))
    print_table(f"round trips of {given.rounds} turns, ms", ("", "median", "p95", "x echo"), rows)
    print(f"first turn, process start included: {measured['first']:.0f} ms")


if __name__ == "__main__":
    main()
