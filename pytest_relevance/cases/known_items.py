"""Known items: each title of a catalogue is a query that looks for its own documents.

A known item needs no judgments. Nothing is known of the other results: a variant of the
product may be as good. So a known item is scored only by where its first document is,
and its other results are not unjudged results.

`suite_builder` reads the items when it has the keys of the suite, and makes their cases
after all others. `build` asks what a known item may demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pytest_relevance._text import folded_text
from pytest_relevance.cases.case_judgments import CaseJudgments
from pytest_relevance.cases.expectation import METRIC, Expectation
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import (
    MOST_SHARING,
    CatalogueFile,
    KnownItemCounts,
    SampleRule,
    Terms,
)
from pytest_relevance.cases.named_files import NamedFile
from pytest_relevance.cases.sampling import draw
from pytest_relevance.judgments.model import Query
from pytest_relevance.metrics.measures import suits_known_items
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import upward

_GRADE = 1.0
"""The grade of the documents of a known item."""

_AT_A_TIME = 50_000
"""How many titles a sample is drawn from at a time."""

_SUCCESS = build_metric("Success", 3)

FOUND_EARLY = Expectation(METRIC, _SUCCESS.text, metric=_SUCCESS, bound=1.0)
"""What is expected of a known item if no metric is: it is among the first 3 results."""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A title, and the documents that have it.

    `line`: the line of the first of these documents.
    """

    title: str
    documents: tuple[str, ...]
    line: int

    @property
    def judgments(self) -> CaseJudgments:
        """Return the judgments of the case: its documents are relevant."""
        return CaseJudgments(
            grades=dict.fromkeys(self.documents, _GRADE),
            titles=dict.fromkeys(self.documents, self.title),
            is_known_item=True,
        )


class KnownItems:
    """The known items in a catalogue.

    Titles that differ only in case and white space are one title, since most engines
    find the same for both. The query is the one that is first in the alphabet, so that
    the order of the rows does not matter.

    `file`: the name of the catalogue in messages.
    `counts`: what was left out.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.counts = KnownItemCounts()
        self._by_title: dict[str, KnownItem] = {}

    def add(self, new: KnownItem) -> None:
        """Add a row to the item with its title."""
        key = folded_text(new.title)
        item = self._by_title.get(key)
        if item is not None:
            new = KnownItem(
                title=min(item.title, new.title),
                documents=item.documents + new.documents,
                line=item.line,
            )
        self._by_title[key] = new

    def leave_out_shared(self, rows: int, untitled: int) -> None:
        """Leave out the titles that too many rows have, and count what is left.

        `rows`, `untitled`: the number of all rows, and of rows without a title.
        """
        shared = []
        sharing = 0
        for key, item in list(self._by_title.items()):
            if len(item.documents) > MOST_SHARING:
                shared.append(item.title)
                sharing += len(item.documents)
                del self._by_title[key]
        self.counts = KnownItemCounts(
            rows=rows,
            titles=len(self._by_title),
            untitled=untitled,
            shared=tuple(shared),
            sharing=sharing,
        )

    def __iter__(self) -> Iterator[KnownItem]:
        """Yield the items in the order of the file."""
        return iter(self._by_title.values())

    def drawn(self, rule: SampleRule) -> list[KnownItem]:
        """Return the items of a sample.

        They are drawn in parts, so that a million titles need little memory.
        """
        drawn: list[Query] = []
        titles = iter(self)
        while part := list(islice(titles, _AT_A_TIME)):
            drawn += [Query(item.title, item.title) for item in part]
            drawn = list(draw(drawn, rule).queries)
        chosen = {query.id for query in drawn}
        return [item for item in self if item.title in chosen]

    def find(self, title: str) -> KnownItem | None:
        """Return the item with a title; None if there is none."""
        return self._by_title.get(folded_text(title))


def read_known_items(named: NamedFile, path: str, file: str) -> KnownItems:
    """Return the known items in a catalogue. Messages call it `file`.

    Raises FileError for what is wrong with the file.
    """
    assert named.query is not None
    columns = CatalogueFile(named.name, id=named.document, title=named.query[0])
    items = KnownItems(file)
    rows = untitled = 0
    for row in upward("titles")(path, file, columns):
        rows += 1
        if row.title:
            items.add(KnownItem(row.title, (row.document,), row.line))
        else:
            untitled += 1
    items.leave_out_shared(rows, untitled)
    return items


# What a known item may demand


def terms_of_known_item(terms: Terms) -> Terms:
    """Return the terms of a known item: without what depends on judgments.

    Unjudged results count 0. Otherwise they could be left out, and the only judged
    document would always be first. Terms that already are so are returned unchanged.
    """
    settings = Settings(collapse=terms.settings.collapse)
    known = replace(terms, settings=settings, scale=None, min_ndcg=None, min_judged=0.0)
    return terms if known == terms else known


def check_demands_of_known_item(
    own: Mapping[str, object], expect: Sequence[Expectation], at: Location
) -> Wrong | None:
    """Report what a case that is a known item demands, and a known item cannot have.

    `own`: the checked keys of the case.
    `expect`: the expectations of the case.

    Return `WRONG` if a mistake was reported, else None.
    """
    result: Wrong | None = None
    for key in ("min_ndcg", "min_judged"):
        if own.get(key):
            result = at.refuse(
                "the case is a known item, of which other results are not judged; write "
                "expect: {RR: ...} or {Success@k: 1}, or judge documents",
                key,
            )
    for expected in expect:
        metric = expected.metric
        if metric is None or expected.inherited or suits_known_items(metric):
            continue
        result = at.refuse(
            f"{metric.text} needs judgments of other results, and the case is a known item; "
            "write RR, R@k or Success@k, or judge documents",
            "expect",
            expected.written,
        )
    return result
