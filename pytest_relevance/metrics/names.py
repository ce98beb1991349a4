"""The names of the measures: one table that drives parsing. docs/reference/metrics.md says what each of them is.

A measure is added by a row in `_TABLE` and by functions in `measures` and `batch`. The docstring of the function in
`measures` and docs/reference/metrics.md give the source of the formula. What people call a measure elsewhere belongs in
its `aliases`. The measures of `SIMILARITIES` compare a ranking with another one; their functions are in `similarity`.
Nothing here computes a score.

A project may have metrics of its own (`own_metrics`). They are in no table of this module: a `Metric` of such a name
carries its function, so that two sessions in one process never see each other's.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from pytest_relevance._text import closest, did_you_mean, listed, quoted, shown

LARGEST_CUTOFF = 1_000_000
DEFAULT_RELEVANCE_LEVEL = 1.0
DEFAULT_PERSISTENCE = 0.8


class Measure(NamedTuple):
    """One row of the table: how a measure is named, and what may be written behind the name.

    `cutoff` is "optional", "required" or "none", `parameters` are keys of `PARAMETERS`. `p` is the default of the
    parameter p.
    """

    name: str
    cutoff: str
    parameters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    p: float = DEFAULT_PERSISTENCE


Function = Callable[[list[float | None], list[float], int | None], Any]
"""A metric of a project's own: from the grades of the results (None: unjudged), best first and cut at k, the grades of
all judgments, and k (None without a cutoff) to a number, or None where it is not defined."""

OwnMetrics = Mapping[str, Function | None]
"""The names of a project's own metrics, with their functions as far as these are known."""

NO_METRICS: OwnMetrics = MappingProxyType({})


class Metric(NamedTuple):
    """A measure with its cutoff and parameters, as `parse_metric` reads it.

    `text` is the canonical spelling, equal for all spellings of one metric. `k` is None for the whole ranking. `rel` is
    the lowest grade that counts as relevant (binary measures only) and `p` the persistence (RBP, gRBP and RBO only);
    for the other measures both have their defaults and no effect. `function` computes a metric of a project's own; None
    where it is not known, as in a command.
    """

    text: str
    measure: str
    k: int | None = None
    rel: float = DEFAULT_RELEVANCE_LEVEL
    p: float = DEFAULT_PERSISTENCE
    function: Function | None = None

    @property
    def is_own(self) -> bool:
        """Whether this is a metric of a project's own."""
        return self.function is not None or self.measure not in _ALL

    @property
    def is_computable(self) -> bool:
        """Whether its scores can be computed here: its function, if it is one of a project's own, is known."""
        return self.function is not None or self.measure in _ALL

    @property
    def is_similarity(self) -> bool:
        """Whether it compares a ranking with another one, and takes no judgments."""
        return self.measure in SIMILARITIES


UNBOUNDED = frozenset({"DCG", "CG"})
"""The measures that are sums; all others are shares, from 0 to 1."""


def largest_score(metric: Metric) -> float:
    """The highest score that a metric can have: infinity for a sum, and for a metric of a project's own."""
    return math.inf if metric.measure in UNBOUNDED or metric.is_own else 1.0


# Parameter: (what it means, lower bound, upper bound); both bounds are excluded.
PARAMETERS: Mapping[str, tuple[str, float, float]] = {
    "rel": ("the lowest grade that counts as relevant", 0.0, math.inf),
    "p": ("the persistence of the reader, between 0 and 1", 0.0, 1.0),
}

_REL = ("rel",)

_TABLE = (
    Measure("nDCG", "optional", (), ("ndcg_cut", "normalized dcg", "normalised dcg")),
    Measure("DCG", "optional"),
    Measure("CG", "optional"),
    Measure("P", "optional", _REL, ("precision", "prec")),
    Measure("R", "optional", _REL, ("recall",)),
    Measure("AP", "optional", _REL, ("map", "map_cut", "average precision")),
    Measure("RR", "optional", _REL, ("mrr", "recip_rank", "reciprocal rank")),
    Measure("ERR", "optional"),
    Measure("RBP", "optional", ("p", "rel")),
    Measure("gRBP", "optional", ("p",), ("graded rbp",)),
    Measure(
        "Success", "required", _REL, ("hit", "hits", "hit rate", "hit_rate", "hitrate")
    ),
    Measure("Judged", "required"),
    Measure("Bpref", "none", _REL),
    Measure("Rprec", "none", _REL, ("r-prec", "r-precision")),
    Measure("infAP", "none", _REL),
)

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}

SIMILARITIES: Mapping[str, Measure] = {
    "overlap": Measure("overlap", "required"),
    "Jaccard": Measure("Jaccard", "required"),
    "RBO": Measure("RBO", "optional", ("p",), p=0.9),
}
"""The measures between two rankings."""

_ALL: Mapping[str, Measure] = {**MEASURES, **SIMILARITIES}
_BY_NAME: Mapping[str, Measure] = {
    spelling.lower(): measure
    for measure in _ALL.values()
    for spelling in (measure.name, *measure.aliases)
}

# The cutoff stands behind "@"; "_10" and ".10" are how trec_eval writes it. Parameters may stand on either side of it.
_SHAPE = r"""\s* (?P<name>[A-Za-z][A-Za-z _-]*?) \s*
        (?:\( (?P<before>[^()]*) \))? \s*
        (?:@\s*(?P<k>[^\s()]*) | [_.](?P<trec_k>[0-9]+))? \s*
        (?:\( (?P<after>[^()]*) \))? \s*"""


_OWN = r"[A-Za-z][A-Za-z0-9_-]*"


class MetricError(ValueError):
    """Raised for a metric of a project's own that cannot be used; its cause is what the function raised, if it did."""


def own_metrics(
    tables: Iterable[object], taken: Collection[str] = ()
) -> dict[str, Function]:
    """Join the tables of a project's own metrics, {name: function} each. `taken` are names that mean something else.

    Raises:
        MetricError: a table is no such mapping, or a name stands for something already.
    """
    found: dict[str, Function] = {}
    hook = "the hook pytest_relevance_metrics:"
    for table in tables:
        if not isinstance(table, Mapping) or not all(map(callable, table.values())):
            raise MetricError(
                f"{hook} expected {{name: function}}, found {shown(table)}"
            )
        for name in table:
            if not isinstance(name, str) or not re.fullmatch(_OWN, name):
                raise MetricError(
                    f"{hook} a name has letters, digits, _ and -, a letter first, not {name!r}"
                )
            if name in found or name.lower() in taken or _is_measure(name):
                raise MetricError(
                    f"{hook} the name {quoted(name)} stands for something already; choose another one"
                )
        found.update(table)
    return found


def parse_metric(text: str | Metric, own: OwnMetrics | None = NO_METRICS) -> Metric:
    """Parse the name of a metric, ignoring case: `nDCG@10`, `P(rel=2)@5`, `RBP(p=0.9)`, `MRR`.

    A name that no measure has may be one of a project's `own` metrics, as it is written there; where None says that
    these are not known, it is one of them.

    Raises:
        ValueError: the measure is unknown, the cutoff is missing, not allowed or out of range, or a parameter is not
            one of the measure or is out of its range; the message says what was found and what is allowed.
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise ValueError(
            f"a metric is a name such as 'nDCG@10', not {text!r} ({type(text).__name__})"
        )
    try:
        return _parse(text)
    except ValueError as error:
        name, has_cutoff, written = text.partition("@")
        if (
            (own is not None and not own)
            or not re.fullmatch(_OWN, name)
            or _is_measure(name)
        ):
            raise
        if own is not None and name not in own:
            names = listed(own, "and")
            raise ValueError(
                f"{error}; the project's own are {names}{did_you_mean(name, own)}"
            ) from None
    metric = build_metric(
        name, _cutoff(text, row_of(name), written if has_cutoff else None)
    )
    return metric._replace(function=None if own is None else own[name])


metric_named = partial(parse_metric, own=None)
"""The metric of a name in a record, or of a command, which know no function of a project."""


@lru_cache(maxsize=1024)
def _parse(text: str) -> Metric:
    shape = re.fullmatch(
        _SHAPE, text, re.VERBOSE
    )  # compiled when the first name is read, not at import
    if shape is None:
        raise ValueError(
            f"{text!r} is not a metric: write a measure, its parameters and its cutoff, as in P(rel=2)@5"
        )
    measure = _BY_NAME.get(" ".join(shape["name"].lower().split()))
    if measure is None:
        raise ValueError(
            f"unknown metric {text!r}{_suggestion(shape['name'])}: the measures are {', '.join(_ALL)}"
        )
    written = shape["k"] if shape["k"] is not None else shape["trec_k"]
    k = _cutoff(text, measure, written)
    if shape["before"] is not None and shape["after"] is not None:
        raise ValueError(
            f"{text!r} has two lists of parameters; write one, as in P(rel=2)@5"
        )
    inside = shape["before"] if shape["before"] is not None else shape["after"]
    values = _parameters(text, measure, inside or "")
    return build_metric(measure.name, k, **values)


def _is_measure(name: str) -> bool:
    """Whether a name, perhaps with a cutoff as trec_eval writes it, is that of a measure."""
    shape = re.fullmatch(_SHAPE, name, re.VERBOSE)
    return shape is not None and " ".join(shape["name"].lower().split()) in _BY_NAME


def row_of(measure: str) -> Measure:
    """The row of a measure; a metric of a project's own may have a cutoff, and takes no parameters."""
    return _ALL.get(measure) or Measure(measure, "optional")


def build_metric(
    measure: str,
    k: int | None = None,
    rel: float = DEFAULT_RELEVANCE_LEVEL,
    p: float | None = None,
) -> Metric:
    """Put a metric together from valid parts, with its canonical text (`p` always shown, `rel` unless it is 1)."""
    row = row_of(measure)
    p = row.p if p is None else p
    shown = {
        "p": f"p={_number(p)}",
        "rel": f"rel={_number(rel)}" if rel != DEFAULT_RELEVANCE_LEVEL else "",
    }
    inside = ",".join(
        shown[parameter] for parameter in row.parameters if shown[parameter]
    )
    text = f"{measure}{f'({inside})' if inside else ''}{'' if k is None else f'@{k}'}"
    return Metric(text, measure, k, rel, p)


def _cutoff(text: str, measure: Measure, written: str | None) -> int | None:
    if written is None:
        if measure.cutoff == "required":
            raise ValueError(
                f"{text!r} needs a cutoff: write {measure.name}@10 for the top ten"
            )
        return None
    if measure.cutoff == "none":
        raise ValueError(
            f"{text!r}: {measure.name} takes no cutoff, it looks at the whole ranking"
        )
    # Anything longer than seven digits is beyond the largest cutoff, and int() need not be asked.
    k = int(written) if re.fullmatch("[0-9]{1,7}", written) else 0
    if not 1 <= k <= LARGEST_CUTOFF:
        raise ValueError(
            f"{text!r}: the cutoff behind @ is a whole number from 1 to {LARGEST_CUTOFF:,}, not {written!r}"
        )
    return k


def _parameters(text: str, measure: Measure, inside: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for part in inside.split(",") if inside.strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        name = name.lower()
        if name not in measure.parameters or not equals:
            allowed = " and ".join(
                f"{known}= ({PARAMETERS[known][0]})" for known in measure.parameters
            )
            raise ValueError(
                f"{text!r}: {measure.name} takes {allowed or 'no parameters'}, not {part.strip()!r}"
            )
        if name in values:
            raise ValueError(f"{text!r} gives {name}= twice")
        meaning, lowest, highest = PARAMETERS[name]
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not lowest < number < highest:
            span = (
                f"above {lowest:g}"
                if highest == math.inf
                else f"between {lowest:g} and {highest:g}"
            )
            raise ValueError(
                f"{text!r}: {name} is {meaning}, a number {span}, not {value!r}"
            )
        values[name] = number
    return values


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def is_similarity(name: str) -> bool:
    """Whether the canonical name of a metric is that of one that compares two rankings."""
    return name.replace("(", "@").partition("@")[0] in SIMILARITIES


def is_own(name: str) -> bool:
    """Whether the canonical name of a metric is that of a project's own."""
    return name.replace("(", "@").partition("@")[0] not in _ALL


def needs_judgments(metric: Metric, instead: str = "") -> Metric:
    """The metric itself. Raises ValueError for one that compares two rankings, and may say what to write `instead`."""
    if metric.is_similarity:
        advice = (
            instead or "name a metric of one ranking and its judgments, such as nDCG@10"
        )
        raise ValueError(f"{metric.text} compares two rankings; {advice}")
    return metric


def _suggestion(name: str) -> str:
    close = closest(name, tuple(_BY_NAME))
    return f" (did you mean {_BY_NAME[close].name}?)" if close else ""
