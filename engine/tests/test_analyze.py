"""What the analyzer makes of text, for documents and queries alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.library.analyze import QUERY_PAIRS, QUERY_TERMS, bigrams, query_terms, terms
from skillcaddy.library.bigrams import bigram_weights
from skillcaddy.library.concepts import concepts, in_english
from skillcaddy.library.documents import (
    DESCRIPTION_WEIGHT,
    FILLER,
    LEAST_TERMS,
    NAME_WEIGHT,
    document_text,
    read_document,
)
from skillcaddy.library.manifest import Located
from skillcaddy.library.walk import FileSignature
from skillcaddy.skill import Skill, Trust


def skill(name: str, description: str = "", body: str = "", tags: tuple[str, ...] = ()) -> Skill:
    return Skill(
        id=f"local:{name}", name=name, description=description, source="local", trust=Trust.LOCAL, body=body, tags=tags
    )


def counts(of: Skill) -> Counter[str]:
    return Counter(document_text(of).split(" "))


def test_cjk_runs_become_overlapping_bigrams() -> None:
    """T41"""
    assert terms("表格转换") == ["表格", "格转", "转换"]


def test_a_mixed_query_keeps_its_latin_words_beside_its_bigrams() -> None:
    """T41"""
    assert set(terms("把Excel表格转成PDF")) >= {"excel", "pdf", "表格"}


def test_a_lone_ideograph_is_a_term() -> None:
    """T41"""
    assert terms("图") == ["图"]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("ひらがな", "らが"),
        ("カタカナ", "タカ"),
        ("ｶﾞｲﾄﾞ", "ガイ"),
        (normalize("NFD", "한국어"), "국어"),
        ("한국어", "국어"),
        ("㐀㐁", "㐀㐁"),
        ("𠀀𠀁", "𠀀𠀁"),
        ("𠀀", "𠀀"),
        ("ＰＤＦ", "pdf"),
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("Łódź", "lodz"),
        ("naïve", "naiv"),
        ("STRASSE", "strass"),
        ("Straße", "strass"),
        ("ﬁle", "file"),
        ("Привет", "привет"),
        ("Ἀθῆναι", "αθηναι"),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_every_script_and_form_of_a_letter_gives_terms(text: str, term: str) -> None:
    """T42"""
    assert term in terms(text)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("C++", "cplusplus"),
        ("C＋＋", "cplusplus"),
        ("c#", "csharp"),
        ("F# scripts", "fsharp"),
        (".NET", "dotnet"),
        ("ASP.NET", "dotnet"),
        ("ASP.NET", "aspnet"),
        ("Node.js", "node"),
        ("a plot in R", "r"),
        ("written in C", "c"),
    ],
)
def test_names_of_one_letter_or_with_symbols_are_terms(text: str, term: str) -> None:
    """T43"""
    assert term in terms(text)


def test_a_name_in_full_width_letters_is_taken_apart_like_any_other() -> None:
    assert terms("ｇｅｔＵｓｅｒＰｒｏｆｉｌｅ") == terms("getUserProfile")
    assert terms("aÀⒶ") == terms("aÀA")


def test_spellings_of_one_name_meet() -> None:
    """T43"""
    assert set(terms("Node.js")) & set(terms("nodejs"))
    assert set(terms(".NET")) & set(terms("dotnet"))
    assert "csharp" in terms("CSharp")


def test_a_french_elision_is_not_the_language_c() -> None:
    """T43"""
    assert "c" not in terms("c'est bon")


def test_a_domain_is_not_the_platform() -> None:
    assert "dotnet" not in terms("see example.net for more")


def test_words_that_stand_in_every_query_are_no_terms() -> None:
    """T44"""
    assert terms("how can I please use this with the other") == []


def test_a_document_weighs_its_name_over_its_description_and_that_over_its_body() -> None:
    """T45"""
    found = counts(skill("walrus", description="penguin", body="seagull", tags=("heron",)))
    assert (found["walrus"], found["penguin"], found["heron"], found["seagull"]) == (
        NAME_WEIGHT,
        DESCRIPTION_WEIGHT,
        DESCRIPTION_WEIGHT,
        1,
    )


def test_a_tool_named_only_in_the_body_is_found() -> None:
    """T45"""
    assert counts(skill("images", body="Needs ImageMagick and 图片 tools"))["imagemagick"] == 1
    assert counts(skill("images", body="Needs ImageMagick and 图片 tools"))["图片"] == 1


def test_code_counts_by_the_tools_it_calls_and_not_by_what_it_is_about() -> None:
    body = "Convert\n\n```bash\nffmpeg -i heron.mov\n  imagemagick walrus.png\n```\n\nThen check the seagull."
    found = counts(skill("images", body=body))
    assert {"convert", "ffmpeg", "imagemagick", "seagull"} <= set(found)
    assert {"heron", "walrus", "bash"}.isdisjoint(found)


def test_code_that_is_never_closed_keeps_the_first_word_of_each_line() -> None:
    found = counts(skill("images", body="Convert\n```\nffmpeg -i heron\nwalrus"))
    assert {"convert", "ffmpeg", "walrus"} <= set(found)


@pytest.mark.parametrize("times", [0, 1, 5, 5000])
def test_a_document_says_how_many_terms_it_has(tmp_path: Path, times: int) -> None:
    path = tmp_path / "images" / "SKILL.md"
    path.parent.mkdir()
    body = "imagemagick 表格转换 the café привет " * times
    path.write_text(f"---\nname: images\ndescription: 表格\n---\n{body}", encoding="utf-8")
    file = FileSignature(path=str(path), folder="images", size=0, mtime_ns=0)
    reading = read_document(Located(root=0, file=file), (str(tmp_path),))
    assert reading.document is not None
    assert reading.length == len(reading.document.text.split(" "))


@given(st.text(alphabet="表格转换かな한국𠀀  ", max_size=40))
def test_bigrams_are_every_two_neighbours_of_a_run(runs: str) -> None:
    expected = [left + right for run in runs.split() for left, right in pairwise(run)]
    found = bigrams(runs)
    assert found.split() == expected
    assert found == " ".join(expected)


def test_short_documents_are_filled_up_to_one_length_that_no_query_can_match() -> None:
    assert len(document_text(skill("walrus")).split(" ")) == LEAST_TERMS
    assert FILLER not in [term for term, _ in query_terms("_ __ a_b _")]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("tables", "table"),
        ("parsing", "parse"),
        ("parsed", "parse"),
        ("queries", "query"),
        ("boxes", "box"),
        ("running", "run"),
        ("deploying", "deploy"),
        ("caches", "cache"),
    ],
)
def test_forms_of_one_word_meet_on_both_sides(left: str, right: str) -> None:
    """T50"""
    assert terms(left) == terms(right)
    assert [term for term, _ in query_terms(left)] == terms(right)
    assert counts(skill(right))[terms(left)[0]] >= NAME_WEIGHT


@pytest.mark.parametrize("word", ["string", "spring", "speed", "css", "status", "redis", "process", "pandas"])
def test_a_word_that_only_looks_inflected_keeps_a_vowel_and_its_identity(word: str) -> None:
    """T50"""
    (term,) = terms(word)
    assert len(term) >= 3
    assert word.startswith(term)


def test_identifiers_are_searchable_whole_and_in_parts() -> None:
    found = terms("getUserProfile")
    assert {"get", "user"}.isdisjoint(found), "stop words are left out of identifiers too"
    assert {"getuserprofil", "profil"} <= set(found)
    assert terms("pdf-forms/web_app") == ["pdf", "form", "web", "app"]


def test_a_brand_of_two_parts_is_not_taken_apart() -> None:
    assert terms("JavaScript GitHub") == ["javascript", "github"]


def test_neighbouring_words_meet_as_a_pair_and_in_one_word() -> None:
    found = dict(query_terms("fill web forms"))
    assert found["web_form"] < found["web"]
    assert found["webform"] < found["web"]
    document = counts(skill("web-forms", description="fill web forms"))
    assert document["web_form"]
    assert document["webform"]


def test_two_words_that_a_library_knows_only_as_one_are_found() -> None:
    assert "javascript" in dict(query_terms("java script", lambda term: int(term == "javascript")))


def test_only_the_rarest_terms_of_a_long_turn_are_searched_and_none_that_the_library_lacks() -> None:
    words = [f"{letter}{other}word" for letter in "bcdfghjk" for other in "aeiou"]
    frequency = {word: position for position, word in enumerate(words)}
    found = [t for t, boost in query_terms(" ".join(words), lambda term: frequency.get(term, 0), 5) if boost == 1.0]
    assert found == words[1:6]


def test_numbers_are_searched_only_where_there_is_nothing_else() -> None:
    assert "2024" not in dict(query_terms("report of 2024"))
    assert dict(query_terms("2024")) == {"2024": 1.0}


def test_a_request_in_chinese_also_looks_for_its_words_in_english() -> None:
    found = dict(query_terms("帮我翻译这份合同"))
    assert found["contract"] < 1.0
    assert "contract" not in dict(query_terms("please translate this"))
    assert in_english("") == in_english("。 ！") == []


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("議事録を要約して", "minut"),
        ("レポートを作成", "report"),
        ("이 문서를 번역해줘", "translat"),
        ("幫我整理檔案", "file"),
        ("看下K线", "candlestick"),
        ("ﾚﾎﾟｰﾄ", "report"),
    ],
)
def test_requests_in_japanese_korean_and_traditional_characters_do_too(text: str, term: str) -> None:
    assert term in dict(query_terms(text))


def test_the_longest_known_word_counts() -> None:
    found = dict(query_terms("工作流"))
    assert "workflow" in found
    assert "job" not in found
    assert "job" in dict(query_terms("工作"))


def test_english_words_for_neighbouring_chinese_ones_are_looked_for_as_phrases() -> None:
    found = dict(query_terms("帮我做代码审查"))
    assert found["code_review"] > found["review"]
    assert "react_component" in dict(query_terms("写一个 React 的组件"))
    assert "code_review" not in dict(query_terms("代码写完了，审查"))


def test_a_long_turn_in_chinese_asks_for_no_more_than_any_other() -> None:
    asked: list[str] = []

    def frequency(term: str) -> int:
        asked.append(term)
        return 1

    text = "翻译合同会议纪要生成图片数据报表发布网站代码审查部署" * 40
    assert len(query_terms(text, frequency)) <= 2 * QUERY_TERMS + 2 * QUERY_PAIRS
    assert len(asked) < 2 * len(text) + 1000


def test_bigrams_of_function_words_and_those_between_two_words_count_less() -> None:
    counts = {"数据": 90, "据分": 5, "分析": 80}
    weights = bigram_weights(["数据分析"], lambda bigram: counts.get(bigram, 0))
    assert weights["据分"] < weights["数据"] == weights["分析"] == 1.0
    weights = bigram_weights(["帮我看数据", "を作成"], None)
    assert weights["帮我"] < weights["我看"] < weights["看数"] == weights["数据"] == 1.0
    assert weights["を作"] < weights["作成"]


def test_a_latin_word_in_a_chinese_request_counts_as_much_as_two_bigrams() -> None:
    assert dict(query_terms("用 Kubernetes 部署"))["kubernet"] == 2 * dict(query_terms("部署"))["部署"]


def test_every_concept_has_words_on_both_sides() -> None:
    for word, english in concepts().items():
        assert not word.isascii()
        assert english.isascii()
        assert terms(english), word


texts = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("abcRC+#.js'-_/ XyZ表格カな한é\u0301")), max_size=80
)


@given(texts)
def test_any_text_gives_clean_terms(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(char.isspace() for char in term)
        assert not any("A" <= char <= "Z" for char in term)


@given(texts)
def test_normalised_text_gives_the_same_terms(text: str) -> None:
    """T42"""
    # An ellipsis is the one mark that is left unfolded on purpose: it is everywhere, and its three dots mean nothing.
    text = text.replace("…", " ")
    assert sorted(terms(normalize("NFKC", text))) == sorted(terms(text))


@given(texts)
def test_both_sides_of_a_match_get_the_same_terms(text: str) -> None:
    """T50"""
    document = counts(skill(text, description=text, body=text))
    single = [term for term in terms(text) if not term.isdecimal()]
    asked = {term for term, boost in query_terms(text, limit=1000)}
    assert set(single) <= asked
    assert set(single) <= set(document)


@given(texts, texts)
def test_a_skill_is_always_found_by_its_own_words(name: str, description: str) -> None:
    document = counts(skill(name, description=description))
    for term, _ in query_terms(name, lambda term: document[term]):
        assert document[term] > 0


def test_a_document_reads_the_same_in_every_process() -> None:
    """Its digest tells a touched file from a changed one, so its order must not hang on a hash seed."""
    code = (
        "from skillcaddy.library.documents import document_text; from skillcaddy.skill import Skill, Trust;"
        "print(ascii(document_text(Skill(id='a', name='a', description='b', source='s', trust=Trust.LOCAL,"
        "body='walrus penguin seagull heron 表格转换 文件'))))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
