"""docs/howto/hybrid.md: the fixtures for engines run with the real clients, against a
server that plays the engine.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.local_server import Answer, serving
from tests.plugin.conftest import Modules, Project, Run
from tests.plugin.playback import FOUND, TITLES

pytestmark = [pytest.mark.usefixtures("modules"), pytest.mark.engines]

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "hybrid.md").read_text(
    encoding="utf-8"
)
FIXTURES = dict(
    re.findall(r"^### ([^\n]*)\n\n```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
)
"""The `conftest.py` of each engine, by its heading."""

CASES = """
    cases:
      - query: smart watch
        judgments: {w1: 3, w2: 2, strap1: 1}
      - query: blue shoes
        judgments: {shoe1: 3, shoe2: 2, polish1: 1}
"""
SEARCH = f"    min_ndcg: 0.9{CASES}"
CANDIDATES = f"    search: candidates\n    expect: {{R@50: 1}}{CASES}"

Rows = list[tuple[str, float]]
"""The documents that an engine finds, with their scores."""


def rows(query: str, size: int, *, is_reranked: bool) -> Rows:
    """What the engine finds: a fusion has the best document last."""
    documents = FOUND[query][:size] if is_reranked else FOUND[query][::-1][:size]
    return [(document, 3.0 - rank) for rank, document in enumerate(documents)]


def hits(found: Rows) -> dict[str, Any]:
    """The body of Elasticsearch and OpenSearch."""
    return {
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": len(found), "relation": "eq"},
            "hits": [
                {"_id": each, "_score": score, "_source": {"title": TITLES[each]}}
                for each, score in found
            ],
        },
    }


Parameters = Mapping[str, Sequence[str]]


def retrievers(path: str, parameters: Parameters, documents: Any) -> Any:
    """Retrievers of Elasticsearch."""
    (body,) = documents
    retriever = body["retriever"]
    reranker = retriever.get("text_similarity_reranker")
    fusion = reranker["retriever"]["rrf"] if reranker else retriever["rrf"]
    words, _ = fusion["retrievers"]
    query = words["standard"]["query"]["multi_match"]["query"]
    assert reranker is None or reranker["inference_text"] == query
    assert fusion["rank_window_size"] >= body["size"]
    return hits(rows(query, body["size"], is_reranked=reranker is not None))


def esql(path: str, parameters: Parameters, documents: Any) -> Any:
    """ES|QL of Elasticsearch."""
    assert path == "/_query"
    (body,) = documents
    found = rows(body["params"][0]["query"], 50, is_reranked="RERANK" in body["query"])
    names = {"_id": "keyword", "title": "text", "_score": "double"}
    return {
        "took": 9,
        "is_partial": False,
        "columns": [{"name": name, "type": names[name]} for name in names],
        "values": [[each, TITLES[each], score] for each, score in found],
    }


def opensearch(path: str, parameters: Parameters, documents: Any) -> Any:
    """A hybrid query of OpenSearch, and two search pipelines."""
    (body,) = documents
    (pipeline,) = parameters["search_pipeline"]
    words, meaning = body["query"]["hybrid"]["queries"]
    query = words["multi_match"]["query"]
    assert meaning["neural"]["vector"]["query_text"] == query
    is_reranked = pipeline == "fused-reranked"
    assert ("ext" in body) is is_reranked
    return hits(rows(query, body["size"], is_reranked=is_reranked))


def azure(path: str, parameters: Parameters, documents: Any) -> Any:
    """Azure AI Search, whose semantic ranker adds a score."""
    (body,) = documents
    is_reranked = body.get("queryType") == "semantic"
    assert body["vectorQueries"][0]["text"] == body["search"]
    found = rows(body["search"], body["top"], is_reranked=is_reranked)
    value = []
    for rank, (document, score) in enumerate(found):
        hit = {"id": document, "title": TITLES[document], "@search.score": score}
        if is_reranked:
            hit |= {"@search.score": 1 + rank, "@search.rerankerScore": score}
        value.append(hit)
    return {"value": value}


def vespa(path: str, parameters: Parameters, documents: Any) -> Any:
    """Vespa's query API."""
    (body,) = documents
    is_reranked = body["ranking.profile"] == "reranked"
    found = rows(body["query"], body["hits"], is_reranked=is_reranked)
    children = [
        {"id": each, "relevance": score, "fields": {"title": TITLES[each]}}
        for each, score in found
    ]
    fields = {"totalCount": len(found)}
    return {
        "root": {"coverage": {"full": True}, "fields": fields, "children": children}
    }


ENGINES: dict[str, tuple[str, Answer, str]] = {
    "Elasticsearch: retrievers": ("elasticsearch", retrievers, "ELASTICSEARCH_URL"),
    r"Elasticsearch: ES|QL": ("elasticsearch", esql, "ELASTICSEARCH_URL"),
    "OpenSearch: hybrid query": ("opensearchpy", opensearch, "OPENSEARCH_URL"),
    "Azure AI Search": ("azure.search.documents", azure, "AZURE_SEARCH_URL"),
    "Vespa": ("httpx", vespa, "VESPA_URL"),
}
"""By heading: the library, what plays its engine, and the variable with the address."""


def test_every_section_has_a_fixture_and_a_server() -> None:
    assert [*FIXTURES] == [*ENGINES]


@pytest.mark.parametrize("section", ENGINES)
def test_a_search_and_its_candidates(
    section: str, project: Project, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, answer, variable = ENGINES[section]
    pytest.importorskip(library)
    monkeypatch.setenv("OPENSEARCH_MODEL", "m")
    monkeypatch.setenv("AZURE_SEARCH_KEY", "k")
    project.conftest(FIXTURES[section])
    project.cases(SEARCH, name="search.relevance.yaml")
    project.cases(CANDIDATES, name="candidates.relevance.yaml")
    with serving(answer) as (address, _):
        monkeypatch.setenv(variable, address)
        search = project.run("-vv", "search.relevance.yaml", plugins=[modules])
        modules.restore()
        candidates = project.run("-vv", "candidates.relevance.yaml", plugins=[modules])
        modules.restore()
    assert search.counts == candidates.counts == {"passed": 2}, search.text
    assert found_by(search) == FOUND
    assert found_by(candidates) == {query: each[::-1] for query, each in FOUND.items()}


def found_by(run: Run) -> dict[str, list[str]]:
    """What was returned for each query, with its titles and with falling scores."""
    found = {}
    for query, result in run.results.items():
        documents = [*result.ranking.documents]
        assert [result.texts.titles[each] for each in documents] == [
            TITLES[each] for each in documents
        ]
        assert [*result.ranking.engine_scores] == [3.0, 2.0, 1.0]
        found[query] = documents
    return found
