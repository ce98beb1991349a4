"""Read test sets of ragas, in CSV, JSON, JSON Lines and Parquet.

A row has the query in `user_input`, and the contexts that the answer needs in
`reference_contexts`. Older versions wrote `question` and `contexts`, or
`ground_truth_context`. In other files of the older versions, `contexts` has what a
search returned. So `contexts` is read only in test sets that ragas generated.

If a query needs several contexts, ragas numbers them: `<1-hop>`, a blank line, and the
context. The numbers are removed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.ext.formats.golden_rows import Names, Row, names_in, rows_in
from pytest_relevance.ext.formats.golden_sets import (
    Goldens,
    GoldenSet,
    golden_format,
    texts_with_words,
)
from pytest_relevance.judgments.columns import shown_names
from pytest_relevance.judgments.model import CONTEXTS, IDS

_HOP = re.compile(r"\A\s*<\d+-hop>\s*")

_QUERY = "user_input"
_CONTEXTS = "reference_contexts"
_IDS = "reference_context_ids"
_OTHERS = ("retrieved_contexts", "reference", "response", "synthesizer_name")

_OLD_QUERY = "question"
_OLD_CONTEXTS = ("ground_truth_contexts", "ground_truth_context")
_MAYBE_RETURNED = "contexts"
_GENERATED = ("evolution_type", "episode_done", "question_type")
"""Columns of old test sets that ragas generated."""

_OLD_OTHERS = ("ground_truth", "ground_truths")


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of a test set, and what is in the column `needed`."""

    query: str
    needed: str
    needed_are: str = CONTEXTS


def _is_ragas(source: Source) -> bool:
    names = names_in(source)
    if names.has(_QUERY):
        return names.find(_CONTEXTS, _IDS, *_OTHERS) is not None
    if not names.has(_OLD_QUERY):
        return False
    return names.find(*_OLD_CONTEXTS, _MAYBE_RETURNED, *_OLD_OTHERS) is not None


def _read(source: Source) -> GoldenSet:
    layout = _layout(source, names_in(source))
    goldens = Goldens(source, layout.query)
    for row in rows_in(source):
        query = goldens.query_of(row, row.get(layout.query))
        needed = _needed(goldens, row, layout)
        goldens.add_text(query, needed, row, _why_none(row, layout.needed))
    return GoldenSet(goldens.end(), layout.needed_are)


def _layout(source: Source, names: Names) -> _Layout:
    """Return the columns of a test set. Raises FileError if it has no contexts."""
    query = names.find(_QUERY)
    if query is not None:
        return _new_layout(source, names, query)
    query = names.find(_OLD_QUERY)
    if query is None:
        source.refuse(
            f"a test set of ragas has {_QUERY} and {_CONTEXTS}; found {shown_names(names.all)}",
            Place(line=1),
        )
    needed = names.find(*_OLD_CONTEXTS)
    if needed is not None:
        return _Layout(query, needed)
    contexts = names.find(_MAYBE_RETURNED)
    if contexts is None:
        source.refuse(
            f"the test set has questions and answers, and no contexts ({_OLD_CONTEXTS[-1]}, or "
            f"{_CONTEXTS} in newer versions); found {shown_names(names.all)}",
            Place(line=1),
        )
    is_generated = names.find(*_GENERATED) is not None
    if not is_generated or names.has("answer"):
        source.refuse(
            f"{quoted(contexts)} may be what an answer needs, or what a search returned, which is not a judgment. If an "
            f"answer needs it, write {{file: ..., query: {query}, context: {contexts}}}",
            Place(line=1),
        )
    return _Layout(query, contexts)


def _new_layout(source: Source, names: Names, query: str) -> _Layout:
    contexts, ids = names.find(_CONTEXTS), names.find(_IDS)
    if contexts is not None and ids is not None:
        source.refuse(
            f"the test set has both contexts and ids of documents. Say which of them a search should find: {{file: "
            f"..., context: {contexts}}} or {{file: ..., document: {ids}}}",
            Place(line=1),
        )
    if contexts is not None:
        return _Layout(query, contexts)
    if ids is None:
        source.refuse(
            f"the test set has no {_CONTEXTS}, the texts that an answer needs; found {shown_names(names.all)}. "
            "retrieved_contexts are what a search returned, and no judgments",
            Place(line=1),
        )
    return _Layout(query, ids, IDS)


def _needed(goldens: Goldens, row: Row, layout: _Layout) -> list[str]:
    """Return the contexts, or the ids, that a row needs."""
    value = row.get(layout.needed)
    entries = goldens.list_of(row, layout.needed, value)
    if entries is None:
        entries = [value] if isinstance(value, str) and value.strip() else []
    if layout.needed_are == IDS:
        return entries
    return texts_with_words(_HOP.sub("", entry) for entry in entries)


def _why_none(row: Row, needed: str) -> str:
    if row.get("retrieved_contexts"):
        return f"it has no {needed}; retrieved_contexts are what a search returned"
    return f"it has no {needed}"


RAGAS = golden_format(
    "ragas",
    "a test set: user_input and reference_contexts",
    fits=_is_ragas,
    read=_read,
)
