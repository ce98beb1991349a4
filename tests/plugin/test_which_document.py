"""Which document a result is, in whole runs: the field of its id, the labels of a
vector index, and ids that are nearly those which were judged.
"""

from textwrap import dedent

import pytest

from tests.plugin.conftest import Accepted, Project

HITS = """return lambda query: {"hits": {"hits": [
        {"_index": "articles", "_id": "1", "_source": {"title": "How to lace boots"}},
        {"_index": "products", "_id": "1", "_source": {"title": "Boots"}},
    ]}}
"""
"""One id in two indexes."""
JOINED = 'id_field: "{_index}/{_id}"\n'


def test_a_template_in_a_case_file_and_a_list_of_fields_in_a_case(
    project: Project,
) -> None:
    project.search(HITS)
    project.cases(
        JOINED
        + """min_ndcg: 0.6
cases:
  - {query: boots, judgments: {products/1: 3}, expect: {first: articles/1, same_as: black boots}}
  - {query: laces, id_field: [sku, title], min_ndcg: null, expect: {first: How to lace boots}}
"""
    )
    run = project.run("--relevance-update")
    assert run.counts == {"passed": 2}
    assert run.results["boots"].texts.titles["products/1"] == "Boots"
    accepted = Accepted(project.path / "shop.relevance.yaml.baseline.jsonl")
    assert accepted.rankings["boots", None] == ("articles/1", "products/1")


def test_a_template_in_a_test_in_python(project: Project) -> None:
    project.search(HITS)
    project.write(
        "test_shop.py",
        """
        import pytest
        from decimal import Decimal

        def test_boots(relevance, search):
            found = search("boots")
            judged = {"products/1": 3}
            result = relevance.check("boots", found, judged, id_field="{_index}/{_id}")
            assert result.ranking.documents == ("articles/1", "products/1")
            result = relevance.check("boots", found, judged, id_field=["sku", "title"])
            assert result.ranking.documents == ("How to lace boots", "Boots")

        def test_ids_of_other_types(relevance):
            relevance.check("boots", [Decimal("7")], {Decimal("7"): 1}, min_ndcg=1)
            relevance.check("boots", [7], relevant=[Decimal("7")], min_ndcg=1)
            with pytest.raises(ValueError, match=r"found b'7'; decode it: id.decode\\(\\)"):
                relevance.check("boots", ["7"], {b"7": 1})
        """,
    )
    assert project.run().counts == {"passed": 2}


def test_two_judged_ids_of_a_hit(project: Project) -> None:
    project.search(
        'return lambda query: [{"_id": "b", "_source": {"id": "7"}}, {"_id": "7"}]'
    )
    project.cases(
        "cases: [{query: boots, judgments: {b: 3, c: 1}}, {query: black boots, judgments: {b: 0, 7: 3}}]"
    )
    run = project.run()
    assert run.outcomes == {"boots": "passed", "black boots": "failed"}
    assert 'has two ids, _id "b" and _source.id "7"' in run.told("black boots")


def test_titles_of_joined_ids(project: Project) -> None:
    """From the index, and from a catalogue with a column for the index."""
    documents = "\n@pytest.fixture\ndef relevance_documents():\n    return lambda ids: {'products/2': 'Red boots'}\n"
    search = project.search(HITS)
    cases = "min_ndcg: 0.9\ncases: [{query: boots, judgments: {products/2: 3, products/1: 1}}]"
    project.write("products.csv", "index,id,title\nproducts,2,Red boots\n")
    for names, catalogue in ((documents, ""), ("", "documents: products.csv\n")):
        search.write_text(search.read_text().removesuffix(documents) + names)
        project.cases(JOINED + catalogue + cases)
        run = project.run("--relevance-record=run.jsonl")
        assert "products/2  Red boots" in run.text
        titles = project.recorded().results[0].texts.titles
        assert titles["products/2"] == "Red boots"


# Ids that are nearly those which were wanted


def test_the_sentence_about_ids_of_another_kind_names_a_pair(project: Project) -> None:
    project.search("return lambda query: ['x', f'products/{query[1:]}']")
    queries = ", ".join(f"{{query: q{n}, judgments: {{{n}: 3}}}}" for n in range(3))
    project.cases(f"{{min_ndcg: 0.5, cases: [{queries}]}}")
    (sentence,) = project.run().sentences("search returned no judged document")
    pair = 'returned "products/0", judged "0", which differ in the beginning "products/" only'
    assert f"{pair}; if not, name the id" in sentence


# `ids` of the fixture's value, which turns the labels of a vector index into ids

JUDGED = "min_ndcg: 1, judgments: {sku-c: 2, sku-a: 1}"
LABELLED = f"cases: [{{query: shoes, {JUDGED}}}, {{query: boots, {JUDGED}}}]"
FAISS = dedent("""
    import numpy as np
    import pytest

    IDS = ["sku-a", "sku-b", "sku-c"]

    def find(query):
        return np.array([[0.5, 0.75]], dtype="float32"), np.array([[2, 0]])     # as faiss: distances, row numbers

""")
KINDS = FAISS + dedent("""
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
""")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_labels_become_ids(project: Project, concurrency: int) -> None:
    """Where there are no labels, the attribute is not read."""
    project.conftest(KINDS)
    project.cases(LABELLED)
    run = project.run(f"--relevance-concurrency={concurrency}")
    assert run.counts == {"passed": 12}


def test_labels_from_the_hook_and_of_a_ranking_that_is_checked_in_a_test(
    project: Project,
) -> None:
    project.conftest(
        FAISS
        + dedent("""
        @pytest.fixture
        def search():
            def found(query):
                return {"result": find(query)}
            found.ids = IDS
            return found

        def pytest_relevance_ranking(response, case):
            return response["result"]
        """)
    )
    project.cases(LABELLED)
    project.write(
        "test_shop.py",
        """
        def test_shoes(relevance, search):
            relevance.check("shoes", search("shoes"), {"sku-c": 2, "sku-a": 1}, min_ndcg=1)
        """,
    )
    assert project.run().counts == {"passed": 3}


def returns_rows(project: Project, rows: str) -> None:
    """Write a search that returns this, whose ids are the numbers of four documents."""
    project.search(
        f"found = lambda query: {rows}\n    found.ids = [1, 2, 3, 4]\n    return found"
    )
    project.cases("cases: [{query: shoes, min_ndcg: 1, judgments: {4: 2, 1: 1}}]")


def test_a_ranking_that_a_test_or_a_hook_has_translated_itself(
    project: Project,
) -> None:
    returns_rows(project, "[3, 0]")
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write(
            "\ndef pytest_relevance_ranking(response, case):\n"
            "    return ['sku-1', 'sku-2'] if response == [3, 0] else None\n"
        )
    project.cases("cases: [{query: shoes, min_ndcg: 1, judgments: {sku-1: 1}}]")
    project.write(
        "test_shop.py",
        """
        def test_shoes(relevance, search):
            relevance.check("shoes", ["sku-1"], {"sku-1": 1}, min_ndcg=1)
        """,
    )
    assert project.run().counts == {"passed": 2}
