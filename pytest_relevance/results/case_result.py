"""`CaseResult`: the result of one case in one search variant. Every report, gate and record is made from these.

A result is made once, where the case ran. `to_dict` gives builtin types, which pytest-xdist sends between its processes
and a record writes one on each line; `from_dict` reads them back. A value that equals its default is left out. Each
part has `others`, the keys that a later version has added to its dict: they are kept where a record is written
again.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache, partial
from itertools import chain
from math import fsum
from operator import mul
from sys import intern
from typing import Any, TypeVar

from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.ndcg import GradedRanking, repeated_indexes
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results import case_parts as parts
from pytest_relevance.results.case_parts import EMPTY, PARTS

VERDICTS = PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR, NOT_SEARCHED, SKIPPED = (
    *(
        "passed",
        "failed",
        "inconclusive",
        "measured",
        "error",
        "not searched",
        "skipped",
    ),
)
"""The verdicts of a case. `measured`: it has neither floor nor expectation; `not searched`: its search was not called,
as it had failed in too many cases before; `skipped`: it was not to run."""

WITHOUT_SCORE = (ERROR, NOT_SEARCHED)
"""The verdicts of a case that was to be scored and has no score."""

_UNMET = (FAILED, INCONCLUSIVE, *WITHOUT_SCORE)

XFAILED = "xfailed"

OUTCOMES = (*VERDICTS, XFAILED, "xpassed")
"""pytest's outcomes of a case; a case without one has its verdict as the outcome."""

CHECK = "relevance.check"
"""The name of the search of a result whose ranking a test in Python gave."""

Group = TypeVar("Group", bound=Hashable)
Item = TypeVar("Item")

Key = tuple[str, str, str | None]
"""Case file, id, variant: the key of a result in its run."""


@lru_cache
def ndcg_at(k: int) -> Metric:
    """The metric nDCG@k."""
    return Metric(f"nDCG@{k}", "nDCG", k)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case in one variant of its search: the identity of the case, and parts.

    `line` counts from 1 in `file`, or in the file of queries that the case comes from (`origin.source`). `verdict` is
    one of `VERDICTS`. `node` is pytest's node id, `search` the fixture that was called. `weight` (above 0) is the
    case's weight in means, `params` are the keyword arguments of the search other than the query. `baseline` is None
    where there is none. `others` are keys of a later version.

    """

    file: str
    line: int
    id: str
    verdict: str
    query: str
    node: str = ""
    search: str = "search"
    variant: str | None = None
    tags: Sequence[str] = ()
    weight: float = 1
    params: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    origin: parts.CaseOrigin = parts.CaseOrigin()
    conditions: parts.CaseConditions = parts.CaseConditions()
    ranking: parts.CaseRanking = parts.CaseRanking()
    texts: parts.DocumentTexts = parts.DocumentTexts()
    evaluation: parts.CaseEvaluation = parts.CaseEvaluation()
    baseline: parts.BaselineComparison | None = None
    call: parts.CaseCall = parts.CaseCall()
    others: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """The key of the result in its run."""
        return self.file, self.id, self.variant

    @property
    def is_check(self) -> bool:
        """Whether a test in Python gave the ranking."""
        return self.search == CHECK

    @property
    def outcome(self) -> str:
        """The outcome of the case in pytest: the verdict, unless `call` has another."""
        return self.call.outcome or self.verdict

    @property
    def metric(self) -> Metric:
        """nDCG@k."""
        return ndcg_at(self.conditions.k)

    @property
    def score(self) -> float | None:
        """nDCG@k, None where it is not defined or there is none."""
        return self.evaluation.scores.get(ndcg_at(self.conditions.k).text)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The least and the greatest nDCG@k that the unjudged results leave open; None where it is not defined."""
        lower, upper = self.evaluation.lower, self.evaluation.upper
        return (
            (self.score, self.score)
            if lower is None or upper is None
            else (lower, upper)
        )

    @property
    def change(self) -> float:
        """How much nDCG@k rose (fell: below 0) since the baseline; 0 where either is not defined."""
        before, score = (
            None if self.baseline is None else self.baseline.score,
            self.score,
        )
        return 0.0 if before is None or score is None else score - before

    @property
    def place(self) -> str:
        """`file:line` of the case, in the file of queries that it comes from."""
        return f"{self.origin.source or self.file}:{self.line}"

    @property
    def status(self) -> str:
        """The status that a summary counts the case under."""
        verdict, outcome = self.verdict, self.call.outcome
        if not outcome or outcome in (XFAILED, "xpassed"):
            return outcome or verdict
        if verdict == SKIPPED or (verdict in WITHOUT_SCORE and outcome == SKIPPED):
            return SKIPPED
        if verdict in (*WITHOUT_SCORE, INCONCLUSIVE):
            return verdict
        return verdict if outcome == PASSED and verdict == MEASURED else outcome

    @property
    def is_known(self) -> bool:
        """Whether the case failed before, and so was expected to fail (`--relevance-known=xfail`)."""
        return (
            self.baseline is not None and self.baseline.known and self.status == XFAILED
        )

    @property
    def is_cut(self) -> bool:
        """Whether metrics of the whole ranking have no value: it may go on, and no depth was set."""
        return self.ranking.reaches_depth and not self.conditions.is_depth_set

    @property
    def graded(self) -> GradedRanking:
        """The ranking as the metrics take it, as deep as it was kept."""
        judged = [
            grade
            for grade, count in self.evaluation.judgments.items()
            for _ in range(count)
        ]
        return GradedRanking(
            [*self.ranking.grades], repeated_indexes(self.ranking.documents), judged
        )

    @property
    def unjudged(self) -> list[str]:
        """The different documents in the top k without a judgment, best first."""
        documents, grades = self.ranking.documents, self.ranking.grades
        top = grades[: self.conditions.k]
        ungraded = [
            document
            for document, grade in zip(documents, top, strict=False)
            if grade is None
        ]
        if not ungraded or len({*documents}) == len(documents):
            return ungraded
        graded = {
            document
            for document, grade in zip(documents, grades, strict=True)
            if grade is not None
        }
        return [
            document for document in dict.fromkeys(ungraded) if document not in graded
        ]

    @property
    def returns_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned document."""
        found, ranking = self.evaluation, self.ranking
        are_unjudged = bool(found.judgments and ranking.documents) and all(
            grade is None for grade in ranking.grades
        )
        return are_unjudged and all(
            document not in ranking.deeper for document, _ in found.missing
        )

    @property
    def is_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned document: usually the id field is wrong.

        A result that the accepted ranking has too shows that both have one kind of id. If that ranking has a judged
        document, the ids are right.
        """
        if not self.returns_unjudged:
            return False
        if self.baseline is None or all(
            grade is None for grade in self.baseline.grades
        ):
            return True
        return set(self.ranking.documents).isdisjoint(self.baseline.documents)

    @property
    def named(self) -> Sequence[str]:
        """The documents that a report may name, each once: returned, missing, accepted by the baseline, expected."""
        return list(dict.fromkeys([*self.named_within(None), *self.ranking.deeper]))

    def named_within(self, top: int | None) -> Sequence[str]:
        """The documents of `named`, with only the first `top` of each ranking (None: all kept documents)."""
        accepted = () if self.baseline is None else self.baseline.documents
        expected = (
            document
            for outcome in self.evaluation.outcomes
            for document in outcome.documents
        )
        repeated = (
            ()
            if self.call.repeats is None
            else filter(None, self.call.repeats.documents)
        )
        missing = (document for document, _ in self.evaluation.missing)
        return list(
            dict.fromkeys(
                chain(
                    self.ranking.documents[:top],
                    missing,
                    accepted[:top],
                    expected,
                    repeated,
                )
            )
        )

    def with_titles(
        self,
        titles: Mapping[str, str],
        shown: Mapping[str, Mapping[str, str]] = EMPTY,
        *,
        replace: bool = True,
    ) -> "CaseResult":
        """The result with titles, and fields to show, of the documents in `named`.

        Without `replace` the titles that it has stay.
        """
        named, texts = self.named, self.texts
        found = {document: titles[document] for document in named if document in titles}
        return self.with_texts(
            titles={**texts.titles, **found} if replace else {**found, **texts.titles},
            shown={
                **texts.shown,
                **{
                    document: shown[document] for document in named if document in shown
                },
            },
        )

    def with_baseline(
        self,
        baseline: parts.BaselineComparison,
        verdict: str,
        reasons: Sequence[parts.Outcome],
    ) -> "CaseResult":
        """The result compared with a baseline, with the verdict and the reasons that follow."""
        evaluation = self.evaluation
        if reasons is not evaluation.reasons:
            evaluation = replace(evaluation, reasons=reasons)
        return replace(self, verdict=verdict, evaluation=evaluation, baseline=baseline)

    def with_texts(self, **changes: Any) -> "CaseResult":
        """The result with some fields of its `texts` changed."""
        return replace(self, texts=replace(self.texts, **changes))

    def to_dict(self, names: frozenset[str] | None = None) -> dict[str, Any]:
        """The result as a flat dict of builtin types: the fields (all, or these `names`) that are not the default."""
        values: dict[str, Any] = {}
        for name in _ORDER:
            if names is not None and name not in names:
                continue
            part = PART_OF[name]
            value = getattr(getattr(self, part) if part else self, name)
            if not _is_written(self, name, value):
                continue
            to_builtin_value = _TO_BUILTIN.get(name)
            values[name] = (
                value if to_builtin_value is None else to_builtin_value(value)
            )
        return {**values, **self.others}

    @classmethod
    def from_dict(
        cls, values: Mapping[str, Any], only: frozenset[str] = frozenset()
    ) -> "CaseResult":
        """A result equal to the one whose `to_dict` gave these values, in this process, another one, or a record.

        With `only` other keys are left alone. Keys that are not known here become its `others`. Raises TypeError for a
        missing field, and TypeError, ValueError or KeyError for a value of another shape.
        """
        fields: dict[str, dict[str, Any]] = {"": {}, **{part: {} for part in PARTS}}
        others = {}
        for name, value in values.items():
            if only and name not in only:
                continue
            if name not in PART_OF:
                others[name] = value
                continue
            convert = _FROM_BUILTIN.get(name)
            if convert is not None:
                value = _DEFAULTS.get(name) if value is None else convert(value)
            fields[PART_OF[name]][name] = value
        own = fields.pop("")
        own["query"] = own.get("query") or own["id"]
        for part, kind in PARTS.items():
            if fields[part]:
                own[part] = kind(**fields[part])
        return cls(**own, others=others)


# --- dicts of builtin types -------------------------------------------------------------------------------------------

Part = TypeVar("Part")


@lru_cache
def defaults_of(kind: Any) -> Sequence[tuple[str, object]]:
    """The fields of a data type with their defaults, in their order; `MISSING` without one."""
    found = []
    for each in fields(kind):
        if not each.init:
            continue
        if each.default_factory is not MISSING:
            found.append((each.name, each.default_factory()))
        else:
            found.append((each.name, each.default))
    return found


def to_builtin(part: Any) -> dict[str, Any]:
    """A part as a dict of the fields that differ from their defaults, and of its `others`."""
    kind: Any = type(part)
    values = {
        name: value
        for name, default in defaults_of(kind)
        if (value := getattr(part, name)) != default
    }
    others: Mapping[str, Any] = values.pop("others", EMPTY)
    return {**values, **others} if others else values


def from_builtin(kind: type[Part], values: Mapping[str, Any]) -> Part:
    """The part that `to_builtin` was called with. Keys that are not known here become its `others`."""
    found = [
        tuple(value) if type(value) is list else value for value in values.values()
    ]
    make: Any = kind
    names, fields = dict(defaults_of(make)), dict(zip(values, found, strict=True))
    others = {name: fields.pop(name) for name in values if name not in names}
    with_others: Part = make(**fields, others=others) if others else make(**fields)
    return with_others


def _outcomes(found: Sequence[Any]) -> tuple[parts.Outcome, ...]:
    """Outcomes from builtin types; the reasons of older records are sentences."""
    return tuple(
        parts.text_reason(each)
        if isinstance(each, str)
        else from_builtin(parts.Outcome, each)
        for each in found
    )


def settings_to_dict(settings: Settings) -> dict[str, Any]:
    """Settings in builtin types, without those that are the default; a mapping of gains as a list of pairs.

    The keys of JSON are text, and grades are numbers.
    """
    return dict(_settings_items(settings))


@lru_cache(maxsize=64)  # nearly all results of a run share their settings
def _settings_items(settings: Settings) -> tuple[tuple[str, Any], ...]:
    values = to_builtin(settings)
    if isinstance(settings.gain, Mapping):
        values["gain"] = sorted(settings.gain.items())
    return tuple(values.items())


def settings_from_dict(values: Mapping[str, Any]) -> Settings:
    """The settings that `settings_to_dict` was called with. Raises ValueError or TypeError for invalid ones."""
    gain = values.get("gain")
    if isinstance(gain, list):
        return Settings(**{**values, "gain": dict(gain)})
    return _shared_settings(tuple(values.items()))


@lru_cache(
    maxsize=64
)  # nearly all results of a run share their settings, which keep a table of gains
def _shared_settings(items: tuple[tuple[str, Any], ...]) -> Settings:
    return Settings(**dict(items))


@lru_cache(maxsize=4096)  # a million grades are a handful of different ones
def _grade_text(grade: float) -> str:
    return f"{grade + 0.0!r}".removesuffix(".0")  # -0.0, which equals 0, becomes 0.0


_TO_BUILTIN: Mapping[str, Callable[[Any], Any]] = {
    "settings": settings_to_dict,
    "params": dict,
    **dict.fromkeys(
        ("grade_names", "judgments"),
        lambda found: {_grade_text(grade): found[grade] for grade in found},
    ),
    **dict.fromkeys(
        ("outcomes", "reasons"), lambda outcomes: [*map(to_builtin, outcomes)]
    ),
    **dict.fromkeys(("baseline", "error", "repeats"), to_builtin),
}

_FROM_BUILTIN: Mapping[str, Callable[[Any], Any]] = {
    "settings": settings_from_dict,
    **dict.fromkeys(
        ("grade_names", "judgments"),
        lambda found: {float(grade): of for grade, of in found.items()},
    ),
    **dict.fromkeys(("missing", "undecided"), lambda pairs: tuple(map(tuple, pairs))),
    **dict.fromkeys(("outcomes", "reasons"), _outcomes),
    "baseline": partial(from_builtin, parts.BaselineComparison),
    "error": partial(from_builtin, parts.SearchError),
    "repeats": partial(from_builtin, parts.Repeats),
    **dict.fromkeys(
        (
            "tags",
            "items",
            "documents",
            "as_returned",
            "engine_scores",
            "grades",
            "irrelevant_top",
        ),
        tuple,
    ),
    **dict.fromkeys(("not_applicable", "not_in_index", "not_in_catalogue"), tuple),
    **dict.fromkeys(
        ("file", "verdict", "search", "variant"), intern
    ),  # which many results share
}

PART_OF: Mapping[str, str] = {
    **{
        name: ""
        for name, _ in defaults_of(CaseResult)
        if name not in (*PARTS, "others")
    },
    **{name: part for part, kind in PARTS.items() for name, _ in defaults_of(kind)},
}
"""The part of a result that has a field, by the name that the field has in a dict; "" for the result itself."""

_DEFAULTS: Mapping[str, Any] = {
    name: default
    for kind in (CaseResult, *PARTS.values())
    for name, default in defaults_of(kind)
    if default is not MISSING
}
"""The defaults of fields and of parts, by their names, which differ. The fields that a dict must have are not here."""

_ORDER = (
    *(
        "file",
        "line",
        "id",
        "verdict",
        "query",
        "node",
        "search",
        "variant",
        "variant_index",
        "tags",
        "weight",
    ),
    *("params", "note", "source", "test", "items", "search_folder"),
    *(
        "k",
        "depth",
        "is_depth_set",
        "reaches_depth",
        "asked",
        "floor",
        "tolerance",
        "settings",
        "lowest",
        "highest",
    ),
    *(
        "grade_names",
        "documents",
        "as_returned",
        "whole",
        "engine_scores",
        "is_unsorted",
        "grades",
        "returned",
    ),
    *(
        "repeated",
        "deeper",
        "irrelevant_top",
        "field_values",
        "left_out",
        "is_default_k",
        "titles",
        "notes",
        "shown",
        "not_in_index",
        "not_in_catalogue",
    ),
    *(
        "judgments",
        "missing",
        "digest",
        "scores",
        "lower",
        "upper",
        "judged",
        "top",
        "filled",
        "filled_top",
    ),
    *(
        "people_scores",
        "people_verdict",
        "undecided",
        "unreached",
        "outcomes",
        "not_applicable",
        "baseline",
        "reasons",
    ),
    *(
        "error",
        "explanations",
        "latency",
        "latency_shared",
        "concurrency",
        "repeats",
        "outcome",
        "is_marked_skip",
    ),
)
"""All fields but `others`, in the order of the keys of a dict."""


def _is_written(result: CaseResult, name: str, value: object) -> bool:
    if name == "query":
        return value != result.id
    if name == "outcome":
        return bool(value) and value != result.verdict
    default = _DEFAULTS.get(name)
    if default is None:
        return value is not None
    return value != default if default else bool(value)


SUMMARY_FIELDS = frozenset(PART_OF) - {
    *(
        "documents",
        "as_returned",
        "whole",
        "engine_scores",
        "grades",
        "deeper",
        "notes",
        "grade_names",
    ),
    *("shown", "not_in_index", "not_in_catalogue"),
    *(
        "judgments",
        "missing",
        "digest",
        "outcomes",
        "not_applicable",
        "settings",
        "lowest",
        "highest",
        "filled",
    ),
}
"""The fields that a summary needs: a case that passed has no others unless something asks for them."""


def has_failed(result: CaseResult) -> bool:
    """Whether pytest reports the case as failed: it failed, ended in an error, was not searched or is inconclusive."""
    return result.status in _UNMET and result.call.outcome not in (SKIPPED, PASSED)


def variants_in_order(results: Iterable[CaseResult]) -> list[tuple[str, str | None]]:
    """The search and the variant of all results, each once: the first parameter of a fixture first, as written."""
    first: dict[tuple[str, str | None], int] = {}
    for search, variant, index in {
        (result.search, result.variant, result.origin.variant_index)
        for result in results
    }:
        first[search, variant] = min(first.get((search, variant), index), index)
    return sorted(first, key=lambda key: (first[key], str(key)))


def search_of(result: CaseResult) -> tuple[str, str, str | None]:
    """The search of a result: its name, the folder that defines it, and the variant.

    Folders may define searches of one name.
    """
    return result.search, result.origin.search_folder, result.variant


def grouped(
    items: Iterable[Item], key: Callable[[Item], Group]
) -> dict[Group, list[Item]]:
    """Group results, pairs or changes of these by a key, in their order."""
    groups: dict[Group, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile, from 1 to 100 percent. Raises IndexError where there are no values."""
    return sorted(values)[-(-percent * len(values) // 100) - 1]


def weighted_mean(scored: Iterable[tuple[float, float]]) -> float:
    """The weighted mean of (score, weight) pairs. Raises ValueError where there are none."""
    scores, weights = zip(*scored, strict=True)
    return fsum(map(mul, scores, weights)) / fsum(weights)
