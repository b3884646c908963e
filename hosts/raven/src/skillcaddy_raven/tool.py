"""One of the two tools as a real subclass of the host's Tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skillcaddy_raven.surroundings import tool_class

if TYPE_CHECKING:
    from skillcaddy.guidance import Tool
    from skillcaddy_raven.deployment import Deployment

_HOST_MARGIN_S = 10.0
"""The host's own limit for the tool comes after ours, or it would turn a late answer into an error."""


def tool_of(here: Deployment, schema: Tool, description: str) -> Any:
    """The tool for the host's registry. LookupError where the host's Tool class is nowhere to be found.

    Casting and checking of arguments stay the host's: which of them a tool does itself differs between its versions.
    """
    base: Any = tool_class()

    class SkillTool(base):  # type: ignore[misc]  # the base is known at run time only
        timeout_seconds = here.settings.deadline_tool_s + _HOST_MARGIN_S

        @property
        def name(self) -> str:
            return schema.name

        @property
        def description(self) -> str:
            return description

        @property
        def parameters(self) -> dict[str, Any]:
            return schema.parameters

        def display_call(self, args: Mapping[str, Any]) -> str:
            """The line that newer hosts show for a call."""
            subject = args.get("query") or args.get("id") if isinstance(args, Mapping) else ""
            return f"{schema.name}: {subject or ''}"[:200]

        async def execute(self, **arguments: Any) -> str:
            return await here.answer(schema.name, arguments)

    return SkillTool()
