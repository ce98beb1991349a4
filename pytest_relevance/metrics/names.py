"""Parse the names of metrics: `nDCG@10`, `P(rel=2)@5`, `MRR`.

`parse_metric` reads a name as people write it. The measures are in `measures.MEASURES`
and `similarity.SIMILARITIES`. A project may have metrics of its own (`own_metrics`).
These are not in the tables. Instead a `Metric` carries its function, so that two
sessions in one process do not share metrics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType

from pytest_relevance._text import closest, did_you_mean, listed, quoted, shown
from pytest_relevance.codec import keep_as_text

from .measures import MEASURES, Measure, is_lower_better, needs_texts
from .metric import (
    DEFAULT_RELEVANCE_LEVEL,
    Metric,
    MetricError,
    MetricFunction,
    ProjectMetrics,
)
from .similarity import SIMILARITIES, SimilarityMeasure

LARGEST_CUTOFF = 1_000_000

NO_METRICS: ProjectMetrics = MappingProxyType({})
"""A project without metrics of its own."""

AnyMeasure = Measure | SimilarityMeasure

ALL_MEASURES: Mapping[str, AnyMeasure] = {**MEASURES, **SIMILARITIES}


def _spellings() -> dict[str, AnyMeasure]:
    """Return {name or alias, in small letters: measure}."""
    spellings = {}
    for measure in ALL_MEASURES.values():
        for spelling in (measure.name, *measure.aliases):
            spellings[spelling.lower()] = measure
    return spellings


_BY_SPELLING = _spellings()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a measure: a number above `above` and below `below`.

    `meaning`: what the parameter is, for messages.
    """

    meaning: str
    above: float
    below: float

    @property
    def span(self) -> str:
        """Return the allowed numbers in words."""
        if self.below == math.inf:
            return f"above {self.above:g}"
        return f"between {self.above:g} and {self.below:g}"


PARAMETERS: Mapping[str, Parameter] = {
    "rel": Parameter("the lowest grade that counts as relevant", 0.0, math.inf),
    "p": Parameter("the persistence of the reader, between 0 and 1", 0.0, 1.0),
}

# A measure, its cutoff, and a list of parameters before or behind the cutoff. The
# cutoff stands behind "@". "_10" and ".10" are how trec_eval writes it.
_SHAPE = r"""\s* (?P<name>[A-Za-z][A-Za-z _-]*?) \s*
        (?:\( (?P<before>[^()]*) \))? \s*
        (?:@\s*(?P<k>[^\s()]*) | [_.](?P<trec_k>[0-9]+))? \s*
        (?:\( (?P<after>[^()]*) \))? \s*"""

_OWN_NAME = r"[A-Za-z][A-Za-z0-9_-]*"


def own_metrics(
    tables: Iterable[object], taken: Collection[str] = ()
) -> dict[str, MetricFunction]:
    """Return the metrics of a project, {name: function}, from all its tables.

    `taken`: names, in small letters, that these metrics may not have, also not with
        capital letters.

    Raises:
        MetricError: a table is not a mapping of names to functions, or a name is not
        allowed, taken, or used twice.
    """
    joined: dict[str, MetricFunction] = {}
    hook = "the hook pytest_relevance_metrics:"
    for table in tables:
        if not isinstance(table, Mapping) or not all(map(callable, table.values())):
            raise MetricError(
                f"{hook} expected {{name: function}}, found {shown(table)}"
            )
        for name, function in table.items():
            if not isinstance(name, str) or not re.fullmatch(_OWN_NAME, name):
                raise MetricError(
                    f"{hook} a name has letters, digits, _ and -, a letter first, "
                    f"not {name!r}"
                )
            if name in joined or name.lower() in taken or _is_measure(name):
                raise MetricError(
                    f"{hook} the name {quoted(name)} stands for something already; "
                    "choose another one"
                )
            joined[name] = function
    return joined


def parse_metric(text: str | Metric, own: ProjectMetrics | None = NO_METRICS) -> Metric:
    """Return the metric with a name such as `nDCG@10`, `P(rel=2)@5` or `mrr`.

    Capital and small letters are the same, except in a project's own names.

    `own`: the project's own metrics. None means that they are not known. Then every
    unknown name is taken for a metric of the project.

    Raises:
        ValueError: the measure is unknown; the cutoff is missing, not allowed or out of
            range; or a parameter is unknown or out of range. The message says what was
            found and what is allowed.
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        kind = type(text).__name__
        raise ValueError(f"a metric is a name such as 'nDCG@10', not {text!r} ({kind})")
    try:
        return _parse(text)
    except ValueError as error:
        name = text.partition("@")[0]
        may_be_own = own is None or len(own) > 0
        is_own_name = re.fullmatch(_OWN_NAME, name) and not _is_measure(name)
        if not may_be_own or not is_own_name:
            raise
        if own is not None and name not in own:
            names = listed(own, "and")
            advice = did_you_mean(name, own)
            raise ValueError(
                f"{error}; the project's own are {names}{advice}"
            ) from None
    return _parse_own(text, own)


def metric_named(text: str | Metric) -> Metric:
    """Return the metric with this name, for records and commands.

    Records and commands do not know a project's own metrics, so an unknown name is
    taken for one of them. Raises ValueError for a text that is no name at all.
    """
    return parse_metric(text, own=None)


keep_as_text(Metric, text=attrgetter("text"), parse=metric_named)


def refuse_similarity(metric: Metric, instead: str = "") -> Metric:
    """Return the metric, or raise ValueError if it compares two rankings.

    `instead`: advice for the message.
    """
    if metric.is_similarity:
        advice = instead or (
            "name a metric of one ranking and its judgments, such as nDCG@10"
        )
        raise ValueError(f"{metric.text} compares two rankings; {advice}")
    return metric


def refuse_lower_better(metric: Metric, instead: str = "") -> Metric:
    """Return the metric, or raise ValueError if a lower score is better.

    `instead`: advice for the message.
    """
    if is_lower_better(metric):
        advice = instead or (
            f'bound its mean in the case file: mean: {{{metric.text}: "<= 12000"}}'
        )
        raise ValueError(f"a lower {metric.text} is better; {advice}")
    return metric


def refuse_texts(metric: Metric) -> Metric:
    """Return the metric, or raise ValueError if it looks at the texts of results."""
    if needs_texts(metric):
        raise ValueError(
            f"{metric.text} looks at the texts of results, which only case files with "
            "passages have; name another metric"
        )
    return metric


def build_metric(
    measure: str,
    k: int | None = None,
    rel: float = DEFAULT_RELEVANCE_LEVEL,
    p: float | None = None,
) -> Metric:
    """Return the metric of a measure with this cutoff and these parameters.

    The parts are not checked. The canonical text leaves out a `rel` of 1. None as `p`
    means the default of the measure. An unknown measure is taken for a metric of the
    project's own.
    """
    if measure not in ALL_MEASURES:
        text = measure if k is None else f"{measure}@{k}"
        return Metric(text=text, measure=measure, k=k, is_own=True)
    row = ALL_MEASURES[measure]
    p = row.default_p if p is None else p
    parameters = []
    if "p" in row.parameters:
        parameters.append(f"p={_number_text(p)}")
    if "rel" in row.parameters and rel != DEFAULT_RELEVANCE_LEVEL:
        parameters.append(f"rel={_number_text(rel)}")
    text = measure
    if parameters:
        text += f"({','.join(parameters)})"
    if k is not None:
        text += f"@{k}"
    return Metric(
        text=text,
        measure=measure,
        k=k,
        rel=rel,
        p=p,
        is_similarity=measure in SIMILARITIES,
    )


def takes_cutoff(metric: Metric) -> bool:
    """Say whether the measure of a metric may have a cutoff (`@10`)."""
    return metric.is_own or ALL_MEASURES[metric.measure].cutoff != "none"


def takes_relevance_level(metric: Metric) -> bool:
    """Say whether the measure of a metric may have a relevance level (`rel=2`)."""
    return not metric.is_own and "rel" in ALL_MEASURES[metric.measure].parameters


def is_similarity(name: str) -> bool:
    """Say whether the metric with this canonical name compares two rankings."""
    return _measure_of(name) in SIMILARITIES


def is_own(name: str) -> bool:
    """Say whether the metric with this canonical name is a project's own."""
    return _measure_of(name) not in ALL_MEASURES


def _measure_of(canonical: str) -> str:
    """Return the measure in a canonical name: P for P(rel=2)@5."""
    return re.split("[(@]", canonical, maxsplit=1)[0]


def _is_measure(name: str) -> bool:
    """Say whether a measure has this name, also with trec_eval's cutoff (`P_5`)."""
    shape = re.fullmatch(_SHAPE, name, re.VERBOSE)
    return shape is not None and _normalized(shape["name"]) in _BY_SPELLING


def _normalized(name: str) -> str:
    """Return a name in small letters, with single spaces."""
    return " ".join(name.lower().split())


@lru_cache(maxsize=1024)
def _parse(text: str) -> Metric:
    """Return the metric with this name. Raises ValueError if there is none."""
    shape = re.fullmatch(_SHAPE, text, re.VERBOSE)
    if shape is None:
        raise ValueError(
            f"{text!r} is not a metric: write a measure, its parameters and its cutoff, "
            "as in P(rel=2)@5"
        )
    measure = _BY_SPELLING.get(_normalized(shape["name"]))
    if measure is None:
        suggestion = _suggestion(shape["name"])
        names = ", ".join(ALL_MEASURES)
        raise ValueError(
            f"unknown metric {text!r}{suggestion}: the measures are {names}"
        )
    written = shape["k"] if shape["k"] is not None else shape["trec_k"]
    k = _parse_cutoff(text, measure.name, measure.cutoff, written)
    if shape["before"] is not None and shape["after"] is not None:
        raise ValueError(
            f"{text!r} has two lists of parameters; write one, as in P(rel=2)@5"
        )
    inside = shape["before"] or shape["after"] or ""
    parameters = _parse_parameters(text, measure, inside)
    return build_metric(measure.name, k, **parameters)


def _parse_own(text: str, own: ProjectMetrics | None) -> Metric:
    """Return a project's own metric. Raises ValueError for a wrong cutoff."""
    name, at, written = text.partition("@")
    k = _parse_cutoff(text, name, "optional", written if at else None)
    function = None if own is None else own[name]
    return replace(build_metric(name, k), function=function)


def _parse_cutoff(
    text: str, measure: str, cutoff: str, written: str | None
) -> int | None:
    """Return the cutoff of a metric; None without one.

    `text`: the whole name, for messages.
    `cutoff`: whether the measure takes one: "required", "optional" or "none".
    `written`: the digits behind @; None if there is no @.

    Raises ValueError for a cutoff that is missing, not allowed, or out of range.
    """
    if written is None:
        if cutoff == "required":
            raise ValueError(
                f"{text!r} needs a cutoff: write {measure}@10 for the top ten"
            )
        return None
    if cutoff == "none":
        raise ValueError(
            f"{text!r}: {measure} takes no cutoff, it looks at the whole ranking"
        )
    k = int(written) if re.fullmatch("[0-9]{1,7}", written) else 0
    if not 1 <= k <= LARGEST_CUTOFF:
        raise ValueError(
            f"{text!r}: the cutoff behind @ is a whole number from 1 to "
            f"{LARGEST_CUTOFF:,}, not {written!r}"
        )
    return k


def _parse_parameters(text: str, measure: AnyMeasure, inside: str) -> dict[str, float]:
    """Return {name: value} for the part `inside` the brackets, such as `rel=2, p=0.9`.

    `text`: the whole name, for messages.

    Raises ValueError for a parameter that the measure does not take, that stands twice,
    or whose value is not in its range.
    """
    values: dict[str, float] = {}
    if not inside.strip():
        return values
    for part in inside.split(","):
        name, equals, written = part.partition("=")
        name = name.strip().lower()
        if name not in measure.parameters or not equals:
            allowed = _allowed_parameters(measure)
            raise ValueError(
                f"{text!r}: {measure.name} takes {allowed}, not {part.strip()!r}"
            )
        if name in values:
            raise ValueError(f"{text!r} gives {name}= twice")
        values[name] = _parse_number(text, name, written.strip())
    return values


def _allowed_parameters(measure: AnyMeasure) -> str:
    """Return the parameters of a measure in words, with their meanings."""
    allowed = []
    for name in measure.parameters:
        allowed.append(f"{name}= ({PARAMETERS[name].meaning})")
    return " and ".join(allowed) or "no parameters"


def _parse_number(text: str, name: str, written: str) -> float:
    """Return the value of a parameter. Raises ValueError if it is not in its range."""
    parameter = PARAMETERS[name]
    try:
        number = float(written)
    except ValueError:
        number = math.nan
    if not parameter.above < number < parameter.below:
        raise ValueError(
            f"{text!r}: {name} is {parameter.meaning}, a number {parameter.span}, "
            f"not {written!r}"
        )
    return number


def _number_text(value: float) -> str:
    """Return a number as text, `2` for 2.0."""
    return str(int(value)) if value == int(value) else repr(value)


def _suggestion(name: str) -> str:
    """Return the measure that was meant, in brackets; empty if none is close."""
    close = closest(name, tuple(_BY_SPELLING))
    return f" (did you mean {_BY_SPELLING[close].name}?)" if close else ""
