"""Every reason code: a small scenario that produces it, and the sentence that `skillcaddy explain` prints for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders import hit, write_skill
from model_scripts import QUERY, Model, Shelf
from skillcaddy.cli.explanation import print_explanation
from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.explain import Explanation, explain
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Skill, Trust
from skillcaddy.source import CoolDownError

LONG_MESSAGE = "Could you rotate the page of this pdf?\nIt came out of the scanner upside down and I need it by noon."

Scenario = Callable[[Path], Explanation]
SCENARIOS: dict[Reason, Scenario] = {}


def produces(*reasons: Reason) -> Callable[[Scenario], Scenario]:
    """Marks a scenario with the reasons that it produces."""

    def mark(scenario: Scenario) -> Scenario:
        for reason in reasons:
            assert reason not in SCENARIOS, f"{reason} has a scenario already"
            SCENARIOS[reason] = scenario
        return scenario

    return mark


class Source(Shelf):
    """A shelf that does something else when it is searched."""

    def __init__(self, act: Callable[[], Any], name: str = "shop") -> None:
        super().__init__(name=name)
        self.act = act

    def search(self, query: str, limit: int, deadline: Deadline) -> Any:
        return self.act()


def why(
    *sources: Any,
    model: Any = None,
    settings: dict[str, Any] | None = None,
    engine: dict[str, Any] | None = None,
    **request: Any,
) -> Explanation:
    """The explanation of one automatic turn over these sources."""
    # Where the floor lies is not the point of most scenarios.
    made = Settings(**{"rewrite": "off", "decision_log": "off", "relevance": "off", **(settings or {})})
    whole = Engine(made, model=model, sources=sources, **(engine or {}))
    return explain(whole, Request(**{"query": QUERY, "surface": "auto", "deadline_s": 5.0, **request}))


def three(trust: Trust = Trust.LOCAL) -> list[Hit]:
    return [hit(name, trust=trust) for name in ("alpha", "beta", "gamma")]


def choose(name: str) -> Any:
    return lambda asked: json.dumps({"ids": [asked.id_of(name)]})


def library_engine(roots: list[Path], state: Path, indexing: Any = "inline") -> Engine:
    settings = Settings(skills_dirs=tuple(str(root) for root in roots), decision_log="off")
    return Engine(settings, state_dir=state, indexing=indexing, third_party=False)


def why_library(roots: list[Path], state: Path, indexing: Any = "inline") -> Explanation:
    return explain(library_engine(roots, state, indexing), Request(query=QUERY, surface="auto", deadline_s=20.0))


# What becomes of a candidate


@produces(Reason.DELIVERED, Reason.SOURCE_OK, Reason.REWRITE_OFF, Reason.BEYOND_TOP_K)
def _an_ordinary_turn(_: Path) -> Explanation:
    return why(Shelf(*three()), top_k=1)


@produces(Reason.CATALOGUED)
def _an_agents_own_search(_: Path) -> Explanation:
    return why(Shelf(*three()), surface="tool")


@produces(Reason.BELOW_FLOOR, Reason.NO_MATCH)
def _nothing_in_common(_: Path) -> Explanation:
    umbrella = Shelf(hit("umbrella", description="Mend umbrellas", body="Sew."))
    return why(umbrella, settings={"relevance": "on"}, query="rebalance the ledger")


@produces(Reason.OUTSHONE)
def _a_second_far_below_the_first(_: Path) -> Explanation:
    shelf = Shelf(hit("a", score=10.0), hit("b", score=6.0))
    shelf.proportional = True
    return why(shelf, settings={"relevance": "on"})


@produces(Reason.COPY_COLLAPSED)
def _one_skill_in_two_places(_: Path) -> Explanation:
    return why(
        Shelf(hit("mine", origin="hub:x"), name="shop"), Shelf(hit("theirs", source="hub", origin="hub:x"), name="hub")
    )


@produces(Reason.DUPLICATE_BODY)
def _one_body_twice(_: Path) -> Explanation:
    return why(Shelf(hit("a", body="Rotate the pdf page."), hit("b", body="Rotate the pdf page.")))


@produces(Reason.BODY_MISSING)
def _a_body_that_is_gone(_: Path) -> Explanation:
    skill = Skill(id="shop:a", name="a", description="Rotate a PDF page", source="shop", trust=Trust.LOCAL)
    return why(Shelf(Hit(skill=skill, rank=1, score=1.0)))


@produces(Reason.ALREADY_HELD)
def _given_before(_: Path) -> Explanation:
    return why(Shelf(hit("a")), held=frozenset({"shop:a"}))


@produces(Reason.OVER_BUDGET)
def _no_room_for_a_second(_: Path) -> Explanation:
    long = "Rotate the pdf page. " * 20
    return why(Shelf(hit("a", body=long), hit("b", body=long + "b")), settings={"max_chars": 700})


@produces(Reason.HIDDEN_BY_HOST)
def _hidden_by_the_host(_: Path) -> Explanation:
    return why(Shelf(hit("a")), engine={"hides": lambda found: True})


@produces(Reason.GATE_REJECTED, Reason.GATE_RAN, Reason.TOOLS_UNKNOWN)
def _judged_by_a_model(_: Path) -> Explanation:
    return why(Shelf(*three()), model=Model(choose("beta")))


@produces(Reason.UNTRUSTED, Reason.GATE_FAILED)
def _a_model_that_fails(_: Path) -> Explanation:
    return why(Shelf(*three(Trust.UNVETTED), trust=Trust.UNVETTED), model=Model("I would rather not say."))


# What a source does


@produces(Reason.SOURCE_EMPTY)
def _a_source_without_a_find(_: Path) -> Explanation:
    return why(Source(list))


@produces(Reason.SOURCE_FAILED)
def _a_source_that_raises(_: Path) -> Explanation:
    def refuse() -> Any:
        raise ConnectionRefusedError

    return why(Source(refuse))


@produces(Reason.SOURCE_ABANDONED)
def _a_source_that_hangs(_: Path) -> Explanation:
    return why(Source(lambda: time.sleep(30)), deadline_s=0.2)


@produces(Reason.SOURCE_STUCK)
def _a_source_that_still_hangs(_: Path) -> Explanation:
    engine = Engine(Settings(decision_log="off"), sources=[Source(lambda: time.sleep(30))])
    engine.retrieve(Request(query=QUERY, deadline_s=0.2))
    return explain(engine, Request(query=QUERY, deadline_s=0.2))


@produces(Reason.SOURCE_COOLING_DOWN)
def _a_source_that_asked_for_a_pause(_: Path) -> Explanation:
    def pause() -> Any:
        raise CoolDownError(60)

    engine = Engine(Settings(decision_log="off"), sources=[Source(pause)])
    engine.retrieve(Request(query=QUERY))
    return explain(engine, Request(query=QUERY))


@produces(Reason.SOURCE_NONSENSE)
def _a_source_that_answers_nonsense(_: Path) -> Explanation:
    return why(Source(lambda: 7))


@produces(Reason.SOURCE_OFF)
def _the_shared_library_off(_: Path) -> Explanation:
    return why(settings={"shared_library": "off"})


# The library and its index


@produces(Reason.INDEX_BUILDING)
def _no_index_yet(place: Path) -> Explanation:
    write_skill(place / "skills", "pdf", "Rotate PDF pages")
    return why_library([place / "skills"], place / "state", "turn")


@produces(Reason.INDEX_IN_MEMORY)
def _no_place_for_an_index(place: Path) -> Explanation:
    write_skill(place / "skills", "pdf", "Rotate PDF pages")
    (place / "file").write_text("no folder can be made below this", encoding="utf-8")
    return why_library([place / "skills"], place / "file" / "state")


@produces(Reason.INDEX_REBUILT)
def _a_damaged_index(place: Path) -> Explanation:
    write_skill(place / "skills", "pdf", "Rotate PDF pages")
    why_library([place / "skills"], place / "state")
    for meta in place.glob("state/index/*/generation-*/meta.json"):
        meta.write_text("{", encoding="utf-8")
    return why_library([place / "skills"], place / "state")


@produces(Reason.INDEX_OVERLAY)
def _a_file_that_is_newer_than_the_index(place: Path) -> Explanation:
    write_skill(place / "skills", "pdf", "Rotate PDF pages")
    why_library([place / "skills"], place / "state")
    write_skill(place / "skills", "pdf-2", "Rotate PDF pages in bulk")
    return why_library([place / "skills"], place / "state", "never")


@produces(Reason.ROOT_MISSING, Reason.SKILL_SHADOWED, Reason.SKILL_UNREADABLE, Reason.SKILL_MENDED)
def _a_library_in_disorder(place: Path) -> Explanation:
    write_skill(place / "mine", "pdf", "Rotate PDF pages")
    write_skill(place / "theirs", "pdf", "Rotate PDF pages")
    write_skill(place / "theirs", "mended", "Use when: pages lie on their side")
    picture = place / "theirs" / "picture" / "SKILL.md"
    picture.parent.mkdir()
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01")
    return why_library([place / "mine", place / "theirs", place / "gone"], place / "state")


# The turn as a whole


@produces(Reason.QUERY_EMPTY)
def _nothing_asked(_: Path) -> Explanation:
    return why(Shelf(*three()), query=" ")


@produces(Reason.QUERY_CUT)
def _a_long_message(_: Path) -> Explanation:
    return why(Shelf(*three()), query=QUERY + " and so on" * 50, settings={"max_query_chars": 100})


@produces(Reason.NO_CONTENT_WORDS)
def _no_word_for_a_task(_: Path) -> Explanation:
    return why(Shelf(*three()), settings={"relevance": "on"}, query="the of and")


@produces(Reason.DEADLINE_REACHED)
def _no_time(_: Path) -> Explanation:
    return why(Shelf(*three()), deadline_s=0.0)


@produces(Reason.STEP_FAILED)
def _a_host_whose_rule_breaks(_: Path) -> Explanation:
    return why(Shelf(*three()), engine={"hides": lambda found: 1 / 0})


@produces(Reason.BODY_CUT)
def _a_long_body(_: Path) -> Explanation:
    return why(Shelf(hit("a", body="Rotate the pdf page.\n" * 200)), settings={"max_body_chars": 400})


@produces(Reason.PLACEHOLDER_LEFT)
def _a_placeholder_of_nobody(place: Path) -> Explanation:
    return why(Shelf(hit("a", body="Rotate it with {{SKILL_DIR:none}}.", directory=str(place))))


# The model steps


@produces(Reason.NO_MODEL)
def _no_model_at_hand(_: Path) -> Explanation:
    return why(Shelf(*three()), settings={"rewrite": "on"})


@produces(Reason.GATE_OFF)
def _no_gate_wanted(_: Path) -> Explanation:
    return why(Shelf(*three()), model=Model("never asked"), settings={"gate": "off"})


@produces(Reason.REWRITTEN)
def _a_sharper_query(_: Path) -> Explanation:
    reply = '{"query": "rotate pdf pages", "english": ""}'
    return why(Shelf(*three()), model=Model(reply), settings={"rewrite": "on", "gate": "off"}, query=LONG_MESSAGE)


@produces(Reason.REWRITE_SKIPPED)
def _a_good_query_already(_: Path) -> Explanation:
    return why(Shelf(*three()), model=Model("never asked"), settings={"rewrite": "on", "gate": "off"})


@produces(Reason.REWRITE_FAILED)
def _no_usable_query(_: Path) -> Explanation:
    return why(Shelf(*three()), model=Model("Hm."), settings={"rewrite": "on", "gate": "off"}, query=LONG_MESSAGE)


@produces(Reason.MODEL_BUDGET_SPENT)
def _no_tokens_left(_: Path) -> Explanation:
    model = Model('{"query": "rotate pdf pages", "english": ""}', tokens=(500, 500))
    engine = Engine(
        Settings(rewrite="on", gate="off", decision_log="off", model_tokens_per_session=100),
        model=model,
        sources=[Shelf(*three())],
    )
    request = Request(query=LONG_MESSAGE, surface="auto", session="s", deadline_s=5.0)
    engine.retrieve(request)
    return explain(engine, request)


@pytest.mark.parametrize("reason", list(Reason))
def test_each_reason_can_happen_and_explain_prints_its_sentence(
    reason: Reason, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """T63, T82: no loss without a reason, no reason without a sentence that a person reads."""
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setattr("skillcaddy.library.indexer.spawn", lambda *_, **__: True)
    found = SCENARIOS[reason](tmp_path)
    assert reason in found.reasons(), sorted(found.reasons())
    print_explanation(found)
    assert SENTENCES[reason] in capsys.readouterr().out
    assert reason.value in json.dumps(found.to_json())


def test_every_reason_has_a_scenario_and_a_sentence_of_its_own() -> None:
    assert set(SCENARIOS) == set(Reason), set(Reason) - set(SCENARIOS)
    assert set(SENTENCES) == set(Reason)
    assert len(set(SENTENCES.values())) == len(SENTENCES)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in SENTENCES.values())
