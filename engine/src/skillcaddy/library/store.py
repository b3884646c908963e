"""Where indexes live on disk, and how one is replaced without a reader ever seeing half of it.

One folder for each (ordered set of resolved roots, analyzer version, schema version, tantivy version), so that hosts
with different versions of skillcaddy do not rebuild each other's. Inside it `current` names the generation in use;
a rebuild is written aside and renamed, an increment is one tantivy commit followed by one manifest rename. Between
those two a crash is harmless: the next sweep finds the same files changed and puts them in again.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import tantivy

from skillcaddy.digest import blake2b
from skillcaddy.frozen import dataclass
from skillcaddy.library.analyze import ANALYZER_VERSION
from skillcaddy.library.index import SCHEMA_VERSION, Index, IndexDamagedError
from skillcaddy.library.manifest import Manifest, write_atomically

_STALE_AFTER_S = 30 * 24 * 3600
_LEFTOVER_AFTER_S = 3600
_OPEN_ATTEMPTS = 4


@dataclass(frozen=True, kw_only=True)
class Generation:
    """An index on disk, open, with the manifest of what it holds."""

    folder: Path
    index: Index
    manifest: Manifest
    signature: tuple[str, int] = ("", 0)
    """(name, time of its manifest), by which a later change by another process is seen."""


class StoreBusyError(Exception):
    """Another process is writing this index."""


class Store:
    """The folder of one library's index below a state folder; making one touches nothing on disk."""

    def __init__(self, state: Path, roots: Sequence[str]) -> None:
        self.roots = tuple(os.path.realpath(root) for root in roots)
        key = json.dumps([self.roots, ANALYZER_VERSION, SCHEMA_VERSION, getattr(tantivy, "__version__", "")])
        self.state = state
        self.parent = state / "index"
        self.folder = self.parent / blake2b(key.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()

    def open(self) -> Generation | None:
        """The generation in use, or None where there is none yet; raises IndexDamagedError when it can't be used."""
        for attempt in range(_OPEN_ATTEMPTS):
            name = self._current()
            if name is None:
                return None
            folder = self.folder / name
            try:
                signature = self._signature(name)
                index, manifest = Index.open(folder), Manifest.load(folder / "manifest.json")
                return Generation(folder=folder, index=index, manifest=manifest, signature=signature)
            except (OSError, ValueError, IndexDamagedError) as error:
                # Another process may be replacing or merging what we look at; only a lasting fault is damage.
                if attempt == _OPEN_ATTEMPTS - 1:
                    raise IndexDamagedError(f"{folder}: {error}") from error
                time.sleep(0.01 * (attempt + 1))
        return None

    def changed_since(self, generation: Generation) -> bool:
        """True when another process has replaced or extended a generation opened earlier; two cheap file looks."""
        try:
            name = self._current()
            return name is None or self._signature(name) != generation.signature
        except (OSError, IndexDamagedError):
            return True

    def _signature(self, name: str) -> tuple[str, int]:
        return name, (self.folder / name / "manifest.json").stat().st_mtime_ns

    def writable(self) -> bool:
        """Whether an index could be stored here."""
        folder = self.folder
        while not folder.exists():
            if folder == folder.parent:
                return False
            folder = folder.parent
        return os.access(folder, os.W_OK | os.X_OK)

    def _current(self) -> str | None:
        try:
            name = (self.folder / "current").read_text(encoding="utf-8").strip()
        except OSError:
            return None  # nothing there, or nothing that can be read; writing will say what is wrong
        except ValueError as error:
            raise IndexDamagedError(f"{self.folder / 'current'}: {error}") from error
        if not name.startswith("generation-") or "/" in name or os.sep in name:
            raise IndexDamagedError(f"{self.folder / 'current'}: names {name[:80]!r}, which is no generation")
        return name

    @contextmanager
    def locked(self, timeout_s: float = 0.0) -> Iterator[None]:
        """Hold the right to write; StoreBusyError when another process has it, OSError when there can be no folder."""
        from filelock import FileLock, Timeout  # late: only writers need it, and it is slow to import

        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(str(self.folder / "lock"), timeout=timeout_s)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreBusyError(str(self.folder)) from error
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def aside(self) -> Iterator[Path]:
        """A new, empty folder to build a generation in; it is gone afterwards unless it was published."""
        folder = self.folder / f"building-{os.getpid()}-{os.urandom(4).hex()}"
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, built: Path) -> Path:
        """Make a complete generation built aside the one in use; returns its folder. Hold the lock."""
        name = f"generation-{time.time_ns():x}-{os.urandom(2).hex()}"
        target = self.folder / name
        built.rename(target)
        write_atomically(self.folder / "current", f"{name}\n".encode())
        self._sweep_out(keep=name)
        return target

    def _sweep_out(self, keep: str) -> None:
        # Readers that still map a removed generation keep its pages; those about to open it look again.
        for folder in self.folder.glob("generation-*"):
            if folder.name != keep:
                shutil.rmtree(folder, ignore_errors=True)
        for folder in self.folder.glob("building-*"):
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > _LEFTOVER_AFTER_S:
                    shutil.rmtree(folder, ignore_errors=True)

    def note_use(self) -> None:
        """Remember, at most once a day, that this index is in use, so that pruning leaves it alone."""
        with suppress(OSError):
            if time.time() - self.folder.stat().st_mtime > 24 * 3600:
                os.utime(self.folder)

    def prune(self) -> int:
        """Remove indexes that nobody used for a month; returns how many. Never raises."""
        removed = 0
        with suppress(OSError):
            for folder in self.parent.iterdir():
                if folder == self.folder or not folder.is_dir():
                    continue
                with suppress(OSError):
                    if time.time() - folder.stat().st_mtime > _STALE_AFTER_S:
                        shutil.rmtree(folder, ignore_errors=True)
                        removed += 1
        return removed
