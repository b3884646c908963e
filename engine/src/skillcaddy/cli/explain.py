"""`skillcaddy explain`: why a query gets what it gets, as tables for people and as JSON for scripts."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from skillcaddy.cli.search import command_engine
from skillcaddy.explain import explain
from skillcaddy.request import Request, Surface
from skillcaddy.snapshot import load_fast
from skillcaddy.standing import SkillStanding, standing

_PATIENCE_S = 120.0
"""A person who asks why can wait for a large library's first index, which a turn would not."""


def parser() -> argparse.ArgumentParser:
    """The options of `skillcaddy explain`; argparse, as for `search`, so that both start as fast."""
    made = argparse.ArgumentParser(
        prog="skillcaddy explain",
        description="Say why a query gets what it gets: every candidate and decision, and what was not searched.",
        epilog="Nothing found is a success (exit 0); so is a --skill that is not found, the answer says so.",
    )
    made.add_argument("query", metavar="QUERY", help="what the agent or the user would say")
    made.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        help="search this folder instead of the configured ones; repeatable, the first shadows later ones",
    )
    made.add_argument("--skill", metavar="NAME", help="say why this skill (id, folder or name) is or isn't found")
    made.add_argument(
        "--surface",
        choices=("auto", "tool", "cli"),
        help="answer as for an automatic turn, a tool call or a person; by default as the mode in force does",
    )
    made.add_argument("--top-k", metavar="N", type=int, help="skills to deliver, as in the request explained")
    made.add_argument(
        "--held", metavar="ID", action="append", default=[], help="suppose that the agent still has this skill"
    )
    made.add_argument("--all", action="store_true", help="show every candidate, not only the best")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code."""
    given = parser().parse_args(arguments)
    chosen: dict[str, Any] = {}
    if given.skills:
        missing = [folder for folder in given.skills if not os.path.isdir(folder)]
        if len(missing) == len(given.skills):
            return _usage(f"--skills {missing[0]!r} is no folder. Name a folder that holds SKILL.md files.")
        chosen = {"skills_dirs": given.skills, "shared_library": "off"}
    if given.top_k is not None and given.top_k < 1:
        return _usage(f"--top-k is {given.top_k}; give 1 or more.")
    loaded = load_fast(arguments=chosen)
    for warning in loaded.warnings:
        print(f"skillcaddy: {warning}", file=sys.stderr)
    surface: Surface = given.surface or ("auto" if loaded.settings.mode == "auto" else "tool")
    request = Request(
        query=given.query, surface=surface, top_k=given.top_k, held=frozenset(given.held), deadline_s=_PATIENCE_S
    )
    engine = command_engine(loaded.settings)
    found = explain(engine, request)
    about: SkillStanding | None = standing(engine, request, found, given.skill) if given.skill else None
    if given.json:
        from dataclasses import asdict

        print(json.dumps({**found.to_json(), "skill": asdict(about) if about is not None else None}))
    else:
        from skillcaddy.cli.explanation import print_explanation

        print_explanation(found, about, every=given.all)
    return 0


def _usage(message: str) -> int:
    print(f"skillcaddy explain: {message}", file=sys.stderr)
    return 2
