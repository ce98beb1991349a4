"""The model of a case file: a `Suite` of `Case`s.

These are named tuples, made once by the reader and used by everything after it. What a suite sets for all of its
cases is one `Terms` object that they share, so that a case has few fields besides its query and its judgments.
Annotations are not postponed here: a named tuple compiles each postponed one, and the import takes twice as long.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from typing import NamedTuple

from pytest_relevance._text import counted, examples
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

ROUNDING = 1e-9
"""How far a score may miss a bound and still meet it: bounds are often computed elsewhere, and rounded."""


SIMILARITY = "similarity"
"""The kind of an expectation that compares the ranking with the accepted one."""


class FieldCondition(NamedTuple):
    """What a field of a document has to be.

    `path` is the name of the field; dots lead into nested ones. `comparison` is one of

    - "==": the field equals any of the `values`, which are texts, numbers and booleans
    - "!=", ">=", ">", "<=", "<": it is a number, compared with the only value
    - "contains": it is a text that contains the only value, in upper or lower case
    - "at_most": no value of the field occurs in more results than the only value
    """

    path: str
    comparison: str
    values: Sequence[str | float | bool]


class Expectation(NamedTuple):
    """An entry of `expect:`; `written` is its key.

    `kind` is "metric", `SIMILARITY` (a metric of two rankings, this one and the accepted one) or a key of `KINDS` in
    `cases.checking.expectations`, and decides which other fields are used.
    `bound` is a score, a number of results, or a duration in seconds. `within` is a rank: None for the top k of the
    case, or of `order` for the whole ranking. `sets` are the sizes of the sets that `order` divides its documents
    into; without any each document is a set. `inherited`: it is written in the suite. `conditions` are those that a
    kind of `ON_FIELDS` looks at in the first `within` results. `query` is the other query of `same_as`.
    """

    kind: str
    written: str
    metric: Metric | None = None
    comparison: str = ">="
    bound: float = 0.0
    documents: tuple[str, ...] = ()
    within: int | None = None
    sets: tuple[int, ...] = ()
    inherited: bool = False
    conditions: tuple[FieldCondition, ...] = ()
    query: str = ""

    @property
    def name(self) -> str:
        """The canonical name of the metric, the kind (`first`, `include` ...), or `every@5`."""
        if self.conditions:
            return self.written
        return self.metric.text if self.metric is not None else self.kind

    @property
    def document_sets(self) -> list[tuple[str, ...]]:
        """The documents of `order` in their sets, none of them empty."""
        documents = iter(self.documents)
        sets = (
            tuple(islice(documents, size))
            for size in self.sets or [1] * len(self.documents)
        )
        return [each for each in sets if each]

    def ranks(self, settings: Settings) -> int | None:
        """The number of ranks that decide an expectation of a metric; None for the whole ranking.

        A bound x of RR is decided by floor(1 / x) ranks: no document below them gives RR a value of x or more.
        """
        assert self.metric is not None
        if (
            settings.unjudged == "zero"
            and self.metric.measure == "RR"
            and self.metric.k is None
        ):
            return self._ranks_of_bound
        return ranks_needed(self.metric, settings)

    @property
    def deepest(self) -> int:
        """The deepest rank that the cutoff of a metric, or a bound of RR, names; 0 where there is none."""
        if self.metric is None:
            return 0
        return (
            self.metric.k
            or (self._ranks_of_bound if self.metric.measure == "RR" else None)
            or 0
        )

    @property
    def _ranks_of_bound(self) -> int | None:
        if self.bound * LARGEST_CUTOFF < 1:
            return None
        ranks = int(1 / self.bound)
        return ranks + (1 / (ranks + 1) >= self.bound - ROUNDING)


def most_results(expect: Iterable[Expectation]) -> float:
    """The most results that expectations allow; infinity where they set no limit."""
    counts = (
        each
        for each in expect
        if each.kind == "results" and each.comparison in ("==", "<=", "<")
    )
    return min(
        (int(each.bound) - (each.comparison == "<") for each in counts), default=inf
    )


class Xfail(NamedTuple):
    """Why a case is expected to fail. `strict=None` leaves the choice to the option `xfail_strict` of pytest."""

    reason: str
    strict: bool | None = None


class Gate(NamedTuple):
    """A condition on the cases of a file, or on those with a tag.

    `condition` is one of four. "mean": the mean of each metric is at least its bound. "max_drop": the mean of each
    metric is at most its bound below the baseline's mean; with `p`, a larger drop is allowed too where it is not
    significant at that level. "passing": at least `share` of the cases pass. "latency": each of the `latencies` (p95,
    mean ...) is below its bound in seconds, or ("<=") at it. `bounds` are metrics with bounds. `against`: the rankings
    of `variant` are compared with those of this variant, and not with accepted ones.
    """

    id: str
    condition: str
    bounds: tuple[tuple[Metric, float], ...] = ()
    share: float = 0.0
    tag: str | None = None
    p: float | None = None
    variant: str | None = None
    against: str | None = None
    latencies: tuple[tuple[str, str, float], ...] = ()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics whose scores the gate needs of every case."""
        return tuple(metric for metric, _ in self.bounds)

    @property
    def similarities(self) -> tuple[Metric, ...]:
        """Those of its metrics that compare the rankings of cases with accepted ones."""
        return (
            ()
            if self.against is not None
            else tuple(metric for metric in self.metrics if metric.is_similarity)
        )


class CatalogueFile(NamedTuple):
    """The file that says what documents are called, as a case file names it: a line or a row for each document.

    `id` and `title` are their columns, None for the usual names; `show` are further columns that reports show. `url`
    and `image` are the columns of addresses of documents and of pictures of them, for the page. `id` may be a template
    that joins columns. `suite_id` is the template of the suite, which is used if there is no `id` and the file has its
    columns.
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
        """All columns but those of ids and titles, each once."""
        return tuple(dict.fromkeys([*self.show, *filter(None, (self.url, self.image))]))


class Terms(NamedTuple):
    """What a suite sets for its cases and a case may override.

    `depth` is how many results the search is asked for at least, None where that is not set. `tolerance` is how far
    nDCG@k may drop below the baseline, None for the default of the project. A case cannot override `gates` and
    `documents`, the catalogue. `lowest` and `highest` are the range of grades that an unjudged result may have: the
    range of the scale, or else of all judgments of the file and 0.
    """

    search: str = "search"
    k: int = 10
    depth: int | None = None
    min_ndcg: float | None = None
    settings: Settings = Settings()
    min_judged: float = 0.0
    scale: Scale | None = None
    raters: str = "median"
    params: Mapping[str, object] = {}
    tags: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    id_field: str | tuple[str, ...] | None = None
    title_field: str | None = None
    tolerance: float | None = None
    gates: tuple[Gate, ...] = ()
    documents: CatalogueFile | None = None
    lowest: float = 0.0
    highest: float = 0.0

    def settled(self, grades: Sequence[float]) -> "Terms":
        """These terms with the range of grades, once all judgments of the file are known; `grades` are theirs, sorted.

        Without a scale the range includes 0: a file that lists relevant documents alone does not say that there are no
        others, and an unjudged result may be irrelevant. A grade of another case that has no gain under these terms is
        left out, as no result of this case can have it.
        """
        if self.scale is not None:
            grades = (self.scale.lowest, self.scale.highest)
        elif grades and grades[0] > 0:
            grades = (0, *grades)
        gain = self.settings.gain
        end = (
            bisect_right(grades, LARGEST_EXPONENTIAL_GRADE)
            if gain == "exponential"
            else len(grades)
        )
        if not end:
            return self
        lowest, highest = grades[0], grades[end - 1]
        if isinstance(gain, Mapping):
            known = sorted(
                grade for grade in gain if lowest <= grade <= highest
            ) or sorted(gain)
            ignored = lowest < 0 and self.settings.negative == "zero"
            lowest, highest = lowest if ignored else known[0], known[-1]
        settings = (
            replace(self.settings, max_grade=highest) if highest > 0 else self.settings
        )
        return self._replace(lowest=lowest, highest=highest, settings=settings)


class Case(NamedTuple):
    """A query and what is expected of its ranking.

    `node_name` is the name of the case in its pytest node id: a written id itself, an encoded query. `line` counts
    from 1, in the case file or in `source`, the path in messages of the file of queries that the case comes from
    (line 1 where none is known); it is 0 in a case written in Python. `judgments` maps document ids to grades.
    `min_ndcg` is the floor that applies; None where there is none, or where nDCG is not defined because no document
    is relevant. `expect` includes the expectations of the suite, but for the `not_applicable` metrics, for which
    the case has no relevant judgments. `weight` is the weight in means.
    `titles` and `notes` have texts for judged documents. `filled` are those whose grades fill what nobody has judged,
    with who gave them: {document: name}.
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
    titles: Mapping[str, str] = {}
    notes: Mapping[str, str] = {}
    source: str | None = None
    filled: Mapping[str, str] = {}

    @property
    def grades_of_people(self) -> Mapping[str, float]:
        """The judgments without those that fill."""
        return {
            document: grade
            for document, grade in self.judgments.items()
            if document not in self.filled
        }

    @property
    def search(self) -> str:
        """The name of the fixture that is called."""
        return self.terms.search

    @property
    def k(self) -> int:
        """The cutoff of `min_ndcg`, `include`, `exclude` and `min_judged`."""
        return self.terms.k

    @property
    def settings(self) -> Settings:
        """The settings with which scores are computed."""
        return self.terms.settings

    @property
    def min_judged(self) -> float:
        """The share of judged results in the top k, from 0 (off) to 1, below which the case may be inconclusive."""
        return self.terms.min_judged

    @property
    def depth(self) -> int:
        """The deepest rank that the case looks at, at least the `depth` of its terms; a `search` is given it as `k`.

        Metrics and expectations without a cutoff (`AP`, `order` ...) look at the whole ranking, and do not count.
        """
        terms = self.terms
        if not self.expect and not terms.gates:
            return (
                terms.depth
                if terms.depth is not None and terms.depth > terms.k
                else terms.k
            )
        deepest = max(self.cutoff, terms.depth or 0)
        for expected in self.expect:
            if (
                expected.kind == "results"
            ):  # to see that there are at most n results, n + 1 must be asked for
                deepest = max(
                    deepest, int(expected.bound) + (expected.comparison in _ONE_MORE)
                )
        return deepest

    @property
    def cutoff(self) -> int:
        """The deepest rank that a cutoff of the case, or of a gate, names."""
        deepest = self.terms.k
        for expected in self.expect:
            deepest = max(deepest, depth_of(expected))
        for gate in self.terms.gates:
            for metric in gate.metrics:
                deepest = max(deepest, metric.k or 0)
        return deepest

    @property
    def similarities(self) -> list[Metric]:
        """The metrics that compare the ranking with the accepted one, in expectations and gates."""
        if not (self.expect or self.terms.gates):
            return []
        found = [
            expected.metric for expected in self.expect if expected.kind == SIMILARITY
        ]
        return [
            *filter(None, found),
            *(metric for gate in self.terms.gates for metric in gate.similarities),
        ]

    @property
    def scores_all(self) -> bool:
        """Whether a score of the case, or one that a gate asks for, looks at the whole ranking."""
        settings, gates = self.terms.settings, self.terms.gates
        if settings.ideal == "returned" or settings.unjudged == "skip":
            return True
        if not (self.expect or gates):
            return False
        without_cutoff = [
            each
            for each in self.expect
            if each.metric is not None and each.metric.k is None
        ]
        return any(each.ranks(settings) is None for each in without_cutoff) or any(
            metric.k is None for gate in gates for metric in gate.metrics
        )

    @property
    def looks_at_all(self) -> bool:
        """Whether the whole ranking that was returned counts, and not only its top."""
        return self.scores_all or (
            bool(self.expect)
            and any(
                each.kind == "order" and each.within is None for each in self.expect
            )
        )

    @property
    def looks_beyond_ids(self) -> bool:
        """Whether an expectation looks at more than the ids of the ranking: at fields, or at another ranking."""
        return any(expected.conditions or expected.query for expected in self.expect)

    @property
    def fields(self) -> dict[str, int]:
        """The fields that expectations look at, each with how many of the top results are checked for it."""
        found: dict[str, int] = {}
        for expected in self.expect:
            for condition in expected.conditions:
                found[condition.path] = max(
                    found.get(condition.path, 0), expected.within or self.terms.k
                )
        return found


_ONE_MORE = frozenset({"<=", "==", ">"})


def depth_of(expected: Expectation) -> int:
    """The deepest rank that a cutoff of an expectation names; 0 where there is none."""
    if expected.metric is not None:
        return expected.deepest
    return expected.within or (
        len(expected.documents) if expected.kind == "first" else 0
    )


class Suite(NamedTuple):
    """The cases of one file, in its order, and what the file sets for them. `path` is the path as it was given.

    The written cases come first, then the cases of the files of queries, which line `queries_line` names. `files` are
    the paths of all files of judgments and queries that were read. `warnings` are messages about possible mistakes.
    `gate_lines` are the lines of the gates. `unjudged` are the listed queries without judgments in the files of the
    suite, and so without a floor; `left_out` are the ids of those that `only: judged` leaves out, having no
    judgments; `listed` is the number of all listed queries. `absent` are the files that fill and are not there.
    `without_floor` are sentences about the cases that a floor of the suite does not hold, as their score is not defined.
    """

    path: str
    cases: tuple[Case, ...]
    terms: Terms
    files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    queries_line: int = 1
    gate_lines: tuple[int, ...] = ()
    unjudged: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    listed: int = 0
    absent: tuple[str, ...] = ()
    without_floor: tuple[str, ...] = ()

    @property
    def unjudged_words(self) -> str:
        """`146 of 200 queries have no judgments: "a", "b", "c" ...`; empty where all listed queries have some."""
        total = counted(self.listed, "query", "queries")
        parts = []
        for queries, rest in (
            (self.unjudged, ""),
            (self.left_out, " and {} left out (only: judged)"),
        ):
            if queries:
                have, are = ("has", "is") if len(queries) == 1 else ("have", "are")
                parts.append(
                    f"{len(queries):,} of {total} {have} no judgments{rest.format(are)}: {examples(queries)}"
                )
        return "; ".join(parts)
