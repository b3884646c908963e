"""Hits made into the one text that a model or a person reads, under a character budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from skillcaddy.frozen import dataclass, field
from skillcaddy.guidance import texts
from skillcaddy.page import Page
from skillcaddy.reasons import Reason
from skillcaddy.request import Request, Surface
from skillcaddy.settings import Language, Settings
from skillcaddy.skill import Hit, Skill


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How many skills a request wants with their bodies, and how many more by description."""

    bodies: int
    names: int


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The text and what became of each hit; `truncated` holds ids of delivered skills whose body was cut."""

    text: str = ""
    delivered: tuple[Hit, ...] = ()
    catalogued: tuple[Hit, ...] = ()
    outcomes: Mapping[str, Reason] = field(default_factory=dict)
    truncated: tuple[str, ...] = ()


def shares(settings: Settings, request: Request, surface: Surface | None = None) -> Shares:
    """What the request asks for; the pipeline takes at least this many hits to `render`, and some to spare.

    Unasked, a turn gets `top_k` bodies and no list. A tool or a person gets the best body and a list (`best`), a list
    (`catalog`) or several bodies (`bodies`); there `top_k` counts all the skills of the answer.
    """
    surface = surface or request.surface
    asked = max(1, request.top_k) if request.top_k is not None else None
    if request.delivery == "catalog":
        return Shares(bodies=0, names=asked or settings.catalog_size or settings.top_k)
    if surface == "auto" or request.delivery == "bodies":
        return Shares(bodies=asked or settings.top_k, names=0)
    return Shares(bodies=1, names=settings.catalog_size if asked is None else asked - 1)


def render(
    hits: Sequence[Hit],
    *,
    settings: Settings,
    request: Request,
    held: Collection[str] = frozenset(),
    language: Language | None = None,
    surface: Surface | None = None,
    note: Callable[[Hit], str] | None = None,
) -> Rendered:
    """At most `settings.max_chars` characters for these hits, best first, and the same text for the same input.

    `held` are the ids of skills whose body the model still sees: they are never given again, and in a tool's answer
    they are listed as such. `note` may add one line of a host's own to a skill. Nothing to show is "" for a turn and
    for a person, and the miss sentence for a tool.
    """
    surface = surface or request.surface
    words = texts(language or settings.language)
    page = Page(words, settings, surface, note)
    outcomes = {hit.skill.id: Reason.BEYOND_TOP_K for hit in hits}
    shown = [hit for hit in hits if surface == "cli" or not _always(hit.skill)]
    outcomes |= {hit.skill.id: Reason.HIDDEN_BY_HOST for hit in hits if hit not in shown}
    to_deliver, to_list = _chosen(shown, shares(settings, request, surface), held, surface, outcomes)

    delivered: list[Hit] = []
    truncated: list[str] = []
    for position, hit in enumerate(to_deliver):
        # A body that turns out to have no room is at least named, where there is a list.
        names = to_list if surface == "auto" else [*to_deliver[position + 1 :], *to_list]
        cut = page.add_body(hit, page.reserve(names, held))
        if cut is None:
            outcomes[hit.skill.id] = Reason.OVER_BUDGET
            continue
        outcomes[hit.skill.id] = Reason.DELIVERED
        delivered.append(hit)
        if cut:
            truncated.append(hit.skill.id)
    if surface != "auto":
        to_list = [hit for hit in to_deliver if hit not in delivered] + to_list
    catalogued = page.add_list(to_list, held)
    for hit in to_list:
        if hit not in catalogued:
            outcomes[hit.skill.id] = Reason.OVER_BUDGET
        elif hit.skill.id in held:
            outcomes[hit.skill.id] = Reason.ALREADY_HELD
        else:
            outcomes[hit.skill.id] = Reason.CATALOGUED

    text = page.text() or (words.miss if surface == "tool" else "")
    return Rendered(
        text=text,
        delivered=tuple(delivered),
        catalogued=tuple(catalogued),
        outcomes=outcomes,
        truncated=tuple(truncated),
    )


def _always(skill: Skill) -> bool:
    """True for a skill that its host puts into every prompt by itself."""
    return str(skill.meta.get("always", "")).strip().lower() in {"true", "yes", "on", "1"}


def _chosen(
    hits: Sequence[Hit],
    wanted: Shares,
    held: Collection[str],
    surface: Surface,
    outcomes: dict[str, Reason],
) -> tuple[list[Hit], list[Hit]]:
    """The hits to deliver and the hits to list. What has no body cannot be delivered, only listed."""
    usable = [hit for hit in hits if hit.skill.id in held or hit.skill.body.strip()]
    if surface == "auto":
        # What is held fills its place: else each turn on one subject would bring the next weaker skills.
        outcomes.update({hit.skill.id: Reason.ALREADY_HELD for hit in hits if hit.skill.id in held})
        head = usable[: wanted.bodies]
        tail = [hit for hit in hits if hit not in head and hit.skill.id not in held]
        return [hit for hit in head if hit.skill.id not in held], tail[: wanted.names]
    deliver = [hit for hit in usable if hit.skill.id not in held][: wanted.bodies]
    rest = [hit for hit in hits if hit not in deliver]
    # Where nothing is to be listed and nothing can be delivered, names are better than what reads as a miss.
    names = wanted.names or (wanted.bodies if not deliver else 0)
    outcomes.update({hit.skill.id: Reason.ALREADY_HELD for hit in rest if hit.skill.id in held})
    return deliver, rest[:names]
