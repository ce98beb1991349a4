"""Expectations on the response in a run: the bodies of four engines, clients, batches,
hooks, reports and records.

What a path means is in `tests/results/responses/test_response_values.py`, what a
condition means in `tests/expectations/test_response.py`.
"""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import Command, Modules, Project

SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}

ELASTICSEARCH: dict[str, Any] = {
    "took": 5,
    "timed_out": False,
    "_shards": SHARDS,
    "hits": {
        "total": {"value": 10000, "relation": "gte"},
        "max_score": 1.5,
        "hits": [
            {
                "_index": "shop",
                "_id": "b1",
                "_score": 1.5,
                "_source": {"title": "Boots"},
            }
        ],
    },
    "aggregations": {
        "colors": {
            "doc_count_error_upper_bound": 0,
            "sum_other_doc_count": 0,
            "buckets": [
                {"key": "red", "doc_count": 12},
                {"key": "blue", "doc_count": 3},
            ],
        },
        "red": {"doc_count": 12},
    },
    "suggest": {
        "spelling": [
            {
                "text": "bots",
                "offset": 0,
                "length": 4,
                "options": [{"text": "boots", "score": 0.75}],
            }
        ],
        "of_brands": [{"text": "bots", "offset": 0, "length": 4, "options": []}],
    },
}

SOLR: dict[str, Any] = {
    "responseHeader": {"status": 0, "QTime": 3, "params": {"q": "bots"}},
    "response": {
        "numFound": 12,
        "start": 0,
        "numFoundExact": True,
        "docs": [{"id": "b1", "title": "Boots"}],
    },
    "facet_counts": {
        "facet_queries": {},
        "facet_fields": {"color": {"red": 12, "blue": 3}},
        "facet_ranges": {},
        "facet_intervals": {},
        "facet_heatmaps": {},
    },
    "spellcheck": {
        "suggestions": {
            "bots": {
                "numFound": 1,
                "startOffset": 0,
                "endOffset": 4,
                "origFreq": 0,
                "suggestion": [{"word": "boots", "freq": 12}],
            }
        },
        "correctlySpelled": False,
        "collations": {
            "collation": {
                "collationQuery": "boots",
                "hits": 12,
                "misspellingsAndCorrections": {"bots": "boots"},
            }
        },
    },
    "querqy_decorations": ["REDIRECT /boots"],
}
"""With the parameter `json.nl=map`."""

MEILISEARCH: dict[str, Any] = {
    "hits": [{"id": "b1", "title": "Boots"}],
    "query": "bots",
    "processingTimeMs": 2,
    "limit": 20,
    "offset": 0,
    "estimatedTotalHits": 12,
    "facetDistribution": {"color": {"red": 12}, "variants.size": {"42.5": 2}},
    "facetStats": {"price": {"min": 20, "max": 180.5}},
}

TYPESENSE: dict[str, Any] = {
    "facet_counts": [
        {
            "counts": [
                {"count": 12, "highlighted": "red", "value": "red"},
                {"count": 3, "highlighted": "blue", "value": "blue"},
            ],
            "field_name": "color",
            "sampled": False,
            "stats": {"total_values": 2},
        }
    ],
    "found": 12,
    "hits": [
        {
            "document": {"id": "b1", "title": "Boots"},
            "highlight": {},
            "highlights": [],
            "text_match": 578730054645710969,
        }
    ],
    "metadata": {"redirect": "/boots"},
    "out_of": 1040,
    "page": 1,
    "request_params": {"collection_name": "shop", "per_page": 10, "q": "bots"},
    "search_cutoff": False,
    "search_time_ms": 1,
}


def serve(
    project: Project,
    body: object,
    returned: str = "copy.deepcopy(BODY)",
    module: str = "copy",
) -> None:
    """Write a search that returns a body, or what an expression makes of it."""
    project.conftest(f"""
    import {module}
    import pytest

    BODY = {body!r}

    @pytest.fixture(scope="session")
    def search():
        return lambda query, **params: {returned}
    """)


def expecting(**response: object) -> str:
    """A case file with one case that expects this of the response."""
    case = {"query": "bots", "expect": {"response": response}}
    return json.dumps({"cases": [case]})


# --- engines --------------------------------------------------------------------------


PAGE = Path(__file__).parents[2] / "docs" / "howto" / "engines.md"
EXAMPLES = PAGE.read_text(encoding="utf-8").partition("## What the response says")[2]
FACETS = re.findall(r"```python\n(.*?)```", EXAMPLES, re.DOTALL)[0]
OF_THE_PAGE = dict(
    re.findall(
        r"^\*\*(\w+)\*\*.*?```yaml\n(.*?)```", EXAMPLES, re.MULTILINE | re.DOTALL
    )
)
BODIES = {
    "Elasticsearch": ELASTICSEARCH,
    "Solr": SOLR,
    "Meilisearch": MEILISEARCH,
    "Typesense": TYPESENSE,
}


def test_the_examples_of_the_page_on_engines(project: Project) -> None:
    assert [*OF_THE_PAGE] == [*BODIES]  # every engine has an example
    for engine, cases in OF_THE_PAGE.items():
        body = BODIES[engine]
        returned = "with_facets(BODY)" if engine == "Typesense" else "BODY"
        search = f"{FACETS}\n@pytest.fixture\ndef search():\n    return lambda query: {returned}\n"
        project.write(
            f"{engine}/conftest.py", f"import pytest\nBODY = {body!r}\n{search}"
        )
        project.cases(cases, f"{engine}/shop.relevance.yaml")
    assert project.run().counts == {"passed": len(BODIES)}


CLIENTS = {
    "elasticsearch-py": ("elastic_transport", "elastic_transport.ObjectApiResponse(body=BODY, meta=object())"),
    "its dsl": ("elasticsearch.dsl", "elasticsearch.dsl.response.Response(elasticsearch.dsl.Search(), BODY)"),
    "pysolr": ("pysolr", "pysolr.Results(BODY)"),
}  # fmt: skip
"""A module of each client, and how it makes a response object of a body."""


@pytest.mark.engines
@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(("module", "returned"), CLIENTS.values(), ids=CLIENTS)
def test_the_response_object_of_a_client_has_the_paths_of_its_body(
    project: Project, modules: Modules, module: str, returned: str
) -> None:
    pytest.importorskip(module)
    engine = "Solr" if module == "pysolr" else "Elasticsearch"
    serve(project, BODIES[engine], returned, module=module)
    project.cases(OF_THE_PAGE[engine])
    assert project.run(plugins=[modules]).counts == {"passed": 1}


# --- records, reports, replays --------------------------------------------------------

TOTAL = """
    import pytest

    @pytest.fixture
    def search():
        return lambda query: {"hits": [{"id": "b1"}], "total": 41, "redirect": "/sale"}
"""
RECORD = "--relevance-record=run.jsonl"


def test_a_record_keeps_what_was_looked_at(project: Project) -> None:
    serve(project, {**MEILISEARCH, "long": "x" * 1000, "many": [1] * 1000})
    response = {"estimatedTotalHits": 12, "query": "boots", "redirect": None}
    project.cases(expecting(**response, long={"contains": "x"}, many=1))
    project.run(RECORD)
    (result,) = project.recorded().results
    assert result.ranking.response == {
        "estimatedTotalHits": 12,
        "query": "bots",
        "redirect": None,
    }
    (outcome,) = result.evaluation.outcomes
    assert outcome.values == (("query", "bots"),)


def test_a_replay_judges_the_recorded_values_and_no_other_path(
    project: Project,
) -> None:
    project.conftest(TOTAL)
    project.cases(expecting(total=1))
    project.run(RECORD)
    project.cases("""
    cases:
      - {query: bots, id: met, expect: {response: {total: ">= 40"}}}
      - {query: bots, id: missed, expect: {response: {total: ">= 50"}}}
      - {query: bots, id: other path, expect: {response: {total: 41, redirect: null}}}
    """)
    replay = project.run("--noconftest", "--relevance-replay=run.jsonl")
    outcomes = {"met": "passed", "missed": "failed", "other path": "failed"}
    assert replay.outcomes == outcomes
    why = (
        'the case looks at "redirect" of the response, which run.jsonl does not have: '
    )
    assert why in replay.told("other path")


def test_every_report_says_what_was_found(project: Project, command: Command) -> None:
    project.conftest(TOTAL)
    project.cases(expecting(total=">= 100"))
    project.run(RECORD)
    for format_ in ("text", "markdown", "html"):
        printed = command("report", "run.jsonl", f"--format={format_}").out
        text = unescape(printed.replace("\\u003e", ">"))
        assert "response: total = 41, expected >= 100" in text, format_
    as_json = command("report", "run.jsonl", "--format=json").out
    assert '"total",41' in re.sub(r"\s", "", as_json)


# --- where the response comes from ----------------------------------------------------


def test_fields_of_results_are_others_than_those_of_the_response(
    project: Project,
) -> None:
    serve(project, MEILISEARCH)
    project.cases("""
    expect: {every: {title: Boots}, response: {estimatedTotalHits: 12}}
    cases:
      - {query: bots}
      - {query: shoes, expect: {every: {title: Shoes}}}
      - {query: caps, expect: {response: {title: Boots}}}
    """)
    run = project.run()
    assert run.outcomes == {"bots": "passed", "shoes": "failed", "caps": "failed"}
    assert 'title = "Boots"' in run.told("shoes")
    assert run.results["caps"].verdict == "error"
    assert 'response: the response has no "title": it has "hits", ' in run.told("caps")


def test_suggestions_without_hits_are_a_response(project: Project) -> None:
    body = {
        **ELASTICSEARCH,
        "hits": {"total": {"value": 0, "relation": "eq"}, "hits": []},
        "aggregations": {},
    }
    serve(project, body)
    correction = {"suggest.spelling.0.options.0.text": "boots"}
    project.cases(expecting(**correction, **{"hits.total.value": 0}))
    assert project.run().counts == {"passed": 1}


def test_the_response_is_what_the_search_returned_before_any_hook(
    project: Project,
) -> None:
    project.conftest("""
    import pytest

    @pytest.fixture
    def search():
        return lambda query: {"answer": {"ids": ["b1"], "total": 41}}

    def pytest_relevance_ranking(response, case):
        return response.pop("answer")["ids"]
    """)
    project.cases(expecting(**{"answer.total": 41}))
    assert project.run().counts == {"passed": 1}


BATCH = """
    import asyncio
    import pytest

    TOTALS = {"boots": 12, "bots": 0, "shoes": 40}

    def body(query):
        return {"hits": [{"id": query}], "total": TOTALS[query]}

    class Search:
        def many(self, queries):
            return [body(query) for query in queries]

    @pytest.fixture(scope="session")
    def search():
        return Search()
"""
COROUTINE = """
    import pytest

    @pytest.fixture(scope="session")
    def search():
        async def search(query):
            return {"hits": [{"id": query}], "total": {"boots": 12, "bots": 0, "shoes": 40}[query]}
        return search
"""
SEVERAL = """
    expect: {response: {total: ">= 10"}}
    cases:
      - query: boots
      - query: bots
      - {query: shoes, expect: {response: {total: 40}}}
"""


@pytest.mark.parametrize(
    ("search", "option"),
    [
        (BATCH, "--relevance-concurrency=1"),
        (COROUTINE, "--relevance-concurrency=3"),
    ],
    ids=["batch", "several at once"],
)
def test_each_case_has_its_own_response(
    project: Project, search: str, option: str
) -> None:
    project.conftest(search)
    project.cases(SEVERAL)
    run = project.run(option)
    assert run.outcomes == {"boots": "passed", "bots": "failed", "shoes": "passed"}
    assert "response: total = 0, expected >= 10" in run.told("bots")


def test_variants_have_their_own_responses(project: Project) -> None:
    project.conftest("""
    import pytest

    @pytest.fixture(params=["bm25", "vectors"])
    def search(request):
        total = {"bm25": 12, "vectors": 9}[request.param]
        return lambda query: {"hits": [{"id": "b1"}], "total": total}
    """)
    project.cases(expecting(total=">= 10"))
    run = project.run("--relevance-record=run.jsonl")
    assert run.counts == {"passed": 1, "failed": 1}
    verdicts = {each.variant: each.verdict for each in project.recorded().results}
    assert verdicts == {"bm25": "passed", "vectors": "failed"}


def test_the_first_of_several_calls_is_judged(project: Project) -> None:
    project.conftest("""
    import itertools
    import pytest

    @pytest.fixture
    def search():
        totals = itertools.count(12)
        return lambda query: {"hits": [{"id": "b1"}], "total": next(totals)}
    """)
    project.cases(expecting(total=12))
    assert project.run("--relevance-repeat=3").counts == {"passed": 1}


def test_a_case_replaces_what_the_suite_expects_or_takes_it_away(
    project: Project,
) -> None:
    serve(project, MEILISEARCH)
    project.cases("""
    expect: {response: {estimatedTotalHits: 1, redirect: null}}
    cases:
      - query: suite
      - {query: own, expect: {response: {estimatedTotalHits: 12}}}
      - {query: none, expect: {response: null, results: 1}}
    """)
    run = project.run()
    assert run.outcomes == {"suite": "failed", "own": "passed", "none": "passed"}


def test_a_check_in_python_looks_at_what_it_is_given(project: Project) -> None:
    project.conftest("")
    project.write(
        "test_shop.py",
        f"""
BODY = {MEILISEARCH!r}

def test_total(relevance):
    relevance.check("bots", BODY, expect={{"response": {{"estimatedTotalHits": 12}}}})

def test_hits_alone(relevance):
    relevance.check("bots", BODY["hits"], expect={{"response": {{"estimatedTotalHits": 12}}}})
""",
    )
    run = project.run()
    assert run.counts == {"passed": 1, "failed": 1}
    assert "let the search return the whole response of the engine" in run.text
