"""The triggers a description states: what a user is supposed to say when the skill is wanted."""

from __future__ import annotations

import re

from skillcaddy.library.analyze import terms

MOST = 6
_LONGEST = 240

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_NEGATIVE = re.compile(
    r"(?i)\b(?:not|don't|never|avoid|rather than|instead)\b|不用于|不适用|不要|请勿|ではない|使わない"
)
_QUOTED = re.compile('["\u201c\u300c\u300e]([^"\u201c\u201d\u300c\u300d\u300e\u300f\n]{2,120})["\u201d\u300d\u300f]')
_SINGLE_QUOTED = re.compile(r"(?<!\w)'([^'\n]{4,120})'(?!\w)")
_WHEN = re.compile(
    r"(?i)\b(?:use[ds]?|using|invoke[ds]?|apply|activate[ds]?|trigger(?:s|ed)?|reach for|load)\b"
    r"[^.!?:\n]{0,40}?\b(?:when(?:ever)?|if|on|for|to|after|before|once|while|during)\b[:\s]+([^.!?。！？\n]{6,400})"
)
_ALTERNATIVES = re.compile(r"\s*;\s*|,?\s+or (?:when(?:ever)?|if)\s+|,\s+(?:when(?:ever)?|if)\s+")
_WHEN_CHINESE = re.compile(
    "当(?:用户)?([^，。；！？\n]{3,80}?)(?:的时候|时候|时)|(?:适用于|用于|触发词|触发条件)[:：]?([^。；！？\n]{3,120})"
)
_WHEN_JAPANESE = re.compile("([^。、\n]{3,80}?)(?:とき|場合|際)(?:に|は)")
_LEAD = re.compile(
    r"(?i)^(?:the |an? )?(?:users?|person|someone|people|they|you)\s+(?:asks?|wants?|needs?|says?|mentions?|requests?)"
    r"(?:\s+(?:you|claude|the agent))?(?:\s+(?:to|for|about|help with))?\s+"
)
_FILE = re.compile(r"^[\w./*~-]*[./\\*][\w./*~-]*$")


def stated_triggers(description: str) -> tuple[str, ...]:
    """At most six phrases of the description that say when to use the skill, in their order.

    These are quoted phrases and what follows "use when" and its like; sentences that say what it is not for are left
    out, and so are phrases without a word that could name a task.
    """
    found: list[str] = []
    for sentence in _SENTENCE.split(description):
        if not sentence or _NEGATIVE.search(sentence):
            continue
        quoted = [*_QUOTED.findall(sentence), *_SINGLE_QUOTED.findall(sentence)]
        found += [phrase for phrase in quoted if not _FILE.match(phrase.strip())]
        if quoted:
            continue  # what stands around quoted phrases only introduces them
        for clause in _WHEN.findall(sentence):
            found += [part for part in _ALTERNATIVES.split(clause) if len(set(terms(part))) > 1]
        for pair in _WHEN_CHINESE.findall(sentence):
            found += [part for part in pair if part]
        found += _WHEN_JAPANESE.findall(sentence)
    cleaned = (_cut(_LEAD.sub("", phrase.strip(" ,;:，、；：")).strip()) for phrase in found)
    return tuple(phrase for phrase in dict.fromkeys(cleaned) if terms(phrase))[:MOST]


def _cut(phrase: str) -> str:
    """The phrase, or as many whole words of it as make a fair query."""
    return phrase if len(phrase) <= _LONGEST else phrase[:_LONGEST].rpartition(" ")[0] or phrase[:_LONGEST]


def says_when(description: str) -> bool:
    """Whether the description says in any way when the skill is wanted."""
    return bool(stated_triggers(description) or _ANY_WHEN.search(description))


_ANY_WHEN = re.compile(
    r"(?i)\b(?:when(?:ever)?|if|trigger\w*|uses? (?:this|for|to|it|after|before|during)|used (?:for|to))\b"
    "|当|时|用于|とき|場合|際"
)
