"""Read the datasets of LlamaIndex in JSON: pairs, and labelled examples.

Pairs (`EmbeddingQAFinetuneDataset`) are an object with `queries`, {id: text},
`corpus`, {id: text}, and `relevant_docs`, {id of a query: ids of documents}. A query
needs the texts of its documents, or their ids if the user writes
`document: relevant_docs`.

Labelled examples (`LabelledRagDataset`) are a list `examples` of objects with `query`
and `reference_contexts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._json_text import JsonPath, as_text, found_json
from pytest_relevance._problems import Problems
from pytest_relevance._source import Source
from pytest_relevance._text import counted, examples, quoted
from pytest_relevance.ext.formats.golden_rows import names_in, rows_in
from pytest_relevance.ext.formats.golden_sets import (
    Golden,
    Goldens,
    GoldenSet,
    golden_format,
    texts_with_words,
)
from pytest_relevance.judgments.formats import DOCUMENT
from pytest_relevance.judgments.model import CONTEXTS, IDS, Query

_QUERIES = "queries"
_CORPUS = "corpus"
_RELEVANT = "relevant_docs"
_EXAMPLES = "examples"
_CONTEXTS = "reference_contexts"


def _is_llama_index(source: Source) -> bool:
    return _has_pairs(source) or _has_examples(source)


def _has_pairs(source: Source) -> bool:
    return _QUERIES in source.json_object and _RELEVANT in source.json_object


def _has_examples(source: Source) -> bool:
    return names_in(source, _EXAMPLES).has("query", _CONTEXTS)


def _read(source: Source) -> GoldenSet:
    asked = source.options.get(DOCUMENT)
    if _has_examples(source):
        if asked is not None:
            source.refuse(f"the examples have texts and no ids; leave {DOCUMENT} out")
        return _read_examples(source)
    if not _has_pairs(source):
        source.refuse(
            f"a dataset of LlamaIndex is an object with {_QUERIES}, {_CORPUS} and {_RELEVANT}, or with {_EXAMPLES}"
        )
    if asked not in (None, _RELEVANT):
        source.refuse(
            f"the ids of the documents are under {_RELEVANT}; write {DOCUMENT}: {_RELEVANT}, or leave it out to look "
            "for the texts of the corpus"
        )
    pairs = _Pairs(source, Problems(source.file), are_ids=asked is not None)
    return pairs.read()


def _read_examples(source: Source) -> GoldenSet:
    goldens = Goldens(source, "query")
    for row in rows_in(source, _EXAMPLES):
        query = goldens.query_of(row, row.get("query"))
        contexts = goldens.list_of(row, _CONTEXTS, row.get(_CONTEXTS))
        needed = texts_with_words(contexts or ())
        goldens.add_text(query, needed, row, f"it has no {_CONTEXTS}")
    return GoldenSet(goldens.end())


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Reads pairs of queries and documents.

    `are_ids`: whether a query needs the ids of its documents, not their texts.
    """

    source: Source
    problems: Problems
    are_ids: bool

    def read(self) -> GoldenSet:
        """Return the queries and what they need. Raises FileError for mistakes."""
        queries = self._mapping(_QUERIES)
        corpus = self._mapping(_CORPUS)
        relevant = self._mapping(_RELEVANT)
        self.problems.raise_if_any()
        goldens = []
        for key, value in queries.items():
            path = (_QUERIES, key)
            text = as_text(value)
            if text is None:
                self._wrong(f"a query is text, found {found_json(value)}", path)
                continue
            needed = self._needed(key, relevant.get(key), corpus)
            why_none = f"it has nothing under {_RELEVANT}"
            place = self.source.place(path)
            goldens.append(Golden(Query(key, text), needed, place, why_none))
        self.problems.raise_if_any()
        notices = []
        unknown = [key for key in relevant if key not in queries]
        if unknown:
            ids = counted(len(unknown), "id")
            notices.append(
                f"{ids} of {_RELEVANT} stand for no query under {_QUERIES}: {examples(unknown)}"
            )
        needed_are = IDS if self.are_ids else CONTEXTS
        return GoldenSet(goldens, needed_are, notices)

    def _mapping(self, key: str) -> Mapping[str, object]:
        """Return the object under a key of the file.

        Record a mistake if there is none. The corpus may be missing if ids are read.
        """
        value = self.source.json_object.get(key)
        if isinstance(value, dict):
            return value
        if value is None and key == _CORPUS and self.are_ids:
            return {}
        advice = ""
        if key == _CORPUS:
            advice = f"; to look for the ids, write {DOCUMENT}: {_RELEVANT}"
        self._wrong(
            f"{quoted(key)} is an object by ids, found {found_json(value)}{advice}",
            (key,),
        )
        return {}

    def _needed(
        self, query: str, ids: object, corpus: Mapping[str, object]
    ) -> list[str]:
        """Return the texts, or the ids, of the documents that a query needs."""
        if ids is None:
            return []
        if not isinstance(ids, list):
            self._wrong(
                f"a query has a list of ids, found {found_json(ids)}",
                (_RELEVANT, query),
            )
            return []
        needed = []
        for number, value in enumerate(ids):
            path: JsonPath = (_RELEVANT, query, number)
            key = as_text(value)
            if key is None:
                self._wrong(f"an id is text, found {found_json(value)}", path)
            elif self.are_ids:
                needed.append(key)
            else:
                texts = texts_with_words([as_text(corpus.get(key)) or ""])
                needed += texts
                if not texts:
                    self._wrong(
                        f"the {_CORPUS} has no text for the document {quoted(key)}",
                        path,
                    )
        return needed

    def _wrong(self, message: str, path: JsonPath) -> None:
        self.problems.add(message, self.source.place(path))


LLAMA_INDEX = golden_format(
    "llama-index",
    "pairs: queries, corpus and relevant_docs; or examples with reference_contexts",
    fits=_is_llama_index,
    read=_read,
    options=frozenset({DOCUMENT}),
)
