"""What one skill's file can have wrong with it, whatever the others look like."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from skillcaddy.library.analyze import terms
from skillcaddy.library.spoken import spoken
from skillcaddy.lint.finding import Finding
from skillcaddy.lint.reading import Facts
from skillcaddy.reasons import SENTENCES, Reason

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
CUT = 60
"""Characters of a description that some hosts show in their list of skills; the last three are dots."""
_FEWEST_TERMS = 3
_TELLING = 5
_ENOUGH = 3
"""Telling words in what is left of a description from which an agent can still guess what it is for."""
_COMMON_SHARE = 0.05
_SMALL_LIBRARY = 100
_FILLER_WORDS = """
    ability advanced agent ai allows assist assistant assists best capabilities complete comprehensive designed
    easily easy effective efficient enables ensure everything expert features good great guide handle help helper
    helpful helps kit makes needed offers order perform powerful practices professional provide provides quality
    simple skill skills support supports tasks tool toolkit tools ultimate useful user users various way work works
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that praise or introduce a skill, but never tell it from others."""
_STANDARD_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def of_file(facts: Facts) -> Iterator[Finding]:
    """What is wrong with the file as such."""
    if facts.problem is Reason.SKILL_UNREADABLE:
        message = f"{SENTENCES[Reason.SKILL_UNREADABLE]} {facts.detail}".strip()
        yield _finding("unreadable", facts, message, "Save it as UTF-8 text with a front matter, or remove it.")
        return
    base = os.path.basename(facts.path)
    if base != "SKILL.md":
        yield _finding(
            "file-name",
            facts,
            f"It is called {base!r}; hosts that tell capitals from small letters do not see it.",
            "Rename it to SKILL.md.",
        )
    if facts.problem is Reason.SKILL_MENDED:
        yield _finding(
            "front-matter",
            facts,
            "Its front matter is not valid YAML; hosts that insist on YAML drop the skill.",
            'Put values that hold ": ", "#", brackets, quotes or asterisks into quotes, and use no tabs.',
        )
    elif facts.detail:
        yield _finding("file-long", facts, facts.detail, "Move parts of it into files beside it and point to them.")
    if not facts.has_body:
        yield _finding(
            "body-empty", facts, "Nothing follows its front matter.", "Write the steps that an agent should follow."
        )


def of_name(facts: Facts, root: str) -> Iterator[Finding]:
    """What is wrong with its name, by the Agent Skills standard."""
    holder = os.path.basename(os.path.dirname(facts.path) if facts.folder else root)
    if not facts.has_name:
        yield _finding(
            "name-missing",
            facts,
            f"Its front matter has no name; here the folder's, {holder!r}, stands in.",
            f'Add "name: {_standard(holder)}".',
        )
        return
    name = facts.name
    if len(name) > LONGEST_NAME or not _STANDARD_NAME.fullmatch(name):
        cause = (
            f"it has {len(name)} characters of {LONGEST_NAME} at most"
            if len(name) > LONGEST_NAME
            else "it may have small letters, digits and single hyphens between them only"
        )
        fix = f"Call it {_standard(name)!r}, and its folder too."
        yield _finding("name-standard", facts, f"Its name, {_cut(name)!r}, breaks the standard: {cause}.", fix)
    elif name != holder:
        yield _finding(
            "name-folder",
            facts,
            f"Its name is {name!r}, but its folder is called {holder!r}; the standard wants them to be equal.",
            f"Rename the folder to {name!r}, or the skill to the folder's name.",
        )


def of_description(facts: Facts, frequency: Callable[[str], int], library_size: int) -> Iterator[Finding]:
    """What keeps its description from finding it, or from telling an agent when to use it."""
    if not facts.has_description:
        instead = "the first paragraph of its text" if facts.description else "nothing"
        yield _finding(
            "description-missing",
            facts,
            f"Its front matter has no description; {instead} stands in here, and other hosts refuse it.",
            "Say in one or two sentences what it does and when to use it.",
        )
        return
    description = facts.description
    if len(description) > LONGEST_DESCRIPTION:
        yield _finding(
            "description-long",
            facts,
            f"Its description has {len(description):,} characters; the standard allows {LONGEST_DESCRIPTION:,}.",
            "Keep what it does and when to use it; move the rest into the text.",
        )
    words = {word: frequency(word) for word in terms(description)}
    limit = library_size * _COMMON_SHARE if library_size >= _SMALL_LIBRARY else library_size
    telling = {word for word, skills in words.items() if skills <= limit and word not in _FILLERS}
    plain = [word for word in words if word not in _FILLERS]
    if len(plain) < _FEWEST_TERMS or not telling:
        few = f"Only {_listed(plain, description)} says" if plain else "Nothing in it says"
        what = f"{few} what it is for." if len(plain) < _FEWEST_TERMS else "Every word in it is common in this library."
        yield _finding(
            "description-vague",
            facts,
            f"Its description, {_cut(description)!r}, sets it apart by too little. {what}",
            "Name the task, the things it works on (formats, tools, products) and the words that users say.",
        )
    else:
        stated = telling & set(terms(" ".join(facts.triggers)))
        yield from _cut_off(facts, stated, sorted(telling, key=lambda word: (words[word], word)))
    if not facts.says_when:
        yield _finding(
            "no-trigger",
            facts,
            "Its description says what it is, but not when to use it.",
            'Add a sentence that begins with "Use when ..." and holds words that users say.',
        )


def _cut_off(facts: Facts, stated: set[str], telling: list[str]) -> Iterator[Finding]:
    """The words that tell when the skill is wanted, rarest first, when a host's cut leaves too few of them."""
    if len(facts.description) <= CUT:
        return
    shown = facts.description[: CUT - 3].strip()
    left = (set(terms(shown)) | set(terms(facts.name))) & set(telling)
    if left & stated or len(left) >= _ENOUGH:
        return
    lost = [word for word in telling if word in (stated or telling) and word not in left][:_TELLING]
    if lost:
        first = _listed(lost[:2], facts.description)
        yield _finding(
            "description-cut",
            facts,
            f"Hosts that show {CUT} characters of a description show {shown + '...'!r}: "
            f"{_listed(lost, facts.description)} {'is' if len(lost) == 1 else 'are'} cut off.",
            f"Begin the description with the task and its most telling words, such as {first}.",
        )


def _finding(rule: str, facts: Facts, message: str, fix: str) -> Finding:
    return Finding(rule=rule, path=facts.path, id=facts.id, message=message, fix=fix)


def _standard(name: str) -> str:
    """The name as the standard would have it, near enough for a suggestion."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return words[:LONGEST_NAME].strip("-") or "a-name-of-small-letters"


def _cut(text: str, size: int = 80) -> str:
    return text if len(text) <= size else text[: size - 3] + "..."


def _listed(words: list[str], text: str) -> str:
    """The terms as the words of the text that they come from."""
    known, _ = spoken(text)
    return ", ".join(repr(known.get(word, word)) for word in words)
