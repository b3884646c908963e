"""Every text that a model reads, once, in English and Chinese. Hosts hand these on unchanged."""

from __future__ import annotations

from skillcaddy.guidance.schemas import OPEN_TOOL, SEARCH_TOOL, Tool, tool_schemas
from skillcaddy.guidance.shells import as_json
from skillcaddy.guidance.words import LANGUAGES, Texts, texts

__all__ = ["LANGUAGES", "OPEN_TOOL", "SEARCH_TOOL", "Texts", "Tool", "as_json", "texts", "tool_schemas"]
