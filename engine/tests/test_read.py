"""Every real file gives its skill: whatever its bytes, reading one never raises and costs that file at most."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broken_skills import CASES, Broken
from skillcaddy.library import read
from skillcaddy.library.decode import text_of
from skillcaddy.library.origin import MARKER
from skillcaddy.reasons import Reason
from skillcaddy.skill import Skill, Trust

UNHURRIED = settings(deadline=None)


def skill_of(data: bytes | str, path: str = "/library/office/pdf/SKILL.md") -> Skill:
    found = read.read_skill(path, "/library", data=data.encode() if isinstance(data, str) else data)
    assert found.skill is not None, found
    return found.skill


def write(path: Path, text: str = "---\nname: n\ndescription: d\n---\nBody\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder)
def test_a_broken_file_gives_what_can_be_had_of_it(case: Broken, tmp_path: Path) -> None:
    """T64, T65, T66."""
    path = tmp_path / case.folder / case.file
    path.parent.mkdir(parents=True)
    path.write_bytes(case.data)
    found = read.read_skill(path, tmp_path)
    assert found.problem is case.problem
    assert found.mended is (case.problem is Reason.SKILL_MENDED)
    assert bool(found.detail) >= (case.problem is not None)
    assert (found.skill is not None) is case.survives
    if found.skill is not None:
        assert (found.skill.name, found.skill.description) == (case.name, case.description)
        assert case.body_has in found.skill.body
        assert found.skill.id == f"local:{case.folder}"


def test_a_skill_knows_where_it_lies() -> None:
    skill = skill_of("---\nname: pdf\ndescription: d\n---\nBody\n")
    assert (skill.id, skill.folder) == ("local:office/pdf", "office/pdf")
    assert (skill.directory, skill.path) == ("/library/office/pdf", "/library/office/pdf/SKILL.md")
    assert (skill.source, skill.trust, skill.body) == ("local", Trust.LOCAL, "Body\n")


def test_nameless_skills_are_called_after_their_own_folders_not_their_parents() -> None:
    """T67."""
    first, second = (skill_of("Text", f"/library/group/{name}/SKILL.md") for name in ("one", "two"))
    assert (first.name, second.name) == ("one", "two")
    assert first.id != second.id


def test_a_skill_in_the_root_itself_is_called_after_the_root() -> None:
    skill = skill_of("Text", "/library/SKILL.md")
    assert (skill.id, skill.name, skill.folder) == ("local:library", "library", "")


def test_licence_version_and_requirements_are_kept_as_text() -> None:
    skill = skill_of(
        "---\nname: n\ndescription: d\nlicense: MIT\nversion: 1.10\nalways: true\ntags: [a, b]\n"
        "metadata:\n  hermes:\n    requires_tools: [terminal, web]\n---\n"
    )
    assert (skill.licence, skill.version, skill.tags) == ("MIT", "1.10", ("a", "b"))
    assert skill.meta["always"] == "true"
    assert skill.meta["metadata.hermes.requires_tools"] == "terminal, web"


def test_a_file_that_cannot_be_opened_is_reported_not_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T65."""
    path = write(tmp_path / "a" / "SKILL.md")

    def refuse(*_: Any, **__: Any) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        found = read.read_skill(path, tmp_path)
    assert (found.skill, found.problem) == (None, Reason.SKILL_UNREADABLE)
    assert "Permission denied" in found.detail


@pytest.mark.parametrize("name", ["gone/SKILL.md", "folder", "nul\x00/SKILL.md"])
def test_what_is_no_file_is_unreadable(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    found = read.read_skill(f"{tmp_path}/{name}", tmp_path)
    assert (found.skill, found.problem) == (None, Reason.SKILL_UNREADABLE)


def test_a_named_pipe_does_not_hold_the_scan(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SKILL.md")
    assert read.read_skill(tmp_path / "SKILL.md", tmp_path).problem is Reason.SKILL_UNREADABLE


def test_an_installed_skill_keeps_the_trust_and_origin_it_came_with(tmp_path: Path) -> None:
    path = write(tmp_path / "a" / "SKILL.md")
    write(path.parent / MARKER, json.dumps({"origin": "hub:o/a", "source": "hub", "trust": "flagged"}))
    skill = read.read_skill(path, tmp_path).skill
    assert skill is not None
    assert (skill.trust, skill.origin, skill.identity) == (Trust.FLAGGED, "hub:o/a", "hub:o/a")
    assert skill.meta["installed_from"] == "hub"


def test_a_skill_nested_in_an_installed_bundle_is_trusted_no_more_than_the_bundle(tmp_path: Path) -> None:
    path = write(tmp_path / "bundle" / "inner" / "SKILL.md")
    write(tmp_path / "bundle" / MARKER, json.dumps({"trust": "unvetted"}))
    skill = read.read_skill(path, tmp_path).skill
    assert skill is not None
    assert skill.trust is Trust.UNVETTED


@pytest.mark.parametrize("marker", ["", "{", "[]", '{"trust": 3}', '{"trust": "royal"}', "\x00", "[" * 100_000])
def test_a_marker_that_makes_no_sense_means_unvetted(marker: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a" / "SKILL.md")
    write(path.parent / MARKER, marker)
    skill = read.read_skill(path, tmp_path).skill
    assert skill is not None
    assert skill.trust is Trust.UNVETTED


def test_a_marker_that_cannot_be_read_means_unvetted(tmp_path: Path) -> None:
    path = write(tmp_path / "a" / "SKILL.md")
    (path.parent / MARKER).mkdir()
    skill = read.read_skill(path, tmp_path).skill
    assert skill is not None
    assert skill.trust is Trust.UNVETTED


def test_a_file_that_is_too_long_is_used_up_to_the_limit_and_says_so() -> None:
    data = b"---\nname: n\ndescription: d\n---\n" + "é".encode() * read.MAX_BYTES
    found = read.read_skill("/library/a/SKILL.md", "/library", data=data)
    assert found.skill is not None
    assert set(found.skill.body) == {"é"}
    assert f"{read.MAX_BYTES:,}" in found.detail


_PIECES = st.sampled_from(
    [
        *(
            b"---\n",
            b"name: ",
            b"description: ",
            b"\n",
            b"\r\n",
            b"\x00",
            b"x" * 40,
            b"- a\n",
            b"{",
            b"[",
            b'"',
            b"|\n",
        ),
        *(
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"\xfe\xff",
            "é".encode(),
            "日本".encode(),
            "日本".encode("utf-16-le"),
            b"\xe9",
        ),
    ]
)


@UNHURRIED
@given(st.one_of(st.binary(max_size=300), st.lists(st.one_of(_PIECES, st.binary(max_size=4))).map(b"".join)))
def test_no_bytes_make_reading_raise_or_give_text_that_cannot_be_stored(data: bytes) -> None:
    found = read.read_skill("/library/a/SKILL.md", "/library", data=data)
    if found.skill is None:
        assert found.problem is Reason.SKILL_UNREADABLE
        return
    skill = found.skill
    assert skill.name
    for text in (skill.name, skill.description, skill.body, *skill.tags, *skill.meta, *skill.meta.values()):
        assert "\x00" not in text
        assert "\r" not in text
        text.encode("utf-8")


def test_decoded_text_holds_no_nul_and_binary_data_are_no_text() -> None:
    """T65."""
    assert text_of(b"Some te\x00xt") == "Some text"
    assert text_of(b"\x00\x01\x02\x03" * 9) is None


@UNHURRIED
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_text_survives_each_encoding_that_carries_a_mark(text: str) -> None:
    body = "Words. " * 20 + text.replace("\ufeff", "")
    want = skill_of(body.encode("utf-8-sig")).body
    assert want == body
    assert skill_of(b"\xff\xfe" + body.encode("utf-16-le")).body == want
    assert skill_of(b"\xfe\xff" + body.encode("utf-16-be")).body == want
