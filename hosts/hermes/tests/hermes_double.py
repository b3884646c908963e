"""A double of the parts of Hermes that the adapter touches, as modules for `sys.modules`."""

from __future__ import annotations

import sys
import types
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any


class MemoryProvider(ABC):
    """The host's base class, as far as it is abstract."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def is_available(self) -> bool: ...

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None: ...

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]: ...

    def system_prompt_block(self) -> str:
        return ""


class Llm:
    """`ctx.llm`: keeps what it was asked."""

    def __init__(self, text: str = "yes") -> None:
        self.text = text
        self.asked: list[dict[str, Any]] = []

    def complete(self, messages: list[dict[str, Any]], **how: Any) -> Any:
        self.asked.append({"messages": messages, **how})
        usage = types.SimpleNamespace(input_tokens=12, output_tokens=0)
        return types.SimpleNamespace(text=self.text, model="the-users-model", usage=usage)


class Context:
    """What an ordinary plugin's `register` is given."""

    def __init__(self) -> None:
        self.llm = Llm()
        self.tools: dict[str, dict[str, Any]] = {}
        self.hooks: dict[str, Any] = {}

    def register_tool(self, *, name: str, **more: Any) -> None:
        assert name not in self.tools
        self.tools[name] = more

    def register_hook(self, name: str, callback: Any) -> None:
        self.hooks[name] = callback

    def turn(self, message: Any, history: Any = (), **more: Any) -> str:
        """What the hook adds to a turn; "" for nothing."""
        about = {"session_id": "s1", "platform": "cli", "task_id": "", "turn_id": "", "model": "m", **more}
        added = self.hooks["pre_llm_call"](user_message=message, conversation_history=list(history), **about)
        return "" if added is None else str(added["context"])


class Collector:
    """What a memory provider's `register` is given."""

    provider: Any = None

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider

    def register_tool(self, *_: Any, **__: Any) -> None:
        raise AssertionError("the host ignores tools that are registered here")


class Host:
    """The host's state that tests set: configuration, tools, where it lives."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.config: dict[str, Any] = {}
        self.tools: list[str] = []
        self.deferred: set[str] = set()
        self.disabled: set[str] = set()
        self.providers: set[str] = {"holographic"}
        self.external: list[Path] = []

    def skill(self, name: str, description: str, body: str, extra: str = "", *, under: str = "skills") -> Path:
        """Put a skill into the host's library."""
        path = self.home / under / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: {description}\n{extra}---\n{body}\n"
        path.write_text(text, encoding="utf-8")
        return path

    def modules(self) -> dict[str, types.ModuleType]:
        """The host's modules, in front of whatever is installed."""

        def assemble(definitions: list[Any], **_: Any) -> Any:
            shown = [each for each in definitions if each["function"]["name"] not in self.deferred]
            return types.SimpleNamespace(tool_defs=shown)

        def matches(platforms: list[str]) -> bool:
            current = {"linux": "linux", "darwin": "macos", "win32": "windows"}[sys.platform]
            return current in platforms

        skill_marker = "[skill] "
        contents: dict[str, dict[str, Any]] = {
            "hermes_constants": {"get_hermes_home": lambda: self.home},
            "hermes_cli": {},
            "hermes_cli.config": {"load_config": lambda: self.config},
            "agent": {},
            "agent.memory_provider": {"MemoryProvider": MemoryProvider},
            "agent.plugin_llm": {"PluginLlm": lambda plugin_id: Llm()},
            "agent.skill_commands": {
                "extract_user_instruction_from_skill_message": lambda text: (
                    text.removeprefix(skill_marker).partition("|")[2] or None if text.startswith(skill_marker) else text
                )
            },
            "agent.skill_utils": {
                "get_external_skills_dirs": lambda: self.external,
                "get_disabled_skill_names": lambda: self.disabled,
                "skill_matches_platform_list": matches,
                "skill_matches_environment": lambda front: "docker" in front["environments"],
            },
            "plugins": {},
            "plugins.memory": {
                "find_provider_dir": lambda name: self.home / "plugins" / name if name in self.providers else None
            },
            "model_tools": {"_last_resolved_tool_names": self.tools, "_resolve_active_context_length": lambda: 1000},
            "tools": {},
            "tools.registry": {
                "registry": types.SimpleNamespace(
                    get_toolset_for_tool=lambda name: {"read_file": "file"}.get(name),
                    get_definitions=lambda names, quiet: [{"function": {"name": name}} for name in sorted(names)],
                )
            },
            "tools.tool_search": {"assemble_tool_defs": assemble, "load_config": lambda: None},
        }
        made = {}
        for name, members in contents.items():
            module = types.ModuleType(name)
            vars(module).update(members)
            made[name] = module
        return made
