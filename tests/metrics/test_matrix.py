"""The matrix computes what the measures of one query compute, to the last bit."""

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.metrics.checked import CheckedJudgments, CheckedRankings
from pytest_relevance.metrics.matrix import score_batch
from pytest_relevance.metrics.measures import MEASURES, score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import CHOICES, Settings

CUTOFFS = {
    "required": ("@1", "@3", "@10"),
    "optional": ("", "@2", "@10"),
    "none": ("",),
}
PARAMETERS: dict[tuple[str, ...], tuple[str, ...]] = {
    (): ("",),
    ("rel",): ("", "(rel=2)", "(rel=0.5)"),
    ("p", "rel"): ("", "(rel=2)", "(rel=0.5)"),
    ("p",): ("", "(p=0.9)"),
}
METRICS = [
    parse_metric(f"{measure.name}{parameters}{cutoff}")
    for measure in MEASURES.values()
    for cutoff in CUTOFFS[measure.cutoff]
    for parameters in PARAMETERS[measure.parameters]
]

# What is asked for decides how deep the results are looked at, and whether grades of 0
# matter.
ASKED = st.one_of(
    st.just(METRICS), st.sampled_from(METRICS).map(lambda metric: [metric])
)

SCALES: tuple[list[float], ...] = (
    [0, 1, 2, 3],
    [0, 1],
    [-1, 0, 1, 2],
    [0.0, 1 / 3, 2 / 3, 1.0],
    [0, 0.5, 2],
    [-0.5, 0, 4.2, 7, 30],
)
GAINS: dict[float, float] = {
    grade: (grade * 37 % 11) - 3 for scale in SCALES for grade in scale
}
DOCUMENTS = [f"d{number}" for number in range(90)]


Tables = dict[str, dict[str, float]]
Rankings = dict[str, list[str]]


@st.composite
def queries(draw: st.DrawFn) -> tuple[Tables, Rankings]:
    """Some queries on one scale: many or few judgments, short and long rankings, with
    documents that come twice.
    """
    many_grades = st.lists(st.floats(-3, 40), min_size=40, max_size=60)
    grade = st.sampled_from(draw(st.sampled_from(SCALES) | many_grades))
    judgments: Tables = {}
    rankings: Rankings = {}
    for number in range(draw(st.integers(1, 4))):
        known = DOCUMENTS[: draw(st.sampled_from([3, 12, 90]))]
        document = st.sampled_from(known)
        judged = draw(st.lists(document, unique=True, max_size=20))
        judgments[f"q{number}"] = {each: draw(grade) for each in judged}
        if draw(st.integers(0, 9)):
            length = draw(st.integers(0, len(known)))
            ranking = draw(st.permutations(known))[:length]
            place = st.integers(0, 90)
            for at, again in draw(st.lists(st.tuples(place, document), max_size=3)):
                ranking.insert(at, again)
            rankings[f"q{number}"] = ranking
    return judgments, rankings


SETTINGS = st.fixed_dictionaries(
    {
        name: st.sampled_from(list(choices))
        for name, choices in {**CHOICES, "gain": [*CHOICES["gain"], "mapping"]}.items()
    }
)


def bits(value: float) -> bytes:
    # -0.0 and 0.0 are one
    return b"NaN" if math.isnan(value) else struct.pack("d", value + 0.0)


def scores(
    metrics: list[Metric], judgments: Tables, rankings: Any, settings: Settings
) -> list[list[float]]:
    """The scores of the queries by each metric, from the matrix."""
    columns = score_batch(
        metrics,
        CheckedJudgments.from_mapping(judgments),
        CheckedRankings.from_mapping(rankings),
        settings,
    )
    assert all(column.dtype == np.float64 for column in columns)
    return [column.tolist() for column in columns]


def assert_equal_to_single_scores(
    metrics: list[Metric], judgments: Tables, rankings: Rankings, settings: Settings
) -> None:
    batch = scores(metrics, judgments, rankings, settings)
    for metric, column in zip(metrics, batch, strict=True):
        for query, value in zip(judgments, column, strict=True):
            graded = grade_ranking(rankings.get(query, []), judgments[query])
            single = score(metric, graded, settings)
            assert bits(single) == bits(value), f"{metric.text} of {query}"


@given(queries(), SETTINGS, ASKED)
def test_batch_and_single_scores_are_equal_to_the_last_bit(
    data: tuple[Tables, Rankings], chosen: dict[str, Any], metrics: list[Metric]
) -> None:
    judgments, rankings = data
    grades = [grade for table in judgments.values() for grade in table.values()]
    if chosen["gain"] == "mapping":
        chosen = {**chosen, "gain": {**dict.fromkeys(grades, 1.5), **GAINS}}
    if max(grades, default=0) > 0:
        # A batch takes the highest grade of all queries, one query knows its own alone.
        chosen = {**chosen, "max_grade": max(grades)}
    elif chosen["ideal"] == "max":
        judgments = {"q0": judgments["q0"]}
    assert_equal_to_single_scores(metrics, judgments, rankings, Settings(**chosen))


def test_the_highest_grade_of_a_batch_is_that_of_all_queries() -> None:
    judgments: Tables = {"low": {"a": 1}, "high": {"b": 2}}
    rankings = {"low": ["a"], "high": ["b"]}
    ndcg, err = parse_metric("nDCG@1"), parse_metric("ERR@1")
    settings = Settings(ideal="max")
    assert scores([ndcg], judgments, rankings, settings) == [[1 / 3, 1.0]]
    assert scores([err], judgments, rankings, Settings()) == [[1 / 4, 3 / 4]]


@pytest.mark.parametrize(
    "scale",
    [
        [0, 1],
        [0, 1, 2, 3],
        [0, 0.5, 1],
        [0.0, 1 / 3, 2.5],
        [-1, 0, 2],
        [0, 40, 300],
        [step / 97 for step in range(97)],
    ],
)
def test_many_judgments_are_read_like_few(scale: list[float]) -> None:
    judgments: Tables = {}
    for query in range(20):
        grades = [scale[(7 * query + number) % len(scale)] for number in range(1100)]
        table = {f"d{number}": grade for number, grade in enumerate(grades)}
        judgments[f"q{query}"] = table
    ranking = [f"d{number}" for number in range(0, 2000, 3)]
    metrics = [parse_metric(name) for name in ("nDCG@10", "nDCG", "AP", "ERR")]
    settings = Settings("linear", max_grade=max(scale))
    rankings = dict.fromkeys(judgments, ranking)
    assert_equal_to_single_scores(metrics, judgments, rankings, settings)
