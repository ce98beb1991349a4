"""The key `documents` of a suite: the catalogue that says what documents are called."""

import pytest

from pytest_relevance.cases.model import CatalogueFile
from tests.cases.conftest import Shop

ONE_CASE = "\ncases: [{query: boots, k: 5}]"


@pytest.mark.parametrize(
    ("written", "catalogue"),
    [
        ("products.csv", CatalogueFile("products.csv")),
        ("./data/../products.csv", CatalogueFile("./data/../products.csv")),
        ("{file: products.csv}", CatalogueFile("products.csv")),
        ("{file: products.csv, id: no, title: 007}", CatalogueFile("products.csv", "no", "007")),
        ("{file: products.csv, show: [brand, 1e5]}", CatalogueFile("products.csv", show=("brand", "1e5"))),
        ("{file: products.csv, url: link, image: pic}", CatalogueFile("products.csv", url="link", image="pic")),
    ],
)  # fmt: skip
def test_a_catalogue_is_that_of_every_case(
    shop: Shop, written: str, catalogue: CatalogueFile
) -> None:
    shop.write("data/x", "")
    shop.write("products.csv", "id,title\n")
    suite = shop.read(f"documents: {written}{ONE_CASE}")
    assert suite.terms.documents == catalogue
    assert suite.cases[0].terms.documents == catalogue


@pytest.mark.parametrize(
    ("written", "mistake"),
    {
        "{file: no/products.csv}": "shop.yaml:1:12: documents: there is no file no/products.csv; paths are relative",
        ".": "shop.yaml:1:12: documents: . is not a file",
        "": "shop.yaml:1:11: documents: expected the name of a file, or {file: ..., id: ..., title: ..., show: [...]",
        "{file: products.csv, titel: name}": 'unknown key "titel"; a file has file, id, title, show, url and im',
        "{file: products.csv, id: ''}": "documents.id: expected text, found nothing",
        "{file: products.csv, show: brand}": 'documents.show: expected a list of columns, found the text "brand"',
        "{file: products.csv, show: [a, a]}": 'documents.show[1]: "a" stands twice; keep one of them',
    }.items(),
)
def test_a_catalogue_that_is_not_there_or_not_understood(
    shop: Shop, written: str, mistake: str
) -> None:
    shop.write("products.csv", "id,title\n")
    (found,) = shop.mistakes(f"documents: {written}{ONE_CASE}")
    assert mistake in found
