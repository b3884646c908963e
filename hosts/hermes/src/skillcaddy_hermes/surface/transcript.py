"""What a conversation of the host still holds of earlier deliveries, and which turns are nobody's question."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

_GIVEN = re.compile(r'<skill-text of="([^"\n]{1,300})">')
_NOT_A_PERSON = frozenset({"subagent", "cron", "curator"})
_OWN_THREADS = ("bg-review", "curator")
_REVIEW = "Review the conversation above"
"""How the host's background review opens, should its thread have another name one day."""
_MOST_EARLIER = 4


def held_in(history: object) -> frozenset[str]:
    """The ids of the skills whose text stands in this conversation: in what was sent for a user's row, or in a
    tool's result. After a compaction they are gone from both, and the skill may be given again."""
    held: set[str] = set()
    for row in _rows(history):
        if row.get("role") == "user":
            text = row.get("api_content")
        elif row.get("role") == "tool":
            text = row.get("content")
        else:
            continue
        held.update(_GIVEN.findall(_text(text)))
    return frozenset(held)


def earlier_messages(history: object, current: str) -> tuple[str, ...]:
    """The last few user messages before this one, oldest first, without what was added to them."""
    texts = [_text(row.get("content")) for row in _rows(history) if row.get("role") == "user"]
    if texts and texts[-1] == current:
        texts.pop()
    return tuple(text for text in texts[-_MOST_EARLIER:] if text)


def question(message: object) -> str:
    """What the user asks: the message, or their part of an expanded /skill; "" for pictures and the like."""
    if not isinstance(message, str):
        return ""
    try:
        asked = import_module("agent.skill_commands").extract_user_instruction_from_skill_message(message)
    except Exception:  # noqa: BLE001 - a host without such commands expands nothing
        asked = message
    return asked if isinstance(asked, str) else ""


def is_nobodys(platform: object, message: object) -> bool:
    """True for turns that no user asked: of sub-agents, cron jobs, the curator, and the background review, which
    comes under the session's own id."""
    thread = threading.current_thread().name
    return (
        (isinstance(platform, str) and platform.strip().lower() in _NOT_A_PERSON)
        or thread.startswith(_OWN_THREADS)
        or (isinstance(message, str) and message.startswith(_REVIEW))
    )


def _rows(history: object) -> Iterator[Mapping[str, Any]]:
    return (row for row in history if isinstance(row, Mapping)) if isinstance(history, list | tuple) else iter(())


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    return ""
