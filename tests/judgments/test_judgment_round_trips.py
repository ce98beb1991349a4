"""Judgments written in a format and read again are the same judgments, whatever the ids and texts look like."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import aggregate, read_judgments, read_queries
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.reading import load_queries
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.judgments.write.formats import WRITERS, renumbered, write_judgments, write_queries

READ_AS: Mapping[str, str] = {"quepid-json": "quepid"}
"""What a format is called where it is read, if not the same."""

NOTHING = "(?!)"
NOT_IN_IDS: Mapping[str, str] = {
    "trec": r"\s|^[#\ufeff]",
    "beir": r"\s|^[#\ufeff]",
    "ltr": r"^(?![0-9]+$)",
    "tsv": r"[\t\r\n]",
}
NOT_IN_DOCUMENTS = {"trec": r"\s", "beir": r"[\t\r\n]", "ltr": r"\s|^docid(=|$)", "tsv": r"[\t\r\n]"}
NOT_IN_TEXTS = {"ltr": r"^\s|\s$|[\t\r\n]", "tsv": r"[\t\r\n]"}
"""What ids and texts cannot have in a format; in all others they may have anything."""

LIKE_SOMETHING_ELSE = [
    *("007", "no", "1e5", "10020#0", "#1", "qid:3", "# qid:1: a*2", "=cmd|' /C calc'!A0", "+1", "-x", "@sum", "true"),
    *(" =a", "  -b", " a", "b ", '"', '"quoted"', '""', "it's", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\r\nb", "\ta"),
    *("query", "doc_id", "docid", "grade", "rating", "query_id", "q 0 d 1", "{}", '{"a": 1}', "[", "null", "NaN", "-"),
    *("\ufeffbom", "a\xa0b", "a\x85b", "a\u2028b", "naïve café", "靴 👟", "$query", "/a/b?c=d&e=f#g", "a*2", "a*2*3"),
]
NASTY = st.text(st.sampled_from(list("ab7 ,;|\t\n\r\"'#=+-@*:{}[]\\é👟\xa0\u2028.$")), min_size=1, max_size=6)
TEXTS = (st.sampled_from(LIKE_SOMETHING_ELSE) | NASTY | st.text(st.characters(exclude_categories=["Cs", "Cc"]))).filter(
    lambda text: bool(text.strip())
)
GRADES = st.integers(-2, 4) | st.sampled_from([0.5, -0.25, 2.75, 1e-7, 123456789.125]) | st.floats(-1e3, 1e3, width=32)
OF_A_QUERY = st.dictionaries(TEXTS, GRADES, min_size=1, max_size=4)


@st.composite
def judgments(draw: st.DrawFn) -> Judgments:
    """Judgments of a few queries, under their texts or under ids, with some titles."""
    texts = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    count = len(texts)
    keys = draw(st.none() | st.sampled_from([TEXTS, st.integers(1, 99).map(str)]))
    ids = texts if keys is None else draw(st.lists(keys, min_size=count, max_size=count, unique=True))
    grades = {key: draw(OF_A_QUERY) for key in ids}
    titles = {
        key: {document: draw(TEXTS) for document in documents if draw(st.booleans())}
        for key, documents in grades.items()
        if draw(st.booleans())
    }
    queries = {} if keys is None else {key: Query(key, text) for key, text in zip(ids, texts, strict=True)}
    return Judgments(grades, queries=queries, titles=titles)


def writable(given: Judgments, format: str) -> bool:
    """Whether a format can hold the ids and texts."""
    by_text = WRITERS[format].by_text
    documents = [document for of_query in given.values() for document in of_query]
    return not (
        any(re.search(NOT_IN_IDS.get(format, NOTHING), query) for query in given if not by_text)
        or any(re.search(NOT_IN_TEXTS.get(format, NOTHING), given.text(query)) for query in given)
        or any(re.search(NOT_IN_DOCUMENTS.get(format, NOTHING), document) for document in documents)
    )


def read_again(path: Path, written: bytes, format: str) -> Judgments:
    """What a file is when it is read as that format, which is the same as when nobody says what it is."""
    path.write_bytes(written)
    as_named = read_judgments(path, READ_AS.get(format, format))
    recognised = read_judgments(path)
    assert recognised == as_named
    assert recognised.queries == as_named.queries
    return as_named


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round-trips")


FORMATS = [name for name in WRITERS if name != "parquet" or importlib.util.find_spec("pyarrow") is not None]
"""The formats that can be written here. Each example is written in all of them: drawing it takes the most time."""


@given(given=judgments())
@settings(deadline=None, max_examples=50)
def test_every_judgment_is_kept_or_refused_by_name(folder: Path, given: Judgments) -> None:
    for format in FORMATS:
        if writable(given, format):
            check_kept(folder / format, format, given)
        else:
            with pytest.raises(ValueError, match=r'^query "|^\d+ (queries|documents) \(query "'):
                write_judgments(given, format)


def check_kept(path: Path, format: str, given: Judgments) -> None:
    """Check that judgments are in the file of a format with all that it holds."""
    again = read_again(path, write_judgments(given, format).data, format)
    holds, by_text = WRITERS[format].holds, WRITERS[format].by_text
    assert again == {given.text(query) if by_text else query: documents for query, documents in given.items()}
    if "texts" in holds:
        assert {again.text(query) for query in again} == {given.text(query) for query in given}
    if "titles" in holds and format != "ltr":
        assert again.titles == {
            query: {
                document: re.sub(r"[\t\r\n]+", " ", title) if format == "tsv" else title for document, title in of_query
            }
            for query, of_query in ((query, titles.items()) for query, titles in given.titles.items() if titles)
        }


@pytest.mark.parametrize("format", ["trec", "beir", "ltr"])
@given(given=judgments())
@settings(deadline=None, max_examples=50)
def test_new_ids_hold_every_query(folder: Path, format: str, given: Judgments) -> None:
    renewed, queries = renumbered(given, format)
    assert [query.text for query in queries] == [given.text(query) for query in given]
    assert list(renewed.values()) == list(given.values())
    assert len({query.id for query in queries}) == len(given)
    documents = [document for of_query in given.values() for document in of_query]
    if writable(renewed, format):
        assert read_again(folder / format, write_judgments(renewed, format).data, format) == renewed
    else:
        words = [*documents, *(text for text in map(renewed.text, renewed) if format == "ltr")]
        assert any(re.search(r"\s|^docid", word) for word in words)


NAMES = TEXTS.filter(lambda name: name == name.strip() and "qid:" not in name)  # a header with that looks like LTR's
RATERS = st.lists(NAMES, min_size=2, max_size=3, unique=True)
OF_A_DOCUMENT = st.dictionaries(st.integers(0, 2), st.integers(-1, 3), min_size=1)
"""The ratings of a document, by the numbers of the raters."""
RATINGS = st.dictionaries(TEXTS, st.dictionaries(TEXTS, OF_A_DOCUMENT, min_size=1, max_size=4), min_size=1, max_size=3)


@st.composite
def rated(draw: st.DrawFn) -> tuple[Judgments, str]:
    """Judgments that several raters made, and how their ratings were combined."""
    names, how, drawn = draw(RATERS), draw(st.sampled_from(sorted(AGGREGATES))), draw(RATINGS)
    ratings = {
        query: {
            document: {names[number % len(names)]: rating for number, rating in of_one.items()}
            for document, of_one in documents.items()
        }
        for query, documents in drawn.items()
    }
    grades = {
        query: {document: aggregate(list(of_one.values()), how) for document, of_one in documents.items()}
        for query, documents in ratings.items()
    }
    return Judgments(grades, ratings=ratings, raters=tuple(names)), how


@given(given=rated())
@settings(deadline=None, max_examples=50)
def test_every_rating_is_kept(folder: Path, given: tuple[Judgments, str]) -> None:
    judgments, how = given
    has_breaks = re.search(r"\\[trn]", repr((dict(judgments), judgments.raters))) is not None
    for format in FORMATS:
        if "raters" in WRITERS[format].holds and not (format == "tsv" and has_breaks):
            check_ratings(folder / format, format, judgments, how)


def check_ratings(path: Path, format: str, judgments: Judgments, how: str) -> None:
    """Check that the ratings are in the file of a format, or said to be lost."""
    written = write_judgments(judgments, format)
    path.write_bytes(written.data)
    again = read_judgments(path, raters=how)
    assert again == judgments
    if any("the ratings of" in sentence for sentence in written.lost):
        assert format == "quepid"  # names that are no columns
        assert not again.ratings
    else:
        assert again.ratings == judgments.ratings
        said = [sentence for sentence in written.lost if "where the file is read" in sentence]
        assert bool(said) == (read_judgments(path) != judgments)


LINES = TEXTS.filter(lambda text: not re.search(r"[\t\r\n]", text))


@st.composite
def described_queries(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[Query]:
    ids = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    weights = st.sampled_from([1, 1, 2.5, 4200])
    return [Query(key, draw(texts), draw(weights), note=draw(st.none() | texts)) for key in ids]


@pytest.mark.parametrize(("format", "texts"), [("tsv", LINES), ("csv", TEXTS), ("jsonl", TEXTS)])
@given(data=st.data())
@settings(deadline=None, max_examples=50)
def test_queries_are_read_again(folder: Path, format: str, texts: st.SearchStrategy[str], data: st.DataObject) -> None:
    queries = data.draw(described_queries(texts))
    path = folder / "queries"
    path.write_bytes(write_queries(queries, format).data)
    wanted = [replace(query, line=None) for query in queries]
    if format == "jsonl":
        wanted = [Query(query.id, query.text) for query in queries]
    assert [replace(query, line=None) for query in load_queries(path)] == wanted
    assert read_queries(path) == {query.id: query.text for query in queries}
