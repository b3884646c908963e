"""What rewriter and gate are worth, with a named model, on positives and near misses; and what delivery costs.

    python bench/gate.py                                              without a model: the costs, and "not measured"
    python bench/gate.py --base-url URL --model NAME [--key-env VAR] [--record FILE]
    python bench/gate.py --replay FILE                                a recorded run again, exactly

The same rows run four times: without a model, with the rewriter, with the gate, with both. `recall` is the share of
right answers that are injected, `forbidden` the share of near misses for which the very skill that they miss is,
`injected` the share of them for which anything is. Hostile skills are set beside tame twins of theirs (`hostile.py`).
Replies that somebody wrote are no evidence, so none come with this.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import delivery_cost
import hostile
from expand import expand
from labelled import QueryRow, SkillRow, default_data, load, load_everyday, load_negatives, load_queries
from quality import labelled_row
from recorded import Recording, Replay
from report import print_table
from skillcaddy.endpoint import EndpointModel
from skillcaddy.engine import Engine
from skillcaddy.evaluate import Answer, answer, metrics
from skillcaddy.library.analyze import terms
from skillcaddy.library.indexer import refresh
from skillcaddy.library.store import Store
from skillcaddy.models import ChatModel
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Retrieval

SEED = 7
STEPS = (("neither", "off", "off"), ("rewriter", "auto", "off"), ("gate", "off", "auto"), ("both", "auto", "auto"))
BUCKETS = ((1, 3), (4, 6), (7, 9), (10, 15), (16, 25), (26, 10_000))


class Bench:
    """One library on disk with its index, and engines over it that differ in their model steps."""

    def __init__(self, rows: Sequence[SkillRow], folder: Path, deadline_s: float) -> None:
        self.folders = expand(list(rows), folder / "skills")
        self.settings = Settings(
            skills_dirs=(str(folder / "skills"),), shared_library="off", decision_log="off", rewrite="off", gate="off"
        )
        self._state = folder / "state"
        self._deadline_s = deadline_s
        refresh(Store(self._state, [str(folder / "skills")]), workers=1)

    def engine(self, settings: Settings, model: ChatModel | None = None) -> Engine:
        """An engine with these settings over the library."""
        return Engine(settings, model=model, state_dir=self._state, indexing="never", third_party=False)

    def run(self, rows: Sequence[QueryRow], model: ChatModel | None, rewrite: Any, gate: Any) -> dict[str, Any]:
        """The figures of these rows with these steps on."""
        engine = self.engine(replace(self.settings, rewrite=rewrite, gate=gate), model)
        spent: list[Retrieval] = []

        def retrieve(request: Request) -> Retrieval:
            found = engine.retrieve(replace(request, deadline_s=self._deadline_s))
            spent.append(found)
            return found

        answers: list[Answer] = [answer(retrieve, row.query) for row in rows]
        figures: dict[str, Any] = dict(metrics([labelled_row(row, self.folders) for row in rows], answers))
        calls = [call for found in spent for call in found.trace.model_calls]
        failed = sum(any(e.reason in ("gate_failed", "rewrite_failed") for e in f.trace.events) for f in spent)
        figures |= {
            "calls": len(calls),
            "tokens_in": sum(call.tokens_in for call in calls) / max(1, len(rows)),
            "tokens_out": sum(call.tokens_out for call in calls) / max(1, len(rows)),
            "failed": failed,
        }
        return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what can be measured and print it; 2 for a model that is half named or a replay that does not fit."""
    given = _parser().parse_args(arguments)
    try:
        model = _model(given)
    except (ValueError, OSError) as error:
        print(f"bench/gate.py: {error}", file=sys.stderr)
        return 2
    rows = load(given.data, given.size)
    positives, negatives = _sample(given)
    with tempfile.TemporaryDirectory(prefix="skillcaddy-gate-") as folder:
        bench = Bench(rows, Path(folder), given.deadline)
        result: dict[str, Any] = {
            "model": None if model is None else model.name,
            "skills": len(rows),
            "positives": len(positives),
            "near_misses": len(negatives),
            "steps": _steps(bench, positives, negatives, model),
            "hostile": None if model is None else hostile.measure(model, given.deadline),
            "skip_rule": _skip_rule(bench, load_queries(given.data)),
            "delivery": delivery_cost.measure(
                bench.settings, bench.engine, [(row.name, row.description) for row in rows]
            ),
        }
    missing = model.missing if isinstance(model, Replay) else []
    if missing:
        print(f"bench/gate.py: {given.replay} lacks {len(missing)} replies: it was recorded with other skills, rows,"
              " texts or settings, so this is not its run.", file=sys.stderr)  # fmt: skip
        return 2
    print(json.dumps(result, indent=1)) if given.json else _print(result)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Rewriter and gate with a named model, and the cost of delivery.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data (default: %(default)s)")
    parser.add_argument("--size", type=int, default=3000, help="skills in the library (default: %(default)s)")
    parser.add_argument(
        "--rows", type=int, default=100, help="positives, and near misses, at most (default: %(default)s)"
    )
    parser.add_argument(
        "--base-url", default="", help="an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1"
    )
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--key-env", default="", help="the environment variable that holds its key")
    parser.add_argument("--deadline", type=float, default=120.0, help="seconds a turn may take (default: %(default)s)")
    parser.add_argument("--record", type=Path, help="write the model's replies to this file")
    parser.add_argument("--replay", type=Path, help="take the replies from this file instead of a model")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _model(given: argparse.Namespace) -> ChatModel | None:
    if given.replay is not None:
        return Replay(given.replay)
    if not given.base_url and not given.model:
        return None
    if not given.base_url or not given.model:
        raise ValueError("a model is named by --base-url and --model together")
    key = os.environ.get(given.key_env, "") if given.key_env else ""
    if given.key_env and not key:
        raise ValueError(f"--key-env names {given.key_env}, which is not set")
    model = EndpointModel(given.base_url, given.model, key=key)
    return model if given.record is None else Recording(model, given.record)


def _sample(given: argparse.Namespace) -> tuple[list[QueryRow], list[QueryRow]]:
    """The rows of the run, the same for the same arguments."""
    chance = random.Random(SEED)
    positives = [row for row in load_queries(given.data) if row.kind != "skillsbench"]
    negatives = [row for row in load_negatives(given.data) if row.forbidden]
    for rows in (positives, negatives):
        chance.shuffle(rows)
    return positives[: given.rows], negatives[: given.rows]


def _steps(
    bench: Bench, positives: list[QueryRow], negatives: list[QueryRow], model: ChatModel | None
) -> dict[str, dict[str, Any] | None]:
    everyday = [
        QueryRow(query=turn, relevant=(), forbidden=(), lang=lang, source="everyday", kind=kind, names_skill=False)
        for turn, lang, kind in load_everyday("dev")[:: max(1, len(load_everyday("dev")) // max(1, len(negatives)))]
    ][: len(negatives)]
    found: dict[str, dict[str, Any] | None] = {}
    for name, rewrite, gate in STEPS:
        if model is None and name != "neither":
            found[name] = None
            continue
        found[name] = {
            "positives": bench.run(positives, model, rewrite, gate),
            "near_misses": bench.run(negatives, model, rewrite, gate),
            "everyday": bench.run(everyday, model, rewrite, gate),
        }
    return found


def _skip_rule(bench: Bench, rows: list[QueryRow]) -> list[tuple[str, int, Any, Any]]:
    """How messages of some length do as they stand: what the rewriter's rule to leave short ones alone rests on."""
    engine = bench.engine(bench.settings)
    sizes = [len(set(terms(row.query))) for row in rows]
    table = []
    for low, high in BUCKETS:
        chosen = [row for row, size in zip(rows, sizes, strict=True) if low <= size <= high]
        answers = [answer(engine.retrieve, row.query) for row in chosen]
        figures = metrics([labelled_row(row, bench.folders) for row in chosen], answers)
        label = f"{low} to {high}" if high < 10_000 else f"{low} and more"
        table.append((label, len(chosen), figures["recall@5"], figures["ndcg@10"]))
    return table


def _print(result: dict[str, Any]) -> None:
    named = result["model"] or "no model was given"
    rows = []
    for name, figures in result["steps"].items():
        if figures is None:
            rows.append((name, *["not measured"] * 8))
            continue
        positives, near, everyday = figures["positives"], figures["near_misses"], figures["everyday"]
        parts = (positives, near, everyday)
        tokens = [sum(part[key] for part in parts) / len(parts) for key in ("tokens_in", "tokens_out")]
        rows.append(
            (
                name,
                positives["injected_recall@2"],
                positives["recall@2"],
                near["forbidden_rate"],
                near["false_injection_rate"],
                everyday["false_injection_rate"],
                sum(part["calls"] for part in parts),
                f"{tokens[0]:.0f} / {tokens[1]:.0f}",
                sum(part["failed"] for part in parts),
            )
        )
    print_table(
        f"model steps with {named}: {result['positives']} positives, {result['near_misses']} near misses, "
        f"{result['skills']} skills",
        ("steps", "recall", "of the ranking", "forbidden", "injected", "everyday", "calls", "tokens/turn", "failed"),
        rows,
    )
    steered = result["hostile"]
    print_table(
        f"skills that give orders to the gate's model ({named}), before a message that they do not fit",
        ("skills", "chosen", "their tame twins chosen", "no answer"),
        [
            ("-", *["not measured"] * 3)
            if steered is None
            else tuple(steered[key] for key in ("skills", "hostile_chosen", "twins_chosen", "failed"))
        ],
    )
    print_table(
        "messages as they stand, by content words: the rewriter leaves those of up to 9 alone",
        ("content words", "n", "recall@5", "nDCG@10"),
        result["skip_rule"],
    )
    delivery_cost.print_costs(result["delivery"])


if __name__ == "__main__":
    sys.exit(main())
