"""The attribute `ids` of the fixture's value, which turns the labels of a vector index
into ids.
"""

from textwrap import dedent

import pytest

from tests.plugin.conftest import Project

JUDGED = "min_ndcg: 1, judgments: {sku-c: 2, sku-a: 1}"
CASES = f"cases: [{{query: shoes, {JUDGED}}}, {{query: boots, {JUDGED}}}]"
SEARCH = """
    import numpy as np
    import pytest

    IDS = ["sku-a", "sku-b", "sku-c"]

    def find(query):
        return np.array([[0.5, 0.75]], dtype="float32"), np.array([[2, 0]])     # as faiss: distances, row numbers

"""
KINDS = """
    async def find_later(query):
        return find(query)

    async def many(queries):
        return [find(query) for query in queries]

    class Index:
        def __init__(self, ids):
            self.ids = ids

        def __call__(self, query):
            return find(query)

    class Unread:
        # its property is its own business

        @property
        def ids(self):
            raise AssertionError("ids was read")

        def __call__(self, query):
            return ["sku-c", "sku-a"]

    @pytest.fixture(scope="session", params=["function", "object", "coroutine", "batch", "async batch", "no labels"])
    def search(request):
        if request.param == "no labels":
            return Unread()
        if request.param == "object":
            return Index({0: "sku-a", 2: "sku-c"})
        if request.param == "coroutine":
            find_later.ids = IDS
            return find_later
        found = Index(IDS)
        if request.param == "batch":
            found.many = lambda queries: [find(query) for query in queries]
        if request.param == "async batch":
            found.many = many
        return found
"""


@pytest.mark.parametrize(
    "options", [(), ("--relevance-concurrency=4",)], ids=["one by one", "at once"]
)
def test_labels_become_ids(project: Project, options: tuple[str, ...]) -> None:
    """Where there are no labels, the attribute is not read."""
    project.conftest(dedent(SEARCH) + dedent(KINDS))
    project.cases(CASES)
    assert project.run(*options).counts == {"passed": 12}


def test_labels_from_the_hook_and_of_a_ranking_that_is_checked_in_a_test(
    project: Project,
) -> None:
    hook = """
        @pytest.fixture
        def search():
            def found(query):
                return {"result": find(query)}
            found.ids = IDS
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
    assert project.run().counts == {"passed": 3}


ROWS = """
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            return RETURNED
        search.ids = [1, 2, 3, 4]
        return search
"""


@pytest.mark.parametrize(
    "returned",
    [
        "[3, 0]",
        "[(3, 0.9), (0, 0.5)]",
        "[{'id': 3}, {'id': 0, 'title': 'Boots'}]",
    ],
    ids=["numbers", "rows", "mappings"],
)
def test_row_numbers_in_a_list_become_ids(project: Project, returned: str) -> None:
    """The document 4 stands in row 3, and the document 1 in row 0."""
    project.conftest(dedent(ROWS).replace("RETURNED", returned))
    project.cases("cases: [{query: shoes, min_ndcg: 1, judgments: {4: 2, 1: 1}}]")
    assert project.run().counts == {"passed": 1}


def test_ids_that_are_given_and_not_used(project: Project) -> None:
    project.conftest(dedent(ROWS).replace("RETURNED", "['4', '1']"))
    project.cases("cases: [{query: shoes, min_ndcg: 1, judgments: {4: 2, 1: 1}}]")
    run = project.run()
    assert run.counts == {"failed": 1}
    assert (
        "the fixture's value has an attribute ids, which turns labels (integers) into ids, and search returned no "
        "labels: result 1 of 2 is '4'; take the attribute ids out, or give it another name, or return labels"
        in run.told("shoes")
    )


def test_a_ranking_that_a_test_or_a_hook_has_translated_itself(
    project: Project,
) -> None:
    hook = """
        def pytest_relevance_ranking(response, case):
            names = {3: "sku-1", 0: "sku-2"}
            return [names[row] for row in response] if response == [3, 0] else None
    """
    project.conftest(dedent(ROWS).replace("RETURNED", "[3, 0]") + dedent(hook))
    project.cases("cases: [{query: shoes, min_ndcg: 1, judgments: {sku-1: 1}}]")
    project.write(
        "test_shop.py",
        """
        def test_shoes(relevance, search):
            relevance.check("shoes", ["sku-1"], {"sku-1": 1}, min_ndcg=1)
        """,
    )
    assert project.run().counts == {"passed": 2}
