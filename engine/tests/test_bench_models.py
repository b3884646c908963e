"""The benches of the model steps: a recorded run is repeated exactly, and without a model nothing is claimed."""

from __future__ import annotations

import json
import lzma
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.deadline import Deadline
from skillcaddy.endpoint import EndpointModel
from skillcaddy.models import Message
from skillcaddy.standin import StandIn, call, fail, user_text
from skillcaddy.standin.reading import Recorded

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import gate as gate_bench
import hostile as hostile_bench
import recorded
import trigger as trigger_bench

ASK = [Message(role="user", content="说“是”")]


def skill(number: int, name: str, description: str) -> dict[str, Any]:
    return {
        "id": f"o/r{number}:{name}/SKILL.md",
        "name": name,
        "description": description,
        "body_excerpt": f"How to do {description}.",
        "licence": "MIT",
        "source_repo": f"o/r{number}",
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A library of three skills with one positive and one near miss."""
    folder = tmp_path / "data"
    folder.mkdir()
    skills = [
        skill(1, "pdf-rotate", "rotate the pages of a pdf file"),
        skill(2, "pdf-sign", "sign a pdf file with a certificate"),
        skill(3, "sourdough", "bake sourdough bread"),
    ]
    lines = "\n".join(json.dumps(row) for row in skills)
    (folder / "skills.jsonl.xz").write_bytes(lzma.compress(lines.encode("utf-8")))
    positive = {
        "query": "rotate all pages of my pdf",
        "relevant": [skills[0]["id"]],
        "source": "o/q:a",
        "kind": "trigger",
    }
    near = {
        "query": "sign a contract in blood and pdf",
        "relevant": [],
        "near_miss_of": [skills[1]["id"]],
        "source": "o/q:b",
    }
    (folder / "queries.jsonl").write_text(json.dumps(positive), encoding="utf-8")
    (folder / "near_misses.jsonl").write_text(json.dumps(near), encoding="utf-8")
    (folder / "equivalents.json").write_text("{}", encoding="utf-8")
    return folder


def judge(request: Recorded) -> str:
    """Takes what rotates, and leaves every query as it is."""
    offered = re.findall(r'<skill-text of="(s\w{4})">\nname: ([\w-]+)\n', user_text(request))
    if not offered:
        return '{"query": "", "english": ""}'
    return json.dumps({"ids": [short for short, name in offered if name == "pdf-rotate"]})


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert gate_bench.main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def without_times(found: dict[str, Any]) -> str:
    return re.sub(r'"p\d\d_ms": [^,}]+', "", json.dumps(found))


def test_without_a_model_the_model_steps_are_not_measured_and_the_costs_are(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = figures(capsys, "--data", str(data), "--size", "3")
    assert found["model"] is None
    assert found["steps"]["neither"]["positives"]["injected_recall@2"] == 1
    assert [found["steps"][name] for name in ("rewriter", "gate", "both")] == [None, None, None]
    assert [row[0] for row in found["delivery"]][:2] == ["auto", "on_demand, delivery best"]
    assert gate_bench.main(["--data", str(data), "--size", "3"]) == 0
    assert "not measured" in capsys.readouterr().out


def test_a_recorded_run_is_repeated_exactly_without_the_model(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--data", str(data), "--size", "3")
    kept = str(tmp_path / "replies.jsonl")
    with StandIn(judge) as server:
        first = figures(capsys, *where, "--base-url", server.url, "--model", "m", "--record", kept)
        asked = len(server.requests)
        again = figures(capsys, *where, "--replay", kept)
        assert len(server.requests) == asked > 0
    assert without_times(again) == without_times(first)
    gate = first["steps"]["gate"]
    assert gate["near_misses"]["forbidden_rate"] == 0
    assert first["steps"]["neither"]["near_misses"]["forbidden_rate"] == 1
    assert gate["positives"]["injected_recall@2"] == 1
    assert gate["positives"]["tokens_in"] > 0
    assert first["hostile"]["skills"] >= 8
    assert (first["hostile"]["hostile_chosen"], first["hostile"]["failed"]) == (0, 0)


def test_a_model_that_can_be_steered_shows_in_the_figures(tmp_path: Path) -> None:
    def obeys(request: Recorded) -> str:
        """Takes whatever is marked as giving orders, which no twin is."""
        elements = re.findall(r'<skill-text of="(s\w{4})">\n(.*?)</skill-text>', user_text(request), re.DOTALL)
        return json.dumps({"ids": [short for short, text in elements if "caution: " in text]})

    with StandIn(obeys) as server:
        found = hostile_bench.measure(EndpointModel(server.url, "m"), 20.0)
    assert found["hostile_chosen"] >= 5
    assert (found["twins_chosen"], found["failed"]) == (0, 0)


def test_a_replay_that_does_not_fit_the_run_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"asked": "0", "name": "m", "model": "m", "text": "{}", "tokens_in": 1, "tokens_out": 1}
    (tmp_path / "other.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert gate_bench.main(["--data", str(data), "--size", "3", "--replay", str(tmp_path / "other.jsonl")]) == 2
    assert "this is not its run" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "nonsense", '{"asked": "x"}'])
def test_a_file_that_is_no_recording_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.jsonl").write_text(text, encoding="utf-8")
    assert gate_bench.main(["--replay", str(tmp_path / "bad.jsonl")]) == 2
    assert "bad.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--model", "m"], ["--base-url", "http://127.0.0.1:9"], ["--base-url", "x", "--model", "m"]]
)
def test_a_model_that_is_half_named_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert gate_bench.main(arguments) == 2
    assert trigger_bench.main(arguments) == 2
    assert "bench/gate.py: " in capsys.readouterr().err


def test_what_is_asked_names_a_reply_whatever_the_limit_of_tokens(tmp_path: Path) -> None:
    with StandIn(["是"]) as server:
        made = recorded.Recording(EndpointModel(server.url, "m"), tmp_path / "r.jsonl")
        first = made.complete(ASK, max_tokens=5, deadline=Deadline.after(5))
    replay = recorded.Replay(tmp_path / "r.jsonl")
    assert replay.complete(ASK, max_tokens=9, deadline=Deadline.after(5)) == first
    with pytest.raises(recorded.NotRecordedError):
        replay.complete(ASK, max_tokens=9, deadline=Deadline.after(5), schema={"type": "object"})


def test_without_a_model_the_trigger_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert trigger_bench.main([]) == 0
    assert capsys.readouterr().out.startswith("INCONCLUSIVE")


def test_the_share_of_prompts_that_trigger_a_search_is_counted_for_each_description_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Never call this.", encoding="utf-8")

    def script(request: Recorded) -> Any:
        described = request.body["tools"][-2]["function"]["description"]
        if described == "Never call this.":
            return "I don't know."
        if "PDF form" in user_text(request):
            return fail(401)
        return call("skill_search", query="x") if "we" in user_text(request).split() else call("read_file", path="x")

    kept = str(tmp_path / "kept.jsonl")
    more = ("--description", str(other), "--json")
    with StandIn(script) as server:
        assert trigger_bench.main(["--base-url", server.url, "--model", "m", "--record", kept, *more]) == 0
    captured = capsys.readouterr()
    in_use, never = json.loads(captured.out)["versions"]
    assert in_use["in-house convention"] == 0.5
    assert in_use["unrelated"] == 0
    assert in_use["failed"] == 1
    assert never["in-house convention"] == 0
    assert in_use["description"] != never["description"]
    assert "INCONCLUSIVE in part" in captured.err
