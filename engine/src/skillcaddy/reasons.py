"""The closed set of reason codes: each loss, fallback and decision has one, and one sentence that a person reads."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why something happened; the value is the word in traces, logs and JSON."""

    # A candidate
    DELIVERED = "delivered"
    CATALOGUED = "catalogued"
    BELOW_FLOOR = "below_floor"
    OUTSHONE = "outshone"
    COPY_COLLAPSED = "copy_collapsed"
    DUPLICATE_BODY = "duplicate_body"
    BODY_MISSING = "body_missing"
    ALREADY_HELD = "already_held"
    OVER_BUDGET = "over_budget"
    BEYOND_TOP_K = "beyond_top_k"
    GATE_REJECTED = "gate_rejected"
    UNTRUSTED = "untrusted"
    HIDDEN_BY_HOST = "hidden_by_host"

    # A source
    SOURCE_OK = "source_ok"
    SOURCE_EMPTY = "source_empty"
    SOURCE_FAILED = "source_failed"
    SOURCE_ABANDONED = "source_abandoned"
    SOURCE_STUCK = "source_stuck"
    SOURCE_COOLING_DOWN = "source_cooling_down"
    SOURCE_NONSENSE = "source_nonsense"
    SOURCE_OFF = "source_off"

    # The library and its index
    INDEX_BUILDING = "index_building"
    INDEX_IN_MEMORY = "index_in_memory"
    INDEX_REBUILT = "index_rebuilt"
    INDEX_OVERLAY = "index_overlay"
    ROOT_MISSING = "root_missing"
    SKILL_SHADOWED = "skill_shadowed"
    SKILL_UNREADABLE = "skill_unreadable"
    SKILL_MENDED = "skill_mended"

    # The turn
    QUERY_EMPTY = "query_empty"
    QUERY_CUT = "query_cut"
    NO_CONTENT_WORDS = "no_content_words"
    NO_MATCH = "no_match"
    DEADLINE_REACHED = "deadline_reached"
    STEP_FAILED = "step_failed"
    BODY_CUT = "body_cut"
    PLACEHOLDER_LEFT = "placeholder_left"

    # The model steps
    REWRITTEN = "rewritten"
    REWRITE_OFF = "rewrite_off"
    REWRITE_SKIPPED = "rewrite_skipped"
    REWRITE_FAILED = "rewrite_failed"
    GATE_OFF = "gate_off"
    GATE_RAN = "gate_ran"
    GATE_FAILED = "gate_failed"
    NO_MODEL = "no_model"
    MODEL_BUDGET_SPENT = "model_budget_spent"
    TOOLS_UNKNOWN = "tools_unknown"


SENTENCES: dict[Reason, str] = {
    Reason.DELIVERED: "Its body was handed to the agent.",
    Reason.CATALOGUED: "It was named in the list of further skills, without its body.",
    Reason.BELOW_FLOOR: "It shares too little with the query to be worth the agent's attention.",
    Reason.OUTSHONE: "It matches far less than a skill before it, and nobody asked for more than what fits.",
    Reason.COPY_COLLAPSED: "It is a copy of a skill that another source ranked better or vouches for more.",
    Reason.DUPLICATE_BODY: "Its body is word for word that of a skill ranked before it.",
    Reason.BODY_MISSING: "Its body could not be had from its source.",
    Reason.ALREADY_HELD: "The agent still has it from an earlier delivery in this session.",
    Reason.OVER_BUDGET: "The character budget was used up before its turn came.",
    Reason.BEYOND_TOP_K: "Enough better skills came before it.",
    Reason.GATE_REJECTED: "The gate's model judged that it does not help with this request.",
    Reason.UNTRUSTED: "Only local skills are delivered when the gate could not judge, and it is not local.",
    Reason.HIDDEN_BY_HOST: "The host's own rules hide it (disabled, wrong platform, or a tool it needs is missing).",
    Reason.SOURCE_OK: "The source answered in time.",
    Reason.SOURCE_EMPTY: "The source answered in time and found nothing.",
    Reason.SOURCE_FAILED: "The source raised an error; the others' results were used.",
    Reason.SOURCE_ABANDONED: "The source did not answer within its share of the deadline; it was left behind.",
    Reason.SOURCE_STUCK: "The source is still busy with an earlier request, so it was not asked again.",
    Reason.SOURCE_COOLING_DOWN: "The source failed or asked for a pause lately; it is asked again after its cool-down.",
    Reason.SOURCE_NONSENSE: "The source answered with something that is no list of hits; nothing of it was used.",
    Reason.SOURCE_OFF: "The source is switched off by a setting.",
    Reason.INDEX_BUILDING: "The index is not complete yet; the answer comes from the skills read so far.",
    Reason.INDEX_IN_MEMORY: "The index could not be stored, so it was built in memory; every process pays again.",
    Reason.INDEX_REBUILT: "The stored index was damaged or foreign and was built anew.",
    Reason.INDEX_OVERLAY: "Changed files were searched from memory until the index takes them in.",
    Reason.ROOT_MISSING: "A configured skill folder does not exist or cannot be listed.",
    Reason.SKILL_SHADOWED: "A skill of the same name in an earlier folder hides it.",
    Reason.SKILL_UNREADABLE: "The file could not be read as a skill.",
    Reason.SKILL_MENDED: "The file's front matter is not valid YAML; it was read with the tolerant reader.",
    Reason.QUERY_EMPTY: "There was nothing to search for.",
    Reason.QUERY_CUT: "The message is longer than a query may be; its end was left out.",
    Reason.NO_CONTENT_WORDS: "The message holds no word that could name a task.",
    Reason.NO_MATCH: "No skill fits; the turn goes on without one.",
    Reason.DEADLINE_REACHED: "The deadline came before every step was done; what was ready is returned.",
    Reason.STEP_FAILED: "A step failed unexpectedly; its input went on unchanged, or was dropped where that is safer.",
    Reason.BODY_CUT: "The body is longer than its budget; the rest is had with skill_open.",
    Reason.PLACEHOLDER_LEFT: "A placeholder in the body names something unknown here and was left as it stands.",
    Reason.REWRITTEN: "The model sharpened the query.",
    Reason.REWRITE_OFF: "Rewriting is switched off by a setting.",
    Reason.REWRITE_SKIPPED: "The message is already a good short query.",
    Reason.REWRITE_FAILED: "The model gave no usable query; the user's words were used.",
    Reason.GATE_OFF: "The gate did not run, by setting or because the agent chooses for itself.",
    Reason.GATE_RAN: "The gate's model judged the candidates.",
    Reason.GATE_FAILED: "The gate's model gave no usable answer; only local skills above the floor were kept.",
    Reason.NO_MODEL: "No model is at hand for the rewriter and the gate.",
    Reason.MODEL_BUDGET_SPENT: "This session has used up its budget for model calls; retrieval goes on without them.",
    Reason.TOOLS_UNKNOWN: "The agent's tools are not known here, so skills were not judged by what they need.",
}
"""Each code's sentence for people; `skillcaddy explain` prints it."""
