"""The stand-in model: both protocols, the script, the limits, and what it keeps of the requests."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.standin import (
    Reply,
    StandIn,
    all_text,
    call,
    cut,
    echo,
    fail,
    from_json,
    last_user_text,
    say,
    slow,
    system_text,
    tool_messages,
    tool_names,
    tools,
    user_text,
    user_texts,
)

USER = {"role": "user", "content": "Build the deck."}
TOOL = {"type": "function", "function": {"name": "skill_search", "description": "Finds.", "parameters": {"a": 1}}}
ANTHROPIC_TOOL = {"name": "skill_search", "description": "Finds.", "input_schema": {"a": 1}}


def post(
    standin: StandIn, body: Any, path: str = "/v1/chat/completions", headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", int(standin.root.rpartition(":")[2]), timeout=20)
    try:
        content = body if isinstance(body, str) else json.dumps(body)
        connection.request("POST", path, content, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8")
    finally:
        connection.close()


def ask(standin: StandIn, *messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    status, text = post(standin, {"model": "m", "messages": list(messages) or [USER], **more})
    assert status == 200, text
    choice: dict[str, Any] = json.loads(text)["choices"][0]
    return choice


def events(text: str) -> list[dict[str, Any]]:
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_replies_are_handed_out_by_count_and_then_the_last_word_is_repeated() -> None:
    with StandIn(["one", say("two")], after="that is all") as standin:
        said = [ask(standin)["message"]["content"] for _ in range(4)]
    assert said == ["one", "two", "that is all", "that is all"]


def test_a_tool_call_whole_and_its_result_in_the_next_request() -> None:
    with StandIn([call("skill_search", query="deck"), echo()]) as standin:
        first = ask(standin, tools=[TOOL])
        (wanted,) = first["message"]["tool_calls"]
        result = {"role": "tool", "tool_call_id": wanted["id"], "content": "The code is CANARY-7f3a."}
        # What some hosts put after a tool's result must not start the script over.
        note = {"role": "user", "content": "runtime context"}
        second = ask(standin, USER, first["message"], result, note, tools=[TOOL])
    assert first["finish_reason"] == "tool_calls"
    assert (wanted["function"]["name"], json.loads(wanted["function"]["arguments"])) == (
        "skill_search",
        {"query": "deck"},
    )
    assert second["message"]["content"] == "ECHO CANARY-7f3a"
    assert tool_messages(standin.requests[1]) == ["The code is CANARY-7f3a."]


def test_an_openai_stream_holds_the_deltas_of_a_tool_call_a_usage_chunk_and_the_end() -> None:
    with StandIn([call("skill_search", query="quarterly deck")]) as standin:
        body = {"messages": [USER], "tools": [TOOL], "stream": True, "stream_options": {"include_usage": True}}
        _, text = post(standin, body)
    assert text.endswith("data: [DONE]\n\n")
    *chunks, usage = events(text)
    deltas = [d for c in chunks for d in c["choices"][0]["delta"].get("tool_calls", [])]
    assert {delta["index"] for delta in deltas} == {0}
    assert deltas[0]["id"]
    assert deltas[0]["function"]["name"] == "skill_search"
    assert json.loads("".join(delta["function"]["arguments"] for delta in deltas)) == {"query": "quarterly deck"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert usage["choices"] == []
    assert usage["usage"]["total_tokens"] > 0


def test_an_openai_stream_of_text_has_no_usage_chunk_unless_it_was_asked_for() -> None:
    with StandIn(["Grüße und 你好 zusammen"]) as standin:
        _, text = post(standin, {"messages": [USER], "stream": True})
    chunks = events(text)
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == "Grüße und 你好 zusammen"
    assert not any("usage" in chunk for chunk in chunks)


def test_an_anthropic_stream_holds_the_events_of_a_tool_use_in_order() -> None:
    with StandIn([Reply(text="Looking.", calls=(("skill_search", {"query": "deck"}),))]) as standin:
        body = {"model": "m", "messages": [USER], "tools": [ANTHROPIC_TOOL], "stream": True, "max_tokens": 10}
        _, text = post(standin, body, "/v1/messages")
    kinds = [event["type"] for event in events(text) if not event["type"].endswith("_delta") or "usage" in event]
    assert kinds == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_stop",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    parts = [event["delta"].get("partial_json", "") for event in events(text) if event["type"] == "content_block_delta"]
    assert json.loads("".join(parts)) == {"query": "deck"}
    assert next(e for e in events(text) if e["type"] == "message_delta")["delta"]["stop_reason"] == "tool_use"


def test_an_anthropic_answer_whole() -> None:
    with StandIn(["Hello."]) as standin:
        _, text = post(standin, {"model": "m", "messages": [USER]}, "/v1/messages")
    answer = json.loads(text)
    assert answer["content"] == [{"type": "text", "text": "Hello."}]
    assert (answer["role"], answer["stop_reason"]) == ("assistant", "end_turn")


def test_requests_of_both_protocols_read_alike() -> None:
    openai = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            USER,
            {"role": "assistant", "tool_calls": [{}]},
            {"role": "tool", "content": [{"type": "text", "text": "found"}]},
            {"role": "user", "content": [{"type": "text", "text": "And now?"}, {"type": "image"}]},
        ],
        "tools": [TOOL],
    }
    anthropic = {
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            USER,
            {"role": "assistant", "content": [{"type": "tool_use"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "found"}]},
            {"role": "user", "content": "And now?"},
        ],
        "tools": [ANTHROPIC_TOOL],
    }
    for body in (openai, anthropic):
        assert system_text(body) == "Be brief."
        assert user_texts(body) == ["Build the deck.", "And now?"]
        assert user_text(body) == "Build the deck.\nAnd now?"
        assert last_user_text(body) == "And now?"
        assert tool_messages(body) == ["found"]
        assert tool_names(body) == ["skill_search"]
        assert tools(body)["skill_search"] == {"description": "Finds.", "parameters": {"a": 1}}
        assert all_text(body) == "Be brief.\nBuild the deck.\nfound\nAnd now?"


@pytest.mark.parametrize("body", [{}, {"messages": 3, "tools": "x"}, {"messages": [None, {"content": [1]}]}])
def test_odd_requests_read_as_empty(body: dict[str, Any]) -> None:
    assert (system_text(body), user_text(body), tool_names(body), tool_messages(body)) == ("", "", [], [])


def test_a_call_finds_the_tool_behind_a_clients_prefix_and_is_passed_over_where_it_is_not_offered() -> None:
    prefixed = {"type": "function", "function": {"name": "mcp__skillcaddy__skill_search"}}
    with StandIn([call("skill_open", id="x"), call("skill_search", query="deck"), "end"]) as standin:
        first = ask(standin, tools=[prefixed])["message"]["tool_calls"][0]["function"]["name"]
        second = ask(standin)["message"]["content"]
    assert (first, second) == ("mcp__skillcaddy__skill_search", "end")


def test_a_call_can_be_made_although_the_tool_was_not_offered() -> None:
    with StandIn([call("skill_search", anyway=True, query="deck")]) as standin:
        assert ask(standin)["message"]["tool_calls"][0]["function"]["name"] == "skill_search"


def test_side_questions_do_not_use_up_the_script() -> None:
    with StandIn(["one", "two"], side="a title") as standin:
        said = [ask(standin, **more)["message"]["content"] for more in ({"tools": [TOOL]}, {}, {"tools": [TOOL]})]
        assert (len(standin.turns), len(standin.others)) == (2, 1)
    assert said == ["one", "a title", "two"]


def test_a_script_can_be_a_function_of_the_request() -> None:
    with StandIn(lambda request: f"You said: {last_user_text(request)}") as standin:
        assert ask(standin)["message"]["content"] == "You said: Build the deck."


def test_a_client_in_a_loop_is_given_a_last_answer_and_then_refused() -> None:
    with StandIn(lambda _: call("skill_search", query="again"), per_turn=3) as standin:
        answers = [ask(standin, tools=[TOOL]) for _ in range(6)]
        status, text = post(standin, {"messages": [USER], "tools": [TOOL]})
    assert [bool(answer["message"].get("tool_calls")) for answer in answers] == [True] * 3 + [False] * 3
    assert status == 400
    assert "loop" in text
    assert len(standin.problems) == 4


def test_more_requests_than_any_test_needs_are_refused() -> None:
    with StandIn(most=2) as standin:
        statuses = [post(standin, {"messages": [{"role": "user", "content": str(i)}]})[0] for i in range(3)]
    assert statuses == [200, 200, 400]


def test_an_error_has_its_status_its_message_and_its_headers() -> None:
    with StandIn([fail(429, "slow down", retry_after="3"), fail(529)]) as standin:
        connection = http.client.HTTPConnection("127.0.0.1", int(standin.root.rpartition(":")[2]), timeout=20)
        connection.request("POST", "/v1/chat/completions", json.dumps({"messages": [USER]}))
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        status, text = post(standin, {"messages": [USER]}, "/v1/messages")
    assert (answer.status, answer.getheader("Retry-After")) == (429, "3")
    assert content["error"]["message"] == "slow down"
    assert (status, json.loads(text)["type"]) == (529, "error")


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_answer_breaks_the_connection_in_the_middle(stream: bool) -> None:
    with StandIn([cut("a long enough answer")]) as standin, pytest.raises(http.client.IncompleteRead) as broken:
        post(standin, {"messages": [USER], "stream": stream})
    assert broken.value.partial


def test_a_body_can_be_anything() -> None:
    with StandIn([Reply(raw="<html>busy</html>")]) as standin:
        assert post(standin, {"messages": [USER]}) == (200, "<html>busy</html>")


def test_a_slow_answer_ends_when_the_server_stops() -> None:
    standin = StandIn([slow("late", 3600)]).start()
    connection = http.client.HTTPConnection("127.0.0.1", int(standin.root.rpartition(":")[2]), timeout=60)
    connection.request("POST", "/v1/chat/completions", json.dumps({"messages": [USER]}))
    standin.wait_for(1)
    standin.stop()
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        connection.getresponse()
    connection.close()


def test_it_stops_by_itself() -> None:
    standin = StandIn(lasts_s=0.2).start()
    assert standin.wait_until_stopped(30)
    with pytest.raises(OSError):  # noqa: PT011 - refused or reset, as the system likes
        post(standin, {"messages": [USER]})


def test_secrets_in_headers_and_addresses_are_masked_and_the_rest_is_kept() -> None:
    with StandIn() as standin:
        headers = {"Authorization": "Bearer sesame", "X-Api-Key": "sesame", "X-Seen": "yes"}
        post(standin, {"messages": [USER]}, "/v1/chat/completions?api_key=sesame", headers)
        (request,) = standin.requests
    assert "sesame" not in repr(request)
    assert request.headers["authorization"] == request.headers["x-api-key"] == "[secret]"
    assert request.headers["x-seen"] == "yes"
    assert request.path == "/v1/chat/completions"


def test_it_lists_its_model_counts_tokens_and_knows_no_other_path() -> None:
    with StandIn(model="probe", context_length=70_000) as standin:
        connection = http.client.HTTPConnection("127.0.0.1", int(standin.root.rpartition(":")[2]), timeout=20)
        connection.request("GET", "/api/v1/models")
        listed = json.loads(connection.getresponse().read())
        connection.request("GET", "/props")
        assert connection.getresponse().status == 404
        connection.close()
        count = json.loads(post(standin, {"messages": [USER]}, "/v1/messages/count_tokens")[1])
        assert post(standin, {}, "/v1/embeddings")[0] == 404
        assert standin.requests == []
    assert [(model["id"], model["context_length"]) for model in listed["data"]] == [("probe", 70_000)]
    assert count["input_tokens"] > 0
    assert len(standin.visits) == 4


def test_a_request_that_is_no_json_object_is_refused() -> None:
    with StandIn() as standin:
        assert post(standin, "{")[0] == 400
        assert post(standin, "[1]")[0] == 400


def test_waiting_for_requests_that_do_not_come_says_how_many_came() -> None:
    with StandIn() as standin, pytest.raises(TimeoutError, match="0 of 1"):
        standin.wait_for(1, timeout_s=0.01)


def test_a_script_file_holds_texts_and_replies_and_names_the_row_that_is_neither() -> None:
    script = from_json('["hi", {"call": "skill_search", "arguments": {"query": "x"}}, {"status": 500, "text": "no"}]')
    assert script == [say("hi"), call("skill_search", query="x"), fail(500, "no")]
    with pytest.raises(ValueError, match="reply 1 of the script"):
        from_json('["hi", {"txt": 1}]')
    with pytest.raises(ValueError, match="list of replies"):
        from_json("{}")


def test_as_a_process_it_prints_its_address_follows_its_script_and_writes_what_it_saw(tmp_path: Path) -> None:
    script, record = tmp_path / "script.json", tmp_path / "seen.jsonl"
    script.write_text('["from the script"]', encoding="utf-8")
    command = [sys.executable, "-m", "skillcaddy.standin", "0", "--script", str(script), "--record", str(record)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        port = int(url.removesuffix("/v1").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("POST", "/v1/chat/completions", json.dumps({"messages": [USER]}))
        said = json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]
        connection.close()
        process.terminate()
        assert process.wait(30) == 0
    assert said == "from the script"
    (row,) = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    assert row["body"]["messages"] == [USER]


def test_as_a_process_it_ends_at_its_time_limit() -> None:
    begun = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-m", "skillcaddy.standin", "--lasts", "0.2"], capture_output=True, timeout=60, check=True
    )
    assert run.stdout.startswith(b"http://127.0.0.1:")
    assert time.monotonic() - begun < 50
