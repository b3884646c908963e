"""The parts of a rendered text: the line of provenance, the frame, and a page that never outgrows its budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from skillcaddy.guidance import Texts
from skillcaddy.markdown import Excerpt, excerpt
from skillcaddy.quoting import BLOCK_TAG, field, neutral, one_line, quoted
from skillcaddy.request import Surface
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Skill, Trust

_MOST_DESCRIPTION = 220
"""Characters of a description in the list of further skills."""
_LEAST_BODY = 200
"""A body is not begun in less room than this: a few lines of a procedure mislead more than they help."""
_CATALOG_SHARE = 4
"""Up to one part in this many of the budget is kept for the list, so that a long body cannot push it out."""


def heading(skill: Skill, words: Texts) -> str:
    """The line that says what a skill is and where it comes from, and the line with its folder where it has one."""
    trust = {
        Trust.LOCAL: words.trust_local,
        Trust.CURATED: words.trust_curated,
        Trust.UNVETTED: words.trust_unvetted,
        Trust.FLAGGED: words.trust_flagged,
    }[Trust(skill.trust)]
    pieces = [
        words.provenance.format(
            name=field(skill.name), id=field(skill.id, 300), source=field(skill.source, 60), trust=trust
        )
    ]
    if skill.licence:
        pieces.append(words.licence.format(licence=field(skill.licence, 60)))
    if skill.version:
        pieces.append(words.version.format(version=field(skill.version, 30)))
    line = " | ".join(pieces)
    if skill.directory:
        line += "\n" + words.directory.format(directory=one_line(skill.directory, 500))
    return line


def framed(sections: Sequence[str]) -> str:
    """The sections inside the element that marks them as ours, a blank line between them."""
    return f"<{BLOCK_TAG}>\n" + "\n\n".join(sections) + f"\n</{BLOCK_TAG}>"


class Page:
    """A text that grows by sections and never beyond its budget."""

    def __init__(self, words: Texts, settings: Settings, surface: Surface, note: Callable[[Hit], str] | None) -> None:
        self._words = words
        self._settings = settings
        self._surface = surface
        self._note = note
        self._sections: list[str] = []
        self._bodies = 0
        intro = words.intro_auto if surface == "auto" else max(words.intro_tool, words.intro_catalog, key=len)
        self._room = settings.max_chars - len(framed([intro]))

    def text(self) -> str:
        """What has been added, framed, or "" when nothing has."""
        if not self._sections:
            return ""
        if self._surface == "auto":
            intro = self._words.intro_auto
        else:
            intro = self._words.intro_tool if self._bodies else self._words.intro_catalog
        return framed([intro, *self._sections])

    def reserve(self, hits: Sequence[Hit], held: Collection[str]) -> int:
        """Characters to keep free for a list of these hits."""
        if not hits:
            return 0
        whole = (
            len(self._words.rest)
            + len(self._words.list_open)
            + 2
            + sum(len(self._entry(hit, held)) + 1 for hit in hits)
            + 2
        )
        return min(whole, self._settings.max_chars // _CATALOG_SHARE)

    def add_body(self, hit: Hit, reserve: int) -> bool | None:
        """True when the body was added and cut, False when it was added whole, None when there is no room for it."""
        skill = hit.skill
        lines = [heading(skill, self._words), self._noted(hit)]
        head = "\n".join(line for line in lines if line)
        label = skill.id
        body = neutral(skill.body).strip("\n")
        frame = len(head) + 1 + len(quoted("", label)) + 2
        room = min(self._settings.max_body_chars, self._room - reserve - frame)
        piece = excerpt(body, room) if room > 0 else Excerpt(text="", taken=0)
        pointer = ""
        if not piece.whole(body):
            room = min(room, self._room - reserve - frame - len(self._pointer(skill, len(body), len(body))) - 1)
            if room < min(_LEAST_BODY, self._settings.max_body_chars):
                return None
            piece = excerpt(body, room)
            if not piece.text.strip():
                return None
            pointer = "\n" + self._pointer(skill, piece.taken, len(body))
        section = f"{head}\n{quoted(piece.text, label)}{pointer}"
        self._sections.append(section)
        self._room -= len(section) + 2
        self._bodies += 1
        return bool(pointer)

    def add_list(self, hits: Sequence[Hit], held: Collection[str]) -> list[Hit]:
        """The hits for which there was room, in their order."""
        listed: list[Hit] = []
        first = [self._words.rest] if self._bodies else []
        last = [self._words.list_open] if self._surface == "tool" else []
        entries: list[str] = []
        for hit in hits:
            entry = self._entry(hit, held)
            if len("\n".join([*first, *entries, entry, *last])) + 2 <= self._room:
                entries.append(entry)
                listed.append(hit)
        if listed:
            section = "\n".join([*first, *entries, *last])
            self._sections.append(section)
            self._room -= len(section) + 2
        return listed

    def _entry(self, hit: Hit, held: Collection[str]) -> str:
        skill = hit.skill
        line = self._words.listed_held if skill.id in held else self._words.listed
        description = one_line(skill.description or skill.name, _MOST_DESCRIPTION)
        entry = line.format(id=field(skill.id, 300), description=description)
        if self._surface != "tool" and skill.path:
            # Without skill_open at hand, the file is the only way on.
            entry += " " + self._words.listed_at.format(path=one_line(skill.path, 500))
        return entry

    def _pointer(self, skill: Skill, shown: int, total: int) -> str:
        numbers = {"shown": f"{shown:,}", "total": f"{total:,}"}
        if self._surface == "tool":
            return self._words.cut_open.format(id=field(skill.id, 300), **numbers)
        if skill.path:
            return self._words.cut_file.format(path=one_line(skill.path, 500), **numbers)
        return self._words.cut.format(**numbers)

    def _noted(self, hit: Hit) -> str:
        if self._note is None:
            return ""
        try:
            return one_line(str(self._note(hit) or ""), 200)
        except Exception:  # noqa: BLE001 - a host's extra line must not cost the turn its skill
            return ""
