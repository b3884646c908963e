"""Cut the slice that the tests carry out of the full data: a few hundred skills and queries, with licence and origin.

    python bench/make_slice.py [--data ../shared/data] [--out engine/tests/data/slice]

Deterministic: the same data gives the same bytes. Rows with anything that should not be copied into a repository (keys,
machine paths, package registries, mail addresses, masked strings, lures) are left out, with the queries that need them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from labelled import FULL, SLICE, read_lines

SKILLS = 360
QUERIES_A_SOURCE = 8
FRONT_MATTER = 400
BODY = 1500
"""Characters kept of a body."""
LONGEST_QUERY = 2000

Row = dict[str, Any]

UNWANTED = {
    "mask": r"\[removed\]|\[registry-host\]",
    "machine path": r"/(?:root|work|tmp|mnt|Users)\b|/home/\w|/var/folders|\b[A-Z]:\\",
    "package registry": r"\b(?:py(?:pi|thonhosted)|npm(?:js|mirror)|yarnpkg|crates|rubygems|nuget|packagist|anaconda)"
    r"\.\w{2,3}\b|\bjsr\.\w{2,3}\b|\b(?:registry|mirrors?|proxy|repo1?)\.[a-z]\w+\.|\b(?:ghcr|docker|quay|gcr)\.io\b|\bunpkg\.|\bjsdelivr\.",
    "key": r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[a-z]|npm|hf|glpat|github_pat)[-_]\w{6,}|\bAKIA|\bAIza|-----BEGIN|\beyJ\w{8,}"
    r"|(?i:(?:key|token|secret|passw(?:or)?d|bearer)[\"']?\s*[:= ]\s*[\"']?(?=\w*\d)[\w+/-]{12,})"
    r"|\b[0-9a-fA-F]{24,}\b|\b0x[0-9a-fA-F]{16,}|\b(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])\w{32,}\b",
    "lure": r"(?i:\.exe\b.{0,40}password|\b(?:curl|wget|iwr)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b)",
    "mail address": r"[\w.+-]+@(?!example\.)[\w-]+\.[a-z]{2,}",
    "telephone": r"\+\d[\d -]{8,}\d",
    "address": r"\b(?!127\.|0\.0\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b",
}
_UNWANTED = re.compile("|".join(f"(?:{pattern})" for pattern in UNWANTED.values()))
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def unwanted(row: Mapping[str, Any]) -> str:
    """The first thing in a row's words that may not be copied, "" when it is clean."""
    for key, value in row.items():
        if key in {"name", "description", "body_excerpt", "raw", "query"}:
            found = _UNWANTED.search(value)
            if found:
                return found[0]
    return ""


def order(key: str) -> str:
    """What rows are sorted by where a sample is taken: as good as random, always the same."""
    return hashlib.sha256(key.encode("utf-8")).hexdigest()


def turns(rows: Iterable[Row], group: Callable[[Row], str], key: Callable[[Row], str]) -> Iterator[Row]:
    """Every row, one of each group in turn, so that cutting anywhere leaves the groups balanced."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: order(key(row))):
        groups[group(row)].append(row)
    for together in zip_longest(*(groups[name] for name in sorted(groups))):
        yield from (row for row in together if row is not None)


def cut_skill(row: Row) -> Row:
    """The skill as the slice holds it."""
    return row | {"body_excerpt": row["body_excerpt"][:BODY]}


def choose_queries(data: Path, skills: Mapping[str, Row]) -> list[Row]:
    """Clean queries all of whose right answers are clean, at most QUERIES_A_SOURCE of one file."""
    chosen: list[Row] = []
    for path in sorted((data / "queries").glob("dev_*.jsonl")):
        count: defaultdict[str, int] = defaultdict(int)
        for row in sorted(read_lines(path), key=lambda row: order(row["query"])):
            answered = row["relevant"] and all(skill_id in skills for skill_id in row["relevant"])
            fits = answered and len(row["query"]) <= LONGEST_QUERY and not unwanted(row)
            if fits and count[row["source"]] < QUERIES_A_SOURCE:
                count[row["source"]] += 1
                chosen.append(row)
    return sorted(chosen, key=lambda row: str(row["qid"]))


def choose_near_misses(data: Path, skills: Mapping[str, Row]) -> list[Row]:
    """The clean negatives whose near misses are clean; `forbidden` repeats `near_miss_of` by the name eval reads."""
    rows = [row for row in read_lines(data / "queries" / "dev_negatives.jsonl") if not unwanted(row)]
    rows = [row for row in rows if all(skill_id in skills for skill_id in row["near_miss_of"])]
    return [row | {"relevant": [], "forbidden": row["near_miss_of"]} for row in rows]


def choose_skills(skills: Mapping[str, Row], needed: Iterable[str]) -> list[Row]:
    """The needed skills, then others from all repositories in turn, a CJK one after two Latin ones, up to SKILLS."""
    chosen = {skill_id: skills[skill_id] for skill_id in sorted(set(needed))}
    others = [row for row in skills.values() if row["id"] not in chosen and row["description"]]
    cjk = turns((row for row in others if _CJK.search(row["description"])), _repo, _id)
    latin = turns((row for row in others if not _CJK.search(row["description"])), _repo, _id)
    for first, second, third in zip(latin, latin, cjk, strict=False):
        for row in (first, second, third):
            if len(chosen) < SKILLS:
                chosen[row["id"]] = row
    return sorted(chosen.values(), key=_id)


def choose_front_matter(data: Path) -> list[Row]:
    """Clean blocks, one of each form in turn: strict or refused, block, folded, quoted, CRLF, CJK, undescribed."""
    rows = [row for row in read_lines(data / "skills" / "frontmatter.jsonl.xz") if not unwanted(row)]
    # The rarest forms come whole; the common ones share what is left.
    return sorted(list(turns(rows, form, _id))[:FRONT_MATTER], key=_id)


def form(row: Row) -> str:
    """How a front matter block is written, as far as a reader cares."""
    raw = row["raw"]
    style = re.search(r"(?m)^description:[ \t]*([>|\"'\[]?)[^\r\n]*(\r?\n[ \t]+\S)?", raw)
    marks = (
        "strict" if row["strict_yaml"] else "refused",
        "crlf" if "\r\n" in raw else "lf",
        "cjk" if _CJK.search(row["description"] or "") else "latin",
        (style[1] or "plain") + ("+" if style[2] else "") if style else "none",
        "described" if row["description"] else "undescribed",
    )
    return " ".join(marks)


def _id(row: Row) -> str:
    return str(row["id"])


def _repo(row: Row) -> str:
    return str(row["source_repo"])


def make(data: Path, out: Path) -> dict[str, int]:
    """Write the slice; returns the number of rows by file name."""
    everything = {row["id"]: cut_skill(row) for row in read_lines(data / "skills" / "skills_permissive.jsonl.xz")}
    skills = {skill_id: row for skill_id, row in everything.items() if not unwanted(row)}
    queries = choose_queries(data, skills)
    near_misses = choose_near_misses(data, skills)
    labelled = {skill_id for row in queries for skill_id in row["relevant"]}
    labelled |= {skill_id for row in near_misses for skill_id in row["forbidden"]}
    copies: dict[str, list[str]] = json.loads((data / "queries" / "dev_equivalents.json").read_text(encoding="utf-8"))
    equivalents = {
        skill_id: present
        for skill_id in sorted(labelled)
        if (present := [copy for copy in copies.get(skill_id, ()) if copy in skills])
    }
    chosen = choose_skills(skills, labelled.union(*equivalents.values()))
    front_matter = choose_front_matter(data)

    out.mkdir(parents=True, exist_ok=True)
    _write(out / "skills.jsonl.xz", chosen)
    _write(out / "queries.jsonl", queries)
    _write(out / "near_misses.jsonl", near_misses)
    _write(out / "frontmatter.jsonl.xz", front_matter)
    (out / "equivalents.json").write_text(
        json.dumps(equivalents, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return {
        "skills": len(chosen),
        "queries": len(queries),
        "near_misses": len(near_misses),
        "equivalents": len(equivalents),
        "frontmatter": len(front_matter),
    }


def _write(path: Path, rows: Iterable[Row]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")
    path.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut as the command line says; prints the counts, returns the exit code."""
    parser = argparse.ArgumentParser(description="Cut the tests' slice out of the full data.")
    parser.add_argument(
        "--data", type=Path, default=FULL, help="folder of the full data (default: beside the checkout)"
    )
    parser.add_argument("--out", type=Path, default=SLICE, help="folder of the slice (default: the tests' own)")
    given = parser.parse_args(arguments)
    try:
        counts = make(given.data, given.out)
    except OSError as problem:
        print(f"make_slice: {problem}", file=sys.stderr)
        return 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
