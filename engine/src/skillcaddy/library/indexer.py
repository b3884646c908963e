"""Bringing an index up to date: the full build, aside and renamed, and the increment, one commit under the lock."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillcaddy.library.crew import Crew
from skillcaddy.library.documents import Reading, name_key
from skillcaddy.library.index import Document, Index, IndexDamagedError
from skillcaddy.library.manifest import Changes, Manifest, Survey, survey, write_atomically
from skillcaddy.library.store import Generation, Store
from skillcaddy.reasons import Reason

Progress = Callable[[int, int], None]
"""Called with (files done, files in all)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Something about a file or folder that its owner should know."""

    path: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexReport:
    """What bringing an index up to date did and what it noticed."""

    folder: str
    skills: int
    written: int
    removed: int
    built: bool
    """True for a full build, False for an increment or when nothing had changed."""
    problems: tuple[Problem, ...]
    elapsed_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Detail:
    name: str
    root: int
    length: int
    digest: str
    reason: str
    detail: str


def refresh(
    store: Store,
    *,
    rebuild: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
    wait_s: float = 0.0,
) -> IndexReport:
    """Bring the stored index up to date with the disk and say what was noticed.

    Raises StoreBusyError when another process holds the lock for longer than `wait_s`, OSError or ValueError when the
    index cannot be written (full disk, read-only folder). A damaged index is built anew, as the report's problems say.
    `workers` processes read files; only pass more than one from a program whose main module may be imported again.
    """
    started = time.monotonic()
    with store.locked(wait_s):
        damage: str | None = None
        generation: Generation | None = None
        details: dict[str, _Detail] = {}
        if not rebuild:
            try:
                generation = store.open()
                if generation is not None:
                    details = _load_details(generation.folder)
            except IndexDamagedError as error:
                generation, damage = None, str(error)
        if generation is None:
            report = _build(store, survey(store.roots), workers, progress, started)
        else:
            try:
                report = _update(store, generation, details, workers, progress, started)
            except IndexDamagedError as error:
                damage = str(error)
                report = _build(store, survey(store.roots), workers, progress, started)
        store.prune()
    if damage is None:
        return report
    rebuilt = Problem(path=str(store.folder), reason=Reason.INDEX_REBUILT, detail=damage)
    return IndexReport(**{**_fields(report), "problems": (rebuilt, *report.problems)})


def noticed(store: Store) -> tuple[Problem, ...]:
    """What indexing noticed about the files as the stored index has them; empty where there is no usable index."""
    with suppress(OSError, ValueError, IndexDamagedError):
        generation = store.open()
        if generation is not None:
            details = _load_details(generation.folder)
            return tuple(_problems((path, details[path]) for path in sorted(details)))
    return ()


def _build(store: Store, seen: Survey, workers: int, progress: Progress | None, started: float) -> IndexReport:
    details: dict[str, _Detail] = {}
    with store.aside() as folder, Crew(seen.files, store.roots, workers) as crew:
        index = Index.create(folder)
        readings = _read(crew, len(seen.files), progress)
        written = index.write(_documents(readings, details, {}), threads=2 if workers > 1 else 1)
        _save(folder, seen, details)
        published = store.publish(folder)
    return _report(published, seen, details, written, 0, True, started)


def _update(
    store: Store,
    generation: Generation,
    details: dict[str, _Detail],
    workers: int,
    progress: Progress | None,
    started: float,
) -> IndexReport:
    changes = generation.manifest.changes(store.roots)
    moved = changes.survey is not None
    seen = changes.survey or _known_survey(generation.manifest, changes)
    written = 0
    if changes:
        known = {path: detail.digest for path, detail in details.items()}
        for path in changes.removed:
            details.pop(path, None)
        unreadable: list[str] = []
        with Crew(changes.written, store.roots, workers) as crew:
            readings = _read(crew, len(changes.written), progress)
            documents = list(_documents(readings, details, known, unreadable))
        gone = [*changes.removed, *unreadable]
        if documents or gone:
            written = generation.index.write(documents, gone)
    if changes or moved:
        _save(generation.folder, seen, details)
    return _report(generation.folder, seen, details, written, len(changes.removed), False, started)


def _known_survey(manifest: Manifest, changes: Changes) -> Survey:
    changed = {located.file.path: located for located in changes.written}
    removed = set(changes.removed)
    files = tuple(changed.get(known.file.path, known) for known in manifest.files() if known.file.path not in removed)
    directories = tuple(zip(manifest.directories, manifest.directory_times, strict=True))
    return Survey(files=files, directories=directories)


def _read(crew: Crew, total: int, progress: Progress | None) -> Iterator[Reading]:
    done = 0
    for chunk in crew:
        yield from chunk
        done += len(chunk)
        if progress is not None:
            progress(done, total)


def _documents(
    readings: Iterable[Reading],
    details: dict[str, _Detail],
    known: dict[str, str],
    unreadable: list[str] | None = None,
) -> Iterator[Document]:
    for reading in readings:
        path, document = reading.located.file.path, reading.document
        details[path] = _Detail(
            name=reading.name,
            root=reading.located.root,
            length=reading.length,
            digest=reading.digest,
            reason=reading.reason.value if reading.reason is not None else "",
            detail=reading.detail,
        )
        if document is None:
            if unreadable is not None:
                unreadable.append(path)
        elif known.get(path) != reading.digest:
            yield document


def _save(folder: Path, seen: Survey, details: dict[str, _Detail]) -> None:
    lengths = [detail.length for detail in details.values() if detail.length]
    rows = {path: [d.name, d.root, d.length, d.digest, d.reason, d.detail] for path, d in details.items()}
    write_atomically(folder / "details.json", json.dumps(rows).encode())
    # The manifest last: as long as it is old, the next sweep finds the same changes again.
    Manifest.of(seen, sum(lengths) / len(lengths) if lengths else 0.0).save(folder / "manifest.json")


def _load_details(folder: Path) -> dict[str, _Detail]:
    try:
        rows: dict[str, Any] = json.loads((folder / "details.json").read_bytes())
        return {
            path: _Detail(name=row[0], root=row[1], length=row[2], digest=row[3], reason=row[4], detail=row[5])
            for path, row in rows.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise IndexDamagedError(f"{folder / 'details.json'}: {error!r}") from error


def _report(
    folder: Path,
    seen: Survey,
    details: dict[str, _Detail],
    written: int,
    removed: int,
    built: bool,
    started: float,
) -> IndexReport:
    problems = [Problem(path=path, reason=reason, detail=detail) for path, reason, detail in seen.problems]
    known = ((located.file.path, details.get(located.file.path)) for located in seen.files)
    problems += _problems((path, detail) for path, detail in known if detail is not None)
    return IndexReport(
        folder=str(folder),
        skills=sum(1 for detail in details.values() if detail.digest),
        written=written,
        removed=removed,
        built=built,
        problems=tuple(problems),
        elapsed_s=round(time.monotonic() - started, 3),
    )


def _problems(details: Iterable[tuple[str, _Detail]]) -> list[Problem]:
    """What is wrong with these files, and which of them an earlier root hides."""
    problems: list[Problem] = []
    rows = sorted(details, key=lambda row: row[1].root)
    first: dict[str, tuple[int, str]] = {}
    for path, detail in rows:
        if detail.reason:
            problems.append(Problem(path=path, reason=Reason(detail.reason), detail=detail.detail))
        if detail.name:
            root, by = first.setdefault(name_key(detail.name), (detail.root, path))
            if root < detail.root:
                problems.append(Problem(path=path, reason=Reason.SKILL_SHADOWED, detail=by))
    return problems


def _fields(report: IndexReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in IndexReport.__dataclass_fields__}


def spawn(roots: Sequence[str], state: Path, *, rebuild: bool = False) -> bool:
    """Start one detached, low-priority `skillcaddy index` for a library and return at once; False if it can't be.

    The one thing that may outlive a turn's deadline. The index's lock keeps two of them from working at once.
    """
    import subprocess
    import sys

    # -P: the working directory is the user's workspace, and nothing in it may be imported.
    command = [sys.executable, "-P", "-m", "skillcaddy", "index", "--background", "--state-dir", str(state)]
    if rebuild:
        command.append("--rebuild")
    for root in roots:
        command += ["--skills", root]
    with suppress(OSError, ValueError):
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # A long-lived server would keep a zombie for each.
        threading.Thread(target=process.wait, name="skillcaddy-indexer", daemon=True).start()
        return True
    return False
