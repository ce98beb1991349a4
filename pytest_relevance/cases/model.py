"""What a case file becomes: a `Suite` of `Case`s.

Plain frozen data, made once by the reader and shared by everything after it. What a suite sets for all of its cases is
one `Terms` object that they share, so that a case holds little more than its query and its judgments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.cases.names import node_name
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.metrics.names import LARGEST_CUTOFF, Metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

_ROUNDING = 1e-9  # a bound of RR that was computed elsewhere and rounded


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of `expect:`, `written` being its key. `kind` says which of the other fields count.

    The kinds: "metric", and those of `cases.expectations.KINDS`.
    """

    kind: str
    written: str
    metric: Metric | None = None
    comparison: str = ">="
    bound: float = 0.0
    documents: tuple[str, ...] = ()
    within: int | None = None

    @property
    def name(self) -> str:
        """The key it was written under: a metric's name, `first`, `include` ..."""
        return self.metric.text if self.metric is not None else self.kind

    def ranks(self, settings: Settings) -> int | None:
        """How many ranks decide an expectation of a metric; None for the whole ranking.

        A bound x of RR is decided by floor(1 / x) ranks: no document below them gives RR a value of x or more.
        """
        assert self.metric is not None
        if settings.unjudged == "zero" and self.metric.measure == "RR" and self.metric.k is None:
            return self._ranks_of_bound
        return ranks_needed(self.metric, settings)

    @property
    def deepest(self) -> int:
        """The deepest rank that a metric's cutoff, or a bound of RR, names; 0 where there is none."""
        if self.metric is None:
            return 0
        return self.metric.k or (self._ranks_of_bound if self.metric.measure == "RR" else None) or 0

    @property
    def _ranks_of_bound(self) -> int | None:
        if self.bound * LARGEST_CUTOFF < 1:
            return None
        ranks = int(1 / self.bound)
        return ranks + (1 / (ranks + 1) >= self.bound - _ROUNDING)


@dataclass(frozen=True, slots=True)
class Xfail:
    """A case that is expected to fail. `strict=None` leaves it to pytest's own `xfail_strict`."""

    reason: str
    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on the cases of a file, or on those with a tag.

    `condition`: "mean" (of each metric at least its bound), "max_drop" (the mean of each metric below the baseline's by
    no more than its bound; with `p`, or not significantly so), or "passing" (the share of cases that pass, `share`).
    `bounds` are the metrics with their bounds.
    """

    id: str
    condition: str
    bounds: tuple[tuple[Metric, float], ...] = ()
    share: float = 0.0
    tag: str | None = None
    p: float | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that it needs of every case."""
        return tuple(metric for metric, _ in self.bounds)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a suite sets for its cases and a case may override.

    `depth` is how many results the search is asked for at least, None where that is not set. `tolerance` is how far
    nDCG@k may drop below the baseline, None for the project's. `gates` are the whole suite's: a
    case cannot change them. `lowest` and `highest` are the grades an unjudged result may have: the scale's, else those
    of the file's judgments, and 0.
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
    id_field: str | None = None
    title_field: str | None = None
    tolerance: float | None = None
    gates: tuple[Gate, ...] = ()
    lowest: float = 0.0
    highest: float = 0.0

    def settle(self, grades: Sequence[float]) -> None:
        """Fill in the range of grades once the last judgment is known: `grades` are all of the file's, sorted.

        Without a scale they begin at 0 at the latest: who lists only what is relevant has not said that there is
        nothing else, and a result that nobody judged may be junk. A grade that has no gain under these terms (it is
        another case's) cannot be supposed of a result here.
        The one place where a frozen object changes after it was made: the cases that share it already hold it.
        """
        if self.scale is not None:
            grades = (self.scale.lowest, self.scale.highest)
        elif grades and grades[0] > 0:
            grades = (0, *grades)
        gain = self.settings.gain
        end = bisect_right(grades, LARGEST_EXPONENTIAL_GRADE) if gain == "exponential" else len(grades)
        if not end:
            return
        lowest, highest = grades[0], grades[end - 1]
        if isinstance(gain, Mapping):
            known = sorted(grade for grade in gain if lowest <= grade <= highest) or sorted(gain)
            ignored = lowest < 0 and self.settings.negative == "zero"
            lowest, highest = lowest if ignored else known[0], known[-1]
        object.__setattr__(self, "lowest", lowest)
        object.__setattr__(self, "highest", highest)
        if highest > 0:
            object.__setattr__(self, "settings", replace(self.settings, max_grade=highest))


@dataclass(frozen=True, slots=True)
class Case:
    """A query and what is expected of its ranking.

    `line` and `column` count from 1, in the case file or in `source`, the file of queries that the case comes from (as
    messages name it; the line is 1 where none is known). `judgments` maps document ids to grades. `min_ndcg` is the
    floor that applies, or None: taken away, or not defined because no document is relevant. `titles` and `notes` are of
    documents, as far as the judgments give them.
    """

    id: str
    query: str
    terms: Terms
    judgments: Mapping[str, float]
    min_ndcg: float | None
    line: int
    column: int
    params: Mapping[str, object]
    tags: tuple[str, ...]
    has_written_id: bool = False
    weight: float = 1
    expect: tuple[Expectation, ...] = ()
    xfail: Xfail | None = None
    skip: str | None = None
    note: str | None = None
    usefixtures: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None

    @property
    def node_name(self) -> str:
        """The name among pytest's node ids."""
        return self.id if self.has_written_id else node_name(self.id)

    @property
    def search(self) -> str:
        """The fixture that is called."""
        return self.terms.search

    @property
    def k(self) -> int:
        """The cutoff of `min_ndcg`, `include`, `exclude` and `min_judged`."""
        return self.terms.k

    @property
    def settings(self) -> Settings:
        """How nDCG and its kin are computed."""
        return self.terms.settings

    @property
    def min_judged(self) -> float:
        """The share of judged results below which the score may decide nothing; 0 is off."""
        return self.terms.min_judged

    @property
    def depth(self) -> int:
        """The deepest rank that the case looks at, at least the `depth` of its terms: a `search` is given it as `k`.

        What looks at the whole ranking (`AP`, `order` ...) does not deepen it.
        """
        deepest = max(self.terms.k, self.terms.depth or 0)
        for expected in self.expect:
            deepest = max(deepest, _depth(expected))
        for gate in self.terms.gates:
            for metric in gate.metrics:
                deepest = max(deepest, metric.k or 0)
        return deepest


_ONE_MORE = frozenset({"<=", "==", ">"})


def _depth(expected: Expectation) -> int:
    if expected.metric is not None:
        return expected.deepest
    if expected.kind == "results":
        # to see that there are at most n results, n + 1 must be asked for
        return int(expected.bound) + (expected.comparison in _ONE_MORE)
    return expected.within or (len(expected.documents) if expected.kind == "first" else 0)


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of one file, in its order, and what it sets for them. `path` is the file as it was named.

    After the written cases come those of the files of queries; `queries_line` is where these are named. `files` are the
    paths of all files of judgments and queries that were read. `warnings` say what is no mistake and may be one.
    `gate_lines` are where the gates stand. `unjudged` are the queries of the files of queries that have no judgments
    in those of the suite, and so no floor; `listed` is how many queries those files have, without what they leave out.
    """

    path: str
    cases: tuple[Case, ...]
    terms: Terms
    files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    queries_line: int = 1
    gate_lines: tuple[int, ...] = ()
    unjudged: tuple[str, ...] = ()
    listed: int = 0
