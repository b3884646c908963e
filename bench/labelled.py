"""The labelled data: skills, the queries they answer, near misses and everyday turns.

Two layouts are understood: the full sets (`skills/`, `queries/`) and the slice that the tests carry (`skills.jsonl.xz`,
`queries.jsonl`). Skill text is data written by others: it is measured, never followed and never executed.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
FULL = REPOSITORY.parent / "shared" / "data"
SLICE = REPOSITORY / "engine" / "tests" / "data" / "slice"
EVERYDAY = REPOSITORY / "engine" / "tests" / "data" / "everyday"


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillRow:
    """One skill of the data; `body` is its beginning (2,400 characters in the full set, 1,500 in the slice)."""

    id: str
    """`owner/repo:path/SKILL.md`."""
    name: str
    description: str
    body: str
    licence: str
    source_repo: str


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryRow:
    """One labelled query. A negative has no `relevant`, and `forbidden` where it is a near miss of known skills."""

    query: str
    relevant: tuple[tuple[str, ...], ...]
    """Per right answer its id and those of its near-copies; any of an entry counts, once."""
    forbidden: tuple[str, ...]
    lang: str
    """`cjk` or `latin`."""
    source: str
    """`owner/repo:path` of the file it was written in."""
    kind: str
    names_skill: bool

    @property
    def source_repo(self) -> str:
        """The part of `source` before the colon: what the macro average runs over."""
        return self.source.partition(":")[0]


def default_data() -> Path:
    """The full sets when they lie beside the checkout, otherwise the slice."""
    return FULL if FULL.is_dir() else SLICE


def load(data: Path, size: int | None = None, seed: int = 0) -> list[SkillRow]:
    """`size` skills in id order (None: all), the same for the same seed; labelled skills and their copies always in.

    Raises FileNotFoundError when `data` has neither layout, ValueError when `size` is smaller than the labelled skills.
    """
    path = _one_of(data, "skills/skills_permissive.jsonl.xz", "skills.jsonl.xz")
    rows = sorted((_skill_row(raw) for raw in read_lines(path)), key=lambda row: row.id)
    if size is None or size >= len(rows):
        return rows
    queries = [*load_queries(data), *load_negatives(data)]
    needed = {skill_id for row in queries for entry in (*row.relevant, row.forbidden) for skill_id in entry}
    keep = [row for row in rows if row.id in needed]
    if len(keep) > size:
        raise ValueError(f"{data}: {len(keep)} skills are labelled and must be in, but only {size} were asked for")
    # Growing the size only adds skills: the tree of 1,000 is a part of the tree of 10,000 with the same seed.
    others = [row for row in rows if row.id not in needed]
    random.Random(seed).shuffle(others)
    return sorted(keep + others[: size - len(keep)], key=lambda row: row.id)


def load_queries(data: Path) -> list[QueryRow]:
    """The queries that have right answers, each answer joined with its near-copies."""
    equivalents = _equivalents(data)
    if (data / "queries.jsonl").is_file():
        files = [data / "queries.jsonl"]
    else:
        files = [path for path in sorted((data / "queries").glob("dev_*.jsonl")) if path.stem != "dev_negatives"]
    return [_query_row(raw, equivalents) for path in files for raw in read_lines(path) if raw["relevant"]]


def load_negatives(data: Path) -> list[QueryRow]:
    """The prompts for which no labelled skill may be offered; `forbidden` has near misses and their copies, if any."""
    equivalents = _equivalents(data)
    path = _one_of(data, "queries/dev_negatives.jsonl", "near_misses.jsonl")
    return [_query_row(raw, equivalents) for raw in read_lines(path)]


def load_everyday(part: str) -> list[tuple[str, str, str]]:
    """The everyday turns of `dev` or `test` as (turn, language, kind)."""
    return [(raw["turn"], raw["lang"], raw["kind"]) for raw in read_lines(EVERYDAY / f"{part}.jsonl")]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a .jsonl or .jsonl.xz file."""
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")
    # Not splitlines: JSON leaves U+2028 and its like as they are.
    yield from (json.loads(line) for line in text.split("\n") if line)


def _one_of(data: Path, *names: str) -> Path:
    for name in names:
        if (data / name).is_file():
            return data / name
    raise FileNotFoundError(f"{data} holds none of: {', '.join(names)}")


def _equivalents(data: Path) -> dict[str, list[str]]:
    path = _one_of(data, "queries/dev_equivalents.json", "equivalents.json")
    found: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _skill_row(raw: Mapping[str, Any]) -> SkillRow:
    return SkillRow(
        id=raw["id"],
        name=raw["name"],
        description=raw["description"],
        body=raw["body_excerpt"],
        licence=raw["licence"],
        source_repo=raw["source_repo"],
    )


_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _query_row(raw: Mapping[str, Any], equivalents: Mapping[str, Sequence[str]]) -> QueryRow:
    def with_copies(skill_id: str) -> tuple[str, ...]:
        return (skill_id, *equivalents.get(skill_id, ()))

    forbidden = raw.get("forbidden") or raw.get("near_miss_of") or ()
    return QueryRow(
        query=raw["query"],
        relevant=tuple(map(with_copies, raw["relevant"])),
        forbidden=tuple(dict.fromkeys(copy for skill_id in forbidden for copy in with_copies(skill_id))),
        lang=raw.get("lang") or ("cjk" if _CJK.search(raw["query"]) else "latin"),
        source=raw["source"],
        kind=raw.get("kind", ""),
        names_skill=bool(raw.get("names_skill")),
    )
