"""docs/howto/engines.md: every fixture runs with the real library, and returns ids,
titles and scores.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.local_server import Answer, serving
from tests.plugin import playback
from tests.plugin.conftest import Modules, Project, Run
from tests.plugin.playback import FOUND, PRODUCTS, TITLES

pytestmark = pytest.mark.usefixtures("modules")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "engines.md").read_text(encoding="utf-8")
SECTIONS = dict(
    re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
)
WITHOUT_FIXTURE = ("What the response says", "My search hangs")
for section in WITHOUT_FIXTURE:
    del SECTIONS[section]
BLOCKS = {
    name: re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for name, text in SECTIONS.items()
}
FIXTURES = {
    name: [block for block in blocks if "def search(" in block]
    for name, blocks in BLOCKS.items()
}

CASES = """
    k: 3
    min_ndcg: 0.9
    cases:
      - query: smart watch
        judgments: {w1: 3, w2: 3, strap1: 1}
      - query: blue shoes
        judgments: {shoe1: 3, shoe2: 3, polish1: 1}
"""

MY_SHOP = f"""
import re
import zlib

import numpy

PRODUCTS = {PRODUCTS}


def encode(texts):
    '''One direction a word, so that texts with equal words are close to each other.'''
    if isinstance(texts, str):
        return encode([texts])[0]
    vectors = numpy.zeros((len(texts), 256), dtype="float32")
    for vector, text in zip(vectors, texts):
        for word in re.findall(r"\\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % 256] += 1
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)
"""

ROWS = [
    (product["id"], product["title"], product["description"]) for product in PRODUCTS
]


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with two cases and the module `my_shop`, which is the working
    directory.
    """
    monkeypatch.chdir(project.path)
    project.pytester.syspathinsert()
    project.cases(CASES)
    project.write("my_shop.py", MY_SHOP)
    return project


RunExample = Callable[..., Run]
BEST_TWO = {"smart watch": ["w2", "w1"], "blue shoes": ["shoe1", "shoe2"]}


@pytest.fixture
def run_example(
    shop: Project, modules: Modules, request: pytest.FixtureRequest
) -> RunExample:
    """Run the two cases with the fixture of a section, at once; every title and score
    is in the results.
    """

    def run_example(
        section: str, *options: str, number: int = 0, passed: int = 2
    ) -> Run:
        shop.conftest(FIXTURES[section][number])
        run = shop.run(
            "-vv",
            f"--relevance-concurrency={getattr(request, 'param', 4)}",
            *options,
            plugins=[modules],
        )
        modules.restore()
        assert run.counts.get("passed") == passed, run.text
        assert has_titles(run)
        assert has_scores(run)
        return run

    return run_example


one_by_one_and_at_once = pytest.mark.parametrize("run_example", [1, 4], indirect=True)
"""A search of this process, and one of a server: where others are called from one
thread, it makes no difference.
"""


def rankings(run: Run, top: int | None = None) -> dict[str, list[str]]:
    """What was returned for each query."""
    return {
        name: [*result.ranking.documents[:top]] for name, result in run.results.items()
    }


def has_titles(run: Run) -> bool:
    """Whether every document that was returned is called what the shop calls it."""
    return all(
        result.texts.titles[document] == TITLES[document]
        for result in run.results.values()
        for document in result.ranking.documents
    )


def has_scores(run: Run) -> bool:
    """Whether every document that was returned has a score of the engine's, in order:
    distances rise.
    """
    for result in run.results.values():
        scores = [score for score in result.ranking.engine_scores if score is not None]
        if len(scores) != len(result.ranking.documents):
            return False
        if scores not in (sorted(scores), sorted(scores, reverse=True)):
            return False
    return True


# --- the page -------------------------------------------------------------------------


def test_every_section_has_a_fixture_and_a_row_of_the_table() -> None:
    assert [name for name, blocks in FIXTURES.items() if len(blocks) != 1] == [
        "An HTTP service"
    ]
    links = re.findall(r"^\| \[.*?\]\(#(.*?)\)", PAGE, re.MULTILINE)
    assert links == [name.lower().replace(" ", "-") for name in SECTIONS]


# --- libraries ------------------------------------------------------------------------


@one_by_one_and_at_once
def test_sqlite(shop: Project, run_example: RunExample) -> None:
    database = sqlite3.connect("shop.db")
    columns = "id unindexed, title, description"
    database.execute(f"create virtual table products using fts5({columns})")
    database.executemany("insert into products values (?, ?, ?)", ROWS)
    database.commit()
    database.close()
    assert rankings(run_example("SQLite")) == {
        "smart watch": ["w1", "w2", "strap1"],
        "blue shoes": ["shoe1", "shoe2"],
    }


@pytest.mark.engines
def test_postgresql(
    run_example: RunExample, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    psycopg = pytest.importorskip("psycopg")
    pytest.importorskip("psycopg_pool")
    columns = "id text, title text, description text, words tsvector"
    values = "%s, %s, %s, to_tsvector('english', %s)"
    with psycopg.connect(postgres) as connection:
        connection.execute(f"create table products ({columns})")
        connection.cursor().executemany(
            f"insert into products values ({values})",
            [(*row, f"{row[1]} {row[2]}") for row in ROWS],
        )
    monkeypatch.setenv("SHOP_DSN", postgres)
    try:
        run = run_example("PostgreSQL")
    finally:
        with psycopg.connect(postgres) as connection:
            connection.execute("drop table products")
    assert rankings(run) == {
        "smart watch": ["w1", "w2"],
        "blue shoes": ["shoe1", "shoe2"],
    }


@pytest.mark.engines
def test_tantivy(shop: Project, run_example: RunExample) -> None:
    tantivy = pytest.importorskip("tantivy")
    schema = tantivy.SchemaBuilder().add_text_field(
        "id", stored=True, tokenizer_name="raw"
    )
    schema = schema.add_text_field("title", stored=True).add_text_field("description")
    (shop.path / "shop.tantivy").mkdir()
    index = tantivy.Index(schema.build(), path="shop.tantivy")
    writer = index.writer(num_threads=1)
    for product in PRODUCTS:
        writer.add_document(tantivy.Document(**product))
    writer.commit()
    writer.wait_merging_threads()
    run = run_example("tantivy")
    assert rankings(run) == {
        "smart watch": ["w2", "w1", "strap1"],
        "blue shoes": ["shoe1", "shoe2"],
    }


@pytest.mark.engines
def test_duckdb(
    shop: Project, run_example: RunExample, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("duckdb_extension_fts")
    monkeypatch.setenv("HOME", str(shop.path))  # where DuckDB keeps its extensions
    exec(BLOCKS["DuckDB"][1], {})
    with duckdb.connect("shop.duckdb") as database:
        database.load_extension("fts")
        database.execute(
            "create table products (id text, title text, description text)"
        )
        database.executemany("insert into products values (?, ?, ?)", ROWS)
        database.execute(
            "pragma create_fts_index('products', 'id', 'title', 'description')"
        )
    run = run_example("DuckDB")
    assert rankings(run) == {
        "smart watch": ["w2", "w1", "strap1"],
        "blue shoes": ["shoe1", "shoe2", "polish1"],
    }


@pytest.mark.engines
def test_qdrant(shop: Project, run_example: RunExample) -> None:
    pytest.importorskip("qdrant_client")
    shop.cases("    id_field: sku" + CASES)
    run = run_example("Qdrant")
    assert rankings(run, 2) == BEST_TWO


@pytest.mark.engines
@pytest.mark.parametrize(
    ("library", "section"),
    [("chromadb", "Chroma"), ("faiss", "faiss and an encoder")],
)
def test_an_index_that_the_fixture_fills(
    run_example: RunExample, library: str, section: str
) -> None:
    pytest.importorskip(library)
    assert rankings(run_example(section), 2) == BEST_TWO


@pytest.mark.engines
def test_lancedb(shop: Project, run_example: RunExample) -> None:
    lancedb = pytest.importorskip("lancedb")
    my_shop: Any = {}
    exec(MY_SHOP, my_shop)
    rows = [
        {"id": name, "title": title, "vector": my_shop["encode"](title)}
        for name, title, _ in ROWS
    ]
    lancedb.connect("shop.lancedb").create_table("products", data=rows)
    run = run_example("LanceDB")
    assert rankings(run, 2) == BEST_TWO


# --- servers --------------------------------------------------------------------------

Served = Callable[[Answer, str], list[str]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Start a server whose address is in an environment variable; gives the list of
    paths that it was asked for.
    """
    with ExitStack() as servers:

        def served(answer: Answer, variable: str) -> list[str]:
            address, paths = servers.enter_context(serving(answer))
            monkeypatch.setenv(variable, address)
            return paths

        yield served


@pytest.mark.engines
@pytest.mark.parametrize(
    ("library", "section", "answer", "variable", "asked"),
    [
        ("elasticsearch", "Elasticsearch", playback.elasticsearch, "ELASTICSEARCH_URL", ["/_msearch"]),
        ("opensearchpy", "OpenSearch", playback.elasticsearch, "OPENSEARCH_URL", ["/_msearch"]),
        ("pysolr", "Solr", playback.solr, "SOLR_URL", ["/select/"] * 2),
    ],
)  # fmt: skip
def test_a_client_of_a_server(
    run_example: RunExample,
    served: Served,
    library: str,
    section: str,
    answer: Answer,
    variable: str,
    asked: list[str],
) -> None:
    pytest.importorskip(library)
    paths = served(answer, variable)
    assert rankings(run_example(section)) == FOUND
    assert paths == asked


@pytest.mark.engines
def test_one_query_that_msearch_could_not_run(
    run_example: RunExample, served: Served
) -> None:
    pytest.importorskip("elasticsearch")

    def answer(
        path: str, parameters: Mapping[str, Sequence[str]], documents: Any
    ) -> Any:
        body = playback.elasticsearch(path, parameters, documents)
        error = {"type": "search_phase_execution_exception"}
        body["responses"][1] = {"error": error, "status": 400}
        return body

    served(answer, "ELASTICSEARCH_URL")
    run = run_example("Elasticsearch", passed=1)
    assert run.outcomes == {"smart watch": "passed", "blue shoes": "failed"}
    assert "search_phase_execution_exception" in run.failure("blue shoes")


@pytest.mark.engines
@one_by_one_and_at_once
@pytest.mark.usefixtures("with_and_without_loops")
def test_an_http_service(run_example: RunExample, served: Served) -> None:
    pytest.importorskip("httpx")
    paths = served(playback.service, "SEARCH_URL")
    run = run_example("An HTTP service")
    assert rankings(run) == FOUND
    assert paths == ["/search"] * 2


@pytest.mark.engines
@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_an_http_service_under_pytest_asyncio(
    run_example: RunExample, served: Served, mode: str
) -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("pytest_asyncio")
    paths = served(playback.service, "SEARCH_URL")
    run = run_example("An HTTP service", f"--asyncio-mode={mode}", number=1)
    assert run.counts == {"passed": 2}
    assert rankings(run) == FOUND
    assert paths == ["/search"] * 2


@pytest.mark.engines
def test_the_plain_http_fixture_cannot_close_its_client_in_auto_mode(
    shop: Project, served: Served
) -> None:
    """All cases pass, and the teardown fails. It has its own process, as connections
    stay open.
    """
    pytest.importorskip("httpx")
    pytest.importorskip("pytest_asyncio")
    served(playback.service, "SEARCH_URL")
    shop.conftest(FIXTURES["An HTTP service"][0])
    run = shop.run_apart("--asyncio-mode=auto", loops=True)
    assert run.counts == {"passed": 2, "errors": 1}
    assert "RuntimeError: Event loop is closed" in run.text
