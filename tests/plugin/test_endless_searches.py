"""A search that returns an iterator without an end: as much is read as the case looks
at, and the iterator is closed.
"""

import pytest

from tests.local_server import serving
from tests.plugin.conftest import Project

ENDLESS = """
    import pathlib
    import pytest

    READ, CLOSED = [], []

    def results():
        try:
            number = 0
            while True:
                READ.append(number)
                yield f"d{number}"
                number += 1
        finally:
            CLOSED.append(True)

    @pytest.fixture(scope="session")
    def search():
        yield lambda query: results()
        folder = pathlib.Path(__file__).parent.name
        print(f"<{folder}: read {len(READ)}, closed {len(CLOSED)}>")
"""

READS = {
    "the top 10": ("min_ndcg: 0.5", 11),
    "the top k": ("k: 3\nmin_ndcg: 0.5", 4),
    "a metric": ("expect: {R@20: 1}", 21),
    "a rank": ("expect: {within: {d0: 30}}", 31),
    "a number of results": ("expect: {results: '>= 40'}", 41),
    "at most a number of results": ("expect: {results: '> 40'}", 42),
    "a depth": ("depth: 50\nmin_ndcg: 0.5", 51),
    "the whole ranking": ("expect: {AP: 0.5}", 10_001),
    "an order": ("expect: {order: [d0, d7]}", 10_001),
    "documents of chunks": ("collapse: true\nmin_ndcg: 0.5", 10_001),
}


def test_as_much_is_read_as_the_case_looks_at_and_one_more(project: Project) -> None:
    """Each suite is in a folder, with a search of its own."""
    for name, (suite, _) in READS.items():
        project.write(f"{name}/conftest.py", ENDLESS)
        cases = f"{suite}\ncases: [{{query: boots, judgments: {{d0: 3}}}}]"
        project.cases(cases, f"{name}/shop.relevance.yaml")
    run = project.run("-s")
    assert run.counts == {"passed": len(READS)}
    for name, (_, read) in READS.items():
        assert f"<{name}: read {read}, closed 1>" in run.text


SEARCHES = {
    "an iterator": "search = lambda query: itertools.count(1)",
    "an asynchronous generator": """
async def search(query):
    try:
        for number in itertools.count(1):
            yield number
    finally:
        print(f"closed for {query}")
""",
    "an awaited generator": """
async def search(query):
    return itertools.count(1)
""",
    "a batch of generators": """
search = lambda query: None
search.many = lambda queries: [itertools.count(1) for query in queries]
""",
}
CONCURRENCY = pytest.mark.parametrize("concurrency", [1, 2])


def run_search(project: Project, code: str, concurrency: int) -> str:
    """Run two cases with a search that this code defines; return what is printed."""
    body = code.strip().replace("\n", "\n    ")
    body = f"import itertools\n    {body}\n    return search"
    project.search(body, "(scope='session')")
    expect = "expect: {results: '> 5'}"
    project.cases(f"cases: [{{query: boots, {expect}}}, {{query: hats, {expect}}}]")
    return project.run(f"--relevance-concurrency={concurrency}", "-s").text


@pytest.mark.parametrize("name", SEARCHES)
@CONCURRENCY
def test_every_kind_of_iterator_ends(
    project: Project, name: str, concurrency: int
) -> None:
    text = run_search(project, SEARCHES[name], concurrency)
    assert "2 cases: 2 passed" in text
    if name == "an asynchronous generator":
        assert "closed for boots" in text
        assert "closed for hats" in text


def test_the_other_query_of_same_as(project: Project) -> None:
    project.conftest(ENDLESS)
    project.cases(
        "cases: [{query: boots, expect: {same_as: {query: boot, overlap@15: 1}}}]"
    )
    run = project.run("-s")
    assert run.counts == {"passed": 1}
    assert "read 32, closed 2" in run.text


AZURE = """
    import pytest
    from azure.core.credentials import AzureKeyCredential
    from azure.search.documents.aio import SearchClient

    CLIENTS = []  # nothing closes one, and Python warns when it is freed

    @pytest.fixture
    def search():
        async def search(query):
            client = SearchClient("{address}", "shop", AzureKeyCredential("k"))
            CLIENTS.append(client)
            return await client.search(query)
        return search
"""


@pytest.mark.engines
def test_the_asynchronous_pager_of_azure(project: Project) -> None:
    pytest.importorskip("azure.search.documents.aio")
    pytest.importorskip("aiohttp")
    page = {
        "value": [{"id": f"d{number}"} for number in range(10)],
        "@search.nextPageParameters": {"search": "boots", "skip": 10},
    }
    with serving(lambda *_: page) as (address, requests):
        project.conftest(AZURE.replace("{address}", address))
        project.cases("cases: [{query: boots, judgments: {d0: 3}, min_ndcg: 0.5}]")
        run = project.run_apart(loops=True)
    assert run.counts == {"passed": 1}, run.text
    assert len(requests) == 2
