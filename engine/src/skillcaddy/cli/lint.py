"""`skillcaddy lint`: what is wrong with the skills of a library, with a fix for each, for people and for builds."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from skillcaddy.config import load
from skillcaddy.lint import Finding, Level, Report, lint
from skillcaddy.lint.finding import LEVELS
from skillcaddy.paths import locations
from skillcaddy.plugins import local_roots
from skillcaddy.settings import Settings
from skillcaddy.settings_errors import SettingsError

_SHOWN = 100
_STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "hint": "cyan"}


def lint_command(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[DIR]...", help="The library; the configured one without it.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings fail too.")] = False,
    level: Annotated[str, typer.Option(help="Show nothing less grave: error, warning or hint.")] = "hint",
    every: Annotated[bool, typer.Option("--all", help=f"Show all findings, not only the first {_SHOWN}.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find skills that can't be read or can't be found, and say how to mend each.

    An error means that some host can't read the skill or won't load it, a warning that it is lost, or found for the
    wrong request, a hint that it could say better what it is for. Exits with 1 when there are errors (with --strict,
    warnings too), with 0 otherwise, with 2 for wrong usage.
    """
    if level not in LEVELS:
        _fail(f"--level is {level!r}; give one of {', '.join(LEVELS)}.", 2)
    shown_levels = LEVELS[: LEVELS.index(level) + 1]
    roots, state, settings = _library(folders)
    report = _lint(roots, state, settings, quiet=as_json)
    findings = [finding for finding in report.findings if finding.level in shown_levels]
    if as_json:
        print(json.dumps(_as_json(report, findings, strict)))
    else:
        _print(report, findings, every)
    raise typer.Exit(0 if report.passes(strict=strict) else 1)


def _library(folders: list[Path] | None) -> tuple[tuple[str, ...], Path, Settings]:
    chosen: dict[str, Any] = {}
    if folders:
        missing = next((folder for folder in folders if not folder.is_dir()), None)
        if missing is not None:
            _fail(f"{str(missing)!r} is no folder. Name a folder that holds SKILL.md files.", 2)
        chosen = {"skills_dirs": [str(folder) for folder in folders], "shared_library": "off"}
    try:
        settings = load(arguments=chosen).settings
    except SettingsError as error:
        _fail(str(error), 2)
    places = locations(state_dir=settings.state_dir)
    roots = local_roots(settings, places.data_dir)
    if not roots:
        _fail("no skill folder is configured. Give a DIR, or set skills_dirs (see `skillcaddy config path`).", 2)
    return roots, places.state_dir, settings


def _lint(roots: tuple[str, ...], state: Path, settings: Settings, *, quiet: bool) -> Report:
    top_k, unasked = settings.top_k, settings.mode == "auto"
    workers = max(1, min(4, os.cpu_count() or 1))
    if quiet or not sys.stderr.isatty():
        return lint(roots, state, top_k=top_k, unasked=unasked, workers=workers)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        return lint(roots, state, top_k=top_k, unasked=unasked, workers=workers, progress=progress)


def _as_json(report: Report, findings: list[Finding], strict: bool) -> dict[str, Any]:
    return {
        "ok": report.passes(strict=strict),
        "roots": report.roots,
        "skills": report.skills,
        "counts": report.counts(),
        "findings": [finding.to_json() for finding in findings],
        "elapsed_s": report.elapsed_s,
    }


def _print(report: Report, findings: list[Finding], every: bool) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    last = ""
    for finding in findings if every else findings[:_SHOWN]:
        if finding.path != last:
            console.print(Text(f"\n{_short(finding.path, report.roots)}", style="bold"))
            last = finding.path
        head = Text.assemble((finding.level, _STYLES[finding.level]), f" {finding.rule}: {finding.message}")
        console.print(Padding(head, (0, 0, 0, 2)))
        console.print(Padding(Text(f"Fix: {finding.fix}", style="dim"), (0, 0, 0, 4)))
    left = 0 if every else max(0, len(findings) - _SHOWN)
    if left:
        console.print(f"\nand {left:,} more findings, which --all or --json lists", style="dim")
    counts = report.counts()
    parts = [f"{counts[level]:,} {level}{'' if counts[level] == 1 else 's'}" for level in LEVELS]
    skills = f"{report.skills:,} skill{'' if report.skills == 1 else 's'}"
    console.print(f"\n{skills}: {', '.join(parts)} ({report.elapsed_s:.1f} s)")


def _short(path: str, roots: tuple[str, ...]) -> str:
    """The path below its root, where there is only one root to be below of."""
    prefix = roots[0] + os.sep
    return path[len(prefix) :] if len(roots) == 1 and path.startswith(prefix) else path


def _fail(message: str, code: int) -> NoReturn:
    print(f"skillcaddy lint: {message}", file=sys.stderr, flush=True)
    raise typer.Exit(code)
