"""A run: what every case came to, in every search variant, under the settings that produced its figures.

A `Result` is a case that ran, in types that travel (between the processes of pytest-xdist, in a record, in a notebook).
It has all that is needed to score it again by another metric, but not the judgments themselves: their digest tells
whether two results were judged alike. How a run is kept on disk is in `record`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import GradedRanking, ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.runs.scored import ndcg_at
from pytest_relevance.runs.shapes import check_details, json_value
from pytest_relevance.runs.values import NO_DIGEST, defined
from pytest_relevance.wording import quoted

if TYPE_CHECKING:
    import pandas

    from pytest_relevance.runs.facts import CaseFileFacts

Key = tuple[str, str, str | None]
"""What tells the results of a run apart: the case file, the id of the case, the parameter id of its search."""


_RANKING, _BEHIND_RANKING = '{"ranking":[', '],"grades":['
"""Where the ranking is in details as `record` writes them. No text of JSON has a plain quote in it."""


class RecordError(ValueError):
    """A record (or a baseline) that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What many results of a run share: the fixture that searched, the cutoff, the settings.

    `depth` is how many results the search was asked for at least, None where the case file sets no depth.
    """

    search: str = "search"
    k: int = 10
    settings: Settings = field(default_factory=Settings)
    depth: int | None = None


class Result:
    """A case of a run, in one variant of its search.

    It wraps the values as they travel and as a record has them: two records of 100,000 results are read in the time
    that making as many objects with thirty fields would take. `details` are looked at when somebody asks.
    """

    __slots__ = ("_details", "_values", "conditions")

    def __init__(self, values: Mapping[str, Any], details: Mapping[str, Any] | str, conditions: Conditions) -> None:
        self._values = values
        self._details = details
        self.conditions = conditions

    def __repr__(self) -> str:
        """`Result(shop.relevance.yaml, 'smart watch', nDCG@10 0.312, failed)`."""
        score = "n/a" if self.score is None else f"{self.score:.3f}"
        variant = f"[{self.variant}]" if self.variant else ""
        return f"Result({self.file}, {self.id!r}{variant}, nDCG@{self.k} {score}, {self.verdict})"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is not in `details`, as a record has it: a value that is the default may be absent."""
        return self._values

    @property
    def details(self) -> Mapping[str, Any]:
        """The ranking and what belongs to it. `RecordError` where the record was damaged there."""
        found = self._details
        if not isinstance(found, str):
            return found
        try:
            details = json_value(found)
            check_details(details)
        except ValueError as error:
            raise self.damaged(error) from None
        return cast("Mapping[str, Any]", details)

    def damaged(self, error: Exception) -> RecordError:
        """What to raise where the details turn out to be damaged."""
        where = f"{self.file}, {quoted(self.id)}"
        return RecordError(f"the record of {where} is damaged in its details ({error}); make it again")

    @property
    def kept_details(self) -> Mapping[str, Any] | str:
        """The same, still as the text that it was read as."""
        return self._details

    @property
    def key(self) -> Key:
        """What tells it apart from the other results of its run."""
        return self.file, self.id, self.variant

    @property
    def file(self) -> str:
        """The case file."""
        return cast("str", self._values["file"])

    @property
    def line(self) -> int:
        """The line of the case, from 1."""
        return cast("int", self._values.get("line", 1))

    @property
    def id(self) -> str:
        """The id of the case."""
        return cast("str", self._values["id"])

    @property
    def query(self) -> str:
        """The query."""
        return cast("str", self._values.get("query", self.id))

    @property
    def variant(self) -> str | None:
        """The parameter id of the search, if it has one."""
        return cast("str | None", self._values.get("variant"))

    @property
    def search(self) -> str:
        """The fixture that searched."""
        return self.conditions.search

    @property
    def params(self) -> Mapping[str, Any]:
        """The keyword arguments of the search."""
        return cast("Mapping[str, Any]", self._values.get("params", {}))

    @property
    def tags(self) -> Sequence[str]:
        """The tags of the case."""
        return cast("Sequence[str]", self._values.get("tags", ()))

    @property
    def weight(self) -> float:
        """Its weight in means."""
        return cast("float", self._values.get("weight", 1))

    @property
    def k(self) -> int:
        """The cutoff of its score."""
        return self.conditions.k

    @property
    def depth(self) -> int | None:
        """The deepest rank that the case looks at, and that its search was asked for; None for a ranking of no case."""
        return cast("int | None", self._values.get("depth", self.k))

    @property
    def reaches_depth(self) -> bool:
        """Whether the search returned as many results as it was asked for, so that there may be more."""
        return self._values.get("cut") is True

    @property
    def is_cut(self) -> bool:
        """Whether metrics of the whole ranking have no value: it may go on, and no depth was set."""
        return self.conditions.depth is None and self.reaches_depth

    @property
    def verdict(self) -> str:
        """What the case came to: passed, failed, inconclusive, measured, error, or skipped."""
        return cast("str", self._values["verdict"])

    @property
    def outcome(self) -> str:
        """What pytest made of that."""
        return cast("str", self._values.get("outcome", self.verdict))

    @property
    def reasons(self) -> Sequence[str]:
        """What is not met, or why nothing can be said."""
        return cast("Sequence[str]", self._values.get("reasons", ()))

    @property
    def scores(self) -> Mapping[str, float | None]:
        """nDCG@k, and every other metric that the case names; None where one is not defined."""
        return cast("Mapping[str, float | None]", self._values.get("scores", {}))

    @property
    def score(self) -> float | None:
        """nDCG@k, None where it is not defined or there is none."""
        return self.scores.get(ndcg_at(self.k).text)

    @property
    def lower(self) -> float | None:
        """The least that nDCG@k can be, whatever grades the unjudged results have."""
        return cast("float | None", self._values.get("lower", self.score))

    @property
    def upper(self) -> float | None:
        """The most that it can be."""
        return cast("float | None", self._values.get("upper", self.score))

    @property
    def latency(self) -> float | None:
        """How long the search took, in seconds."""
        return cast("float | None", self._values.get("latency"))

    @property
    def digest(self) -> str:
        """Stands for the judgments: equal where they are equal."""
        return cast("str", self._values.get("digest", ""))

    @property
    def is_judged(self) -> bool:
        """Whether it has any judgments, as far as is known."""
        return self.digest not in ("", NO_DIGEST)

    @property
    def settings(self) -> Settings:
        """How its figures were computed."""
        return self.conditions.settings

    @property
    def ranking(self) -> Sequence[str]:
        """The documents, best first, as far as the case looks at them."""
        return cast("Sequence[str]", self.details.get("ranking", ()))

    def has_ranking_of(self, other: Result) -> bool:
        """Whether both have the same ranking, as far as it was kept; told without reading it where it is still text."""
        mine, theirs = self._details, other._details
        if (
            isinstance(mine, str)
            and isinstance(theirs, str)
            and mine.startswith(_RANKING)
            and theirs.startswith(_RANKING)
        ):
            return mine.partition(_BEHIND_RANKING)[0] == theirs.partition(_BEHIND_RANKING)[0]
        return [*self.ranking] == [*other.ranking]

    @property
    def graded(self) -> GradedRanking:
        """The ranking as the metrics see it."""
        details = self.details
        seen: set[str] = set()
        repeated = []
        for index, document in enumerate(details.get("ranking", ())):
            if document in seen:
                repeated.append(index)
            seen.add(document)
        judged = [float(grade) for grade, count in details.get("judgments", {}).items() for _ in range(count)]
        return GradedRanking([*details.get("grades", ())], tuple(repeated), judged)

    def score_of(self, metric: Metric) -> float | None:
        """Its score by a metric, None where that is not defined: as recorded, or from the grades of its ranking.

        ValueError where that takes more of the ranking than was kept.
        """
        scores = self.scores
        if metric.text in scores:
            return scores[metric.text]
        require_ranks(self, self.details, [(metric, ranks_needed(metric, self.settings))])
        graded = self.graded
        try:
            return defined(score(metric, graded, self.settings)) if graded.judged else None
        except (ValueError, OverflowError) as error:  # a grade without a gain under the settings of the record
            raise self.damaged(error) from None


def details_of(results: Sequence[Result]) -> Iterator[Mapping[str, Any]]:
    """The details of many results, a thousand read at a time: one by one takes half as long again."""
    for start in range(0, len(results), _AT_A_TIME):
        block = results[start : start + _AT_A_TIME]
        texts = [result.kept_details for result in block]
        found = None
        if all(isinstance(text, str) for text in texts):
            with suppress(ValueError):  # which one is damaged is said below
                read = json_value(f"[{','.join(map(str, texts))}]")
                for details in read:
                    check_details(details)
                found = read
        if found is None or len(found) != len(block):
            found = [result.details for result in block]
        yield from found


_AT_A_TIME = 1000


def require_ranks(result: Result, details: Mapping[str, Any], metrics: Iterable[tuple[Metric, int | None]]) -> None:
    """Raise a ValueError where any of the metrics needs more ranks of a result than there are.

    `metrics` come with the number of ranks that they need, None for the whole ranking. There are fewer where only a
    part of the ranking was kept, or where it is as long as its search was asked for, and may have been longer.
    `details` are those of the result.
    """
    kept = len(details.get("ranking", ()))
    for metric, needed in metrics:
        if (needed is None or needed > kept) and (there := _lack(result, details, needed)):
            what = "all of it" if needed is None else f"{needed} ranks"
            raise ValueError(f"{metric.text} takes {what}, and {there}")


def _lack(result: Result, details: Mapping[str, Any], needed: int | None) -> str:
    """Why a ranking that was kept is not all of it, and what to do; empty where it is."""
    ranking, returned = details.get("ranking", ()), details.get("returned", 0)
    name = "name the metric in an expectation of the case, so that it is recorded"
    if len(set(ranking)) < returned:
        return f"of the ranking of {quoted(result.id)} the first {len(ranking)} were kept: {name}"
    asked = f"the search of {quoted(result.id)} was asked for {result.depth}"
    if needed is not None and (result.reaches_depth or (returned and returned == result.depth)):
        return f"{asked}: {name}"
    if needed is None and result.is_cut:
        return f"{asked}: set a depth in the case file (depth: 1000) and record the run again, or name a cutoff"
    return ""


class Run:
    """The results of a run, as a record holds them: `Run.open("run.jsonl")`.

    `results` are in the order of the record. `missing` are the node ids of cases that were to run and did not finish
    (the run was interrupted, or a worker crashed), and of case files that could not be collected. `files` is what there
    is to know of each case file besides, `program` the version of pytest-relevance that scored.
    """

    def __init__(
        self,
        results: Sequence[Result],
        *,
        missing: Iterable[str] = (),
        name: str = "run",
        files: Mapping[str, CaseFileFacts] | None = None,
        program: str = "",
    ) -> None:
        self.results: Sequence[Result] = tuple(results)
        self.missing = tuple(missing)
        self.name = name
        self.files: Mapping[str, CaseFileFacts] = files or {}
        self.program = program

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """Read a record that `--relevance-record=FILE` wrote, gzip or not. Raises `RecordError` (a ValueError)."""
        from pytest_relevance.runs.record import read_record

        return read_record(path)

    def __len__(self) -> int:
        """How many results there are."""
        return len(self.results)

    def __repr__(self) -> str:
        """`Run(shop.jsonl: 52 results)`."""
        return f"Run({self.name}: {len(self)} results)"

    @property
    def frame(self) -> pandas.DataFrame:
        """A row a case and variant: what it is, its verdict, nDCG@k with its interval, every other score, latency."""
        from pytest_relevance.runs.frames import results_frame

        return results_frame(self.results)

    @property
    def rankings(self) -> pandas.DataFrame:
        """A row a result: the breakdown of every case, rank by rank, within its top k and below it.

        `grade` is NaN for an unjudged document; `gain`, `discount` and `discounted` (gain / discount) are NaN for a
        result that is not scored: beyond k, or unjudged where these are skipped.
        """
        from pytest_relevance.runs.frames import rankings_frame

        return rankings_frame(self.results)
