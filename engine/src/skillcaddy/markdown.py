"""Just enough Markdown: which lines are code, where a text may be cut, and how many tokens it costs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillcaddy.frozen import dataclass

# Any indentation counts: fences inside nested lists are far more common than fences quoted in indented code.
_FENCE = re.compile(r"^[ \t]*(?:[-*+>] +)?(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DENSE = (
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
"""Han, kana and hangul."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line with its line end; `fenced` for fence lines and what is between them; `fence` is what closes it."""

    text: str
    fenced: bool
    fence: str
    """The closing fence that is still needed after this line, "" outside code."""


def lines(text: str) -> Iterator[Line]:
    """The lines of the text in order; fences as CommonMark 0.31 section 4.5 has them, also inside list items."""
    marks = {start: mark for start, _, mark in _fences(text)}
    open_mark = ""
    for found in _LINE.finditer(text):
        mark = marks.get(found.start())
        fenced = bool(open_mark) or mark is not None
        if mark is not None:
            open_mark = mark
        yield Line(text=found[0], fenced=fenced, fence=open_mark)


def blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces that are code, fence lines included (True), or are not (False)."""
    at = 0
    for start, end, mark in _fences(text):
        yield (text[at:start], False) if mark else (text[at:end], True)
        at = start if mark else end
    yield text[at:], closed(text) is not text


def closed(text: str) -> str:
    """The text with the fence that it leaves open closed, else the same."""
    marks = [mark for _, _, mark in _fences(text)]
    return f"{text.rstrip(chr(10))}\n{marks[-1]}" if marks and marks[-1] else text


def _fences(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each line that opens or closes code starts and ends, and the fence that is open after it, or ""."""
    if "```" not in text and "~~~" not in text:
        return
    open_mark = ""
    for match in _FENCE.finditer(text):
        mark, info = match["mark"], match["info"]
        if not open_mark:
            # A backtick fence has no backtick in its info string; else it is inline code.
            if mark[0] == "`" and "`" in info:
                continue
            open_mark = mark
        elif mark[0] == open_mark[0] and len(mark) >= len(open_mark) and not info.strip():
            open_mark = ""
        else:
            continue
        yield match.start(), match.end() + 1, open_mark


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """The beginning of a text; `taken` counts the characters of the text in it (a closing fence is not one)."""

    text: str
    taken: int

    def whole(self, text: str) -> bool:
        """True when nothing of that text is missing."""
        return self.taken >= len(text)


def excerpt(text: str, limit: int) -> Excerpt:
    """As much of the text's beginning as fits `limit` characters, any closing fence included.

    It ends before a paragraph where that costs at most two fifths of the room, else before a line, else at a space,
    else where it must. Code that the cut leaves open is closed with the fence it was opened with.
    """
    if len(text) <= limit and len(whole := closed(text)) <= limit:
        return Excerpt(text=whole, taken=len(text))
    paragraph = line_end = 0
    line_fence = ""
    position = 0
    blank = True
    fence = ""
    for line in lines(text):
        if not fence and position and (blank or (line.fence and line.fenced)):
            paragraph = position
        position += len(line.text)
        fence = line.fence
        if position + (len(fence) + 1 if fence else 0) > limit:
            break
        blank = not line.text.strip()
        line_end, line_fence = position, fence
    if paragraph >= limit * 3 // 5 or (paragraph and paragraph == line_end):
        return Excerpt(text=text[:paragraph].rstrip(), taken=paragraph)
    if line_end:
        head = text[:line_end].rstrip("\n")
        return Excerpt(text=f"{head}\n{line_fence}" if line_fence else head.rstrip(), taken=line_end)
    head = text[: max(0, limit)]
    space = max(head.rfind(" "), head.rfind("。"), head.rfind("，"))
    taken = space + 1 if space >= limit // 2 else len(head)
    # The very first line is longer than the room: if it is a fence line, nothing of it can be shown whole.
    shown = head[:taken].rstrip()
    return Excerpt(text=shown, taken=taken) if closed(shown) == shown else Excerpt(text="", taken=0)


def parts(text: str, size: int) -> list[str]:
    """The text in consecutive pieces of at most about `size` characters, cut as `excerpt` cuts; at least one.

    A piece that begins inside code begins with the fence that was open there.
    """
    pieces: list[str] = []
    rest, prefix = text, ""
    while True:
        piece = excerpt(prefix + rest, size)
        taken = piece.taken - len(prefix)
        if taken <= 0:
            taken = max(1, size - 2 * len(prefix) - 1)
            piece = Excerpt(text=closed(prefix + rest[:taken]), taken=taken)
        pieces.append(piece.text)
        if taken >= len(rest):
            return pieces
        opened = ""
        for line in lines(prefix + rest[:taken]):
            opened = line.fence
        rest, prefix = rest[taken:], f"{opened}\n" if opened else ""


def estimated_tokens(text: str) -> int:
    """About how many tokens a text costs: one per Han, kana or hangul character, one per four others, rounded up."""
    # By the characters that occur: a pattern for these ranges takes longer to compile than all else here.
    odd = () if text.isascii() else set(text)
    dense = sum(text.count(char) for char in odd if any(first <= char <= last for first, last in _DENSE))
    return dense + (len(text) - dense + 3) // 4
