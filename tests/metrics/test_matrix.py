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


@st.composite
def queries(
    draw: st.DrawFn,
) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Some queries on one scale: many or few judgments, short and long rankings, with
    documents that come twice.
    """
    scale = draw(
        st.one_of(
            st.sampled_from(SCALES),
            st.lists(st.floats(-3, 40), min_size=40, max_size=60),
        )
    )
    judgments: dict[str, dict[str, float]] = {}
    rankings: dict[str, list[str]] = {}
    for number in range(draw(st.integers(1, 4))):
        known = draw(st.sampled_from([3, 12, 90]))
        judged = draw(
            st.lists(st.sampled_from(DOCUMENTS[:known]), unique=True, max_size=20)
        )
        judgments[f"q{number}"] = {
            document: draw(st.sampled_from(scale)) for document in judged
        }
        if draw(st.integers(0, 9)):
            ranking = draw(st.permutations(DOCUMENTS[:known]))[
                : draw(st.integers(0, known))
            ]
            again = draw(
                st.lists(
                    st.tuples(st.integers(0, 90), st.sampled_from(DOCUMENTS[:known])),
                    max_size=3,
                )
            )
            for place, document in again:
                ranking.insert(place, document)
            rankings[f"q{number}"] = ranking
    return judgments, rankings


CONVENTIONS = st.fixed_dictionaries(
    {
        **{
            name: st.sampled_from(list(choices))
            for name, choices in CHOICES.items()
            if name != "gain"
        },
        "gain": st.sampled_from(["exponential", "linear", "mapping"]),
    }
)


def bits(value: float) -> bytes:
    return (
        b"NaN" if math.isnan(value) else struct.pack("d", value + 0.0)
    )  # -0.0 and 0.0 are one


@given(queries(), CONVENTIONS, ASKED)
def test_batch_and_single_scores_are_equal_to_the_last_bit(
    data: tuple[dict[str, dict[str, float]], dict[str, list[str]]],
    conventions: dict[str, Any],
    metrics: list[Metric],
) -> None:
    judgments, rankings = data
    grades = [grade for table in judgments.values() for grade in table.values()]
    if conventions["gain"] == "mapping":
        conventions = {**conventions, "gain": {**dict.fromkeys(grades, 1.5), **GAINS}}
    if max(grades, default=0) > 0:
        # A batch takes the highest grade of all queries where one query knows its own
        # alone.
        conventions = {**conventions, "max_grade": max(grades)}
    elif conventions["ideal"] == "max":
        judgments, rankings = {"q0": judgments["q0"]}, rankings
    chosen = Settings(**conventions)
    batch = score_batch(
        metrics,
        CheckedJudgments.from_mapping(judgments),
        CheckedRankings.from_mapping(rankings),
        chosen,
    )
    for metric, column in zip(metrics, batch, strict=True):
        assert column.dtype == np.float64
        for (query, table), value in zip(
            judgments.items(), column.tolist(), strict=True
        ):
            single = score(
                metric, grade_ranking(rankings.get(query, []), table), chosen
            )
            assert bits(single) == bits(value), f"{metric.text} of {query}"


def scores(
    metric: str,
    judgments: dict[str, dict[str, float]],
    rankings: Any,
    **conventions: Any,
) -> list[float]:
    columns = score_batch(
        [parse_metric(metric)],
        CheckedJudgments.from_mapping(judgments),
        CheckedRankings.from_mapping(rankings),
        Settings(**conventions),
    )
    values: list[float] = columns[0].tolist()
    return values


def test_the_highest_grade_of_a_batch_is_that_of_all_queries() -> None:
    judgments: dict[str, dict[str, float]] = {"low": {"a": 1}, "high": {"b": 2}}
    rankings = {"low": ["a"], "high": ["b"]}
    assert scores("nDCG@1", judgments, rankings, ideal="max") == [1 / 3, 1.0]
    assert scores("ERR@1", judgments, rankings) == [1 / 4, 3 / 4]


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
    judgments = {
        f"q{query}": {
            f"d{number}": scale[(7 * query + number) % len(scale)]
            for number in range(1100)
        }
        for query in range(20)
    }
    rankings = {
        query: [f"d{number}" for number in range(0, 2000, 3)] for query in judgments
    }
    linear = Settings("linear")
    for metric in map(parse_metric, ("nDCG@10", "nDCG", "AP", "ERR")):
        single = [
            score(
                metric,
                grade_ranking(rankings[query], table),
                Settings("linear", max_grade=max(scale)),
            )
            for query, table in judgments.items()
        ]
        columns = score_batch(
            [metric],
            CheckedJudgments.from_mapping(judgments),
            CheckedRankings.from_mapping(rankings),
            linear,
        )
        assert list(map(bits, columns[0].tolist())) == list(map(bits, single))
