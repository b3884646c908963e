"""Fits the relevance floor: `engine/src/skillcaddy/floor.json` from everyday turns and from real requests.

    uv run --group train python bench/floor.py [--data DIR] [--write]

Prints, for requests of repositories that were left out of the fit, how much recall@2 each threshold costs, and for how
many everyday turns that no fit has seen (`everyday/test.jsonl`) something would be injected, on three libraries.
With --write it fits on everything but those turns and writes the weights.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expand import expand, folder_of
from labelled import EVERYDAY, REPOSITORY, SLICE, default_data, load, load_everyday, load_queries, read_lines
from report import print_table
from skillcaddy.deadline import Deadline
from skillcaddy.library.indexer import refresh
from skillcaddy.library.local import LocalSource
from skillcaddy.library.store import Store
from skillcaddy.relevance import hit_figures, matches, turn_figures, weigh
from skillcaddy.turn import read_turn

TARGET = REPOSITORY / "engine" / "src" / "skillcaddy" / "floor.json"
C = 0.3
"""Inverse strength of the L2 penalty."""
WEIGHTS = {"large": 1800.0, "slice": 900.0, "examples": 200.0}
"""What all requests, and all talk, on each library count together."""
LEAST_WEIGHT = 0.05
"""A word that says less is left out of the file."""
LEAST_COUNT = 2
"""Turns that a word must occur in to get a weight of its own."""
THRESHOLD = 0.5
"""Log-odds at which the floor lies in the fit's own scale; the shipped bias moves it to 0."""
THRESHOLDS = (-0.5, 0.0, 0.5, 1.0)
FOLDS = 3


@dataclass(frozen=True, kw_only=True)
class Example:
    """One turn on one library, with its figures and words, and the folder and figures of its first hits."""

    library: str
    label: str
    """`request` (with a right answer), `task` (without), `chat`, or `unseen` for the turns kept apart."""
    text: str
    hits: tuple[tuple[str, Mapping[str, float]], ...]
    turn: Mapping[str, float]
    words: frozenset[str]
    right: tuple[frozenset[str], ...] = ()
    repository: str = ""


def examples(library: str, tree: Path, state: Path, requests: Sequence[tuple[str, Any, str]]) -> Iterator[Example]:
    """Every turn searched on one library."""
    refresh(Store(state, [str(tree)]), wait_s=600)
    source = LocalSource([str(tree)], state, indexing="never")

    def made(label: str, text: str, right: Any = (), repository: str = "") -> Example:
        hits = source.search(text, 10, Deadline.after(120))
        turn = read_turn(text)
        weighed = weigh(turn, source.statistics())
        return Example(
            library=library,
            label=label,
            text=text,
            hits=tuple((hit.skill.folder, hit_figures(turn, weighed, hit.skill)) for hit in hits),
            turn=turn_figures(turn),
            words=turn.spoken,
            right=tuple(right),
            repository=repository,
        )

    for text, right, repository in requests:
        yield made("request", text, right, repository)
    for part, label in (("dev", "chat"), ("more", "chat"), ("tasks", "task"), ("test", "unseen")):
        for turn, _, _ in load_everyday(part):
            yield made(label, turn)


def gather(data: Path, size: int, folder: Path) -> list[Example]:
    """All turns on a large, a middling and a small library."""
    found: list[Example] = []
    state = folder / "state"
    for name, source, count in (("large", data, size), ("slice", SLICE, None)):
        tree = folder / name
        expand(load(source, count), tree)
        requests = [
            (row.query, [frozenset(map(folder_of, group)) for group in row.relevant], row.source_repo)
            for row in load_queries(source)
        ]
        found += examples(name, tree, state, requests)
    small = REPOSITORY / "examples"
    rows = [row for row in read_lines(small / "queries.jsonl") if row["relevant"]]
    requests = [(row["query"], [frozenset([name]) for name in row["relevant"]], "examples") for row in rows]
    found += examples("examples", small / "skills", state, requests)
    return found


def best_hit(example: Example) -> Mapping[str, float] | None:
    """The figures of the right hit where it was found, else of the one that tells most of the turn's words."""
    for folder, figures in example.hits:
        if any(folder in group for group in example.right):
            return figures
    return max(
        (figures for _, figures in example.hits[:2]), key=lambda row: row["told"] + row["everyday"], default=None
    )


class Fit:
    """A logistic regression over spoken words, lengths and evidence."""

    def __init__(self, chosen: Sequence[Example]) -> None:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression

        counts = Counter(word for example in chosen if example.library == "large" for word in example.words)
        self.vocabulary = {word for word, count in counts.items() if count >= LEAST_COUNT}
        rows: list[tuple[dict[str, float], int, float, str]] = []
        for example in chosen:
            if example.label in ("request", "task"):
                figures = best_hit(example)
                if figures is not None and (example.label == "request" or example.library == "large"):
                    rows.append((self._features(example, figures), 1, 1.0, example.library))
            elif example.label == "chat":
                for _, figures in example.hits[:2] or (("", dict[str, float]()),):
                    rows.append((self._features(example, figures), 0, 0.5, example.library))
        self._vectorizer = DictVectorizer()
        matrix = self._vectorizer.fit_transform([row[0] for row in rows])
        # On each library requests and talk count alike, whatever their numbers.
        totals: Counter[tuple[str, int]] = Counter()
        for _, label, weight, library in rows:
            totals[library, label] += weight
        self._model = LogisticRegression(C=C, max_iter=5000).fit(
            matrix,
            [label for _, label, _, _ in rows],
            sample_weight=[weight * WEIGHTS[library] / totals[library, label] for _, label, weight, library in rows],
        )

    def _features(self, example: Example, figures: Mapping[str, float]) -> dict[str, float]:
        words = {f"w:{word}": 1.0 for word in example.words & self.vocabulary}
        return {**words, **example.turn, **figures}

    def odds(self, example: Example) -> list[float]:
        """Log-odds of the first two hits."""
        if not example.hits:
            return []
        rows = [self._features(example, figures) for _, figures in example.hits[:2]]
        values = self._model.decision_function(self._vectorizer.transform(rows))
        return [
            float(value) if matches(figures) else -math.inf
            for value, (_, figures) in zip(values, example.hits[:2], strict=True)
        ]

    def weights(self) -> dict[str, Any]:
        """The weights as the engine takes them."""
        names = self._vectorizer.get_feature_names_out()
        fitted = dict(zip(names, map(float, self._model.coef_[0]), strict=True))
        words = {name[2:]: round(value, 2) for name, value in fitted.items() if name.startswith("w:")}
        return {
            "bias": round(float(self._model.intercept_[0]) - THRESHOLD, 3),
            "figures": {name: round(value, 3) for name, value in fitted.items() if not name.startswith("w:")},
            "words": {word: value for word, value in sorted(words.items()) if abs(value) >= LEAST_WEIGHT},
        }


def cross_checked(found: Sequence[Example]) -> list[tuple[Any, ...]]:
    """Rows of library, threshold, share of recall@2 lost on unseen repositories, share of everyday turns injected."""
    counts = Counter(e.repository for e in found if e.label == "request" and e.library == "large")
    folds: list[set[str]] = [set() for _ in range(FOLDS)]
    for repository in sorted({e.repository for e in found if e.repository}, key=lambda name: (-counts[name], name)):
        min(folds, key=lambda fold: sum(counts[name] for name in fold)).add(repository)
    lost: dict[tuple[str, float], float] = defaultdict(float)
    seen: Counter[str] = Counter()
    injected: Counter[tuple[str, float]] = Counter()
    unseen: Counter[str] = Counter()
    for fold in folds:
        fit = Fit([e for e in found if e.repository not in fold])
        for example in found:
            if example.label == "request" and example.repository in fold:
                seen[example.library] += 1
                odds = fit.odds(example)
                for threshold in THRESHOLDS:
                    kept = {hit[0] for hit, value in zip(example.hits[:2], odds, strict=True) if value >= threshold}
                    raw = {hit[0] for hit in example.hits[:2]}
                    gone = sum(1 for group in example.right if group & raw and not group & kept)
                    lost[example.library, threshold] += gone / len(example.right)
            elif example.label == "unseen":
                unseen[example.library] += 1
                odds = fit.odds(example)
                for threshold in THRESHOLDS:
                    injected[example.library, threshold] += any(value >= threshold for value in odds)
    return [
        (library, threshold, lost[library, threshold] / seen[library], injected[library, threshold] / unseen[library])
        for library in seen
        for threshold in THRESHOLDS
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print the cross-check, and write the weights when asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--size", type=int, default=10_000, help="skills in the large library (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.relative_to(REPOSITORY)}")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="skillcaddy-floor-") as folder:
        found = gather(given.data, given.size, Path(folder))
    headings = ("library", "threshold", "recall@2 lost", "everyday turns with an injection")
    title = f"repositories left out of the fit; {EVERYDAY.name}/test.jsonl never in it"
    print_table(title, headings, cross_checked(found))
    if given.write:
        fitted = Fit(found).weights()
        TARGET.write_text(json.dumps(fitted, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        print(f"{len(fitted['words'])} words in {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
