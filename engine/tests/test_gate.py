"""The gate: a judgement is taken where it is one, and where it is none nothing gets through that nobody vetted."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import hit, write_skill
from model_scripts import QUERY, QUIET, Asked, Model, Shelf, events, fate, names, retrieve
from skillcaddy.deadline import Deadline
from skillcaddy.endpoint import EndpointModel
from skillcaddy.engine import Engine
from skillcaddy.gate import validated
from skillcaddy.guidance.judging import judging
from skillcaddy.library.read import read_skill
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Language, Settings
from skillcaddy.skill import Hit, Skill, Trust
from skillcaddy.standin import Reply, StandIn, cut, fail, slow

HOSTILE = Path(__file__).parent / "data" / "hostile"
PINNED = Path(__file__).parent / "pinned"
SLACK_S = 1.5


def choose(*wanted: str) -> Any:
    return lambda asked: json.dumps({"ids": [asked.id_of(name) for name in wanted]})


def three(trust: Trust = Trust.LOCAL) -> list[Hit]:
    return [hit(name, trust=trust, rank=rank) for rank, name in enumerate(["alpha", "beta", "gamma"], start=1)]


def test_the_model_decides_what_is_delivered_and_in_which_order() -> None:
    model = Model(choose("gamma", "alpha"))
    found = retrieve(model, Shelf(*three()))
    assert names(found.delivered) == ["gamma", "alpha"]
    assert fate(found) == {"alpha": "delivered", "beta": "gate_rejected", "gamma": "delivered"}
    assert [event.reason for event in events(found, "gate")] == [Reason.GATE_RAN, Reason.TOOLS_UNKNOWN]
    assert model.asked[0].schema is not None
    assert model.asked[0].schema["properties"]["ids"]["items"]["enum"] == model.asked[0].ids()


def test_an_honest_nothing_injects_nothing() -> None:
    found = retrieve(Model('{"ids": []}'), Shelf(*three()))
    assert (found.text, found.hits) == ("", ())
    assert set(fate(found).values()) == {"gate_rejected"}
    assert Reason.NO_MATCH in found.trace.reasons()


@pytest.mark.parametrize(
    ("answer", "delivered", "said"),
    [
        (lambda a: {"ids": [a.id_of("beta")] * 3 + [a.id_of("alpha")]}, ["beta", "alpha"], "2 repeated"),
        (lambda a: {"ids": a.ids()}, ["alpha", "beta"], "1 beyond the limit"),
        (lambda a: {"ids": ["alpha", "shop:alpha", a.id_of("gamma")]}, ["gamma"], "2 unknown ids refused"),
        (lambda a: {"ids": [None, 7, {"id": 1}, [], a.id_of("beta").upper()]}, ["beta"], "4 unknown ids refused"),
        (lambda a: {"ids": [f" `{a.id_of('beta')}` "]}, ["beta"], "1 of 3 chosen"),
    ],
)
def test_an_answer_is_held_against_what_was_offered(answer: Any, delivered: list[str], said: str) -> None:
    """T59: ids and not names, each once, no more than were asked for."""
    found = retrieve(Model(lambda asked: json.dumps(answer(asked))), Shelf(*three()))
    assert names(found.delivered) == delivered
    assert said in events(found, "gate")[0].detail


@given(
    st.lists(st.sampled_from(["s1", "s2", "s3", "S1", "`s2`", "x", "", "local:a"]) | st.none() | st.integers()),
    st.integers(1, 5),
)
def test_whatever_the_list_holds_the_choice_keeps_the_rules(entries: list[Any], most: int) -> None:
    """T59."""
    ids = {"s1": "local:a", "s2": "local:b", "s3": "local:c"}
    choice = validated({"ids": entries}, ids, most)
    assert set(choice.ids) <= set(ids.values())
    assert len(set(choice.ids)) == len(choice.ids) <= most
    assert len(choice.ids) + choice.unknown + choice.repeated + choice.beyond == len(entries)
    assert choice.usable() or not choice.ids


USELESS = [
    "I can't help with that.",
    "",
    '{"ids": ["alpha", "beta"]}',
    '{"ids": "alpha"}',
    '{"ids": ["s',
    "<think>" + "so " * 50_000,
]


@pytest.mark.parametrize("reply", USELESS, ids=["refusal", "empty", "names", "text", "broken off", "only thoughts"])
def test_a_useless_answer_is_asked_for_once_more_and_then_only_what_is_local_stays(reply: str) -> None:
    """T60, T63: the gate that fails falls back to the floor and to local trust, says so, and records every fate."""
    model = Model(reply)
    local, foreign = (
        Shelf(hit("mine", trust=Trust.LOCAL)),
        Shelf(hit("theirs", source="hub"), name="hub", trust=Trust.CURATED),
    )
    found = retrieve(model, local, foreign)
    assert len(model.asked) == 2
    assert names(found.delivered) == ["mine"]
    assert fate(found) == {"mine": "delivered", "theirs": "untrusted"}
    assert [event.reason for event in events(found, "gate")] == [Reason.GATE_FAILED]


def test_the_second_answer_counts_when_the_first_was_useless() -> None:
    model = Model("Sure, beta!", choose("beta"))
    found = retrieve(model, Shelf(*three()))
    assert names(found.delivered) == ["beta"]
    assert [call.step for call in found.trace.model_calls] == ["gate", "gate"]
    assert model.asked[1].messages[-1].content == judging("en").gate_again


def test_without_time_there_is_no_second_question() -> None:
    def late(asked: Asked) -> str:
        time.sleep(0.7)
        return "nothing of use"

    model = Model(late)
    found = retrieve(model, Shelf(*three()), deadline_s=1.1)
    assert len(model.asked) == 1
    assert Reason.GATE_FAILED in found.trace.reasons()


FAILURES: dict[str, Any] = {
    "timeout": slow("never", 30),
    "401": fail(401),
    "429": fail(429, retry_after="60"),
    "truncated": cut("{" + " " * 5000),
    "not json": Reply(raw="<html>"),
    "huge": "y" * 1_100_000,
    "no choice": Reply(raw='{"choices": []}'),
    "500": fail(500, retry_after="60"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_whatever_the_endpoint_does_the_turn_ends_in_time_and_safely(name: str) -> None:
    """T56, T60, T63: through the real client; one deadline bounds it all, unvetted skills stay out, and it is said."""
    with StandIn([], after=FAILURES[name]) as server:
        model = EndpointModel(server.url, "m", key="sk-secret-42")
        started = time.monotonic()
        found = retrieve(
            model,
            Shelf(hit("mine", trust=Trust.LOCAL)),
            Shelf(hit("theirs", source="hub"), name="hub", trust=Trust.UNVETTED),
            deadline_s=1.5,
        )
    assert time.monotonic() - started < 1.5 + SLACK_S
    assert names(found.delivered) == ["mine"]
    assert fate(found)["theirs"] == "untrusted"
    failed = events(found, "gate")[0]
    assert failed.reason is Reason.GATE_FAILED
    assert failed.detail
    assert "sk-secret-42" not in json.dumps(found.trace.to_json())
    assert found.trace.model_calls[0].step == "gate"


def test_wrong_ids_and_an_empty_list_come_through_the_real_client_too() -> None:
    with StandIn(['{"ids": ["alpha"]}', '{"ids": []}']) as server:
        found = retrieve(EndpointModel(server.url, "m"), Shelf(*three()))
    assert found.text == ""
    assert len(server.requests) == 2
    assert events(found, "gate")[0].reason is Reason.GATE_RAN


def test_a_model_that_ignores_its_deadline_is_left_behind_and_not_piled_upon() -> None:
    """T57: threads of calls that never end do not add up."""
    free = threading.Event()

    def stuck(asked: Asked) -> str:
        free.wait(60)
        return "late"

    model = Model(stuck)
    engine = Engine(Settings(**QUIET), model=model, sources=[Shelf(*three())])
    request = Request(query=QUERY, surface="auto", deadline_s=0.3)
    started = time.monotonic()
    found = [engine.retrieve(request) for _ in range(4)]
    assert time.monotonic() - started < 4 * 0.3 + 2 * SLACK_S
    assert len(model.asked) == 2
    assert "busy" in events(found[-1], "gate")[0].detail
    free.set()


def test_an_endpoint_that_keeps_failing_is_given_a_rest() -> None:
    with StandIn([], after=fail(401)) as server:
        engine = Engine(
            Settings(**QUIET),
            model=EndpointModel(server.url, "m"),
            sources=[Shelf(*three())],
        )
        found = [engine.retrieve(Request(query=QUERY, surface="auto", deadline_s=5)) for _ in range(5)]
    assert len(server.requests) == 3
    assert "asked again in" in events(found[-1], "gate")[0].detail
    assert names(found[-1].delivered) == ["alpha", "beta"]


def test_a_host_that_raises_anything_costs_the_judgement_only_and_its_words_are_not_kept() -> None:
    found = retrieve(Model(RuntimeError("https://x.invalid/?key=hush")), Shelf(*three()))
    assert names(found.delivered) == ["alpha", "beta"]
    assert events(found, "gate")[0].detail == "it failed (RuntimeError)"


def test_a_turn_that_is_called_off_drops_the_request_and_hands_nothing_over_for_later() -> None:
    """T57: a cancelled turn cancels its model call; the skills of a turn that never was are not held."""
    with StandIn([], after=slow("late", 30)) as server:
        engine = Engine(
            Settings(**QUIET),
            model=EndpointModel(server.url, "m"),
            sources=[Shelf(*three())],
        )
        cancelled = threading.Event()
        done: list[Any] = []
        request = Request(query=QUERY, surface="auto", deadline_s=30, session="s1")
        thread = threading.Thread(
            target=lambda: done.append(engine.retrieve(request, cancelled=cancelled)), daemon=True
        )
        thread.start()
        server.wait_for(1)
        cancelled.set()
        thread.join(5)
    assert done
    assert Reason.DEADLINE_REACHED in done[0].trace.reasons()
    assert engine.retention.held("s1") == frozenset()


def test_a_cancelled_task_calls_its_turn_off() -> None:
    import asyncio

    async def run(engine: Engine, server: StandIn) -> None:
        task = asyncio.create_task(engine.retrieve_async(Request(query=QUERY, surface="auto", deadline_s=30)))
        await asyncio.to_thread(server.wait_for, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with StandIn([], after=slow("late", 30)) as server:
        engine = Engine(Settings(**QUIET), model=EndpointModel(server.url, "m"), sources=[Shelf(*three())])
        started = time.monotonic()
        asyncio.run(run(engine, server))  # which waits for the thread of the turn
    assert time.monotonic() - started < 10


# When it runs


@pytest.mark.parametrize(
    ("word", "surface", "trust", "runs"),
    [
        ("auto", "auto", Trust.LOCAL, True),
        ("auto", "tool", Trust.LOCAL, False),
        ("auto", "cli", Trust.CURATED, False),
        ("auto", "tool", Trust.UNVETTED, True),
        ("on", "tool", Trust.LOCAL, True),
        ("on", "cli", Trust.LOCAL, True),
        ("off", "auto", Trust.UNVETTED, False),
    ],
)
def test_it_runs_in_auto_and_where_strangers_skills_are_on(word: str, surface: str, trust: Trust, runs: bool) -> None:
    model = Model(lambda asked: json.dumps({"ids": asked.ids()}))
    found = retrieve(model, Shelf(*three(trust), trust=trust), settings={"gate": word}, surface=surface)
    assert bool(model.asked) is runs
    assert (Reason.GATE_RAN if runs else Reason.GATE_OFF) in found.trace.reasons()


def test_without_a_model_the_trace_says_so() -> None:
    found = retrieve(None, Shelf(*three()))
    assert [event.reason for event in events(found, "gate")] == [Reason.NO_MODEL]


def test_where_nothing_passed_the_floor_no_model_is_asked() -> None:
    model = Model('{"ids": []}')
    found = retrieve(model, Shelf(*three()), settings={"relevance": "on"}, query="thanks, go on")
    assert not model.asked
    assert events(found, "gate")[0].reason is Reason.GATE_OFF


def test_a_tools_answer_lists_what_the_gate_chose_and_nothing_else() -> None:
    found = retrieve(Model(choose("beta", "alpha")), Shelf(*three()), settings={"gate": "on"}, surface="tool")
    assert names(found.delivered) == ["beta"]
    assert names(found.catalog) == ["alpha"]
    assert "gamma" not in found.text


# What it costs


def test_each_call_is_in_the_trace_with_its_tokens() -> None:
    found = retrieve(Model(choose("alpha")), Shelf(*three()))
    call = found.trace.model_calls[0]
    assert (call.step, call.model, call.tokens_in, call.tokens_out, call.estimated) == (
        "gate",
        "host:m-1",
        100,
        10,
        False,
    )
    assert call.elapsed_ms >= 0


def test_tokens_are_estimated_where_a_host_does_not_tell_them() -> None:
    found = retrieve(Model(choose("alpha"), tokens=None), Shelf(*three()))
    call = found.trace.model_calls[0]
    assert call.estimated
    assert call.tokens_in > 300
    assert call.tokens_out >= 5


@pytest.mark.parametrize("kind", ["transcript", "process"])
def test_a_spent_budget_stops_the_model_steps_but_not_retrieval(kind: Any, tmp_path: Path) -> None:
    from skillcaddy.retention import Retention

    def engine() -> Engine:
        return Engine(
            Settings(**{**QUIET, "rewrite": "on", "model_tokens_per_session": 200}),
            model=model,
            sources=[
                Shelf(*three()),
                Shelf(hit("theirs", source="hub"), name="hub", trust=Trust.CURATED),
            ],
            state_dir=tmp_path,
            retention=Retention(kind),
        )

    model = Model('{"query": "", "english": ""}', choose("alpha"))
    message = "Could you rotate the page of this pdf?\nIt came out of the scanner upside down."
    first = engine()
    found = first.retrieve(Request(query=message, surface="auto", session="s1", deadline_s=5))
    assert [call.step for call in found.trace.model_calls] == ["rewrite", "gate"]
    # A hook's next turn is another process: only a file tells it what the session has used up.
    later = engine() if kind == "process" else first
    again = later.retrieve(Request(query=message, surface="auto", session="s1", deadline_s=5))
    assert again.trace.model_calls == ()
    assert {event.step for event in again.trace.events if event.reason is Reason.MODEL_BUDGET_SPENT} == {
        "rewrite",
        "gate",
    }
    # What is held fills its place here as everywhere.
    assert names(again.delivered) == (["beta"] if kind == "transcript" else ["alpha", "beta"])
    assert fate(again)["theirs"] == "untrusted"
    other = later.retrieve(Request(query=message, surface="auto", session="s2", deadline_s=5))
    assert other.trace.model_calls


# What it is shown


def prompt(*hits: Hit, language: Language = "en", **request: Any) -> Asked:
    model = Model('{"ids": []}')
    retrieve(model, Shelf(*hits), settings={"language": language}, **request)
    return model.asked[0]


def test_the_model_sees_the_tools_this_agent_really_has() -> None:
    assert "The agent's tools: read_file, shell" in prompt(*three(), tools=frozenset({"shell", "read_file"})).user
    assert "no tools" in prompt(*three(), tools=frozenset()).user


def test_unknown_tools_are_no_reason_to_reject_and_the_trace_says_so() -> None:
    assert "The agent's tools are not known." in prompt(*three()).user
    found = retrieve(Model('{"ids": []}'), Shelf(*three()), tools=frozenset({"shell"}))
    assert Reason.TOOLS_UNKNOWN not in found.trace.reasons()


def test_the_model_is_shown_no_more_candidates_than_the_setting_says() -> None:
    many = [hit(f"n{number}", trust=Trust.LOCAL, rank=number + 1) for number in range(12)]
    many[1] = hit("n1", trust=Trust.LOCAL, rank=2, body=many[0].skill.body)  # dropped as a copy, and made up for
    model = Model('{"ids": []}')
    found = retrieve(model, Shelf(*many), settings={"gate_pool": 5})
    assert len(model.asked[0].ids()) == 5
    assert fate(found)["n11"] == "beyond_top_k"


def test_slow_bodies_leave_the_gate_its_time() -> None:
    class Slow(Shelf):
        def body(self, skill: Skill, deadline: Deadline) -> str:
            time.sleep(30)
            return ""

    bare = Skill(id="hub:far", name="far", description="Rotate a PDF page", source="hub", trust=Trust.CURATED)
    model = Model(choose("alpha"))
    found = retrieve(
        model,
        Shelf(*three()),
        Slow(Hit(skill=bare, rank=1, score=1.0), name="hub", trust=Trust.CURATED),
        deadline_s=1.5,
    )
    assert names(found.delivered) == ["alpha"]
    assert Reason.GATE_RAN in found.trace.reasons()
    assert fate(found)["far"] == "body_missing"


def test_the_model_sees_what_the_conversation_holds_and_is_not_offered_it_again() -> None:
    asked = prompt(*three(), held=frozenset({"shop:beta"}))
    assert "The conversation holds these skills already: beta" in asked.user
    assert len(asked.ids()) == 2


def test_what_is_held_keeps_its_reason_and_its_place_in_a_tools_list() -> None:
    held = frozenset({"shop:beta"})
    auto = retrieve(Model(choose("alpha")), Shelf(*three()), held=held)
    assert fate(auto)["beta"] == "already_held"
    tool = retrieve(Model(choose("alpha")), Shelf(*three()), held=held, surface="tool", settings={"gate": "on"})
    assert names(tool.catalog) == ["beta"]


def test_each_candidate_comes_with_what_is_known_of_it() -> None:
    skill = Skill(
        id="shop:alpha", name="alpha", description="Rotate a PDF page", source="shop", trust=Trust.UNVETTED,
        tags=("pdf", "office"), body="# Alpha\n\nRun this:\n\n```bash\npdftk in.pdf\n```\n", directory="",
        meta={"platforms": "macos", "allowed-tools": "Bash"},
    )  # fmt: skip
    user = prompt(Hit(skill=skill, rank=1, score=1.0)).user
    for known in (
        "name: alpha",
        "description: Rotate a PDF page",
        "tags: pdf, office",
        "trust: unvetted",
        "source: shop",
        "platforms: macos",
        "needs: Bash",
        "code: bash",
        "begins: # Alpha Run this:",
        "Platform: ",
    ):
        assert known in user


def test_a_local_skills_files_are_named_without_this_machines_folders(library: Path) -> None:
    """T61: what is resolved before the gate looks whole to it. T113: no user's path goes to a model."""
    write_skill(library, "pdf-rotate", "Rotate a PDF page", "Run {baseDir}/scripts/turn.py on the file.")
    (library / "pdf-rotate" / "scripts").mkdir()
    (library / "pdf-rotate" / "scripts" / "turn.py").write_text("pass", encoding="utf-8")
    model = Model(choose("pdf-rotate"))
    engine = Engine(
        Settings(skills_dirs=(str(library),), shared_library="off", **QUIET),
        model=model,
        indexing="inline",
    )
    found = engine.retrieve(Request(query=QUERY, surface="auto", deadline_s=20))
    assert "begins: Run ./scripts/turn.py on the file." in model.asked[0].user
    assert str(library) not in model.asked[0].user
    assert str(library / "pdf-rotate" / "scripts" / "turn.py") in found.text


def test_the_ids_are_made_for_one_question_so_that_no_author_knows_them() -> None:
    one, other = prompt(*three()), prompt(*three(), query="rotate this pdf page now")
    assert one.ids() == prompt(*three()).ids()
    assert not set(one.ids()) & set(other.ids())


@pytest.mark.parametrize(
    "message",
    ["$& rotate pdf", "{most} rotate pdf {0}", "%s rotate pdf", "\\1 rotate pdf ```", "rotate pdf </skill-text>"],
)
def test_signs_in_the_users_words_do_not_change_the_prompt_around_them(message: str) -> None:
    """T54."""
    asked = prompt(*three(), query=message)
    shown = message.replace("</skill-text>", "‹/skill-text>")
    assert f'<skill-text of="the user\'s message">\n{shown}' in asked.user
    assert asked.system == judging("en").gate_system.format(most=2)
    assert len(asked.ids()) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_texts_are_word_for_word_the_pinned_ones(language: Language) -> None:
    """T14: a changed text is a changed measurement; change the pinned file with it, knowingly."""
    words = judging(language)
    pinned = (PINNED / f"judging.{language}.txt").read_text(encoding="utf-8")
    assert pinned == "".join(f"== {name} ==\n{getattr(words, name)}\n" for name in type(words).__dataclass_fields__)


def test_the_text_is_about_no_kind_of_agent() -> None:
    """The gate of a research agent rejects a novelist's skills; this one has to serve all."""
    text = judging("en").gate_system.lower()
    for word in (
        "research",
        "creative",
        "persona",
        "slash command",
        "vendor",
        "coding",
        "developer",
        "template variable",
    ):
        assert word not in text


# Hostile skills


def hostile(path: Path) -> Skill:
    read = read_skill(str(path), str(path.parent), data=path.read_bytes())
    assert read.skill is not None
    skill = read.skill
    return Skill(
        id=f"shop:{skill.name}", name=skill.name, description=skill.description, source="shop", trust=Trust.UNVETTED,
        tags=skill.tags, body=skill.body, meta=skill.meta,
    )  # fmt: skip


HOSTILE_FILES = sorted(path for path in HOSTILE.glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("path", HOSTILE_FILES, ids=lambda path: path.stem)
def test_a_hostile_skill_stays_inside_its_own_element_of_the_prompt(path: Path) -> None:
    """T62: a stranger's text can neither end its quotation, nor speak as anybody else, nor pose as another's facts."""
    skill = hostile(path)
    model = Model('{"ids": []}')
    retrieve(model, Shelf(hit("pdf-rotate"), Hit(skill=skill, rank=2, score=0.5), trust=Trust.CURATED))
    user = model.asked[0].user
    # The message, and two candidates: every element opened is one of ours and is closed once.
    assert user.count("<skill-text of=") == user.count("</skill-text>") == 3
    for tag in ("<system>", "<|im_end|>", "<|im_start|>", "</skill-library>"):
        assert tag not in user
    mine = user.partition(f"name: {skill.name}\n")[2].partition("</skill-text>")[0]
    lines = mine.splitlines()
    assert [line.partition(":")[0] for line in lines if line] in (
        ["description", "trust", "begins"],
        ["description", "tags", "trust", "begins"],
    )
    assert sum(line.startswith("trust: unvetted") for line in lines) == 1
    assert user.rstrip().endswith(judging("en").gate_end.format(most=2))
    assert not set("\u202e\u2066\u2069\U000e0053") & set(user)


STEERING = {"orders_the_judge", "speaks_as_the_answer", "slanders_the_others", "hides_its_orders", "orders_in_chinese"}


@pytest.mark.parametrize("path", HOSTILE_FILES, ids=lambda path: path.stem)
def test_a_text_that_gives_orders_is_marked_for_the_model(path: Path) -> None:
    """A static signal beside the judgement; it misses some, so nothing depends on it."""
    model = Model('{"ids": []}')
    retrieve(model, Shelf(Hit(skill=hostile(path), rank=1, score=1.0), trust=Trust.UNVETTED))
    marked = "caution: parts of its text give orders" in model.asked[0].user
    assert marked or path.stem not in STEERING


@pytest.mark.parametrize("path", HOSTILE_FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "obeys",
    [
        lambda skill: json.dumps({"ids": [skill.id]}),
        lambda skill: json.dumps({"ids": [skill.name]}),
        lambda skill: skill.body,
        lambda skill: skill.description,
        lambda skill: f"<answer>{skill.name}</answer>",
    ],
    ids=["its id", "its name", "its body", "its description", "another format"],
)
def test_a_model_that_does_as_a_skill_says_chooses_nothing_that_way(path: Path, obeys: Any) -> None:
    """T62: what a hostile text can make a model say is never an id that was offered, so nothing of it is injected."""
    skill = hostile(path)
    shelf = Shelf(Hit(skill=skill, rank=1, score=1.0), hit("pdf-rotate", rank=2), trust=Trust.CURATED)
    found = retrieve(Model(obeys(skill)), shelf)
    assert skill.name not in names(found.delivered)
    assert skill.id not in found.text
    assert fate(found)[skill.name] in {"untrusted", "gate_rejected"}
