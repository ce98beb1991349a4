"""What the samples of a suite draw: queries of files, and known items of a catalogue.

`sampling` has the rule by which queries are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import FileError
from pytest_relevance.cases.known_items import KnownItem, KnownItems
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import Sample
from pytest_relevance.cases.named_files import NamedFile
from pytest_relevance.cases.sample_rule import SAMPLE
from pytest_relevance.cases.sampling import (
    draw,
    take_all,
    weighed_by_size,
    wrong_sizes,
)
from pytest_relevance.judgments.model import Query


@dataclass(frozen=True, slots=True)
class SampledFile:
    """A file of queries from which a sample is drawn, or all queries are taken.

    `queries`: all queries of the file.
    `weights`: {id of a drawn query: its weight}; None if all queries are taken.
    """

    queries: Sequence[Query]
    weights: Mapping[str, float] | None = None


class SampleDrawer:
    """Draws the samples of a suite.

    `takes_all`: whether all queries that can be drawn are taken
        (`--relevance-sample=all`).
    `samples`: what was drawn from each file with the key `sample`.
    """

    def __init__(self, *, takes_all: bool) -> None:
        self._takes_all = takes_all
        self.samples: list[Sample] = []

    def draw_queries(
        self, queries: Sequence[Query], named: NamedFile, file: str, at: Location
    ) -> SampledFile | Wrong:
        """Draw the sample of a file of queries, or report why it cannot be drawn.

        `file`: the name of the file in messages.
        """
        rule = named.sample
        if rule is None:
            return SampledFile(queries)
        problems = wrong_sizes(queries, rule)
        if problems:
            return at.refuse_file(FileError(file, problems))
        if rule.by is not None and not named.rows.maps_key("weight"):
            queries = weighed_by_size(queries)
        once = list({query.id: query for query in queries}.values())
        drawn = take_all(once, rule) if self._takes_all else draw(once, rule)
        if not drawn.queries:
            return at.refuse(
                f"no query of {file} can be drawn: all {len(once):,} have 0 or a blank in "
                f"the column {rule.by}; name another column, or leave by out",
                SAMPLE,
            )
        sample = Sample(
            file=named.name,
            rule=rule,
            drawn=len(drawn.queries),
            total=len(once),
            never=drawn.never,
            is_whole=self._takes_all,
            groups=drawn.groups,
        )
        self.samples.append(sample)
        return SampledFile(queries, {each.id: each.weight for each in drawn.queries})

    def draw_items(self, items: KnownItems, named: NamedFile) -> list[KnownItem]:
        """Return the drawn known items of a catalogue; all without the key `sample`."""
        rule = named.sample
        if rule is None:
            return list(items)
        drawn = list(items) if self._takes_all else items.drawn(rule)
        sample = Sample(
            file=named.name,
            rule=rule,
            drawn=len(drawn),
            total=items.counts.titles,
            is_whole=self._takes_all,
        )
        self.samples.append(sample)
        return drawn
