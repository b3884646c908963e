"""What the tools remember of their own answers."""

from __future__ import annotations

from builders import hit
from skillcaddy.seen import Seen


def test_a_skill_is_found_by_its_id_or_by_its_name_in_any_case_and_without_its_body() -> None:
    seen = Seen()
    seen.add([hit("Rotate").skill, hit("rotate", source="other").skill, hit("merge").skill])
    assert [skill.id for skill in seen.named("shop:Rotate")] == ["shop:Rotate"]
    assert [skill.id for skill in seen.named("ROTATE")] == ["shop:Rotate", "other:rotate"]
    assert seen.named("split") == []
    assert {skill.body for skill in seen.by_id().values()} == {""}


def test_only_the_newest_are_remembered() -> None:
    seen = Seen()
    seen.add([hit("first").skill])
    seen.add([hit(f"one-of-many-{number}").skill for number in range(511)])
    seen.add([hit("first").skill, hit("last").skill])
    assert len(seen.by_id()) == 512
    assert seen.named("first")
    assert not seen.named("one-of-many-0")
