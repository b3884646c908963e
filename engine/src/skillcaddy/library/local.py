"""The local library as a source: skills in folders of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillcaddy.deadline import Deadline
from skillcaddy.frozen import replace
from skillcaddy.library.analyze import query_terms
from skillcaddy.library.documents import name_key, skill_of
from skillcaddy.library.index import IndexDamagedError, Match
from skillcaddy.library.overlay import K1, B
from skillcaddy.library.read import read_body, read_skill
from skillcaddy.library.rerank import best_first
from skillcaddy.library.store import Store
from skillcaddy.library.view import Indexing, View, Viewer, matches_of
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill, Trust
from skillcaddy.source import Notice

if TYPE_CHECKING:
    from skillcaddy.library.indexer import Problem

_POOL = 25
"""What is reranked at least: with more, rankings get no better."""
_HIDDEN = 20
"""As many more where there are several roots, since skills of earlier ones hide others."""
_EVENED = 0.5
"""How much of what BM25 takes from a document longer than the mean is given back, and taken from a shorter one."""


class LocalSource:
    """Searches the SKILL.md files below an ordered set of roots; the first root shadows later ones by name."""

    name = "local"
    trust = Trust.LOCAL
    proportional = True

    def __init__(
        self,
        roots: Sequence[str],
        state: Path,
        *,
        weight: float = 1.0,
        indexing: Indexing = "detached",
    ) -> None:
        self.weight = weight
        self._store = Store(state, roots)
        self._viewer = Viewer(self._store, indexing)
        self._lock = threading.Lock()
        self._last: View | None = None
        self._notices: tuple[Notice, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The resolved roots, in their order of precedence."""
        return self._store.roots

    def statistics(self) -> View | None:
        """How common words are in the library, as of the last search; None before one."""
        return self._last

    def notices(self) -> tuple[Notice, ...]:
        """What the last search noticed about the library and its index."""
        return self._notices

    def problems(self) -> tuple[Problem, ...]:
        """What indexing noticed about files of the library: unreadable, mended, shadowed."""
        from skillcaddy.library.indexer import noticed  # late: only explanations ask

        return noticed(self._store)

    def search(self, query: str, limit: int, deadline: Deadline) -> list[Hit]:
        """At most `limit` hits, best first, without bodies; reranked; scores are BM25 over one weighted field."""
        view = self.view(deadline)
        try:
            hits, shadowed = self._hits(view, query, limit)
        except IndexDamagedError as error:
            with self._lock:
                self._viewer.damaged(error)
            view = self.view(deadline)
            hits, shadowed = self._hits(view, query, limit)
        missing = [
            Notice(reason=Reason.ROOT_MISSING, subject=root) for root in self._store.roots if not os.path.isdir(root)
        ]
        self._notices = (*self._viewer.notices, *missing, *shadowed)
        return hits

    def view(self, deadline: Deadline) -> View:
        """The library as a query made now sees it."""
        with self._lock:
            self._last = self._viewer.view(deadline)
            return self._last

    def _hits(self, view: View, query: str, limit: int) -> tuple[list[Hit], list[Notice]]:
        found: list[tuple[Skill, float]] = []
        shadowed: list[Notice] = []
        mean = view.manifest.mean_length or 1.0
        wanted = max(limit, _POOL) + (_HIDDEN if len(self.roots) > 1 else 0)
        for match in matches_of(view, query_terms(query, view.frequency_of), wanted):
            skill = skill_of(match.record, match.key)
            hiding = self._hiding(view, match, skill) if match.root else ""
            if hiding:
                shadowed.append(Notice(reason=Reason.SKILL_SHADOWED, subject=skill.path, detail=hiding))
            else:
                found.append((skill, match.score * _evened(skill, mean)))
        best = [found[at] for at in best_first(query, found, view)[:limit]]
        hits = [
            Hit(skill=skill, rank=rank, score=score, sources=(self.name,))
            for rank, (skill, score) in enumerate(best, 1)
        ]
        return hits, shadowed

    def _hiding(self, view: View, match: Match, skill: Skill) -> str:
        """The path of the skill in an earlier root that hides this one, or ""."""
        name = name_key(skill.name)
        for other in [*view.index.named(name), *view.overlay.named(name)]:
            if other.root < match.root and other.key not in view.stale:
                return other.key
        # The same folder below two roots would give two skills one id.
        for root in self._store.roots[: match.root]:
            path = os.path.join(root, skill.folder, "SKILL.md") if skill.folder else ""
            if path and os.path.isfile(path):
                return path
        return ""

    def find(self, reference: str, deadline: Deadline) -> list[Skill]:
        """The skills that an id, a folder or a name refers to, with their bodies; more than one only for a name."""
        view = self.view(deadline)
        folder = reference.removeprefix("local:")
        for located in view.manifest.files():
            if located.file.folder == folder or (
                not located.file.folder and folder == os.path.basename(self._store.roots[located.root])
            ):
                file = read_skill(located.file.path, self._store.roots[located.root])
                return [file.skill] if file.skill is not None else []
        matches = [*view.index.named(name_key(reference)), *view.overlay.named(name_key(reference))]
        alive = [match for match in matches if match.root == min(other.root for other in matches)]
        skills = [self._read(match.key, match.root) for match in sorted(alive, key=lambda match: match.key)]
        return [skill for skill in skills if skill is not None]

    def directory(self, name: str) -> str:
        """The folder of the skill of that name, as of the last search; "" where there is none."""
        view = self._last
        if view is None:
            return ""
        matches = [*view.overlay.named(name_key(name)), *view.index.named(name_key(name))]
        alive = sorted((match.root, match.key) for match in matches)
        return os.path.dirname(alive[0][1]) if alive else ""

    def body(self, skill: Skill, deadline: Deadline) -> str:
        """The body as the file holds it now; "" when the file is gone."""
        ours = any(skill.path.startswith(root + os.sep) for root in self._store.roots)
        return read_body(skill.path) if ours else ""

    def _read(self, path: str, root: int) -> Skill | None:
        file = read_skill(path, self._store.roots[root])
        return replace(file.skill, source=self.name) if file.skill is not None else None


def _evened(skill: Skill, mean: float) -> float:
    """What tantivy's fixed b = 0.75 takes from a long document, mostly given back: measured, 0.01 nDCG@10 better."""
    length = skill.terms.length if skill.terms is not None else 0
    return float(((1 + K1 * (1 - B + B * length / mean)) / (1 + K1)) ** _EVENED) if length else 1.0
