"""The command line. Commands on a hot path are dispatched before anything heavy is imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

LIGHT = {
    "bridge": ("skillcaddy.bridge", "Serve a JavaScript host's plugin over stdin and stdout."),
    "explain": ("skillcaddy.cli.explain", "Say why a query gets what it gets, and why a skill is or isn't found."),
    "index": ("skillcaddy.cli.indexing", "Read all skills and bring their index up to date."),
    "search": ("skillcaddy.cli.search", "Find the skills for a query and print what an agent would get."),
    "mcp": ("skillcaddy.mcp", "Serve skill_search and skill_open to any MCP client over stdin and stdout."),
}
"""Commands whose process start matters: name -> (module with `run(arguments) -> exit code`, help)."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 for success (a miss is one), 1 for a failure, 2 for wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in LIGHT:
        if given[0] == "search":  # it ends after one answer, most of whose time goes into imports
            from skillcaddy.lean import spare

            spare()
        try:
            code: int = import_module(LIGHT[given[0]][0]).run(given[1:])
        except BrokenPipeError:
            code = 0
        sys.exit(code)
    from skillcaddy.cli.app import app

    app(given, prog_name="skillcaddy")
