"""Work beside an event loop, in a thread that keeps no process alive."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def off_loop(work: Callable[[], T], within_s: float) -> T:
    """What `work` returns, computed in a daemon thread while the loop goes on. TimeoutError after `within_s` seconds.

    The loop's own executor would do for the loop, but its threads are waited for when the host wants to leave.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)  # type: ignore[arg-type]  # there is a value where there is no error

    def run() -> None:
        value, error = None, None
        try:
            value = work()
        except Exception as caught:  # noqa: BLE001 - it is raised again where it is awaited
            error = caught
        try:
            loop.call_soon_threadsafe(settle, value, error)
        except RuntimeError:  # the loop has ended; nobody waits any more
            return

    threading.Thread(target=run, name="skillcaddy-call", daemon=True).start()
    return await asyncio.wait_for(future, within_s)
