"""The judge of values, held against a JSON Schema validator where one is at hand and against its own words."""

from __future__ import annotations

import json
from dataclasses import Field, dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.settings import Settings, setting, setting_fields
from skillcaddy.settings_errors import BadConfigError, BadSettingsError, BadValueError, UnknownKeyError, nearest, shown
from skillcaddy.validation import json_schema, judge, model_of, validate

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@dataclass(frozen=True, kw_only=True)
class Narrow(Settings):
    """A host that can only search each turn, and has room for three skills."""

    mode: Literal["auto"] = setting("auto", "auto is the only mode that this host can carry.")
    top_k: int = setting(1, "Skills delivered with their bodies.", ge=1, le=3)


@dataclass(frozen=True, kw_only=True)
class Loose(Settings):
    """A host with a setting that no format can carry everywhere."""

    verbose: bool | None = setting(None, "Say more than is needed, or less, or neither.")


@dataclass(frozen=True, kw_only=True)
class Unbounded(Settings):
    """A host with a number that has no bounds."""

    patience: float = setting(1.0, "How much patience this host has.")


def test_a_number_without_bounds_still_has_to_be_one() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(BadSettingsError, match="allowed: a number"):
            validate({"patience": value}, where="here", settings_class=Unbounded)


def test_good_values_come_back_as_settings_takes_them() -> None:
    values = validate({"skills_dirs": ["/one"], "top_k": 3, "weight_local": 2}, where="here")
    assert values == {"skills_dirs": ("/one",), "top_k": 3, "weight_local": 2.0}
    assert Settings(**values).skills_dirs == ("/one",)


@pytest.mark.parametrize("value", ["8", True, None, 2.5, [2], {"n": 2}, float("nan"), 0, 11, 10**30])
def test_a_whole_number_is_taken_as_json_means_it(value: Any) -> None:
    with pytest.raises(BadSettingsError, match=r"top_k = .* is not allowed; allowed: a whole number from 1 to 10"):
        validate({"top_k": value}, where="here")


@pytest.mark.parametrize("value", [True, False, "true", "yes", 1, None, "ON", " on", ""])
def test_a_switch_takes_its_words_and_nothing_that_resembles_them(value: Any) -> None:
    """T110: `gate: true` and the like must be errors, never a guess."""
    with pytest.raises(BadSettingsError, match='allowed: "auto", "on" or "off"'):
        validate({"gate": value}, where="here")


def test_an_error_carries_the_facts_that_its_sentence_is_made_of() -> None:
    with pytest.raises(BadSettingsError) as caught:
        validate({"mode": "atuo"}, where="the file")
    [error] = caught.value.errors
    assert isinstance(error, BadValueError)
    assert (error.where, error.key, error.given, error.nearest) == ("the file", "mode", '"atuo"', "auto")
    assert str(error) == (
        'the file: mode = "atuo" is not allowed; allowed: "on_demand" or "auto". Did you mean "auto"? '
        'Correct it, or remove it to get the default, "on_demand".'
    )


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(BadSettingsError) as caught:
        validate({"mode": "atuo", "topk": 3, "gate_pool": "x"}, where="the file")
    assert {error.key for error in caught.value.errors} == {"mode", "topk", "gate_pool"}
    assert len(str(caught.value).splitlines()) == 3


def test_an_unknown_key_costs_nothing_but_itself() -> None:
    """T20, T111: one stray key once threw the whole configuration away."""
    values, errors = judge({"topk": 3, "mode": "auto"}, where="here")
    assert values == {"mode": "auto"}
    assert [type(error) for error in errors] == [UnknownKeyError]


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_what_is_no_table_is_one_error(data: Any) -> None:
    values, errors = judge(data, where="here")
    assert values == {}
    assert [type(error) for error in errors] == [BadConfigError]


def test_a_key_that_is_no_text_is_unknown_rather_than_a_crash() -> None:
    values, errors = judge({5: 1, None: 2, "top_k": 3}, where="here")
    assert values == {"top_k": 3}
    assert sorted(error.key for error in errors) == ["5", "None"]


def test_a_host_may_narrow_a_setting_and_gets_its_own_default_and_bounds() -> None:
    assert Narrow().mode == "auto"
    with pytest.raises(BadSettingsError, match='mode = "on_demand" is not allowed; allowed: "auto"'):
        validate({"mode": "on_demand"}, where="here", settings_class=Narrow)
    with pytest.raises(BadSettingsError, match="a whole number from 1 to 3"):
        validate({"top_k": 5}, where="here", settings_class=Narrow)
    assert validate({"top_k": 5}, where="here") == {"top_k": 5}


def test_an_optional_boolean_is_refused_where_it_is_declared() -> None:
    with pytest.raises(TypeError, match=r"Loose\.verbose: a setting cannot be optional"):
        model_of(Loose)


def test_the_model_has_a_field_for_every_setting_with_its_help_and_default() -> None:
    fields = model_of(Settings).model_fields
    for field in setting_fields():
        assert fields[field.name].description == field.metadata["help"]
        default = fields[field.name].default
        assert (tuple(default) if isinstance(default, list) else default) == field.default
    assert fields.keys() == {field.name for field in setting_fields()}


def test_the_schema_declares_every_setting_and_marks_the_secrets() -> None:
    schema = json_schema()
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [field.name for field in setting_fields()]
    secrets = {name for name, each in schema["properties"].items() if each.get("writeOnly")}
    assert secrets == {"model_api_key"}
    assert schema["properties"]["top_k"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "default": 2,
        "description": "Skills delivered with their bodies.",
    }
    assert json_schema(Narrow)["properties"]["mode"]["enum"] == ["auto"]


@pytest.mark.parametrize("field", setting_fields(), ids=lambda field: field.name)
def test_the_schema_and_the_judge_accept_and_refuse_alike(field: Field[Any]) -> None:
    schema = json_schema()["properties"][field.name]
    values: tuple[Any, ...] = (
        "8",
        "auto",
        "on",
        "off",
        "",
        True,
        None,
        0,
        1,
        2,
        2.0,
        2.5,
        -1,
        10**9,
        [],
        ["/a"],
        [1],
        {},
        "zh",
    )
    for value in values:
        _, errors = judge({field.name: value}, where="here")
        assert (not errors) == fits(value, schema), f"{field.name} = {json.dumps(value)}"


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """JSON Schema's meaning of the few words that our schemas use, written from its specification."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    match schema["type"]:
        case "integer":
            right = number and float(value).is_integer()
        case "number":
            right = number
        case "string":
            right = isinstance(value, str)
        case "array":
            right = isinstance(value, list) and all(fits(each, schema["items"]) for each in value)
        case other:
            raise AssertionError(f"a type that this test does not know: {other}")
    if not right or ("enum" in schema and value not in schema["enum"]):
        return False
    return not number or schema.get("minimum", value) <= value <= schema.get("maximum", value)


@given(st.dictionaries(st.sampled_from([field.name for field in setting_fields()]) | st.text(max_size=12), JSON))
def test_whatever_is_given_the_good_part_makes_settings_and_the_rest_is_named(data: Any) -> None:
    values, errors = judge(data, where="here")
    Settings(**values)
    assert set(data) <= set(values) | {error.key.partition("[")[0] for error in errors} | {e.key for e in errors}
    for error in errors:
        assert "\n" not in str(error).replace(error.key, "")


@pytest.mark.parametrize(
    ("given_word", "meant"),
    [("topk", "top_k"), ("TOP-K", "top_k"), ("model", "model_name"), ("skill_dirs", "skills_dirs"), ("zzz", "")],
)
def test_the_nearest_word_is_the_one_that_was_meant(given_word: str, meant: str) -> None:
    assert nearest(given_word, [field.name for field in setting_fields()]) == meant


def test_a_shown_value_is_short_printable_and_without_credentials() -> None:
    assert shown("x" * 500).endswith("…")
    assert len(shown("x" * 500)) == 80
    assert shown("http://user:pass@example.org/v1") == '"http://***@example.org/v1"'
    shown("\udcff").encode("utf-8")
    assert shown("two\nlines") == '"two\\nlines"'
    assert shown("tell-no-one", secret=True) == "***"
    assert shown("", secret=True) == '""'
