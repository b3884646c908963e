"""The one reader of model replies: the JSON object in whatever a model writes around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_LONGEST = 100_000
_LONGEST_ANSWER = 20_000
_MOST_TRIES = 50
_MOST_NESTED = 200
_THOUGHT_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\b[^<>]{0,200}>", re.IGNORECASE)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)

Fields = Mapping[str, Any]


def reply_object(reply: object, accepts: Callable[[Fields], bool]) -> dict[str, Any] | None:
    """The object of a reply that `accepts` takes, None where there is none; never raises for any text.

    Thoughts are no part of the answer. Fences, a preamble, prose behind and other objects do no harm: the last object
    that is accepted counts, since models correct themselves forwards. An object around it that is not accepted is
    opened; one that breaks off is not, for what stands in it is not all that was to stand there.
    """
    if not isinstance(reply, str):
        return None
    answer = None
    for found in _objects(_spoken(reply[-_LONGEST:])):
        for candidate in _opened(found):
            if accepts(candidate):
                answer = candidate
                break
    return answer


def _spoken(reply: str) -> str:
    """The reply without thoughts: those left open, and those whose opening tag stood in the prompt, included."""
    spoken: list[str] = []
    at, inside = 0, False
    for tag in _THOUGHT_TAG.finditer(reply):
        if tag[1]:
            if not inside:
                spoken.clear()  # the tag that opened it was no part of the reply
            inside, at = False, tag.end()
        elif not inside:
            spoken.append(reply[at : tag.start()])
            inside = True
    if not inside:
        spoken.append(reply[at:])
    return " ".join(spoken)[-_LONGEST_ANSWER:]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in the text, in their order."""
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _MOST_TRIES:
        tries += 1
        value, end, broken_off = _decoded(text, at)
        if value is not None:
            yield value
            at = text.find("{", end)
        elif broken_off:
            return
        else:
            at = text.find("{", at + 1)


_DECODER = json.JSONDecoder(strict=False)  # models write line ends inside strings


def _decoded(text: str, at: int) -> tuple[dict[str, Any] | None, int, bool]:
    """The object that begins here, where it ends, and, where there is none, whether it only breaks off."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return (value, end, False) if isinstance(value, dict) else (None, at + 1, False)
    except json.JSONDecodeError as error:
        if _breaks_off(text, at, error):
            return None, at + 1, True
    except (RecursionError, ValueError):
        return None, at + 1, True
    end = _closing(text, at)
    if end < 0:
        return None, at + 1, False
    try:
        mended = _DECODER.decode(_STRING_OR_COMMA.sub(_without_comma, text[at:end]))
    except (ValueError, RecursionError):
        return None, at + 1, False
    return (mended, end, False) if isinstance(mended, dict) else (None, at + 1, False)


def _breaks_off(text: str, at: int, error: json.JSONDecodeError) -> bool:
    """True where the text ends inside what has begun as an object: a brace in prose has not."""
    if not text[at + 1 :].lstrip().startswith('"'):
        return False
    return error.msg.startswith("Unterminated string") or not text[error.pos :].strip("` \t\r\n")


def _closing(text: str, at: int) -> int:
    """Where the brace at this place is closed, -1 if nowhere."""
    depth, inside, position = 0, False, at
    while position < len(text):
        sign = text[position]
        if inside:
            if sign == "\\":
                position += 1
            elif sign == '"':
                inside = False
        elif sign == '"':
            inside = True
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return -1


def _without_comma(found: re.Match[str]) -> str:
    return "" if found[0] == "," else found[0]


def _opened(value: Any) -> Iterator[dict[str, Any]]:
    """The object itself, then those in it, the outer ones first."""
    waiting, seen = [value], 0
    while waiting and seen < _MOST_NESTED:
        seen += 1
        current = waiting.pop(0)
        if isinstance(current, dict):
            yield current
            waiting += current.values()
        elif isinstance(current, list):
            waiting += current
