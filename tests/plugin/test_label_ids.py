"""The attribute `ids` of the fixture's value, which turns the labels of a vector index into ids."""

from textwrap import dedent

import pytest

from tests.plugin.conftest import Project

CASES = "cases: [{query: shoes, min_ndcg: 1, judgments: {sku-c: 2, sku-a: 1}}]"
SEARCH = """
    import numpy as np
    import pytest

    def find(query):
        return np.array([[0.5, 0.75]], dtype="float32"), np.array([[2, 0]])     # as faiss: distances, row numbers

"""

FIXTURES = {
    "of a function": """
        @pytest.fixture
        def search():
            find.ids = ["sku-a", "sku-b", "sku-c"]
            return find
    """,
    "of an object": """
        class Index:
            def __init__(self, ids):
                self.ids = ids

            def __call__(self, query):
                return find(query)

        @pytest.fixture(scope="session")
        def search():
            return Index({0: "sku-a", 2: "sku-c"})
    """,
    "of a coroutine function": """
        async def find_later(query):
            return find(query)

        @pytest.fixture
        def search():
            find_later.ids = ["sku-a", "sku-b", "sku-c"]
            return find_later
    """,
}


@pytest.mark.parametrize("fixture", FIXTURES)
def test_labels_become_ids(project: Project, fixture: str) -> None:
    project.conftest(dedent(SEARCH) + dedent(FIXTURES[fixture]))
    project.cases(CASES)
    assert project.run().counts == {"passed": 1}


AHEAD = {
    "at a time": "search = find",
    "in a batch": "search.many = lambda queries: [find(query) for query in queries]",
    "in batches of a coroutine function": "search.many = many",
}


@pytest.mark.parametrize("how", AHEAD)
def test_labels_become_ids_where_searches_are_made_ahead(project: Project, how: str) -> None:
    fixture = f"""
        async def many(queries):
            return [find(query) for query in queries]

        @pytest.fixture(scope="session")
        def search():
            def search(query):
                return find(query)
            {AHEAD[how]}
            search.ids = ["sku-a", "sku-b", "sku-c"]
            return search
    """
    project.conftest(dedent(SEARCH) + dedent(fixture))
    judgments = "min_ndcg: 1, judgments: {sku-c: 2, sku-a: 1}"
    project.cases(f"cases: [{{query: shoes, {judgments}}}, {{query: boots, {judgments}}}]")
    assert project.run("--relevance-concurrency=4").counts == {"passed": 2}


def test_ids_may_be_documents_with_titles(project: Project) -> None:
    products = """
        @pytest.fixture
        def search():
            find.ids = [{"sku": "sku-a", "title": "Blue shoes"}, {}, {"sku": "sku-c", "title": "Red shoes"}]
            return find
    """
    project.conftest(dedent(SEARCH) + dedent(products))
    project.cases("{id_field: sku, cases: [{query: shoes, min_ndcg: 1, judgments: {sku-a: 2, sku-c: 1}}]}")
    run = project.run()
    assert run.counts == {"failed": 1}
    assert any(row[1:5] == ["sku-c", "Red", "shoes", "0.50"] for row in run.failure_rows("shoes"))


def test_labels_without_ids_are_an_error_with_both_ways_out(project: Project) -> None:
    project.conftest(dedent(SEARCH) + "\n@pytest.fixture\ndef search():\n    return find\n")
    project.cases(CASES)
    message = " ".join(project.run().failure("shoes").split())
    assert "search returned labels of an index" in message
    assert "give the fixture's value an attribute ids" in message
    assert "if they are the ids, return them in a list" in message


def test_ids_is_not_read_where_there_are_no_labels(project: Project) -> None:
    unread = """
        class Index:
            @property
            def ids(self):
                raise AssertionError("ids was read")

            def __call__(self, query):
                return ["sku-c", "sku-a"]

        @pytest.fixture
        def search():
            return Index()
    """
    project.conftest(dedent(SEARCH) + dedent(unread))
    project.cases(CASES)
    assert project.run().counts == {"passed": 1}


def test_labels_from_the_hook_and_of_a_ranking_that_is_checked_in_a_test(project: Project) -> None:
    hook = """
        @pytest.fixture
        def search():
            def found(query):
                return {"result": find(query)}
            found.ids = ["sku-a", "sku-b", "sku-c"]
            return found

        def pytest_relevance_ranking(response, case):
            return response["result"]
    """
    project.conftest(dedent(SEARCH) + dedent(hook))
    project.cases(CASES)
    checked = """
        def test_shoes(relevance, search):
            relevance.check("shoes", search("shoes"), {"sku-c": 2, "sku-a": 1}, min_ndcg=1)
    """
    project.write("test_shop.py", checked)
    assert project.run().counts == {"passed": 2}
