"""The files that belong to a skill: listed, and read as text, never outside the skill's folder."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum, auto

MOST_BYTES = 512_000
"""A larger file is not read for a model."""
_MOST_ENTRIES = 2000
_MOST_DEPTH = 8
_SKIPPED = {"__pycache__", "node_modules", "venv", "site-packages"}
_SKILL_FILES = {"skill.md", "skills.md"}


class Problem(Enum):
    """Why a path of a skill gives no text."""

    MISSING = auto()
    OUTSIDE = auto()
    BINARY = auto()
    TOO_BIG = auto()
    UNREADABLE = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A file below a skill's folder: its path relative to it, with forward slashes, and its size in bytes."""

    path: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a path leads to: text, a folder, the skill's own text, or a problem; sizes are bytes."""

    path: str
    """Relative to the skill's folder, with forward slashes; as it was given where it leads nowhere."""
    text: str = ""
    size: int = 0
    is_folder: bool = False
    is_skill: bool = False
    problem: Problem | None = None


def find(directory: str, path: str) -> Found:
    """What the path means inside this folder; absolute paths are fine as long as they lie inside it.

    Symbolic links are followed before the path is judged. A file is text when it is UTF-8, or UTF-16 with its mark,
    or has hardly any control characters.
    """
    if "\0" in path:
        return Found(path=path.replace("\0", ""), problem=Problem.MISSING)
    root = os.path.realpath(directory)
    for spelling in dict.fromkeys((path, path.replace("\\", "/"))):
        target = os.path.realpath(os.path.join(directory, spelling))
        if target != root and not target.startswith(root.rstrip(os.sep) + os.sep):
            return Found(path=path, problem=Problem.OUTSIDE)
        relative = os.path.relpath(target, root).replace(os.sep, "/")
        try:
            state = os.stat(target)
        except (OSError, ValueError):
            continue
        if stat.S_ISDIR(state.st_mode):
            return Found(path="" if relative == "." else relative, is_folder=True)
        if not stat.S_ISREG(state.st_mode):
            return Found(path=relative, problem=Problem.UNREADABLE)
        if relative.lower() in _SKILL_FILES:
            return Found(path=relative, is_skill=True)
        return _read(target, relative, state.st_size)
    return Found(path=path, problem=Problem.MISSING)


def listing(directory: str, under: str = "") -> list[Entry]:
    """The files below the folder (or below `under` in it) in order of their paths, without the skill's own text.

    Hidden files, folders of other skills, links that lead out and the caches of tools are left out.
    """
    root = os.path.realpath(directory)
    found: list[Entry] = []
    pending = [(os.path.join(root, under) if under else root, 0)]
    seen = 0
    while pending:
        folder, depth = pending.pop()
        try:
            with os.scandir(folder) as entries:
                rows = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        if folder != root and any(row.name.lower() in _SKILL_FILES for row in rows):
            continue
        for row in rows:
            seen += 1
            if seen > _MOST_ENTRIES:
                return sorted(found, key=lambda entry: entry.path)
            if row.name.startswith(".") or row.name in _SKIPPED:
                continue
            try:
                if row.is_dir(follow_symlinks=False):
                    if depth < _MOST_DEPTH:
                        pending.append((row.path, depth + 1))
                elif row.is_file() and os.path.realpath(row.path).startswith(root.rstrip(os.sep) + os.sep):
                    path = os.path.relpath(row.path, root).replace(os.sep, "/")
                    if path.lower() not in _SKILL_FILES:
                        found.append(Entry(path=path, size=row.stat().st_size))
            except OSError:
                continue
    return sorted(found, key=lambda entry: entry.path)


def size_words(size: int) -> str:
    """A size in bytes as people write it: `532 B`, `12 kB`, `3.4 MB`."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.2g} kB" if size < 10_000 else f"{size / 1000:.0f} kB"
    return f"{size / 1_000_000:.1f} MB"


def _read(target: str, relative: str, size: int) -> Found:
    if size > MOST_BYTES:
        return Found(path=relative, size=size, problem=Problem.TOO_BIG)
    try:
        with open(target, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return Found(path=relative, size=size, problem=Problem.UNREADABLE)
    if len(data) > MOST_BYTES:
        return Found(path=relative, size=len(data), problem=Problem.TOO_BIG)
    text = _decoded(data)
    if text is None:
        return Found(path=relative, size=size, problem=Problem.BINARY)
    return Found(path=relative, text=text, size=size)


def _decoded(data: bytes) -> str | None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            return None
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        controls = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in data)
        return data.decode("latin-1") if controls * 100 <= len(data) else None
