"""docs/howto/assistant.md: the fixture of each store finds passages with the real
library.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import Modules, Project, Run

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("modules")]

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "assistant.md"
FIXTURES = dict(
    re.findall(
        r"^([\w ,]+):\n\n```python\n(.*?)```",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)

TEXTS = [
    "You can send back anything unused within 30 days of delivery.",
    "Every product has a warranty of two years.",
    "Standard delivery costs 4.90 euros.",
    "Refunds arrive five working days later.",
]
CASES = """
    k: 2
    expect: {R@2: 1, RR: 1, characters@2: "<= 120"}
    cases:
      - {query: how can I send back anything, passages: [within 30 days of delivery]}
      - {query: how long is the warranty, passages: [a warranty of two years]}
"""
MY_ASSISTANT = f"""
import math
import re
import zlib

TEXTS = {TEXTS}


def encode(texts):
    '''One direction a word, so that texts with equal words are close to each other.'''
    vectors = []
    for text in texts:
        vector = [0.01] * 64
        for word in re.findall(r"\\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % 64] += 1.0
        length = math.hypot(*vector)
        vectors.append([value / length for value in vector])
    return vectors
"""


@pytest.fixture
def assistant(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with two questions and the module `my_assistant`, which is the working
    directory.
    """
    monkeypatch.chdir(project.path)
    project.pytester.syspathinsert()
    project.cases(CASES)
    project.write("my_assistant.py", MY_ASSISTANT)
    return project


def encode(texts: list[str]) -> list[list[float]]:
    """What `my_assistant.encode` returns."""
    module: dict[str, Any] = {}
    exec(MY_ASSISTANT, module)
    vectors: list[list[float]] = module["encode"](texts)
    return vectors


def run_fixture(project: Project, name: str, modules: Modules) -> Run:
    """Run the two questions with a fixture of the page."""
    project.conftest(FIXTURES[name])
    run = project.run(plugins=[modules])
    modules.restore()
    return run


def test_every_store_of_the_page_has_a_test() -> None:
    assert list(FIXTURES) == [
        "Chroma",
        "LanceDB",
        "pgvector",
        "LangChain",
        "LlamaIndex",
    ]


def test_chroma(assistant: Project, modules: Modules) -> None:
    chromadb = pytest.importorskip("chromadb")
    client = chromadb.PersistentClient("index")
    collection = client.create_collection("handbook", embedding_function=None)
    ids = [str(number) for number in range(len(TEXTS))]
    collection.add(ids=ids, documents=TEXTS, embeddings=encode(TEXTS))
    run = run_fixture(assistant, "Chroma", modules)
    assert run.counts == {"passed": 2}, run.text


def test_lancedb(assistant: Project, modules: Modules) -> None:
    lancedb = pytest.importorskip("lancedb")
    vectors = zip(TEXTS, encode(TEXTS), strict=True)
    rows = [{"text": text, "vector": vector} for text, vector in vectors]
    lancedb.connect("index").create_table("handbook", data=rows)
    run = run_fixture(assistant, "LanceDB", modules)
    assert run.counts == {"passed": 2}, run.text


DISTANCE = """
    create domain vector as float8[];
    create function distance(one float8[], other float8[]) returns float8 as
    $$ select -sum(a * b) from unnest(one, other) as pairs(a, b) $$ language sql;
    create operator <=> (leftarg = float8[], rightarg = float8[], function = distance);
    create table chunks (id int, text text, embedding vector);
"""
"""The type and the operator of pgvector that the fixture uses."""


def test_pgvector(
    assistant: Project, modules: Modules, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setenv(
        "ASSISTANT_DSN", f"{postgres} options='-c search_path=assistant'"
    )
    with psycopg.connect(postgres) as connection:
        connection.execute("create schema assistant")
        connection.execute("set search_path to assistant")
        connection.execute(DISTANCE)
        connection.cursor().executemany(
            "insert into chunks values (%s, %s, %s)",
            [
                (number, text, vector)
                for number, (text, vector) in enumerate(
                    zip(TEXTS, encode(TEXTS), strict=True)
                )
            ],
        )
    try:
        run = run_fixture(assistant, "pgvector", modules)
    finally:
        with psycopg.connect(postgres) as connection:
            connection.execute("drop schema assistant cascade")
    assert run.counts == {"passed": 2}, run.text


LANGCHAIN = """
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

class Words(Embeddings):
    def embed_documents(self, texts):
        return encode(texts)

    def embed_query(self, text):
        return encode([text])[0]

store = InMemoryVectorStore(Words())
store.add_texts(TEXTS)
"""


def test_langchain(assistant: Project, modules: Modules) -> None:
    pytest.importorskip("langchain_core")
    assistant.write("my_assistant.py", MY_ASSISTANT + LANGCHAIN)
    run = run_fixture(assistant, "LangChain", modules)
    assert run.counts == {"passed": 2}, run.text


LLAMA_INDEX = """
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode

class Words(BaseEmbedding):
    def _get_text_embedding(self, text):
        return encode([text])[0]

    def _get_query_embedding(self, query):
        return encode([query])[0]

    async def _aget_query_embedding(self, query):
        return encode([query])[0]

index = VectorStoreIndex([TextNode(text=text) for text in TEXTS], embed_model=Words())
"""


def test_llama_index(assistant: Project, modules: Modules) -> None:
    pytest.importorskip("llama_index.core")
    assistant.write("my_assistant.py", MY_ASSISTANT + LLAMA_INDEX)
    run = run_fixture(assistant, "LlamaIndex", modules)
    assert run.counts == {"passed": 2}, run.text
