"""Frozen margins: on the slice of real skills the ranking stays ahead of the peer-style index, and talk stays talk."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
if str(BENCH) not in sys.path:
    sys.path.append(str(BENCH))

from expand import expand  # noqa: E402 - the bench is no package
from labelled import SLICE, load, load_everyday, load_queries  # noqa: E402
from quality import labelled_row  # noqa: E402
from references import PeerIndex  # noqa: E402
from skillcaddy.engine import Engine  # noqa: E402
from skillcaddy.evaluate import Answer, answer, metrics  # noqa: E402
from skillcaddy.settings import Settings  # noqa: E402


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    tree = tmp_path_factory.mktemp("slice") / "skills"
    return tree, expand(load(SLICE), tree)


@pytest.fixture(scope="module")
def engine(folders: tuple[Path, dict[str, str]]) -> Engine:
    tree, _ = folders
    settings = Settings(skills_dirs=(str(tree),), shared_library="off", decision_log="off")
    made = Engine(settings, state_dir=tree.parent / "state", indexing="inline", third_party=False)
    assert made.open("no such skill") == []  # builds the index
    return made


def figures(engine: Engine, folders: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    rows = load_queries(SLICE)
    labelled = [labelled_row(row, folders) for row in rows]
    peer = PeerIndex(load(SLICE))
    theirs = []
    for row in rows:
        ranking = tuple(frozenset({folders[skill_id]}) for skill_id in peer.rank(row.query))
        theirs.append(Answer(ranking=ranking, injected=ranking[:2], elapsed_ms=0.0))
    ours = [answer(engine.retrieve, row.query) for row in rows]
    return metrics(labelled, ours), metrics(labelled, theirs)


def test_the_ranking_keeps_its_lead_and_the_floor_costs_little(
    engine: Engine, folders: tuple[Path, dict[str, str]]
) -> None:
    ours, theirs = figures(engine, folders[1])
    assert ours["ndcg@10"] >= 1.20 * theirs["ndcg@10"]
    assert ours["recall@5"] >= 1.15 * theirs["recall@5"]
    assert ours["injected_recall@2"] >= ours["recall@2"] - 0.03


def test_everyday_turns_that_no_fit_has_seen_get_nothing(engine: Engine) -> None:
    turns = load_everyday("test")
    injected = [turn for turn, _, _ in turns if answer(engine.retrieve, turn).injected]
    assert len(injected) <= 0.05 * len(turns), injected
