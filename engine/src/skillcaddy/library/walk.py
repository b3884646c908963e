"""Finds the SKILL.md files under a root, quickly and without leaving it."""

from __future__ import annotations

import itertools
import os
import stat
from collections import deque
from typing import NamedTuple

from skillcaddy.deadline import Deadline
from skillcaddy.frozen import dataclass
from skillcaddy.reasons import Reason

MAX_DEPTH = 8
"""Folders deeper than this under the root are not looked into."""
FILE_NAMES = ("SKILL.md", "skill.md", "skills.md")
"""The names of a skill's file, in any case; where a folder holds several, the first of these counts."""
SKIPPED = {
    *(".git", ".hg", ".svn", ".jj", ".github", ".archive", ".hub", ".trash", "__macosx", ".idea", ".vscode"),
    *("node_modules", "bower_components", "site-packages", ".venv", "venv", ".tox", ".nox", ".cache"),
    *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"),
}
"""Folders (in lower case) that never hold skills of the user's choosing."""
OWN_FOLDERS = frozenset({"references", "scripts", "assets", "templates"})
"""A skill's own folders: what lies there belongs to it, even a SKILL.md (often a template of one)."""

_LOWER_NAMES = frozenset(name.lower() for name in FILE_NAMES)
_LENGTHS = frozenset(map(len, FILE_NAMES))
_LOOKS_AT_CLOCK_EVERY = 16


# Named tuples, not data classes: building one costs a quarter, and a library has tens of thousands.
class FileSignature(NamedTuple):
    """A skill's file and what tells that it has changed."""

    path: str
    """Absolute; a link is not resolved."""
    folder: str
    """Relative to the root with forward slashes; "" for the root itself."""
    size: int
    mtime_ns: int


class FolderSignature(NamedTuple):
    """A folder that was looked into; its time changes when an entry is added, removed or renamed in it."""

    path: str
    mtime_ns: int


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Something under the root that could not be used."""

    path: str
    reason: Reason
    detail: str


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What lies under a root; `files` and `dirs` are sorted by path."""

    files: list[FileSignature]
    dirs: list[FolderSignature]
    problems: list[Problem]
    partial: bool = False
    """True when the deadline came before all folders had been looked into."""


class _Folder(NamedTuple):
    path: str
    folder: str
    depth: int
    bounds: tuple[str, ...]
    """Real folders that links below may lead into."""


def walk(root: str | os.PathLike[str], deadline: Deadline | None = None) -> Walk:
    """The skills' files and the folders under `root`; never raises, problems are listed.

    Linked folders are followed as long as they stay under the root. A link that lies directly in the root may lead
    anywhere, since there people and installers put links to skills kept elsewhere on purpose, whereas a deeper link
    comes with somebody's bundle and could draw in any folder of the machine. The same holds for a linked SKILL.md,
    which may leave the root only from a folder directly in it, and only to a Markdown file. Each real folder is looked
    into once, under its own path rather than a link's, so links cannot make a loop or a copy.
    """
    top = os.path.abspath(root)
    walked = Walk(files=[], dirs=[], problems=[])
    if not os.path.isdir(top):
        return _without(walked, top, "It does not exist or is not a folder.")
    if not os.access(top, os.R_OK | os.X_OK):
        return _without(walked, top, "It may not be listed.")
    seen: set[tuple[int, int]] = set()
    pending = deque([_Folder(top, "", 0, (os.path.realpath(top),))])
    links: deque[_Folder] = deque()
    partial = False
    for count in itertools.count():
        if not pending:
            if not links:
                break
            pending.append(links.popleft())
        if deadline is not None and count % _LOOKS_AT_CLOCK_EVERY == 0 and deadline.passed():
            partial = True
            break
        _look_into(pending.popleft(), walked, seen, pending, links)
    walked.files.sort()
    walked.dirs.sort()
    return Walk(files=walked.files, dirs=walked.dirs, problems=walked.problems, partial=partial)


def _without(walked: Walk, top: str, detail: str) -> Walk:
    walked.problems.append(Problem(path=_shown(top), reason=Reason.ROOT_MISSING, detail=detail))
    return walked


def _look_into(
    here: _Folder, walked: Walk, seen: set[tuple[int, int]], pending: deque[_Folder], links: deque[_Folder]
) -> None:
    """Adds what one folder holds to the walk, and its folders to those still to be looked into."""
    try:
        # Before it is listed: a later change then leaves a time that differs.
        status = os.stat(here.path)
        if (status.st_dev, status.st_ino) in seen:
            return
        seen.add((status.st_dev, status.st_ino))
        with os.scandir(here.path) as entries:
            found, inner = _sorted_out(entries)
    except OSError as error:
        _report(walked, here.path, f"The folder could not be listed: {error.strerror or error}.")
        return
    walked.dirs.append(FolderSignature(here.path, status.st_mtime_ns))
    has_skill = bool(found) and _take(found, here, walked)
    if here.depth == MAX_DEPTH:
        return
    for entry in inner:
        name = entry.name
        if has_skill and name.lower() in OWN_FOLDERS:
            continue
        if not name.isascii() and not _is_utf8(name):
            _report(walked, entry.path, "The folder's name is not valid UTF-8.")
            continue
        folder = f"{here.folder}/{name}" if here.folder else name
        if not entry.is_symlink():
            pending.append(_Folder(entry.path, folder, here.depth + 1, here.bounds))
            continue
        real = os.path.realpath(entry.path)
        if here.depth == 0:
            links.append(_Folder(entry.path, folder, 1, (*here.bounds, real)))
        elif _is_within(real, here.bounds):
            links.append(_Folder(entry.path, folder, here.depth + 1, here.bounds))
        else:
            _report(walked, entry.path, "The link leads out of the skill folder and was not followed.")


def _sorted_out(entries: os._ScandirIterator[str]) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    """The entries named like a skill's file, best name first, and the folders worth looking into, by name."""
    files: list[os.DirEntry[str]] = []
    folders: list[os.DirEntry[str]] = []
    for entry in entries:
        name = entry.name
        try:
            folder = entry.is_dir()
        except OSError:  # a link to itself
            folder = False
        if folder:
            if name.lower() not in SKIPPED:
                folders.append(entry)
        elif len(name) in _LENGTHS and name.lower() in _LOWER_NAMES:
            files.append(entry)
    files.sort(key=lambda entry: (len(entry.name), entry.name not in FILE_NAMES, entry.name))
    folders.sort(key=lambda entry: entry.name)
    return files, folders


def _take(found: list[os.DirEntry[str]], here: _Folder, walked: Walk) -> bool:
    """Adds the first usable file to the walk; False, with a problem each, where none is."""
    for entry in found:
        try:
            status = entry.stat()
        except OSError as error:
            _report(walked, entry.path, f"It could not be opened: {error.strerror or error}.")
            continue
        if not stat.S_ISREG(status.st_mode):
            _report(walked, entry.path, "It is not a regular file.")
        elif entry.is_symlink() and not _may_lead_there(os.path.realpath(entry.path), here):
            _report(walked, entry.path, "The link leads out of the skill folder and was not followed.")
        else:
            walked.files.append(FileSignature(entry.path, here.folder, status.st_size, status.st_mtime_ns))
            return True
    return False


def _may_lead_there(real: str, here: _Folder) -> bool:
    return _is_within(real, here.bounds) or (here.depth <= 1 and real.lower().endswith(".md"))


def _is_within(real: str, bounds: tuple[str, ...]) -> bool:
    return any(real == bound or real.startswith(bound.rstrip(os.sep) + os.sep) for bound in bounds)


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _report(walked: Walk, path: str, detail: str) -> None:
    walked.problems.append(Problem(path=_shown(path), reason=Reason.SKILL_UNREADABLE, detail=detail))
