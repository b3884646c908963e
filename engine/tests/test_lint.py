"""`skillcaddy lint`: what is wrong with a library, a fix for each, and an exit code that a build can go by."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import Result

import broken_skills
from builders import cli_runner, write_skill
from skillcaddy.cli.app import app
from skillcaddy.lint import RULES, Finding, lint
from skillcaddy.lint.near import groups, resemblance, sketch
from skillcaddy.lint.triggers import stated_triggers
from skillcaddy.paths import locations
from skillcaddy.reasons import Reason

GOOD = "Rotate, split and merge the pages of PDF files. Use when scanned pages lie on their side."
EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"


def run(*arguments: str | Path) -> Result:
    return cli_runner().invoke(app, ["lint", *map(str, arguments)], env={"COLUMNS": "300"})


def document(*arguments: str | Path) -> dict[str, Any]:
    result = run("--json", *arguments)
    assert result.stdout, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def findings(*roots: Path) -> tuple[Finding, ...]:
    return lint([str(root) for root in roots], locations().state_dir).findings


def rules(found: Iterable[Finding], folder: str = "") -> set[str]:
    return {finding.rule for finding in found if f"/{folder}" in finding.path}


def test_a_sound_library_passes_without_a_word(library: Path) -> None:
    write_skill(library, "pdf-pages", GOOD)
    result = run(library)
    assert result.exit_code == 0
    assert "1 skill: 0 errors, 0 warnings" in result.stdout
    assert document(library)["ok"] is True


def test_the_example_skills_are_sound() -> None:
    found = document(EXAMPLES)
    assert (found["counts"]["error"], found["counts"]["warning"]) == (0, 0), found["findings"]
    assert found["skills"] >= 13


CASES = {
    "name-standard": ("Bad_Name", "name: Bad_Name\ndescription: D", "'bad-name'"),
    "name-folder": ("pdf-tool", "name: pdf-pages\ndescription: D", "'pdf-tool'"),
    "name-missing": ("pdf-pages", "description: D", "name: pdf-pages"),
    "description-missing": ("pdf-pages", "name: pdf-pages", "when to use it"),
    "description-long": ("pdf-pages", f"name: pdf-pages\ndescription: D {'and more pages ' * 80}", "1,024"),
    "description-vague": ("pdf-pages", "name: pdf-pages\ndescription: A useful helper.", "words that users say"),
    "description-cut": (
        "helper-kit",
        "name: helper-kit\ndescription: This is a comprehensive skill that provides you with everything that is needed"
        " in order to rotate, crop and merge PDF pages. Use when scans lie on their side.",
        "Begin the description",
    ),
    "front-matter": ("pdf-pages", "name: pdf-pages\ndescription: Use when: D", "quotes"),
    "no-trigger": ("pdf-pages", "name: pdf-pages\ndescription: Rotates, splits and merges PDF pages.", '"Use when'),
}


@pytest.mark.parametrize("rule", CASES)
def test_each_fault_of_one_file_is_named_with_a_fix(rule: str, library: Path) -> None:
    folder, front_matter, told = CASES[rule]
    path = library / folder / "SKILL.md"
    path.parent.mkdir()
    text = front_matter.replace(": D", f": {GOOD}")
    path.write_text(f"---\n{text}\n---\n\nTurn the page.\n", encoding="utf-8")
    found = [finding for finding in findings(library) if finding.rule == rule]
    assert len(found) == 1, findings(library)
    assert told in found[0].message + found[0].fix
    assert found[0].fix
    assert found[0].path == str(path)


@pytest.mark.parametrize("name", ["x" * 65, "Pdf", "pdf--pages", "-pdf", "pdf_pages", "pdf pages", "订单"])
def test_names_outside_the_standard_are_errors(name: str, library: Path) -> None:
    write_skill(library, "pdf-pages", GOOD, name=name)
    assert "name-standard" in rules(findings(library))


def test_a_skill_without_front_matter_lacks_both_name_and_description(library: Path) -> None:
    path = library / "pdf-pages" / "SKILL.md"
    path.parent.mkdir()
    path.write_text("# PDF pages\n\nRotate them when they lie on their side.\n", encoding="utf-8")
    assert {"name-missing", "description-missing"} <= rules(findings(library))


@pytest.mark.parametrize("value", ['""', "", "null", "~"])
def test_an_empty_description_is_a_missing_one(value: str, library: Path) -> None:
    write_skill(library, "pdf-pages", value)
    assert "description-missing" in rules(findings(library))


@pytest.mark.parametrize("style", ["|", ">-", "|-"])
def test_a_description_of_several_lines_is_there(style: str, library: Path) -> None:
    write_skill(library, "pdf-pages", f"{style}\n  Rotate PDF pages.\n  Use when scans lie on their side.")
    assert "description-missing" not in rules(findings(library))


def test_a_skill_hidden_by_an_earlier_folder_is_reported_and_by_whom(tmp_path: Path) -> None:
    """T69: a skill of the same name with other content is hidden without a word by most hosts."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    first = write_skill(mine, "pdf-pages", GOOD)
    write_skill(theirs, "pdf-pages", "Print PDF files on paper. Use when somebody wants them on paper.")
    (found,) = [finding for finding in findings(mine, theirs) if finding.rule == "shadowed"]
    assert str(first) in found.message
    assert found.path.startswith(str(theirs))
    assert "shadowed" not in rules(findings(theirs))


def test_two_skills_of_one_name_are_reported(library: Path) -> None:
    write_skill(library, "a/pdf-pages", GOOD)
    write_skill(
        library, "b/pdf-pages", "Print PDF files on paper. Use when somebody wants them on paper.", body="Print."
    )
    (found,) = [finding for finding in findings(library) if finding.rule == "name-twice"]
    assert found.others == ("local:a/pdf-pages",)


STEPS = "\n".join(f"{n}. Open tray {n}, check the seal against list {n * 7}, then close it." for n in range(1, 40))


def test_copies_and_near_copies_are_found_and_told_apart(library: Path) -> None:
    write_skill(library, "trays", "Check the seals of trays. Use when trays arrive.", STEPS)
    write_skill(library, "trays-copy", "Check seals again. Use when trays leave.", STEPS.replace("\n", "\n\n"))
    write_skill(library, "trays-new", "Check crates. Use when crates arrive.", STEPS.replace("tray 7,", "crate 7,"))
    write_skill(library, "other", GOOD, "\n".join(f"Turn page {n} by ninety degrees and save it." for n in range(40)))
    found = findings(library)
    assert [f.rule for f in found if f.path.endswith("trays-copy/SKILL.md") and "copy" in f.rule] == ["copy"]
    (near,) = [f for f in found if f.rule == "near-copy"]
    assert near.path.endswith("trays-new/SKILL.md")
    assert "local:trays" in near.others
    assert not {"copy", "near-copy"} & rules(found, "other/")


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"])


@given(st.lists(WORDS, min_size=60, max_size=200))
def test_a_text_resembles_itself_wholly_and_nothing_is_grouped_below_the_bar(words: list[str]) -> None:
    one = sketch(" ".join(words))
    other = sketch(" ".join(f"{word}{position}" for position, word in enumerate(words)))
    assert resemblance(one, one) == (1.0 if one else 0.0)
    for group in groups([one, other, one], 0.8):
        assert all(likeness >= 0.8 for _, likeness in group)
        assert 1 not in [position for position, _ in group]


def test_resemblance_is_near_the_true_share_of_common_shingles() -> None:
    words = [f"w{n}" for n in range(2000)]
    changed = [f"x{n}" if n % 40 == 0 else word for n, word in enumerate(words)]
    # Each changed word takes four shingles of either text with it: 1800 of 2200 are common.
    assert resemblance(sketch(" ".join(words)), sketch(" ".join(changed))) == pytest.approx(1800 / 2200, abs=0.12)


def test_a_skill_that_its_own_description_does_not_find_first_is_confusable(library: Path) -> None:
    write_skill(library, "invoice-check", "Check invoices. Use when an invoice arrives.", "Invoices. " * 3)
    write_skill(library, "invoice-audit", "Audit of orders, receipts and bank statements of suppliers.", name="check")
    write_skill(
        library,
        "invoice-all",
        "Check invoices, check each invoice that arrives, check invoices when an invoice arrives.",
        "Check the invoice when it arrives. Check invoices.",
    )
    (found,) = [finding for finding in findings(library) if finding.rule == "confusable"]
    assert found.id == "local:invoice-check"
    assert "local:invoice-all" in found.others
    assert "local:invoice-all" in found.message


def test_a_trigger_that_finds_others_is_reported_with_who_stands_before_it(library: Path) -> None:
    for name in ("deploy-staging", "deploy-prod", "deploy-docs"):
        write_skill(library, name, f"Deploy to {name[7:]}: deploy, roll back, deploy again.", "Deploy it. Deploy.")
    write_skill(library, "team-chat", 'Announce things in the chat. Use when someone says "deploy".', "Write a line.")
    (found,) = [finding for finding in findings(library) if finding.path.endswith("team-chat/SKILL.md")]
    assert found.rule == "trigger-lost"
    assert "'deploy'" in found.message
    assert set(found.others) & {"local:deploy-staging", "local:deploy-prod", "local:deploy-docs"}


@pytest.mark.parametrize(
    ("description", "triggers"),
    [
        ("Fills forms. Use when a PDF form must be filled.", ("a PDF form must be filled",)),
        (
            "Use this skill when the user asks to rotate pages, or when scans are crooked.",
            ("rotate pages", "scans are crooked"),
        ),
        ('Triggers: "make a chart", "plot my data".', ("make a chart", "plot my data")),
        ("Cleans data. Not for charts. Do not use when the table is small.", ()),
        ("写周报。当用户说“写周报”“本周总结”时使用。不用于绩效自评。", ("写周报", "本周总结")),
        ("当合同需要翻译的时候使用。", ("合同需要翻译",)),
        ("敬語を直す。「メールの文面を考えて」と言われたときに使う。", ("メールの文面を考えて",)),
        ('Edits "SKILL.md" and "notes.txt" files.', ()),
        ("", ()),
    ],
)
def test_stated_triggers_are_read_from_the_description(description: str, triggers: tuple[str, ...]) -> None:
    assert stated_triggers(description) == triggers


@given(st.text(max_size=300))
def test_any_description_can_be_read_for_triggers(description: str) -> None:
    assert all(len(trigger) <= 240 for trigger in stated_triggers(description))


def test_a_broken_library_costs_no_run_and_loses_no_file(library: Path) -> None:
    """T65, T66: whatever is in a folder, each file is either judged or reported."""
    broken_skills.write(library)
    found = findings(library)
    for case in broken_skills.CASES:
        mine = {f.rule for f in found if f.path == str(library / case.folder / case.file)}
        assert ("unreadable" in mine) == (case.problem is Reason.SKILL_UNREADABLE), case.folder
        assert ("front-matter" in mine) == (case.problem is Reason.SKILL_MENDED), case.folder
        assert ("file-name" in mine) == (case.file != "SKILL.md"), case.folder
    assert "file-long" in rules(found, "three-megabytes/")
    assert "body-empty" in rules(found, "front-matter-only/")
    assert "unreadable" in rules(found, "pipe/") | rules(found, "dangling/") | {"unreadable"}


def test_a_library_whose_index_cannot_be_stored_is_linted_from_memory(library: Path, tmp_path: Path) -> None:
    write_skill(library, "pdf-pages", GOOD, name="Pdf")
    (tmp_path / "file").write_text("no folder can be made below this", encoding="utf-8")
    assert "name-standard" in rules(lint([str(library)], tmp_path / "file" / "state").findings)


def test_exit_codes_are_for_builds(library: Path) -> None:
    write_skill(library, "pdf-pages", "Rotates, splits and merges PDF pages.")
    assert run(library).exit_code == 0
    assert run("--strict", library).exit_code == 0  # a hint never fails
    write_skill(library, "b/pdf-pages", GOOD, body="Another text.")
    assert run(library).exit_code == 0
    assert run("--strict", library).exit_code == 1
    assert document("--strict", library)["ok"] is False
    write_skill(library, "other", GOOD, name="Other Name")
    assert run(library).exit_code == 1


def test_only_as_grave_findings_as_asked_for_are_shown(library: Path) -> None:
    write_skill(library, "Pdf_Pages", "Rotates, splits and merges PDF pages.")
    assert {f["level"] for f in document(library)["findings"]} == {"error", "hint"}
    assert "hint" not in {f["level"] for f in document("--level", "warning", library)["findings"]}
    assert "no-trigger" not in run("--level", "warning", library).stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["/no/such/folder"], "'/no/such/folder' is no folder"),
        (["--level", "grave"], "error, warning, hint"),
        ([], "skills_dirs"),
    ],
)
def test_wrong_usage_is_2_and_says_what_to_do(arguments: list[str], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr


def test_every_rule_has_a_level_and_every_finding_is_of_a_rule(library: Path) -> None:
    broken_skills.write(library)
    assert {finding.rule for finding in findings(library)} <= RULES.keys()
    assert all(finding.fix and finding.message for finding in findings(library))


def test_progress_is_told_by_stage_and_reaches_the_end(library: Path) -> None:
    for number in range(70):
        write_skill(library, f"skill-{number}", f"Do number {number} of the many things. Use when {number} is due.")
    told: dict[str, tuple[int, int]] = {}
    lint(
        [str(library)],
        locations().state_dir,
        progress=lambda stage, done, total: told.update({stage: (done, total)}),
    )
    assert told["Reading"] == (70, 70)
    assert told["Searching"] == (70, 70)
