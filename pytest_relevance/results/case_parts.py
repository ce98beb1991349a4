"""The parts of a `CaseResult`. Sequences in them are tuples once the result is
complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance.metrics.ndcg import grade_ranking, without_copies
from pytest_relevance.metrics.settings import Settings

SETUP, SCORING = "setup", "scoring"
"""The phases of an error outside the search: setting up fixtures, and scoring the
returned ranking.
"""

STANDINGS = NEW, STALE, REGRESSION, IMPROVEMENT, WITHIN, NOT_COMPARED, LOST = (
    "new",
    "stale",
    "regression",
    "improvement",
    "within",
    "not compared",
    "lost",
)
"""How a case compares with its reference (a baseline or a record).

- `NEW`: the reference does not know the case.
- `STALE`: the entry is for another query, params or depth.
- `REGRESSION`, `IMPROVEMENT`, `WITHIN`: the score fell or rose by more than the
  tolerance, or stayed within it.
- `NOT_COMPARED`: the reference knows the case and has no ranking of it.
- `LOST`: the reference has a ranking of the case, and this run has none.
"""

WITHOUT_COMPARISON = frozenset({NEW, STALE, NOT_COMPARED, LOST})
"""The standings of a case whose ranking was not compared with an accepted one."""

NO_DIGEST = "0" * 16
"""The digest of a result without judgments."""

DEFAULT_SETTINGS = Settings()
"""The settings of most results, which share them, and with them the table of gains."""

EMPTY: Mapping[Any, Any] = {}
"""A mapping that results share, and nothing writes to."""

FLOOR, DROP, TOO_FEW_JUDGED, STALE_ENTRY, TEXT = (
    "floor",
    "drop",
    "min_judged",
    "stale",
    "text",
)
"""The kinds of `Outcome` that do not come from an expectation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one demand on a case. The unmet outcomes of a failing case are its
    reasons.

    The words for it are made in `reports.reasons`, and nowhere else. `kind` is one of

    - "metric", "similarity" (a metric of this ranking and the accepted one), or the key
      of another expectation ("first", "include" ...)
    - `FLOOR`: nDCG@k, which has to be at least `bound`
    - `DROP`: nDCG@k, which may be at most `bound` below its value `before`
    - `TOO_FEW_JUDGED`: `value` of the first `within` documents are judged; their share
      has to be at least `bound`
    - `STALE_ENTRY`: `clauses` say what changed since the ranking was accepted; `name`
      is the name of the record that the entry comes from, empty for a baseline
    - `TEXT`: `clauses` has a sentence: why there is no score

    `value` is the figure found, None where there is none (a latency is in seconds);
    `comparison` is the operator between a figure and `bound`, or a rank and `within`.
    `documents`, `within` and `sets` are what was expected, as in an `Expectation`;
    `wrong` are the documents that do not meet it. For `order` it lists the wrong pairs,
    one after the other: the first document of each pair is not before the second. For
    fields, `conditions` are what was expected of the first `within` results, and
    `values` has for each document in `wrong` its rank and the fields that make it
    wrong, {field: value}. For `same_as`, `query` is the other query, and `values` has
    the ranks here and there.
    `is_worse`: the accepted ranking misses this too, and is known to miss it by less.
    `is_score`: judging the unjudged results could change the figure. `by_people`: the
    figures are those without the grades that fill, by which nothing is wrong. `before`
    is the figure of the accepted ranking today, `is_new`: that ranking met this.
    """

    name: str
    kind: str
    met: bool
    value: float | None = None
    comparison: str = ">="
    bound: float = 0.0
    is_score: bool = False
    documents: Sequence[str] = ()
    within: int | None = None
    sets: Sequence[int] = ()
    wrong: Sequence[str] = ()
    before: float | None = None
    is_new: bool = False
    clauses: Sequence[str] = ()
    conditions: Sequence[tuple[str, str, Sequence[Any]]] = ()
    values: Sequence[tuple[Any, Any]] = ()
    query: str = ""
    by_people: bool = False
    is_worse: bool = False


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The comparison of a case with the ranking that its baseline has accepted.

    `score` is nDCG@k of the accepted ranking under the judgments of today, None where
    it is not defined; `scores` are others that gates ask for. `stale` lists what
    changed in the case since the ranking was accepted. `documents` and `grades` are the
    accepted ranking and `then` its scores on the day it was accepted, where a report
    needs them.

    `newly_failing`: a floor or an expectation is not met that the accepted ranking
    meets under the judgments of today.
    `failed_before`: the accepted ranking is known to miss each unmet floor and
    expectation at least as badly, and the score did not drop by more than the
    tolerance. A latency counts for neither. `missed`: the accepted ranking is known to
    miss a floor or an expectation of today; only where a gate on the share that passes
    asks for it. `known`: pytest reports the case as xfailed for that reason
    (`--relevance-known=xfail`). `searched` is the difference of the fingerprints in the
    names that the baseline has, `{name: [before, now]}`. `latency` is the one in the
    reference, in seconds, where its search was called as now. `people_scores` are all
    these scores without the grades that fill what nobody has judged, in a case that has
    such.

    `lost` are the metrics by which the reference has a score and the case has none now.
    A case with any is lost. `why` is one of the reasons in `records.uncompared`: why
    the case is lost, or why the reference has no ranking of it.
    `found_nothing`: the accepted ranking is empty, and the case should find something.
    """

    standing: str
    score: float | None = None
    stale: Sequence[str] = ()
    scores: Mapping[str, float | None] = field(default_factory=dict)
    documents: Sequence[str] = ()
    grades: Sequence[float | None] = ()
    then: Mapping[str, float | None] = field(default_factory=dict)
    newly_failing: bool = False
    failed_before: bool = False
    known: bool = False
    searched: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    latency: float | None = None
    missed: bool = False
    people_scores: Mapping[str, float | None] = field(default_factory=dict)
    lost: Sequence[str] = ()
    why: str = ""
    found_nothing: bool = False


@dataclass(frozen=True, slots=True)
class SearchError:
    """Why a case has no score: the type of the exception, its first line, and the
    user's innermost frame.

    `phase` is `SETUP` or `SCORING`, and empty for an error of the search.
    """

    type: str
    message: str
    frame: str = ""
    phase: str = ""

    @property
    def headline(self) -> str:
        """The type and the first line of the message: `ConnectionError: no engine`."""
        return ": ".join(filter(None, (self.type, self.message.partition("\n")[0])))


@dataclass(frozen=True, slots=True)
class Repeats:
    """The rankings of several calls of one search: how many `calls`, how many different
    `rankings`.

    Where there are several, `rank` (from 1) is the highest at which any differs from
    the first, `documents` the two at that rank (None below the end of a ranking).
    """

    calls: int
    rankings: int
    rank: int | None = None
    documents: Sequence[str | None] = ()


@dataclass(frozen=True, slots=True)
class CaseOrigin:
    """Where a case comes from, beyond its identity.

    `source` is the file of queries that the case comes from, which `line` then counts
    in. `test` is the node id of the test in Python that checked the ranking. `items`
    are the names of its items where another plugin repeats them or adds parameters to
    their names. `variant_index` counts the variants of the case from 0, in the order of
    the parameters of its fixtures as written. `search_folder` is the folder that
    defines the search, empty for the rootdir: folders may have searches of one name.
    """

    variant_index: int = 0
    source: str | None = None
    test: str = ""
    items: Sequence[str] = ()
    search_folder: str = ""


@dataclass(frozen=True, slots=True)
class CaseConditions:
    """How a ranking was asked for, and how it is scored.

    `depth` is the deepest rank that the case looks at, None for a ranking of no case;
    `is_depth_set`: the case file sets it. `asked` is how many results the search was
    asked for, 0 where it takes no number, None where that is not known. `floor` is the
    expected minimum of nDCG@k, `tolerance` how far it may drop below the baseline.
    `lowest` and `highest` are the grades that an unjudged result may have;
    `grade_names` the names of grades.
    """

    k: int = 10
    depth: int | None = None
    is_depth_set: bool = False
    asked: int | None = None
    floor: float | None = None
    tolerance: float = 0.05
    settings: Settings = DEFAULT_SETTINGS
    lowest: float = 0.0
    highest: float = 0.0
    grade_names: Mapping[float, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseRanking:
    """What the search returned.

    `documents` are the results, best first, as deep as the case looks (`whole`: all
    that was returned, as all of it counts), with `engine_scores` (or none;
    `is_unsorted`: they neither only fall nor only rise) and `grades` (None: unjudged,
    or a later copy), one for each document. `returned` is how many different documents
    the search returned, `repeated` how many results are later copies; `reaches_depth`:
    as many as it was asked for, so that there may be more. `deeper` are the ranks of
    judged or accepted documents below those that are kept. `irrelevant_top` are the
    first three documents, if the first has no gain. `as_returned` are the results where
    the settings collapse chunks: `documents` has the first of each document.
    `field_values` is in how many of the results each field has a value that is not
    empty; it has the fields that expectations look at, if there are results.
    """

    reaches_depth: bool = False
    documents: Sequence[str] = ()
    as_returned: Sequence[str] = ()
    whole: bool = False
    engine_scores: Sequence[float | None] = ()
    is_unsorted: bool = False
    grades: Sequence[float | None] = ()
    returned: int = 0
    deeper: Mapping[str, int] = field(default_factory=dict)
    irrelevant_top: Sequence[str] = ()
    repeated: int = 0
    field_values: Mapping[str, int] = field(default_factory=dict)
    left_out: int = 0
    is_default_k: bool = False

    @property
    def length(self) -> int:
        """How many results the search returned, with later copies and chunks that were
        left out.
        """
        return self.returned + self.repeated + self.left_out

    @property
    def uncollapsed(self) -> Sequence[str]:
        """The results as the search returned them, as deep as they are kept."""
        return self.as_returned or self.documents

    def scored_by(self, settings: Settings) -> CaseRanking:
        """The ranking collapsed or as it was returned, as other settings have it;
        engine scores are left out.
        """
        grades = {
            document: grade
            for document, grade in zip(self.documents, self.grades, strict=True)
            if grade is not None
        }
        returned = self.uncollapsed
        documents = tuple(without_copies(returned)) if settings.collapse else returned
        found = tuple(grade_ranking(documents, grades).grades)
        return replace(
            self,
            documents=documents,
            as_returned=returned,
            engine_scores=(),
            grades=found,
            deeper=EMPTY,
        )

    def rank_of(self, document: str) -> int | None:
        """The rank (from 1) at which a document was returned; None where it was not, as
        far as is known.
        """
        try:
            return self.documents.index(document) + 1
        except ValueError:
            return self.deeper.get(document)


@dataclass(frozen=True, slots=True)
class CaseEvaluation:
    """The ranking under the judgments and expectations of the case.

    `judgments` is how many judgments there are of each grade, `missing` the judged
    documents that are not among those of the ranking, with their grades; at least the
    missing documents of the ideal top k. Equal judgments have equal `digest`s.

    `scores` are by the name of the metric, None where one is not defined, nDCG@k among
    them. `lower` to `upper` is the interval that the unjudged results leave to nDCG@k;
    None: the score itself. `judged` of the `top` different documents within k have a
    judgment. `not_applicable` are the metrics that the suite expects of every case, and
    that this one has no relevant judgments for.

    `undecided` are the expectations that are met only if nothing lies below the
    results, each with the rank to which it looks. `unreached` is the deepest cutoff
    that is written for the case, if fewer results were returned, else 0.

    `outcomes` has the outcome of each expectation, `reasons` the unmet demands and why
    a case has no score. Reasons that the accepted ranking met come first.
    `reports.reasons` has the words. `recorded_digest` is the digest of the judgments
    that the result was recorded with, where it was judged again; no record has it.

    `filled` are the documents whose grades fill what nobody has judged, with who gave
    them: {document: name}; `filled_top` is how many of the `judged` each has given.
    `people_scores` are the scores without these grades, `people_verdict` is the
    verdict, "" if it is the same.
    """

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
    reasons: Sequence[Outcome] = ()
    recorded_digest: str = ""
    filled: Mapping[str, str] = field(default_factory=dict)
    filled_top: Mapping[str, int] = field(default_factory=dict)
    people_scores: Mapping[str, float | None] = field(default_factory=dict)
    people_verdict: str = ""
    undecided: Sequence[tuple[str, int]] = ()
    unreached: int = 0

    @property
    def graders(self) -> Sequence[str]:
        """Whose grades fill, within k if they do there."""
        return [*dict.fromkeys(self.filled_top or self.filled.values())]

    @property
    def is_judged(self) -> bool:
        """Whether the case has any judgments."""
        return self.digest not in ("", NO_DIGEST)


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """What is known of documents, beyond their ids.

    `titles` and `notes` have texts for any document that the result names, {document:
    text}; the fields `shown` with them are {document: {field: text}}. `not_in_index`
    are the judged or expected documents that were not returned and that the index does
    not have, as far as the fixture `relevance_documents` was asked; `not_in_catalogue`
    are those that the catalogue of the suite does not have. `explanations` are from the
    hook `pytest_relevance_explain`.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    not_in_index: Sequence[str] = ()
    not_in_catalogue: Sequence[str] = ()
    explanations: Mapping[str, str] = field(default_factory=dict)

    def with_more(self, more: DocumentTexts) -> DocumentTexts:
        """The texts with those of another source. Where both say something of a
        document, the other one counts.
        """
        return DocumentTexts(
            titles={**self.titles, **more.titles},
            notes={**self.notes, **more.notes},
            shown={**self.shown, **more.shown},
            not_in_index=merged(self.not_in_index, more.not_in_index),
            not_in_catalogue=merged(self.not_in_catalogue, more.not_in_catalogue),
            explanations={**self.explanations, **more.explanations},
        )


def merged(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """The texts of both, each once."""
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(frozen=True, slots=True)
class CaseCall:
    """The calls of the search and of the test function.

    `latency` is in seconds, None where the search was not called or failed;
    `latency_shared`: it is the case's share of the latency of a batch; `concurrency`:
    it was measured while up to so many searches ran at a time. `repeats` compares the
    rankings of several calls. `error` is why there is no score. `outcome` is pytest's
    outcome where it is another than the verdict: passed, failed, skipped, xfailed or
    xpassed. `is_marked_skip`: the case file or a mark says that the case is skipped, so
    that its search was not to be called.
    """

    error: SearchError | None = None
    latency: float | None = None
    latency_shared: bool = False
    concurrency: int = 1
    repeats: Repeats | None = None
    outcome: str = ""
    is_marked_skip: bool = False

    def latency_like(self, other: CaseCall) -> float | None:
        """The latency, if it was measured as in the other call: alone or shared, by as
        many at once. Else None.
        """
        is_alike = (self.latency_shared, self.concurrency) == (
            other.latency_shared,
            other.concurrency,
        )
        return self.latency if is_alike else None


def text_reason(text: str) -> Outcome:
    """A reason that is a sentence."""
    return Outcome("", TEXT, met=False, clauses=(text,))


def count_grades(grades: Sequence[float]) -> dict[float, int]:
    """How many judgments there are of each grade, the highest grade first."""
    counts: dict[float, int] = {}
    for grade in sorted(grades, reverse=True):
        counts[grade] = counts.get(grade, 0) + 1
    return counts
