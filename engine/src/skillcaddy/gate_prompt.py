"""What the gate's model reads: the question, what is known of the agent, and the candidates as quoted data."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from skillcaddy.guidance.judging import Judging, judging
from skillcaddy.models import Message
from skillcaddy.quoting import field, one_line, quoted
from skillcaddy.request import Request
from skillcaddy.settings import Language
from skillcaddy.skill import Hit, Skill

_MESSAGE_CHARS = 2000
_DESCRIPTION_CHARS = 400
_EXCERPT_CHARS = 300
_MOST_TOOLS = 80
_MOST_HELD = 12
_PLATFORMS = {"darwin": "macOS", "win32": "Windows", "linux": "Linux"}
_PLATFORM_KEYS = ("platforms", "platform", "os", "metadata.platforms", "metadata.os")
_NEED_KEYS = ("allowed-tools", "tools", "requires", "requires_tools", "requires_toolsets", "compatibility")
_FENCE_LANGUAGE = re.compile(r"^\s*(?:```|~~~)([A-Za-z][\w+#-]{0,20})", re.MULTILINE)
_STEERS = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|rules|others?|candidates?|above|previous)\b"
    r"|\b(?:select|choose|pick|rank|return|output|include)\b.{0,40}\b(?:this skill|me first|only this|my id)\b"
    r"|[\"']ids[\"']\s*:|\bsystem prompt\b"
    r"|\byou (?:must|have to|shall) (?:always )?(?:select|choose|pick|answer with|return)\b"
    r"|(?:忽略|无视).{0,20}(?:指令|规则|以上|其他)|(?:必须|只|务必)(?:选择|选中|返回)",
    re.IGNORECASE | re.DOTALL,
)


def ids_for(message: str, hits: Sequence[Hit]) -> dict[str, str]:
    """A short id for each skill's id, the same for the same message.

    No author can know it, so no skill's text can name itself or another; and it is quick to write and hard to misspell.
    """
    ids: dict[str, str] = {}
    for hit in hits:
        text = f"{message}\0{hit.skill.id}"
        for salt in range(1000):
            digest = hashlib.sha256(f"{text}\0{salt}".encode("utf-8", "replace")).digest()
            short = "s" + base64.b32encode(digest).decode("ascii").lower()[:4]
            if short not in ids.values():
                ids[hit.skill.id] = short
                break
    return ids


def answer_schema(ids: Mapping[str, str], most: int) -> dict[str, Any]:
    """The answer as JSON Schema; without its bound a small model that is held to it repeats itself without an end."""
    entries = {"type": "string", "enum": list(ids.values())}
    return {
        "type": "object",
        "properties": {"ids": {"type": "array", "items": entries, "maxItems": most}},
        "required": ["ids"],
        "additionalProperties": False,
    }


def gate_messages(
    queries: Sequence[str],
    hits: Sequence[Hit],
    ids: Mapping[str, str],
    held: Sequence[Hit],
    request: Request,
    language: Language,
    most: int,
) -> list[Message]:
    """The conversation to complete; whatever strangers wrote stands inside elements that it can't close."""
    words = judging(language)
    parts = [quoted(_cut(queries[-1]), words.gate_message)]
    if len(queries) > 1:
        parts.append(words.gate_searched.format(query=field(queries[0], 300)))
    parts.append("\n".join(_circumstances(words, hits, held, request)))
    parts += [_candidate(words, hit.skill, ids[hit.skill.id], language) for hit in hits]
    parts.append(words.gate_end.format(most=most))
    return [
        Message(role="system", content=words.gate_system.format(most=most)),
        Message(role="user", content="\n\n".join(parts)),
    ]


def _circumstances(words: Judging, hits: Sequence[Hit], held: Sequence[Hit], request: Request) -> list[str]:
    if request.tools is None:
        lines = [words.gate_tools_unknown]
    elif not request.tools:
        lines = [words.gate_tools_none]
    else:
        names = [field(name, 60) for name in sorted(request.tools)]
        more = [f"… (+{len(names) - _MOST_TOOLS})"] if len(names) > _MOST_TOOLS else []
        lines = [words.gate_tools.format(tools=", ".join(names[:_MOST_TOOLS] + more))]
    if any(_first(hit.skill, _PLATFORM_KEYS) for hit in hits):
        platform = _PLATFORMS.get(sys.platform, sys.platform)
        lines.append(words.gate_platform.format(platform=platform))
    if held:
        names = [field(hit.skill.name, 60) for hit in held[:_MOST_HELD]]
        lines.append(words.gate_held.format(names=", ".join(names)))
    return lines


def _candidate(words: Judging, skill: Skill, short: str, language: Language) -> str:
    """One skill with what can be known of it without following it."""
    body = _without_folder(skill.body or skill.excerpt, skill.directory)
    facts = words.gate_facts.format(trust=_trust(skill, language), source=field(skill.source, 40), length=len(body))
    lines = [f"name: {field(skill.name, 80)}", f"description: {one_line(skill.description, _DESCRIPTION_CHARS)}"]
    if skill.tags:
        lines.append("tags: " + ", ".join(field(tag, 40) for tag in skill.tags[:10]))
    lines.append(" | ".join([facts, *_signals(skill, body)]))
    excerpt = one_line(body, _EXCERPT_CHARS)
    if excerpt:
        lines.append(f"begins: {excerpt}")
    return quoted("\n".join(lines), short)


def _signals(skill: Skill, body: str) -> list[str]:
    """What can be told from the text without a model, each as `word: value`."""
    found = []
    for word, keys in (("platforms", _PLATFORM_KEYS), ("needs", _NEED_KEYS)):
        value = _first(skill, keys)
        if value:
            found.append(f"{word}: {field(value, 100)}")
    languages = list(dict.fromkeys(name.lower() for name in _FENCE_LANGUAGE.findall(body)))
    if languages:
        found.append(f"code: {', '.join(languages[:4])}")
    if _STEERS.search(f"{skill.name} {skill.description} {body[:20_000]}"):
        found.append("caution: parts of its text give orders to whoever chooses")
    return found


def _first(skill: Skill, keys: Sequence[str]) -> str:
    return next((value for key in keys if (value := str(skill.meta.get(key, "")).strip())), "")


def _without_folder(body: str, directory: str) -> str:
    """The body with this machine's folder out of it: a model elsewhere has no use for a user's paths."""
    return body.replace(directory, ".") if directory and directory != "/" else body


def _trust(skill: Skill, language: Language) -> str:
    from skillcaddy.guidance import texts

    return str(getattr(texts(language), f"trust_{skill.trust.word}"))


def _cut(message: str) -> str:
    return message if len(message) <= _MESSAGE_CHARS else message[:_MESSAGE_CHARS] + "…"
