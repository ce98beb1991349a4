"""What keeps two results of a case from being compared, and how that is said. `KINDS` is the table of it all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.metrics.names import Metric
from pytest_relevance.results.run import Key, Result
from pytest_relevance.results.scoring import ERROR, SKIPPED

MOST_EXAMPLES = 3

Both = tuple[Result, Result]
"""The results of one case, of the first run and of the second."""


class Incomparable(ValueError):
    """Two runs that cannot honestly be compared; `reasons` has every reason, with counts and examples.

    `kinds` are the kinds of their obstacles, and `in_common` is how many cases nothing stands in the way of.
    """

    def __init__(self, reasons: Iterable[str], kinds: Iterable[str] = (), in_common: int = 0) -> None:
        self.reasons = tuple(reasons)
        self.kinds = frozenset(kinds)
        self.in_common = in_common
        super().__init__("\n".join(["the two runs cannot be compared:", *(f"- {reason}" for reason in self.reasons)]))

    def __reduce__(self) -> tuple[type[Incomparable], tuple[tuple[str, ...], frozenset[str], int]]:
        """Pickle what it was made of, not the text that was made of that."""
        return type(self), (self.reasons, self.kinds, self.in_common)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps some cases from being compared: a key of `KINDS` (or "variants", "unfinished"), and in words."""

    kind: str
    cases: tuple[Key, ...]
    reason: str


class Likeness:
    """Whether two results were scored alike, as far as the metrics that they are compared by have to do with it."""

    def __init__(self, metrics: Sequence[Metric] | None) -> None:
        measures = {"nDCG"} if metrics is None else {metric.measure for metric in metrics}
        self._names = [name for name, of in _MATTERS.items() if of is None or of & measures]
        self._has_cutoff = metrics is None
        self._has_scale = "ERR" in measures
        self._looks_at_all = any(metric.k is None for metric in metrics or ())
        self._known: dict[tuple[object, ...], str] = {}

    def difference(self, one: Result, two: Result) -> str:
        """What differs, in words; empty where nothing does that matters."""
        key: tuple[object, ...] = id(one.conditions), id(two.conditions)  # which many results share
        if self._is_whole(one) or self._is_whole(two):
            key = (*key, _depths(one, two))
        if key not in self._known:
            self._known[key] = listed(self._differences(one, two), "and")
        return self._known[key]

    def _differences(self, one: Result, two: Result) -> Iterable[str]:
        names = list(self._names)
        if self._has_scale or ("ideal" in names and "max" in (one.settings.ideal, two.settings.ideal)):
            names.append("max_grade")
        if (self._is_whole(one) or self._is_whole(two)) and (depths := _depths(one, two)):
            yield f"depth: {depths}"
        if self._has_cutoff and one.k != two.k:
            yield f"k: {one.k} / {two.k}"
        for name in names:
            was, now = getattr(one.settings, name), getattr(two.settings, name)
            if was != now:
                yield f"{name}: {was} / {now}"

    def _is_whole(self, result: Result) -> bool:
        """Whether any metric looks at the whole ranking, under the settings of a result."""
        if self._looks_at_all:
            return True
        settings = result.settings
        return settings.unjudged == "skip" or (settings.ideal == "returned" and "ideal" in self._names)


def _depths(one: Result, two: Result) -> str:
    """How deep two rankings are, where one was cut higher up than the other: `10 / 1000`; else empty."""
    if None not in (one.depth, two.depth):
        return f"{one.depth} / {two.depth}" if one.depth != two.depth else ""
    first, second = (result.depth if result.reaches_depth else None for result in (one, two))
    if first is not None and first < (length := len(two.ranking)):
        return f"{first} / {length}"
    if second is not None and second < (length := len(one.ranking)):
        return f"{length} / {second}"
    return ""


_MATTERS: Mapping[str, frozenset[str] | None] = {
    "gain": frozenset({"nDCG", "DCG"}),
    "discount": frozenset({"DCG"}),  # it cancels in nDCG
    "ideal": frozenset({"nDCG"}),
    "unjudged": None,
    "negative": None,
    "undefined": None,
}
"""The settings, and the measures to which they matter; None is all of them."""


def obstacles_of(one: Result, two: Result, like: Likeness) -> Sequence[str]:
    """The kinds of what keeps two results of a case from being compared."""
    was, now = one.values, two.values
    if (
        was.get("digest", "") == now.get("digest", "") != ""
        and was.get("query") == now.get("query")
        and not (was["verdict"] in _WITHOUT_SCORE or now["verdict"] in _WITHOUT_SCORE)
        and not like.difference(one, two)
    ):
        return _NONE  # the usual case, a hundred thousand times
    kinds = ["query"] if one.query != two.query else []
    for verdict, where in ((one.verdict, "first"), (two.verdict, "second")):
        if verdict in _WITHOUT_SCORE:
            kinds.append(f"{verdict} in {where}")
    if kinds:  # what did not come to its scoring has no digest
        return kinds
    if not (one.digest and two.digest):
        return ["judgments unknown"]
    if one.digest != two.digest:
        kinds.append("judgments")
    if like.difference(one, two):
        kinds.append("settings")
    return kinds


_NONE: Sequence[str] = ()
_WITHOUT_SCORE = frozenset({ERROR, SKIPPED})


@dataclass(frozen=True, slots=True)
class Words:
    """How obstacles are said of two runs that are called so."""

    first: str
    second: str
    like: Likeness

    def obstacle(self, kind: str, pairs: Sequence[Both]) -> Obstacle:
        """An obstacle in the way of these pairs; a case that one run alone has is paired with itself."""
        return Obstacle(kind, tuple(two.key for _, two in pairs), KINDS[kind](self, pairs))


def some(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    names = list(names)
    shown = [quoted(name) for name in names[:MOST_EXAMPLES]]
    more = len(names) - len(shown)
    return listed([*shown, f"{more:,} more"] if more else shown, "and")


def shown_key(key: Key) -> str:
    """A case as it is named in words: its id, and its variant."""
    _, case, variant = key
    return f"{case}[{variant}]" if variant is not None else case


def _cases(pairs: Sequence[Both]) -> str:
    return f"{counted(len(pairs), 'case')}: {some(shown_key(two.key) for _, two in pairs)}"


def _asked_otherwise(words: Words, pairs: Sequence[Both]) -> str:
    one, two = pairs[0]
    return (
        f"the query changed in {_cases(pairs)}; {quoted(two.id)} asks {quoted(one.query)} in {words.first}, "
        f"{quoted(two.query)} in {words.second}"
    )


def _judged_by_unknown(words: Words, pairs: Sequence[Both]) -> str:
    silent = [
        name for name, side in ((words.first, 0), (words.second, 1)) if any(not both[side].digest for both in pairs)
    ]
    return (
        f"{listed(silent, 'and')} {'does' if len(silent) == 1 else 'do'} not say which judgments the scores come from; "
        "have both scored by the same judgments: a case file, or any file of judgments"
    )


def _scored_otherwise(words: Words, pairs: Sequence[Both]) -> str:
    different = list(dict.fromkeys(words.like.difference(*both) for both in pairs))
    return f"the settings changed ({'; '.join(different[:MOST_EXAMPLES])}) in {_cases(pairs)}"


KINDS: Mapping[str, Callable[[Words, Sequence[Both]], str]] = {
    "only in first": lambda words, pairs: f"{words.second} has no result of {_cases(pairs)}",
    "only in second": lambda words, pairs: f"{words.first} has no result of {_cases(pairs)}",
    "query": _asked_otherwise,
    f"{ERROR} in first": lambda words, pairs: f"{words.first} has an error in {_cases(pairs)}",
    f"{ERROR} in second": lambda words, pairs: f"{words.second} has an error in {_cases(pairs)}",
    f"{SKIPPED} in first": lambda words, pairs: f"{words.first} skipped {_cases(pairs)}",
    f"{SKIPPED} in second": lambda words, pairs: f"{words.second} skipped {_cases(pairs)}",
    "judgments": lambda words, pairs: (
        f"the judgments changed in {_cases(pairs)}; have both runs scored by the same judgments"
    ),
    "judgments unknown": _judged_by_unknown,
    "settings": _scored_otherwise,
}
"""What may be in the way, and how it is said."""
