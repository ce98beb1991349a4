"""Define the parts of a `CaseResult`.

`scoring` makes most parts when a case has been searched. The comparison with a baseline
adds `BaselineComparison`, and `details` adds what only reports need. As soon as a
result is complete, the sequences in its parts are tuples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from pytest_relevance.metrics.ndcg import Held, grade_ranking, without_copies
from pytest_relevance.metrics.settings import Settings

SETUP, SCORING = "setup", "scoring"
"""The phases of an error outside the search: while fixtures are set up, and while the
returned ranking is scored.
"""

NEW = "new"
STALE = "stale"
REGRESSION = "regression"
IMPROVEMENT = "improvement"
WITHIN = "within"
NOT_COMPARED = "not compared"
LOST = "lost"

STANDINGS = (NEW, STALE, REGRESSION, IMPROVEMENT, WITHIN, NOT_COMPARED, LOST)
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

DEFAULT_TOLERANCE = 0.05
"""By how much nDCG@k may drop below the baseline if a project sets no tolerance."""


class _Empty(dict[Any, Any]):
    """A dict that stays empty. A copy of it, also by pickle, is a usual dict."""

    def _refuse(self, *_items: Any, **_values: Any) -> NoReturn:
        raise TypeError("all results share this mapping; make a new one")

    __setitem__ = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, ()


EMPTY: Mapping[Any, Any] = _Empty()
"""A mapping that results share, so that 10,000 of them need less memory."""


def empty() -> Mapping[Any, Any]:
    """Return `EMPTY`: the default of fields, most of which stay empty."""
    return EMPTY


FLOOR = "floor"
DROP = "drop"
TOO_FEW_JUDGED = "min_judged"
STALE_ENTRY = "stale"
TEXT = "text"
"""The kinds of `Outcome` that do not come from an expectation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one demand on a case: a floor, an expectation, or a comparison.

    The unmet outcomes of a failing case are its reasons. Only `reports.reasons` puts
    them into words. `kind` is one of:

    - "metric", "similarity" (a metric of this ranking and the accepted one), or the key
      of another expectation ("first", "include" ...)
    - `FLOOR`: nDCG@k, which has to be at least `bound`
    - `DROP`: nDCG@k, which may be at most `bound` below its value `before`
    - `TOO_FEW_JUDGED`: `value` of the first `within` documents are judged; their share
      has to be at least `bound`
    - `STALE_ENTRY`: `clauses` say what changed since the ranking was accepted; `name`
      is the name of the record that the entry comes from, empty for a baseline
    - `TEXT`: `clauses` has a sentence: why there is no score

    What was expected:

    `comparison`: the operator between a figure and `bound`, or a rank and `within`.
    `documents`, `within`, `sets`: as in `cases.expectation.Expectation`.
    `conditions`: what was expected of the fields of the first `within` results.
    `query`: for `same_as`, the other query.
    `quotes`: for `exclude_passages`, the quotes.

    What was found:

    `met`: whether the demand is met.
    `value`: the figure that is compared with `bound`; None if there is none. A latency
    is in seconds.
    `is_score`: whether grades for the unjudged results could change the figure.
    `wrong`: the documents that do not meet the demand. For `order` it has the wrong
    pairs, one after the other: the first document of each pair is not before the
    second.
    `values`: for each document in `wrong`, its rank and the fields that make it wrong,
    {field: value}. For `same_as`, the ranks here and there. For `exclude_passages`, its
    rank and the index of a quote that it holds.
    `by_people`: the figures are those without the grades of a machine; with these
    grades the demand is met.

    How the accepted ranking does, under the present judgments:

    `before`: the figure of the accepted ranking.
    `is_new`: whether the accepted ranking meets the demand.
    `is_worse`: whether the accepted ranking misses the demand too, but by less.
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
    quotes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The comparison of a case with the accepted ranking of its reference.

    `standing`: the result of the comparison, one of `STANDINGS`.
    `score`: nDCG@k of the accepted ranking under the present judgments; None if it is
    not defined.
    `scores`: the other scores of the accepted ranking that gates ask for.
    `people_scores`: all these scores without the grades of a machine; empty if there
    are none.
    `documents`, `grades`: the accepted ranking, if a report needs it.
    `held`: for each accepted result the indexes (from 0) of the passages that it holds,
    if the case has passages.
    `texts`: for each accepted result its texts; several if chunks of a document are
    collapsed. Only a reference that is a record with texts has them. The record of this
    run does not keep them.
    `then`: {metric: score} of the accepted ranking on the day it was accepted, if a
    report needs them.
    `latency`: the latency in the reference, in seconds; None if the search was called
    in another way then.
    `searched`: {name: [before, now]}, what differs in what was searched, for the names
    that the reference has.
    `stale`: clauses that say what changed in the case since the ranking was accepted.
    `newly_failing`: whether the case misses a floor or an expectation that the accepted
    ranking meets under the present judgments. A latency does not count.
    `newly_met`: whether the case meets a floor or an expectation that the accepted
    ranking misses.
    `judged_alone`: nDCG@k over judged results alone, before and now. Empty if both
    rankings are judged down to k, or a score is not defined.
    `failed_before`: whether the accepted ranking is known to miss each missed demand by
    at least as much, and the score did not drop by more than the tolerance.
    `missed`: whether the accepted ranking is known to miss a present demand. It is
    looked up only for a gate on the share of cases that pass.
    `known`: whether pytest reports the case as xfailed because it failed before
    (`--relevance-known=xfail`).
    `lost`: the metrics by which the reference has a score and the case has none now. If
    there are any, the case is lost.
    `why`: why the case is lost, or why the reference has no ranking of it: one of the
    reasons in `records.uncompared`.
    `found_nothing`: whether the accepted ranking is empty, although the case should
    find something.
    `verdict`: the verdict with this comparison, if it differs from the verdict that a
    recorded result keeps; else "".
    `weight`: the weight of the case in the sample of the reference, if all queries are
    taken now; else None.
    """

    standing: str
    score: float | None = None
    stale: Sequence[str] = ()
    scores: Mapping[str, float | None] = field(default_factory=empty)
    documents: Sequence[str] = ()
    grades: Sequence[float | None] = ()
    then: Mapping[str, float | None] = field(default_factory=empty)
    newly_failing: bool = False
    failed_before: bool = False
    known: bool = False
    searched: Mapping[str, Sequence[Any]] = field(default_factory=empty)
    latency: float | None = None
    missed: bool = False
    people_scores: Mapping[str, float | None] = field(default_factory=empty)
    lost: Sequence[str] = ()
    why: str = ""
    found_nothing: bool = False
    newly_met: bool = False
    judged_alone: Sequence[float] = ()
    verdict: str = ""
    held: Held = ()
    texts: Sequence[Sequence[str]] = ()
    weight: float | None = None

    @property
    def has_accepted_ranking(self) -> bool:
        """Say whether the reference has a ranking of the case, also a stale one."""
        return self.standing not in (NEW, NOT_COMPARED, LOST)


@dataclass(frozen=True, slots=True)
class SearchError:
    """Why a case has no score.

    `type`: the type of the exception; empty for a refusal of this program.
    `frame`: the innermost frame in the code of the user.
    `phase`: `SETUP` or `SCORING`; empty for an error of the search.
    """

    type: str
    message: str
    frame: str = ""
    phase: str = ""

    @property
    def headline(self) -> str:
        """Return the type and the first line: `ConnectionError: no engine`."""
        first_line = self.message.partition("\n")[0]
        return ": ".join(part for part in (self.type, first_line) if part)


@dataclass(frozen=True, slots=True)
class Repeats:
    """How the rankings of several calls of one search differ.

    `calls`: how many calls there were.
    `rankings`: how many different rankings they returned.
    `rank`: the first rank (from 1) at which a ranking differs from the first call; None
    if all are the same.
    `documents`: the two documents at that rank; None below the end of a ranking.
    """

    calls: int
    rankings: int
    rank: int | None = None
    documents: Sequence[str | None] = ()


@dataclass(frozen=True, slots=True)
class CaseOrigin:
    """Where a case comes from, beside its file and id.

    `variant_index`: the number of the variant, from 0, in the order in which the
    parameters of the fixtures are written.
    `source`: the file of queries that the case comes from. The line of the result is
    then a line of this file.
    `test`: the node id of the test in Python that checked the ranking.
    `items`: the names of its pytest items, if another plugin repeats them or adds
    parameters to their names.
    `search_folder`: the folder that defines the search; empty for the rootdir. Several
    folders may define searches with one name.
    """

    variant_index: int = 0
    source: str | None = None
    test: str = ""
    items: Sequence[str] = ()
    search_folder: str = ""


@dataclass(frozen=True, slots=True)
class CaseConditions:
    """How the search was called, and how its ranking is scored.

    `depth`: the deepest rank that the case looks at; None for a ranking without a case.
    `is_depth_set`: whether the case file sets the depth.
    `asked`: how many results the search was asked for; 0 if it takes no number of
    results, None if the number is not known.
    `floor`: the lowest nDCG@k with which the case passes; None without a floor.
    `tolerance`: by how much nDCG@k may drop below the baseline.
    `lowest`, `highest`: the grades between which an unjudged result may be.
    `grade_names`: {grade: name}, for grades with names.
    """

    k: int = 10
    depth: int | None = None
    is_depth_set: bool = False
    asked: int | None = None
    floor: float | None = None
    tolerance: float = DEFAULT_TOLERANCE
    settings: Settings = DEFAULT_SETTINGS
    lowest: float = 0.0
    highest: float = 0.0
    grade_names: Mapping[float, str] = field(default_factory=empty)


@dataclass(frozen=True, slots=True)
class CaseRanking:
    """What the search returned.

    `documents`: the results, best first, as deep as the case looks. If chunks are
    collapsed, only the first of each document.
    `as_returned`: the results before chunks were collapsed; empty if none were.
    `whole`: whether `documents` has all results, because a metric looks at all of them.
    `engine_scores`: one for each document, or none at all.
    `is_unsorted`: whether the engine scores both fall and rise.
    `are_all_tied`: whether there are several results, and all have the same score.
    `grades`: one for each document; None for an unjudged one and for a later copy.
    `returned`: how many different documents the search returned.
    `repeated`: how many results are later copies.
    `left_out`: how many results are chunks that were left out.
    `reaches_depth`: whether the search returned as many results as it was asked for, so
    that there may be more.
    `deeper`: {document: rank}, for judged or accepted documents below `documents`.
    `irrelevant_top`: the first three documents, if the first has no gain.
    `field_values`: {field: in how many results it has a value}, for the fields that
    expectations look at. A null or an empty value does not count.
    `response`: {path: value} of the response, for the paths of the expectation
    `response`. A long value is left out.
    `is_default_k`: whether the search returned as many results as the default of its
    parameter `k`, and was asked for more.
    `untied`: the indexes (from 0) of documents with the score of the document before,
    behind which a second sort value puts them.

    If the case has passages, each result has an entry in:

    `held`: the indexes (from 0) of the passages that the result holds, in the order of
        the case.
    `lengths`: the number of characters of its text.

    `common_passages`: the passages that over a third of the results hold, if there are
        enough results. Their words may be in texts by chance.

    If the case has passages, and a record keeps texts (`relevance_record_texts`) or the
    run writes a page, each entry of `uncollapsed` has one in:

    `texts`: the texts of the results. Of all reports only the page has them.
    `fields_of_texts`: {field: for each text [its value], or [] if it has none}, for the
        fields that conditions of passages look at.
    """

    reaches_depth: bool = False
    documents: Sequence[str] = ()
    as_returned: Sequence[str] = ()
    whole: bool = False
    engine_scores: Sequence[float | None] = ()
    is_unsorted: bool = False
    are_all_tied: bool = False
    grades: Sequence[float | None] = ()
    returned: int = 0
    deeper: Mapping[str, int] = field(default_factory=empty)
    irrelevant_top: Sequence[str] = ()
    repeated: int = 0
    field_values: Mapping[str, int] = field(default_factory=empty)
    response: Mapping[str, Any] = field(default_factory=empty)
    left_out: int = 0
    is_default_k: bool = False
    held: Held = ()
    lengths: Sequence[int] = ()
    untied: Sequence[int] = ()
    common_passages: Sequence[str] = ()
    texts: Sequence[str] = ()
    fields_of_texts: Mapping[str, Sequence[Sequence[Any]]] = field(
        default_factory=empty
    )

    @property
    def length(self) -> int:
        """Return how many results the search returned, copies and chunks included."""
        return self.returned + self.repeated + self.left_out

    @property
    def uncollapsed(self) -> Sequence[str]:
        """Return the results as the search returned them, as deep as they are kept."""
        return self.as_returned or self.documents

    def scored_by(self, settings: Settings) -> CaseRanking:
        """Return the ranking under other settings: with or without collapsed chunks.

        Engine scores and ranks below the kept ranking are left out.
        """
        grades = {}
        for document, grade in zip(self.documents, self.grades, strict=True):
            if grade is not None:
                grades[document] = grade
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
            untied=(),
        )

    def rank_of(self, document: str) -> int | None:
        """Return the rank (from 1) of a document; None if none is known."""
        if document in self.documents:
            return self.documents.index(document) + 1
        return self.deeper.get(document)


def texts_by_result(
    documents: Sequence[str], returned: Sequence[str], texts: Sequence[str]
) -> Sequence[Sequence[str]]:
    """Return for each result its texts, in the order in which they were returned.

    A result has one text. A document whose chunks are collapsed has the texts of all
    its chunks. Empty if `texts` is empty.

    `documents`: the results. If chunks are collapsed, each document once.
    `returned`, `texts`: the results as they were returned, and the text of each.
    """
    if not texts:
        return ()
    if len(texts) == len(documents):
        return [[text] for text in texts]
    found: dict[str, list[str]] = {}
    for document, text in zip(returned, texts, strict=True):
        found.setdefault(document, []).append(text)
    return [found[document] for document in documents]


OTHER_FIELD = "other field"
"""The kind of a near miss: a result holds the quote, but misses a condition."""


@dataclass(frozen=True, slots=True)
class NearPassage:
    """Results that nearly hold a passage, and what is different.

    `kind`: a value of `passages.near_misses.Difference`, or `OTHER_FIELD`.
    `ranks`: the ranks (from 1) of these results. If chunks are collapsed, those of the
    chunks.
    `wanted`, `found`: what the quote has at the first difference, and what the text has
    there. For `OTHER_FIELD` the name of the field, and its value.
    `is_deeper`: whether the ranks are those of a second, deeper search.
    """

    kind: str
    ranks: Sequence[int]
    wanted: str = ""
    found: str = ""
    is_deeper: bool = False


@dataclass(frozen=True, slots=True)
class CasePassage:
    """A passage of a case, and where it was found.

    `text`: the quote that names it.
    `other_quotes`: the other forms of the passage (`any`).
    `is_context`: whether half of the quote is enough.
    `key`: a digest of its quotes and conditions, without the grade. A record knows
    which results held a passage if it has a passage with this key.
    `rank`: the rank (from 1) of the first result that holds it; None if none does.
    `deeper_rank`: the rank of the first result that holds it in a second, deeper search
    (`CaseCall.deeper`); None if none does, or if there was no such search. Each chunk
    of a document has a rank.
    `chunk`: if chunks are collapsed, the rank among all chunks of the first that holds
    it; else None.
    `near`: results that nearly hold the passage, if it is missing; None if there are
    none, or if the case did not fail.
    """

    text: str
    grade: float = 1
    rank: int | None = None
    key: str = ""
    deeper_rank: int | None = None
    chunk: int | None = None
    near: NearPassage | None = None
    other_quotes: Sequence[str] = ()
    is_context: bool = False


@dataclass(frozen=True, slots=True)
class CaseEvaluation:
    """The ranking under the judgments and expectations of the case.

    `judgments`: {grade: number of judgments}.
    `missing`: (document, grade) for judged documents that the kept ranking lacks; at
    least those of the ideal top k.
    `digest`: a digest of the judgments. Equal judgments have equal digests.
    `recorded_digest`: if a recorded result was judged again, the digest of the recorded
    judgments; else "". It is not written into records.
    `scores`: {metric: score}, with nDCG@k; None if a score is not defined.
    `lower`, `upper`: the lowest and the highest nDCG@k that unjudged results allow;
    None if they allow only the score itself.
    `ties_lower`, `ties_upper`: the lowest and the highest nDCG@k over the orders of
    results with equal scores; None if there is only one order.
    `ties_may_go_on`: whether the interval of ties may be wider, because the last result
    that was returned has an equal score too, and there may be more results.
    `judged`, `top`: how many of the different documents in the top k have a judgment,
    and how many different documents there are.
    `outcomes`: the outcome of each expectation.
    `reasons`: the missed demands, or why the case has no score. Demands that the
    accepted ranking meets come first.
    `not_applicable`: the metrics that the suite expects of every case, and that this
    case has no relevant judgments for.
    `undecided`: (expectation, rank to which it looks), for expectations that are met
    only if there are no results below the returned ones.
    `unreached`: the deepest cutoff that is written for the case, if fewer results were
    returned; else 0.
    `passages`: the passages of the case. Empty if it judges documents.

    A machine may have graded documents that nobody has judged:

    `filled`: {document: who graded it}, for such documents.
    `filled_top`: {who graded: how many of the `judged` documents}.
    `people_scores`: the scores without these grades.
    `people_verdict`: the verdict without these grades; "" if it is the same.
    """

    judgments: Mapping[float, int] = field(default_factory=empty)
    missing: Sequence[tuple[str, float]] = ()
    digest: str = NO_DIGEST
    scores: Mapping[str, float | None] = field(default_factory=empty)
    lower: float | None = None
    upper: float | None = None
    ties_lower: float | None = None
    ties_upper: float | None = None
    ties_may_go_on: bool = False
    judged: int = 0
    top: int = 0
    outcomes: Sequence[Outcome] = ()
    not_applicable: Sequence[str] = ()
    reasons: Sequence[Outcome] = ()
    recorded_digest: str = ""
    filled: Mapping[str, str] = field(default_factory=empty)
    filled_top: Mapping[str, int] = field(default_factory=empty)
    people_scores: Mapping[str, float | None] = field(default_factory=empty)
    people_verdict: str = ""
    undecided: Sequence[tuple[str, int]] = ()
    unreached: int = 0
    passages: Sequence[CasePassage] = ()

    @property
    def graders(self) -> Sequence[str]:
        """Return the machines that graded within k; if none did, all machines."""
        return [*dict.fromkeys(self.filled_top or self.filled.values())]

    @property
    def is_judged(self) -> bool:
        """Say whether the case has any judgments."""
        return self.digest not in ("", NO_DIGEST)


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """What is known of documents, beyond their ids.

    `titles`, `notes`: {document: text}, for documents that the result names.
    `shown`: {document: {field: text}}, for the fields that reports show.
    `not_in_index`: judged or expected documents that were not returned and that
    the index does not have, as far as the fixture `relevance_documents` was asked.
    `not_in_catalogue`: documents that the catalogue of the suite does not have.
    `explanations`: the texts of the hook `pytest_relevance_explain`.
    """

    titles: Mapping[str, str] = field(default_factory=empty)
    notes: Mapping[str, str] = field(default_factory=empty)
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=empty)
    not_in_index: Sequence[str] = ()
    not_in_catalogue: Sequence[str] = ()
    explanations: Mapping[str, str] = field(default_factory=empty)

    def with_more(self, more: DocumentTexts) -> DocumentTexts:
        """Return these texts and more. For one document the new text counts."""
        return DocumentTexts(
            titles={**self.titles, **more.titles},
            notes={**self.notes, **more.notes},
            shown={**self.shown, **more.shown},
            not_in_index=merged(self.not_in_index, more.not_in_index),
            not_in_catalogue=merged(self.not_in_catalogue, more.not_in_catalogue),
            explanations={**self.explanations, **more.explanations},
        )


def merged(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of both sequences, each text once."""
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(frozen=True, slots=True)
class DeeperSearch:
    """A second search for more results, made to find missing passages.

    It changes no score, no latency and no count. `CasePassage.deeper_rank` has what it
    found.

    `asked`: how many results were requested.
    `returned`: how many were returned.
    `has_failed`: whether the search raised an exception, or could not be read.
    """

    asked: int
    returned: int = 0
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class CaseCall:
    """The calls of the search and of the test function.

    `error`: why there is no score.
    `latency`: in seconds; None if the search was not called or failed.
    `latency_shared`: whether `latency` is the time of a batch of cases, divided by
    their number.
    `concurrency`: how many searches ran at the same time, at most, while it was
    measured.
    `repeats`: how the rankings of several calls differ.
    `outcome`: pytest's outcome, if it is not the verdict: passed, failed, skipped,
    xfailed or xpassed.
    `is_marked_skip`: whether the case file or a mark skips the case, so that its search
    should not be called.
    `added_xfail`: the reason of an `xfail` that was added to the case while it ran;
    None if none was.
    `is_recorded`: whether no search was called: the ranking and the latency are those
    of an earlier run (`pytest-relevance replay`).
    `deeper`: the second search for missing passages; None if there was none.
    """

    error: SearchError | None = None
    latency: float | None = None
    latency_shared: bool = False
    concurrency: int = 1
    repeats: Repeats | None = None
    outcome: str = ""
    is_marked_skip: bool = False
    added_xfail: str | None = None
    is_recorded: bool = False
    deeper: DeeperSearch | None = None

    def latency_like(self, other: CaseCall) -> float | None:
        """Return the latency; None if the other call was measured in another way.

        Both must be of one case or of a batch, and with the same concurrency.
        """
        if self.latency_shared != other.latency_shared:
            return None
        return self.latency if self.concurrency == other.concurrency else None


def text_reason(text: str) -> Outcome:
    """Return a sentence as a reason of the kind `TEXT`."""
    return Outcome("", TEXT, met=False, clauses=(text,))


def count_grades(grades: Sequence[float]) -> dict[float, int]:
    """Return {grade: how many judgments have it}, the highest grade first."""
    counts: dict[float, int] = {}
    for grade in sorted(grades, reverse=True):
        counts[grade] = counts.get(grade, 0) + 1
    return counts
