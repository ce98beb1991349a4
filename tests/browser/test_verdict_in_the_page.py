"""The verdict that follows a reader's grades: certain, excused, or in need of more."""

from pathlib import Path
from random import Random

import pytest

from pytest_relevance import CaseResult, Run
from pytest_relevance.ext.html.page_rows import PageRow, rows_of_run
from pytest_relevance.metrics.ndcg import grade_ranking, ndcg
from pytest_relevance.results.case_parts import REGRESSION, BaselineComparison
from pytest_relevance.results.certainty import no_grade_matters
from pytest_relevance.results.settling import open_question, state_with
from tests.browser.conftest import Project
from tests.browser.reader import Reader
from tests.helpers import changed, result_of, write_page

SUITE = """\
k: 3
scale: [0, 3]
cases:
  - query: boots
    judgments: {boot: 3, clog: 1}
  - query: hats
    judgments: {cap: 3}
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One query is worse for certain; the other needs grades."""
    project = Project(tmp_path_factory.mktemp("verdict"))
    project.write("shop.relevance.yaml", SUITE)
    project.search_returns({"boots": ["boot"], "hats": ["cap"]})
    project.pytest("--relevance-update")
    project.search_returns({"boots": [], "hats": ["fez", "cap"]})
    return project.report()


def test_a_grade_decides_an_open_query(reader: Reader, page: Path) -> None:
    reader.open(page)
    sentence = (
        "1 for certain, 1 shows results that nobody has graded: "
        "grade at least 1 to decide about this one."
    )
    assert reader.text("#verdict p") == sentence
    reader.open_query("hats")
    reader.press("3")
    assert reader.text(".verdict-so-far") == "Decided: 1 worse, 1 excused."
    reader.press("Escape")
    assert reader.texts("#verdict p") == [
        "Decided: 1 worse, 1 excused.",
        "with your grades: mean nDCG@3 0.765 \u2192 0.500",
    ]
    reader.click("#controls button", "Excused 1")
    assert reader.queries == ["hats"]


def test_another_grade_makes_it_certain(reader: Reader, page: Path) -> None:
    reader.open(page)
    reader.open_query("hats")
    reader.press("0", "Escape")
    assert reader.texts("#verdict p")[0] == "Decided: 2 worse, 0 excused."
    reader.press("u", "Escape")
    assert reader.text("#verdict p").startswith("1 for certain, 1 shows")


def drawn(random: Random, number: int) -> CaseResult | None:
    """A drawn case that got worse; None if the drawn one did not."""
    pool = [f"doc-{place}" for place in range(8)]
    before, now = (random.sample(pool, random.randint(1, 6)) for _ in range(2))
    judgments = {name: random.randint(0, 3) for name in random.sample(pool, 4)}
    k = random.choice([3, 5])
    case = {"query": f"q{number}", "k": k, "judgments": judgments, "scale": [0, 3]}
    settings = random.choice([{}, {}, {"gain": "linear"}, {"unjudged": "skip"}])
    if any(judgments.values()) and random.random() < 0.5:
        case["min_ndcg"] = round(random.uniform(0.2, 0.9), 2)
    result = result_of({**case, **settings}, now)
    graded = grade_ranking(before, judgments)
    score = ndcg(graded, result.conditions.settings, k)
    if result.score is None or score - result.score <= 0.05:
        return None
    accepted = BaselineComparison(
        REGRESSION, score, documents=tuple(before), grades=tuple(graded.grades)
    )
    return changed(result, baseline=accepted)


def test_it_is_the_verdict_of_the_run_under_the_same_judgments(
    reader: Reader, tmp_path: Path
) -> None:
    random = Random(5)
    results = [drawn(random, number) for number in range(2000)]
    rows = rows_of_run([each for each in results if each is not None])
    graded = [grades_of(row, random) for row in rows]
    reader.open(write_page(Run([row.result for row in rows]), tmp_path))
    found = reader.script(
        """
        return readData().then((data) => data.cases.map((item, place) => {
            const own = new Map(Object.entries(arguments[0][place]));
            const fewest = item.isOpen ? fewestGrades(data, item, new Map()) : 0;
            return [certaintyWith(data, item, own), fewest];
        }));
        """,
        graded,
    )
    expected = [verdict_of(row, own) for row, own in zip(rows, graded, strict=True)]
    assert found == expected
    states = {state for state, _ in expected}
    assert states == {"certain", "open", "excused"}


def verdict_of(row: PageRow, own: dict[str, float]) -> list[object]:
    """The state of a case with grades of a reader, and the fewest that settle it."""
    state = "certain" if row.is_certain else "open"
    if own and not no_grade_matters(row.change):
        state = state_with(row.change, own)
    question = None if row.is_certain else open_question(row.change)
    return [state, question.fewest if question else 0]


def grades_of(row: PageRow, random: Random) -> dict[str, float]:
    """Grades of a reader for some of the unjudged results of a case."""
    names = [name for name in row.result.unjudged if random.random() < 0.5]
    return {name: float(random.randint(0, 3)) for name in names}
