"""From files to index documents and from index records to hits: the one place that knows what a record holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillcaddy.library.analyze import document_text
from skillcaddy.library.index import Document
from skillcaddy.library.manifest import Located
from skillcaddy.library.read import SkillFile, read_skill
from skillcaddy.skill import Skill, Trust

EXCERPT_CHARS = 1500


class Reading(NamedTuple):
    """One file of the library as read: the file itself, and its document where it is a skill."""

    located: Located
    file: SkillFile
    document: Document | None
    length: int
    """Number of terms in the document, repetitions counted."""


def read_document(located: Located, roots: tuple[str, ...]) -> Reading:
    """The document of one SKILL.md; never raises, a file that is no skill has None and a reason."""
    file = read_skill(located.file.path, roots[located.root])
    if file.skill is None:
        return Reading(located=located, file=file, document=None, length=0)
    text = document_text(file.skill)
    document = Document(
        key=located.file.path,
        name_key=name_key(file.skill.name),
        root=located.root,
        text=text,
        record=_record(file.skill),
    )
    return Reading(located=located, file=file, document=document, length=text.count(" ") + 1 if text else 0)


def name_key(name: str) -> str:
    """The form of a name under which skills of later roots are shadowed: case and outer spaces do not count."""
    return name.strip().casefold()


def _record(skill: Skill) -> bytes:
    data: dict[str, Any] = {
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "excerpt": skill.body[:EXCERPT_CHARS],
        "folder": skill.folder,
        "directory": skill.directory,
        "trust": int(skill.trust),
    }
    optional = {
        "tags": list(skill.tags),
        "licence": skill.licence,
        "version": skill.version,
        "origin": skill.origin,
        "meta": dict(skill.meta),
    }
    data.update({name: value for name, value in optional.items() if value})
    # Not escaped: a Chinese excerpt would be twice as long to write, to keep and to read.
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def skill_of(record: bytes, path: str) -> Skill:
    """The skill a stored record describes, without its body."""
    data: Mapping[str, Any] = json.loads(record)
    return Skill(
        id=data["id"],
        name=data["name"],
        description=data["description"],
        source="local",
        trust=Trust(data["trust"]),
        origin=data.get("origin", ""),
        tags=tuple(data.get("tags", ())),
        excerpt=data.get("excerpt", ""),
        directory=data["directory"],
        path=path,
        folder=data["folder"],
        licence=data.get("licence", ""),
        version=data.get("version", ""),
        meta=data.get("meta", {}),
    )
