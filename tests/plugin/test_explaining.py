"""The hook `pytest_relevance_explain`: which documents it is asked about, and that it
changes nothing.
"""

import json

import pytest

from pytest_relevance import Run as Record
from tests.plugin.conftest import Project, Run

SEARCH = """
    import json, pathlib
    import pytest

    ASKED = pathlib.Path(__file__).with_name("asked.jsonl")

    @pytest.fixture
    def search():
        def search(query):
            ids = pathlib.Path(__file__).with_name("ids.txt")
            return {"hits": {"hits": [{"_id": each} for each in (ids.read_text() if ids.exists() else query).split()]}}
        return search

    def pytest_relevance_explain(case, document, rank, response):
        with ASKED.open("a") as file:
            file.write(json.dumps([case.query, document, rank, len(response["hits"]["hits"])]) + "\\n")
        EXPLAIN
"""

CASES = """
    cases:
      - {query: x y b a, judgments: {a: 3, b: 1, x: 0}, min_ndcg: 0.9}
      - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
"""

QUERY = "x y b a"


def explaining(
    project: Project, explain: str = 'return f"{document} matches\\n  by its title"'
) -> None:
    project.conftest(SEARCH.replace("EXPLAIN", explain))
    project.cases(CASES)


def asked(project: Project) -> list[list[object]]:
    path = project.path / "asked.jsonl"
    return (
        [json.loads(line) for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


def warnings(run: Run) -> list[str]:
    return run.sentences("the hook pytest_relevance_explain")


def test_it_is_asked_about_what_ranks_too_high_in_a_failing_case(
    project: Project,
) -> None:
    explaining(project)
    run = project.run("-v", "--relevance-record=run.jsonl")
    assert asked(project) == [[QUERY, "x", 1, 4], [QUERY, "y", 2, 4]]
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
    failed, passed = Record.open(project.path / "run.jsonl").results
    assert failed.texts.explanations == {
        "x": "x matches\n  by its title",
        "y": "y matches\n  by its title",
    }
    assert passed.texts.explanations == {}
    run = project.run()
    assert "explained: 2 documents (-v shows why)" in run.failure(QUERY)
    assert "by its title" not in run.text
    (project.path / "asked.jsonl").unlink()
    project.cases(
        "cases: [{query: a b c, expect: {exclude: [b]}}]"
    )  # without judgments
    project.run()
    assert asked(project) == [["a b c", "b", 2, 3]]


def test_it_is_asked_about_what_left_the_top_since_the_baseline(
    project: Project,
) -> None:
    explaining(project)
    project.cases("cases: [{query: a b c, k: 2, depth: 3, judgments: {a: 3, b: 3}}]")
    project.run("--relevance-update")
    (project.path / "ids.txt").write_text("c x a")
    run = project.run("-v")
    assert asked(project) == [
        ["a b c", "c", 1, 3],
        ["a b c", "x", 2, 3],
        ["a b c", "a", 3, 3],
        ["a b c", "b", None, 3],
    ]
    assert "  b  not returned\n      b matches" in run.failure("a b c")


def test_at_most_ten_documents_of_a_case_are_asked_about(project: Project) -> None:
    explaining(project)
    good = " ".join(f"g{number}" for number in range(10))
    judgments = ", ".join([*(f"{name}: 3" for name in good.split()), "x0: 0"])
    project.cases(f"cases: [{{query: {good}, judgments: {{{judgments}}}}}]")
    project.run("--relevance-update")
    (project.path / "ids.txt").write_text(
        " ".join(f"x{number}" for number in range(12))
    )
    assert project.run().counts == {"failed": 1}
    documents = [document for _, document, *_ in asked(project)]
    assert documents == [
        *(f"x{number}" for number in range(5)),
        *(f"g{number}" for number in range(5)),
    ]


def test_none_leaves_a_document_unexplained(project: Project) -> None:
    explaining(project, 'return "by a synonym" if document == "y" else None')
    run = project.run("-v")
    assert run.failure(QUERY).endswith(
        "\nwhy documents stand where they do\n  y  rank 2\n      by a synonym\n"
    )
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
    project: Project, explain: str, said: str
) -> None:
    explaining(project, explain)
    project.cases(
        CASES + "      - {query: x a, judgments: {a: 3, x: 0}, min_ndcg: 0.9}\n"
    )
    run = project.run()
    assert run.counts == {"passed": 1, "failed": 2}
    assert {result.verdict for result in run.results.values()} == {"passed", "failed"}
    (warning,) = warnings(run)
    assert warning.startswith(f"the hook pytest_relevance_explain {said}")
    assert warning.endswith(f' (query "{QUERY}", document "x"); the verdict stays')
    assert [document for _, document, *_ in asked(project)] == [
        "x",
        "x",
    ]  # no further one of the same case


def test_control_characters_are_escaped_and_long_explanations_cut(
    project: Project,
) -> None:
    explaining(project, 'return "\\x1b[31mred\\n" + "line\\n" * 30')
    text = project.run("-v").failure(QUERY)
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


def test_a_hook_that_raises_on_texts_changes_no_verdict(project: Project) -> None:
    project.conftest("""
        import pytest

        @pytest.fixture
        def search():
            return str.split

        def pytest_relevance_texts(case_run, result):
            return 1 / 0
    """)
    project.cases("cases: [{query: x a, judgments: {a: 1}, min_ndcg: 0.9}]")
    run = project.run()
    assert run.counts["failed"] == 1
    assert len(run.sentences("the hook pytest_relevance_texts raised Zero")) == 1
