"""What the index has seen of the disk: which files and folders, with size and time, so that a sweep finds changes."""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import time as _now
from typing import NamedTuple

from skillcaddy.deadline import Deadline
from skillcaddy.library.walk import FileSignature, walk
from skillcaddy.reasons import Reason

_CHECK_EVERY = 512
_LEAF_SHARE = 4


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


class Manifest(NamedTuple):
    """The state of the disk that an index holds, in columns: they load several times faster than rows."""

    directories: tuple[str, ...]
    """Those that hold a skill and no further folder last."""
    directory_times: tuple[int, ...]
    leaves: int
    """How many of the last directories hold a skill and no further folder."""
    paths: tuple[str, ...]
    roots: tuple[int, ...]
    folders: tuple[str, ...]
    sizes: tuple[int, ...]
    times: tuple[int, ...]
    mean_length: float
    """Mean number of terms in a document, for scoring beside the index."""

    @classmethod
    def of(cls, survey: Survey, mean_length: float) -> Manifest:
        """The manifest of a survey that has been indexed."""
        parents = {os.path.dirname(path) for path, _ in survey.directories}
        holders = {os.path.dirname(located.file.path) for located in survey.files}
        ordered = sorted(survey.directories, key=lambda row: row[0] in holders and row[0] not in parents)
        return cls(
            directories=tuple(path for path, _ in ordered),
            directory_times=tuple(time for _, time in ordered),
            leaves=len(holders.intersection(path for path, _ in ordered) - parents),
            paths=tuple(located.file.path for located in survey.files),
            roots=tuple(located.root for located in survey.files),
            folders=tuple(located.file.folder for located in survey.files),
            sizes=tuple(located.file.size for located in survey.files),
            times=tuple(located.file.mtime_ns for located in survey.files),
            mean_length=mean_length,
        )

    @classmethod
    def load(cls, file: Path) -> Manifest:
        """The stored manifest; raises OSError or ValueError when it is missing or damaged."""
        head, _, rest = file.read_bytes().partition(b"\n")
        # Not JSON, which takes five times as long to load: each turn's process loads this.
        try:
            counts = json.loads(head)
            folders, files, mean_length = counts["directories"], counts["files"], float(counts["mean_length"])
            leaves = int(counts["leaves"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file}: not a manifest: {error!r}") from error
        size = (folders + 3 * files) * 8
        column = array("q")
        column.frombytes(rest[:size])
        if sys.byteorder == "big":
            column.byteswap()
        numbers = tuple(column)
        texts = rest[size:].decode("utf-8", "surrogateescape").split("\0")
        if len(texts) != folders + 2 * files + 1 or len(numbers) != folders + 3 * files:
            raise ValueError(f"{file}: its columns are not as long as it says")
        return cls(
            directories=tuple(texts[:folders]),
            directory_times=numbers[:folders],
            leaves=leaves,
            paths=tuple(texts[folders : folders + files]),
            folders=tuple(texts[folders + files : -1]),
            roots=numbers[folders : folders + files],
            sizes=numbers[folders + files : folders + 2 * files],
            times=numbers[folders + 2 * files :],
            mean_length=mean_length,
        )

    @classmethod
    def empty(cls) -> Manifest:
        """The manifest of an index that holds nothing; everything on disk is new to it."""
        return cls.of(Survey(files=(), directories=()), 0.0)

    def files(self) -> Iterator[Located]:
        """The files the index holds."""
        columns = zip(self.paths, self.roots, self.folders, self.sizes, self.times, strict=True)
        for path, root, folder, size, time in columns:
            yield Located(root=root, file=FileSignature(path=path, folder=folder, size=size, mtime_ns=time))

    def save(self, file: Path) -> None:
        """Write the manifest in one atomic step: a line of counts, the numbers, and the texts, by column."""
        counts: dict[str, float] = {
            "directories": len(self.directories),
            "leaves": self.leaves,
            "files": len(self.paths),
            "mean_length": self.mean_length,
        }
        column = array("q", (*self.directory_times, *self.roots, *self.sizes, *self.times))
        if sys.byteorder == "big":
            column.byteswap()
        # A path can hold any character but NUL.
        texts = "".join(text + "\0" for text in (*self.directories, *self.paths, *self.folders))
        head = json.dumps(counts).encode() + b"\n"
        write_atomically(file, head + column.tobytes() + texts.encode("utf-8", "surrogateescape"))

    def changes(self, roots: Sequence[str], deadline: Deadline | None = None, *, quick: bool = False) -> Changes:
        """What differs on disk now, by stat calls alone unless a folder changed; partial at the deadline.

        A quick look leaves out three in four of the folders that hold nothing but a skill, others each second: all that
        can be missed by it is a new skill inside the folder of another, for a few turns. Files are all looked at.
        """
        if not self.directories:  # nothing was ever surveyed, or not to the end
            return self._compare(survey(roots, deadline))
        stat = os.stat
        directories = zip(self.directories, self.directory_times, strict=True)
        if quick:
            inner = len(self.directories) - self.leaves
            some = slice(inner + int(_now()) % _LEAF_SHARE, None, _LEAF_SHARE)
            directories = zip(
                self.directories[:inner] + self.directories[some],
                self.directory_times[:inner] + self.directory_times[some],
                strict=True,
            )
        for position, (path, time) in enumerate(directories):
            if deadline is not None and position % _CHECK_EVERY == 0 and deadline.passed():
                return Changes()
            try:
                if stat(path).st_mtime_ns != time:
                    return self._compare(survey(roots, deadline))
            except OSError:
                return self._compare(survey(roots, deadline))
        written: list[Located] = []
        removed: list[str] = []
        for position, path in enumerate(self.paths):
            if deadline is not None and position % _CHECK_EVERY == 0 and deadline.passed():
                break
            try:
                now = stat(path)
            except OSError:
                removed.append(path)
                continue
            if now.st_mtime_ns != self.times[position] or now.st_size != self.sizes[position]:
                file = FileSignature(
                    path=path, folder=self.folders[position], size=now.st_size, mtime_ns=now.st_mtime_ns
                )
                written.append(Located(root=self.roots[position], file=file))
        return Changes(written=tuple(written), removed=tuple(removed))

    def _compare(self, now: Survey) -> Changes:
        known = {
            path: (size, time, root)
            for path, size, time, root in zip(self.paths, self.sizes, self.times, self.roots, strict=True)
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
