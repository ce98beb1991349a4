"""Code of a project that raises SystemExit costs what any other exception costs. Ctrl-C
ends the run.
"""

import pytest

from tests.plugin.conftest import Project

CONFTEST = """
    import pytest

    def happens(where):
        if where == {where!r}:
            raise {error}

    @pytest.fixture(scope="session")
    def search():
        happens("fixture")
        def search(query):
            happens("search")
            return query.split()
        return search

    @pytest.fixture(scope="session")
    def relevance_fingerprint():
        happens("fingerprint")
        return {{"index": "v1"}}

    @pytest.fixture(scope="session")
    def relevance_documents():
        def documents(ids):
            happens("documents")
            return dict.fromkeys(ids, "Title")
        return documents

    @pytest.fixture(scope="session")
    def relevance_judge():
        def judge(query, document):
            happens("judge")
            return 1
        judge.name = "judge"
        return judge

    def pytest_relevance_ranking(response, case):
        happens("ranking")

    def good(grades, judged, k):
        happens("metric")
        return 1.0

    def pytest_relevance_metrics():
        happens("metrics")
        return {{"good": good}}

    def pytest_relevance_explain(document):
        happens("explain")
        return "because"
"""

CASES = """
    cases:
      - {query: a b, judgments: {b: 3}, min_ndcg: 0.9, expect: {good@3: 0.5}}
      - {query: c d, judgments: {c: 3}, min_ndcg: 0.9, expect: {good@3: 0.5}}
"""

# a verdict stays: the first case fails for its floor, the second passes
STAYS = ("fingerprint", "documents", "judge", "explain")
IS_LOST = ("fixture", "search", "ranking", "metric")
"""No case can be scored."""


@pytest.fixture
def shop(project: Project) -> Project:
    project.cases(CASES)
    return project


@pytest.mark.parametrize(
    ("where", "concurrency"),
    [*((where, 1) for where in STAYS + IS_LOST), ("search", 2), ("ranking", 2)],
)
def test_code_that_exits(shop: Project, where: str, concurrency: int) -> None:
    shop.conftest(CONFTEST.format(where=where, error="SystemExit(3)"))
    run = shop.run(
        "--relevance-record=run.jsonl",
        "--relevance-judge=judged.csv",
        f"--relevance-concurrency={concurrency}",
    )
    assert (run.code, "INTERNALERROR" in run.text) == (1, False)
    verdicts = [result.verdict for result in shop.recorded().results]
    assert verdicts == (["failed", "passed"] if where in STAYS else ["error"] * 2)
    assert "SystemExit: 3" in run.text


def test_a_hook_that_exits_while_files_are_collected(shop: Project) -> None:
    shop.conftest(CONFTEST.format(where="metrics", error="SystemExit(3)"))
    run = shop.run("--relevance-record=run.jsonl")
    assert (run.code, "INTERNALERROR" in run.text) == (2, False)
    (error,) = shop.recorded().info.errors
    assert error.file == "shop.relevance.yaml"
    assert error.message.startswith(
        "the hook pytest_relevance_metrics raised SystemExit: 3 (conftest.py:"
    )


@pytest.mark.parametrize("where", [*STAYS, *IS_LOST, "metrics"])
def test_ctrl_c_ends_the_run(shop: Project, where: str) -> None:
    shop.conftest(CONFTEST.format(where=where, error="KeyboardInterrupt"))
    run = shop.run("--relevance-judge=judged.csv")
    is_asked_at_the_end = where == "judge"  # Ctrl-C then stops the asking alone
    expected = 1 if is_asked_at_the_end else pytest.ExitCode.INTERRUPTED
    assert run.code == expected
