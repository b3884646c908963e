"""`skillcaddy explain`: every candidate and decision in words, what was not searched, and what a miss missed by."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import broken_skills
from builders import hit, write_skill
from skillcaddy.cli.explain import run
from skillcaddy.deadline import Deadline
from skillcaddy.decisions import FILE_NAME
from skillcaddy.engine import Engine
from skillcaddy.explain import Explanation, explain
from skillcaddy.paths import locations
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Skill, Trust

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def office(library: Path) -> Path:
    """Four skills, one of which says nothing of what the others are about."""
    write_skill(library, "pdf-rotate", "Rotate the pages of a PDF document")
    write_skill(library, "pdf-merge", "Merge PDF documents and rotate single pages")
    write_skill(library, "sql-review", "Review SQL migrations before a release")
    write_skill(library, "tea", "Brew green tea")
    return library


def document(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert run([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert run([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_every_candidate_has_its_rank_its_share_its_evidence_and_a_reason(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "rotate the pages of this pdf", "--skills", office)
    rows = found["candidates"]
    assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["id"] for row in rows} == {"local:pdf-rotate", "local:pdf-merge"}
    for row in rows:
        assert row["ranks"]["local"] == row["position"]
        assert row["shares"]["local"] == pytest.approx(row["fusion"])
        assert {"rotate", "pages", "pdf"} <= set(row["shared"])
        assert row["sentence"] == SENTENCES[Reason(row["reason"])]
    assert rows[0]["reason"] == "delivered"
    assert found["chars"] > 0
    assert found["missed"] is False


def test_a_person_reads_the_decisions_and_their_sentences(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "rotate the pages of this pdf", "--skills", office)
    for words in ("local:pdf-rotate", "delivered", SENTENCES[Reason.DELIVERED], SENTENCES[Reason.NO_MODEL], "4 skills"):
        assert words in text, text


def test_words_are_told_apart_by_what_the_library_makes_of_them(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "please rotate the vendor questionnaire pdf", "--skills", office)
    words = {word["word"]: word["skills"] for word in found["words"]}
    assert words["rotate"] == 2
    assert words["pdf"] == 2
    assert {"vendor", "questionnaire"} <= set(found["unmatched"])
    assert "the" in found["ignored"]
    assert "in no skill: " in printed(capsys, "rotate the vendor questionnaire pdf", "--skills", office)


def test_a_miss_names_the_words_that_stand_nowhere(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "zorbify the quuxes", "--skills", office)
    assert found["missed"] is True
    assert {"zorbify", "quuxes"} <= set(found["unmatched"])
    assert found["candidates"] == []
    assert "No skill shares a searched word" in printed(capsys, "zorbify the quuxes", "--skills", office)


def test_a_near_miss_says_what_came_closest_and_by_how_much_it_missed() -> None:
    class Shop:
        name = "shop"
        weight = 1.0
        trust = Trust.CURATED

        def search(self, query: str, limit: int, deadline: Deadline) -> Any:
            return [hit("umbrella", description="Mend umbrellas", body="Sew."), hit("kite", description="Fly kites")]

        def body(self, skill: Skill, deadline: Deadline) -> str:
            return skill.body

    found = explain(Engine(Settings(), sources=[Shop()]), Request(query="rebalance the ledger", surface="auto"))
    assert [candidate.reason for candidate in found.candidates] == [Reason.BELOW_FLOOR] * 2
    assert found.closest is not None
    assert found.closest.id == "shop:umbrella"
    assert found.closest.short_by == pytest.approx(1.0 - found.closest.evidence)


@pytest.mark.parametrize("query", ["", "   ", "\x00", "\ud800", "?!", "the of and", "a" * 9000, "%s {x} \\1 [bold]"])
def test_any_query_can_be_explained(query: str, office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, query, "--skills", office)
    assert found["missed"] is True
    printed(capsys, query.encode("utf-8", "replace").decode(), "--skills", office)


def test_a_message_without_a_word_for_a_task_is_told_from_one_that_matches_nothing(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "the of and", "--skills", office)
    assert SENTENCES[Reason.NO_CONTENT_WORDS] in text


def test_what_was_not_searched_is_listed_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """T69, T82: shadowed, unreadable and missing things do not look like things that are not there."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    write_skill(mine, "pdf-rotate", "Rotate the pages of a PDF document")
    other = write_skill(theirs, "pdf-rotate", "Rotate PDF pages another way")
    picture = theirs / "picture" / "SKILL.md"
    picture.parent.mkdir()
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01")
    gone = tmp_path / "gone"
    arguments = ("rotate pdf pages", "--skills", mine, "--skills", theirs, "--skills", gone)
    rows = {(row["what"], row["reason"]) for row in document(capsys, *arguments)["not_searched"]}
    assert (str(other), "skill_shadowed") in rows
    assert (str(picture), "skill_unreadable") in rows
    assert (str(gone), "root_missing") in rows
    assert ("the shared library", "source_off") in rows
    text = printed(capsys, *arguments)
    for reason in ("skill_shadowed", "skill_unreadable", "root_missing", "source_off"):
        assert SENTENCES[Reason(reason)] in text


def test_a_source_that_fails_is_named_with_the_cause() -> None:
    """T114: one message for every cause hides which it was."""

    class Down:
        name = "hub"
        weight = 1.0
        trust = Trust.CURATED

        def search(self, query: str, limit: int, deadline: Deadline) -> Any:
            raise ConnectionRefusedError("secret address")

        def body(self, skill: Skill, deadline: Deadline) -> str:
            return ""

    found = explain(Engine(Settings(), sources=[Down()]), Request(query="rotate pdf"))
    (said,) = found.not_searched
    assert (said.what, said.reason, said.detail) == ("hub", Reason.SOURCE_FAILED, "ConnectionRefusedError")


@pytest.mark.parametrize(
    ("reference", "reason", "told"),
    [
        ("pdf-rotate", "delivered", "candidate 1"),
        ("local:pdf-merge", "catalogued", "candidate 2"),
        ("tea", "below_floor", "it lacks: "),
    ],
)
def test_one_skill_can_be_asked_for(
    reference: str, reason: str, told: str, office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("rotate the pages of this pdf", "--skills", office, "--skill", reference)
    skill = document(capsys, *arguments)["skill"]
    assert skill["reason"] == reason
    assert skill["id"].endswith(reference.removeprefix("local:"))
    assert told in printed(capsys, *arguments)


def test_a_skill_that_ranks_too_low_to_be_a_candidate_says_its_rank(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(60):
        write_skill(library, f"pdf-{number:02}", f"Rotate PDF pages of kind {number}, rotate each PDF page")
    write_skill(library, "binder", "Bind, glue, fold, cut, stack and press printed sheets, or a PDF", "Glue. " * 400)
    skill = document(capsys, "rotate pdf", "--skills", library, "--skill", "binder")["skill"]
    assert skill["reason"] == "beyond_top_k"
    assert skill["rank"] > 50
    assert skill["shared"] == ["pdf"]
    assert skill["lacking"] == ["rotate"]


def test_a_shadowed_skill_that_is_asked_for_says_by_whom_it_is_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_skill(tmp_path / "mine", "pdf", "Rotate PDF pages")
    write_skill(tmp_path / "theirs", "pages", "Rotate PDF pages", name="pdf")
    found = document(
        capsys,
        *("rotate pdf", "--skills", tmp_path / "mine", "--skills", tmp_path / "theirs", "--skill", "local:pages"),
    )
    assert found["skill"]["reason"] == "skill_shadowed"
    assert found["skill"]["detail"] == str(first)


def test_an_unknown_skill_is_not_an_error_and_gets_a_suggestion(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("rotate pdf", "--skills", office, "--skill", "pdf-rotat")
    assert document(capsys, *arguments)["skill"]["near"][0] in ("local:pdf-rotate", "local:pdf-merge")
    assert "Did you mean" in printed(capsys, *arguments)


def test_what_the_agent_still_has_can_be_supposed(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(
        capsys, "rotate the pages of this pdf", "--skills", office, "--held", "local:pdf-rotate", "--surface", "auto"
    )
    reasons = {row["id"]: row["reason"] for row in found["candidates"]}
    assert reasons["local:pdf-rotate"] == "already_held"


def test_it_explains_the_mode_in_force(
    office: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert document(capsys, "rotate pdf", "--skills", office)["surface"] == "tool"
    monkeypatch.setenv("SKILLCADDY_MODE", "auto")
    assert document(capsys, "rotate pdf", "--skills", office)["surface"] == "auto"
    assert document(capsys, "rotate pdf", "--skills", office, "--surface", "cli")["surface"] == "cli"


def test_an_explanation_is_nobodys_turn_and_leaves_no_line_in_the_log(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(capsys, "rotate pdf", "--skills", office, "--skill", "tea")
    assert not (locations().log_dir / FILE_NAME).exists()


def test_a_broken_library_is_explained_like_any_other(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken_skills.write(library)
    found = document(capsys, "rotate pdf pages of the long manual", "--skills", library)
    reasons = {row["reason"] for row in found["not_searched"]}
    assert {"skill_unreadable", "skill_mended"} <= reasons
    printed(capsys, "long manual", "--skills", library)


def test_the_examples_explain_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    query = "the vendor wants its PDF questionnaire back, filled in"
    found = document(capsys, query, "--skills", EXAMPLES)
    assert found["candidates"][0]["id"] == "local:pdf-forms"
    assert found["candidates"][0]["reason"] == "delivered"


def test_no_folder_at_all_is_said_and_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "rotate pdf")
    assert found["skills"] is None
    assert any(row["reason"] == "root_missing" for row in found["not_searched"])
    assert "no skill folder is configured" in printed(capsys, "rotate pdf")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["q", "--skills", "/no/such/folder"], "/no/such/folder"), (["q", "--top-k", "0"], "--top-k")],
)
def test_wrong_usage_is_2(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert told in capsys.readouterr().err


def test_a_script_pays_for_no_table(office: Path) -> None:
    program = (
        "import sys\n"
        "from skillcaddy.cli import main\n"
        "try:\n"
        f"    main(['explain', 'rotate pdf', '--skills', {str(office)!r}, '--json'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(sorted({'pydantic', 'typer', 'rich', 'asyncio'} & set(sys.modules)), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=dict(os.environ))
    done = subprocess.run(command, check=True, capture_output=True, timeout=60, env=dict(os.environ))
    assert done.stderr.decode().strip() == "[]"


def test_the_explanation_of_an_empty_retrieval_is_complete() -> None:
    found = explain(Engine(Settings(shared_library="off"), sources=[]), Request(query=""))
    assert isinstance(found, Explanation)
    assert json.dumps(found.to_json())
    assert Reason.QUERY_EMPTY in found.reasons()
