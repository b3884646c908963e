"""Prints how often the reader gets name and description right on real front matter, strict YAML's figure beside it.

    python bench/reader.py [--data DIR] [--json] [--show N]

DIR holds `skills/frontmatter.jsonl.xz` (the full set) or `frontmatter.jsonl.xz` (the slice that the tests carry).
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from labelled import default_data
from skillcaddy.library import frontmatter
from skillcaddy.library.frontmatter_lines import collapse, simple

BAR = 0.999


def rows(data: Path) -> list[dict[str, Any]]:
    """The labelled front-matter blocks, each with `id`, `raw`, `name`, `description` and `label_from`."""
    path = data / "skills" / "frontmatter.jsonl.xz"
    if not path.is_file():
        path = data / "frontmatter.jsonl.xz"
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def ours(raw: str) -> tuple[str, str]:
    """Name and description as the reader gives them."""
    read = frontmatter.parse(raw)
    return read.name, read.description


def strict(raw: str) -> tuple[str, str] | None:
    """Name and description as PyYAML's safe C loader gives them; None where it refuses."""
    try:
        values = yaml.load(_block(raw), Loader=_loader("CSafeLoader"))
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(values, dict):
        return None
    name, description = (values.get(key) for key in ("name", "description"))
    return collapse(str(name or "")), collapse(str(description or ""))


def _loader(name: str) -> Any:
    return getattr(yaml, name, getattr(yaml, name[1:]))


def _block(raw: str) -> str:
    return frontmatter.normalise(raw).split("\n---", 1)[0].removeprefix("---\n") + "\n"


def measure(labelled: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Shares right (0 to 1), seconds per 10,000 files, and the rows that differ from their label."""
    labelled = list(labelled)
    differing: list[dict[str, Any]] = []
    strict_right = agreed = 0
    for row in labelled:
        want = (collapse(row["name"]), collapse(row["description"]))
        strict_right += strict(row["raw"]) == want
        agreed += frontmatter.parse(row["raw"]).mended is not row["strict_yaml"]
        got = ours(row["raw"])
        if got != want:
            differing.append(
                {"id": row["id"], "label_from": row["label_from"], "want": want, "got": got, "raw": row["raw"]}
            )
    total = len(labelled)
    raws = [row["raw"] for row in labelled]
    blocks = [_block(raw) for raw in raws]
    plain = [raw for raw, block in zip(raws, blocks, strict=True) if simple(block) is not None]
    plain_blocks = [_block(raw) for raw in plain]
    return {
        "rows": total,
        "right": (total - len(differing)) / total,
        "strict_yaml_right": strict_right / total,
        "verdict_agrees": agreed / total,
        "plain_forms": len(plain) / total,
        "seconds_per_10k": {
            "reader, all rows": _per_10k(frontmatter.parse, raws),
            "reader, plain forms": _per_10k(frontmatter.parse, plain),
            "PyYAML safe C loader, all rows": _per_10k(strict, raws),
            "PyYAML safe C loader, plain forms": _per_10k(
                lambda block: yaml.load(block, _loader("CSafeLoader")), plain_blocks
            ),
        },
        "differing": differing,
    }


def _per_10k(read: Callable[[str], object], texts: list[str]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for text in texts:
            read(text)
        best = min(best, time.perf_counter() - start)
    return best / max(1, len(texts)) * 10_000


def main() -> int:
    """Exit code 0 when the bar is met, 1 when not."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, default=default_data())
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--show", type=int, default=20, help="how many differing rows to print")
    given = arguments.parse_args()
    figures = measure(rows(given.data))
    if given.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
        return int(figures["right"] < BAR)
    print(f"rows                     {figures['rows']}")
    print(f"reader right             {figures['right']:.4%}   (bar {BAR:.1%})")
    print(f"strict YAML right        {figures['strict_yaml_right']:.4%}")
    print(f"same verdict as YAML     {figures['verdict_agrees']:.4%}")
    print(f"in plain forms           {figures['plain_forms']:.4%}")
    for what, seconds in figures["seconds_per_10k"].items():
        print(f"{seconds * 1000:8.0f} ms per 10k   {what}")
    for row in figures["differing"][: given.show]:
        print(f"\n{row['id']} (label from {row['label_from']})")
        for field, want, got in zip(("name", "description"), row["want"], row["got"], strict=True):
            if want != got:
                print(f"  {field} label  {want!r}\n  {field} reader {got!r}")
    return int(figures["right"] < BAR)


if __name__ == "__main__":
    sys.exit(main())
