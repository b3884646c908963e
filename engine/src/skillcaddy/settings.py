"""The one home of every setting: a frozen dataclass that hot paths can read without pydantic.

Manifests, the config file's checker, the environment reader and `skillcaddy config` are all derived from its fields;
`skillcaddy.validation` turns it into the strict pydantic model that judges values.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal

Mode = Literal["on_demand", "auto"]
Switch = Literal["auto", "on", "off"]
Language = Literal["en", "zh"]

ENV_PREFIX = "SKILLCADDY_"
OFF = "off"
"""The word that switches off, in a variable, whatever can be off."""


def setting(
    default: Any,
    help: str,  # noqa: A002 - the field's own word, as in argparse
    *,
    ge: float | None = None,
    le: float | None = None,
    secret: bool = False,
    path: bool = False,
    cautious: Any = None,
) -> Any:
    """A settings field: its default, its sentence for people, its inclusive bounds, whether it is secret or a path.

    `cautious` stands in for the default while a configuration that may say otherwise cannot be read: give it to a
    setting whose default reaches the network.
    """
    metadata = {"help": help, "ge": ge, "le": le, "secret": secret, "path": path, "cautious": cautious}
    return field(default=default, metadata=metadata, repr=not secret)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything a deployment may set. A host's adapter may narrow a field, never add a meaning to it."""

    # What is searched
    skills_dirs: tuple[str, ...] = setting(
        (), "Folders with SKILL.md skills; the first one shadows later ones.", path=True
    )
    shared_library: Literal["on", "off"] = setting("on", "Also search the library shared by all hosts of this user.")
    weight_local: float = setting(1.0, "Weight of the local library when sources are fused.", ge=0.0, le=10.0)
    fusion_k: int = setting(
        10, "Damping of reciprocal rank fusion; small values let good ranks count more.", ge=1, le=200
    )

    # How it reaches the agent
    mode: Mode = setting("on_demand", "on_demand offers tools to the agent; auto searches each user turn and injects.")
    top_k: int = setting(2, "Skills delivered with their bodies.", ge=1, le=10)
    catalog_size: int = setting(8, "Further skills named without their bodies in a tool's answer.", ge=0, le=50)
    max_chars: int = setting(9000, "Characters one delivery may have in all.", ge=500, le=200_000)
    max_body_chars: int = setting(
        6000, "Characters of one skill's body; the rest is had with skill_open.", ge=200, le=200_000
    )
    language: Language = setting("en", "Language of the texts that frame skills for the model.")
    relevance: Literal["on", "off"] = setting(
        "on", "The floor that keeps unrelated skills out; off delivers the best whatever it is."
    )
    resolve_refs: Literal["on", "off"] = setting(
        "on", "Make relative paths in a body absolute where the files are on disk."
    )

    # Limits
    deadline_auto_s: float = setting(6.0, "Seconds an automatic retrieval may take in all.", ge=0.1, le=60.0)
    deadline_tool_s: float = setting(20.0, "Seconds a tool call may take in all.", ge=0.1, le=120.0)
    max_query_chars: int = setting(4000, "Characters of a message that are searched.", ge=100, le=100_000)

    # The model for rewriting and gating
    rewrite: Switch = setting(
        "auto", "Let a model sharpen the query: auto does so in auto mode when a model is at hand."
    )
    gate: Switch = setting(
        "auto", "Let a model judge candidates: auto does so in auto mode, and wherever an unvetted source is on."
    )
    gate_pool: int = setting(8, "Candidates the gate is shown.", ge=1, le=30)
    model_source: Literal["auto", "host", "endpoint", "off"] = setting(
        "auto", "Which model serves: the host's own, the endpoint below, or none; auto takes the first at hand."
    )
    model_base_url: str = setting("", "Base URL of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1.")
    model_name: str = setting("", "Name of the model at that endpoint.")
    model_api_key: str = setting(
        "",
        "Key for that endpoint, or keyring:NAME for one in the system's keyring; better given by model_api_key_env.",
        secret=True,
    )
    model_api_key_env: str = setting("", "Name of the environment variable that holds the key.")
    model_tokens_per_session: int = setting(
        200_000, "Tokens the model steps may use in one session; 0 means no limit.", ge=0, le=100_000_000
    )

    # What is written down
    decision_log: Literal["off", "ids", "content"] = setting(
        "ids", "One record per retrieval: none, ids and reasons, or the (redacted) query too."
    )
    state_dir: str = setting(
        "", "Folder for the index, the decision log and locks; empty means the user's cache folder.", path=True
    )


def setting_fields(settings: type[Settings] = Settings) -> tuple[Field[Any], ...]:
    """The fields of a settings class in their order, each with `metadata` help, ge, le and secret."""
    return fields(settings)


def variable_of(key: str) -> str:
    """The environment variable of a setting."""
    return ENV_PREFIX + key.upper()
