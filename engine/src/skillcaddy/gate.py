"""Step 7: a model's judgement of the candidates."""

from __future__ import annotations

from collections.abc import Sequence

from skillcaddy.deadline import Deadline
from skillcaddy.models import ChatModel
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit
from skillcaddy.trace import Recorder


def gate_wanted(settings: Settings, request: Request, unvetted: bool) -> bool:
    """Whether the gate should run: by word, else in auto delivery, else where an unvetted source is on."""
    if settings.gate != "auto":
        return settings.gate == "on"
    return request.surface == "auto" or unvetted


def gate(
    query: str,
    hits: Sequence[Hit],
    request: Request,
    settings: Settings,
    model: ChatModel | None,
    deadline: Deadline,
    recorder: Recorder,
) -> list[Hit]:
    """The hits worth handing over, in the model's order; the given hits where no model is at hand."""
    if model is None:
        recorder.event("gate", Reason.NO_MODEL)
    return list(hits)
