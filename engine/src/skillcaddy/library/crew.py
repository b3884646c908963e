"""Reading many files of a library with several processes at once: this one, and children that share its work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from skillcaddy.library.documents import Reading, read_document
from skillcaddy.library.manifest import Located

_CHUNK = 128
_CHILDREN_PAY_ABOVE = 2000
_LOOKS_FOR_THE_DEAD_S = 1.0


class Crew:
    """The readings of some files, in no particular order; a context manager, entered before any thread is started.

    With `workers` above 1 and enough files, `workers - 1` child processes read along. Whoever is free takes the next
    chunk, so nobody waits for the slowest; what a child that dies had taken is read again here.
    """

    def __init__(self, files: Sequence[Located], roots: tuple[str, ...], workers: int) -> None:
        self._chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
        self._roots = roots
        self._children: list[Any] = []
        self._wanted = workers - 1 if len(files) >= _CHILDREN_PAY_ABOVE else 0

    def __enter__(self) -> Crew:
        if self._wanted > 0:
            from multiprocessing import get_context

            # A fork shares what this process has imported and surveyed, but is safe only where it has no threads yet.
            alone = sys.platform == "linux" and threading.active_count() == 1
            context: Any = get_context("fork" if alone else "spawn")
            self._tickets, self._results = context.SimpleQueue(), context.Queue()
            for number in range(len(self._chunks)):
                self._tickets.put(number)
            for _ in range(self._wanted + 1):
                self._tickets.put(None)
            job = (self._tickets, self._results, self._chunks, self._roots)
            self._children = [context.Process(target=_work, args=job, daemon=True) for _ in range(self._wanted)]
            for child in self._children:
                child.start()
        return self

    def __exit__(self, *reason: object) -> None:
        for child in self._children:
            if reason[0] is not None:
                child.terminate()
            child.join()

    def __iter__(self) -> Iterator[list[Reading]]:
        if not self._children:
            for chunk in self._chunks:
                yield _read(chunk, self._roots)
            return
        missing = set(range(len(self._chunks)))
        while (number := self._tickets.get()) is not None:
            yield _read(self._chunks[number], self._roots)
            missing.discard(number)
            for done, readings in self._finished():
                missing.discard(done)
                yield readings
        while missing:
            for done, readings in self._finished(wait_s=_LOOKS_FOR_THE_DEAD_S):
                missing.discard(done)
                yield readings
            if missing and not any(child.is_alive() for child in self._children):
                for number in sorted(missing):
                    yield _read(self._chunks[number], self._roots)
                return

    def _finished(self, wait_s: float = 0.0) -> Iterator[tuple[int, list[Reading]]]:
        """What the children have ready, waiting for the first of it at most so long."""
        from queue import Empty

        with suppress(Empty):
            if wait_s:
                yield self._results.get(timeout=wait_s)
            while True:
                yield self._results.get_nowait()


def _work(tickets: Any, results: Any, chunks: Sequence[Sequence[Located]], roots: tuple[str, ...]) -> None:
    while (number := tickets.get()) is not None:
        results.put((number, _read(chunks[number], roots)))


def _read(chunk: Sequence[Located], roots: tuple[str, ...]) -> list[Reading]:
    return [read_document(located, roots) for located in chunk]
