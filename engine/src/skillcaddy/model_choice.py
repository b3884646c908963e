"""Which model serves the rewriter and the gate: decided here and nowhere else.

What leaves the machine for it: up to 2,000 characters of the message, three earlier ones of up to 300, the names of the
agent's tools and of held skills, and of each candidate its name, description, tags and first 300 characters. With the
host's own model, it goes where the host sends its conversations; with an endpoint, to `model_base_url` alone,
with what looks like a secret or a person's address masked; with none, nowhere. `model_source = "off"` is the switch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, NamedTuple

from skillcaddy.models import ChatModel
from skillcaddy.settings import Settings


class ModelChoice(NamedTuple):
    """The model that serves, whose it is, and a sentence for a status line."""

    model: ChatModel | None
    kind: Literal["host", "endpoint", "none"]
    why: str


def choose_model(
    settings: Settings, host_model: ChatModel | None = None, *, environ: Mapping[str, str] | None = None
) -> ChatModel | None:
    """What every host and command passes to `Engine(model=...)`: the host's own model, else the endpoint, else None.

    Does no I/O and raises nothing; `model_choice` says why it is this one.
    """
    return model_choice(settings, host_model, environ=environ).model


def model_choice(
    settings: Settings, host_model: ChatModel | None = None, *, environ: Mapping[str, str] | None = None
) -> ModelChoice:
    """The same with its reason: what status lines print. No key is ever in it."""
    source = settings.model_source
    if source == "off":
        return ModelChoice(None, "none", "No model serves: model_source is off.")
    if source in ("auto", "host") and host_model is not None:
        return ModelChoice(host_model, "host", f"The host's own model serves ({host_model.name}).")
    if source == "host":
        return ModelChoice(None, "none", "No model serves: model_source is host, and this host offers none.")
    if not settings.model_base_url.strip() or not settings.model_name.strip():
        missing = "model_base_url" if not settings.model_base_url.strip() else "model_name"
        if source == "endpoint" or settings.model_base_url.strip() or settings.model_name.strip():
            return ModelChoice(None, "none", f"No model serves: {missing} is not set.")
        return ModelChoice(None, "none", "No model serves: this host offers none, and no endpoint is set.")
    return _endpoint(settings, os.environ if environ is None else environ)


def _endpoint(settings: Settings, environ: Mapping[str, str]) -> ModelChoice:
    from skillcaddy.endpoint import EndpointModel  # late: most deployments have no endpoint

    key, without = settings.model_api_key.strip(), ""
    if not key and settings.model_api_key_env.strip():
        variable = settings.model_api_key_env.strip()
        key = environ.get(variable, "").strip()
        without = "" if key else f" No key is sent: model_api_key_env names {variable}, which is not set."
    name = settings.model_name.strip()
    try:
        model = EndpointModel(settings.model_base_url, name, key=key)
    except ValueError as error:
        return ModelChoice(None, "none", f"No model serves: model_base_url is of no use ({error}).")
    return ModelChoice(model, "endpoint", f"The endpoint's model {name} serves.{without}")
