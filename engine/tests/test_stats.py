"""`skillcaddy stats`: the log summed up, whatever is in it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import Result

from builders import cli_runner, write_skill
from skillcaddy.cli.app import app
from skillcaddy.decisions import FILE_NAME
from skillcaddy.engine import Engine
from skillcaddy.paths import locations
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.stats import latency, summarise
from skillcaddy.tools import Tools


def run(*arguments: str) -> Result:
    return cli_runner().invoke(app, ["stats", *arguments], env={"COLUMNS": "200"})


def figures(*arguments: str) -> dict[str, Any]:
    result = run("--json", *arguments)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def used(library: Path) -> None:
    """A log of some days' work: hits, misses, a list, an opened skill."""
    write_skill(library, "pdf-rotate", "Rotate the pages of a PDF document")
    write_skill(library, "sql-review", "Review SQL migrations before a release")
    settings = Settings(skills_dirs=(str(library),), shared_library="off", relevance="off")
    engine = Engine(settings, indexing="inline", third_party=False)
    for query in ("rotate the pdf pages", "review this sql migration", "zorbify the quux"):
        engine.retrieve(Request(query=query, surface="auto", host="hermes"))
    tools = Tools(engine)
    tools.skill_search({"query": "rotate pdf", "delivery": "catalog"}, request_defaults=Request(query="", host="mcp"))
    tools.skill_open({"id": "local:pdf-rotate"}, request_defaults=Request(query="", host="mcp"))
    tools.skill_open({"id": "nowhere"})


@pytest.mark.usefixtures("used")
def test_the_sums_say_what_was_found_delivered_listed_and_opened() -> None:
    found = figures()
    assert (found["records"], found["retrievals"], found["bad_lines"]) == (6, 4, 0)
    assert found["outcomes"] == {"delivered": 2, "nothing": 1, "listed": 1}
    assert found["opens"] == {"opened": 1, "miss": 1}
    assert found["est_tokens"] > 0
    assert found["latency_ms"]["max"] >= found["latency_ms"]["p50"] > 0
    rotate = next(skill for skill in found["skills"] if skill["id"] == "local:pdf-rotate")
    assert (rotate["delivered"], rotate["listed"], rotate["opened"]) == (1, 1, 1)
    assert rotate["found"] == 2
    assert found["sources"]["local"]["asked"] == 4
    assert found["reasons"]["no_match"] == 1
    hermes = next(group for group in found["groups"] if group["host"] == "hermes")
    assert (hermes["surface"], hermes["mode"], hermes["retrievals"]) == ("auto", "on_demand", 3)


@pytest.mark.usefixtures("used")
def test_a_person_reads_the_same_in_tables() -> None:
    result = run()
    assert result.exit_code == 0
    for words in ("4 retrievals", "2 delivered a skill", "local:pdf-rotate", "hermes", "No skill fits", "2 calls of"):
        assert words in result.stdout, result.stdout


def test_an_empty_log_is_no_error_and_says_where_it_looked() -> None:
    result = run()
    assert result.exit_code == 0
    assert str(locations().log_dir / FILE_NAME) in result.stdout
    assert figures()["records"] == 0


def test_a_log_that_is_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLCADDY_DECISION_LOG", "off")
    assert "switched off" in run().stdout


@pytest.mark.usefixtures("used")
def test_bad_lines_are_counted_and_cost_nothing_else() -> None:
    file = locations().log_dir / FILE_NAME
    with file.open("ab") as log:
        log.write(b'{"kind": "retr\n\xff\xfe\x00\n[1]\nnull\n{"kind": "dance", "at": "2026"}\n{"kind": "open"}\n')
    found = figures()
    assert (found["records"], found["bad_lines"]) == (6, 6)
    assert "6 lines of the log could not be read" in run().stdout


def test_only_the_last_days_count_when_asked() -> None:
    def at(days_ago: float) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - days_ago * 86_400))

    rows = [{"kind": "retrieval", "at": at(days), "outcome": "nothing"} for days in (0.1, 2, 9)]
    assert summarise(rows).records == 3
    assert summarise(rows, days=7).records == 2
    assert summarise(rows, days=1).records == 1


@pytest.mark.parametrize("days", ["0", "-1", "nan"])
def test_a_senseless_number_of_days_is_wrong_usage(days: str) -> None:
    result = run("--days", days)
    assert result.exit_code == 2
    assert "--days" in result.stderr


def test_percentiles_are_values_that_occurred() -> None:
    assert latency([5, 1, 2, 3, 4]) == {"p50": 3, "p95": 5, "p99": 5, "max": 5}
    assert latency([7]) == {"p50": 7, "p95": 7, "p99": 7, "max": 7}
    assert latency([]) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = ["outcome", "reasons", "sources", "candidates", "delivered", "catalog", "ids", "model_calls", "elapsed_ms"]


@given(st.sampled_from(["open", "retrieval"]), st.dictionaries(st.sampled_from([*KEYS, "host", "lost_before"]), JSON))
def test_a_line_may_hold_anything(kind: str, content: dict[str, Any]) -> None:
    summary = summarise([{**content, "kind": kind, "at": "2026-01-01T00:00:00.000Z"}])
    json.dumps(summary.to_json())
    assert summary.records == 1
