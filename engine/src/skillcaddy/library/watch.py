"""Told by the operating system when something below the roots changes: large libraries need no sweep a query then."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Sequence

_STEP_MS = 20
_DEBOUNCE_MS = 100
_LEAVE_S = 0.5
_live: weakref.WeakSet[Watcher] = weakref.WeakSet()


def _stop_all() -> None:
    """Releases of watchfiles before 1.3 abort the whole process when it ends while one of their watches runs."""
    for watcher in list(_live):
        watcher.close()
    for watcher in list(_live):
        watcher.join(_LEAVE_S)


class Watcher:
    """Watches folders from a daemon thread; where that is impossible it says so and the caller sweeps by time."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(roots)
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._alive = False
        self._thread = threading.Thread(target=self._run, name="skillcaddy-watch", daemon=True)
        if not _live:
            atexit.register(_stop_all)
        _live.add(self)
        self._thread.start()

    def changed(self) -> bool:
        """True when something changed since the last `reset`, or when nobody is watching."""
        return self._changed.is_set() or not self._alive

    def watching(self) -> bool:
        """Whether the operating system is telling us of changes."""
        return self._alive

    def reset(self) -> None:
        """Count changes from now on; call it before looking at the disk, so that none falls between."""
        self._changed.clear()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._alive = False

    def join(self, timeout_s: float) -> None:
        """Wait until the thread has ended, after `close`."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            from watchfiles import watch  # late: only long-lived processes with large libraries pay for it

            changes = watch(
                *self._roots,
                watch_filter=None,
                step=_STEP_MS,
                debounce=_DEBOUNCE_MS,
                stop_event=self._stop,
                rust_timeout=1000,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            for found in changes:
                # The first yield, if only of the time-out, proves that the watch is set up.
                if found or not self._alive:
                    self._changed.set()
                self._alive = not self._stop.is_set()
        except Exception:  # noqa: BLE001 - too many folders for the system, a network file system: sweep instead
            self._alive = False
