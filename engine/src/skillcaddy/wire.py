"""Lines over stdin and stdout that nothing else in the process can disturb: the floor under `rpc.py`.

Standard library only, and little of it: a server must answer its first line a few milliseconds after it was started.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

MAX_LINE = 64 * 1024 * 1024
_CHUNK = 256 * 1024


def lines(read: Callable[[int], bytes], limit: int = MAX_LINE) -> Iterator[bytes | None]:
    """The lines of a byte stream without their newlines, as they come; None stands for a line longer than `limit`.

    `read(n)` gives up to n bytes and b"" at the end; an error of the stream is its end. A last line without a newline
    counts. An overlong line is thrown away while it is read, so it costs no memory.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            chunk = read(_CHUNK)
        except (OSError, ValueError):
            chunk = b""
        if not chunk:
            break
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            size += end - start
            parts.append(chunk[start:end])
            yield b"".join(parts) if size <= limit else None
            parts, size, start = [], 0, end + 1
        size += len(chunk) - start
        if size <= limit:
            parts.append(chunk[start:])
        else:
            parts = []
    if size:
        yield b"".join(parts) if size <= limit else None


class Stdio:
    """The process's own stdin and stdout, taken away from everybody else.

    After `take()` descriptor 1 and `sys.stdout` lead to stderr and descriptor 0 is empty, so a stray print, a C
    library's message or a child process can neither write into the protocol nor read from it.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink

    @classmethod
    def take(cls) -> Stdio:
        """Take both streams over; done once, by the process's entry point."""
        if sys.stdout is not None:
            sys.stdout.flush()
        # os.dup gives descriptors that children do not inherit: a child left behind cannot keep the wire open.
        source, sink = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDWR)
        os.dup2(empty, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # started without a stderr
            os.dup2(empty, 1)
        os.close(empty)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
        if sys.stderr is not None:
            sys.stdout = sys.stderr
        if os.name == "nt":
            import msvcrt

            for descriptor in (source, sink):
                msvcrt.setmode(descriptor, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]
        else:
            os.set_blocking(source, True)
            os.set_blocking(sink, True)
        return cls(source, sink)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes as soon as there are any; b"" once the other side has closed."""
        return os.read(self._source, size)

    def write(self, data: bytes) -> None:
        """Write all of it; raises OSError once nobody reads any more."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._sink, view[:_CHUNK]) :]

    def settle(self, wait_s: float) -> None:
        """Wait until the reader has taken all that was written, at most `wait_s` seconds.

        For a host that drops what it has not read when the process ends: it must read before we may end.
        """
        try:
            import fcntl
            import stat
            import termios

            kind = os.fstat(self._sink).st_mode
            ask = termios.FIONREAD if stat.S_ISFIFO(kind) else termios.TIOCOUTQ if stat.S_ISSOCK(kind) else None
            until = time.monotonic() + wait_s
            while ask is not None and any(fcntl.ioctl(self._sink, ask, bytes(4))) and time.monotonic() < until:
                time.sleep(0.001)
        except (ImportError, AttributeError, OSError):
            return  # a system that can't tell

    def unread(self) -> bool:
        """True when the reader of our output is known to be gone."""
        try:
            import select

            poll = select.poll()
            poll.register(self._sink, 0)  # errors and hang-ups are always reported
            return bool(poll.poll(0))
        except (ImportError, AttributeError, OSError, ValueError):
            return False


def leave(code: int = 0) -> NoReturn:
    """End the process now, whatever its threads are doing; what was printed to stderr gets out first."""
    for stream in (sys.stderr, sys.__stdout__):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


def complain(text: str) -> None:
    """One line on stderr, which is never part of the protocol; silence where there is no stderr."""
    try:
        sys.stderr.write(f"skillcaddy: {text[:2000]}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
