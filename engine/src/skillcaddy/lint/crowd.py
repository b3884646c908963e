"""What is wrong between skills: names that hide each other, and bodies that are copies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from skillcaddy.library.documents import name_key
from skillcaddy.lint.finding import Finding
from skillcaddy.lint.near import groups
from skillcaddy.lint.reading import Facts

LEAST_ALIKE = 0.8
"""Estimated share of common four-word shingles from which two bodies are near copies."""
_NAMED = 5


def shadowed(skills: Sequence[Facts]) -> dict[str, Facts]:
    """The paths of skills that nobody finds, each with the skill of an earlier root that hides it."""
    hidden: dict[str, Facts] = {}
    first: dict[str, Facts] = {}
    folders: dict[str, Facts] = {}
    for skill in sorted(skills, key=lambda each: each.root):
        by_name = first.setdefault(name_key(skill.name), skill)
        by_folder = folders.setdefault(skill.folder, skill) if skill.folder else skill
        for other in (by_name, by_folder):
            if other.root < skill.root:
                hidden.setdefault(skill.path, other)
    return hidden


def of_shadows(hidden: dict[str, Facts], skills: Sequence[Facts]) -> list[Finding]:
    """A finding for each skill that another hides."""
    return [
        Finding(
            rule="shadowed",
            path=skill.path,
            id=skill.id,
            message=f"{hidden[skill.path].path} hides it: it has the same name, and its folder comes first.",
            fix="Rename one of them, remove one, or change the order of skills_dirs, if this is not what you want.",
            others=(hidden[skill.path].id,),
        )
        for skill in skills
        if skill.path in hidden
    ]


def of_names(skills: Sequence[Facts]) -> list[Finding]:
    """A finding for each skill whose name an earlier one of the same root has."""
    named: defaultdict[tuple[int, str], list[Facts]] = defaultdict(list)
    for skill in skills:
        named[skill.root, name_key(skill.name)].append(skill)
    return [
        Finding(
            rule="name-twice",
            path=skill.path,
            id=skill.id,
            message=f"{_count(len(group) - 1, 'other skill is', 'other skills are')} called {skill.name!r} too, "
            f"first {group[0].path}; hosts that go by names keep one of them.",
            fix="Give each a name that says how it differs.",
            others=tuple(other.id for other in group[:_NAMED] if other is not skill),
        )
        for group in named.values()
        for skill in group[1:]
    ]


def of_copies(
    skills: Sequence[Facts], progress: Callable[[int, int], None] | None = None
) -> tuple[list[Finding], dict[str, str]]:
    """A finding for each copy and near copy, and for each member of such a group the path of its first."""
    first_of: dict[str, str] = {}
    found: list[Finding] = []
    exact: defaultdict[str, list[Facts]] = defaultdict(list)
    for skill in skills:
        if skill.digest:
            exact[skill.digest].append(skill)
    for members in exact.values():
        for skill in members[1:]:
            found.append(_copy("copy", skill, members[0], "word for word", members))
            first_of[skill.path] = first_of.setdefault(members[0].path, members[0].path)
    alone = [members[0] for members in exact.values()]
    for group in groups([skill.sketch for skill in alone], LEAST_ALIKE, progress):
        first = alone[group[0][0]]
        members = [alone[position] for position, _ in group]
        for position, likeness in group[1:]:
            skill = alone[position]
            found.append(_copy("near-copy", skill, first, f"to about {likeness:.0%}", members))
            for copy in exact[skill.digest]:
                first_of[copy.path] = first.path
        first_of.setdefault(first.path, first.path)
    return found, first_of


def _copy(rule: str, skill: Facts, first: Facts, how: str, members: Sequence[Facts]) -> Finding:
    more = f", as {_count(len(members) - 2, 'other is', 'others are')}" if len(members) > 2 else ""
    return Finding(
        rule=rule,
        path=skill.path,
        id=skill.id,
        message=f"Its text is that of {first.id} {how}{more}; an agent that finds one finds both.",
        fix="Keep one of them, or say in each description what only it is for.",
        others=tuple(member.id for member in members[:_NAMED] if member is not skill),
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
