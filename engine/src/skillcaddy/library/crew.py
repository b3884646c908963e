"""Reading many files of a library with several processes at once: this one, and children that share its work."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from skillcaddy.library.documents import Reading, read_document
from skillcaddy.library.manifest import Located

_CHUNK = 128
_CHILDREN_PAY_ABOVE = 2000


class Crew:
    """The readings of some files, in no particular order; a context manager, entered before any thread is started.

    With `workers` above 1 and enough files, `workers - 1` child processes read along. Whoever is free takes the next
    chunk, so nobody waits for the slowest; what a child that dies had taken is read again here.
    """

    def __init__(self, files: Sequence[Located], roots: tuple[str, ...], workers: int) -> None:
        self._chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
        self._roots = roots
        self._children: dict[Any, Any] = {}
        self._wanted = workers - 1 if len(files) >= _CHILDREN_PAY_ABOVE else 0

    def __enter__(self) -> Crew:
        if self._wanted > 0:
            from multiprocessing import get_context

            # A fork shares what this process has imported and surveyed, but is safe only where it has no threads yet.
            alone = sys.platform == "linux" and threading.active_count() == 1
            context: Any = get_context("fork" if alone else "spawn")
            self._tickets = context.SimpleQueue()
            for number in [*range(len(self._chunks)), *[None] * (self._wanted + 1)]:
                self._tickets.put(number)
            for _ in range(self._wanted):
                ours, theirs = context.Pipe(duplex=False)
                job = (self._tickets, theirs, self._chunks, self._roots)
                child = context.Process(target=_work, args=job, daemon=True)
                child.start()
                theirs.close()  # the child's death then ends the pipe, in the middle of a message too
                self._children[ours] = child
        return self

    def __exit__(self, *reason: object) -> None:
        for child in self._children.values():
            if reason[0] is not None:
                child.terminate()
            child.join()

    def __iter__(self) -> Iterator[list[Reading]]:
        if not self._children:
            for chunk in self._chunks:
                yield _read(chunk, self._roots)
            return
        missing = set(range(len(self._chunks)))
        busy = set(self._children)
        while (number := self._tickets.get()) is not None:
            yield _read(self._chunks[number], self._roots)
            missing.discard(number)
            for done, readings in _received(busy, wait_s=0.0):
                missing.discard(done)
                yield readings
        while busy:
            for done, readings in _received(busy):
                missing.discard(done)
                yield readings
        for number in sorted(missing):
            yield _read(self._chunks[number], self._roots)


def _received(busy: set[Any], wait_s: float | None = None) -> Iterator[tuple[int, list[Reading]]]:
    """What the children have ready, waiting for the first of it at most so long; those that are done leave `busy`."""
    from multiprocessing.connection import wait

    ready: Any
    for ready in wait(list(busy), wait_s):
        try:
            yield ready.recv()
        except (EOFError, OSError):
            busy.discard(ready)


def _work(tickets: Any, results: Any, chunks: Sequence[Sequence[Located]], roots: tuple[str, ...]) -> None:
    import signal
    from queue import SimpleQueue

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends its children
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    finished: SimpleQueue[Any] = SimpleQueue()
    # Sent from a thread of its own, since the one who receives reads files meanwhile and would be waited for.
    sender = threading.Thread(target=lambda: [results.send(done) for done in iter(finished.get, None)])
    sender.start()
    while (number := tickets.get()) is not None:
        finished.put((number, _read(chunks[number], roots)))
    finished.put(None)
    sender.join()


def _end_with_the_parent() -> None:
    """Ends this process once its parent is gone, killed perhaps: an orphan would hold the index's lock for ever."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _read(chunk: Sequence[Located], roots: tuple[str, ...]) -> list[Reading]:
    return [read_document(located, roots) for located in chunk]
