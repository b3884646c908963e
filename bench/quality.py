"""How good the retrieval is, beside a peer-style index and a plain recipe on the same skills and queries.

    python bench/quality.py [--data DIR] [--size 10000] [--json]

Each bar of the design is printed with its figure. Ratios are what to read: labels are incomplete, so absolute values
fall with the size of the library for every system alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from expand import expand, folder_of
from labelled import QueryRow, default_data, load, load_everyday, load_negatives, load_queries
from references import PeerIndex, PlainRecipe, Reference
from report import Bar, print_bars, print_table
from skillcaddy.engine import Engine
from skillcaddy.evaluate import Answer, Keys, LabelledQuery, answer, metrics
from skillcaddy.library.indexer import refresh
from skillcaddy.library.store import Store
from skillcaddy.settings import Settings

Figures = dict[str, float | int | None]

RANKED_KINDS = ("activation", "trigger", "eval-prompt")
"""The kinds of queries that the ranking bars are about; SkillsBench texts are printed besides."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 when every measured bar holds, else 1."""
    parser = argparse.ArgumentParser(description="Retrieval quality beside two references, on the same skills.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--size", type=int, default=10_000, help="skills in the library (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    rows = load(given.data, given.size)
    with tempfile.TemporaryDirectory(prefix="skillcaddy-quality-") as folder:
        folders = expand(rows, Path(folder) / "skills")
        retrieve = _engine(Path(folder) / "skills", Path(folder) / "state").retrieve
        result = measure(
            given.data, folders, lambda query: answer(retrieve, query), [PeerIndex(rows), PlainRecipe(rows)]
        )
    result["skills"] = len(rows)
    if given.json:
        print(json.dumps(result, indent=1))
    else:
        _print(result)
    return 0 if all(bar["holds"] is not False for bar in result["bars"]) else 1


def _engine(tree: Path, state: Path) -> Engine:
    refresh(Store(state, [str(tree)]), workers=1)
    settings = Settings(skills_dirs=(str(tree),), shared_library="off")
    return Engine(settings, state_dir=state, indexing="never", third_party=False)


def measure(
    data: Path, folders: dict[str, str], ours: Callable[[str], Answer], references: Sequence[Reference]
) -> dict[str, Any]:
    """All figures of a run as JSON-ready data: `groups` (a table), `turns`, `bars`."""
    rows = load_queries(data)
    answers: dict[str, list[Answer]] = {"skillcaddy": [ours(row.query) for row in rows]}
    for reference in references:
        answers[reference.name] = [_answer(reference, row.query, folders) for row in rows]
    groups = {name: _group(rows, found, folders, name) for name, found in answers.items()}
    everyday = {part: _everyday(part, ours) for part in ("dev", "test")}
    near = load_negatives(data)
    near_misses = metrics([labelled_row(row, folders) for row in near], [ours(row.query) for row in near])
    return {
        "groups": groups,
        "everyday": everyday,
        "near_misses": near_misses,
        "bars": [vars_of(bar) for bar in _bars(groups, everyday)],
    }


def vars_of(bar: Bar) -> dict[str, Any]:
    """A bar as JSON-ready data."""
    return {"what": bar.what, "figure": bar.figure, "bar": bar.bar, "holds": bar.holds}


def _answer(reference: Reference, query: str, folders: dict[str, str]) -> Answer:
    ranking: tuple[Keys, ...] = tuple(frozenset({folders[skill_id]}) for skill_id in reference.rank(query))
    return Answer(ranking=ranking, injected=ranking[:2], elapsed_ms=0.0)


def labelled_row(row: QueryRow, folders: dict[str, str]) -> LabelledQuery:
    """The row with its skills named by their folders in the expanded tree, as `evaluate` takes it."""
    forbidden = [frozenset({folders[entry]}) for entry in row.forbidden if entry in folders]
    return LabelledQuery(
        query=row.query,
        relevant=tuple(frozenset(folder_of(entry) for entry in group) for group in row.relevant),
        forbidden=tuple(forbidden),
        has_forbidden=bool(forbidden),
    )


def _group(rows: Sequence[QueryRow], found: Sequence[Answer], folders: dict[str, str], name: str) -> dict[str, Any]:
    labelled = [labelled_row(row, folders) for row in rows]

    def figures(keep: Callable[[QueryRow], bool]) -> Figures:
        chosen = [at for at, row in enumerate(rows) if keep(row)]
        return metrics([labelled[at] for at in chosen], [found[at] for at in chosen])

    repositories: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row.kind in RANKED_KINDS:
            repositories[row.source_repo].append(at)
    by_repository = {
        repository: metrics([labelled[at] for at in chosen], [found[at] for at in chosen])
        for repository, chosen in repositories.items()
    }
    ranked: Callable[[QueryRow], bool] = lambda row: row.kind in RANKED_KINDS  # noqa: E731
    return {
        "all ranked": figures(ranked),
        "mean over repositories": _macro(by_repository.values()),
        "latin": figures(lambda row: ranked(row) and row.lang == "latin"),
        "cjk": figures(lambda row: ranked(row) and row.lang == "cjk"),
        "without the skill's name": figures(lambda row: ranked(row) and not row.names_skill),
        **{kind: figures(partial(_is_of, kind)) for kind in sorted({row.kind for row in rows})},
    }


def _is_of(kind: str, row: QueryRow) -> bool:
    return row.kind == kind


def _macro(figures: Iterable[Figures]) -> Figures:
    listed = list(figures)
    names = ("ndcg@10", "recall@5", "recall@2", "mrr", "hit@1", "injected_recall@2")
    means = {name: round(sum(float(row[name] or 0) for row in listed) / max(1, len(listed)), 4) for name in names}
    return {"n": len(listed), **means}


def _everyday(part: str, ours: Callable[[str], Answer]) -> dict[str, Any]:
    turns = load_everyday(part)
    injected: dict[str, list[bool]] = defaultdict(list)
    examples: list[str] = []
    for turn, language, _ in turns:
        given = bool(ours(turn).injected)
        injected[language].append(given)
        if given:
            examples.append(turn)
    everything = [given for row in injected.values() for given in row]
    return {
        "turns": len(turns),
        "false_injection_rate": round(sum(everything) / len(everything), 4),
        "by_language": {name: round(sum(row) / len(row), 3) for name, row in sorted(injected.items())},
        "injected_for": examples,
    }


def _bars(groups: dict[str, dict[str, Figures]], everyday: dict[str, Any]) -> list[Bar]:
    ours, peer = groups["skillcaddy"], groups["peer-style"]

    def ratio(group: str, figure: str) -> float | None:
        mine, theirs = ours[group][figure], peer[group][figure]
        return float(mine) / float(theirs) if mine and theirs else None

    bars = []
    for figure in ("ndcg@10", "recall@5"):
        bars.append(
            Bar.at_least(
                f"{figure} over all ranked queries, times the peer-style index", ratio("all ranked", figure), 1.40
            )
        )
        bars.append(
            Bar.at_least(
                f"{figure} as the mean over repositories, times it", ratio("mean over repositories", figure), 1.30
            )
        )
        bars.append(Bar.at_least(f"{figure} on CJK queries, times it", ratio("cjk", figure), 1.3))
        latin, cjk = ours["latin"][figure], ours["cjk"][figure]
        share = float(cjk) / float(latin) if cjk is not None and latin else None
        bars.append(Bar.at_least(f"{figure} on CJK queries, times our own on Latin ones", share, 0.9))
    for part, figures in everyday.items():
        bars.append(Bar.at_most(f"false injections on everyday turns ({part})", figures["false_injection_rate"], 0.05))
    everything = ours["all ranked"]
    loss = float(everything["recall@2"] or 0) - float(everything["injected_recall@2"] or 0)
    bars.append(Bar.at_most("recall@2 lost by the floor", loss, 0.03))
    return bars


def _print(result: dict[str, Any]) -> None:
    columns = ("n", "ndcg@10", "recall@5", "recall@2", "mrr", "hit@1", "injected_recall@2")
    for name, groups in result["groups"].items():
        shown = columns if name == "skillcaddy" else columns[:-1]
        print_table(
            f"{name}, {result['skills']} skills",
            ("queries", *shown),
            [(group, *(row[c] for c in shown)) for group, row in groups.items()],
        )
    rows = [(part, row["turns"], row["false_injection_rate"], _worst(row)) for part, row in result["everyday"].items()]
    print_table("everyday turns: nothing should be injected", ("part", "turns", "injected", "most in"), rows)
    near = result["near_misses"]
    row = (near["negatives"], near["false_injection_rate"], near["forbidden_rate"], "not measured")
    print_table(
        "near misses: only a model can tell them apart",
        ("rows", "injected", "forbidden injected", "with a model"),
        [row],
    )
    print_bars([Bar(**bar) for bar in result["bars"]])


def _worst(row: dict[str, Any]) -> str:
    language, share = max(row["by_language"].items(), key=lambda item: item[1])
    return f"{language} {share:.2f}" if share else "none"


if __name__ == "__main__":
    sys.exit(main())
