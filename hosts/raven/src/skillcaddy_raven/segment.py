"""Auto mode's part of the context, in the shape that the host's own segments have."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillcaddy_raven.deployment import Deployment

_HISTORY_MESSAGES = 4
_HISTORY_CHARS = 2_000


class SkillSegment:
    """Skills for each user turn. The host sorts its segments by these attributes before it builds any."""

    name = "skillcaddy"
    order = 5
    """Beside the host's own skills."""
    needs_prefix = False

    def __init__(self, here: Deployment) -> None:
        self._here = here

    async def build(self, ctx: Any) -> Any:
        """The host's Segment with the text for this turn, None where nothing fits. Never raises."""
        try:
            message = getattr(ctx, "current_message", "")
            if not isinstance(message, str) or not message.strip():
                return None
            text = await self._here.retrieve(message, _history(ctx), str(getattr(ctx, "session_key", "") or ""))
            return _segment(text) if text else None
        except Exception as error:  # noqa: BLE001 - the turn goes on without skills
            self._here.log.warning("skillcaddy: nothing was added to this turn (%s: %s).", type(error).__name__, error)
            return None


def _segment(text: str) -> Any:
    return import_module("raven.context_engine.base").Segment(text=text)


def _history(ctx: Any) -> tuple[str, ...]:
    """The user's last few messages before this one, oldest first."""
    messages = getattr(ctx, "session_messages", None)
    if not isinstance(messages, list):
        return ()
    texts = [
        message.get("content") for message in messages if isinstance(message, dict) and message.get("role") == "user"
    ]
    return tuple(text[:_HISTORY_CHARS] for text in texts[-_HISTORY_MESSAGES:] if isinstance(text, str))
