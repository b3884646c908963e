"""The real server under the protocol's own client, every version, and its inspector. Run by `nox -s mcp`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import installed
import mcp_types as types
import pytest
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from skillcaddy.mcp import VERSIONS

SKILL = "---\nname: rotate-keys\ndescription: How to rotate the release signing keys.\n---\nThe phrase is ZEBRA-42.\n"
SERVER = [sys.executable, "-P", "-m", "skillcaddy", "mcp"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "skills" / "rotate").mkdir(parents=True)
    (tmp_path / "skills" / "rotate" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return {"SKILLCADDY_HOME": str(tmp_path / "home"), "SKILLCADDY_SKILLS_DIRS": str(tmp_path / "skills")}


def parameters(environ: dict[str, str]) -> StdioServerParameters:
    return StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=environ)


def within(seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), seconds))


@asynccontextmanager
async def session(environ: dict[str, str], version: str, **options: Any) -> AsyncIterator[ClientSession]:
    """The official client's session, with the handshake made for one version."""
    async with stdio_client(parameters(environ)) as (read, write), ClientSession(read, write, **options) as opened:
        offered = types.ClientCapabilities(sampling=types.SamplingCapability() if options else None)
        asked = types.InitializeRequestParams(
            protocol_version=version,
            capabilities=offered,
            client_info=types.Implementation(name="peer", version="0"),
        )
        result = await opened.send_request(types.InitializeRequest(params=asked), types.InitializeResult)
        opened.adopt(result)
        await opened.send_notification(types.InitializedNotification())
        yield opened


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_the_versions_served_are_all_that_the_client_can_shake_hands_for() -> None:
    assert sorted(VERSIONS) == sorted(HANDSHAKE_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_whole_session_in_each_version(environ: dict[str, str], version: str) -> None:
    async def work() -> None:
        async with session(environ, version) as client:
            assert client.initialize_result is not None
            assert client.initialize_result.protocol_version == version
            assert client.initialize_result.server_info.name == "skillcaddy"
            await client.send_ping()
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["skill_search", "skill_open"]
            assert "\n\n" in (tools[0].description or "")
            found = await client.call_tool("skill_search", {"query": "how do we rotate signing keys"})
            assert "ZEBRA-42" in text_of(found)
            assert not found.is_error
            opened = await client.call_tool("skill_open", {"id": "local:rotate"})
            assert "ZEBRA-42" in text_of(opened)
            big = await client.call_tool("skill_search", {"query": "x" * 10_000_000})
            assert not big.is_error
            with pytest.raises(MCPError) as caught:
                await client.call_tool("skill_serch", {})
            assert caught.value.error.code == -32602

    within(60, work)


def test_an_unknown_version_is_answered_with_the_newest(environ: dict[str, str]) -> None:
    async def work() -> None:
        async with session(environ, "2031-01-01") as client:
            assert client.initialize_result is not None
            assert client.initialize_result.protocol_version == VERSIONS[0]

    within(60, work)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_high_level_client_comes_to_terms_by_itself(environ: dict[str, str], mode: Any) -> None:
    """`auto` first tries the version without a handshake and must understand our refusal."""

    async def work() -> None:
        async with Client(stdio_client(parameters(environ)), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 2
            found = await client.call_tool("skill_search", {"query": "how do we rotate the release signing keys"})
            assert "ZEBRA-42" in text_of(found)

    within(60, work)


def test_a_client_pinned_to_the_version_without_a_handshake_is_refused_cleanly(environ: dict[str, str]) -> None:
    async def work() -> None:
        async with Client(stdio_client(parameters(environ)), mode="2026-07-28") as client:
            with pytest.raises(MCPError) as caught:
                await client.list_tools()
            assert caught.value.error.code == types.UNSUPPORTED_PROTOCOL_VERSION
            refused = types.UnsupportedProtocolVersionErrorData.model_validate(caught.value.error.data)
            assert set(VERSIONS) <= set(refused.supported)

    within(60, work)


def test_many_calls_at_once_are_all_answered(environ: dict[str, str]) -> None:
    async def work() -> None:
        async with session(environ, VERSIONS[0]) as client:
            queries = [{"query": f"how do we rotate the release signing keys, case {number}"} for number in range(40)]
            answers = await asyncio.gather(*(client.call_tool("skill_search", query) for query in queries))
            assert all("ZEBRA-42" in text_of(answer) for answer in answers)

    within(60, work)


def test_auto_mode_is_a_healthy_server_without_tools(environ: dict[str, str]) -> None:
    """T28, T35"""

    async def work() -> None:
        async with session({**environ, "SKILLCADDY_MODE": "auto"}, VERSIONS[0]) as client:
            assert (await client.list_tools()).tools == []
            refused = await client.call_tool("skill_search", {"query": "how do we rotate the release signing keys"})
            assert refused.is_error
            assert "ZEBRA-42" not in text_of(refused)

    within(60, work)


def test_the_clients_model_judges_candidates_where_it_offers_sampling(environ: dict[str, str]) -> None:
    asked: list[types.CreateMessageRequestParams] = []

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        asked.append(params)
        text = types.TextContent(type="text", text='{"keep": []}')
        return types.CreateMessageResult(role="assistant", content=text, model="peer-model")

    async def work() -> None:
        async with session({**environ, "SKILLCADDY_GATE": "on"}, VERSIONS[0], sampling_callback=sample) as client:
            await client.call_tool("skill_search", {"query": "how do we rotate the release signing keys"})

    within(60, work)
    assert asked
    assert "rotate" in json.dumps([message.model_dump(mode="json") for message in asked[0].messages])


def inspector(environ: dict[str, str], *arguments: str) -> Any:
    # Like most clients it hands its server a short environment, and what is named for it.
    named = [word for name, value in environ.items() for word in ("-e", f"{name}={value}")]
    node, script = installed.inspector()
    command = [str(node), str(script), "--cli", *named, *SERVER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_the_tools(environ: dict[str, str]) -> None:
    listed = inspector(environ, "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]] == ["skill_search", "skill_open"]
    call = (
        "--method",
        "tools/call",
        "--tool-name",
        "skill_search",
        "--tool-arg",
        "query=how do we rotate the release signing keys",
    )
    assert "ZEBRA-42" in inspector(environ, *call)["content"][0]["text"]
