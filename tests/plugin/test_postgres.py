"""A search that returns an asynchronous cursor of psycopg, with a real PostgreSQL
server.
"""

import pytest

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
    run = project.run("--relevance-record=run.jsonl", loops=False)
    ranking, texts = run.results["boots"].ranking, run.results["boots"].texts
    assert list(ranking.documents) == ["b", "a"]
    assert list(ranking.engine_scores) == [1.5, 0.5]
    assert texts.titles == {"b": "Boots", "a": "Apron"}
