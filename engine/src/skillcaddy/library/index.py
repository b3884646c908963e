"""The full-text index of one library: a thin, crash-safe layer over tantivy.

One field holds the weighted, already analysed text of a skill (name, tags, description and body), since summing
scores of separate fields ranks measurably worse. Everything needed to show or judge a hit is stored beside it, so a
query touches no SKILL.md file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tantivy

SCHEMA_VERSION = 8
"""Part of an index's identity: raised with every change of what is stored, in its records and beside it."""
_HEAP_BYTES = 64_000_000
_MIN_HEAP_BYTES = 15_000_000
_REMEMBERED_DOCUMENTS = 4096
_REMEMBERED_TERMS = 50_000


class IndexDamagedError(Exception):
    """The stored index cannot be used; it has to be built anew."""


class Document(NamedTuple):
    """One skill as the index takes it in."""

    key: str
    """Absolute path of its SKILL.md; one document a key."""
    name_key: str
    """The name under which skills of later roots are shadowed."""
    root: int
    """Position of its root in the ordered set of roots."""
    text: str
    """White-space-separated terms, repeated by weight."""
    record: bytes
    """What a hit shows, as `documents` writes and reads it."""


class Match(NamedTuple):
    """One document that matches a query, with tantivy's BM25 score (k1 1.2, b 0.75)."""

    key: str
    score: float
    root: int
    record: bytes


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="raw_terms", index_option="freq")
    # Only searched for: all that is stored lies in one field, since each further one costs a look-up as much again.
    builder.add_text_field("key", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("name_key", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("stored", stored=True, indexed=False)
    return builder.build()


class Index:
    """An open index; reading needs no lock, and a reader keeps what it sees until `reload`."""

    def __init__(self, inner: Any) -> None:
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        inner.register_tokenizer("raw_terms", analyzer)
        self._inner = inner
        self._schema = inner.schema
        self._see()

    @classmethod
    def in_memory(cls) -> Index:
        """A new, empty index that lives in this process only."""
        return cls(tantivy.Index(_schema()))

    @classmethod
    def create(cls, folder: Path) -> Index:
        """A new, empty index in an existing, empty folder; raises OSError or ValueError where it can't be written."""
        return cls(tantivy.Index(_schema(), path=str(folder)))

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The index in a folder; raises IndexDamagedError when there is none, or one that can't be read."""
        try:
            inner = tantivy.Index.open(str(folder))
            inner.config_reader(reload_policy="Manual", num_warmers=0)
            return cls(inner)
        except BaseException as error:
            raise _damaged(error, folder) from error

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    @property
    def document_count(self) -> int:
        """Number of documents in the index."""
        return int(self._searcher.num_docs)

    def document_frequency(self, term: str) -> int:
        """Number of documents that hold an analysed term."""
        return self.frequencies[term]

    def search(self, terms: Sequence[tuple[str, float]], limit: int) -> list[Match]:
        """The best matches for any of the (term, boost) pairs, best first; IndexDamagedError on a broken file."""
        if not terms:
            return []
        query_of, occur = tantivy.Query, tantivy.Occur.Should
        parts = []
        for term, boost in terms:
            query = query_of.term_query(self._schema, "text", term, index_option="freq")
            parts.append((occur, query if boost == 1.0 else query_of.boost_query(query, boost)))
        try:
            found = self._searcher.search(query_of.boolean_query(parts), limit, count=False).hits
            return [self._match(address, score) for score, address in found]
        except BaseException as error:
            raise _damaged(error, None) from error

    def named(self, name_key: str, limit: int = 16) -> list[Match]:
        """The documents of one name, in no particular order."""
        try:
            query = tantivy.Query.term_query(self._schema, "name_key", name_key, index_option="basic")
            found = self._searcher.search(query, limit, count=False).hits
            return [self._match(address, score) for score, address in found]
        except BaseException as error:
            raise _damaged(error, None) from error

    def write(self, documents: Iterable[Document], removed: Iterable[str] = (), *, threads: int = 1) -> int:
        """Put documents in (replacing those of the same key), take the removed keys out; one atomic commit.

        Returns the number of documents put in. Raises OSError or ValueError where the index can't be written, for
        example on a full disk or when another process writes.
        """
        writer = self._inner.writer(heap_size=max(_MIN_HEAP_BYTES * threads, _HEAP_BYTES), num_threads=threads)
        fresh = len(self) == 0
        count = 0
        for key in removed:
            writer.delete_documents_by_term("key", key)
        for document in documents:
            if not fresh:
                writer.delete_documents_by_term("key", document.key)
            writer.add_document(
                tantivy.Document(
                    text=document.text,
                    key=document.key,
                    name_key=document.name_key,
                    stored=b"%s\0%d\0%s" % (_bytes(document.key), document.root, document.record),
                )
            )
            count += 1
        writer.commit()
        writer.wait_merging_threads()
        self.reload()
        return count

    def reload(self) -> None:
        """See what has been committed since, by this process or another."""
        self._inner.reload()
        self._see()

    def _see(self) -> None:
        self._searcher = self._inner.searcher()
        # What one searcher says never changes, and the turns of a conversation ask for much the same.
        self.frequencies = _Frequencies(self._searcher)
        self._documents: dict[tuple[int, int], tuple[str, int, bytes]] = {}

    def _match(self, address: Any, score: float) -> Match:
        place = (address.segment_ord, address.doc)
        known = self._documents.get(place)
        if known is None:
            key, root, record = self._searcher.doc(address).get_first("stored").split(b"\0", 2)
            known = key.decode("utf-8", "surrogateescape"), int(root), record
            if len(self._documents) >= _REMEMBERED_DOCUMENTS:
                self._documents.clear()
            self._documents[place] = known
        key, root, record = known
        return Match(key, score, root, record)


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")


class _Frequencies(dict[str, int]):
    """How many documents hold a term, for any term; a look-up of a known one costs next to nothing."""

    def __init__(self, searcher: Any) -> None:
        super().__init__()
        self._searcher = searcher

    def __missing__(self, term: str) -> int:
        found = int(self._searcher.doc_freq("text", term))
        if len(self) < _REMEMBERED_TERMS:
            self[term] = found
        return found


def _damaged(error: BaseException, folder: Path | None) -> BaseException:
    # A broken segment makes tantivy panic, and a panic is a BaseException.
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)):
        return error
    return IndexDamagedError(f"{folder or 'index'}: {type(error).__name__}: {error}")
