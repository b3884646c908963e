"""The commands as scripts and people call them: the contract of their JSON, their exit codes and their messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from builders import write_skill

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAVY = ("pydantic", "typer", "rich", "asyncio", "httpx", "numpy", "pluggy", "importlib.metadata", "filelock", "yaml")
HEAVY += ("array",)
if sys.version_info < (3, 12):
    # What inspect brings along; from 3.12 on, the standard data classes of the settings cannot do without it.
    HEAVY += ("ast", "dis", "tokenize")


def run(*arguments: str, check: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "skillcaddy", *arguments],
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert check is None or done.returncode == check, done.stderr
    return done


def search(query: str, *arguments: str, skills: Path = EXAMPLES / "skills") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("search", query, "--skills", str(skills), "--json", *arguments).stdout)
    return found


def test_search_finds_the_skill_and_says_all_that_the_contract_promises() -> None:
    found = search("the vendor wants its PDF questionnaire back, filled in")
    assert set(found) == {"query", "hits", "text", "trace", "elapsed_ms"}
    first = found["hits"][0]
    assert set(first) == {"id", "name", "source", "path", "rank", "score", "trust"}
    assert (first["name"], first["rank"], first["source"], first["trust"]) == ("pdf-forms", 1, "local", "local")
    assert Path(first["path"]).is_file()
    assert "# Filling PDF forms" in found["text"]


def test_a_miss_is_a_success_without_hits() -> None:
    assert search("thanks, go on")["hits"] == []


def test_a_skill_folder_that_does_not_exist_is_wrong_usage_and_named() -> None:
    done = run("search", "pdf", "--skills", "no/such/folder", "--json", check=2)
    assert "no/such/folder" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "arguments", [["search"], ["search", "x", "--top-k", "0"], ["search", "x", "--nope"], ["nope"], ["eval"]]
)
def test_wrong_usage_is_exit_2(arguments: list[str]) -> None:
    run(*arguments, check=2)


def test_a_bad_setting_in_the_environment_is_said_and_the_search_goes_on() -> None:
    done = run("search", "pdf", "--skills", str(EXAMPLES / "skills"), "--json", SKILLCADDY_MODE="atuo")
    assert "atuo" in done.stderr
    assert "SKILLCADDY_MODE" in done.stderr
    assert json.loads(done.stdout)["hits"]


def test_top_k_limits_what_is_delivered() -> None:
    found = search("pdf", "--top-k", "1", "--delivery", "bodies")
    assert found["text"].count("<skill-text") == 1


def test_people_get_a_table_and_the_text() -> None:
    done = run("search", "fill in the PDF questionnaire", "--skills", str(EXAMPLES / "skills"))
    assert "pdf-forms" in done.stdout
    assert "What an agent gets" in done.stdout
    assert "No skill fits" in run("search", "thanks", "--skills", str(EXAMPLES / "skills")).stdout


def test_index_reports_what_it_did_and_what_it_noticed(library: Path) -> None:
    write_skill(library, "good", "Peel apples")
    (library / "bad").mkdir()
    (library / "bad" / "SKILL.md").write_bytes(bytes(range(256)) * 40)
    report = json.loads(run("index", "--skills", str(library), "--json").stdout)
    assert (report["skills"], report["built"]) == (1, True)
    assert [Path(problem["path"]).parent.name for problem in report["problems"]] == ["bad"]
    again = json.loads(run("index", "--skills", str(library), "--json").stdout)
    assert (again["built"], again["written"]) == (False, 0)
    assert "brought up to date" in run("index", "--skills", str(library)).stdout


def test_index_without_any_folder_is_wrong_usage(tmp_path: Path) -> None:
    assert "no skill folder" in run("index", "--skills", str(tmp_path / "gone"), check=2).stderr


def test_eval_prints_every_figure_of_the_contract(library: Path, tmp_path: Path) -> None:
    write_skill(library, "office/peel", "Peel apples", name="peeler")
    write_skill(library, "core", "Core pears")
    rows = [
        {"query": "please peel the apples for the cake", "relevant": ["office/peel"]},
        {"query": "how do I core all these pears", "relevant": [["nothing", "local:core"]]},
        {"query": "I have to peel forty apples by noon", "relevant": ["peeler"], "forbidden": ["core"]},
        {"query": "thanks, go on", "relevant": []},
    ]
    queries = tmp_path / "queries.jsonl"
    queries.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    figures = json.loads(run("eval", "--skills", str(library), "--queries", str(queries), "--json").stdout)
    assert figures.pop("p50_ms") > 0
    assert figures.pop("p95_ms") > 0
    assert figures == {
        "n": 3, "ndcg@10": 1.0, "recall@5": 1.0, "recall@2": 1.0, "mrr": 1.0, "hit@1": 1.0, "negatives": 1,
        "false_injection_rate": 0.0, "forbidden_rate": 0.0, "injected_recall@2": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "row", ["not json", "[]", '{"relevant": []}', '{"query": 1, "relevant": []}', '{"query": "x", "relevant": [1]}']
)
def test_a_bad_row_of_a_query_file_is_named_with_file_and_line(library: Path, tmp_path: Path, row: str) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"query": "x", "relevant": []}\n' + row + "\n", encoding="utf-8")
    done = run("eval", "--skills", str(library), "--queries", str(queries), check=2)
    assert f"{queries}, line 2" in done.stderr


def test_every_command_is_listed_with_its_help() -> None:
    listed = run("--help").stdout
    for command in ("search", "index", "eval", "config", "mcp", "bridge"):
        assert f" {command} " in listed
        assert run(command, "--help").stdout


def test_a_search_process_imports_nothing_heavy() -> None:
    """The hot path: start-up is most of a short process's time."""
    plugins = Path(os.environ["SKILLCADDY_HOME"]) / "state" / "plugins"
    until = time.monotonic() + 30
    while not list(plugins.glob("*.json")) and time.monotonic() < until:
        # An environment that was installed to within the last seconds is not remembered yet.
        search("warm the settings snapshot and the index")
    program = (
        "import sys, atexit, contextlib, io\n"
        "from skillcaddy.cli import main\n"
        "try:\n"
        "    with contextlib.redirect_stdout(io.StringIO()):\n"
        f"        main(['search', 'fill in a pdf', '--skills', {str(EXAMPLES / 'skills')!r}, '--json'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint(HEAVY), loaded & set(HEAVY)
    assert "skillcaddy.pipeline" in loaded
