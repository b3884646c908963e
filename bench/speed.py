"""How fast and how large: each figure beside a reference in the same run, as ratios, and how it grows with the library.

    python bench/speed.py [--data DIR] [--sizes 1000,10000,all,90000] [--runs 5] [--json]

Machines are noisy: read the ratios, not the seconds. Every figure is the median of its runs; runs of a command and of
its reference alternate. 90,000 skills are made from the real ones (see `synthetic`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from expand import expand
from labelled import SkillRow, default_data, load, load_queries
from report import Bar, print_bars, print_table

HERE = Path(__file__).parent
QUERY = "fill in the fields of a pdf form and check the result"
RANK_BM25_UP_TO = 30_000
"""Above this the reference that keeps everything in Python objects is too slow to be run again and again."""

SWEEP = """
import os, sys, tantivy
for path in open(sys.argv[1], encoding="utf-8").read().split("\\n"):
    os.stat(path)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 when every measured bar holds, else 1."""
    parser = argparse.ArgumentParser(description="Speed and memory beside references, by library size.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--sizes", default="1000,10000,all,90000", help="library sizes (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    queries = [row.query for row in load_queries(given.data)]
    measured: dict[int, dict[str, float]] = {}
    for word in given.sizes.split(","):
        rows = _rows(given.data, word)
        with tempfile.TemporaryDirectory(prefix="skillcaddy-speed-") as folder:
            measured[len(rows)] = _measure(rows, Path(folder), queries, given.runs)
    bars = _bars(measured)
    if given.json:
        found = [{"what": bar.what, "figure": bar.figure, "bar": bar.bar, "holds": bar.holds} for bar in bars]
        print(json.dumps({"measured": measured, "bars": found}, indent=1))
    else:
        names = list(dict.fromkeys(name for figures in measured.values() for name in figures))
        rows_of = [(name, *(figures.get(name) for figures in measured.values())) for name in names]
        print_table("figures by number of skills", ("figure", *map(str, measured)), rows_of)
        print_bars(bars)
    return 0 if all(bar.holds is not False for bar in bars) else 1


def _rows(data: Path, word: str) -> list[SkillRow]:
    if word == "all":
        return load(data)
    everything = load(data)
    return synthetic(everything, int(word)) if int(word) > len(everything) else load(data, int(word))


def synthetic(rows: Sequence[SkillRow], size: int, seed: int = 0) -> list[SkillRow]:
    """The real skills and as many made ones as are missing: name and description of one, body of another."""
    chance = random.Random(seed)
    made = []
    for number in range(size - len(rows)):
        first, second = chance.choice(rows), chance.choice(rows)
        name = f"{first.name}-{number}"
        made.append(replace(first, id=f"made/{number:06}:{name}/SKILL.md", name=name, body=second.body))
    return [*rows, *made]


def _measure(rows: Sequence[SkillRow], folder: Path, queries: Sequence[str], runs: int) -> dict[str, float]:
    tree, state = folder / "skills", folder / "home"
    folders = expand(rows, tree)
    paths = folder / "paths.txt"
    paths.write_text("\n".join(str(tree / name / "SKILL.md") for name in folders.values()), encoding="utf-8")
    path = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    environment = {**os.environ, "SKILLCADDY_HOME": str(state), "PYTHONPATH": os.pathsep.join([str(HERE), *path])}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its modules compiled

    def process(*command: str, stdin: str = "") -> float:
        started = time.perf_counter()
        done = subprocess.run(command, input=stdin.encode(), env=environment, capture_output=True, check=False)
        took = time.perf_counter() - started
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)[:200]} failed: {done.stderr.decode()[-2000:]}")
        return took

    python, skills = sys.executable, str(tree)
    cli = (python, "-m", "skillcaddy")
    figures: dict[str, float] = {}
    small = len(rows) <= RANK_BM25_UP_TO
    reference = (python, str(HERE / "rank_bm25_process.py"), skills, QUERY)

    scan = _paired(
        min(runs, 3),
        lambda: process(*cli, "index", "--rebuild", "--skills", skills, "--json"),
        (lambda: process(*reference)) if small else None,
    )
    figures["first scan, s"] = scan[0]
    if small:
        figures["scan + YAML + rank_bm25 build and query, s"] = scan[1]
    process(*cli, "search", QUERY, "--skills", skills, "--json")
    cold = _paired(
        runs,
        lambda: process(*cli, "search", QUERY, "--skills", skills, "--json"),
        lambda: process(python, "-c", SWEEP, str(paths)),
    )
    figures["cold search process, ms"], figures["import tantivy + stat sweep, ms"] = cold[0] * 1000, cold[1] * 1000
    hook_input = json.dumps({"session_id": "bench", "prompt": QUERY, "hook_event_name": "UserPromptSubmit"})
    environment |= {"SKILLCADDY_SKILLS_DIRS": skills, "SKILLCADDY_MODE": "auto", "SKILLCADDY_SHARED_LIBRARY": "off"}
    hook = (python, "-c", "from skillcaddy_workbuddy.entry import hook; hook()")
    process(*hook, stdin=hook_input)
    turn = _paired(runs, lambda: process(*hook, stdin=hook_input), lambda: process(python, "-c", SWEEP, str(paths)))
    figures["hook process, ms"], figures["the sweep again, ms"] = turn[0] * 1000, turn[1] * 1000
    figures |= _inside("hook_memory", python, hook[-1], hook_input, environment)
    chosen = folder / "queries.json"
    chosen.write_text(json.dumps(queries[:: max(1, len(queries) // 300)]), encoding="utf-8")
    figures |= _inside("warm", python, skills, str(chosen), environment)
    figures |= _inside("memory", python, skills, str(chosen), environment)
    if len(rows) >= 90_000:
        figures |= _inside("rank_bm25_memory", python, skills, str(chosen), environment)
    return {name: round(value, 3) for name, value in figures.items()}


def _paired(runs: int, ours: Callable[[], float], reference: Callable[[], float] | None) -> tuple[float, float]:
    """Median seconds of both, run in turn so that the machine's moods hit them alike."""
    mine, theirs = [], []
    for _ in range(runs):
        mine.append(ours())
        if reference is not None:
            theirs.append(reference())
    return statistics.median(mine), statistics.median(theirs) if theirs else 0.0


def _inside(what: str, python: str, skills: str, queries: str, environment: dict[str, str]) -> dict[str, float]:
    command = [python, str(HERE / "inside.py"), what, skills, queries]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, encoding="utf-8")
    if done.returncode != 0:
        raise RuntimeError(f"inside.py {what} failed: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _bars(measured: dict[int, dict[str, float]]) -> list[Bar]:
    bars: list[Bar] = []
    for size, figures in measured.items():
        if size == 10_000:
            sweep, again = figures["import tantivy + stat sweep, ms"], figures["the sweep again, ms"]
            slow = figures["scan + YAML + rank_bm25 build and query, s"]
            cold = figures["cold search process, ms"]
            bars += [
                Bar.at_most("cold search process, times (import tantivy + stat sweep)", cold / sweep, 4),
                Bar.at_least("cold search process, times faster than rank_bm25", slow * 1000 / cold, 6),
                Bar.at_most("hook process, times (import tantivy + sweep)", figures["hook process, ms"] / again, 3),
                Bar.at_least("first scan, times faster than rank_bm25's", slow / figures["first scan, s"], 2),
                Bar.at_most(
                    "warm query p95, times a raw tantivy search",
                    figures["warm search p95, ms"] / figures["raw tantivy p95, ms"],
                    2,
                ),
                Bar.at_most("hook process, MB", figures["hook process, MB"], 60),
                Bar.at_most("hung source: answer after the deadline, ms", figures["hung source, ms late"], 50),
                Bar.at_most("spinning source: answer after the deadline, ms", figures["spinning source, ms late"], 50),
            ]
    sizes = sorted(measured)
    large = [size for size in sizes if size >= 90_000]
    if large and 10_000 in measured:
        big, ten = measured[large[0]], measured[10_000]
        bars += [
            Bar.at_most("warm query p95 at 90k, times 10k", big["warm search p95, ms"] / ten["warm search p95, ms"], 5),
            Bar.at_most(
                "one changed file at 90k, times 10k, beyond the sweep",
                big["changed file beyond the sweep, ms"] / ten["changed file beyond the sweep, ms"],
                3,
            ),
            Bar.at_most("server at 90k, times rank_bm25's memory", big["server, MB"] / big["rank_bm25, MB"], 0.2),
        ]
    return bars


if __name__ == "__main__":
    sys.exit(main())
