"""Small JSON records in the state folder: written whole or not at all, private, and sealed by a checksum."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from skillcaddy.digest import digest

_LARGEST = 4_000_000


def read_sealed(path: Path) -> dict[str, Any] | None:
    """The record, or None where there is none that is whole, ours and private; never raises."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if found.st_size > _LARGEST:
                return None
            if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
                return None  # someone else could have written it
            seal, _, body = file.read().partition(b"\n")
        if seal.decode("ascii") != digest(body):
            return None
        record = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def write_sealed(path: Path, record: dict[str, Any], *, keep: int) -> bool:
    """Put the record in its place at once and keep the newest `keep` of the folder; False where it can't be stored."""
    aside = path.with_name(f"{path.stem}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        body = json.dumps(record).encode("ascii")
        seal = digest(body).encode("ascii")
        with contextlib.suppress(FileNotFoundError):
            aside.unlink()  # left by a killed process that had our id
        # O_EXCL follows no link that somebody else put there
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(seal + b"\n" + body)
        aside.replace(path)
        _prune(path.parent, keep)
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            aside.unlink()
        return False
    return True


def _prune(folder: Path, keep: int) -> None:
    ages: list[tuple[int, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process prunes too
                ages.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    for _, old in sorted(ages, reverse=True)[keep:]:
        with contextlib.suppress(OSError):
            Path(old).unlink()
