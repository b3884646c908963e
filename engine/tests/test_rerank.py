"""The second look at the first candidates of a source."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.library.rerank import LENGTH_CAP, best_first
from skillcaddy.skill import Skill, Trust


@dataclass(frozen=True)
class Library:
    """Term statistics of a made-up library."""

    frequencies: dict[str, int] = field(default_factory=dict)
    document_count: int = 1000

    def document_frequency(self, term: str) -> int:
        return self.frequencies.get(term, 0)


def hit(name: str, description: str = "", score: float = 1.0) -> tuple[Skill, float]:
    skill = Skill(id=f"local:{name}", name=name, description=description, source="local", trust=Trust.LOCAL)
    return skill, score


def names(query: str, hits: list[tuple[Skill, float]], library: Library | None = None) -> list[str]:
    return [hits[at][0].name for at in best_first(query, hits, library)]


def test_a_skill_whose_whole_name_is_asked_for_comes_before_one_whose_name_says_more() -> None:
    assert names("fill pdf forms", [hit("pdf-to-word-converter"), hit("pdf-forms")]) == [
        "pdf-forms",
        "pdf-to-word-converter",
    ]


def test_the_rarest_word_in_a_description_outweighs_a_common_one() -> None:
    library = Library({"report": 500, "kubernet": 3})
    hits = [hit("a", "writes every report"), hit("b", "runs kubernetes well")]
    assert names("report on kubernetes", hits, library) == ["b", "a"]


def test_a_rare_pair_of_characters_is_no_rare_word() -> None:
    library = Library({"报的": 2, "周报": 400, "kubernet": 3})
    hits = [hit("a", "每周的周报助手"), hit("b", "汇报的对象")]
    assert names("给我周报的", hits, library) == ["a", "b"]
    assert names("kubernetes 周报", [hit("a", "每周的周报"), hit("b", "for kubernetes")], library) == ["b", "a"]


def test_a_clearly_better_score_is_not_overturned() -> None:
    assert names("pdf", [hit("pdf", "about pdf", score=3.0), hit("other", "word " * 500, score=10.0)])[0] == "other"


def test_a_description_beyond_the_cap_gains_nothing() -> None:
    long, longer = hit("a", "pdf " * LENGTH_CAP), hit("b", "pdf " * LENGTH_CAP * 9)
    assert names("pdf", [longer, long]) == ["a", "b"]


def test_equals_are_ordered_by_id_whatever_order_they_came_in() -> None:
    hits = [hit(name, "the same words") for name in "cab"]
    assert names("words", hits) == names("words", hits[::-1]) == ["a", "b", "c"]


def test_no_hits_give_no_hits() -> None:
    assert best_first("pdf", [], Library()) == []


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.text(max_size=20), st.floats(0, 100)), max_size=8, unique_by=lambda x: x[0]),
)
def test_each_candidate_has_one_place(query: str, rows: list[tuple[str, float]]) -> None:
    hits = [hit(name, query, score) for name, score in rows]
    found = best_first(query, hits, Library({"a": 1}, document_count=0))
    assert sorted(found) == list(range(len(hits)))
