"""Lay the labelled skills out as a tree of real SKILL.md files.

    python bench/expand.py --data DIR --out DIR --size 1000|10000|all [--seed 0] [--queries FILE.jsonl]
    python bench/expand.py --slice --out DIR

The other bench commands import `load`, `load_queries`, `load_negatives`, `expand` and `write_eval` from here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelled import (
    SLICE,
    QueryRow,
    SkillRow,
    default_data,
    load,
    load_everyday,
    load_negatives,
    load_queries,
)

__all__ = [
    "SLICE",
    "QueryRow",
    "SkillRow",
    "default_data",
    "eval_row",
    "expand",
    "folder_of",
    "id_of",
    "load",
    "load_everyday",
    "load_negatives",
    "load_queries",
    "skill_text",
    "write_eval",
]

STAMP = ".expanded"
"""Marks a tree as ours and holds the digest of its rows: an unchanged tree is reused, a foreign one never touched."""


def folder_of(skill_id: str) -> str:
    """The folder name for a skill id, unique also where a file system ignores case; `id_of` reads it back.

    `owner/Repo:a b/SKILL.md` becomes `owner+!repo@a=20b`: `/` is `+`, `:` is `@`, a capital is `!` and its small
    letter, anything unusual `=` and its byte in hexadecimal. The last `SKILL.md` goes without saying.
    """
    short = re.sub(r"(?:/|(?<=:))SKILL\.md$", "", skill_id)
    return "".join(map(_letter, short))


def id_of(folder: str) -> str:
    """The skill id that `folder_of` made this folder name from."""
    marked = re.sub("!(.)", lambda match: match[1].upper(), folder).replace("+", "/").replace("@", ":")
    raw = re.sub(rb"=([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode("ascii")), marked.encode("ascii"))
    short = raw.decode("utf-8")
    if re.search(r"[/:]skill\.md$", short, re.IGNORECASE):
        return short
    return short + ("SKILL.md" if short.endswith(":") else "/SKILL.md")


def skill_text(row: SkillRow) -> str:
    """The SKILL.md: front matter that strict YAML accepts, quoted only where an author would have to, then the body."""
    fields = {"name": row.name, "description": row.description, "license": row.licence}
    front = "".join(f"{key}: {_scalar(value)}\n" for key, value in fields.items())
    return f"---\n{front}---\n\n{row.body.strip()}\n"


def expand(rows: Iterable[SkillRow], out: Path) -> dict[str, str]:
    """Write one folder with a SKILL.md per row and `ids.json` (folder to id); returns id to folder name.

    A tree that already holds exactly these rows is left alone; an older one of ours is replaced. Raises FileExistsError
    for a folder that has other things in it.
    """
    rows = sorted(rows, key=lambda row: row.id)
    folders = {row.id: folder_of(row.id) for row in rows}
    texts = {folders[row.id]: skill_text(row) for row in rows}
    digest = hashlib.sha256(json.dumps(texts).encode("ascii")).hexdigest()
    stamp = out / STAMP
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest:
        return folders
    if out.exists() and any(out.iterdir()):
        if not (out / "ids.json").is_file():
            raise FileExistsError(f"{out} has files that expand.py did not write; give a new or an empty folder")
        _clear(out)
    out.mkdir(parents=True, exist_ok=True)
    ids = {folder: skill_id for skill_id, folder in folders.items()}
    (out / "ids.json").write_text(json.dumps(ids, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    for folder, text in texts.items():
        (out / folder).mkdir()
        (out / folder / "SKILL.md").write_bytes(text.encode("utf-8"))
    # Last, so that a run that was cut short is done again.
    stamp.write_text(digest, encoding="ascii")
    return folders


def eval_row(row: QueryRow, folders: Mapping[str, str]) -> dict[str, Any]:
    """The row of a `skillcaddy eval` file: ids become folder paths, copies become a list any of which counts.

    Raises KeyError for a right answer of which nothing is in the tree: the figures would be wrong without a word.
    """
    relevant: list[str | list[str]] = []
    for entry in row.relevant:
        present = [folders[skill_id] for skill_id in entry if skill_id in folders]
        if not present:
            raise KeyError(f"{entry[0]} answers {row.query[:60]!r} but is not in the tree; expand what load() returns")
        relevant.append(present[0] if len(present) == 1 else present)
    made: dict[str, Any] = {"query": row.query, "relevant": relevant}
    if forbidden := [folders[skill_id] for skill_id in row.forbidden if skill_id in folders]:
        made["forbidden"] = forbidden
    return made | {"lang": row.lang, "source": row.source}


def write_eval(queries: Iterable[QueryRow], folders: Mapping[str, str], path: Path) -> int:
    """Write a queries file for `skillcaddy eval` over the expanded tree; returns the number of rows."""
    lines = [json.dumps(eval_row(row, folders), ensure_ascii=False) for row in queries]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return len(lines)


def _clear(out: Path) -> None:
    """Remove what an earlier run wrote and nothing else: its folders are listed in ids.json."""
    (out / STAMP).unlink(missing_ok=True)
    for folder, skill_id in json.loads((out / "ids.json").read_text(encoding="utf-8")).items():
        if folder == folder_of(skill_id):
            shutil.rmtree(out / folder, ignore_errors=True)


def _letter(letter: str) -> str:
    if letter in "/:":
        return "+" if letter == "/" else "@"
    if letter.isascii() and (letter.isalnum() or letter in "._-"):
        return "!" + letter.lower() if letter.isupper() else letter
    return "".join(f"={byte:02x}" for byte in letter.encode("utf-8"))


_ODD = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff"
_LINE = re.compile(f"[^{_ODD}]*")
_PLAIN = re.compile(rf"""(?!.*(?:: | \#|:$|\s$))[^\s\-?:,\[\]{{}}#&*!|>'"%@`=~\d.+{_ODD}][^{_ODD}]*""")
"""What needs no quotes in YAML, a little too narrowly: nothing that could start a number, a node or an indicator."""
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    lines = text.split("\n")
    if len(lines) > 1 and lines[0][:1].strip() and lines[-1].strip() and all(map(_LINE.fullmatch, lines)):
        return "|-\n" + "\n".join("  " + line if line else "" for line in lines)
    quoted = json.dumps(text, ensure_ascii=False)
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ufeff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Expand as the command line says; prints what was written, returns the exit code."""
    parser = argparse.ArgumentParser(description="Lay the labelled skills out as a tree of SKILL.md files.")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--data", type=Path, help="folder of the data (default: the full sets beside the checkout)")
    source.add_argument("--slice", action="store_true", help="take the slice that the tests carry")
    parser.add_argument("--out", type=Path, required=True, help="the tree: new, empty, or written by this command")
    parser.add_argument("--size", default="all", help="how many skills, or all (the default)")
    parser.add_argument("--seed", type=int, default=0, help="which others join the labelled skills (default 0)")
    parser.add_argument("--queries", type=Path, help="also write the queries here, for `skillcaddy eval`")
    given = parser.parse_args(arguments)
    if given.size != "all" and not (given.size.isdecimal() and int(given.size) > 0):
        parser.error(f"--size is {given.size!r}; expected a positive number or all")
    data: Path = SLICE if given.slice else given.data or default_data()
    try:
        rows = load(data, None if given.size == "all" else int(given.size), given.seed)
        folders = expand(rows, given.out)
    except (OSError, ValueError) as problem:
        print(f"expand: {problem}", file=sys.stderr)
        return 1
    print(f"{len(folders)} skills of {data} in {given.out}")
    if given.queries:
        count = write_eval([*load_queries(data), *load_negatives(data)], folders, given.queries)
        print(f"{count} queries in {given.queries}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
