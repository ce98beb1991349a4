"""Read the datasets of LlamaIndex in JSON: pairs, and labelled examples.

Pairs (`EmbeddingQAFinetuneDataset`) have `queries`, {id: text}, `corpus`, {id: text},
and `relevant_docs`, {id of a query: ids of the corpus}. A query needs the texts of its
documents. If a user asks for `document: relevant_docs`, it needs their ids.

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
    texts_alone,
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
    return _Pairs(source, are_ids=asked is not None).read()


def _read_examples(source: Source) -> GoldenSet:
    goldens = Goldens(source, "query")
    for row in rows_in(source, _EXAMPLES):
        query = goldens.query_of(row, row.get("query"))
        contexts = goldens.list_of(row, _CONTEXTS, row.get(_CONTEXTS))
        needed = texts_alone(contexts or ())
        goldens.add_text(query, needed, row, f"it has no {_CONTEXTS}")
    return GoldenSet(goldens.end())


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Reads pairs of queries and documents.

    `are_ids`: whether a query needs the ids of its documents, not their texts.
    """

    source: Source
    are_ids: bool

    def read(self) -> GoldenSet:
        problems = Problems(self.source.file)
        queries = self._mapping(_QUERIES, problems)
        corpus = self._mapping(_CORPUS, problems)
        relevant = self._mapping(_RELEVANT, problems)
        problems.raise_if_any()
        goldens = []
        for key, value in queries.items():
            place = self.source.place((_QUERIES, key))
            text = as_text(value)
            if text is None:
                problems.add(f"a query is text, found {found_json(value)}", place)
                continue
            needed = self._needed(key, relevant.get(key), corpus, problems)
            why_none = f"it has nothing under {_RELEVANT}"
            goldens.append(Golden(Query(key, text), needed, place, why_none))
        problems.raise_if_any()
        notices = []
        unknown = [key for key in relevant if key not in queries]
        if unknown:
            ids = counted(len(unknown), "id")
            notices.append(
                f"{ids} of {_RELEVANT} stand for no query under {_QUERIES}: {examples(unknown)}"
            )
        needed_are = IDS if self.are_ids else CONTEXTS
        return GoldenSet(goldens, needed_are, notices)

    def _mapping(self, key: str, problems: Problems) -> Mapping[str, object]:
        value = self.source.json_object.get(key)
        if isinstance(value, dict):
            return value
        if value is None and key == _CORPUS and self.are_ids:
            return {}
        advice = ""
        if key == _CORPUS:
            advice = f"; to look for the ids, write {DOCUMENT}: {_RELEVANT}"
        problems.add(
            f"{quoted(key)} is an object by ids, found {found_json(value)}{advice}",
            self.source.place((key,)),
        )
        return {}

    def _needed(
        self,
        query: str,
        ids: object,
        corpus: Mapping[str, object],
        problems: Problems,
    ) -> list[str]:
        """Return the texts, or the ids, of the documents that a query needs."""
        if ids is None:
            return []
        if not isinstance(ids, list):
            problems.add(
                f"a query has a list of ids, found {found_json(ids)}",
                self.source.place((_RELEVANT, query)),
            )
            return []
        needed = []
        for number, value in enumerate(ids):
            path: JsonPath = (_RELEVANT, query, number)
            key = as_text(value)
            if key is None:
                problems.add(
                    f"an id is text, found {found_json(value)}", self.source.place(path)
                )
            elif self.are_ids:
                needed.append(key)
            else:
                texts = texts_alone([as_text(corpus.get(key)) or ""])
                needed += texts
                if not texts:
                    problems.add(
                        f"the {_CORPUS} has no text for the document {quoted(key)}",
                        self.source.place(path),
                    )
        return needed


LLAMA_INDEX = golden_format(
    "llama-index",
    "pairs: queries, corpus and relevant_docs; or examples with reference_contexts",
    fits=_is_llama_index,
    read=_read,
    options=frozenset({DOCUMENT}),
)
