"""Skills that are mistaken for others: what their own description and their own triggers really find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from skillcaddy.library.analyze import query_terms
from skillcaddy.library.documents import skill_of
from skillcaddy.library.index import Match
from skillcaddy.library.view import View, matches_of
from skillcaddy.lint.finding import Finding
from skillcaddy.lint.reading import Facts
from skillcaddy.relevance import judge
from skillcaddy.skill import Hit
from skillcaddy.source import TermStatistics

_DEPTH = 10
_NAMED = 3
_LONGEST_QUERY = 1500


def of_search(
    skills: Sequence[Facts],
    view: View,
    hidden: Mapping[str, Facts],
    first_of: Mapping[str, str],
    *,
    top_k: int,
    unasked: bool,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Finding]:
    """A finding for each description and each stated trigger that does not find its own skill first.

    Copies of a skill (`first_of`) do not count as others, and `hidden` ones are neither asked for nor in the way.
    `unasked` says that triggers come as a user's turns, which have to pass a higher floor than searches.
    """
    from concurrent.futures import ThreadPoolExecutor

    statistics = Remembered(view)

    def of_one(skill: Facts) -> list[Finding]:
        if skill.path in hidden:
            return []
        search = _Search(skill, view, statistics, hidden, first_of, unasked)
        found = _of_description(skill, search) if skill.has_description else []
        for trigger in skill.triggers:
            found += _of_trigger(skill, trigger, search, top_k)
        return found

    findings: list[Finding] = []
    # The index searches without holding the interpreter, so threads do help.
    with ThreadPoolExecutor(workers, thread_name_prefix="skillcaddy-lint") as pool:
        for position, found in enumerate(pool.map(of_one, skills)):
            findings += found
            if progress is not None and (position % 64 == 63 or position + 1 == len(skills)):
                progress(position + 1, len(skills))
    return findings


class Remembered:
    """A library's statistics, each term looked up once: thousands of queries share their terms."""

    def __init__(self, statistics: TermStatistics) -> None:
        self._statistics = statistics
        self._frequencies: dict[str, int] = {}
        self.document_count = statistics.document_count

    def document_frequency(self, term: str) -> int:
        """Number of skills that hold an analysed term."""
        known = self._frequencies.get(term)
        if known is None:
            known = self._frequencies[term] = self._statistics.document_frequency(term)
        return known


class _Search:
    """Searches on behalf of one skill."""

    def __init__(
        self,
        skill: Facts,
        view: View,
        statistics: TermStatistics,
        hidden: Mapping[str, Facts],
        first_of: Mapping[str, str],
        unasked: bool,
    ) -> None:
        self._view = view
        self._statistics = statistics
        self._hidden = hidden
        self._first_of = first_of
        self._unasked = unasked
        self._me = first_of.get(skill.path, skill.path)

    def before(self, query: str) -> tuple[list[Match], Match | None]:
        """The matches that stand before the skill or its copies, and the skill's own; None when it is not among ten."""
        terms = query_terms(query[:_LONGEST_QUERY], self._statistics.document_frequency)
        # Most skills come first, and a short list is found much sooner than a longer one.
        others, mine = self._stand(matches_of(self._view, terms, 1))
        return (others, mine) if mine is not None else self._stand(matches_of(self._view, terms, _DEPTH))

    def _stand(self, matches: Sequence[Match]) -> tuple[list[Match], Match | None]:
        others: list[Match] = []
        for match in matches:
            if match.key in self._hidden:
                continue
            if self._first_of.get(match.key, match.key) == self._me:
                return others, match
            others.append(match)
        return others, None

    def passes_floor(self, query: str, match: Match) -> bool:
        """Whether the relevance floor lets it through."""
        hit = Hit(skill=skill_of(match.record, match.key), rank=1, score=match.score)
        hit = replace(hit, skill=replace(hit.skill, body=hit.skill.excerpt))
        return all(verdict.kept for verdict in judge(query, [hit], self._statistics, unasked=self._unasked))


def _of_description(skill: Facts, search: _Search) -> list[Finding]:
    others, mine = search.before(skill.description)
    if mine is not None and not others:
        return []
    who, ids = _names(others)
    rank = f"comes {_ordinal(len(others) + 1)}" if mine is not None else f"is not among the first {_DEPTH}"
    return [
        Finding(
            rule="confusable",
            path=skill.path,
            id=skill.id,
            message=f"Searched for by its own description it {rank}{f', after {who}' if who else ''}.",
            fix="Say in the description what only this skill does, in words that the others do not have.",
            others=ids,
        )
    ]


def _of_trigger(skill: Facts, trigger: str, search: _Search, top_k: int) -> list[Finding]:
    others, mine = search.before(trigger)
    said = f"Its own trigger {_cut(trigger)!r}"
    who, ids = _names(others)
    if mine is None or len(others) >= top_k:
        where = f"finds it {_ordinal(len(others) + 1)}" if mine is not None else "does not find it"
        instead = f", but {who}" if who else ", nor anything else"
        fix = "Give the trigger words that only this task has, and use the same words in the text."
        return [_finding("trigger-lost", skill, f"{said} {where}{instead}.", fix, ids)]
    if not search.passes_floor(trigger, mine):
        fix = "Put words of the task into the trigger, and into the name or the description."
        message = f"{said} finds it, but shares too little with it to pass the floor."
        return [_finding("trigger-weak", skill, message, fix, ids)]
    if others:
        fix = "Make the trigger more specific, or leave it to the other skill."
        return [_finding("trigger-second", skill, f"{said} finds {who} before it.", fix, ids)]
    return []


def _finding(rule: str, skill: Facts, message: str, fix: str, others: tuple[str, ...]) -> Finding:
    return Finding(rule=rule, path=skill.path, id=skill.id, message=message, fix=fix, others=others)


def _names(matches: Sequence[Match]) -> tuple[str, tuple[str, ...]]:
    ids = tuple(skill_of(match.record, match.key).id for match in matches[:_NAMED])
    more = f" and {len(matches) - _NAMED} more" if len(matches) > _NAMED else ""
    return ", ".join(ids) + more, ids


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _cut(text: str, size: int = 70) -> str:
    return text if len(text) <= size else text[: size - 3] + "..."
