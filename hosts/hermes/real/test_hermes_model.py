"""The rewriter and the gate on the real Hermes: what they ask goes through the host's own model, and may go wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import CANARY, OTHER, Start, count
from skillcaddy.standin import StandIn, say, tool_names, user_text
from skillcaddy.standin.facts import DECK
from skillcaddy.standin.played import candidates, judgement
from skillcaddy.standin.reading import Recorded
from skillcaddy.standin.script import Reply

LONG = f"""Good morning! Before the meeting there is one more thing that I promised to have ready for all by noon.
{DECK} You can take the figures from last week, nothing has changed since. Thank you very much in advance!"""
both = pytest.mark.parametrize("way", ["ordinary", "slot"])


def judge(request: Recorded) -> Reply:
    """Answers the agent plainly, sharpens a query, and chooses the deck."""
    if tool_names(request):
        return say("Done.")
    if not candidates(request):
        return say(json.dumps({"query": "quarterly review deck template", "english": ""}))
    return say(judgement(request, "quarterly-deck"))


@both
@pytest.mark.requirement("hermes:host-model")
def test_both_model_steps_are_asked_of_the_hosts_own_model(way: str, hermes: Start) -> None:
    with StandIn(judge) as model:
        host = hermes(model, way, "auto", settings={"gate": "auto", "rewrite": "auto", "deadline_auto_s": 20.0})
        host.turn(LONG)
        rewriting, judging = model.others
        (turn,) = model.turns
    assert "last week" in user_text(rewriting)
    assert "quarterly review deck template" in user_text(judging)
    assert user_text(judging).count("<skill-text of=") == user_text(judging).count("</skill-text>")
    assert (count(turn), OTHER in user_text(turn)) == (1, False)


@both
@pytest.mark.requirement("hermes:host-model")
def test_a_model_that_cannot_judge_leaves_the_users_own_skills_and_a_line_in_the_log(
    way: str, hermes: Start, tmp_path: Path
) -> None:
    """T60, T63."""
    with StandIn(lambda request: say("Done." if tool_names(request) else "I'd rather not.")) as model:
        host = hermes(model, way, "auto", settings={"gate": "on", "deadline_auto_s": 20.0})
        host.turn(DECK)
        assert len(model.others) == 2, "asked once more, and no more"
        (turn,) = model.turns
    assert CANARY in user_text(turn)
    (log,) = tmp_path.rglob("decisions.jsonl")
    (decision,) = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert "gate_failed" in [event["reason"] for event in decision["events"]]
    assert [call["step"] for call in decision["model_calls"]] == ["gate", "gate"]
