"""References in a body made absolute where the files are on disk, and placeholders filled where they are known."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from skillcaddy.frozen import dataclass
from skillcaddy.markdown import blocks
from skillcaddy.patterns import late

_MOST_LOOKUPS = 400
"""Paths of one body that are looked up on disk; the rest stays as it stands."""

_PATH = r"[\w.\-+@/\\]+"
# What hosts and authors write for "the folder of this skill", and PathGuard's placeholders.
_TOKEN = late(
    r"(?P<base>\{baseDir\}|\$\{(?:HERMES_SKILL_DIR|CLAUDE_SKILL_DIR|SKILL_DIR|SKILL_ROOT)\}|\{\{SKILL_DIR\}\})"
    rf"(?P<rest>/{_PATH}|/)?"
    r"|\{\{SKILL_DIR:(?P<sibling>[^{}\n]{1,200})\}\}"
    r"|\{\{(?P<known>HOME|OUTPUT_DIR|AGENT_STATE_DIR)\}\}"
)
_GAP = r"[^\S\n]"
_LINK = late(
    rf"(?P<head>\]\({_GAP}*)(?:<(?P<angled>[^<>\n]+)>|(?P<bare>[^\s()<>]+))(?=(?:{_GAP}+[\"'(][^\n]*?)?{_GAP}*\))"
)
_CODE = late(r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]+)(?P=ticks)(?!`)")
_CODE_PATH = late(
    rf"(?<![\w./\\:@~$%{{}}-])(?:\./)?(?:references?|scripts?|assets?|templates?|examples?|resources?)/{_PATH}"
)
_NOT_RELATIVE = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:|[/\\#?~]|\{|\$)")


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """The body with what could be resolved, and the references and placeholders that had to stay, each once."""

    body: str
    left: tuple[str, ...]


def resolve(
    body: str,
    directory: str,
    *,
    placeholders: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> Resolved:
    """The body for a skill in this absolute folder; a skill that is not on disk ("") keeps its body as it is.

    `{baseDir}` and its relatives become the folder; with a path behind them, and for relative Markdown links and
    inline-code paths into a skill's usual folders, the result must exist inside the folder (symbolic links followed),
    or the text stays as written. Links inside fenced code are left alone. `placeholders` gives the values of HOME,
    OUTPUT_DIR and AGENT_STATE_DIR as far as they are known, `names` the folders of other skills by name. Every value
    is put in literally and never searched again, so `$&`, `\\1`, braces and `%` in it mean nothing.
    """
    left: dict[str, None] = {}
    if not directory:
        for match in _TOKEN().finditer(body):
            left.setdefault(match[0])
        return Resolved(body=body, left=tuple(left))
    folder = _Folder(directory)

    def token(match: re.Match[str]) -> str:
        value: str | None
        if match["base"]:
            value = folder.directory if match["rest"] in (None, "/") else folder.inside_or_shorter(match["rest"][1:])
            if match["rest"] == "/":
                value = f"{folder.directory}/"
        elif match["sibling"]:
            value = (names or {}).get(match["sibling"].strip())
        else:
            value = (placeholders or {}).get(match["known"])
        if not value:
            left.setdefault(match[0])
            return match[0]
        return value

    resolved: list[str] = []
    for text, fenced in blocks(body):
        if "{" in text:
            text = _TOKEN().sub(token, text)
        if not fenced and "](" in text:
            text = _LINK().sub(lambda found: _link(found, folder), text)
        if not fenced and "`" in text:
            text = _CODE().sub(lambda found: _in_code(found, folder), text)
        resolved.append(text)
    return Resolved(body="".join(resolved), left=tuple(left))


def _link(match: re.Match[str], folder: _Folder) -> str:
    target = match["angled"] or match["bare"]
    if _NOT_RELATIVE.match(target):
        return match[0]
    path, mark, fragment = target.partition("#")
    absolute = folder.inside(path)
    if absolute is None and "%" in path:
        from urllib.parse import unquote  # late: rarely needed, and a hook would pay for it

        absolute = folder.inside(unquote(path))
    if absolute is None:
        return match[0]
    absolute += mark + fragment
    # A path with a space or a parenthesis is a link target only between angle brackets.
    return f"{match['head']}<{absolute}>" if re.search(r"[\s()]", absolute) else f"{match['head']}{absolute}"


def _in_code(match: re.Match[str], folder: _Folder) -> str:
    code = _CODE_PATH().sub(lambda found: folder.inside_or_shorter(found[0]) or found[0], match["code"])
    return f"{match['ticks']}{code}{match['ticks']}"


class _Folder:
    """A skill's folder and what was found in it; each path is looked up once."""

    def __init__(self, directory: str) -> None:
        self.directory = directory.rstrip("/\\") or directory
        self._real = ""
        self._found: dict[str, str | None] = {}

    def inside(self, relative: str) -> str | None:
        """The absolute path of an existing file or folder below this one, None for anything else."""
        if relative not in self._found:
            if len(self._found) >= _MOST_LOOKUPS:
                return None
            self._found[relative] = self._look(relative)
        return self._found[relative]

    def inside_or_shorter(self, relative: str) -> str | None:
        """As `inside`; punctuation that ends a sentence is tried as not belonging to the path."""
        found = self.inside(relative)
        if found is None and relative[-1:] in ".\\":
            shorter = relative.rstrip(".\\")
            found = self.inside(shorter)
            return None if found is None else found + relative[len(shorter) :]
        return found

    def _look(self, relative: str) -> str | None:
        clean = relative.strip()
        if not clean or "\0" in clean or os.path.isabs(clean):
            return None
        absolute = os.path.normpath(os.path.join(self.directory, clean.replace("\\", "/")))
        try:
            real = os.path.realpath(absolute, strict=True)
        except (OSError, ValueError):
            return None
        # Asked for here, since most bodies name no file of theirs.
        self._real = self._real or os.path.realpath(self.directory)
        if real != self._real and not real.startswith(self._real.rstrip(os.sep) + os.sep):
            return None
        return absolute + "/" if clean.endswith("/") else absolute
