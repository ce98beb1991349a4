"""A second, deeper search looks for the passages that a failed case is missing."""

import pytest

from tests.plugin.conftest import SEARCHES, Project

SEARCH = """
    import time

    import pytest

    TEXTS = [f"page {{number}} of the terms" for number in range(1, 41)]

    def found(query, k, **params):
        print("<", query, k, params, ">")
        if k > 10:
            {deeper}
        return TEXTS[:k]

    @pytest.fixture(scope="session")
    def search():
        {search}
"""
CASES = """
    k: 4
    params: {locale: en}
    expect: {R@4: 1}
    cases:
      - {query: pages, passages: [page 2 of the terms, page 17 of the terms, page 39 of the terms]}
      - {query: pages, id: again, passages: [page 20 of the terms]}
      - {query: pages, id: passes, passages: [page 3 of the terms]}
      - {query: pages, id: loose, passages: [page 3 of the terms, page 9 of the terms], expect: {R@4: 0.5}}
"""


def write(project: Project, search: str = "a function", deeper: str = "pass") -> None:
    project.conftest(SEARCH.format(search=SEARCHES.get(search, search), deeper=deeper))
    project.cases(CASES)


@pytest.mark.parametrize(
    ("search", "concurrency"),
    [*((name, 1) for name in SEARCHES), ("a function", 3), ("a coroutine", 3)],
)
@pytest.mark.usefixtures("with_and_without_loops")
def test_a_second_search_finds_missing_passages(
    project: Project, search: str, concurrency: int
) -> None:
    write(project, search)
    run = project.run("-s", f"--relevance-concurrency={concurrency}")
    assert run.counts == {"failed": 2, "passed": 2}
    ranks = [
        (passage.rank, passage.deeper_rank)
        for passage in run.results["pages"].evaluation.passages
    ]
    assert ranks == [(2, None), (None, 17), (None, None)]
    deeper = run.results["pages"].call.deeper
    assert deeper is not None
    assert (deeper.asked, deeper.returned, deeper.has_failed) == (20, 20, False)
    (passage,) = run.results["again"].evaluation.passages
    assert passage.deeper_rank == 20
    assert run.text.count("< pages 20 {'locale': 'en'} >") == 1


def test_a_second_search_is_in_no_number(project: Project) -> None:
    write(project, deeper="time.sleep(0.2)")
    with_it = project.run("--relevance-record=run.jsonl").results["pages"]
    without = project.run("-o", "relevance_look_deeper=false").results["pages"]
    assert without.call.deeper is None
    assert with_it.ranking == without.ranking
    assert with_it.evaluation.scores == without.evaluation.scores
    assert with_it.call.latency is not None
    assert with_it.call.latency < 0.2


@pytest.mark.parametrize(
    "deeper",
    [
        "raise ConnectionError(query)",
        "pytest.fail(query)",
        "pytest.skip(query)",
        "return None",
        "return [*TEXTS[:4], 7]",
    ],
)
def test_a_second_search_that_fails(project: Project, deeper: str) -> None:
    write(project, deeper=deeper)
    run = project.run()
    assert run.counts == {"failed": 2, "passed": 2}
    noted = run.results["pages"].call.deeper
    assert noted is not None
    assert noted.has_failed
    assert "ConnectionError" not in run.text


def test_a_second_search_that_ends_the_run(project: Project) -> None:
    write(project, deeper="pytest.exit('enough')")
    assert "enough" in project.run().text


def test_no_second_search_without_k(project: Project) -> None:
    write(project, "return lambda query, **params: found(query, 10, **params)")
    project.cases(
        "{k: 4, cases: [{query: pages, passages: [page 17 of the terms], min_ndcg: 1}]}"
    )
    assert project.run().results["pages"].call.deeper is None


def test_no_second_search_for_a_check_in_python(project: Project) -> None:
    write(project)
    project.write(
        "test_pages.py",
        """
        def test_pages(relevance, search):
            relevance.check("pages", search("pages", k=4), passages=["page 17 of the terms"], k=4, min_ndcg=1)
        """,
    )
    run = project.run("-s", "test_pages.py")
    assert run.counts == {"failed": 1}
    assert run.text.count("< pages") == 1


def test_chunks_that_a_second_search_finds(project: Project) -> None:
    """A rank counts chunks, also if results are documents."""
    project.conftest(
        SEARCH.format(
            search='return lambda query, k: [{"id": text[5:6], "text": text} for text in found(query, k)]',
            deeper="pass",
        )
    )
    project.cases(
        "{k: 4, collapse: true, cases: [{query: pages, passages: [page 17 of the terms], min_ndcg: 1}]}"
    )
    (passage,) = project.run().results["pages"].evaluation.passages
    assert passage.deeper_rank == 17
