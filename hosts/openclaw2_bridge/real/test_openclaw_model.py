"""The rewriter and the gate on the real OpenClaw: what they ask goes through the host's own model, and may go wrong."""

from __future__ import annotations

import json

import pytest
from installed import VERSIONS

from conftest import Start
from skillcaddy.standin import Recorded, count, user_text
from skillcaddy.standin.facts import CANARY, OTHER
from skillcaddy.standin.played import Played, candidates, judgement

LONG = """Good morning! Before the meeting there is one more thing that I promised to have ready for all by noon.
Please build the quarterly review deck from our house template. You can take the figures from last week, nothing has
changed since then. Or else, bake a sourdough loaf in the cast iron pot. Thank you very much in advance!"""
every_host = pytest.mark.parametrize("version", VERSIONS)


def ours(request: Recorded) -> bool:
    """True for a question of the rewriter or the gate: hosts ask for titles and summaries too."""
    return "<skill-text of=" in user_text(request)


def judge(request: Recorded) -> str:
    """Sharpens a query, and chooses the deck."""
    if not candidates(request):
        return json.dumps({"query": "quarterly review deck template or sourdough loaf", "english": ""})
    return judgement(request, "quarterly-deck")


@every_host
@pytest.mark.requirement("openclaw:host-model")
def test_both_model_steps_are_asked_of_the_hosts_own_model(version: str, openclaw: Start, model: Played) -> None:
    model.aside = judge
    settings = {"gate": "auto", "rewrite": "auto"}
    openclaw(version, "auto", settings=settings).turn(LONG)
    rewriting, judging = [seen for seen in model.others if ours(seen)]
    assert "last week" in user_text(rewriting)
    assert "quarterly review deck template or sourdough loaf" in user_text(judging)
    assert user_text(judging).count("<skill-text of=") == user_text(judging).count("</skill-text>")
    assert (count(model.turns[0], CANARY), count(model.turns[0], OTHER)) == (1, 0)


@every_host
@pytest.mark.requirement("openclaw:host-model")
def test_a_model_that_cannot_judge_leaves_the_users_own_skills_and_a_line_in_the_log(
    version: str, openclaw: Start, model: Played
) -> None:
    """T60, T63."""
    model.aside = lambda request: "I'd rather not."
    turn = openclaw(version, "auto", settings={"gate": "on"}).turn(LONG)
    assert len([seen for seen in model.others if ours(seen)]) == 2, "asked once more, and no more"
    assert count(model.turns[0], CANARY) == 1
    assert "[gate_failed]" in turn.log
