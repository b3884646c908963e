"""How often a model searches when it should, and when it should not, for each version of the tool's description.

    python bench/trigger.py                                           without a model: INCONCLUSIVE
    python bench/trigger.py --base-url URL --model NAME [--key-env VAR] [--language zh] [--record FILE]
    python bench/trigger.py --replay FILE                             a recorded run again, exactly
    python bench/trigger.py ... --description FILE [--description FILE]     other wordings, beside the one in use

Each prompt is one request with skill_search, skill_open and a few everyday tools; what counts is whether the first
answer calls skill_search. Prompts about in-house conventions are those that a model answers with "I don't know" when
the description fails; unrelated ones are what a description that is too eager costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from report import print_table
from skillcaddy.deadline import Deadline
from skillcaddy.endpoint import EndpointModel
from skillcaddy.exchange import ExchangeError
from skillcaddy.guidance import SEARCH_TOOL, tool_schemas

PROMPTS: dict[str, tuple[str, ...]] = {
    "in-house convention": (
        "How do we name our release branches?",
        "Write the weekly status mail the way we do it here.",
        "Which template do we use for incident reports?",
        "Put this table into our house style.",
        "What has to be in a handover note in our team?",
        "Format this changelog entry like all the others we have.",
        "我们的周报模板是什么？请按它写一份。",
        "按照公司的规范给这个接口命名。",
    ),
    "procedure": (
        "Fill in the fields of this PDF form from the spreadsheet and save a flattened copy.",
        "Turn these forty Markdown files into one EPUB with a table of contents.",
        "Move this service from Jenkins to GitHub Actions, with caching and a matrix of versions.",
        "Prepare the quarterly board deck from the three CSV files.",
        "Check this Terraform plan for changes that would lose data.",
        "Transcribe the interview and mark who speaks when.",
        "把这份扫描的合同转换成可编辑的 Word 文档。",
        "给这个数据库做一次不停机的迁移。",
    ),
    "unrelated": (
        "Good morning!",
        "Thanks, that is all.",
        "What is 17 times 23?",
        "What is the capital of Mongolia?",
        "Tell me a short joke about cats.",
        "Yes, please go on.",
        "谢谢，辛苦了！",
        "法国的首都是哪里？",
    ),
}
SYSTEM = "You are a helpful assistant. You can answer directly or call the tools that you are given."
_SECONDS = 120.0


def _tool(name: str, description: str, **properties: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
        "required": list(properties),
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


EVERYDAY_TOOLS = (
    _tool("read_file", "Read a text file of the workspace.", path="Its path."),
    _tool("write_file", "Write a text file of the workspace.", path="Its path.", content="Its new content."),
    _tool("run_command", "Run a shell command in the workspace and return its output.", command="The command."),
)

Ask = Callable[[Mapping[str, Any]], dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 0 also when nothing could be measured, 2 for arguments that do not fit."""
    given = _parser().parse_args(arguments)
    try:
        descriptions = _descriptions(given)
        asked = _ask(given)
    except (OSError, ValueError) as error:
        print(f"bench/trigger.py: {error}", file=sys.stderr)
        return 2
    if asked is None:
        print("INCONCLUSIVE: no model was given, and whether a model searches is the model's doing.")
        print("Name one with --base-url and --model, or a recorded run with --replay.")
        return 0
    name, ask = asked
    rows = [_measured(label, text, given.language, name, ask) for label, text in descriptions.items()]
    if given.json:
        print(json.dumps({"model": name, "versions": rows}, indent=1, ensure_ascii=False))
    else:
        print_table(
            f"share of prompts on which {name} calls {SEARCH_TOOL}",
            ("description", *PROMPTS, "no answer"),
            [(row["description"], *(row[kind] for kind in PROMPTS), row["failed"]) for row in rows],
        )
    lost = sum(row["failed"] for row in rows)
    if lost:
        print(f"INCONCLUSIVE in part: {lost} requests got no answer.", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Whether a model calls skill_search when it should.")
    parser.add_argument(
        "--base-url", default="", help="an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1"
    )
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--key-env", default="", help="the environment variable that holds its key")
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="of the description in use")
    parser.add_argument("--description", type=Path, action="append", default=[], help="a file with another description")
    parser.add_argument("--record", type=Path, help="write the answers to this file")
    parser.add_argument("--replay", type=Path, help="take the answers from this file instead of a model")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _descriptions(given: argparse.Namespace) -> dict[str, str]:
    """The descriptions to compare, each under a name that changes with its text."""
    texts = {f"in use ({given.language})": tool_schemas(given.language)[0].description}
    texts |= {path.name: path.read_text(encoding="utf-8").strip() for path in given.description}
    return {f"{label} {hashlib.sha256(text.encode()).hexdigest()[:8]}": text for label, text in texts.items()}


def _ask(given: argparse.Namespace) -> tuple[str, Ask] | None:
    if given.replay is not None:
        return _replayed(given.replay)
    if not given.base_url and not given.model:
        return None
    if not given.base_url or not given.model:
        raise ValueError("a model is named by --base-url and --model together")
    key = os.environ.get(given.key_env, "") if given.key_env else ""
    if given.key_env and not key:
        raise ValueError(f"--key-env names {given.key_env}, which is not set")
    model = EndpointModel(given.base_url, given.model, key=key)
    if given.record is not None:
        given.record.write_text("", encoding="utf-8")

    def ask(body: Mapping[str, Any]) -> dict[str, Any]:
        answer = model.post({"model": given.model, **body}, Deadline.after(_SECONDS))
        if given.record is not None:
            row = {"name": given.model, "asked": _digest(body), "message": _message(answer)}
            with given.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return _message(answer)

    return given.model, ask


def _replayed(path: Path) -> tuple[str, Ask]:
    kept = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    if not kept or not all({"name", "asked", "message"} <= row.keys() for row in kept):
        raise ValueError(f"{path} is no recording of this program")
    answers = {row["asked"]: row["message"] for row in kept}

    def ask(body: Mapping[str, Any]) -> dict[str, Any]:
        digest = _digest(body)
        if digest not in answers:
            raise ValueError(f"{path} lacks an answer: it was recorded with another description, prompt or tool")
        return dict(answers[digest])

    return kept[0]["name"], ask


def _measured(label: str, description: str, language: Any, name: str, ask: Ask) -> dict[str, Any]:
    tools = [_as_function(tool.name, tool.description, tool.parameters) for tool in tool_schemas(language)]
    tools[0]["function"]["description"] = description
    row: dict[str, Any] = {"description": label, "failed": 0}
    for kind, prompts in PROMPTS.items():
        called = answered = 0
        for prompt in prompts:
            body = {
                "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}],
                "tools": [*EVERYDAY_TOOLS, *tools],
                "temperature": 0,
                "max_tokens": 512,
            }
            try:
                message = ask(body)
            except ExchangeError as error:
                print(f"{name}: {error}", file=sys.stderr)
                row["failed"] += 1
                continue
            answered += 1
            called += _calls_search(message)
        row[kind] = round(called / answered, 3) if answered else None
    return row


def _as_function(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": dict(parameters)}}


def _calls_search(message: Mapping[str, Any]) -> bool:
    calls = message.get("tool_calls")
    named = [call.get("function", {}).get("name") for call in calls] if isinstance(calls, list) else []
    return SEARCH_TOOL in named


def _message(answer: Mapping[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    message = choices[0].get("message") if isinstance(choices, list) and choices else None
    return dict(message) if isinstance(message, dict) else {}


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:24]


if __name__ == "__main__":
    sys.exit(main())
