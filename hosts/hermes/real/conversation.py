"""Runs inside the host's own Python: several turns of one conversation in one process, as its CLI holds one.

Standard input is JSON: `steps` (a user's text, or `{"compact": true}`, `{"undo": true}`, `{"wait": a thread's name}`),
`toolsets`, `platform`. Standard output ends with a line of JSON: the replies and the session ids.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any


def main() -> None:
    wanted = json.load(sys.stdin)
    sys.path.insert(0, os.getcwd())
    from hermes_cli.config import load_config
    from hermes_state import SessionDB
    from run_agent import AIAgent

    model = load_config()["model"]
    agent: Any = AIAgent(
        base_url=model["base_url"],
        api_key="not-a-key",
        provider="custom",
        model=model["default"],
        api_mode="chat_completions",
        quiet_mode=True,
        max_iterations=6,
        enabled_toolsets=wanted.get("toolsets"),
        platform=wanted.get("platform", "cli"),
        session_db=SessionDB(),
    )
    history: list[Any] = []
    replies, sessions = [], []
    for step in wanted["steps"]:
        if isinstance(step, str):
            result = agent.run_conversation(step, conversation_history=history)
            history = result["messages"]
            replies.append(result["final_response"])
        elif "compact" in step:
            before = len(history)
            history, _ = agent._compress_context(history, None, approx_tokens=100_000, force=True)
            assert len(history) < before, (before, len(history))
        elif "undo" in step:
            last = max(index for index, row in enumerate(history) if row["role"] == "user")
            history = history[:last]
            if agent._memory_manager is not None:
                agent._memory_manager.on_session_switch(agent.session_id, rewound=True)
        elif "wait" in step:
            for thread in threading.enumerate():
                if thread.name.startswith(step["wait"]):
                    thread.join(60)
        sessions.append(agent.session_id)
    if agent._memory_manager is not None:
        agent.shutdown_memory_provider(history)
    sys.stdout.write("\n" + json.dumps({"replies": replies, "sessions": sessions}) + "\n")
    sys.stdout.flush()
    os._exit(0)  # threads of the host may still be at work


main()
