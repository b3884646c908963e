"""The skills that answers have named: a later call may speak of one that no source opens by its id or name."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from skillcaddy.skill import Skill

_MOST = 512


class Seen:
    """The newest of them, without their bodies; for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._skills: OrderedDict[str, Skill] = OrderedDict()

    def add(self, skills: Sequence[Skill]) -> None:
        """Remember these as the newest."""
        with self._lock:
            for skill in skills:
                self._skills[skill.id] = replace(skill, body="")
                self._skills.move_to_end(skill.id)
            while len(self._skills) > _MOST:
                self._skills.popitem(last=False)

    def by_id(self) -> dict[str, Skill]:
        """All of them, as of now."""
        with self._lock:
            return dict(self._skills)

    def named(self, reference: str) -> list[Skill]:
        """The one of that id, else those of that id or name in any case."""
        seen = self.by_id()
        if reference in seen:
            return [seen[reference]]
        wanted = reference.casefold()
        return [skill for skill in seen.values() if wanted in (skill.id.casefold(), skill.name.casefold())]
