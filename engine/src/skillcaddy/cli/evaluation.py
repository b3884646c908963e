"""`skillcaddy eval`: the figures of a labelled query set on a library."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from skillcaddy.config import load
from skillcaddy.engine import Engine
from skillcaddy.evaluate import BadQueryFileError, LabelledQuery, answer, load_queries, metrics
from skillcaddy.library.indexer import refresh
from skillcaddy.library.store import Store, StoreBusyError
from skillcaddy.paths import locations
from skillcaddy.plugins import local_roots
from skillcaddy.settings_errors import SettingsError


def evaluate_command(
    skills: Annotated[list[Path], typer.Option(help="The library; repeatable, the first shadows later ones.")],
    queries: Annotated[Path, typer.Option(help='JSON lines: {"query": "...", "relevant": [...], "forbidden": [...]}.')],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure the ranking, and what would really be injected, on labelled queries.

    An entry of `relevant` names a skill by id, name or folder, or is a list of equals of which any counts. A row with
    an empty `relevant` is a negative: nothing should be injected for it. No model is asked.
    """
    missing = next((folder for folder in skills if not folder.is_dir()), None)
    if missing is not None:
        _fail(f"--skills {str(missing)!r} is no folder.", 2)
    try:
        rows = load_queries(queries)
        chosen = {"skills_dirs": [str(folder) for folder in skills], "shared_library": "off", "model_source": "off"}
        settings = load(arguments=chosen).settings
    except OSError as error:
        _fail(f"--queries {str(queries)!r} can't be read: {error.strerror or error}.", 2)
    except BadQueryFileError as error:
        _fail(str(error), 2)
    except SettingsError as error:
        _fail(str(error), 1)
    state = locations(state_dir=settings.state_dir).state_dir
    try:
        refresh(Store(state, local_roots(settings, None)), wait_s=120)
        # The index is fresh and nothing changes meanwhile, so queries are timed without a sweep each.
        engine = Engine(settings, state_dir=state, indexing="never", third_party=False)
    except (StoreBusyError, OSError, ValueError) as error:
        print(f"skillcaddy eval: working from memory, the index can't be written: {error}", file=sys.stderr)
        engine = Engine(settings, state_dir=state, indexing="inline", third_party=False)
    figures = metrics(rows, [answer(engine.retrieve, row.query) for row in _with_progress(rows)])
    if as_json:
        print(json.dumps(figures))
    else:
        _print(figures)


def _with_progress(rows: list[LabelledQuery]) -> list[LabelledQuery]:
    return rows


def _print(figures: dict[str, float | int | None]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, "not measured" if value is None else f"{value:g}")
    Console().print(table)


def _fail(message: str, code: int) -> None:
    print(f"skillcaddy eval: {message}", file=sys.stderr)
    raise typer.Exit(code)
