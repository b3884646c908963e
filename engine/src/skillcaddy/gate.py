"""Step 7: a model's judgement of the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillcaddy.deadline import Deadline
from skillcaddy.guarded_model import BudgetSpentError, GuardedModel, ModelError
from skillcaddy.models import Message
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Trust
from skillcaddy.trace import Recorder

_MAX_TOKENS = 2048
"""A ceiling that leaves room for a model's thoughts; the answer itself is a line."""
_LEAST_S_FOR_A_RETRY = 0.5
_KEPT_FOR_THE_REST = 0.03


class Choice(NamedTuple):
    """What a model's answer amounts to, once it is held against what it was asked."""

    ids: tuple[str, ...]
    """Ids of skills, the best first, each once, no more than were asked for."""
    unknown: int
    """Entries that are no id of a candidate: names, invented ids, ids from inside a skill's text."""
    repeated: int
    beyond: int
    """Good ids after the last one that was asked for."""

    def usable(self) -> bool:
        """False where the answer names things, and none of them is a candidate: that is no judgement."""
        return bool(self.ids) or not self.unknown


def gate_wanted(settings: Settings, request: Request, unvetted: bool) -> bool:
    """Whether the gate should run: by word, else in auto delivery, else where an unvetted source is on."""
    if settings.gate != "auto":
        return settings.gate == "on"
    return request.surface == "auto" or unvetted


def gate(
    queries: Sequence[str],
    hits: Sequence[Hit],
    held: Sequence[Hit],
    *,
    request: Request,
    settings: Settings,
    model: GuardedModel,
    most: int,
    deadline: Deadline,
    recorder: Recorder,
) -> list[Hit]:
    """The hits worth handing over, in the model's order, at most `most`; none is an honest answer.

    `queries` has the user's own words last, `held` are ranked skills that the conversation has already. Where the model
    gives no usable answer, what is local stays (all hits have passed the relevance floor) and the rest is dropped: a
    gate that is down must not open the way for what nobody vetted. Every hit's fate is in the trace.
    """
    if not hits:
        recorder.event("gate", Reason.GATE_OFF, detail="there is nothing to judge")
        return []
    from skillcaddy.gate_prompt import gate_messages, ids_for  # late: most retrievals have no model

    try:
        ids = ids_for(queries[-1], hits)
        messages = gate_messages(queries, hits, ids, held, request, settings.language, most)
        choice = _judged(messages, ids, request, settings, model, most, deadline, recorder)
    except BudgetSpentError as error:
        return _fallback(hits, held, recorder, Reason.MODEL_BUDGET_SPENT, str(error))
    except ModelError as error:
        return _fallback(hits, held, recorder, Reason.GATE_FAILED, str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours must not let everything through
        return _fallback(hits, held, recorder, Reason.GATE_FAILED, type(error).__name__)
    by_id = {hit.skill.id: hit for hit in hits}
    for skill_id in by_id:
        if skill_id not in choice.ids:
            recorder.outcome(skill_id, Reason.GATE_REJECTED)
    recorder.event("gate", Reason.GATE_RAN, detail=_summary(choice, len(hits)))
    if request.tools is None:
        recorder.event("gate", Reason.TOOLS_UNKNOWN)
    return [by_id[skill_id] for skill_id in choice.ids]


def validated(answer: Mapping[str, Any], ids: Mapping[str, str], most: int) -> Choice:
    """A model's answer held against the ids it was given, which map to the ids of skills."""
    chosen: list[str] = []
    unknown = repeated = beyond = 0
    for entry in answer["ids"]:
        known = ids.get(entry.strip().strip("`'\"[]<>").lower()) if isinstance(entry, str) else None
        if known is None:
            unknown += 1
        elif known in chosen:
            repeated += 1
        elif len(chosen) >= most:
            beyond += 1
        else:
            chosen.append(known)
    return Choice(tuple(chosen), unknown, repeated, beyond)


def _fallback(hits: Sequence[Hit], held: Sequence[Hit], recorder: Recorder, reason: Reason, detail: str) -> list[Hit]:
    """The local ones of these hits, with the reason why no model judged them; the others are noted as untrusted.

    What is held comes with them in its place, as without a gate: else each turn would bring the next weaker skills.
    """
    recorder.event("gate", reason, detail=detail)
    for hit in hits:
        if hit.skill.trust is not Trust.LOCAL:
            recorder.outcome(hit.skill.id, Reason.UNTRUSTED)
    local = [hit for hit in hits if hit.skill.trust is Trust.LOCAL]
    return sorted([*local, *held], key=lambda hit: hit.rank)


def _judged(
    messages: Sequence[Message],
    ids: Mapping[str, str],
    request: Request,
    settings: Settings,
    model: GuardedModel,
    most: int,
    deadline: Deadline,
    recorder: Recorder,
) -> Choice:
    """The model's choice; it is asked once more, and no more, where its answer was of no use and there is time."""
    from skillcaddy.gate_prompt import answer_schema
    from skillcaddy.guidance.judging import judging
    from skillcaddy.replies import reply_object

    by = deadline.share(1 - _KEPT_FOR_THE_REST)
    problem = ""
    for attempt in (1, 2):
        reply = model.ask(
            "gate",
            messages,
            max_tokens=_MAX_TOKENS,
            deadline=by,
            session=request.session,
            recorder=recorder,
            schema=answer_schema(ids, most),
        )
        answer = reply_object(reply, _is_answer)
        choice = None if answer is None else validated(answer, {short: full for full, short in ids.items()}, most)
        if choice is not None and choice.usable():
            return choice
        problem = "the reply holds no answer" if choice is None else "the reply names none of the candidates' ids"
        if attempt == 2 or by.left() < _LEAST_S_FOR_A_RETRY:
            break
        messages = [*messages, Message(role="user", content=judging(settings.language).gate_again)]
    raise ModelError(problem)


def _is_answer(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("ids"), list)


def _summary(choice: Choice, judged: int) -> str:
    parts = [f"{len(choice.ids)} of {judged} chosen"]
    if choice.unknown:
        parts.append(f"{choice.unknown} unknown ids refused")
    if choice.repeated:
        parts.append(f"{choice.repeated} repeated")
    if choice.beyond:
        parts.append(f"{choice.beyond} beyond the limit")
    return ", ".join(parts)
