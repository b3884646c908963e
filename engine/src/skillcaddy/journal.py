"""A file of JSON lines that many processes append to: bounded in size, private, and never worth an exception."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

SEGMENT_BYTES = 4 * 1024 * 1024
KEPT_BYTES = 16 * 1024 * 1024
MOST_LINE_BYTES = 64 * 1024
_NO_ROOM = 2


class Journal:
    """The lines at `path`, and those that were moved aside to `<stem>-<time><suffix>` when the file had grown.

    No lock is held: each line is one write in append mode, so lines of several processes follow each other. Moving
    aside is one rename; a process that still has the old file open goes on writing to it under its new name, and two
    that move at the same moment leave a short file, never a lost line.
    """

    def __init__(self, path: Path, *, segment_bytes: int = SEGMENT_BYTES, kept_bytes: int = KEPT_BYTES) -> None:
        self.path = path
        self._segment_bytes = segment_bytes
        self._kept_bytes = kept_bytes

    def append(self, record: dict[str, Any]) -> bool:
        """Write one line; False when it could not be written (no room, no right, too long), which is no error."""
        try:
            line = json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"
            if len(line) > MOST_LINE_BYTES:
                return False
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self.path, _flags(), 0o600)
            try:
                return self._write(handle, line)
            finally:
                os.close(handle)
        except (OSError, ValueError, TypeError, RecursionError):
            return False

    def segments(self) -> list[Path]:
        """The files that exist, the oldest first, the one being written last."""
        aside = sorted(self.path.parent.glob(f"{self.path.stem}-*{self.path.suffix}"))
        return [*aside, *([self.path] if self.path.exists() else [])]

    def rows(self) -> Iterator[dict[str, Any] | None]:
        """The records of all files, oldest file first; None for a line that is no record. Never raises."""
        for segment in self.segments():
            try:
                with segment.open("rb") as file:
                    for line in file:
                        if line.strip():
                            yield _row(line)
            except OSError:
                continue  # moved or pruned meanwhile

    def _write(self, handle: int, line: bytes) -> bool:
        size = os.lseek(handle, 0, os.SEEK_END)
        if size > self._segment_bytes * _NO_ROOM and not self._move_aside(handle):
            return False  # whatever keeps the file from being moved must not let it grow for ever
        if size:
            os.lseek(handle, -1, os.SEEK_END)
            if os.read(handle, 1) != b"\n":  # a process was killed, or the disk was full, in the middle of a line
                line = b"\n" + line
        whole = os.write(handle, line) == len(line)
        if size + len(line) > self._segment_bytes:
            self._move_aside(handle)
        return whole

    def _move_aside(self, handle: int) -> bool:
        """Give the file a name of its own, unless somebody else just did; False when that is not possible."""
        try:
            if not os.path.samestat(os.fstat(handle), os.stat(self.path)):
                return True
            stamp = f"{time.time_ns():020d}-{os.getpid()}"
            self.path.rename(self.path.with_name(f"{self.path.stem}-{stamp}{self.path.suffix}"))
        except FileNotFoundError:
            return True
        except OSError:
            return False
        self._prune()
        return True

    def _prune(self) -> None:
        total = 0
        for segment in reversed(self.segments()):
            with suppress(OSError):
                total += segment.stat().st_size
                if total > self._kept_bytes:
                    segment.unlink()


def _flags() -> int:
    # Without O_NONBLOCK a named pipe in the file's place would hold the writer; O_NOFOLLOW: nobody redirects the log.
    extra = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    for flag in extra:
        flags |= flag
    return flags


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
