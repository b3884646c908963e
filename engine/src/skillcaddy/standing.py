"""Where one named skill stands for a query, and why: what it shares, how far down it ranks, what hides it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillcaddy.alike import alike
from skillcaddy.deadline import Deadline
from skillcaddy.reasons import SENTENCES, Reason

if TYPE_CHECKING:
    from skillcaddy.engine import Engine
    from skillcaddy.explain import Explanation
    from skillcaddy.request import Request


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillStanding:
    """Where one skill stands for a query, and why."""

    reference: str
    id: str = ""
    """"" when no skill of that name is known."""
    path: str = ""
    rank: int | None = None
    """Its rank in the local library's own ranking, as far down as was looked."""
    shared: tuple[str, ...] = ()
    """The query's words that stand in it."""
    lacking: tuple[str, ...] = ()
    """The query's words that do not."""
    reason: Reason | None = None
    sentence: str = ""
    detail: str = ""
    near: tuple[str, ...] = ()
    """Ids that look like the reference, when it is not known; other skills of that name, when it is."""


DEPTH = 1000
"""How far down a ranking a skill is looked for."""


def standing(engine: Engine, request: Request, explained: Explanation, reference: str) -> SkillStanding:
    """Why the skill of that id, folder or name is or is not among what the request gets."""
    deadline = Deadline.after(engine.settings.deadline_tool_s)
    found = engine.open(reference, deadline)
    if not found:
        return _unknown(engine, explained, reference, deadline)
    from skillcaddy.library.documents import document_text

    known = {candidate.id for candidate in explained.candidates}
    skill = next((one for one in found if one.id in known), found[0])

    held = set(document_text(skill).split(" "))
    rank, shadow = _rank(engine, str(request.query or ""), skill.id, skill.path, deadline)
    candidate = next((c for c in explained.candidates if c.id == skill.id), None)
    reason = candidate.reason if candidate is not None else None
    detail = candidate.detail if candidate is not None else ""
    if candidate is None and shadow:
        reason, detail = Reason.SKILL_SHADOWED, shadow
    elif candidate is None:
        far = rank is not None or any(word.term in held and word.searched for word in explained.words)
        reason = Reason.BEYOND_TOP_K if far else Reason.BELOW_FLOOR
        detail = "it ranks too far down to be a candidate" if far else "it shares no searched word"
    return SkillStanding(
        reference=reference,
        id=skill.id,
        path=skill.path,
        rank=rank,
        shared=tuple(word.word for word in explained.words if word.term in held),
        lacking=tuple(word.word for word in explained.words if word.term not in held),
        reason=reason,
        sentence=SENTENCES[reason] if reason is not None else "",
        detail=detail,
        near=tuple(one.id for one in found if one.id != skill.id),
    )


def _rank(engine: Engine, query: str, skill_id: str, path: str, deadline: Deadline) -> tuple[int | None, str]:
    """The skill's rank in the local library, and the path of what hides it."""
    local = engine.local
    if local is None or not query.strip():
        return None, ""
    hits = local.search(query, DEPTH, deadline)
    hiding = next((n.detail for n in local.notices() if n.reason is Reason.SKILL_SHADOWED and n.subject == path), "")
    return next((hit.rank for hit in hits if hit.skill.id == skill_id and hit.skill.path == path), None), hiding


def _unknown(engine: Engine, explained: Explanation, reference: str, deadline: Deadline) -> SkillStanding:
    wanted = reference.removeprefix("local:").strip("/").casefold()
    for said in explained.not_searched:
        if said.reason is Reason.SKILL_UNREADABLE and wanted in said.what.casefold():
            return SkillStanding(
                reference=reference, path=said.what, reason=said.reason, sentence=said.sentence, detail=said.detail
            )
    local = engine.local
    hits = local.search(" ".join(re.split(r"[\W_]+", wanted)), 50, deadline) if local is not None else []
    near = alike(reference, [hit.skill for hit in hits])
    return SkillStanding(
        reference=reference,
        detail="no skill of that id, folder or name is in the library",
        near=tuple(skill.id for skill in near),
    )
