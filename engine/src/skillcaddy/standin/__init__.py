"""A stand-in for a language model: drives a real agent host without one, and shows what the host sent to it.

    from skillcaddy.standin import StandIn, call, echo, tool_names, user_text

    with StandIn([call("skill_search", query="quarterly deck"), echo()]) as model:
        ...  # point the host at model.url (OpenAI, ends in /v1) or model.root (Anthropic); the model is model.model
    assert "skill_search" in tool_names(model.turns[0])

The server speaks OpenAI chat completions and Anthropic messages, streaming and not, and lists its one model. Replies:
`say(text)` (or a bare text), `call(tool, **arguments)`, `echo(pattern)` (repeats what in the request matches),
`fail(status, message, retry_after=...)`, `slow(reply, seconds)`, `cut(reply)`, or a `Reply(...)` with any of it.
A script is a list of them, handed out by count (never by looking at the last message, which hosts may add to), or a
function from the request to a reply; a `call` of a tool that is not offered is passed over, unless `anyway=True`.
`StandIn(script, after=..., side=..., per_turn=30, most=200, lasts_s=600)`: `after` answers when the list is used up,
`side` all requests that offer no tools. What was seen: `requests`, `turns` (with tools), `others` (without), `visits`
(everything), `problems` (loops that were ended), `wait_for(count, timeout_s)`. Read a request with `system_text`,
`user_text`, `user_texts`, `last_user_text`, `tool_names`, `tools`, `tool_messages`, `messages`, `all_text`, `count`.

As a process: `python -m skillcaddy.standin PORT [--script FILE] [--record FILE] [--lasts SECONDS]`.
Standard library only; binds 127.0.0.1; stops by itself.

Beside it lies what the end-to-end tests of all hosts share: `played` (a script that grows, the gate's judge), `facts`
(a library that no model knows), `driving` (a host in a folder of its own), `installing` (real hosts in a cache) and
`compiling` (a shell against its host's types).
"""

from __future__ import annotations

from skillcaddy.standin.reading import (
    Recorded,
    all_text,
    count,
    last_user_text,
    messages,
    system_text,
    tool_messages,
    tool_names,
    tools,
    user_text,
    user_texts,
)
from skillcaddy.standin.script import Reply, call, cut, echo, fail, from_json, say, slow
from skillcaddy.standin.server import StandIn

__all__ = [
    "Recorded",
    "Reply",
    "StandIn",
    "all_text",
    "call",
    "count",
    "cut",
    "echo",
    "fail",
    "from_json",
    "last_user_text",
    "messages",
    "say",
    "slow",
    "system_text",
    "tool_messages",
    "tool_names",
    "tools",
    "user_text",
    "user_texts",
]
