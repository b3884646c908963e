"""References in a body: absolute where the file is there, untouched where it is not, and never corrupted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.refs import Resolved, resolve


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skill = tmp_path / "my skills" / "pdf"
    for path in ("scripts/run.py", "references/fields.md", "assets/a b.txt", "assets/c(1).txt", "FORMS.md"):
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text("x", encoding="utf-8")
    (tmp_path / "my skills" / "secret.md").write_text("x", encoding="utf-8")
    (tmp_path / "my skills" / "pdf-2").mkdir()
    (tmp_path / "my skills" / "pdf-2" / "a.md").write_text("x", encoding="utf-8")
    return skill


def plain(tmp_path: Path, *files: str) -> str:
    for path in files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x", encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize("name", ["{baseDir}", "${HERMES_SKILL_DIR}", "${CLAUDE_SKILL_DIR}", "${SKILL_DIR}"])
def test_every_spelling_of_the_skills_folder_becomes_that_folder(folder: Path, name: str) -> None:
    """T61: an unresolved folder makes a good skill look broken to the gate."""
    body = f"cd {name} && python {name}/scripts/run.py\n```\n{name}/scripts/run.py\n```\n{name}/"
    assert resolve(body, str(folder)) == Resolved(
        body=f"cd {folder} && python {folder}/scripts/run.py\n```\n{folder}/scripts/run.py\n```\n{folder}/", left=()
    )


def test_a_path_behind_the_folder_that_is_not_there_stays_and_is_reported(folder: Path) -> None:
    body = "see {baseDir}/missing.md and {baseDir}/missing.md, not {baseDir}/scripts/run.py."
    assert resolve(body, str(folder)) == Resolved(
        body=f"see {{baseDir}}/missing.md and {{baseDir}}/missing.md, not {folder}/scripts/run.py.",
        left=("{baseDir}/missing.md",),
    )


@pytest.mark.parametrize(
    "path", ["../secret.md", "scripts/../../secret.md", "references/link.md", "..", "assets/up", "../pdf-2/a.md"]
)
def test_nothing_outside_the_skills_folder_is_ever_named(folder: Path, path: str) -> None:
    (folder / "references" / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / "assets" / "up").symlink_to(folder.parent)
    for body in (f"{{baseDir}}/{path}", f"[x]({path})", f"`{path}`"):
        assert resolve(body, str(folder)).body == body


def test_links_to_existing_files_become_absolute_and_others_stay(tmp_path: Path) -> None:
    root = plain(tmp_path, "references/fields.md", "FORMS.md", "a/b.md")
    body = (
        "[f](references/fields.md) [f](./references/fields.md#top) [F](FORMS.md 'title') ![i](a/b.md)\n"
        "[no](references/none.md) [w](https://x.org/references/fields.md) [m](mailto:a@b.c) [h](#top) [r](/etc/hosts)\n"
    )
    assert resolve(body, root).body == (
        f"[f]({root}/references/fields.md) [f]({root}/references/fields.md#top) [F]({root}/FORMS.md 'title')"
        f" ![i]({root}/a/b.md)\n"
        "[no](references/none.md) [w](https://x.org/references/fields.md) [m](mailto:a@b.c) [h](#top) [r](/etc/hosts)\n"
    )


def test_a_link_target_with_spaces_or_parentheses_gets_angle_brackets(folder: Path) -> None:
    """Also where only the folder's own path has them, as here."""
    body = "[a](assets/a%20b.txt) [b](<assets/a b.txt>) [c](<assets/c(1).txt>) [d](FORMS.md)"
    assert resolve(body, str(folder)).body == (
        f"[a](<{folder}/assets/a b.txt>) [b](<{folder}/assets/a b.txt>)"
        f" [c](<{folder}/assets/c(1).txt>) [d](<{folder}/FORMS.md>)"
    )


def test_inline_code_names_files_of_the_usual_folders_only(tmp_path: Path) -> None:
    root = plain(tmp_path, "scripts/run.py", "FORMS.md", "templates/t.docx")
    body = (
        "`python scripts/run.py --in x/scripts/run.py` ``./templates/t.docx`` `FORMS.md`"
        " `scripts/none.py` scripts/run.py"
    )
    assert resolve(body, root).body == (
        f"`python {root}/scripts/run.py --in x/scripts/run.py` ``{root}/templates/t.docx`` `FORMS.md`"
        " `scripts/none.py` scripts/run.py"
    )


def test_links_and_code_inside_fences_are_left_alone(tmp_path: Path) -> None:
    root = plain(tmp_path, "scripts/run.py")
    body = "~~~sh\n`scripts/run.py` [x](scripts/run.py)\n```\n[x](scripts/run.py)\n~~~\n[x](scripts/run.py)"
    assert resolve(body, root).body == body[: -len("(scripts/run.py)")] + f"({root}/scripts/run.py)"


def test_known_placeholders_are_filled_and_unknown_ones_stay_and_are_reported(tmp_path: Path) -> None:
    """T106: an output folder that nobody knows is not guessed."""
    body = "{{SKILL_DIR}} {{SKILL_DIR:other}} {{SKILL_DIR:none}} {{HOME}} {{OUTPUT_DIR}} {{AGENT_STATE_DIR}} {{TITLE}}"
    resolved = resolve(body, str(tmp_path), placeholders={"HOME": "/home/u"}, names={"other": "/skills/other"})
    assert resolved.body == (
        f"{tmp_path} /skills/other {{{{SKILL_DIR:none}}}} /home/u"
        " {{OUTPUT_DIR}} {{AGENT_STATE_DIR}} {{TITLE}}"
    )
    assert resolved.left == ("{{SKILL_DIR:none}}", "{{OUTPUT_DIR}}", "{{AGENT_STATE_DIR}}")


def test_an_empty_value_counts_as_unknown(tmp_path: Path) -> None:
    assert resolve("{{HOME}}", str(tmp_path), placeholders={"HOME": ""}) == Resolved(
        body="{{HOME}}", left=("{{HOME}}",)
    )


def test_a_skill_that_is_not_on_disk_keeps_its_body_and_reports_what_is_open() -> None:
    body = "{baseDir}/x {{HOME}} [a](references/a.md)"
    resolved = resolve(body, "", placeholders={"HOME": "/home/u"})
    assert resolved == Resolved(body=body, left=("{baseDir}/x", "{{HOME}}"))


@pytest.mark.parametrize("value", ["$&", r"\1\g<0>", "{baseDir}", "{{HOME}}", "%s%n", "`a`](b)", "$$"])
def test_values_are_put_in_literally(tmp_path: Path, value: str) -> None:
    """T54: sequences that mean something to a replacement template or to us mean nothing in a value."""
    folder = tmp_path / "d"
    folder.mkdir()
    assert resolve("<{{HOME}}>", str(folder), placeholders={"HOME": value}).body == f"<{value}>"


@given(st.text(alphabet=st.sampled_from("$&\\1{}%`~[]()<>/. \nabSKILL_DIRbaseDirscripts#"), max_size=300))
def test_a_body_without_references_comes_back_unchanged(body: str) -> None:
    """T54: whatever mix of special characters a body holds."""
    missing = "/nowhere/at/all"
    if not any(token in body for token in ("{baseDir}", "SKILL_DIR}")):
        assert resolve(body, missing) == Resolved(body=body, left=())


def test_many_references_do_not_mean_many_look_ups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def realpath(path: str, **_: object) -> str:
        asked.append(path)
        raise OSError

    body = "".join(f"[x](references/{number}.md) [x](references/{number}.md)\n" for number in range(2000))
    root = str(tmp_path)
    monkeypatch.setattr("skillcaddy.refs.os.path.realpath", lambda path, **_: path if path == root else realpath(path))
    assert resolve(body, root).body == body
    assert len(asked) == 400
