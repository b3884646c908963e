"""skillcaddy: hands an AI agent the one skill it needs. Importing it does nothing."""

from __future__ import annotations

__version__ = "0.1.0"
