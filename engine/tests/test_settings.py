"""Settings as data: what each one says about itself."""

from __future__ import annotations

import re
from dataclasses import Field
from typing import Any

import pytest

from skillcaddy.settings import Settings, setting_fields, variable_of
from skillcaddy.validation import types_of, validate

FIELDS = setting_fields()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_setting_says_in_one_sentence_what_it_is(field: Field[Any]) -> None:
    help_text = field.metadata["help"]
    assert help_text.endswith(".")
    assert 20 <= len(help_text) <= 140


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_number_has_both_bounds(field: Field[Any]) -> None:
    if types_of(Settings)[field.name] in (int, float):
        assert field.metadata["ge"] < field.metadata["le"]


def test_the_defaults_are_allowed_values() -> None:
    defaults = {field.name: field.default for field in FIELDS}
    assert Settings(**validate(defaults, where="defaults")) == Settings()


def test_no_setting_is_a_boolean_that_could_be_unset() -> None:
    assert bool not in types_of(Settings).values()


def test_whatever_holds_a_key_is_a_secret() -> None:
    for field in FIELDS:
        looks_secret = re.search(r"(_key|_token|_password|_secret)$", field.name) is not None
        assert field.metadata["secret"] == looks_secret, field.name


def test_a_secret_does_not_show_when_settings_are_printed() -> None:
    assert "tell-no-one" not in repr(Settings(model_api_key="tell-no-one"))


def test_whatever_names_a_folder_is_expanded_as_a_path() -> None:
    for field in FIELDS:
        assert field.metadata["path"] == (re.search(r"_dirs?$", field.name) is not None), field.name


def test_settings_cannot_be_changed_once_made() -> None:
    with pytest.raises(AttributeError):
        Settings().top_k = 5  # type: ignore[misc]


def test_a_variable_is_the_setting_in_capitals_with_the_prefix() -> None:
    assert variable_of("top_k") == "SKILLCADDY_TOP_K"
