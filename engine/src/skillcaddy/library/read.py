"""One SKILL.md file made a `Skill`: read once, decoded somehow, never an exception."""

from __future__ import annotations

import os
import stat

from skillcaddy.frozen import dataclass
from skillcaddy.library import decode, frontmatter, origin
from skillcaddy.reasons import Reason
from skillcaddy.skill import Skill, Trust

MAX_BYTES = 1_048_576
"""What is read of a file; a longer one is used up to here."""


@dataclass(frozen=True, kw_only=True)
class SkillFile:
    """What came of reading one file."""

    skill: Skill | None
    """None only with the problem SKILL_UNREADABLE."""
    problem: Reason | None = None
    """SKILL_UNREADABLE, SKILL_MENDED, or None for a sound file."""
    detail: str = ""
    """One sentence on the problem, or on what was left out of a file that is too long; "" where all is well."""
    mended: bool = False
    """True when the front matter is not valid YAML and was read with the tolerant reader."""


def read_skill(path: str | os.PathLike[str], root: str | os.PathLike[str], *, data: bytes | None = None) -> SkillFile:
    """The skill in the file at `path`, its id made from its folder under `root`; never raises for a file's fault.

    With `data` (the file's bytes) the file itself is not opened. Trust and origin come from the marker that installing
    leaves beside the file or in a folder above it; without one the skill is the user's own.
    """
    path, root = os.path.abspath(path), os.path.abspath(root)
    size = 0
    if data is None:
        try:
            data, size = _bytes_of(path)
        except OSError as error:
            return _unreadable(f"It could not be opened: {error.strerror or error}.")
        except ValueError as error:
            return _unreadable(f"Its path cannot be opened: {error}.")
    size = max(size, len(data))
    text = decode.text_of(data[:MAX_BYTES], whole=size <= MAX_BYTES)
    if text is None:
        return _unreadable("It holds binary data, not text.")
    read = frontmatter.parse(text)
    skill = _skill(read, path, root)
    if read.mended:
        detail = "Its front matter is not valid YAML and was read line by line."
        return SkillFile(skill=skill, problem=Reason.SKILL_MENDED, detail=detail, mended=True)
    if size > MAX_BYTES:
        return SkillFile(skill=skill, detail=f"Only its first {MAX_BYTES:,} of {size:,} bytes are used.")
    return SkillFile(skill=skill)


def read_body(path: str) -> str:
    """The Markdown after a file's front matter, as `read_skill` has it; "" for a file that is no skill, or gone."""
    try:
        data, size = _bytes_of(path)
    except (OSError, ValueError):
        return ""
    text = decode.text_of(data[:MAX_BYTES], whole=size <= MAX_BYTES)
    return "" if text is None else frontmatter.parse(text).body


def _unreadable(detail: str) -> SkillFile:
    return SkillFile(skill=None, problem=Reason.SKILL_UNREADABLE, detail=detail)


def _bytes_of(path: str) -> tuple[bytes, int]:
    """The first bytes of a regular file and its full size; OSError for anything else."""
    # Without O_NONBLOCK a named pipe would hold the scan for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(None, "it is not a regular file")
        wanted = min(status.st_size, MAX_BYTES) + 1
        data = os.read(handle, wanted)
        while len(data) < min(status.st_size, MAX_BYTES) and (more := os.read(handle, wanted - len(data))):
            data += more
        return data, status.st_size
    finally:
        os.close(handle)


def _skill(read: frontmatter.FrontMatter, path: str, root: str) -> Skill:
    directory = os.path.dirname(path)
    folder = _folder(directory, root)
    holder = os.path.basename(directory if folder else root)
    fields = read.fields
    marker = origin.installed_origin(directory, root)
    meta = dict(fields)
    if marker is not None and marker.source:
        meta["installed_from"] = marker.source
    return Skill(
        id=f"local:{folder or _printable(holder)}",
        # A name is only ever text: no path is made from it, whatever slashes or dots it holds.
        name=_printable(read.name) or _printable(holder),
        description=_printable(read.description),
        source="local",
        trust=Trust.LOCAL if marker is None else marker.trust,
        origin="" if marker is None else marker.origin,
        tags=read.tags,
        body=read.body,
        directory=directory,
        path=path,
        folder=folder,
        licence=fields.get("license") or fields.get("licence") or fields.get("metadata.license", ""),
        version=fields.get("version") or fields.get("metadata.version", ""),
        meta=meta,
    )


def _folder(directory: str, root: str) -> str:
    """The folder under its root with forward slashes; its last name alone where it lies elsewhere; "" for the root."""
    if directory == root:
        return ""
    prefix = root if root.endswith(os.sep) else root + os.sep
    inside = directory[len(prefix) :] if directory.startswith(prefix) else os.path.basename(directory)
    return _printable(inside.replace(os.sep, "/"))


def _printable(text: str) -> str:
    """The text with what no UTF-8 file could hold (undecodable bytes of a path) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
