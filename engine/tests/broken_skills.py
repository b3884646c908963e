"""A library of broken SKILL.md files, and what the reader must make of each.

`write(root)` lays it out on disk. Readers, linter and index are all tested against this one tree.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

from skillcaddy.reasons import Reason

PLAIN = "---\nname: {name}\ndescription: {description}\n---\n\n# Title\n\nFirst step.\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """One file, what is wrong with it, and what a reader must still get out of it."""

    folder: str
    """Its folder under the root."""
    data: bytes
    name: str
    """"" where no skill comes of it."""
    description: str = ""
    file: str = "SKILL.md"
    problem: Reason | None = None
    body_has: str = ""
    """Text that the body holds, to show that it was not lost."""

    @property
    def survives(self) -> bool:
        """Whether a skill comes of it."""
        return self.problem is not Reason.SKILL_UNREADABLE


def _plain(name: str, description: str) -> str:
    return PLAIN.format(name=name, description=description)


def _mended(folder: str, front_matter: str, description: str, name: str = "") -> Broken:
    return Broken(
        folder=folder,
        data=f"---\n{front_matter}\n---\n\n# Title\n\nFirst step.\n".encode(),
        name=name or folder,
        description=description,
        problem=Reason.SKILL_MENDED,
        body_has="First step.",
    )


_BIG_BODY = "".join(f"{number}. Turn page {number} of the long manual.\n" for number in range(1, 40_000))

CASES: tuple[Broken, ...] = (
    # Front matter that YAML refuses
    _mended("colon", "name: colon\ndescription: Use when: the build breaks", "Use when: the build breaks"),
    _mended("stars", "name: stars\ndescription: **Bold** words first", "**Bold** words first"),
    _mended("braces", "name: braces\ndescription: {PRODUCT} release notes", "{PRODUCT} release notes"),
    _mended("quote", 'name: quote\ndescription: "Half" a quoted sentence', '"Half" a quoted sentence'),
    _mended("at-sign", "name: at-sign\ndescription: @mentions in chat", "@mentions in chat"),
    _mended("tab", "name: tab\ndescription: Sorts mail\nmetadata:\n\temoji: x", "Sorts mail"),
    _mended("runs-on", "name: runs-on\ndescription: Line one\nand line two", "Line one and line two"),
    _mended("full-width", "name：full-width\ndescription：整理会议纪要", "整理会议纪要"),
    # Encodings
    Broken(
        folder="bom",
        data=b"\xef\xbb\xbf" + _plain("bom", "Starts with a byte order mark").encode(),
        name="bom",
        description="Starts with a byte order mark",
        body_has="First step.",
    ),
    Broken(
        folder="utf-16-le",
        data=b"\xff\xfe" + _plain("utf-16-le", "Écrit en 日本語").encode("utf-16-le"),
        name="utf-16-le",
        description="Écrit en 日本語",
        body_has="First step.",
    ),
    Broken(
        folder="utf-16-be",
        data=b"\xfe\xff" + _plain("utf-16-be", "Big end first").encode("utf-16-be"),
        name="utf-16-be",
        description="Big end first",
        body_has="First step.",
    ),
    Broken(
        folder="utf-16-unmarked",
        data=_plain("utf-16-unmarked", "No mark at all").encode("utf-16-le"),
        name="utf-16-unmarked",
        description="No mark at all",
        body_has="First step.",
    ),
    Broken(
        folder="latin-1",
        data=_plain("latin-1", "Prépare le café à Besançon").encode("latin-1"),
        name="latin-1",
        description="Prépare le café à Besançon",
        body_has="First step.",
    ),
    Broken(
        folder="windows-1252",
        data=_plain("windows-1252", "The “smart” quote – and dash").encode("cp1252"),
        name="windows-1252",
        description="The “smart” quote – and dash",
    ),
    Broken(
        folder="gbk",
        data=_plain("gbk", "把会议录音整理成纪要，并列出待办事项").encode("gb18030"),
        name="gbk",
        description="把会议录音整理成纪要，并列出待办事项",
    ),
    Broken(
        folder="one-bad-byte",
        data=_plain("one-bad-byte", "翻译技术文档并校对术语").encode() + b"\xff",
        name="one-bad-byte",
        description="翻译技术文档并校对术语",
    ),
    Broken(
        folder="nul",
        data=b"---\nname: n\x00ul\ndescription: Has a NUL\x00 inside\n---\nBody\x00 text\n",
        name="nul",
        description="Has a NUL inside",
        body_has="Body text",
    ),
    Broken(
        folder="crlf",
        data=_plain("crlf", "Windows line ends").replace("\n", "\r\n").encode(),
        name="crlf",
        description="Windows line ends",
        body_has="# Title\n\nFirst step.\n",
    ),
    Broken(
        folder="old-mac",
        data=_plain("old-mac", "Carriage returns only").replace("\n", "\r").encode(),
        name="old-mac",
        description="Carriage returns only",
        body_has="# Title\n\nFirst step.\n",
    ),
    # Missing parts
    Broken(
        folder="no-front-matter",
        data=b"# Brew coffee\n\nMakes a good cup\nof coffee.\n\n## Steps\n\nGrind.\n",
        name="no-front-matter",
        description="Makes a good cup of coffee.",
        body_has="# Brew coffee",
    ),
    Broken(folder="empty", data=b"", name="empty"),
    Broken(folder="blank", data=b" \n\n\t\n", name="blank"),
    Broken(
        folder="front-matter-only",
        data=b"---\nname: front-matter-only\ndescription: Nothing follows\n---",
        name="front-matter-only",
        description="Nothing follows",
    ),
    Broken(
        folder="never-closed",
        data=b"---\nname: never-closed\ndescription: The fence is missing\n\n# Title\n\nFirst step.\n",
        name="never-closed",
        description="The fence is missing",
        body_has="First step.",
    ),
    Broken(
        folder="thematic-break",
        data=b"---\nJust prose between two lines.\n---\n\nMore prose.\n",
        name="thematic-break",
        description="Just prose between two lines.",
        body_has="More prose.",
    ),
    Broken(
        folder="no-name",
        data=b"---\ndescription: Only described\n---\nFirst step.\n",
        name="no-name",
        description="Only described",
        body_has="First step.",
    ),
    Broken(
        folder="no-description",
        data=b"---\nname: no-description\n---\n# Title\n\nThe body says it.\n",
        name="no-description",
        description="The body says it.",
        body_has="The body says it.",
    ),
    # Sizes
    Broken(
        folder="body-300k",
        data=(_plain("body-300k", "A long manual") + _BIG_BODY[:300_000]).encode(),
        name="body-300k",
        description="A long manual",
        body_has="Turn page 5000",
    ),
    Broken(
        folder="one-megabyte",
        data=(_plain("one-megabyte", "A very long manual") + _BIG_BODY).encode()[:1_048_576],
        name="one-megabyte",
        description="A very long manual",
        body_has="Turn page 20000",
    ),
    Broken(
        folder="three-megabytes",
        data=(_plain("three-megabytes", "Cut in a character") + "é" * 1_500_000).encode(),
        name="three-megabytes",
        description="Cut in a character",
        body_has="First step.",
    ),
    # Names
    Broken(
        folder="lower-case",
        file="skill.md",
        data=_plain("lower-case", "Small").encode(),
        name="lower-case",
        description="Small",
    ),
    Broken(
        folder="plural", file="skills.md", data=_plain("plural", "Many").encode(), name="plural", description="Many"
    ),
    Broken(
        folder="path-in-name",
        data=_plain("../../etc/passwd", "Its name is a path").encode(),
        name="../../etc/passwd",
        description="Its name is a path",
    ),
    Broken(
        folder="emoji-🚀",
        data=_plain("🚀 起飛", "打ち上げの手順").encode(),
        name="🚀 起飛",
        description="打ち上げの手順",
    ),
    # A file in a folder called SKILL.md, which is itself no skill's file
    Broken(
        folder="directory-named/SKILL.md",
        data=_plain("inside", "In a folder called SKILL.md").encode(),
        name="inside",
        description="In a folder called SKILL.md",
    ),
    # Not text
    Broken(
        folder="binary",
        data=random.Random(1).randbytes(20_000),
        name="",
        problem=Reason.SKILL_UNREADABLE,
    ),
    Broken(
        folder="picture",
        data=b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01",
        name="",
        problem=Reason.SKILL_UNREADABLE,
    ),
)

SOUND = "sound"
"""Folder of the one skill in the tree that has nothing wrong with it."""
FORBIDDEN = "forbidden"
"""Folder of a skill whose file has no permissions at all (which root may read nevertheless)."""


def write(root: Path) -> None:
    """Lays the whole tree out under `root`: all cases, a sound skill, and links that loop, dangle and escape."""
    for case in CASES:
        _write(root / case.folder / case.file, case.data)
    _write(root / SOUND / "SKILL.md", _plain("sound", "Nothing is wrong here").encode())
    forbidden = root / FORBIDDEN / "SKILL.md"
    _write(forbidden, _plain("forbidden", "Not for everyone").encode())
    forbidden.chmod(0)
    (root / "loop").mkdir()
    (root / "loop" / "back").symlink_to(root, target_is_directory=True)
    (root / "loop" / "self").symlink_to("self")
    (root / "dangling").mkdir()
    (root / "dangling" / "SKILL.md").symlink_to("gone.md")
    if hasattr(os, "mkfifo"):
        (root / "pipe").mkdir()
        os.mkfifo(root / "pipe" / "SKILL.md")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
