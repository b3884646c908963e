"""Calls that may hang, spin or block their loop, made in daemon threads that are left behind at the deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skillcaddy.deadline import Deadline


class Outcome(NamedTuple):
    """How one call ended: with a value, with an error, or abandoned because it outlived the deadline."""

    value: Any = None
    error: BaseException | None = None
    abandoned: bool = False
    elapsed_ms: float = 0.0
    thread: threading.Thread | None = None
    """The thread that is still busy with an abandoned call."""


def call_all(calls: Sequence[Callable[[], Any]], deadline: Deadline) -> list[Outcome]:
    """The outcomes of all calls, in their order, as soon as all have ended and never later than the deadline.

    Each call runs in a daemon thread of its own, so a call that never returns costs nothing but that thread; what a
    call returns may be awaitable, it is then run in a loop that belongs to that thread. Nothing is raised here: even
    `SystemExit` or a native panic inside a call becomes that call's error.
    """
    started = time.perf_counter()
    done: dict[int, Outcome] = {}
    changed = threading.Condition()

    def run(position: int, call: Callable[[], Any]) -> None:
        try:
            value = call()
            if hasattr(value, "__await__"):
                value = _await(value)
            outcome = Outcome(value=value, elapsed_ms=_since(started))
        except BaseException as error:  # noqa: BLE001 - a guest's SystemExit or panic must not end the host
            outcome = Outcome(error=error, elapsed_ms=_since(started))
        with changed:
            done[position] = outcome
            changed.notify()

    threads: list[threading.Thread] = []
    for position, call in enumerate(calls):
        thread = threading.Thread(target=run, args=(position, call), name=f"skillcaddy-call-{position}", daemon=True)
        threads.append(thread)
        thread.start()
    with changed:
        changed.wait_for(lambda: len(done) == len(calls), timeout=deadline.left())
        finished = dict(done)
    return [
        finished.get(position) or Outcome(abandoned=True, elapsed_ms=_since(started), thread=thread)
        for position, thread in enumerate(threads)
    ]


def _await(value: Any) -> Any:
    import asyncio  # late: most sources are plain functions, and the import costs a hook 20 ms

    async def outcome() -> Any:
        return await value

    return asyncio.run(outcome())


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
