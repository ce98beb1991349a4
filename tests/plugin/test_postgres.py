"""A search that returns an asynchronous cursor of psycopg, with a real PostgreSQL
server.
"""

import pytest

from pytest_relevance import Run
from tests.plugin.conftest import Project

pytestmark = pytest.mark.engines

psycopg = pytest.importorskip("psycopg")


def test_an_asynchronous_cursor(project: Project, postgres: str) -> None:
    project.conftest(f"""
        import psycopg
        import pytest

        PRODUCTS = "values ('Apron', 0.5, 'a'), ('Boots', 1.5, 'b')) as products(title, score, id)"

        @pytest.fixture
        def search():
            async def search(query):
                async with await psycopg.AsyncConnection.connect({postgres!r}) as connection:
                    return await connection.execute(f"select title, score, id from ({{PRODUCTS}} order by score desc")
            return search
    """)
    project.cases("cases: [{query: boots, judgments: {b: 3}, min_ndcg: 1}]")
    assert project.run("--relevance-record=run.jsonl", loops=False).counts == {
        "passed": 1
    }
    (result,) = Run.open(project.path / "run.jsonl").results
    assert (result.ranking.documents, result.texts.titles) == (
        ("b", "a"),
        {"b": "Boots", "a": "Apron"},
    )
    assert result.ranking.engine_scores == (1.5, 0.5)
