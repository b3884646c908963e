"""One place decides which model serves, does nothing but decide, and says why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from skillcaddy.deadline import Deadline
from skillcaddy.model_choice import choose_model, model_choice
from skillcaddy.models import Completion, Message
from skillcaddy.settings import Settings
from skillcaddy.standin import StandIn, say

ENDPOINT: dict[str, Any] = {"model_base_url": "http://127.0.0.1:9/v1", "model_name": "small-one"}


class Host:
    name = "host"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        raise AssertionError("choosing a model asks none")


HOST = Host()


@pytest.mark.parametrize(
    ("settings", "host", "name", "why"),
    [
        ({}, HOST, "host", "host's own"),
        (ENDPOINT, HOST, "host", "host's own"),
        (ENDPOINT, None, "endpoint:small-one", "small-one serves"),
        ({}, None, None, "no endpoint is set"),
        ({"model_base_url": "http://127.0.0.1:9/v1"}, None, None, "model_name is not set"),
        ({"model_name": "small-one"}, None, None, "model_base_url is not set"),
        ({**ENDPOINT, "model_base_url": "127.0.0.1:9"}, None, None, "of no use"),
        ({**ENDPOINT, "model_source": "endpoint"}, HOST, "endpoint:small-one", "small-one serves"),
        ({"model_source": "endpoint"}, HOST, None, "model_base_url is not set"),
        ({**ENDPOINT, "model_source": "host"}, HOST, "host", "host's own"),
        ({**ENDPOINT, "model_source": "host"}, None, None, "this host offers none"),
        ({**ENDPOINT, "model_source": "off"}, HOST, None, "model_source is off"),
    ],
)
def test_the_hosts_own_model_comes_first_then_the_endpoint_then_none(
    settings: dict[str, Any], host: Host | None, name: str | None, why: str
) -> None:
    """T113: the same rule on every host, so what leaves a machine can be said in one sentence."""
    made = Settings(**settings)
    choice = model_choice(made, host, environ={})
    assert (choice.model.name if choice.model else None) == name
    assert why in choice.why
    chosen = choose_model(made, host, environ={})
    assert (chosen.name if chosen else None) == name


def test_the_key_comes_from_the_variable_that_is_named_and_is_shown_nowhere() -> None:
    with StandIn([say("ja")]) as server:
        made = Settings(model_base_url=server.url, model_name="m", model_api_key_env="MY_KEY")
        choice = model_choice(made, environ={"MY_KEY": " sk-secret-42 "})
        assert choice.model is not None
        choice.model.complete([Message(role="user", content="?")], max_tokens=5, deadline=Deadline.after(5))
    assert "authorization" in server.requests[0].headers
    assert "sk-secret-42" not in repr((choice, vars(Settings(model_api_key="sk-secret-42")).keys(), made))


def test_a_named_variable_that_is_not_set_is_said() -> None:
    choice = model_choice(Settings(**ENDPOINT, model_api_key_env="MY_KEY"), environ={})
    assert choice.kind == "endpoint"
    assert "MY_KEY, which is not set" in choice.why


def test_a_key_in_the_settings_wins_over_the_variable_and_a_settings_repr_hides_it() -> None:
    made = Settings(**ENDPOINT, model_api_key="sk-secret-42", model_api_key_env="MY_KEY")
    assert "sk-secret-42" not in repr(made)
    assert "not set" not in model_choice(made, environ={}).why


def test_choosing_imports_nothing_heavy_and_opens_nothing() -> None:
    """T113: without a call nothing leaves the machine; a hook pays nothing for an endpoint that it does not use."""
    program = (
        "import sys\n"
        "from skillcaddy.model_choice import choose_model\n"
        "from skillcaddy.settings import Settings\n"
        f"model = choose_model(Settings(**{ENDPOINT!r}))\n"
        "heavy = ('http.client', 'ssl', 'socket', 'email', 'asyncio', 'pydantic', 'keyring', 'urllib.request')\n"
        "print(model.name, [name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, encoding="utf-8", check=True, timeout=60
    )
    assert done.stdout.strip() == "endpoint:small-one []"
