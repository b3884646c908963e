"""The reference process: read a tree with the C YAML loader, build rank_bm25 over it, answer one query."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml
from rank_bm25 import BM25Okapi

from references import peer_tokens


def build(tree: str) -> tuple[list[str], BM25Okapi]:
    """The folders of a tree and a rank_bm25 index over name, description and the first 4,000 characters of the body."""
    folders, corpus = [], []
    for path in sorted(Path(tree).rglob("SKILL.md")):
        text = path.read_text(encoding="utf-8")
        _, front, body = text.split("---\n", 2)
        fields = yaml.load(front, Loader=yaml.CSafeLoader)
        folders.append(path.parent.name)
        corpus.append(peer_tokens(f"{fields['name']} {fields['description']} {body[:4000]}"))
    return folders, BM25Okapi(corpus)


if __name__ == "__main__":
    names, index = build(sys.argv[1])
    print(index.get_top_n(peer_tokens(sys.argv[2]), names, n=10))
