"""Which document a result is, in whole runs: cases, checks, other queries, baselines
and what documents are called.
"""

import json

from pytest_relevance import Run
from tests.plugin.conftest import Accepted, Project

TWO_INDEXES = """
    import pytest

    HITS = [
        {"_index": "articles", "_id": "1", "_source": {"title": "How to lace boots"}},
        {"_index": "products", "_id": "1", "_source": {"title": "Boots"}},
    ]

    @pytest.fixture
    def search():
        return lambda query: {"hits": {"hits": HITS}}
"""


def test_one_id_in_two_indexes_is_an_error_and_no_chunk(project: Project) -> None:
    project.conftest(TWO_INDEXES)
    project.cases(
        """
        min_ndcg: 0.5
        cases:
          - {query: boots, judgments: {1: 3}}
          - {query: black boots, judgments: {1: 3}}
          - {query: red boots, judgments: {1: 3}}
        """
    )
    run = project.run()
    assert run.counts == {"failed": 3}
    assert (
        'results 1 and 2 have one id, "1", but not one _index: it is "articles" and "products"; if these are two '
        'documents, write id_field: "{_index}/{_id}" in the case file, and judge "articles/1"; if they are one, write '
        'id_field: "{_id}"' in " ".join(run.summary.split())
    )
    assert "collapse" not in run.text


def test_a_template_in_a_case_file(project: Project) -> None:
    project.conftest(TWO_INDEXES)
    project.cases(
        """
        id_field: "{_index}/{_id}"
        min_ndcg: 0.6
        cases:
          - query: boots
            judgments: {products/1: 3}
            expect: {first: articles/1, same_as: black boots}
        """
    )
    run = project.run("--relevance-record=run.jsonl", "--relevance-update")
    assert run.counts == {"passed": 1}
    result = run.results["boots"]
    assert result.ranking.documents == ("articles/1", "products/1")
    assert result.texts.titles["products/1"] == "Boots"
    accepted = Accepted(project.path / "shop.relevance.yaml.baseline.jsonl")
    assert accepted.rankings["boots", None] == ("articles/1", "products/1")


def test_a_list_of_fields_in_a_case(project: Project) -> None:
    project.conftest(TWO_INDEXES)
    project.cases(
        """
        cases:
          - query: boots
            id_field: [sku, title]
            expect: {first: How to lace boots}
        """
    )
    assert project.run().counts == {"passed": 1}


def test_a_template_in_a_test_in_python(project: Project) -> None:
    project.conftest(TWO_INDEXES)
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

        def test_two_ids(relevance):
            relevance.check("boots", [{"id": 2, "document_id": 7}], {2: 3})
        """,
    )
    run = project.run()
    assert run.outcomes == {
        "test_boots": "passed",
        "test_ids_of_other_types": "passed",
        "test_two_ids": "failed",
    }
    assert 'has two ids, id "2" and document_id "7"' in run.told("test_two_ids")


def test_two_judged_ids_of_a_hit(project: Project) -> None:
    project.search(
        'return lambda query: [{"_id": "b", "_source": {"id": "7"}}, {"_id": "7"}]'
    )
    project.cases(
        """
        cases:
          - {query: boots, judgments: {b: 3, c: 1}}
          - {query: black boots, judgments: {b: 0, 7: 3}}
        """
    )
    run = project.run()
    assert run.outcomes == {"boots": "passed", "black boots": "failed"}
    assert 'has two ids, _id "b" and _source.id "7"' in run.told("black boots")


def test_the_index_is_asked_for_joined_ids(project: Project) -> None:
    project.conftest(
        TWO_INDEXES
        + """
    @pytest.fixture
    def relevance_documents():
        names = {"products/1": "Boots", "products/2": "Red boots"}
        return lambda ids: {id: names[id] for id in ids if id in names}
"""
    )
    project.cases(
        """
        id_field: "{_index}/{_id}"
        min_ndcg: 0.9
        cases: [{query: boots, judgments: {products/2: 3, products/1: 1}}]
        """
    )
    run = project.run("--relevance-record=run.jsonl")
    assert run.results["boots"].texts.titles["products/2"] == "Red boots"
    lines = (project.path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert any("products/2" in json.dumps(json.loads(line)) for line in lines)


def test_a_catalogue_with_a_column_for_the_index(project: Project) -> None:
    project.conftest(TWO_INDEXES)
    project.write(
        "products.csv", "index,id,title\nproducts,1,Boots\nproducts,2,Red boots\n"
    )
    project.cases(
        """
        id_field: "{_index}/{_id}"
        documents: products.csv
        min_ndcg: 0.9
        cases: [{query: boots, judgments: {products/2: 3, products/1: 1}}]
        """
    )
    run = project.run("--relevance-record=run.jsonl")
    assert "products/2  Red boots" in run.text
    record = Run.open(project.path / "run.jsonl")
    assert record.results[0].texts.titles["products/2"] == "Red boots"
