"""skillcaddy for WorkBuddy, its core CodeBuddy, and Claude Code: one plugin with a hook and an MCP server."""

from __future__ import annotations
