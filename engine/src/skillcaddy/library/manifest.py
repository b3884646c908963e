"""What the index has seen of the disk: which files and folders, with size and time, so that a sweep finds changes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from time import time as _now
from typing import NamedTuple

from skillcaddy.deadline import Deadline
from skillcaddy.library.sweep import any_differs, differing, opened
from skillcaddy.library.walk import FileSignature, walk
from skillcaddy.reasons import Reason

_LEAF_SHARE = 4
_NO_LEAF = -(2**63)
_ALL = slice(None)


class Located(NamedTuple):
    """One SKILL.md of the library with the position of its root."""

    root: int
    file: FileSignature


class Survey(NamedTuple):
    """All SKILL.md files below an ordered set of roots, as the disk has them now."""

    files: tuple[Located, ...]
    directories: tuple[tuple[str, int], ...]
    """(path, mtime_ns) of each folder that was listed; a new or removed file changes its folder's time."""
    problems: tuple[tuple[str, Reason, str], ...] = ()
    """(path, reason, detail) of what could not be listed."""
    partial: bool = False
    """True when the deadline came before the whole tree was seen."""


class Changes(NamedTuple):
    """How the disk differs from a manifest."""

    written: tuple[Located, ...] = ()
    """New files and files whose size or time differ."""
    removed: tuple[str, ...] = ()
    """Paths that are gone."""
    survey: Survey | None = None
    """The whole survey, where folders changed and it had to be made."""

    def __bool__(self) -> bool:
        return bool(self.written or self.removed)


class Part(NamedTuple):
    """The files of one root, in columns."""

    root: int
    folder: str
    """Absolute path of the root; "" for that of the file system."""
    places: Sequence[str]
    """Paths below the root."""
    sizes: Sequence[int]
    times: Sequence[int]
    leaf_times: Sequence[int]
    """Of the folder around each file, where that holds no further folder; else `_NO_LEAF`."""

    def leaves(self, every: slice = _ALL) -> list[tuple[str, int]]:
        """(path below the root, mtime_ns) of the folders, or of some, that hold a skill and no further folder."""
        rows = zip(self.places[every], self.leaf_times[every], strict=True)
        return [(os.path.dirname(place) or os.curdir, time) for place, time in rows if time != _NO_LEAF]

    def path(self, place: str) -> str:
        """The absolute path of something below the root."""
        return f"{self.folder}{os.sep}{place}" if place != os.curdir else self.folder or os.sep

    def located(self, position: int, size: int, time: int) -> Located:
        """One of the files, as it is now."""
        place = self.places[position]
        folder = os.path.dirname(place).replace(os.sep, "/")
        return Located(self.root, FileSignature(self.path(place), folder, size, time))


class Manifest(NamedTuple):
    """The state of the disk that an index holds, in columns: they load several times faster than rows."""

    inner: Sequence[str]
    """Absolute paths of the folders that hold further folders, or no skill."""
    inner_times: Sequence[int]
    parts: tuple[Part, ...]
    mean_length: float
    """Mean number of terms in a document, for scoring beside the index."""

    @classmethod
    def of(cls, survey: Survey, mean_length: float) -> Manifest:
        """The manifest of a survey that has been indexed."""
        times = dict(survey.directories)
        parents = {os.path.dirname(path) for path in times}
        rows: dict[tuple[int, str], list[tuple[str, int, int, int]]] = {}
        holders = set()
        for root, file in survey.files:
            name, around = os.path.basename(file.path), os.path.dirname(file.path)
            place = os.path.join(file.folder.replace("/", os.sep), name)
            leaf_time = _NO_LEAF if around in parents else times.get(around, _NO_LEAF)
            holders.add(around)
            row = (place, file.size, file.mtime_ns, leaf_time)
            rows.setdefault((root, file.path[: -len(place) - 1]), []).append(row)
        inner = {path: time for path, time in times.items() if path in parents or path not in holders}
        parts = tuple(Part(*key, *zip(*rows[key], strict=True)) for key in sorted(rows))
        return cls(tuple(inner), tuple(inner.values()), parts, mean_length)

    @classmethod
    def load(cls, file: Path) -> Manifest:
        """The stored manifest; raises OSError or ValueError when it is missing or damaged."""
        data = file.read_bytes()
        # Not JSON, which takes five times as long to load: each turn's process loads this.
        try:
            end = data.index(b"\n")
            head = json.loads(data[:end])
            folders, roots, mean_length = head["folders"], head["roots"], float(head["mean_length"])
            files = sum(count for _, _, count in roots)
            start = end + 1 + (folders + 3 * files) * 8
            numbers = memoryview(data)[end + 1 : start].cast("q")
            texts = data[start:].decode("utf-8", "surrogateescape").split("\0")
            if len(texts) != folders + files + 1 or head["byteorder"] != sys.byteorder:
                raise ValueError("its columns are not as long as it says, or from another machine")
            parts, at = [], folders
            for root, folder, count in roots:
                columns = [numbers[at + column * files : at + column * files + count] for column in range(3)]
                parts.append(Part(int(root), str(folder), texts[at : at + count], *columns))
                at += count
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file}: not a manifest: {error!r}") from error
        return cls(texts[:folders], numbers[:folders], tuple(parts), mean_length)

    @classmethod
    def empty(cls) -> Manifest:
        """The manifest of an index that holds nothing; everything on disk is new to it."""
        return cls((), (), (), 0.0)

    @property
    def directories(self) -> tuple[str, ...]:
        """The folders that have been looked into."""
        return (*self.inner, *(part.path(place) for part in self.parts for place, _ in part.leaves()))

    @property
    def directory_times(self) -> tuple[int, ...]:
        """Their times, in nanoseconds."""
        return (*self.inner_times, *(time for part in self.parts for _, time in part.leaves()))

    def files(self) -> Iterator[Located]:
        """The files the index holds."""
        for part in self.parts:
            for position, (size, time) in enumerate(zip(part.sizes, part.times, strict=True)):
                yield part.located(position, size, time)

    def save(self, file: Path) -> None:
        """Write the manifest in one atomic step: a line of counts, the numbers, and the texts, by column."""
        from array import array  # late: only writers need it

        head = {
            "folders": len(self.inner),
            "roots": [(part.root, part.folder, len(part.places)) for part in self.parts],
            "mean_length": self.mean_length,
            "byteorder": sys.byteorder,
        }
        numbers = array("q", self.inner_times)
        for column in ("sizes", "times", "leaf_times"):
            for part in self.parts:
                numbers.extend(getattr(part, column))
        # A path can hold any character but NUL.
        texts = "".join(f"{text}\0" for text in chain(self.inner, *(part.places for part in self.parts)))
        line = json.dumps(head).encode() + b"\n"
        write_atomically(file, line + numbers.tobytes() + texts.encode("utf-8", "surrogateescape"))

    def changes(self, roots: Sequence[str], deadline: Deadline | None = None, *, quick: bool = False) -> Changes:
        """What differs on disk now, by stat calls alone unless a folder changed; partial at the deadline.

        A quick look leaves out three in four of the folders that hold nothing but a skill, others each second: all that
        can be missed by it is a new skill inside the folder of another, for a few turns. Files are all looked at.
        """
        every = slice(int(_now()) % _LEAF_SHARE, None, _LEAF_SHARE) if quick else _ALL
        unknown = not self.inner and not self.directories  # nothing was ever surveyed, or not to the end
        if unknown or any_differs(self.inner, self.inner_times, None, deadline):
            return self._compare(survey(roots, deadline))
        written: list[Located] = []
        removed: list[str] = []
        for part in self.parts:
            with opened(part.folder or os.sep) as below:
                leaves = part.leaves(every)
                places, folders = part.places, [place for place, _ in leaves]
                if below is None:
                    places, folders = [*map(part.path, places)], [*map(part.path, folders)]
                if any_differs(folders, [time for _, time in leaves], below, deadline):
                    return self._compare(survey(roots, deadline))
                for position, now in differing(places, part.sizes, part.times, below, deadline):
                    if now is None:
                        removed.append(part.path(part.places[position]))
                    else:
                        written.append(part.located(position, now.st_size, now.st_mtime_ns))
        return Changes(written=tuple(written), removed=tuple(removed))

    def _compare(self, now: Survey) -> Changes:
        known = {
            located.file.path: (located.file.size, located.file.mtime_ns, located.root) for located in self.files()
        }
        written = tuple(
            located
            for located in now.files
            if known.pop(located.file.path, None) != (located.file.size, located.file.mtime_ns, located.root)
        )
        # What a partial survey has not reached is not gone.
        removed = () if now.partial else tuple(known)
        return Changes(written=written, removed=removed, survey=None if now.partial else now)


def survey(roots: Sequence[str], deadline: Deadline | None = None) -> Survey:
    """Every SKILL.md below the roots, in the order of the roots; a file reached from two roots counts for the first."""
    files: list[Located] = []
    directories: list[tuple[str, int]] = []
    problems: list[tuple[str, Reason, str]] = []
    seen: set[str] = set()
    partial = False
    for position, root in enumerate(roots):
        found = walk(root, deadline)
        partial = partial or found.partial
        for file in found.files:
            if file.path not in seen:
                seen.add(file.path)
                files.append(Located(root=position, file=file))
        directories.extend((directory.path, directory.mtime_ns) for directory in found.dirs)
        problems.extend((problem.path, problem.reason, problem.detail) for problem in found.problems)
    return Survey(files=tuple(files), directories=tuple(directories), problems=tuple(problems), partial=partial)


def write_atomically(file: Path, data: bytes) -> None:
    """Replace a file's content so that a reader, or a crash, sees the old bytes or the new ones."""
    aside = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with aside.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
