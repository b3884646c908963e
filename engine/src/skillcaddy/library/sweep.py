"""Looks whether files and folders are as they were, by stat calls alone: the largest part of a turn's process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

from skillcaddy.deadline import Deadline

_CHECK_EVERY = 512


@contextmanager
def opened(folder: str) -> Iterator[int | None]:
    """A descriptor of the folder, for looks at what lies below it; None where paths have to be absolute.

    The system need not find its way to the folder anew for each of thousands of files, which takes a tenth of a look.
    """
    descriptor = None
    if os.stat in os.supports_dir_fd:
        with suppress(OSError):  # it is gone, or there are too many open files; each look will tell
            descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def any_differs(paths: Sequence[str], times: Sequence[int], below: int | None, deadline: Deadline | None) -> bool:
    """True when one of these is gone or has another time; what the deadline leaves no time for counts as unchanged."""
    stat, rows = os.stat, zip(paths, times, strict=True)
    for _ in _strides(len(paths), deadline):
        for path, time in islice(rows, _CHECK_EVERY):
            try:
                if stat(path, dir_fd=below).st_mtime_ns != time:
                    return True
            except OSError:
                return True
    return False


def differing(
    paths: Sequence[str], sizes: Sequence[int], times: Sequence[int], below: int | None, deadline: Deadline | None
) -> Iterator[tuple[int, os.stat_result | None]]:
    """The positions of those whose size or time differ, with what they are now: None for what is gone."""
    stat, rows = os.stat, enumerate(zip(paths, sizes, times, strict=True))
    for _ in _strides(len(paths), deadline):
        for position, (path, size, time) in islice(rows, _CHECK_EVERY):
            try:
                now = stat(path, dir_fd=below)
            except OSError:
                yield position, None
                continue
            if now.st_mtime_ns != time or now.st_size != size:
                yield position, now


def _strides(count: int, deadline: Deadline | None) -> Iterator[int]:
    for start in range(0, count, _CHECK_EVERY):
        if deadline is not None and deadline.passed():
            return
        yield start
