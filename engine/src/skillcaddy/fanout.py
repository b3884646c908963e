"""Calls that may hang, spin or block their loop, made in daemon threads that are left behind at the deadline."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import Context
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from skillcaddy.deadline import Deadline

_MOST_IDLE = 8


class Outcome(NamedTuple):
    """How one call ended: with a value, with an error, or abandoned because it outlived the deadline."""

    value: Any = None
    error: BaseException | None = None
    abandoned: bool = False
    elapsed_ms: float = 0.0
    busy: Callable[[], bool] | None = None
    """Says whether an abandoned call is still going on."""


def call_all(calls: Sequence[Callable[[], Any]], deadline: Deadline) -> list[Outcome]:
    """The outcomes of all calls, in their order, as soon as all have ended and never later than the deadline.

    Each call has a daemon thread to itself, so a call that never returns costs nothing but that thread; what a call
    returns may be awaitable, it is then run in a loop that belongs to that thread. Nothing is raised here: even
    `SystemExit` or a native panic inside a call becomes that call's error.
    """
    started = time.perf_counter()
    ended: SimpleQueue[_Call] = SimpleQueue()
    made = [_Call(call, ended, started) for call in calls]
    for one in made:
        _give(one)
    try:
        for _ in made:
            ended.get(timeout=deadline.left())
    except Empty:
        pass
    outcomes = [one.outcome for one in made]
    return [
        outcome or Outcome(abandoned=True, elapsed_ms=_since(started), busy=one.busy)
        for one, outcome in zip(made, outcomes, strict=True)
    ]


class _Call:
    """One call and, once it has ended, its outcome."""

    def __init__(self, call: Callable[[], Any], ended: SimpleQueue[_Call], started: float) -> None:
        self.outcome: Outcome | None = None
        self._call = call
        self._ended = ended
        self._started = started

    def busy(self) -> bool:
        return self.outcome is None

    def run(self) -> None:
        try:
            # In a context of its own, so that what a guest sets is gone when the thread takes the next call.
            value = Context().run(_value_of, self._call)
            self.outcome = Outcome(value=value, elapsed_ms=_since(self._started))
        except BaseException as error:  # noqa: BLE001 - a guest's SystemExit or panic must not end the host
            self.outcome = Outcome(error=error, elapsed_ms=_since(self._started))
        self._ended.put(self)


class _Hand(threading.Thread):
    """A thread that takes one call after another; while one lasts, nobody else has a claim on it."""

    def __init__(self) -> None:
        super().__init__(name="skillcaddy-call", daemon=True)
        self.calls: SimpleQueue[_Call] = SimpleQueue()

    def run(self) -> None:
        while True:
            self.calls.get().run()
            if len(_IDLE) >= _MOST_IDLE:
                return
            _IDLE.append(self)


# Starting a thread costs a warm query a tenth of its time. Appending and popping need no lock.
_IDLE: list[_Hand] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE.clear)  # a forked process has none of its parent's threads


def _give(call: _Call) -> None:
    try:
        hand = _IDLE.pop()
    except IndexError:
        hand = _Hand()
        hand.start()
    hand.calls.put(call)


def _value_of(call: Callable[[], Any]) -> Any:
    value = call()
    return _await(value) if hasattr(value, "__await__") else value


def _await(value: Any) -> Any:
    import asyncio  # late: most sources are plain functions, and the import costs a hook 20 ms

    async def outcome() -> Any:
        return await value

    return asyncio.run(outcome())


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
