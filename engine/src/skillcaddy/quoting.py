"""Third-party text made safe to quote: it cannot end its own frame, nor speak as the host."""

from __future__ import annotations

import re

from skillcaddy.patterns import late

BLOCK_TAG = "skill-library"
"""The element around one whole delivery."""
TEXT_TAG = "skill-text"
"""The element around one quoted text."""

# Tags by which hosts and models mark who speaks. A body that quotes one keeps its words and loses the bracket.
_HOST_TAGS = (
    "memory-context",
    "system-reminder",
    "system",
    "system_prompt",
    "user_query",
    "available_skills",
    "function_calls",
    "function_results",
    "tool_call",
    "tool_result",
    "tool_response",
)
_TAG = late(
    rf"<(?=\s*/?\s*(?:{'|'.join(sorted(map(re.escape, (BLOCK_TAG, TEXT_TAG, *_HOST_TAGS)), key=len, reverse=True))})"
    r"(?![\w.:-]))"
    r"|<(?=\|[a-z0-9_]{2,30}\|>)",
    re.IGNORECASE,
)
_FENCE_WORDS = late(r"\[(?=\s*(?:BEGIN|END) UNTRUSTED\b|/?INST\]|System note:)", re.IGNORECASE)
# Characters that no text needs and that hide text from people: C0 and C1 controls, bidi overrides, tag characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)


def neutral(text: str) -> str:
    """The text with `\\n` line ends, without hidden characters, and with the brackets of our and hosts' tags changed.

    `<` becomes `‹` and `[` becomes `［` in front of such a word and nowhere else, so code keeps its meaning.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _HIDDEN.sub("", text)
    if "<" in text:
        text = _TAG().sub("‹", text)
    return _FENCE_WORDS().sub("［", text) if "[" in text else text


def one_line(text: str, limit: int) -> str:
    """The text neutral, in one line of single spaces, at most `limit` characters; `…` stands where it was cut."""
    line = " ".join(neutral(text).split())
    if len(line) <= limit:
        return line
    cut = line[: max(0, limit - 1)]
    word = cut.rfind(" ")
    if word > limit * 2 // 3:
        cut = cut[:word]
    return (cut.rstrip() + "…")[:limit]


def field(text: str, limit: int = 120) -> str:
    """The text as a value inside a line of ours: as `one_line`, and without the characters that divide our lines."""
    return one_line(text, limit).replace("|", "/").replace('"', "'").replace("<", "‹").replace(">", "›")


def quoted(text: str, label: str) -> str:
    """The text between our delimiters, neutral, without blank lines at its ends; `label` names it in the opening one.

    A code fence that the text leaves open is closed, so that the closing delimiter is never part of code.
    """
    from skillcaddy.markdown import closed

    body = closed(neutral(text).strip("\n"))
    return f'<{TEXT_TAG} of="{field(label, 200)}">\n{body}\n</{TEXT_TAG}>'
