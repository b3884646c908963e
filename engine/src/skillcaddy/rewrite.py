"""Step 1: the query, or queries, to search for."""

from __future__ import annotations

from skillcaddy.deadline import Deadline
from skillcaddy.models import ChatModel
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.trace import Recorder


def rewrite(
    query: str, request: Request, settings: Settings, model: ChatModel | None, deadline: Deadline, recorder: Recorder
) -> list[str]:
    """The queries to search for, the most important first; the user's own words are always among them."""
    if settings.rewrite == "off":
        recorder.event("rewrite", Reason.REWRITE_OFF)
    elif model is None:
        recorder.event("rewrite", Reason.NO_MODEL)
    return [query]
