"""Calls that have come in, and the crew of daemon threads that works them off with bounded memory."""

from __future__ import annotations

import threading
from collections import deque

from skillcaddy.rpc_messages import RpcError, error_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sized
    from typing import Any

    from skillcaddy.rpc import Peer

_QUEUE_BYTES = 64 * 1024 * 1024


class Call:
    """One incoming request or notification; what a handler returns is the reply, what it raises is the error."""

    __slots__ = ("_answer", "_answered", "_lock", "cancelled", "id", "method", "params", "peer", "size")

    def __init__(
        self, peer: Peer, method: str, params: Any, id_: Any, size: int, answer: Callable[[dict[str, Any] | None], None]
    ) -> None:
        self.peer = peer
        self.method = method
        self.params = params
        """An object, a list, or {} where none came."""
        self.id = id_
        """None for a notification."""
        self.size = size
        self.cancelled = threading.Event()
        """Set once the other side no longer wants the answer; long work should look at it."""
        self._answer = answer
        self._answered = False
        self._lock = threading.Lock()

    def reply(self, result: Any = None, error: RpcError | None = None, *, silent: bool = False) -> None:
        """Answer now; only the first answer counts. `silent` settles the call without a word on the wire."""
        with self._lock:
            if self._answered:
                return
            self._answered = True
        if silent or self.id is None:
            self._answer(None)
        elif error is not None:
            self._answer(error_reply(self.id, error))
        else:
            self._answer({"jsonrpc": "2.0", "id": self.id, "result": result})


class Crew:
    """At most `workers` daemon threads, started when needed, and a queue of at most `backlog` calls before them."""

    def __init__(self, workers: int, backlog: int) -> None:
        self.change = threading.Condition()
        """Held to look at or change anything here; the peer's own calls are kept under it too."""
        self.closed = False
        self._workers, self._backlog = workers, backlog
        self._queue: deque[tuple[Call, Callable[[], object]]] = deque()
        self._queued_bytes = 0
        self._threads = self._waiting = self._unsettled = 0
        self._running: dict[Any, Call] = {}

    def take(self, call: Call, work: Callable[[], object], unless: Sized) -> bool:
        """Queue a call; while the queue is full wait, but give up with False once `unless` holds something."""
        with self.change:
            self.change.wait_for(lambda: self._room(call) or unless)
            if not self._room(call):
                return False
            self._queue.append((call, work))
            self._queued_bytes += call.size
            self._unsettled += 1
            if call.id is not None:
                self._running[call.id] = call
            if self._waiting < len(self._queue) and self._threads < self._workers:
                self._threads += 1
                threading.Thread(target=self._work, name=f"rpc-{self._threads}", daemon=True).start()
            self.change.notify_all()
            return True

    def find(self, id_: Any) -> Call | None:
        """The queued or running call of that id."""
        with self.change:
            return self._running.get(id_)

    def idle(self, wait_s: float) -> bool:
        """True as soon as nothing is queued or running, False after this many seconds."""
        with self.change:
            return self.change.wait_for(lambda: not self._unsettled, timeout=wait_s)

    def close(self) -> None:
        """Let the threads end once the queue is empty."""
        with self.change:
            self.closed = True
            self.change.notify_all()

    def _room(self, call: Call) -> bool:
        fits = self._queued_bytes + call.size <= _QUEUE_BYTES or not self._queue
        return fits and len(self._queue) < self._backlog

    def _work(self) -> None:
        while True:
            with self.change:
                self._waiting += 1
                self.change.wait_for(lambda: self._queue or self.closed)
                self._waiting -= 1
                if not self._queue:
                    self._threads -= 1
                    return
                call, work = self._queue.popleft()
                self._queued_bytes -= call.size
                self.change.notify_all()
            if not call.cancelled.is_set():
                work()
            with self.change:
                self._unsettled -= 1
                if self._running.get(call.id) is call:
                    del self._running[call.id]
                self.change.notify_all()
