"""What `skill_open` shows of one skill: its text with the list of its files, or one of those files, in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillcaddy.guidance import Texts
from skillcaddy.markdown import parts
from skillcaddy.page import framed, heading
from skillcaddy.quoting import field, neutral, quoted
from skillcaddy.skill import Skill
from skillcaddy.skill_files import MOST_BYTES, Entry, Found, Problem, find, listing, size_words

_LEAST_PART = 200
"""Characters of a part, however little room its frame leaves."""
_LIST_SHARE = 5
"""The list of files may have one part in this many of the budget."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillPage:
    """The text, whether it shows the skill's body, and whether what was asked for does not exist."""

    text: str
    is_body: bool = False
    is_miss: bool = False


def skill_page(skill: Skill, *, path: str, part: int, words: Texts, max_chars: int) -> SkillPage:
    """One part of a skill's text, or of the file at `path` in it, in about `max_chars` characters at most."""
    if not path:
        return _body_page(skill, part, words, max_chars)
    if not skill.directory:
        return SkillPage(text=words.not_on_disk.format(id=field(skill.id, 300)), is_miss=True)
    found = find(skill.directory, path)
    if found.is_skill:
        return _body_page(skill, part, words, max_chars)
    if found.is_folder:
        return _folder_page(skill, found, words, max_chars)
    if found.problem is not None:
        return SkillPage(text=_problem(skill, found, words, max_chars), is_miss=True)
    names = {"path": field(found.path, 300), "id": field(skill.id, 300)}
    head = words.file_intro.format(**names) + "\n\n"
    return _in_parts(found.text, part, head, found.path, [], words, max_chars)


def _body_page(skill: Skill, part: int, words: Texts, max_chars: int) -> SkillPage:
    if not skill.body.strip():
        return SkillPage(text=words.no_body.format(id=field(skill.id, 300)), is_miss=True)
    head = f"{words.intro_open}\n\n{heading(skill, words)}\n"
    files = _file_lines(listing(skill.directory), words, max_chars // _LIST_SHARE) if skill.directory else []
    tail = ["\n".join([words.files, *files])] if files else []
    page = _in_parts(skill.body, part, head, skill.id, tail, words, max_chars)
    return SkillPage(text=page.text, is_body=not page.is_miss, is_miss=page.is_miss)


def _in_parts(
    text: str, part: int, head: str, label: str, tail: Sequence[str], words: Texts, max_chars: int
) -> SkillPage:
    """The part of the text in its frame; `tail` follows the first part only, but all parts leave room for it.

    So the parts of a text are the same whichever is asked for.
    """
    clean = neutral(text).strip("\n")
    longest = words.part_more.format(part=9999, parts=9999, next=9999)
    frame = len(framed([f"{head}{quoted('', label)}\n{longest}", *tail]))
    pieces = parts(clean, max(_LEAST_PART, max_chars - frame))
    if not 1 <= part <= len(pieces):
        return SkillPage(text=words.part_missing.format(part=part, parts=len(pieces)), is_miss=True)
    body = head + quoted(pieces[part - 1], label)
    if part < len(pieces):
        body += "\n" + words.part_more.format(part=part, parts=len(pieces), next=part + 1)
    elif len(pieces) > 1:
        body += "\n" + words.part_shown.format(part=part, parts=len(pieces))
    return SkillPage(text=framed([body, *(tail if part == 1 else [])]))


def _folder_page(skill: Skill, found: Found, words: Texts, max_chars: int) -> SkillPage:
    shown = field(found.path or ".", 300)
    lines = _file_lines(listing(skill.directory, found.path), words, max_chars * 2 // 3)
    if not lines:
        return SkillPage(text=words.no_files.format(path=shown), is_miss=True)
    title = words.files_under.format(path=shown) if found.path else words.files
    return SkillPage(text=framed([words.intro_open, "\n".join([title, *lines])]))


def _file_lines(entries: Sequence[Entry], words: Texts, room: int) -> list[str]:
    """A line per file as far as the room goes, then one that says how many more there are."""
    lines: list[str] = []
    used = len(words.files_more) + 8
    for position, entry in enumerate(entries):
        line = words.file_line.format(path=field(entry.path, 300), size=size_words(entry.size))
        used += len(line) + 1
        if used > room:
            return [*lines, words.files_more.format(count=len(entries) - position)]
        lines.append(line)
    return lines


def _problem(skill: Skill, found: Found, words: Texts, max_chars: int) -> str:
    path, size = field(found.path, 300), size_words(found.size)
    if found.problem is Problem.OUTSIDE:
        return words.file_outside.format(path=path, id=field(skill.id, 300))
    if found.problem is Problem.BINARY:
        return words.file_binary.format(path=path, size=size)
    if found.problem is Problem.TOO_BIG:
        return words.file_too_big.format(path=path, size=size, limit=size_words(MOST_BYTES))
    if found.problem is Problem.UNREADABLE:
        return words.file_unreadable.format(path=path)
    missing = words.file_missing.format(path=path, id=field(skill.id, 300))
    files = _file_lines(listing(skill.directory), words, max_chars // _LIST_SHARE)
    return "\n".join([missing, words.files, *files]) if files else missing
