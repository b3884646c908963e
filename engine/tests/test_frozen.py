"""Our data classes hold what they are given, never change, and are what `dataclasses` takes for its own."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from skillcaddy.frozen import dataclass, field, replace
from skillcaddy.skill import Hit, Skill, Trust


@dataclass(frozen=True, kw_only=True)
class Point:
    """Something with a required field, a default and one made anew."""

    x: int
    label: str = "here"
    notes: Mapping[str, str] = field(default_factory=dict)

    def moved(self, by: int) -> Point:
        """A method of its own."""
        return replace(self, x=self.x + by)


def test_it_holds_its_fields_and_defaults_and_makes_each_its_own() -> None:
    one, other = Point(x=1), Point(label="there", x=1, notes={"a": "b"})
    assert (one.x, one.label, one.notes) == (1, "here", {})
    assert (other.x, other.label, other.notes) == (1, "there", {"a": "b"})
    assert one.notes is not Point(x=1).notes
    assert (Point.label, hasattr(Point, "notes")) == ("here", False)
    assert one.moved(by=2) == Point(x=3)
    assert repr(one) == "Point(x=1, label='here', notes={})"


def test_a_field_can_be_left_out_of_comparisons_and_out_of_sight() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Noted:
        x: int
        key: str = field(default="none", repr=False)
        at: float = field(default=0.0, compare=False)

    one, later = Noted(x=1, key="secret", at=1.0), Noted(x=1, key="secret", at=2.0)
    assert (one, hash(one)) == (later, hash(later))
    assert one != Noted(x=1)
    assert (Noted(x=1).key, Noted(x=1).at) == ("none", 0.0)
    assert repr(one).endswith("Noted(x=1, at=1.0)")
    assert [entry.compare for entry in dataclasses.fields(Noted)] == [True, True, False]


@pytest.mark.parametrize("values", [{}, {"label": "a"}, {"x": 1, "y": 2}, {"y": 2}, {"label": "", "notes": {}, "y": 2}])
def test_a_missing_or_an_unknown_field_is_refused_by_name(values: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Point: missing fields \[.*'?\], unknown fields \[.*\]") as refused:
        Point(**values)
    assert ("'x'" in str(refused.value)) == ("x" not in values)
    assert ("'y'" in str(refused.value)) == ("y" in values)


def test_it_takes_no_positions_and_no_changes() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]
    point = Point(x=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    with pytest.raises(TypeError):
        replace(point, y=2)  # type: ignore[call-arg]
    assert point == Point(x=1)


def test_equals_are_equal_by_class_and_fields_and_have_one_hash() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Same:
        x: int

    @dataclass(frozen=True, kw_only=True)
    class Other:
        x: int

    assert Same(x=1) == Same(x=1)
    assert Same(x=1) != Same(x=2)
    assert Same(x=1) != Other(x=1)  # type: ignore[comparison-overlap]
    assert len({Same(x=1), Same(x=1), Same(x=2)}) == 2


def test_copies_and_pickles_are_equal_to_it() -> None:
    skill = Skill(id="local:a", name="a", description="", source="local", trust=Trust.LOCAL, tags=("b",))
    for other in (copy.copy(skill), copy.deepcopy(skill), pickle.loads(pickle.dumps(skill))):
        assert other == skill
        assert other is not skill


def test_the_standard_library_takes_it_for_a_data_class() -> None:
    skill = Skill(id="local:a", name="a", description="", source="local", trust=Trust.LOCAL)
    hit = Hit(skill=skill, rank=1, score=0.5)
    assert dataclasses.is_dataclass(hit)
    assert [entry.name for entry in dataclasses.fields(Hit)] == ["skill", "rank", "score", "sources"]
    assert dataclasses.replace(hit, rank=2) == replace(hit, rank=2)
    assert dataclasses.asdict(hit)["skill"]["meta"] == {}

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Further(Point):
        """One more field."""

        z: int = 0

    assert (Further(x=1, z=2).label, Further(x=1, z=2).z) == ("here", 2)
    assert dataclasses.replace(Further(x=1), x=5) == replace(Further(x=1), x=5) == Further(x=5)

    @dataclasses.dataclass(frozen=True, slots=True)
    class Theirs:
        """A data class that is none of ours."""

        x: int

    assert replace(Theirs(1), x=2) == Theirs(2)


def test_defining_and_using_one_loads_no_dataclasses() -> None:
    code = (
        "from skillcaddy.frozen import dataclass, replace\n"
        "@dataclass(frozen=True, kw_only=True)\nclass A:\n    x: 'int'\n"
        "assert replace(A(x=1), x=2) == A(x=2) and repr(A(x=1))\n"
        "import sys; print('dataclasses' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
