"""The nouns of retrieval: skills, hits and what a retrieval returns. Frozen data, no behaviour that does I/O."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from skillcaddy.frozen import dataclass, field
from skillcaddy.trace import Trace


class Trust(IntEnum):
    """How far a skill's author is trusted; a property of its origin that installing never raises."""

    FLAGGED = 0
    UNVETTED = 1
    CURATED = 2
    LOCAL = 3

    @property
    def word(self) -> str:
        """The lower-case name that people, models and JSON see."""
        return self.name.lower()


class SkillTerms(NamedTuple):
    """The analysed terms of a skill by which a ranking and the floor judge it."""

    name: frozenset[str]
    told: frozenset[str]
    """Those of name, description and tags."""
    told_length: int
    """The number of terms of description and tags, repeats counted."""
    length: int = 0
    """The same of the whole document as its source has indexed it; 0 where it does not say."""


@dataclass(frozen=True, kw_only=True)
class Skill:
    """One skill as its source describes it; `body` is "" until it has been hydrated."""

    id: str
    """`<source>:<native id>`; for a local skill the folder relative to its root, such as `local:office/pdf-forms`."""
    name: str
    description: str
    source: str
    trust: Trust
    origin: str = ""
    """What this skill *is*, wherever a copy of it lies; copies with one origin collapse in fusion. "" means its id."""
    tags: tuple[str, ...] = ()
    body: str = ""
    """Markdown without front matter."""
    excerpt: str = ""
    """The beginning of the body, where the source knows it without a fetch; only for judging, never shown."""
    directory: str = ""
    """Absolute folder on this machine, "" for a skill that is not on disk."""
    path: str = ""
    """Absolute path of its SKILL.md, or "" where it has none."""
    folder: str = ""
    """The folder relative to its root, with forward slashes; "" where it has none."""
    licence: str = ""
    version: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    """Further flat front matter that a host may want (platforms, requirements), as text."""
    terms: SkillTerms | None = field(default=None, compare=False, repr=False)
    """Where the source has them at hand; else they are analysed when they are needed."""

    @property
    def identity(self) -> str:
        """The key under which copies of this skill collapse."""
        return self.origin or self.id


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A skill in a ranking: rank counts from 1; scores of different sources are not comparable."""

    skill: Skill
    rank: int
    score: float
    sources: tuple[str, ...] = ()
    """The sources that found it, the representative's own first."""


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """What one turn gets: the text to hand over, the skills in it, and the trace that says why."""

    query: str
    hits: tuple[Hit, ...]
    """The ranking after the relevance floor and the gate, best first."""
    delivered: tuple[Hit, ...]
    """The hits whose bodies stand in `text`."""
    catalog: tuple[Hit, ...]
    """The hits that `text` only names."""
    text: str
    """"" when nothing fits."""
    trace: Trace
    elapsed_ms: float
