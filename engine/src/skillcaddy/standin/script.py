"""What the stand-in says: replies as data, and the script that hands them out by count, whatever was said last."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skillcaddy.standin.reading import Recorded, all_text, rounds, tool_names

CANARY = r"\b[A-Z]+-[A-Za-z0-9]*[0-9][A-Za-z0-9]*\b"
"""What `echo()` repeats by default: words such as CANARY-7f3a."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One answer of the model, or one way of not answering."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    """Tools to call, each with its arguments; a text is sent as the arguments as it stands, broken or not."""
    anyway: bool = False
    """Call a tool even though it was not offered; else such a reply is passed over."""
    echo: str = ""
    """A pattern: the text is whatever in the request matches it."""
    status: int = 200
    """Anything but 200 is an error answer with `text` as its message."""
    delay_s: float = 0.0
    """Seconds before the first byte."""
    cut: bool = False
    """Break the connection in the middle of the answer."""
    raw: str | None = None
    """This body, as it stands, in place of what the protocol asks for."""
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: tuple[int, int] | None = None
    """Tokens in and out to claim; None estimates them from the sizes."""


Answer = Reply | str
Script = Sequence[Answer] | Callable[[Recorded], Answer]


def say(text: str) -> Reply:
    """An ordinary answer."""
    return Reply(text=text)


def call(name: str, /, *, anyway: bool = False, **arguments: Any) -> Reply:
    """A tool call; the offered tool may have a prefix before the name, as MCP clients give it one."""
    return Reply(calls=((name, arguments),), anyway=anyway)


def echo(pattern: str = CANARY) -> Reply:
    """An answer that repeats, once each, the matches found anywhere in the request; `ECHO none` without any."""
    return Reply(echo=pattern)


def fail(status: int = 500, message: str = "the stand-in was told to fail", **headers: str) -> Reply:
    """An error answer; `retry_after="3"` sets the header Retry-After."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Reply(status=status, text=message, headers=named)


def slow(reply: Answer, seconds: float) -> Reply:
    """The same answer after that many seconds."""
    return replace(as_reply(reply), delay_s=seconds)


def cut(reply: Answer) -> Reply:
    """The first half of that answer, then a broken connection."""
    return replace(as_reply(reply), cut=True)


def as_reply(answer: Answer) -> Reply:
    """A bare text is an ordinary answer."""
    return say(answer) if isinstance(answer, str) else answer


def from_json(text: str) -> list[Reply]:
    """A script out of a JSON list: texts, and objects with the fields of Reply (or `call` and `arguments`).

    Raises ValueError, with the place, for anything else.
    """
    script: list[Reply] = []
    rows = json.loads(text)
    if not isinstance(rows, list):
        raise ValueError(f"a script is a list of replies, not a {type(rows).__name__}")
    for number, row in enumerate(rows):
        if isinstance(row, str):
            script.append(say(row))
            continue
        try:
            fields = dict(row)
            if "call" in fields:
                fields["calls"] = ((fields.pop("call"), fields.pop("arguments", {})),)
            script.append(Reply(**fields))
        except (TypeError, ValueError) as error:
            raise ValueError(f"reply {number} of the script: {error}") from error
    return script


class Player:
    """Hands out the replies of a script in order, one a request, within limits that no script can exceed."""

    def __init__(self, script: Script, *, after: Answer, side: Answer | None, per_turn: int, most: int) -> None:
        self._script, self._after, self._side = script, after, side
        self._per_turn, self._most = per_turn, most
        self._lock = threading.Lock()
        self._next = 0
        self._served = 0
        self._turns: dict[tuple[Any, ...], int] = {}
        self.problems: list[str] = []

    def reply(self, request: Recorded) -> Reply:
        """The answer to this request, names of tools and echoes filled in."""
        with self._lock:
            refusal = self._over_limit(request)
            if refusal is not None:
                return refusal
            if self._side is not None and not tool_names(request):
                return _filled(as_reply(self._side), request)
            if callable(self._script):
                return _filled(as_reply(self._script(request)), request)
            while self._next < len(self._script):
                wanted = as_reply(self._script[self._next])
                self._next += 1
                if wanted.anyway or all(_offered(name, request) for name, _ in wanted.calls):
                    return _filled(wanted, request)
            return _filled(as_reply(self._after), request)

    def _over_limit(self, request: Recorded) -> Reply | None:
        """A client in a loop gets a plain last answer, then a refusal that no client repeats."""
        self._served += 1
        turn = rounds(request)
        self._turns[turn] = self._turns.get(turn, 0) + 1
        if self._served > self._most or self._turns[turn] > 2 * self._per_turn:
            self.problems.append(f"request {self._served} was refused: the client seems to be in a loop")
            return Reply(status=400, text=self.problems[-1])
        if self._turns[turn] > self._per_turn:
            self.problems.append(f"a turn took more than {self._per_turn} requests and was ended")
            return say("The stand-in ended this turn: too many requests.")
        return None


def _offered(name: str, request: Recorded) -> str:
    """The offered tool that is meant: of that name, or with something before it; "" where there is none."""
    names = tool_names(request)
    ends = (f"__{name}", f".{name}", f"/{name}", f":{name}", f"-{name}")
    return name if name in names else next((each for each in names if each.endswith(ends)), "")


def _filled(reply: Reply, request: Recorded) -> Reply:
    if reply.echo:
        found = dict.fromkeys(match.group(0) for match in re.finditer(reply.echo, all_text(request)))
        reply = replace(reply, text="ECHO " + (" ".join(found) or "none"), echo="")
    calls = tuple((_offered(name, request) or name, arguments) for name, arguments in reply.calls)
    return replace(reply, calls=calls)
