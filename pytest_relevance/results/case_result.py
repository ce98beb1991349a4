"""`CaseResult`: the result of one case in one search variant. Every report, gate and record is made from these.

A result is made once, where the case ran. `to_dict` gives builtin types, which pytest-xdist sends between its processes
and a record writes one on each line; `from_dict` reads them back. A value that equals its default is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from pytest_relevance.metrics.graded import GradedRanking, repeated_indexes
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    FROM_BUILTIN,
    TO_BUILTIN,
    BaselineComparison,
    Outcome,
    Repeats,
    SearchError,
    defaults_of,
    with_others,
)

VERDICTS = PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR, NOT_SEARCHED, SKIPPED = (
    *("passed", "failed", "inconclusive", "measured", "error", "not searched", "skipped"),
)
"""The verdicts of a case. `measured`: it has neither floor nor expectation; `not searched`: its search was not called,
as it had failed in too many cases before; `skipped`: it was not to run."""

WITHOUT_SCORE = (ERROR, NOT_SEARCHED)
"""The verdicts of a case that was to be scored and has no score."""

OUTCOMES = (*VERDICTS, "xfailed", "xpassed")
"""pytest's outcomes of a case; without one of these the verdict is the outcome."""

CHECK = "relevance.check"
"""The name of the search of a result whose ranking a test in Python gave."""

NO_DIGEST = "0" * 16
"""The digest of a result without judgments."""

Key = tuple[str, str, str | None]
"""Case file, id, variant: the key of a result in its run."""

DEFAULT_SETTINGS = Settings()
"""The settings of most results, which share them, and with them the table of gains."""


@lru_cache
def ndcg_at(k: int) -> Metric:
    """The metric nDCG@k."""
    return Metric(f"nDCG@{k}", "nDCG", k)


@dataclass(slots=True)
class CaseResult:
    """The result of one case in one variant of its search.

    Identity: `line` counts from 1 in `file`, or in `source`, the file of queries that the case comes from. `node` is
    pytest's node id; `test` is the node id of the test in Python that checked the ranking. `variant_index` counts the
    variants of the case from 0, in the order of the parameters of its fixtures as written. `items` are the names of its
    items where another plugin repeats them or adds parameters to their names. `weight` (above 0) is the case's weight
    in means, `params` are the keyword arguments of the search other than the query.

    Conditions: `depth` is the deepest rank that the case looks at, None for a ranking of no case; `is_depth_set`: the
    case file sets it. `asked` is how many results the search was asked for, 0 where it takes no number, None where that
    is not known; `reaches_depth`: it returned as many, so that there may be more. `floor` is the expected minimum of
    nDCG@k, `tolerance` how far it may drop below the baseline. `lowest` and `highest` are the grades that an unjudged
    result may have; `grade_names` the names of grades.

    Ranking: `documents`, best first, as deep as the case looks (`whole`: all that was returned, as all of it counts),
    with `engine_scores` (or none; `is_unsorted`: they neither only fall nor only rise) and `grades` (None: unjudged, or
    a later copy), one for each document. `returned` is how many different documents the search returned. `deeper` are
    the ranks of judged or accepted documents below those that are kept. `irrelevant_top` are the first three documents,
    if the first has no gain. `titles` and `notes` have texts for any document named here, {document: text}; the fields
    `shown` with them are {document: {field: text}}. `not_in_catalogue` are the documents that the catalogue of the
    suite does not have, `not_in_index` the judged or expected documents that were not returned and that the index does
    not have, as far as the fixture `relevance_documents` was asked.

    Judgments: `judgments` is how many there are of each grade, `missing` the judged documents that are not among
    `documents`, with their grades; at least the missing documents of the ideal top k. Equal judgments have the same
    `digest`.

    Scores: by the name of the metric, None where one is not defined, nDCG@k among them. `lower` to `upper` is the
    interval that the unjudged results leave to nDCG@k; None: the score itself. `judged` of the `top` different
    documents within k have a judgment. `not_applicable` are the metrics that the suite expects of every case, and that
    this one has no relevant judgments for.

    Verdict: `outcomes` has the outcome of each expectation, `reasons` the unmet demands and why a case has no score.
    Reasons that the accepted ranking met come first. `reports.reasons` has the words.

    `latency` is in seconds; `latency_shared`: it is the case's share of the latency of a batch; `concurrency`: it was
    measured while up to so many searches ran at a time. `outcome` is pytest's: passed, failed, skipped, xfailed or
    xpassed; by default the verdict. `others` are keys of a later version. Sequences are tuples once the result is
    complete.
    """

    file: str
    line: int
    id: str
    verdict: str
    query: str = ""
    node: str = ""
    search: str = "search"
    variant: str | None = None
    variant_index: int = 0
    tags: Sequence[str] = ()
    weight: float = 1
    params: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    source: str | None = None
    test: str = ""
    items: Sequence[str] = ()
    k: int = 10
    depth: int | None = None
    is_depth_set: bool = False
    reaches_depth: bool = False
    asked: int | None = None
    floor: float | None = None
    tolerance: float = 0.05
    settings: Settings = DEFAULT_SETTINGS
    lowest: float = 0.0
    highest: float = 0.0
    grade_names: Mapping[float, str] = field(default_factory=dict)
    documents: Sequence[str] = ()
    whole: bool = False
    engine_scores: Sequence[float | None] = ()
    is_unsorted: bool = False
    grades: Sequence[float | None] = ()
    returned: int = 0
    deeper: Mapping[str, int] = field(default_factory=dict)
    irrelevant_top: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    not_in_index: Sequence[str] = ()
    not_in_catalogue: Sequence[str] = ()
    judgments: Mapping[float, int] = field(default_factory=dict)
    missing: Sequence[tuple[str, float]] = ()
    digest: str = NO_DIGEST
    scores: Mapping[str, float | None] = field(default_factory=dict)
    lower: float | None = None
    upper: float | None = None
    judged: int = 0
    top: int = 0
    outcomes: Sequence[Outcome] = ()
    not_applicable: Sequence[str] = ()
    baseline: BaselineComparison | None = None
    reasons: Sequence[Outcome] = ()
    error: SearchError | None = None
    explanations: Mapping[str, str] = field(default_factory=dict)
    latency: float | None = None
    latency_shared: bool = False
    concurrency: int = 1
    repeats: Repeats | None = None
    outcome: str = ""
    others: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set an empty `query` to the id, and an empty `outcome` to the verdict."""
        self.query = self.query or self.id
        self.outcome = self.outcome or self.verdict

    @property
    def key(self) -> Key:
        """The key of the result in its run."""
        return self.file, self.id, self.variant

    @property
    def is_check(self) -> bool:
        """Whether a test in Python gave the ranking."""
        return self.search == CHECK

    @property
    def metric(self) -> Metric:
        """nDCG@k."""
        return ndcg_at(self.k)

    @property
    def score(self) -> float | None:
        """nDCG@k, None where it is not defined or there is none."""
        return self.scores.get(ndcg_at(self.k).text)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The least and the greatest nDCG@k that the unjudged results leave open; None where it is not defined."""
        return (self.score, self.score) if self.lower is None else (self.lower, self.upper)

    @property
    def change(self) -> float:
        """How much nDCG@k rose (fell: below 0) since the baseline; 0 where either is not defined."""
        before = None if self.baseline is None else self.baseline.score
        score = self.score
        return 0.0 if before is None or score is None else score - before

    @property
    def place(self) -> str:
        """`file:line` of the case, in the file of queries that it comes from."""
        return f"{self.source or self.file}:{self.line}"

    @property
    def status(self) -> str:
        """The status that a summary counts the case under."""
        if self.outcome in ("xfailed", "xpassed"):
            return self.outcome
        if self.verdict == SKIPPED or (self.verdict in WITHOUT_SCORE and self.outcome == SKIPPED):
            return SKIPPED
        if self.verdict in (*WITHOUT_SCORE, INCONCLUSIVE):
            return self.verdict
        return self.verdict if self.outcome == PASSED and self.verdict == MEASURED else self.outcome

    @property
    def is_cut(self) -> bool:
        """Whether metrics of the whole ranking have no value: it may go on, and no depth was set."""
        return self.reaches_depth and not self.is_depth_set

    @property
    def is_judged(self) -> bool:
        """Whether the case has any judgments."""
        return self.digest not in ("", NO_DIGEST)

    @property
    def graded(self) -> GradedRanking:
        """The ranking as the metrics take it, as deep as it was kept."""
        judged = [grade for grade, count in self.judgments.items() for _ in range(count)]
        return GradedRanking([*self.grades], repeated_indexes(self.documents), judged)

    @property
    def unjudged(self) -> list[str]:
        """The different documents in the top k without a judgment, best first."""
        top = zip(self.documents[: self.k], self.grades[: self.k], strict=True)
        graded = {document for document, grade in zip(self.documents, self.grades, strict=True) if grade is not None}
        return list(dict.fromkeys(document for document, grade in top if grade is None and document not in graded))

    @property
    def returns_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned document."""
        is_deeper = any(document in self.deeper for document, _ in self.missing)
        return bool(self.judgments and self.documents) and not is_deeper and all(each is None for each in self.grades)

    @property
    def is_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned or accepted document: usually the id field is wrong."""
        accepted = () if self.baseline is None else self.baseline.grades
        return self.returns_unjudged and all(grade is None for grade in accepted)

    @property
    def named(self) -> Sequence[str]:
        """The documents that a report may name, each once: returned, missing, accepted by the baseline, expected."""
        return list(dict.fromkeys([*self.named_within(None), *self.deeper]))

    def named_within(self, top: int | None) -> Sequence[str]:
        """The documents of `named`, with only the first `top` of each ranking (None: all kept documents)."""
        accepted = () if self.baseline is None else self.baseline.documents
        expected = (document for outcome in self.outcomes for document in outcome.documents)
        repeated = () if self.repeats is None else filter(None, self.repeats.documents)
        missing = (document for document, _ in self.missing)
        return list(dict.fromkeys(chain(self.documents[:top], missing, accepted[:top], expected, repeated)))

    def add_titles(
        self,
        titles: Mapping[str, str],
        shown: Mapping[str, Mapping[str, str]] | None = None,
        *,
        replace: bool = True,
    ) -> None:
        """Add titles, and fields to show, of the documents in `named`; without `replace` existing titles stay."""
        named, shown = self.named, shown or {}
        found = {document: titles[document] for document in named if document in titles}
        self.titles = {**self.titles, **found} if replace else {**found, **self.titles}
        self.shown = {**self.shown, **{document: shown[document] for document in named if document in shown}}

    def rank_of(self, document: str) -> int | None:
        """The rank (from 1) at which a document was returned; None where it was not, as far as is known."""
        try:
            return self.documents.index(document) + 1
        except ValueError:
            return self.deeper.get(document)

    def to_dict(self, names: frozenset[str] | None = None) -> dict[str, Any]:
        """The result in builtin types: the fields (all, or these `names`) that differ from their defaults."""
        values = _writer(names)(self)
        for name in values.keys() & TO_BUILTIN.keys():
            values[name] = TO_BUILTIN[name](values[name])
        if self.query == self.id:
            values.pop("query", None)
        if self.outcome == self.verdict:
            values.pop("outcome", None)
        others: Mapping[str, Any] = values.pop("others", {})
        return {**values, **others}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> CaseResult:
        """The result that `to_dict` was called on.

        Keys that are not known here become its `others`. Raises TypeError for a missing field, and TypeError,
        ValueError or KeyError for a value of another shape.
        """
        converted = with_others(cls, {**values})
        for name in converted.keys() & FROM_BUILTIN.keys():
            if converted[name] is not None:
                converted[name] = FROM_BUILTIN[name](converted[name])
        return cls(**converted)


_DEFAULTS = defaults_of(CaseResult)


@lru_cache
def _writer(names: frozenset[str] | None) -> Callable[[CaseResult], dict[str, Any]]:
    """Make a function that returns the fields of these names (all by default) that differ from their defaults.

    It is compiled with a line for each field, as the methods of dataclasses are: every case pays for it, and a loop
    takes five times as long.
    """
    lines = ["def write(result):", "    values = {}"]
    defaults: dict[str, Any] = {}
    for name, default in _DEFAULTS:
        if names is None or name in names:
            defaults[f"_{name}"] = default
            differs = f"if value != _{name}"
            if default is None or default is MISSING:
                differs = "if value is not None"
            elif not default:
                differs = "if value"
            lines.append(f"    value = result.{name}")
            lines.append(f"    {differs}: values[{name!r}] = value")
    exec("\n".join([*lines, "    return values"]), defaults)
    write: Callable[[CaseResult], dict[str, Any]] = defaults["write"]
    return write


DETAIL_FIELDS = frozenset(
    {
        *("documents", "whole", "engine_scores", "grades", "deeper", "notes", "grade_names"),
        *("shown", "not_in_index", "not_in_catalogue"),
        *("judgments", "missing", "digest", "outcomes", "not_applicable", "settings", "lowest", "highest"),
    }
)
"""The fields that a summary does not need: a case that passed leaves them out unless something asks for them."""

SUMMARY_FIELDS = frozenset(name for name, _ in _DEFAULTS) - DETAIL_FIELDS


def variants_in_order(results: Iterable[CaseResult]) -> list[tuple[str, str | None]]:
    """The search and the variant of all results, each once: the first parameter of a fixture first, as written."""
    first: dict[tuple[str, str | None], int] = {}
    for result in results:
        key = result.search, result.variant
        first[key] = min(first.get(key, result.variant_index), result.variant_index)
    return sorted(first, key=lambda key: (first[key], str(key)))


def count_grades(grades: Sequence[float]) -> dict[float, int]:
    """How many judgments there are of each grade, the highest grade first."""
    return dict(Counter(sorted(grades, reverse=True)))
