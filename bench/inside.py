"""Measurements inside one process, run by speed.py: warm queries, one changed file, late sources, memory."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.library.analyze import terms
from skillcaddy.library.indexer import refresh
from skillcaddy.library.local import LocalSource
from skillcaddy.library.store import Store
from skillcaddy.paths import state_dir
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Trust

HITS = 20
"""As many hits as a retrieval asks the library for."""


def warm(tree: str, queries: Sequence[str]) -> dict[str, float]:
    """Warm searches and whole retrievals beside raw tantivy searches on the same index; changed file, late sources."""
    engine = _engine(tree)
    local = engine.local
    assert local is not None
    raw_search = _raw_search(local)
    whole, searches, raw = [], [], []
    for query in queries:
        raw.append(_timed(lambda query=query: raw_search(query)))
        searches.append(_timed(lambda query=query: local.search(query, HITS, Deadline.after(60))))
    fresh = _engine(tree)  # what the searches have remembered must not help the retrievals
    assert fresh.local is not None
    fresh.local.view(Deadline.after(60))
    for query in queries:
        whole.append(_timed(lambda query=query: fresh.retrieve(Request(query=query, surface="auto", recorded=False))))
    return {
        "warm search p50, ms": statistics.median(searches),
        "warm search p95, ms": _p95(searches),
        "raw tantivy p50, ms": statistics.median(raw),
        "raw tantivy p95, ms": _p95(raw),
        "whole warm retrieval p50, ms": statistics.median(whole),
        "whole warm retrieval p95, ms": _p95(whole),
        **_changed(tree),
        **_late(tree),
    }


def _raw_search(local: LocalSource) -> Callable[[str], list[bytes]]:
    """Tantivy alone on the library's index: any of the query's terms, as many of the best, with what is stored."""
    import tantivy

    local.view(Deadline.after(60))
    generation = Store(state_dir(), local.roots).open()
    assert generation is not None
    index = tantivy.Index.open(str(generation.folder))
    index.register_tokenizer("raw_terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    searcher, schema = index.searcher(), index.schema

    def search(query: str) -> list[bytes]:
        found = terms(query)
        parts = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term)) for term in found]
        hits = searcher.search(tantivy.Query.boolean_query(parts), HITS).hits
        return [searcher.doc(address).get_first("stored") for _, address in hits]

    return search


def _changed(tree: str) -> dict[str, float]:
    """A query after one file changed, seen by a fresh engine, less the same query with nothing changed."""
    path = next(Path(tree).glob("*/SKILL.md"))
    text = path.read_bytes()
    changed, unchanged = [], []
    try:
        for number in range(5):
            unchanged.append(_first_query(tree, "quizzaciously"))
            path.write_bytes(text + b"\nquizzaciously " + str(number).encode())
            changed.append(_first_query(tree, "quizzaciously"))
            path.write_bytes(text)
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
            _engine(tree, "inline").retrieve(Request(query="settle"))
            refresh(Store(state_dir(), [tree]), wait_s=30)
    finally:
        path.write_bytes(text)
    return {
        "query after one changed file, ms": statistics.median(changed),
        "changed file beyond the sweep, ms": max(0.1, statistics.median(changed) - statistics.median(unchanged)),
    }


def _first_query(tree: str, query: str) -> float:
    source = LocalSource([tree], state_dir(), indexing="never")
    return _timed(lambda: source.search(query, 10, Deadline.after(60)))


class _Late:
    weight = 1.0
    trust = Trust.CURATED

    def __init__(self, name: str, wait: Callable[[], None]) -> None:
        self.name = name
        self._wait = wait

    def search(self, query: str, limit: int, deadline: Deadline) -> list[Any]:
        self._wait()
        return []

    def body(self, skill: Any, deadline: Deadline) -> str:
        return ""


def _spin() -> None:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        pass


def _late(tree: str) -> dict[str, float]:
    deadline_s = 0.5
    found = {}
    for name, wait in (("hung", lambda: time.sleep(5)), ("spinning", _spin)):
        late = []
        for _ in range(3):
            local = LocalSource([tree], state_dir(), indexing="never")
            local.view(Deadline.after(60))
            engine = Engine(_settings(tree), sources=[local, _Late(name, wait)])
            took = _timed(
                lambda engine=engine: engine.retrieve(Request(query="pdf form", surface="auto", deadline_s=deadline_s))
            )
            late.append(max(0.0, took - deadline_s * 1000))
            if name == "spinning":
                time.sleep(5)  # the spinner must end before the next run, or two would share the interpreter
        found[f"{name} source, ms late"] = statistics.median(late)
    return found


def memory(tree: str, queries: Sequence[str]) -> dict[str, float]:
    """Megabytes of a server that has answered the queries."""
    engine = _engine(tree)
    for query in queries:
        engine.retrieve(Request(query=query, surface="auto", recorded=False))
    return {"server, MB": _peak_mb()}


def rank_bm25_memory(tree: str, queries: Sequence[str]) -> dict[str, float]:
    """Megabytes of a process that holds the library in rank_bm25."""
    from rank_bm25_process import build
    from references import peer_tokens

    _, index = build(tree)
    index.get_scores(peer_tokens(queries[0]))
    return {"rank_bm25, MB": _peak_mb()}


def hook_memory(program: str, event: str) -> dict[str, float]:
    """Megabytes of one hook process; this small one is its parent, since a child's peak counts from before its exec."""
    subprocess.run([sys.executable, "-c", program], input=event.encode(), stdout=subprocess.DEVNULL, check=True)
    return {"hook process, MB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _settings(tree: str) -> Settings:
    return Settings(skills_dirs=(tree,), shared_library="off")


def _engine(tree: str, indexing: Any = "never") -> Engine:
    return Engine(_settings(tree), state_dir=state_dir(), indexing=indexing, third_party=False)


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    if sys.argv[1] == "hook_memory":
        print(json.dumps(hook_memory(*sys.argv[2:])))
    else:
        chosen: list[str] = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
        commands = {"warm": warm, "memory": memory, "rank_bm25_memory": rank_bm25_memory}
        print(json.dumps(commands[sys.argv[1]](sys.argv[2], chosen)))
