"""Read results that are not documents: bare rows, and labels of vector indexes.

A bare row has no names: `(id,)`, `(id, score)`, `(id, title)` and `(id, title, score)`.
Its parts are told apart by type: a text in second place is a title, a number is a
score. Rows whose types allow two readings are refused.

A label is a row number of an index, which the attribute `ids` of the fixture's value
turns into an id. `ext/shapes` finds the labels in what vector indexes return. This
module reads the labels in lists, in rows and in mappings.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from types import MethodType
from typing import Any

from pytest_relevance._ids import exact_text
from pytest_relevance._text import LONGEST_SHOWN, counted, shown
from pytest_relevance.results.responses.fields import (
    NESTED,
    SCALARS,
    WITHOUT_FIELDS,
    Fields,
)
from pytest_relevance.results.responses.ids import USUAL_IDS, fields_of
from pytest_relevance.results.responses.reading import (
    BadResult,
    ReadOptions,
    UnreadableRanking,
    type_in_words,
    unreadable,
)
from pytest_relevance.results.responses.values import (
    is_fraction,
    is_id,
    is_integer,
    is_row,
    is_score,
)

# --- bare rows ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BareRow:
    """The parts of a bare row.

    `document`: an id, or a mapping or an object that has one.
    `text`: the text, if the case has passages and the row has a text of its own.
    """

    document: object
    title: str | None = None
    score: object = None
    text: str | None = None


_NO_ROW = (
    "is not a (id, score), (id, title) or (id, title, score) row; return the results of one query: ids, such rows "
    "as tuples, or mappings or objects with an id (arrays of distances and labels as a tuple, not as lists)"
)


_NO_ROW_WITH_TEXT = (
    "is not a (text, score), (id, text) or (id, text, score) row; return the results of one query: texts, such rows as "
    "tuples, or mappings or objects with a text (of a database: its cursor, or rows as dicts)"
)


def read_row(row: Sequence[Any], *, has_texts: bool = False) -> BareRow:
    """Return the parts of a bare row.

    `has_texts`: whether a text in first or second place is the text of the result,
        because the case has passages. It is returned as the document or the title.

    Raises `BadResult` for a row of another shape.
    """
    if len(row) == 2:
        return _read_pair(row, has_texts=has_texts)
    if isinstance(row, tuple) and len(row) == 1:
        return BareRow(row[0])
    if isinstance(row, tuple) and len(row) == 3:
        id_, title, score = row
        # A Decimal is an id here. In a pair it may be a score: (score, id).
        has_id = id_ is None or is_id(id_) or exact_text(id_) is not None
        if has_id and is_title(title) and is_score(score):
            return BareRow(id_, title=title, score=score)
    raise BadResult(_NO_ROW_WITH_TEXT if has_texts else _NO_ROW)


def _read_pair(row: Sequence[Any], *, has_texts: bool) -> BareRow:
    """Return the parts of a pair: (id, score), (id, title) or (score, document).

    Raises `BadResult` for another pair.
    """
    first, second = row
    may_be_swapped = is_fraction(first) and is_integer(second)
    if is_score(second) and not may_be_swapped:
        return BareRow(first, score=second)
    has_id = first is None or is_id(first)
    if isinstance(row, tuple) and has_id and is_title(second):
        return BareRow(first, title=second)
    if not is_fraction(first):
        raise BadResult(_NO_ROW_WITH_TEXT if has_texts else _NO_ROW)
    if is_id(second) and not has_texts:
        raise BadResult(
            "is a (score, id) pair; return (id, score) pairs, with ids as text or integers"
        )
    return BareRow(second, score=first)


def is_title(value: object) -> bool:
    """Say whether a value can stand for a title: a text, or None for a missing one."""
    return value is None or isinstance(value, str)


# --- results that may be something else -----------------------------------------------

_BESIDE = SCALARS | {float, bool, type(None)}
"""Types of values that may stand beside the results: a total, a cursor."""


def refuse_row_beside_value(kinds: Set[type], results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` if results mix rows and single values: `(ids, total)`.

    `kinds`: the types of the results.
    """
    has_rows = any(issubclass(kind, (tuple, list)) for kind in kinds)
    has_hit = isinstance(results, tuple) and dict in kinds
    is_row_beside = has_rows and not kinds.isdisjoint(_BESIDE)
    is_hit_beside = has_hit and not kinds.isdisjoint(SCALARS)
    if not (is_row_beside or is_hit_beside):
        return
    advice = "return the results alone, without a total or a cursor beside them"
    rows = []
    for number, part in enumerate(results):
        if isinstance(part, (tuple, list)):
            rows.append(number)
    if len(rows) == 1:
        advice = f"{advice}: return response[{rows[0]}]"
    raise unreadable("rows beside single values", results, advice, LONGEST_SHOWN)


def refuse_ambiguity(results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` if it is not clear which part of the rows is the id.

    For example, (1, "boots") alone is an id and a title. But if the next rows are
    (2, "shoes") and (3, "socks"), the numbers may be ranks.
    """
    for row in results:
        if not (is_row(row) and len(row) in (2, 3) and is_integer(row[0])):
            return
    if not results:
        return
    firsts = [operator.index(row[0]) for row in results]
    others = [row[1] for row in results]
    are_pairs = all(len(row) == 2 for row in results)
    may_be_scores = are_pairs and _are_scores_and_ids(firsts, others)
    if may_be_scores or _are_ranks_and_ids(firsts, others):
        raise UnreadableRanking(
            f"search returned rows of an integer and another part, {shown(results[0])} first, of which either may be "
            "the id; return ids alone, mappings with an id and a title or a score, or (id, float(score)) pairs"
        )


def _are_ranks_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Say whether the parts of rows may be ranks and ids.

    The integers count up from 0 or 1. The texts beside them are different single words,
    as ids are and titles seldom are.
    """
    if len(firsts) < 2 or firsts[0] not in (0, 1):
        return False
    counted_up = range(firsts[0], firsts[0] + len(firsts))
    if list(firsts) != list(counted_up):
        return False
    are_words = all(isinstance(text, str) and len(text.split()) == 1 for text in others)
    return are_words and len({*others}) == len(others)


def _are_scores_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Say whether the parts of pairs may be scores and ids.

    They may be if both parts are integers. They also may be if the second parts are
    texts, and the first parts fall and some are equal.
    """
    if all(map(is_integer, others)):
        return True
    is_falling = all(one >= following for one, following in pairwise(firsts))
    has_equal = len({*firsts}) < len(firsts)
    return is_falling and has_equal and all(isinstance(text, str) for text in others)


# --- labels ---------------------------------------------------------------------------

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
