"""Turn labels of vector indexes into documents.

A label is a row number of an index, which the attribute `ids` of the fixture's value
turns into an id or a document. `ext/shapes` finds the labels in what vector indexes
return. This module reads the labels in lists, in rows and in mappings.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any

from pytest_relevance._text import counted, shown
from pytest_relevance.results.responses.ambiguous_ids import USUAL_IDS
from pytest_relevance.results.responses.errors import (
    UnreadableRanking,
    type_in_words,
    unreadable,
)
from pytest_relevance.results.responses.fields import NESTED, WITHOUT_FIELDS, Fields
from pytest_relevance.results.responses.ids import fields_of
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.rows import BareRow, read_row
from pytest_relevance.results.responses.values import is_integer, is_row

NOTHING_FOUND = -1
"""The label by which faiss fills up the results of a query that finds too few."""


def declares_ids(search: object) -> bool:
    """Say whether a search has an attribute `ids` with data, so that it returns labels.

    A property or a method with this name does not count, because it may have another
    meaning. It is not called.
    """
    if type(search) is MethodType:
        search = search.__func__
    ids = inspect.getattr_static(search, "ids", None)
    if inspect.ismemberdescriptor(ids):
        ids = getattr(search, "ids", None)
    return not (ids is None or callable(ids) or isinstance(ids, property))


class Labels:
    """Turns labels (row numbers of a vector index) into documents.

    `get`: returns the attribute `ids` of the search, which has the document of each
    label; None if there is none.
    `are_declared`: whether the attribute says that the search returns labels
    (`declares_ids`).
    `were_used`: whether labels of the response were turned into documents.
    """

    def __init__(
        self, get: Callable[[], object] | None, *, are_declared: bool = False
    ) -> None:
        self._get = get
        self._are_declared = are_declared
        self.were_used = False

    def read(self) -> object:
        """Return the attribute `ids`, and note that the response has labels."""
        ids = None if self._get is None else self._get()
        self.were_used = ids is not None
        return ids

    @property
    def may_apply(self) -> bool:
        """Say whether the results may be labels that are not documents yet."""
        return self._get is not None and not self.were_used

    def translated(
        self, rows: Sequence[BareRow], names: Sequence[str]
    ) -> Sequence[BareRow] | None:
        """Return rows with the documents of labels; None if `rows` are not labels.

        They are not labels if

        - the search does not declare labels, and no result is an integer
        - the search has no attribute `ids`, or it is a method
        - no result is an integer, and a text is not a key of `ids`

        `names`: the fields that may have the label.

        Raises `UnreadableRanking` if some results are integers and others are not
        labels, or if an integer is not in `ids`.
        """
        labels = _labels_of([row.document for row in rows], names)
        are_integers = [is_integer(label) for label in labels]
        if not (self._are_declared or any(are_integers)):
            return None
        ids = None if self._get is None else self._get()
        if ids is None or callable(ids):  # a method of the search's own
            return None
        ids = _checked_ids(ids)
        if not all(_is_label(label, ids) for label in labels):
            if any(are_integers):
                raise _mixed(labels, are_integers)
            return None
        self.were_used = True
        documents = []
        for row, label in zip(rows, labels, strict=True):
            if label != NOTHING_FOUND:
                key = label if isinstance(label, str) else operator.index(label)
                entry = _document_of(ids, key)
                documents.append(_with_entry(row, entry, names))
        return documents

    def refuse_unused(self, results: Sequence[object]) -> None:
        """Raise `UnreadableRanking` if the search declares `ids` and no label came."""
        if not results or self.were_used or not self._are_declared:
            return
        raise UnreadableRanking(
            "the fixture's value has an attribute ids, which turns labels (integers) into ids, and search returned no "
            f"labels: result 1 of {len(results)} is {shown(results[0], 200)}; take the attribute ids out, or give it "
            "another name, or return labels"
        )


def _labels_of(documents: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return the label of each document: a field, or the document without fields."""
    values = Fields(documents).first_of(names, NESTED)
    pairs = zip(documents, values, strict=True)
    return [document if value is None else value for document, value in pairs]


def _is_label(value: object, ids: Any) -> bool:
    """Say whether a value is an integer, or a text that is a key of `ids`."""
    if is_integer(value):
        return True
    return isinstance(value, str) and isinstance(ids, Mapping) and value in ids


def _mixed(labels: Sequence[object], are_integers: Sequence[bool]) -> UnreadableRanking:
    """Return the exception for results of which only some are labels."""
    other = are_integers.index(False)
    return UnreadableRanking(
        "search returned labels (integers) for the attribute ids of the fixture's value, and among them "
        f"{shown(labels[other])} as result {other + 1} of {len(labels)}; return labels alone, or ids alone"
    )


def _with_entry(row: BareRow, entry: Any, names: Sequence[str]) -> BareRow:
    """Return a row whose document is the entry in `ids`, in the place of its label.

    The other fields of the result stay.

    `names`: the fields that may have the label.
    """
    title, document = row.title, entry
    if is_row(entry):
        parts = read_row(entry)
        title, document = title or parts.title, parts.document
    own = _without_label(row.document, names)
    is_id = isinstance(document, WITHOUT_FIELDS) or not fields_of(document)
    if own and is_id:
        document = {**own, names[0]: document}
    elif own:
        document = {**fields_of(document), **own}
    return BareRow(document=document, title=title, score=row.score)


def _without_label(document: Any, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the fields of a result that are not ids; {} for a bare label."""
    if is_integer(document) or isinstance(document, WITHOUT_FIELDS):
        return {}
    left_out = USUAL_IDS.union(names)
    fields = fields_of(document).items()
    return {name: value for name, value in fields if name not in left_out}


# --- the attribute `ids` --------------------------------------------------------------


def documents_of(
    labels: Sequence[int], options: ReadOptions, response: object
) -> list[object]:
    """Return the ids, or the documents, that labels stand for.

    `response`: what a message shows. Raises `UnreadableRanking` if the fixture's
    value has no attribute `ids`, or if a label is not in it.
    """
    if not labels:
        return []
    ids = _checked_ids(None if options.ids is None else options.ids())
    if ids is None:
        advice = (
            "give the fixture's value an attribute ids that turns labels into ids: "
            "search.ids = [...] with the ids in the order of insertion, or a "
            "mapping from label to id. If the labels are the ids, return them in a "
            "list: labels[0].tolist(), or with distances zip(labels[0].tolist(), "
            "distances[0].tolist())"
        )
        raise unreadable("labels of an index", response, advice)
    return [_document_of(ids, label) for label in labels]


def _checked_ids(ids: Any) -> Any:
    """Return the attribute `ids` of the fixture's value; None stays None.

    Raises `UnreadableRanking` if it is neither a list nor a mapping.
    """
    if ids is None:
        return None
    has_items = hasattr(ids, "__getitem__") and hasattr(ids, "__len__")
    is_table = hasattr(ids, "columns") or hasattr(ids, "iloc")
    is_flat = getattr(ids, "ndim", 1) == 1 and not isinstance(ids, (str, bytes))
    if has_items and is_flat and not is_table:
        return ids
    raise UnreadableRanking(
        f"the attribute ids of the fixture's value is {type_in_words(ids)}, {shown(ids)}; "
        "make it a list of ids, in the order of the labels, or a mapping from label to id (series.to_dict())"
    )


def _document_of(ids: Any, label: int | str) -> object:
    """Return the id, or the document, that one label stands for.

    The keys of a mapping may be integers or, as in JSON, text. Raises
    `UnreadableRanking` for a label that is not in `ids`.
    """
    # A defaultdict or a Counter would make up an entry. A list counts -1 from its end.
    known = ids if hasattr(ids, "keys") else range(len(ids))
    for key in (label, str(label)):
        if key in known:
            return ids[key]
    raise UnreadableRanking(
        f"search returned the label {label}, which is not in the attribute ids of the fixture's value, "
        f"{type_in_words(ids)} of {counted(len(ids), 'entry', 'entries')}; build ids together with the index"
    )
