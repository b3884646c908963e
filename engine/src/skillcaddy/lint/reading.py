"""What the linter needs to know of each file, read in as many processes as are allowed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillcaddy.library import decode
from skillcaddy.library.manifest import Located
from skillcaddy.library.read import MAX_BYTES, read_skill
from skillcaddy.lint.near import Sketch, digest, sketch
from skillcaddy.lint.triggers import says_when, stated_triggers
from skillcaddy.reasons import Reason

_CHUNK = 128
_WORKERS_PAY_ABOVE = 1500
_HEAD_CHARS = 20_000
_NAME = re.compile(r"(?im)^[\"']?name[\"']?[ \t]*[:：][ \t]*(?![\"']{2}|null\b|~)\S")
_DESCRIPTION = re.compile(
    r"(?im)^[\"']?description[\"']?[ \t]*[:：][ \t]*(?:(?![\"']{2}[ \t]*$|null[ \t]*$|~[ \t]*$)\S|\n[ \t]+\S)"
)


class Facts(NamedTuple):
    """One SKILL.md as the rules see it."""

    path: str
    root: int
    folder: str
    id: str
    """"" for a file that is no skill."""
    name: str
    description: str
    has_name: bool
    """Whether the front matter itself gives a name."""
    has_description: bool
    problem: Reason | None
    detail: str
    has_body: bool
    digest: str
    sketch: Sketch
    triggers: tuple[str, ...]
    says_when: bool


def read_all(
    files: Sequence[Located], roots: tuple[str, ...], workers: int, progress: Callable[[int, int], None] | None
) -> list[Facts]:
    """The facts of all files, in their order; never raises for a file's fault."""
    found: list[Facts] = []
    for chunk in _chunks(files, roots, workers):
        found += chunk
        if progress is not None:
            progress(len(found), len(files))
    return found


def facts_of(located: Located, roots: tuple[str, ...]) -> Facts:
    """The facts of one file."""
    path, root = located.file.path, roots[located.root]
    data = _beginning(path)
    file = read_skill(path, root) if data is None else read_skill(path, root, data=data)
    skill = file.skill
    if skill is None:
        return Facts(
            path=path,
            root=located.root,
            folder=located.file.folder,
            id="",
            name="",
            description="",
            has_name=False,
            has_description=False,
            problem=file.problem,
            detail=file.detail,
            has_body=False,
            digest="",
            sketch=(),
            triggers=(),
            says_when=False,
        )
    head = _head(data, skill.body)
    return Facts(
        path=path,
        root=located.root,
        folder=skill.folder,
        id=skill.id,
        name=skill.name,
        description=skill.description,
        has_name=_NAME.search(head) is not None,
        has_description=_DESCRIPTION.search(head) is not None,
        problem=file.problem,
        detail=file.detail,
        has_body=bool(skill.body.strip()),
        digest=digest(skill.body),
        sketch=sketch(skill.body),
        triggers=stated_triggers(skill.description),
        says_when=says_when(skill.description),
    )


def _beginning(path: str) -> bytes | None:
    """The file's bytes; None for one that is too long or cannot be had, which the reader then judges by itself."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except (OSError, ValueError):
        return None


def _head(data: bytes | None, body: str) -> str:
    """The file's text before its body."""
    text = decode.text_of(data, whole=True) if data is not None else None
    if text is None:
        return "name: x\ndescription: x"  # not to be judged
    text = text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").rstrip()
    body = body.rstrip()
    return text[: len(text) - len(body)][:_HEAD_CHARS] if body and text.endswith(body) else text[:_HEAD_CHARS]


def _chunks(files: Sequence[Located], roots: tuple[str, ...], workers: int) -> Iterator[list[Facts]]:
    chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
    if workers < 2 or len(files) < _WORKERS_PAY_ABOVE:
        for chunk in chunks:
            yield _chunk(chunk, roots)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Spawned, not forked: a fork of a process with threads (tantivy has some) may hang.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_chunk, chunks, [roots] * len(chunks))


def _chunk(files: Sequence[Located], roots: tuple[str, ...]) -> list[Facts]:
    return [facts_of(located, roots) for located in files]
