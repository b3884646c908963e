"""What `explain`, `lint` and `stats` cost as whole processes, and what a line of the decision log costs.

    python bench/commands.py [--data DIR] [--sizes 1000,10000,all] [--runs 5] [--json]

`explain` has to stay under a second on the whole library and `lint` well under a minute on 10,000 skills, its index
built already or not. A processor's seconds are shown beside the wall's, since the latter depend on who else is at work.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from expand import expand
from labelled import SkillRow, default_data, load
from report import Bar, print_bars, print_table

QUERY = "fill in the fields of a pdf form and check the result"
MISS = "zorbify the quuxes of the frobnicator"
EXPLAIN_S = 1.0
LINT_S = 60.0
LINES = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 when every measured bar holds, else 1."""
    parser = argparse.ArgumentParser(description="What explain, lint, stats and the decision log cost.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--sizes", default="1000,10000,all", help="library sizes (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each quick command (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    everything = load(given.data)
    measured: dict[int, dict[str, float]] = {}
    for word in given.sizes.split(","):
        rows = everything if word == "all" else everything[: int(word)]
        with tempfile.TemporaryDirectory(prefix="skillcaddy-commands-") as folder:
            measured[len(rows)] = _measure(rows, Path(folder), given.runs)
    with tempfile.TemporaryDirectory(prefix="skillcaddy-log-") as folder:
        log = _log(Path(folder))
    bars = _bars(measured)
    if given.json:
        found = [{"what": bar.what, "figure": bar.figure, "bar": bar.bar, "holds": bar.holds} for bar in bars]
        print(json.dumps({"measured": measured, "log": log, "bars": found}, indent=1))
    else:
        names = list(dict.fromkeys(name for figures in measured.values() for name in figures))
        table = [(name, *(figures.get(name) for figures in measured.values())) for name in names]
        print_table("seconds by number of skills", ("figure", *map(str, measured)), table)
        print_table("the decision log", ("figure", "value"), list(log.items()))
        print_bars(bars)
    return 0 if all(bar.holds is not False for bar in bars) else 1


def _measure(rows: Sequence[SkillRow], place: Path, runs: int) -> dict[str, float]:
    skills = place / "skills"
    expand(rows, skills)
    environ = {**os.environ, "SKILLCADDY_HOME": str(place / "home")}
    figures: dict[str, float] = {}
    figures["lint, no index yet"], figures["lint, no index yet, cpu"] = _run(environ, "lint", "--json", str(skills))
    figures["lint"], figures["lint, cpu"] = _run(environ, "lint", "--json", str(skills))
    for name, query in (("explain", QUERY), ("explain a miss", MISS)):
        taken = [_run(environ, "explain", query, "--skills", str(skills)) for _ in range(runs)]
        figures[name] = statistics.median(wall for wall, _ in taken)
        figures[f"{name}, cpu"] = statistics.median(cpu for _, cpu in taken)
    return figures


def _run(environ: dict[str, str], *arguments: str) -> tuple[float, float]:
    """Seconds on the wall and of the processor; a linter's exit code 1 only says that it found errors."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "skillcaddy", *arguments]
    done = subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.decode('utf-8', 'replace')}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(time.perf_counter() - started, 3), round(cpu, 3)


def _log(place: Path) -> dict[str, Any]:
    """What a line costs a turn, and what summing up a full log costs."""
    os.environ["SKILLCADDY_HOME"] = str(place)
    from skillcaddy.deadline import Deadline
    from skillcaddy.decisions import FILE_NAME, DecisionLog
    from skillcaddy.engine import Engine
    from skillcaddy.journal import Journal
    from skillcaddy.paths import log_dir
    from skillcaddy.request import Request
    from skillcaddy.settings import Settings

    examples = Path(__file__).parents[1] / "examples" / "skills"
    settings = Settings(skills_dirs=(str(examples),), shared_library="off")
    request = Request(query=QUERY, surface="auto", host="bench", session="s", recorded=False)
    retrieval = Engine(settings, indexing="inline", third_party=False).retrieve(request)
    log, times = DecisionLog(settings), []
    for _ in range(LINES):
        started = time.perf_counter()
        log.retrieval(request, retrieval, Deadline.after(5))
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    seconds, _ = _run(dict(os.environ), "stats", "--json")
    journal = Journal(log_dir() / FILE_NAME)
    size = sum(segment.stat().st_size for segment in journal.segments())
    return {
        "a line, p50 ms": round(times[LINES // 2], 3),
        "a line, p99 ms": round(times[LINES * 99 // 100], 3),
        "bytes a line": size // max(1, sum(1 for _ in journal.rows())),
        f"megabytes kept after {LINES:,} lines": round(size / 1e6, 1),
        "stats over them, s": seconds,
    }


def _bars(measured: dict[int, dict[str, float]]) -> list[Bar]:
    largest = max(measured)
    ten = measured.get(10_000, {})
    return [
        Bar.at_most(f"explain, {largest:,} skills, s", measured[largest]["explain"], EXPLAIN_S),
        Bar.at_most(f"explain a miss, {largest:,} skills, s", measured[largest]["explain a miss"], EXPLAIN_S),
        Bar.at_most("lint, 10,000 skills, no index yet, s", ten.get("lint, no index yet"), LINT_S),
        Bar.at_most("lint, 10,000 skills, s", ten.get("lint"), LINT_S),
    ]


if __name__ == "__main__":
    sys.exit(main())
