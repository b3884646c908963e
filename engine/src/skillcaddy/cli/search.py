"""`skillcaddy search`: the pipeline from a shell, as a table for people and as JSON for scripts."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from skillcaddy.engine import Engine
from skillcaddy.model_choice import choose_model
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Retrieval
from skillcaddy.snapshot import load_fast


def parser() -> argparse.ArgumentParser:
    """The options of `skillcaddy search`; argparse, since typer alone would cost several searches."""
    made = argparse.ArgumentParser(
        prog="skillcaddy search",
        description="Find the skills for a query and print what an agent would get.",
        epilog="Nothing found is a success (exit 0). `skillcaddy explain QUERY` says why something is or isn't found.",
    )
    made.add_argument("query", metavar="QUERY", help="what the agent or the user would say")
    made.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        help="search this folder instead of the configured ones; repeatable, the first shadows later ones",
    )
    made.add_argument("--top-k", metavar="N", type=_positive, help="skills to deliver with their bodies")
    made.add_argument(
        "--delivery",
        choices=("best", "catalog", "bodies"),
        default="best",
        help="the best body and a list of more, a list only, or several bodies",
    )
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code."""
    given = parser().parse_args(arguments)
    chosen: dict[str, Any] = {}
    if given.skills:
        missing = [folder for folder in given.skills if not os.path.isdir(folder)]
        if missing:
            return _usage(f"--skills {missing[0]!r} is no folder. Name a folder that holds SKILL.md files.")
        chosen = {"skills_dirs": given.skills, "shared_library": "off"}
    loaded = load_fast(arguments=chosen)
    for warning in loaded.warnings:
        print(f"skillcaddy: {warning}", file=sys.stderr)
    if not loaded.settings.skills_dirs and not given.skills and loaded.settings.shared_library == "off":
        return _usage(
            "no skill folder is configured. Give --skills DIR, or set skills_dirs in the file that "
            "`skillcaddy config path` names."
        )
    engine = command_engine(loaded.settings)
    request = Request(query=given.query, surface="cli", delivery=given.delivery, top_k=given.top_k)
    retrieval = engine.retrieve(request)
    if given.json:
        print(json.dumps(as_json(retrieval)))
    else:
        from skillcaddy.cli.tables import print_retrieval

        print_retrieval(retrieval)
    return 0


def command_engine(settings: Settings) -> Engine:
    """The engine of a command, which may keep its caller waiting while it writes the index."""
    from skillcaddy.paths import state_dir

    state = state_dir(configured=settings.state_dir)
    return Engine(settings, model=choose_model(settings), state_dir=state, indexing="command")


def as_json(retrieval: Retrieval) -> dict[str, Any]:
    """The contract of `--json`: query, hits, text, trace, elapsed_ms."""
    return {
        "query": retrieval.query,
        "hits": [
            {
                "id": hit.skill.id,
                "name": hit.skill.name,
                "source": hit.skill.source,
                "path": hit.skill.path,
                "rank": hit.rank,
                "score": round(hit.score, 6),
                "trust": hit.skill.trust.word,
            }
            for hit in retrieval.hits
        ],
        "text": retrieval.text,
        "trace": retrieval.trace.to_json(),
        "elapsed_ms": retrieval.elapsed_ms,
    }


def _usage(message: str) -> int:
    print(f"skillcaddy search: {message}", file=sys.stderr)
    return 2


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value
