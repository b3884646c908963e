"""What each way of delivery costs in tokens, on one script of turns. Needs no model: what it costs is what is sent.

Every request to a model carries the tools' descriptions and the whole conversation so far, so a text that is handed
over once is paid for again in every later request. The figures are estimates (characters and scripts, no tokenizer) of
the input tokens that skillcaddy adds to the host's own; caching of prompts, which makes repeats cheaper, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from report import print_table
from skillcaddy.engine import Engine
from skillcaddy.guidance import OPEN_TOOL, SEARCH_TOOL, tool_schemas
from skillcaddy.markdown import estimated_tokens
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.tools import Tools

SESSION = "cost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One user's message; `query` is what an agent would search for, "" where it would not."""

    message: str
    query: str = ""


TURNS = (
    Turn(message="Good morning! I hope you had a quiet night."),
    Turn(
        message="I have a scanned contract as a PDF and need the text of it, page by page, in a Word document.",
        query="extract text from a scanned pdf into word",
    ),
    Turn(message="Thanks, that looks right."),
    Turn(message="Can you also make the headings in it bold?"),
    Turn(
        message="Now write the release notes for our version 2.4 from the git log, in the way we always do it.",
        query="write release notes from git log",
    ),
    Turn(message="Shorter, please."),
    Turn(
        message="Set up a GitHub Actions workflow that runs our pytest suite on every pull request.",
        query="github actions workflow pytest pull request",
    ),
    Turn(message="What is the capital of Mongolia?"),
    Turn(
        message="Review this SQL migration for locks before it goes to production.",
        query="review sql migration locks production",
    ),
    Turn(message="Perfect, thank you. That is all for today."),
)
"""Ten turns, four of which a skill could help with."""

LISTED = (50, 500)
"""Sizes of libraries whose whole list is set beside, as hosts without retrieval put it into each prompt."""

Row = tuple[str, int, int, int, int]


def measure(settings: Settings, engine_of: Callable[[Settings], Engine], names: list[tuple[str, str]]) -> list[Row]:
    """A row a delivery: what it is, tokens of the tools a request, tokens handed over, tokens in all, per turn."""
    rows = [
        _auto(settings, engine_of),
        _on_demand("on_demand, delivery best", settings, engine_of, {}),
        _on_demand("on_demand, delivery catalog + skill_open", settings, engine_of, {"delivery": "catalog"}),
    ]
    for size in sorted({*LISTED, len(names)}):
        if size <= len(names):
            listing = "\n".join(f"- {name}: {description}" for name, description in names[:size])
            tokens = estimated_tokens(listing)
            rows.append((f"the whole list of {size} skills in the prompt", tokens, 0, tokens * len(TURNS), 0))
    return [(*row[:4], round(row[3] / len(TURNS))) for row in rows]


def print_costs(rows: list[Row]) -> None:
    """Print the table with what it rests on."""
    print_table(
        f"input tokens that each delivery adds, {len(TURNS)} turns, {sum(bool(t.query) for t in TURNS)} with work to do"
        " (estimated; an agent calls its tools once in such a turn)",
        ("delivery", "in each request", "handed over", "in all", "per turn"),
        rows,
    )


def _auto(settings: Settings, engine_of: Callable[[Settings], Engine]) -> Row:
    engine = engine_of(settings)
    total = carried = 0
    for turn in TURNS:
        text = engine.retrieve(Request(query=turn.message, surface="auto", session=SESSION, deadline_s=60.0)).text
        carried += estimated_tokens(text)
        total += carried
    return "auto", 0, carried, total, 0


def _on_demand(what: str, settings: Settings, engine_of: Callable[[Settings], Engine], extra: dict[str, Any]) -> Row:
    tools = Tools(engine_of(settings), mode="on_demand")
    offered = sum(
        estimated_tokens(json.dumps([tool.name, tool.description, tool.parameters], ensure_ascii=False))
        for tool in tool_schemas(settings.language)
    )
    defaults = Request(query="", surface="tool", session=SESSION, deadline_s=60.0)
    total = carried = 0
    for turn in TURNS:
        calls = _calls(tools, turn, extra, defaults) if turn.query else []
        for tokens in calls:  # each call is a request of its own, which carries what came before
            total += offered + carried
            carried += tokens
        total += offered + carried
    return what, offered, carried, total, 0


def _calls(tools: Tools, turn: Turn, extra: dict[str, Any], defaults: Request) -> list[int]:
    """The tokens that each call of the turn adds to the conversation: its arguments and its answer."""
    arguments = {"query": turn.query, **extra}
    found = tools.call(SEARCH_TOOL, arguments, request_defaults=defaults)
    assert found is not None
    added = [estimated_tokens(json.dumps(arguments)) + estimated_tokens(found.text)]
    if extra and found.hits:
        opened = tools.call(OPEN_TOOL, {"id": found.hits[0].skill.id}, request_defaults=defaults)
        assert opened is not None
        added.append(estimated_tokens(found.hits[0].skill.id) + estimated_tokens(opened.text))
    return added
