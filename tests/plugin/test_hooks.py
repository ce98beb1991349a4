"""The hooks of projects and extensions: `pytest_relevance_explain` and
`pytest_relevance_search`, and hooks that raise, of which nothing of the run is lost.
"""

import json

import pytest

from tests.plugin.conftest import WORDS, Project, Run
from tests.plugin.shop import UPDATE

# --- pytest_relevance_explain ---------------------------------------------------------

SEARCH = """
    import json, pathlib
    import pytest

    HERE = pathlib.Path(__file__).parent

    @pytest.fixture
    def search():
        def search(query):
            ids = HERE / "ids.txt"
            found = (ids.read_text() if ids.exists() else query).split()
            return {"hits": {"hits": [{"_id": each} for each in found]}}
        return search

    def pytest_relevance_explain(case, document, rank, response):
        with (HERE / "asked.jsonl").open("a") as file:
            file.write(json.dumps([case.query, document, rank, len(response["hits"]["hits"])]) + "\\n")
        EXPLAIN
"""
CASES = """
    cases:
      - {query: x y b a, judgments: {a: 3, b: 1, x: 0}, min_ndcg: 0.9}
      - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
"""
QUERY = "x y b a"
BY_TITLE = 'return f"{document} matches\\n  by its title"'


@pytest.fixture
def explained(project: Project) -> Project:
    """A project whose hook has an explanation of each document."""
    explaining(project, BY_TITLE)
    project.cases(CASES)
    return project


def explaining(project: Project, explain: str) -> None:
    project.conftest(SEARCH.replace("EXPLAIN", explain))


def asked(project: Project) -> list[list[object]]:
    """What the hook was asked since the last time: the query, the document, its rank,
    and how many results the response has.
    """
    path = project.path / "asked.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [json.loads(line) for line in lines]


def warnings(run: Run) -> list[str]:
    return run.sentences("the hook pytest_relevance_explain")


def test_it_is_asked_about_what_ranks_too_high_in_a_failing_case(
    explained: Project,
) -> None:
    run = explained.run("-v", "--relevance-record=run.jsonl")
    assert asked(explained) == [[QUERY, "x", 1, 4], [QUERY, "y", 2, 4]]
    expected = """
why documents stand where they do
  x  rank 1
      x matches
        by its title
  y  rank 2
      y matches
        by its title
"""
    assert run.failure(QUERY).endswith(expected)
    failed, passed = explained.recorded().results
    matches = {name: f"{name} matches\n  by its title" for name in "xy"}
    assert failed.texts.explanations == matches
    assert passed.texts.explanations == {}
    run = explained.run()
    assert "explained: 2 documents (-v shows why)" in run.failure(QUERY)
    assert "by its title" not in run.text


def test_it_is_asked_about_what_an_expectation_excludes(explained: Project) -> None:
    explained.cases("cases: [{query: a b c, expect: {exclude: [b]}}]")
    explained.run()
    assert asked(explained) == [["a b c", "b", 2, 3]]


def test_it_is_asked_about_what_left_the_top_since_the_baseline(
    explained: Project,
) -> None:
    explained.cases("cases: [{query: a b c, k: 2, depth: 3, judgments: {a: 3, b: 3}}]")
    explained.run(UPDATE)
    explained.write("ids.txt", "c x a")
    run = explained.run("-v")
    ranks = [(document, rank) for _, document, rank, _ in asked(explained)]
    assert ranks == [("c", 1), ("x", 2), ("a", 3), ("b", None)]
    assert "  b  not returned\n      b matches" in run.failure("a b c")


def test_at_most_ten_documents_of_a_case_are_asked_about(explained: Project) -> None:
    good = [f"g{number}" for number in range(10)]
    judgments = ", ".join([*(f"{name}: 3" for name in good), "x0: 0"])
    explained.cases(f"cases: [{{query: {' '.join(good)}, judgments: {{{judgments}}}}}]")
    explained.run(UPDATE)
    bad = [f"x{number}" for number in range(12)]
    explained.write("ids.txt", " ".join(bad))
    assert explained.run().counts == {"failed": 1}
    documents = [document for _, document, *_ in asked(explained)]
    assert documents == [*bad[:5], *good[:5]]


def test_none_leaves_a_document_unexplained(explained: Project) -> None:
    explaining(explained, 'return "by a synonym" if document == "y" else None')
    run = explained.run("-v")
    told = "\nwhy documents stand where they do\n  y  rank 2\n      by a synonym\n"
    assert run.failure(QUERY).endswith(told)
    assert warnings(run) == []


@pytest.mark.parametrize(
    ("explain", "said"),
    [
        ("raise ValueError('no\\nidea')", "raised ValueError: no"),
        ("pytest.fail('no idea')", "raised Failed: no idea"),
        ("return {'value': 1}", "returned {'value': 1}, and returns text or None"),
        ("return __import__('asyncio').sleep(0)", "returned <coroutine object"),
    ],
)
def test_a_fault_of_the_hook_is_told_once_and_no_verdict_changes(
    explained: Project, explain: str, said: str
) -> None:
    explaining(explained, explain)
    fails = "{query: x a, judgments: {a: 3, x: 0}, min_ndcg: 0.9}"
    explained.cases(f"{CASES}      - {fails}\n")
    run = explained.run()
    assert run.counts == {"passed": 1, "failed": 2}
    assert {result.verdict for result in run.results.values()} == {"passed", "failed"}
    (warning,) = warnings(run)
    assert warning.startswith(f"the hook pytest_relevance_explain {said}")
    assert warning.endswith(f' (query "{QUERY}", document "x"); the verdict stays')
    # no further one of the same case
    assert [document for _, document, *_ in asked(explained)] == ["x", "x"]


def test_control_characters_are_escaped_and_long_explanations_cut(
    explained: Project,
) -> None:
    explaining(explained, 'return "\\x1b[31mred\\n" + "line\\n" * 30')
    text = explained.run("-v").failure(QUERY)
    assert "\\x1b[31mred" in text
    assert "      ... 11 more lines (a record has them)" in text


def test_a_check_of_a_test_in_python_is_explained_too(project: Project) -> None:
    project.conftest("""
        def pytest_relevance_explain(document, rank, response):
            return f"{document} of {response}"
    """)
    project.test('relevance.check("boots", ["x", "a"], {"a": 3, "x": 0}, min_ndcg=0.9)')
    run = project.run("-v")
    assert "  x  rank 1\n      x of ['x', 'a']" in run.failure("test_shop")


# --- pytest_relevance_search ----------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("Searched(rankings=[(Ranking(['a', 'b']), 0.5)])", ""),
        ("['a', 'b']", "the hook pytest_relevance_search returned ['a', 'b']"),
    ],
)
def test_a_project_answers_in_place_of_the_search(
    project: Project, returned: str, said: str
) -> None:
    project.conftest(f"""
        import pytest
        from pytest_relevance.extending import Ranking, Searched

        @pytest.fixture
        def search():
            return ConnectionError

        def pytest_relevance_search(case_run):
            return {returned}
    """)
    project.cases("cases: [{query: shoes, judgments: {a: 1}, expect: {first: a}}]")
    run = project.run()
    if said:
        assert said in run.told("shoes")
    else:
        assert run.results["shoes"].call.latency == 0.5


# --- hooks that raise -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("texts(case_run, result)", "raised Zero"),
        ("complete(config, results, files)", "titles of documents may be missing"),
        ("summary(run, detail)", "raised ZeroDivisionError"),
        ("write(run, config)", "files that options name may be missing"),
    ],
)
def test_a_hook_that_raises_at_the_end_loses_nothing_of_the_run(
    project: Project, hook: str, said: str
) -> None:
    project.conftest(f"{WORDS}\n    def pytest_relevance_{hook}:\n        1 / 0\n")
    project.cases("cases: [{query: x a, judgments: {a: 1}, min_ndcg: 0.9}]")
    run = project.run()
    assert run.code == 1
    assert run.counts["failed"] == 1
    name = hook.partition("(")[0]
    lines = run.text.replace("\n    ", " ").splitlines()
    raised = f"the hook pytest_relevance_{name} raised ZeroDivisionError"
    (warning,) = [line for line in lines if line.startswith(raised)]
    assert said in warning
    assert "1 case: 1 failed" in run.summary


@pytest.mark.parametrize(("hook", "code"), [("complete(config)", 0), ("write(run)", 1)])
def test_only_what_cannot_be_written_fails_a_green_run(
    project: Project, hook: str, code: int
) -> None:
    project.conftest(f"{WORDS}\n    def pytest_relevance_{hook}:\n        1 / 0\n")
    project.cases("cases: [{query: a b, judgments: {a: 1}, min_ndcg: 0.5}]")
    assert project.run().code == code
