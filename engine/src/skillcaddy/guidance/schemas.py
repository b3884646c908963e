"""The two tools as plain data that any host can register."""

from __future__ import annotations

from typing import Any

from skillcaddy.frozen import dataclass
from skillcaddy.guidance.words import texts
from skillcaddy.settings import Language

SEARCH_TOOL = "skill_search"
OPEN_TOOL = "skill_open"
MOST_SKILLS = 10
"""The largest `top_k` an agent may ask for; larger values are clamped to it."""
DELIVERIES = ("best", "catalog", "bodies")


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool's name, its description (paragraphs kept) and its parameters as JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


def tool_schemas(language: Language) -> list[Tool]:
    """`skill_search` and `skill_open` in that language; the data is fresh on each call, so hosts may change it.

    The schemas stay open to further properties: a stray argument should reach the tool, which ignores it, rather than
    make the host refuse the call.
    """
    words = texts(language)
    return [
        Tool(
            name=SEARCH_TOOL,
            description=words.search_description,
            parameters={
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": words.search_query},
                    "top_k": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_SKILLS,
                        "description": words.search_top_k,
                    },
                    "delivery": {
                        "type": "string",
                        "enum": list(DELIVERIES),
                        "description": words.search_delivery,
                    },
                },
                "required": ["query"],
            },
        ),
        Tool(
            name=OPEN_TOOL,
            description=words.open_description,
            parameters={
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": words.open_id},
                    "path": {"type": "string", "description": words.open_path},
                    "part": {"type": "integer", "minimum": 1, "description": words.open_part},
                },
                "required": ["id"],
            },
        ),
    ]
