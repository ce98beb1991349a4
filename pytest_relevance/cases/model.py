"""The model of a case file: `Suite`, `Terms`, `Case` and `Gate`.

`expectation` has what a case expects.

All classes are frozen: the reader makes each object once, and later steps only read it.
`dataclasses.replace` makes a changed copy. What a suite sets for all of its cases is
one `Terms` object that they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from pytest_relevance._text import counted, examples
from pytest_relevance.cases.expectation import (
    Expectation,
    FieldCondition,
    Passage,
    kind_of,
)
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

MEAN = "mean"
"""The kind of a gate that bounds means of metrics. It may compare two variants."""

MIN = "min"
"""The kind of a gate that bounds the lowest scores. It may compare two variants."""

MAX_DROP = "max_drop"
"""The kind of a gate that bounds how far means drop. It may have a `p`."""

FIGURES: Mapping[str, str] = {
    "p50": "The median",
    "p90": "The 90th percentile; it needs 10 cases",
    "p95": "The 95th percentile; it needs 20 cases",
    "p99": "The 99th percentile; it needs 100 cases",
    "mean": "The mean",
    "max": "The longest",
}
"""The figures of the latency, and what each is."""


@dataclass(frozen=True, slots=True)
class Xfail:
    """Why a case is expected to fail.

    `strict`: None leaves the choice to the option `xfail_strict` of pytest.
    """

    reason: str
    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class LatencyBound:
    """How long searches may take.

    `figure`: one of `FIGURES`.
    `bound`: in seconds.
    """

    figure: str
    comparison: str
    bound: float


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on the cases of a file, or on the cases with a tag.

    `condition`: the name of a row of `GATES`, which decides what other fields mean.
    `bounds`: metrics with their bounds.
    `share`: the share of the cases that must pass, from 0 to 1.
    `tag`: the tag of the cases; None for all cases.
    `p`: the level of significance of a drop; None if every drop counts.
    `variant`, `against`: the gate compares the rankings of one search variant with
        those of another, not with accepted ones.
    `latencies`: the bounds of the latency.
    `value`: what a gate of another package needs. JSON can hold it.
    `line`: its line in the case file; 0 if it is not known.
    """

    id: str
    condition: str
    bounds: tuple[tuple[Metric, float], ...] = ()
    share: float = 0.0
    tag: str | None = None
    p: float | None = None
    variant: str | None = None
    against: str | None = None
    latencies: tuple[LatencyBound, ...] = ()
    value: Any = None
    line: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown figure of latency, as in a damaged record."""
        for latency in self.latencies:
            if latency.figure not in FIGURES:
                raise ValueError(f"no figure of the latency is {latency.figure!r}")

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Return the metrics whose scores the gate needs of every case."""
        return tuple(metric for metric, _ in self.bounds)

    @property
    def similarities(self) -> tuple[Metric, ...]:
        """Return the metrics that compare the rankings of cases with accepted ones.

        () if the gate compares two variants of a search.
        """
        if self.against is not None:
            return ()
        return tuple(metric for metric in self.metrics if metric.is_similarity)


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """The catalogue of a suite: the file that has the titles of documents.

    `id`, `title`: the columns of ids and titles; None for the usual names. `id` may be
        a template that joins columns.
    `show`: further columns that reports show.
    `url`, `image`: the columns with web addresses of documents and of their pictures.
    `suite_id`: the `id_field` of the suite, if this is a template. If there is no `id`,
        and the file has the columns of the template, the template is used.
    """

    file: str
    id: str | None = None
    title: str | None = None
    show: tuple[str, ...] = ()
    url: str | None = None
    image: str | None = None
    suite_id: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """Return all columns except the columns of ids and titles, each once."""
        columns = list(self.show)
        for column in (self.url, self.image):
            if column:
                columns.append(column)
        return tuple(dict.fromkeys(columns))


@dataclass(frozen=True, slots=True)
class SampleRule:
    """How queries are drawn from a file: what the key `sample` says.

    `n`: how many queries are drawn; with `per` for each group.
    `seed`: another seed draws another sample.
    `by`: the column of the size of a query. Larger queries are drawn more often. None
        if all queries are equally likely.
    `per`: the column of the group of a query; None if there is one group.
    """

    n: int
    seed: int = 0
    by: str | None = None
    per: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn from one file.

    `file`: the name of the file, as the case file writes it.
    `drawn`: how many queries were drawn.
    `total`: how many queries the file has.
    `never`: how many of them cannot be drawn, because their size is 0 or blank.
    `is_whole`: whether all queries that can be drawn were taken
        (`--relevance-sample=all`).
    `groups`: how many values the column `per` has; 1 without `per`.
    """

    file: str
    rule: SampleRule
    drawn: int
    total: int
    never: int = 0
    is_whole: bool = False
    groups: int = 1


ParamsByText: TypeAlias = Mapping[str, Sequence[Mapping[str, object]]]
"""{text of a query: the params of each query with this text}."""


TIES = {
    "any": "results with equal scores may come in any order",
    "fixed": "the search sorts results with equal scores by a second key",
}
"""The values of the key `ties`, and what they mean."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a suite sets for its cases, and what a case may override.

    `search`: the name of the fixture that is called.
    `depth`: the least number of results that the search is asked for; None if not set.
    `min_ndcg`: the floor of nDCG@k; None if there is none.
    `min_judged`: the least share of judged results in the top k, from 0 to 1.
    `raters`: how several ratings are combined.
    `params`: the keyword arguments of the search.
    `tolerance`: how far nDCG@k may drop below the baseline; None for the project's
        default.
    `text_field`: the path to the text of a result; None for the usual names.
    `reads_texts`: whether a case of the file has or excludes passages. Then the texts
        of results count in all cases of the file, and results need no ids.
    `ties`: "any" if results with equal scores may come in any order, "fixed" if the
        search sorts them by a second key.
    `gates`, `documents`: the gates and the catalogue of the suite. A case cannot
        override them.
    `lowest`, `highest`: the range of grades that an unjudged result may have: the range
        of the scale. Without a scale, the range of 0 and all judgments of the file.
    """

    search: str = "search"
    k: int = 10
    depth: int | None = None
    min_ndcg: float | None = None
    settings: Settings = field(default_factory=Settings)
    min_judged: float = 0.0
    scale: Scale | None = None
    raters: str = "median"
    params: Mapping[str, object] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    id_field: str | tuple[str, ...] | None = None
    title_field: str | None = None
    text_field: str | None = None
    tolerance: float | None = None
    ties: str = "any"
    gates: tuple[Gate, ...] = ()
    documents: CatalogueFile | None = None
    lowest: float = 0.0
    highest: float = 0.0
    reads_texts: bool = False

    def with_grade_range(self, grades: Sequence[float]) -> Terms:
        """Return these terms with the range of grades: `lowest` and `highest`.

        The highest grade also becomes `max_grade` of the settings.

        `grades`: the distinct grades of the whole file, sorted. Without a scale the
            range begins at 0 or below: an unjudged result may be irrelevant, even if
            the file grades only relevant documents. Grades that have no gain under
            these terms do not count.
        """
        if self.scale is not None:
            grades = (self.scale.lowest, self.scale.highest)
        elif grades and grades[0] > 0:
            grades = (0, *grades)
        settings = self.settings
        if settings.gain == "exponential":
            most = LARGEST_EXPONENTIAL_GRADE
            grades = [grade for grade in grades if grade <= most]
        if not grades:
            return self
        lowest, highest = grades[0], grades[-1]
        if isinstance(settings.gain, Mapping):
            in_range = [grade for grade in settings.gain if lowest <= grade <= highest]
            with_gain = in_range or list(settings.gain)
            highest = max(with_gain)
            # Negative grades that count as unjudged need no gain.
            if lowest >= 0 or settings.negative == "keep":
                lowest = min(with_gain)
        if highest > 0:
            settings = replace(settings, max_grade=highest)
        return replace(self, lowest=lowest, highest=highest, settings=settings)


@dataclass(frozen=True, slots=True)
class Case:
    """A query and what is expected of its ranking.

    Attributes:
        node_name: the name of the case in its pytest node id: the written id, or the
            query with special characters encoded.
        judgments: grades by document id.
        min_ndcg: the floor that applies; None if there is none, or if nDCG is not
            defined because no document is relevant.
        line: counted from 1, in the case file or in `source`; 1 if it is not known, and
            0 in a case that is written in Python.
        source: the file of queries that the case comes from, as messages name it; None
            for a case that the case file writes.
        weight: the weight of the case in means.
        expect: the expectations that apply to the case, also those of the suite.
        not_applicable: the metrics that the suite expects, and that the case cannot
            have because it has no relevant judgment.
        titles: titles of judged documents.
        notes: notes on judged documents.
        filled: {document: who gave the grade}, for grades from files with `fill: true`.
        passages: the texts that results have to hold. A case with passages has no
            judgments of documents: its `judgments` are the grades by passage name.
            `exclude_passages` is in `expect`.
        is_sampled: whether the query is from a file with the key `sample`. Its weight
            is then that of the sample.
        is_known_item: whether the query is a title of a catalogue, and the judgments
            are the documents with this title.
    """

    terms: Terms
    id: str
    node_name: str
    query: str
    judgments: Mapping[str, float]
    min_ndcg: float | None
    line: int
    params: Mapping[str, object]
    tags: tuple[str, ...]
    weight: float = 1
    expect: tuple[Expectation, ...] = ()
    not_applicable: tuple[Metric, ...] = ()
    xfail: Xfail | None = None
    skip: str | None = None
    note: str | None = None
    usefixtures: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    filled: Mapping[str, str] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    is_sampled: bool = False
    is_known_item: bool = False

    @property
    def grades_of_people(self) -> Mapping[str, float]:
        """Return the judgments that do not come from files with `fill: true`."""
        grades = {}
        for document, grade in self.judgments.items():
            if document not in self.filled:
                grades[document] = grade
        return grades

    @property
    def reads_texts(self) -> bool:
        """Say whether the texts of results are read.

        Texts are read if any case of the file has or excludes passages.
        """
        if self.terms.reads_texts or self.passages:
            return True
        return any(expected.quotes for expected in self.expect)

    @property
    def sought_passages(self) -> tuple[Passage, ...]:
        """Return `passages`, and the quotes of `exclude_passages` as passages.

        All of them are looked for in the texts of results.
        """
        excluded = []
        for expected in self.expect:
            excluded += [Passage((quote,)) for quote in expected.quotes]
        return (*self.passages, *excluded)

    @property
    def search(self) -> str:
        """Return the name of the fixture that is called."""
        return self.terms.search

    @property
    def k(self) -> int:
        """Return the cutoff of `min_ndcg`, `include`, `exclude` and `min_judged`."""
        return self.terms.k

    @property
    def settings(self) -> Settings:
        """Return the settings with which scores are computed."""
        return self.terms.settings

    @property
    def min_judged(self) -> float:
        """Return the least share of judged results in the top k, from 0 to 1.

        With a lower share the case may be inconclusive.
        """
        return self.terms.min_judged

    @property
    def depth(self) -> int:
        """Return how many results the search is asked for: the last rank that counts.

        At least the `depth` of the terms is asked for. Metrics and expectations without
        a cutoff, such as `AP` and `order`, look at the whole ranking and do not count.
        """
        deepest = max(self.cutoff, self.terms.depth or 0)
        for expected in self.expect:
            deepest = max(deepest, kind_of(expected).depth(expected))
        return deepest

    @property
    def cutoff(self) -> int:
        """Return the greatest cutoff of the case and of the gates of its file."""
        deepest = self.terms.k
        for expected in self.expect:
            deepest = max(deepest, kind_of(expected).cutoff(expected))
        for gate in self.terms.gates:
            for metric in gate.metrics:
                deepest = max(deepest, metric.k or 0)
        return deepest

    @property
    def similarities(self) -> list[Metric]:
        """Return the metrics of the case and its gates that compare two rankings."""
        metrics = []
        for expected in self.expect:
            metric = expected.metric
            if metric is not None and metric.is_similarity:
                metrics.append(metric)
        for gate in self.terms.gates:
            metrics.extend(gate.similarities)
        return metrics

    @property
    def scores_all(self) -> bool:
        """Say whether a score of the case or a gate looks at the whole ranking.

        Such a score is not known if the ranking may go on below the results.
        """
        settings = self.terms.settings
        if settings.ideal == "returned" or settings.unjudged == "skip":
            return True
        for expected in self.expect:
            metric = expected.metric
            if metric is not None and metric.k is None:
                if expected.ranks(settings) is None:
                    return True
        for gate in self.terms.gates:
            if any(metric.k is None for metric in gate.metrics):
                return True
        return False

    @property
    def looks_at_all(self) -> bool:
        """Say whether the case looks at the whole ranking, not only at its top."""
        if self.scores_all:
            return True
        return any(kind_of(expected).looks_at_all(expected) for expected in self.expect)

    @property
    def looks_beyond_ids(self) -> bool:
        """Say whether an expectation looks at fields, or at another ranking."""
        has_query = any(expected.query for expected in self.expect)
        return has_query or bool(self.fields)

    @property
    def fields(self) -> dict[str, int]:
        """Return {path of a field: how many of the top results need the field}.

        Only expectations count. `fields_of_passages` has the fields of passages.
        """
        ranks: dict[str, int] = {}
        for expected in self.expect_of_fields:
            within = expected.within or self.terms.k
            for condition in expected.conditions:
                path = condition.path
                ranks[path] = max(ranks.get(path, 0), within)
        return ranks

    @property
    def expect_of_fields(self) -> list[Expectation]:
        """Return the expectations that look at fields of results."""
        found = []
        for expected in self.expect:
            if expected.conditions and not kind_of(expected).looks_at_response:
                found.append(expected)
        return found

    @property
    def response_conditions(self) -> list[FieldCondition]:
        """Return the conditions on the response, for example on a total or a facet."""
        conditions: list[FieldCondition] = []
        for expected in self.expect:
            if expected.conditions and kind_of(expected).looks_at_response:
                conditions += expected.conditions
        return conditions

    @property
    def fields_of_passages(self) -> list[str]:
        """Return the paths of the fields that conditions of passages look at.

        Only a result that holds the quote of such a passage needs them.
        """
        paths = []
        for passage in self.passages:
            paths += [condition.path for condition in passage.conditions]
        return list(dict.fromkeys(paths))


@dataclass(frozen=True, slots=True)
class KnownItemCounts:
    """How many rows of a catalogue are known items, and how many are left out.

    `rows`: the number of all rows.
    `titles`: the number of different titles, of which each is a known item.
    `untitled`: the number of rows without a title.
    `shared`: the titles that more than `MOST_SHARING` rows have.
    `sharing`: the number of rows with these titles.
    `judged`: the titles that are queries of other cases, which have judgments.
    """

    rows: int = 0
    titles: int = 0
    untitled: int = 0
    shared: tuple[str, ...] = ()
    sharing: int = 0
    judged: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return what is left out in words; "" if nothing is.

        Example: `left out of the known items, of 19,406 rows: 12 rows without a title`.
        """
        parts = []
        if self.untitled:
            parts.append(f"{counted(self.untitled, 'row')} without a title")
        if self.shared:
            parts.append(
                f"{counted(self.sharing, 'row')} with a title that more than {MOST_SHARING} "
                f"rows share ({examples(self.shared)})"
            )
        if self.judged:
            titles = counted(len(self.judged), "title")
            parts.append(
                f"{titles} that other cases search for ({examples(self.judged)})"
            )
        if not parts:
            return ""
        rows = counted(self.rows, "row")
        return f"left out of the known items, of {rows}: {'; '.join(parts)}"


MOST_SHARING = 10
"""How many rows may share the title of a known item."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of one file, in its order, and what the file sets for them.

    Attributes:
        path: the path of the file as it was given.
        cases: the cases that the file writes, then the cases of files of queries (the
            listed queries).
        files: the paths of all files of judgments and queries that were read.
        warnings: messages about possible mistakes.
        queries_line: the line of the key `queries`.
        unjudged: the listed queries without judgments, which have no floor.
        left_out: the ids of the listed queries that `only: judged` leaves out.
        drawn_left_out: how many of these were drawn from a file with the key `sample`.
        listed: the number of all listed queries, without those that were not drawn.
        absent: the files that are named with `fill: true` and do not exist.
        without_floor: sentences about cases to which a floor of the suite does not
            apply, because their score is not defined.
        samples: what was drawn from each file of queries with the key `sample`.
        not_drawn: the queries of these files that were not drawn and are not written.
        known_items: what was left out of the known items; None if the suite has none.
    """

    path: str
    cases: tuple[Case, ...]
    terms: Terms
    files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    queries_line: int = 1
    unjudged: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    drawn_left_out: int = 0
    listed: int = 0
    absent: tuple[str, ...] = ()
    without_floor: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()
    not_drawn: ParamsByText = field(default_factory=dict)
    known_items: KnownItemCounts | None = None

    @property
    def unjudged_words(self) -> str:
        """Return words about the listed queries without judgments, if there are any.

        `146 of 200 queries have no judgments: "a", "b", "c" and 143 more`
        """
        total = counted(self.listed, "query", "queries")
        parts = []
        if self.unjudged:
            have = "has" if len(self.unjudged) == 1 else "have"
            parts.append(
                f"{len(self.unjudged):,} of {total} {have} no judgments: "
                f"{examples(self.unjudged)}"
            )
        if self.left_out:
            have, are = ("has", "is") if len(self.left_out) == 1 else ("have", "are")
            parts.append(
                f"{len(self.left_out):,} of {total} {have} no judgments and {are} left out "
                f"(only: judged): {examples(self.left_out)}"
            )
        return "; ".join(parts)
