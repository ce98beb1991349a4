"""Files that other tools exported."""

from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from tests.chorus import reference


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip."""
    return reference("data")


@pytest.mark.parametrize(
    ("file", "format", "queries", "judgments", "query", "document", "grade"),
    [
        ("quepid_case_basic.csv", "quepid", 137, 1679, "120v power supply", "1113221", 3),
        ("rre_solr.json", "rre", 5, 8, "Fender (strings=4)", "2", 3),
        ("elasticsearch_10_basic.json", "elasticsearch", 2, 4, "amsterdam_query", "doc3", 1),
        ("ltr_title_judgments.txt", "ltr", 40, 1390, "1", "7555", 4),
        ("ranx_qrels.trec.gz", "trec", 2, 5, "q1", "d3", 3),
    ],
)  # fmt: skip
def test_judgments(
    data: Path,
    file: str,
    format: str,
    queries: int,
    judgments: int,
    query: str,
    document: str,
    grade: int,
) -> None:
    found = read_judgments(data / "formats" / file, format)
    assert (len(found), sum(map(len, found.values()))) == (queries, judgments)
    assert found[query][document] == grade
    if format != "quepid":  # a CSV is recognised as such
        assert read_judgments(data / "formats" / file).format == format


@pytest.mark.parametrize(
    ("file", "key", "text"),
    [
        ("rre_elasticsearch.json", "Jazz Bass", "Jazz Bass"),
        ("elasticsearch_10_basic.json", "berlin_query", "berlin"),
        ("ltr_title_judgments.txt", "15", "star wars new hope"),
    ],
)
def test_queries(data: Path, file: str, key: str, text: str) -> None:
    assert read_queries(data / "formats" / file)[key] == text


def test_the_qrels_of_a_shop_are_its_table(data: Path) -> None:
    shop = data / "chorus"
    ids = {text: key for key, text in read_queries(shop / "queries.tsv").items()}
    table = read_judgments(shop / "Broad_Query_Set_rated.csv")
    by_id = {ids[text]: grades for text, grades in table.items()}
    assert by_id == read_judgments(shop / "qrels.txt")
