"""From files to index documents and from index records to skills: what a document weighs and what a record holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from skillcaddy.digest import blake2b
from skillcaddy.library.analyze import bigrams, pairs, terms, terms_at_once
from skillcaddy.library.index import Document
from skillcaddy.library.manifest import Located
from skillcaddy.library.read import read_skill
from skillcaddy.reasons import Reason
from skillcaddy.skill import Skill, SkillTerms, Trust

# Measured on labelled queries over 10,000 real skills; the neighbours of each value do within 0.005 nDCG@10 as well.
NAME_WEIGHT = 4
DESCRIPTION_WEIGHT = 2
BODY_CHARS = 4000
BODY_CJK_CHARS = 1400
"""Of the CJK characters among them: one says as much as three letters."""
LEAST_TERMS = 600
"""Shorter documents are filled up to this length, since BM25's fixed b = 0.75 would punish full descriptions."""
FILLER = "_"
JOINED_NAME = 5
"""Names of up to so many terms are also searched for in one word."""
EXCERPT_CHARS = 1500

# Not escaped: a Chinese excerpt would be twice as long to write, to keep and to read.
_JSON = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)


class Reading(NamedTuple):
    """What the index keeps of one file of the library."""

    located: Located
    name: str
    """"" for a file that is no skill."""
    document: Document | None
    """None for a file that is no skill."""
    length: int
    """Number of terms in the document, repetitions counted."""
    digest: str
    """Of the document, by which a touched file is told from a changed one; "" without one."""
    reason: Reason | None
    """SKILL_UNREADABLE, SKILL_MENDED, or None for a sound file."""
    detail: str


def read_document(located: Located, roots: tuple[str, ...]) -> Reading:
    """The document of one SKILL.md; never raises, a file that is no skill has None and a reason."""
    path = located.file.path
    file = read_skill(path, roots[located.root])
    skill = file.skill
    if skill is None:
        return Reading(
            located=located, name="", document=None, length=0, digest="", reason=file.problem, detail=file.detail
        )
    name, told = _own_terms(skill.name, skill.description, skill.tags)
    text, length = _weighed(name, told, skill.body)
    record = _record(skill, name, told, length)
    document = Document(key=path, name_key=name_key(skill.name), root=located.root, text=text, record=record)
    content = blake2b(record, digest_size=8)
    content.update(text.encode("utf-8", "surrogatepass"))
    return Reading(
        located=located,
        name=skill.name,
        document=document,
        length=length,
        digest=content.hexdigest(),
        reason=file.problem,
        detail=file.detail,
    )


def document_text(skill: Skill) -> str:
    """A skill's weighted terms, white-space-separated, as the index takes them in."""
    return _weighed(*_own_terms(skill.name, skill.description, skill.tags), skill.body)[0]


def skill_terms(skill: Skill) -> SkillTerms:
    """The terms by which a skill is judged: as its source has them at hand, else analysed now."""
    if skill.terms is not None:
        return skill.terms
    return _analysed(skill.name, skill.description, skill.tags)


@lru_cache(maxsize=1024)
def _analysed(name: str, description: str, tags: tuple[str, ...]) -> SkillTerms:
    own, told = _own_terms(name, description, tags)
    return SkillTerms(name=frozenset(own), told=frozenset(told).union(own), told_length=len(told))


def _own_terms(name: str, description: str, tags: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The terms of the name, and those of description and tags."""
    return terms(name), terms(f"{description} {' '.join(tags)}" if tags else description)


def _weighed(name: list[str], told: list[str], body: str) -> tuple[str, int]:
    """The document's terms, repeated by weight, and their number."""
    found = name * NAME_WEIGHT + told * DESCRIPTION_WEIGHT + pairs(name)
    if 1 < len(name) <= JOINED_NAME:
        found += ["".join(name)] * NAME_WEIGHT
    found += pairs(told)
    text, cjk = terms_at_once(_without_code(body[:BODY_CHARS]))
    if text:
        found.append(text)
    if woven := bigrams(cjk[:BODY_CJK_CHARS]):
        found.append(woven)
    text = " ".join(found)
    count = text.count(" ") + 1 if text else 0
    missing = max(0, LEAST_TERMS - count)
    return (text + f" {FILLER}" * missing).strip(), count + missing


def _without_code(body: str) -> str:
    """The body with each line of fenced code cut to its first word: code names its tools, its rest is about anything.

    Measured, rankings are better for it. Fences are told apart by their place alone, since a scan of thousands waits.
    """
    parts = body.split("\n```")
    for at in range(1, len(parts), 2):
        parts[at] = " ".join([first for line in parts[at].split("\n")[1:] for first in line.split(None, 1)[:1]])
    return "\n".join(parts)


def name_key(name: str) -> str:
    """The form of a name under which skills of later roots are shadowed: case and outer spaces do not count."""
    return name.strip().casefold()


def _record(skill: Skill, name: list[str], told: list[str], length: int) -> bytes:
    data: dict[str, Any] = {
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "folder": skill.folder,
        "directory": skill.directory,
        "trust": int(skill.trust),
        "told_length": len(told),
        "length": length,
    }
    optional = {
        "tags": list(skill.tags),
        "licence": skill.licence,
        "version": skill.version,
        "origin": skill.origin,
        "meta": dict(skill.meta),
    }
    data.update({name: value for name, value in optional.items() if value})
    # The terms, analysed once and for all, and the excerpt each behind a line break: as JSON they would be most of what
    # every query has to read for each of its candidates.
    own, all_told = " ".join(dict.fromkeys(name)), " ".join(dict.fromkeys([*told, *name]))
    lines = (_JSON.encode(data), own, all_told, skill.body[:EXCERPT_CHARS])
    return "\n".join(lines).encode("utf-8", "surrogatepass")


@lru_cache(maxsize=4096)
def skill_of(record: bytes, path: str) -> Skill:
    """The skill a stored record describes, without its body; the same object again for a record met lately."""
    head, own, told, excerpt = record.decode("utf-8", "surrogatepass").split("\n", 3)
    data: Mapping[str, Any] = json.loads(head)
    return Skill(
        id=data["id"],
        name=data["name"],
        description=data["description"],
        source="local",
        trust=Trust(data["trust"]),
        origin=data.get("origin", ""),
        tags=tuple(data.get("tags", ())),
        excerpt=excerpt,
        directory=data["directory"],
        path=path,
        folder=data["folder"],
        licence=data.get("licence", ""),
        version=data.get("version", ""),
        meta=data.get("meta", {}),
        terms=SkillTerms(
            name=frozenset(own.split()),
            told=frozenset(told.split()),
            told_length=data["told_length"],
            length=data["length"],
        ),
    )
