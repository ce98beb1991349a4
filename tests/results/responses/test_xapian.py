"""What Xapian returns, read from a real index: its module comes with Debian's package
python3-xapian.
"""

import json
import sys
from importlib import import_module
from typing import Any

import pytest

from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

DEBIAN = "/usr/lib/python3/dist-packages"
"""Where Debian installs modules, for the Python of the same version."""


def installed() -> Any:
    """The module xapian, Debian's too where tests run in an environment; None where
    there is none for this Python.
    """
    sys.path.append(DEBIAN)
    try:
        return import_module("xapian")
    except ImportError:
        return None
    finally:
        sys.path.remove(DEBIAN)


xapian = installed()
pytestmark = (
    pytest.mark.engines
    if xapian
    else pytest.mark.skip("needs the module xapian of Debian's python3-xapian")
)


def mset(*documents: tuple[str, str]) -> Any:
    """What a search finds in an index of documents, given as the data and the id term
    of each; the last is the best.
    """
    database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
    for number, (data, term) in enumerate(documents, 1):
        document = xapian.Document()
        document.set_data(data)
        document.add_term("shoes", number)
        if term:
            document.add_boolean_term(term)
        database.add_document(document)
    enquire = xapian.Enquire(database)
    enquire.set_query(xapian.Query("shoes"))
    return enquire.get_mset(0, 10)


def test_documents_of_xapian_with_json_for_data() -> None:
    data = [
        json.dumps({"id": name, "title": title, "sku": name.upper()})
        for name, title in (("a", "A1"), ("b", "B1"))
    ]
    for found in (
        mset(*((text, "") for text in data)),
        mset((data[0], "Q7"), (data[1], "Q8")),
    ):
        ranking = read_ranking(found)
        assert (ranking.ids, ranking.titles) == (["b", "a"], ["B1", "A1"])
        assert ranking.scores == [item.weight for item in found]
        assert ids(list(found)) == ["b", "a"]
        assert ids([item.document for item in found]) == ["b", "a"]
        assert ids(found, "sku") == ["B", "A"]


@pytest.mark.parametrize(
    "documents",
    {
        "the term": [("", "Qa"), ("", "Qb")],
        "a text and the term": [("Blue shoes for\nwalking", "Qa"), ("Red shoes", "Qb")],
        "JSON without an id and the term": [
            ('{"title": "Apron"}', "Qa"),
            ('{"title": "Boots"}', "Qb"),
        ],
        "the data": [("a", ""), ("b", "")],
        "the data and the term, which agree": [("a", "Qa"), ("b", "Qb")],
    }.values(),
)
def test_documents_of_xapian_with_an_id_in_the_data_or_in_a_term(
    documents: list[tuple[str, str]],
) -> None:
    assert ids(mset(*documents)) == ["b", "a"]


def test_data_and_term_of_xapian_that_differ_are_both_shown_and_either_can_be_named() -> (
    None
):
    found = mset(("sku-1", "Q17"), ("sku-2", "Q18"))
    message = refusal(found)
    assert "only Q, data and score; name the field with id_field" in message
    assert "'sku-2'" in message
    assert "'18'" in message
    assert ids(found, "data") == ["sku-2", "sku-1"]
    assert ids(found, "Q") == ["18", "17"]


def test_the_internal_number_of_a_document_of_xapian_is_never_its_id() -> None:
    for data in ("", "Red shoes", "[1, 2]"):
        found = mset((data, ""))
        message = refusal(found)
        assert "is document 1 of Xapian, a number that is internal to" in message
        assert "store the id in the data (set_data), or as a term" in message
        assert "internal to the index" in refusal(list(found))
    assert ids(mset()) == []
