"""nDCG@k and its interval: what the page computes is what the Python core computes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_relevance import CaseResult, Run
from pytest_relevance.metrics.interval import interval
from pytest_relevance.metrics.ndcg import grade_ranking, ndcg
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import count_grades
from tests.browser.reader import Reader
from tests.helpers import case_result, write_page

CASES = 1000

SCALES: list[list[float]] = [
    [0, 1, 2, 3],
    [0, 1],
    [-2, -1, 0, 1, 2],
    [0, 0.5, 1, 1.5, 2, 2.5],
    [1, 2, 3, 4, 5],
    [0, 0.1],
]
CHOICES: Mapping[str, list[str]] = {
    "discount": ["log2", "ln"],
    "ideal": ["judged", "judged", "returned", "max"],
    "unjudged": ["zero", "zero", "skip"],
    "negative": ["keep", "zero"],
    "undefined": ["nan", "zero"],
}


@dataclass(frozen=True)
class Example:
    """A ranking under judgments, and the grades that a reader gives to some results, of
    which some are judged.
    """

    ranking: list[str]
    judgments: dict[str, float]
    own: dict[str, float]
    settings: Settings
    k: int
    scale: list[float]

    @property
    def result(self) -> CaseResult:
        """The result that a page is made from."""
        return case_result(
            file="random.relevance.yaml",
            line=1,
            id="query",
            verdict="measured",
            k=self.k,
            settings=self.settings,
            lowest=self.scale[0],
            highest=self.scale[-1],
            grade_names={
                grade: f"grade {number}" for number, grade in enumerate(self.scale)
            },
            documents=tuple(self.ranking),
            grades=tuple(grade_ranking(self.ranking, self.judgments).grades),
            judgments=count_grades([*self.judgments.values()]),
            scores={f"nDCG@{self.k}": self.score_of_run},
        )

    @property
    def score_of_run(self) -> float | None:
        """nDCG@k without the reader's grades, None where it is not defined."""
        score = ndcg(grade_ranking(self.ranking, self.judgments), self.settings, self.k)
        return (
            (0.0 if self.settings.undefined == "zero" else None)
            if math.isnan(score)
            else score
        )

    def scores(self) -> list[float]:
        """nDCG@k and both ends of its interval, as the Python core computes them."""
        graded = grade_ranking(self.ranking, {**self.judgments, **self.own})
        score = ndcg(graded, self.settings, self.k)
        if math.isnan(score) and self.settings.undefined == "zero":
            score = 0.0
        return [
            score,
            *interval(graded, self.k, self.scale[0], self.scale[-1], self.settings),
        ]


def example(random: Random) -> Example:
    """A random example; every third has a mapping of gains, which need not rise with
    the grades.
    """
    scale = random.choice(SCALES)
    choices: dict[str, Any] = {
        name: random.choice(values) for name, values in CHOICES.items()
    }
    gain: str | dict[float, float] = random.choice(["exponential", "linear"])
    if random.random() < 1 / 3:
        gain = {
            grade: random.choice([0.0, 1.0, round(random.uniform(-1, 9), 3)])
            for grade in scale
        }
    top = random.choice(
        [None, None, scale[-1], scale[-1] + (0 if isinstance(gain, dict) else 1)]
    )
    settings = Settings(gain=gain, max_grade=top, **choices)
    pool = [f"doc-{number}" for number in range(random.choice([2, 5, 12, 30]))]
    returned = random.sample(pool, random.randint(0, len(pool)))
    if returned and random.random() < 0.3:  # documents that are returned again
        for _ in range(random.randint(1, 3)):
            returned.insert(random.randint(0, len(returned)), random.choice(returned))
    judged = random.sample(pool, random.randint(0, len(pool)))
    unjudged = [
        document for document in dict.fromkeys(returned) if document not in judged
    ]
    graded = (
        random.sample(unjudged, random.randint(0, len(unjudged)))
        if random.random() < 0.6
        else []
    )
    contested = (
        [document for document in dict.fromkeys(returned) if document in judged][:1]
        if len(returned) % 2
        else []
    )
    return Example(
        returned,
        {document: random.choice(scale) for document in judged},
        {
            **{document: random.choice(scale) for document in graded},
            **dict.fromkeys(contested, scale[0]),
        },
        settings,
        random.choice([1, 3, 5, 10, 10, 20, 50]),
        scale,
    )


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    random = Random(13)
    return [example(random) for _ in range(CASES)]


def test_page_and_python_agree(
    reader: Reader, examples: list[Example], tmp_path: Path
) -> None:
    reader.open(write_page(Run([each.result for each in examples]), tmp_path))
    of_page = reader.script(
        """
        const [owns] = arguments;
        return readData().then((data) => {
            const shown = (number) => (Number.isNaN(number) ? null : number);
            const scores = owns.map((own, index) => scoreOf(data, data.cases[index], new Map(Object.entries(own))));
            return scores.map(({ score, lower, upper }) => [score, lower, upper].map(shown));
        });
        """,
        [each.own for each in examples],
    )
    wrong = [
        (each, expected, found)
        for each, expected, found in zip(
            examples, (each.scores() for each in examples), of_page, strict=True
        )
        if not all(map(_is_equal, expected, found))
    ]
    assert wrong == []


def _is_equal(expected: float, found: float | None) -> bool:
    return (
        math.isnan(expected)
        if found is None
        else abs(expected - found) <= 1e-12 * max(1, abs(expected))
    )
