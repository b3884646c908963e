"""The tool texts and manifests as each host gets them equal their one source, newlines included."""

from __future__ import annotations

import json

import pytest

from skillcaddy.guidance import LANGUAGES, as_json, tool_schemas
from skillcaddy.hosting import Host, hosts
from skillcaddy.manifests import stale


@pytest.mark.parametrize("host", hosts(), ids=lambda host: host.id)
def test_no_rendered_file_is_stale(host: Host) -> None:
    assert stale(host) == []


@pytest.mark.parametrize("host", hosts(), ids=lambda host: host.id)
def test_a_stale_file_would_be_seen(host: Host, tmp_path_factory: pytest.TempPathFactory) -> None:
    if host.manifests:
        elsewhere = Host(
            id=host.id, title=host.title, settings=host.settings, root=tmp_path_factory.mktemp("empty"),
            manifests=host.manifests,
        )  # fmt: skip
        assert len(stale(elsewhere)) == len(host.manifests)


WITH_TEXTS = [host for host in hosts() if "plugin/guidance.json" in host.manifests]


@pytest.mark.parametrize("host", WITH_TEXTS, ids=lambda host: host.id)
def test_a_shell_reads_the_tools_text_whole(host: Host) -> None:
    """T14: the paragraphs of a description survive on their way to the host."""
    read = (host.root / "plugin" / "guidance.json").read_text(encoding="utf-8")
    assert json.loads(read) == json.loads(as_json())
    for language in LANGUAGES:
        for tool in tool_schemas(language):
            assert json.dumps(tool.description, ensure_ascii=False) in read
            assert "\n" in tool.description
