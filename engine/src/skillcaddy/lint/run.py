"""One run of the linter over a library: read, compare, search, and all that was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from skillcaddy.deadline import Deadline
from skillcaddy.library.indexer import refresh
from skillcaddy.library.local import LocalSource
from skillcaddy.library.manifest import survey
from skillcaddy.library.store import Store, StoreBusyError
from skillcaddy.library.view import View
from skillcaddy.lint import crowd, rules
from skillcaddy.lint.confusable import Remembered, of_search
from skillcaddy.lint.finding import Finding, Report, in_order
from skillcaddy.lint.reading import read_all
from skillcaddy.reasons import SENTENCES

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, in all)."""

STAGES = ("Indexing", "Reading", "Comparing", "Searching")
_PATIENCE_S = 600.0


def lint(
    roots: Sequence[str],
    state: Path,
    *,
    top_k: int = 2,
    unasked: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Report:
    """What is wrong with the skills below the roots, the first of which shadows later ones; never raises for a file.

    The index below `state` is brought up to date first, or built in memory where it can't be stored. `top_k` is the
    number of skills that a turn is given, `unasked` says that turns are searched without an agent's asking. More than
    one of `workers` only from a program whose main module may be imported again.
    """
    started = time.monotonic()

    def stage(name: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(name, done, total) if progress is not None else None

    store = Store(state, roots)
    view = _view(store, workers, stage(STAGES[0]))
    seen = survey(store.roots)
    files = sorted(seen.files, key=lambda located: (located.root, located.file.folder))
    everything = read_all(files, store.roots, workers, stage(STAGES[1]))
    skills = [facts for facts in everything if facts.id]
    findings = [
        Finding(
            rule="folder-unreadable",
            path=path,
            message=f"{SENTENCES[reason]} {detail}".strip(),
            fix="Correct the path, or let this user list and enter the folder.",
        )
        for path, reason, detail in seen.problems
    ]
    for facts in everything:
        findings += rules.of_file(facts)
    statistics = Remembered(view)
    for skill in skills:
        findings += rules.of_name(skill, store.roots[skill.root])
        findings += rules.of_description(skill, statistics.document_frequency, statistics.document_count)
    hidden = crowd.shadowed(skills)
    visible = [skill for skill in skills if skill.path not in hidden]
    copies, first_of = crowd.of_copies(visible, stage(STAGES[2]))
    findings += [*crowd.of_shadows(hidden, skills), *crowd.of_names(skills), *copies]
    findings += of_search(
        visible, view, hidden, first_of, top_k=top_k, unasked=unasked, workers=workers, progress=stage(STAGES[3])
    )
    return Report(
        roots=store.roots,
        skills=len(skills),
        findings=in_order(findings),
        elapsed_s=round(time.monotonic() - started, 3),
    )


def _view(store: Store, workers: int, progress: Callable[[int, int], None]) -> View:
    try:
        refresh(store, workers=workers, progress=progress, wait_s=120.0)
        source = LocalSource(store.roots, store.state, indexing="never")
    except (StoreBusyError, OSError, ValueError):
        source = LocalSource(store.roots, store.state, indexing="inline")
    return source.view(Deadline.after(_PATIENCE_S))
