"""Watching folders, and leaving while a watch runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_process_that_ends_while_it_watches_ends_well(tmp_path: Path) -> None:
    """Older releases of watchfiles abort it otherwise, and a host's command fails after its work is done."""
    script = (
        "import sys, time\n"
        "from skillcaddy.library.watch import Watcher\n"
        "watchers = [Watcher([sys.argv[1]]) for _ in range(3)]\n"
        "end = time.monotonic() + 30\n"
        "while not all(watcher.watching() for watcher in watchers) and time.monotonic() < end:\n"
        "    time.sleep(0.01)\n"
        "print(all(watcher.watching() for watcher in watchers))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "True\n", "")
