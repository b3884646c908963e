"""`skillcaddy index`: bring a library's index up to date, with a progress bar and a report."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillcaddy.library.indexer import IndexReport, Progress, refresh
from skillcaddy.library.store import Store, StoreBusyError
from skillcaddy.paths import locations
from skillcaddy.plugins import local_roots
from skillcaddy.reasons import SENTENCES
from skillcaddy.settings_errors import SettingsError
from skillcaddy.snapshot import load_fast

_WAIT_S = 120.0
_SHOWN = 20


class _NoLibraryError(Exception):
    """There is nothing to index, or the settings say nothing that can be understood."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def parser() -> argparse.ArgumentParser:
    """The options of `skillcaddy index`; argparse, since hosts start it in the background and wait for it at first."""
    made = argparse.ArgumentParser(
        prog="skillcaddy index",
        description="Read all skills and bring their index up to date.",
        epilog="Hosts and searches do this by themselves; run it after adding a large library, so that no turn waits.",
    )
    made.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        help="index this folder instead of the configured ones; repeatable, in order of precedence",
    )
    made.add_argument("--rebuild", action="store_true", help="build anew even where an index exists")
    made.add_argument("--state-dir", metavar="DIR", help="keep the index below this folder")
    made.add_argument("--background", action="store_true", help="low priority, no output, no waiting")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code."""
    given = parser().parse_args(arguments)
    if given.background and hasattr(os, "nice"):
        os.nice(10)
    try:
        store = Store(*_library(given.skills, given.state_dir))
        report = _refresh(store, given.rebuild, quiet=given.background or given.json)
    except _NoLibraryError as error:
        return _fail(str(error), error.code)
    except StoreBusyError:
        if given.background:
            return 0
        return _fail(f"another process has been indexing this library for over {_WAIT_S:g} s; try again later.", 1)
    except (OSError, ValueError) as error:
        return _fail(
            f"the index can't be written below {store.parent}: {error}. Searches work from memory meanwhile.", 1
        )
    if given.json:
        print(json.dumps(_as_json(report)))
    elif not given.background:
        _print(report)
    return 0


def _library(skills: list[str] | None, state_dir: str | None) -> tuple[Path, tuple[str, ...]]:
    chosen: dict[str, Any] = {}
    if skills:
        chosen = {"skills_dirs": skills, "shared_library": "off"}
    if state_dir is not None:
        chosen["state_dir"] = state_dir
    try:
        settings = load_fast(arguments=chosen).settings
    except SettingsError as error:
        raise _NoLibraryError(str(error), 1) from error
    places = locations(state_dir=settings.state_dir)
    roots = local_roots(settings, places.data_dir)
    missing = [root for root in roots if not os.path.isdir(root)]
    if len(missing) == len(roots):
        folders = ", ".join(missing) or "none is configured"
        raise _NoLibraryError(f"no skill folder to index: {folders}. Give --skills DIR.", 2)
    return places.state_dir, roots


def _refresh(store: Store, rebuild: bool, *, quiet: bool) -> IndexReport:
    workers = max(1, min(4, os.cpu_count() or 1))
    wait_s = 0.0 if quiet else _WAIT_S
    if quiet or not sys.stderr.isatty():
        return refresh(store, rebuild=rebuild, workers=workers, wait_s=wait_s)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("Reading skills"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("read", total=None)
        progress: Progress = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        return refresh(store, rebuild=rebuild, workers=workers, progress=progress, wait_s=wait_s)


def _as_json(report: IndexReport) -> dict[str, Any]:
    problems = [{"path": p.path, "reason": p.reason.value, "detail": p.detail} for p in report.problems]
    names = ("folder", "skills", "written", "removed", "built", "elapsed_s")
    return {**{name: getattr(report, name) for name in names}, "problems": problems}


def _print(report: IndexReport) -> None:
    from rich.console import Console

    console = Console()
    done = "built" if report.built else "brought up to date"
    console.print(
        f"{report.skills} skills, index {done} in {report.elapsed_s:.1f} s "
        f"({report.written} written, {report.removed} removed)",
        highlight=False,
    )
    for problem in report.problems[:_SHOWN]:
        console.print(f"  {problem.path}: {SENTENCES[problem.reason]}", highlight=False, markup=False)
    if len(report.problems) > _SHOWN:
        console.print(f"  and {len(report.problems) - _SHOWN} more; `--json` lists them all", highlight=False)


def _fail(message: str, code: int) -> int:
    print(f"skillcaddy index: {message}", file=sys.stderr)
    return code
