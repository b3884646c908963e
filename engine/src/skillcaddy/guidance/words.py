"""The names of the texts, and the way to get them in a language."""

from __future__ import annotations

from skillcaddy.frozen import dataclass
from skillcaddy.settings import Language

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, kw_only=True)
class Texts:
    """One language's sentences. `{name}` marks a value that the caller fills with `str.format`.

    Two rules hold for all of them. What is injected or answered states, and orders nothing: models take imperative
    text in these channels for a prompt injection and refuse it. And none begins with the word "Error": a host
    appends a hint to try something else to such answers.
    """

    # The two tools
    search_description: str
    search_query: str
    search_top_k: str
    search_delivery: str
    search_fenced: str
    """One paragraph more of the description, for a host that marks every tool result as untrusted data."""
    open_description: str
    open_id: str
    open_path: str
    open_part: str

    # The frame around skills
    intro_auto: str
    """First line of what is injected unasked."""
    intro_tool: str
    """First line of a search answer that holds a skill's text."""
    intro_catalog: str
    """First line of a search answer that holds descriptions only."""
    intro_open: str
    """First line of what `skill_open` answers."""
    provenance: str
    """Values: name, id, source, trust."""
    licence: str
    """Value: licence. Follows the provenance where a licence is known."""
    version: str
    """Value: version. Follows the provenance where a version is known."""
    trust_local: str
    trust_curated: str
    trust_unvetted: str
    trust_flagged: str
    directory: str
    """Value: directory."""
    same_as: str
    """Value: call. One extra line by which a host says that a tool of its own gives the same text."""
    cut_open: str
    """Values: shown, total, id. After a text that was cut, where `skill_open` is at hand."""
    cut_file: str
    """Values: shown, total, path. After a text that was cut, where only the file can be named."""
    cut: str
    """Values: shown, total."""
    rest: str
    """Heading of the list of further skills, after at least one text."""
    list_open: str
    """Ends a list where `skill_open` is at hand."""
    listed: str
    """Values: id, description. One line of a list."""
    listed_at: str
    """Value: path. Follows a line where the file is all that can be named."""
    listed_held: str
    """Values: id, description. The same for a skill whose text the conversation still holds."""

    # Answers without a skill
    miss: str
    building: str
    """Follows a miss while the index is incomplete."""
    unreached: str
    """Value: sources. Follows a miss when not every source answered."""
    source_cause: str
    """Values: source, cause."""
    cause_failed: str
    cause_late: str
    cause_stuck: str
    cause_cooling: str
    cause_nonsense: str
    failure: str
    """Value: cause."""
    nothing_reached: str
    """Value: sources. When no source at all answered."""
    usage_search: str
    usage_open: str
    tools_off: str
    """The answer to a call that comes although this host injects skills by itself."""
    engine_missing: str
    """Value: cause. For shells that cannot start the engine."""
    timed_out: str
    """For shells whose engine does not answer in time."""

    # skill_open
    open_miss: str
    """Value: id."""
    open_near: str
    """Value: ids. Follows a miss when ids look alike."""
    open_ambiguous: str
    """Values: name, ids."""
    no_body: str
    """Value: id."""
    not_on_disk: str
    """Value: id."""
    file_intro: str
    """Values: path, id."""
    file_missing: str
    """Values: path, id."""
    file_outside: str
    """Values: path, id."""
    file_binary: str
    """Values: path, size."""
    file_too_big: str
    """Values: path, size, limit."""
    file_unreadable: str
    """Value: path."""
    part_shown: str
    """Values: part, parts."""
    part_more: str
    """Values: part, parts, next."""
    part_missing: str
    """Values: part, parts."""
    files: str
    """Heading of the list of a skill's files."""
    files_under: str
    """Value: path. Heading of the list of files in one folder of a skill."""
    no_files: str
    """Value: path."""
    file_line: str
    """Values: path, size."""
    files_more: str
    """Value: count."""


def texts(language: Language) -> Texts:
    """The sentences of that language; English for anything unknown."""
    if language == "zh":
        from skillcaddy.guidance.chinese import CHINESE  # late: a process speaks one language

        return CHINESE
    from skillcaddy.guidance.english import ENGLISH

    return ENGLISH
