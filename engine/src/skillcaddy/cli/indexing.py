"""`skillcaddy index`: bring a library's index up to date, with a progress bar and a report."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from skillcaddy.config import load
from skillcaddy.library.indexer import IndexReport, Progress, refresh
from skillcaddy.library.store import Store, StoreBusyError
from skillcaddy.paths import locations
from skillcaddy.plugins import local_roots
from skillcaddy.reasons import SENTENCES
from skillcaddy.settings_errors import SettingsError

_WAIT_S = 120.0
_SHOWN = 20


def index_command(
    skills: Annotated[
        list[Path] | None,
        typer.Option(help="Index this folder instead of the configured ones; repeatable, in order of precedence."),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build anew even where an index exists.")] = False,
    state_dir: Annotated[Path | None, typer.Option(help="Keep the index below this folder.")] = None,
    background: Annotated[bool, typer.Option("--background", help="Low priority, no output, no waiting.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Read all skills and bring their index up to date.

    Hosts and searches do this by themselves; run it after adding a large library, so that no turn has to wait.
    """
    if background and hasattr(os, "nice"):
        os.nice(10)
    store = Store(*_library(skills, state_dir))
    missing = [root for root in store.roots if not Path(root).is_dir()]
    if not store.roots or len(missing) == len(store.roots):
        _fail(f"no skill folder to index: {', '.join(missing) or 'none is configured'}. Give --skills DIR.", 2)
    try:
        report = _refresh(store, rebuild, quiet=background or as_json)
    except StoreBusyError:
        if background:
            return
        _fail(f"another process has been indexing this library for over {_WAIT_S:g} s; try again later.", 1)
    except (OSError, ValueError) as error:
        _fail(f"the index can't be written below {store.parent}: {error}. Searches work from memory meanwhile.", 1)
    if as_json:
        print(json.dumps(_as_json(report)))
    elif not background:
        _print(report)


def _library(skills: list[Path] | None, state_dir: Path | None) -> tuple[Path, tuple[str, ...]]:
    chosen: dict[str, Any] = {}
    if skills:
        chosen = {"skills_dirs": [str(folder) for folder in skills], "shared_library": "off"}
    if state_dir is not None:
        chosen["state_dir"] = str(state_dir)
    try:
        settings = load(arguments=chosen).settings
    except SettingsError as error:
        _fail(str(error), 1)
    places = locations(state_dir=settings.state_dir)
    return places.state_dir, local_roots(settings, places.data_dir)


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


def _fail(message: str, code: int) -> None:
    print(f"skillcaddy index: {message}", file=sys.stderr)
    raise typer.Exit(code)
