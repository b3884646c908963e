"""The library as one query sees it: the stored index, corrected by what changed on disk since it was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from skillcaddy.deadline import Deadline
from skillcaddy.frozen import dataclass
from skillcaddy.library.documents import Reading, read_document
from skillcaddy.library.index import Index, IndexDamagedError, Match
from skillcaddy.library.manifest import Changes, Located, Manifest, Survey
from skillcaddy.library.overlay import Overlay
from skillcaddy.library.store import Generation, Store, StoreBusyError
from skillcaddy.library.watch import Watcher
from skillcaddy.reasons import Reason
from skillcaddy.source import Notice

Indexing = Literal["inline", "command", "detached", "turn", "never"]
"""Who writes the index: this process while its caller waits, one detached process, or nobody.

`command` waits for large work only and leaves a few changed files to a detached process. `turn` is `detached` for a
process that ends after one query and so has no use for a watcher.
"""

_OVERLAY_FILES = 256
_INLINE_FILES = 32
_SWEEP_SHARE = 20
_CHEAP_SWEEP_S = 0.005
_SPAWN_PAUSE_S = 10.0
_READ_SHARE = 0.7
_BATCH = 128


@dataclass(frozen=True, kw_only=True)
class View:
    """What a query searches."""

    index: Index
    overlay: Overlay
    stale: frozenset[str]
    """Keys whose document in the index is out of date."""
    manifest: Manifest

    @property
    def document_count(self) -> int:
        """Number of skills that can be found, near enough for statistics."""
        return self.overlay.document_count

    def document_frequency(self, term: str) -> int:
        """Number of skills that hold an analysed term, near enough for statistics."""
        return self.overlay.document_frequency(term)

    @property
    def frequency_of(self) -> Callable[[str], int]:
        """The same for many terms: where nothing has changed since the index was written, straight from there."""
        return self.overlay.document_frequency if len(self.overlay) else self.index.frequencies.__getitem__


class Viewer:
    """Keeps the view of one library fresh; not safe to call from two threads at once."""

    def __init__(self, store: Store, indexing: Indexing) -> None:
        self._store = store
        self._indexing = indexing
        self._generation: Generation | None = None
        self._in_memory = False
        self._readings: dict[Located, Reading] = {}
        self._view: View | None = None
        self._next_sweep = 0.0
        self._watcher: Watcher | None = None
        self._last_spawn = -_SPAWN_PAUSE_S
        self._standing: list[Notice] = []
        self.notices: tuple[Notice, ...] = ()
        """What the last call had to report."""

    def view(self, deadline: Deadline) -> View:
        """The view to search now, made within about seven tenths of the time left.

        Never raises for the state of the disk: without a usable index the skills read in time are searched from
        memory, which `notices` says.
        """
        until = deadline.share(_READ_SHARE)
        if self._view is not None and self._known_clean() and self._settled():
            return self._view
        if self._watcher is not None:
            self._watcher.reset()
        started = time.monotonic()
        notices: list[Notice] = []
        try:
            self._view = self._fresh(until, notices)
        except IndexDamagedError as error:
            self._standing.append(Notice(reason=Reason.INDEX_REBUILT, detail=str(error)))
            self._rebuild(notices)
            self._view = self._fresh(until, notices)
        self._plan_next_sweep(time.monotonic() - started)
        self.notices = (*self._standing, *notices)
        return self._view

    @property
    def _waits(self) -> bool:
        """Whether the caller of this process waits while the index is written."""
        return self._indexing in ("inline", "command")

    def _settled(self) -> bool:
        """True when the stored index holds everything the last view knew of and nobody has replaced it since."""
        generation = self._generation
        return not self.notices and generation is not None and not self._store.changed_since(generation)

    def _known_clean(self) -> bool:
        if self._watcher is not None and self._watcher.watching():
            return not self._watcher.changed()
        return time.monotonic() < self._next_sweep

    def _plan_next_sweep(self, took_s: float) -> None:
        if self._waits or self._indexing == "turn" or took_s < _CHEAP_SWEEP_S:
            return
        # Unless it is told of changes, a long-lived process spends at most a twentieth of its time looking for them.
        self._next_sweep = time.monotonic() + took_s * _SWEEP_SHARE
        if self._watcher is None and self._indexing == "detached":
            self._watcher = Watcher(self._store.roots)

    def damaged(self, error: IndexDamagedError) -> None:
        """Told when a search of the view failed; the next view is made from a new index or from memory."""
        self._view = None
        self._standing.append(Notice(reason=Reason.INDEX_REBUILT, detail=str(error)))
        self._rebuild([])

    def _rebuild(self, notices: list[Notice]) -> None:
        self._generation = None
        if self._waits:
            with suppress(StoreBusyError, OSError, ValueError, IndexDamagedError):
                self._refresh(rebuild=True)
        if self._open_quietly() is None:
            self._to_memory()
            self._start_indexer(rebuild=True)

    def _fresh(self, until: Deadline, notices: list[Notice]) -> View:
        generation = self._newest()
        if generation is None and self._waits:
            generation = self._build_inline()
        if generation is None:
            self._to_memory()
            self._start_indexer()
            generation = self._generation
        assert generation is not None, "a library without a stored index is held in memory"
        # The first look of a process is a short-lived one's only look, and it is what that costs most.
        changes = generation.manifest.changes(self._store.roots, until, quick=self._view is None)
        if self._in_memory:
            return self._absorb(generation, changes, until, notices)
        if len(changes.written) > _INLINE_FILES and self._waits:
            with suppress(StoreBusyError, OSError, ValueError):
                self._refresh()
                generation = self._reopen()
                changes = generation.manifest.changes(self._store.roots, until)
        if changes or changes.survey is not None:
            self._start_indexer()
        return self._overlaid(generation, changes, until, notices)

    def _overlaid(self, generation: Generation, changes: Changes, until: Deadline, notices: list[Notice]) -> View:
        fresh: dict[Located, Reading] = {}
        for located in changes.written[:_OVERLAY_FILES]:
            if located not in self._readings and until.passed():
                break
            fresh[located] = self._readings.get(located) or read_document(located, self._store.roots)
        self._readings = fresh
        overlay = Overlay(generation.index, generation.manifest.mean_length)
        overlay.add(fresh.values())
        if changes.written:
            complete = len(fresh) == len(changes.written)
            reason = Reason.INDEX_OVERLAY if complete else Reason.INDEX_BUILDING
            notices.append(Notice(reason=reason, detail=f"{len(fresh)} of {len(changes.written)} changed files"))
        stale = frozenset(changes.removed) | {located.file.path for located in fresh}
        return View(index=generation.index, overlay=overlay, stale=stale, manifest=generation.manifest)

    def _absorb(self, generation: Generation, changes: Changes, until: Deadline, notices: list[Notice]) -> View:
        """Take as much as time allows into the index in memory."""
        taken: list[Located] = []
        readings: list[Reading] = []
        for start in range(0, len(changes.written), _BATCH):
            batch = changes.written[start : start + _BATCH]
            readings += [read_document(located, self._store.roots) for located in batch]
            taken += batch
            if until.passed():
                break
        documents = [reading.document for reading in readings if reading.document is not None]
        unreadable = [reading.located.file.path for reading in readings if reading.document is None]
        if documents or changes.removed or unreadable:
            generation.index.write(documents, [*changes.removed, *unreadable])
        complete = len(taken) == len(changes.written)
        gone = set(changes.removed)
        held = {located.file.path: located for located in generation.manifest.files() if located.file.path not in gone}
        held.update({located.file.path: located for located in taken})
        # Folder times count as seen only when everything in them was taken in.
        folders = changes.survey.directories if complete and changes.survey is not None else ()
        if complete and changes.survey is None:
            folders = tuple(zip(generation.manifest.directories, generation.manifest.directory_times, strict=True))
        lengths = [reading.length for reading in readings if reading.length]
        mean = sum(lengths) / len(lengths) if lengths else generation.manifest.mean_length
        manifest = Manifest.of(Survey(files=tuple(held.values()), directories=folders), mean)
        self._generation = Generation(folder=generation.folder, index=generation.index, manifest=manifest)
        if not complete or self._indexing in ("detached", "turn"):
            notices.append(Notice(reason=Reason.INDEX_BUILDING, detail=f"{len(held)} skills read so far"))
        return View(
            index=generation.index,
            overlay=Overlay(generation.index, mean),
            stale=frozenset(),
            manifest=manifest,
        )

    def _newest(self) -> Generation | None:
        """The stored generation, opened again when another process has replaced or extended it."""
        if self._generation is not None and not self._in_memory:
            if not self._store.changed_since(self._generation):
                return self._generation
            self._generation = None
        try:
            stored = self._store.open()
        except IndexDamagedError:
            if not self._in_memory:
                raise
            stored = None  # known, and somebody else's work to mend
        if stored is not None:
            self._generation, self._in_memory = stored, False
            self._store.note_use()
            self._standing = [n for n in self._standing if n.reason != Reason.INDEX_IN_MEMORY]
        return self._generation if stored is not None or self._in_memory else None

    def _reopen(self) -> Generation:
        generation = self._store.open()
        if generation is None:
            raise IndexDamagedError(f"{self._store.folder}: vanished")
        self._generation = generation
        return generation

    def _open_quietly(self) -> Generation | None:
        with suppress(IndexDamagedError):
            self._generation = self._store.open()
            self._in_memory = False
            return self._generation
        return None

    def _build_inline(self) -> Generation | None:
        try:
            self._refresh()
            return self._open_quietly()
        except StoreBusyError:
            return None
        except (OSError, ValueError) as error:
            self._standing = [Notice(reason=Reason.INDEX_IN_MEMORY, detail=str(error))]
            return None

    def _refresh(self, *, rebuild: bool = False) -> None:
        from skillcaddy.library.indexer import refresh  # late: most processes find a complete index

        refresh(self._store, rebuild=rebuild)

    def _to_memory(self) -> None:
        if not self._in_memory or self._generation is None:
            self._in_memory = True
            self._generation = Generation(folder=Path(), index=Index.in_memory(), manifest=Manifest.empty())

    def _start_indexer(self, *, rebuild: bool = False) -> None:
        if self._indexing in ("inline", "never") or time.monotonic() - self._last_spawn < _SPAWN_PAUSE_S:
            return
        self._last_spawn = time.monotonic()
        if not self._store.writable():
            self._standing = [Notice(reason=Reason.INDEX_IN_MEMORY, detail=str(self._store.folder))]
            return
        from skillcaddy.library.indexer import spawn

        spawn(self._store.roots, self._store.state, rebuild=rebuild)


def matches_of(view: View, terms: Sequence[tuple[str, float]], limit: int) -> list[Match]:
    """The merged ranking of index and memory, best first, without documents that are out of date."""
    found = view.index.search(terms, limit + min(len(view.stale), _OVERLAY_FILES))
    merged = [match for match in found if match.key not in view.stale] + view.overlay.search(terms, limit)
    merged.sort(key=lambda match: (-match.score, match.key))
    return merged[:limit]
