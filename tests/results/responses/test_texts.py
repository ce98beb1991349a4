"""The texts of results, for cases with passages."""

from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, uuid1, uuid4, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking

RETURNS = "You may return it within 30 days."
REFUNDS = "A refund takes five days."


def read(response: object, path: str | None = None, **options: Any) -> Ranking:
    return read_ranking(
        response, ReadOptions(reads_texts=True, text_field=path, **options)
    )


def texts(response: object, path: str | None = None) -> list[str]:
    return list(read(response, path).texts)


def refusal(response: object, path: str | None = None) -> str:
    with pytest.raises(UnreadableRanking) as caught:
        read(response, path)
    return str(caught.value)


# --- strings and rows -----------------------------------------------------------------

STRINGS = {
    "strings": [RETURNS, REFUNDS],
    "(text,) rows": [(RETURNS,), (REFUNDS,)],
    "(text, score) rows": [(RETURNS, 0.9), (REFUNDS, 0.5)],
    "(score, text) rows": [(0.9, RETURNS), (0.5, REFUNDS)],
    "(id, text) rows": [("a", RETURNS), ("b", REFUNDS)],
    "(integer, text) rows": [(1, RETURNS), (2, REFUNDS)],
    "(id, text, score) rows": [("a", RETURNS, 0.9), ("b", REFUNDS, 0.5)],
}


@pytest.mark.parametrize("response", STRINGS.values(), ids=STRINGS)
def test_a_string_is_a_text(response: object) -> None:
    assert texts(response) == [RETURNS, REFUNDS]


@given(st.lists(st.text().map(lambda text: f"{text} words")))
def test_any_texts_read_back_as_themselves(written: list[str]) -> None:
    """None is dropped, also if two are equal."""
    assert texts(written) == written
    assert texts([(text, 0.5) for text in written]) == written
    assert texts([{"text": text} for text in written]) == written
    assert len(read(written).ids) == len(written)


def test_the_id_and_the_score_beside_a_text() -> None:
    ranking = read([("a", RETURNS, 0.9), (7, REFUNDS, 0.5)])
    assert (ranking.ids, ranking.scores) == (["a", "7"], [0.9, 0.5])


def test_a_result_without_an_id() -> None:
    """Its id is the same for the same text, and its title is the first words."""
    ranking = read([RETURNS, {"text": REFUNDS, "title": "Refunds"}, RETURNS])
    assert ranking.ids == ["text-634f0638e5", "text-49fadf002b", "text-634f0638e5"]
    assert ranking.titles == [RETURNS, "Refunds", RETURNS]
    (title,) = read(["word " * 20]).titles
    assert title == "word word word word word word word word word word word..."


def test_a_generated_id() -> None:
    """The next index has another one. A UUID that is made of a name stays."""
    for generated in (uuid4(), uuid1()):
        ranking = read([{"id": str(generated), "text": RETURNS}, (generated, RETURNS)])
        assert ranking.ids == ["text-634f0638e5", "text-634f0638e5"]
    of_name = uuid5(NAMESPACE_URL, "https://example.com/terms")
    assert read([{"id": of_name, "text": RETURNS}]).ids == [str(of_name)]
    assert read([{"id": generated, "text": RETURNS}], id_field="id").ids == [
        str(generated)
    ]


def test_a_text_for_a_label_of_a_vector_index() -> None:
    ranking = read([1, 0], ids=lambda: [RETURNS, REFUNDS])
    assert ranking.texts == [REFUNDS, RETURNS]


def test_strings_that_look_like_ids() -> None:
    message = refusal(["sku-1", "https://example.com/sku-2"])
    assert message == (
        "search returned what looks like ids, 'sku-1' first, and the case has passages; return texts, or mappings with "
        "a text (and an id)"
    )


@pytest.mark.parametrize(
    "row", [(RETURNS, "terms.pdf"), (RETURNS, RETURNS + REFUNDS), ("退货期限", "条款")]
)
def test_rows_of_two_strings_that_may_both_be_the_text(row: object) -> None:
    message = refusal([row])
    assert "of which either may be the text; return (id, text) rows" in message


# --- fields ---------------------------------------------------------------------------


@dataclass
class Hit:
    """An object with a text."""

    content: str


class Node:
    """An object as LlamaIndex has it: its attribute `text` raises an exception."""

    def get_content(self) -> str:
        return RETURNS

    @property
    def text(self) -> str:
        raise ValueError("node is not a TextNode")


USUAL = {
    "page_content": {"page_content": RETURNS},
    "content": {"content": RETURNS},
    "text": {"text": RETURNS},
    "chunk": {"chunk": RETURNS, "chunk_id": "a"},
    "body": {"body": RETURNS},
    "document": {"document": RETURNS},
    "in a list, as Elasticsearch has it": {"fields": {"text": [RETURNS]}},
    "in the payload": {"id": 1, "payload": {"page_content": RETURNS, "metadata": {}}},
    "in the metadata": {"id": "a", "metadata": {"text": RETURNS}},
    "in a document of Typesense": {"document": {"id": "a", "body": RETURNS}},
    "of a hit, beside its highlight": {
        "_id": "a",
        "_source": {"text": RETURNS},
        "highlight": {"text": ["<em>return</em>"]},
        "inner_hits": {"text": {"hits": {"hits": []}}},
    },
    "twice the same": {"text": RETURNS, "metadata": {"content": RETURNS}},
    "beside the number of the chunk": {"chunk": 3, "text": RETURNS},
    "beside an empty one": {"content": "", "text": RETURNS},
    "a node of LlamaIndex as JSON": {"_node_content": f'{{"text": "{RETURNS}"}}'},
    "an object": Hit(RETURNS),
    "a method": Node(),
}


@pytest.mark.parametrize("result", USUAL.values(), ids=USUAL)
def test_the_usual_places_of_a_text(result: object) -> None:
    assert texts([result]) == [RETURNS]


def test_a_body_of_elasticsearch() -> None:
    hit = {
        "_id": "a",
        "_source": {"text": RETURNS, "title": "Terms"},
        "highlight": {"text": ["within <em>30 days</em>"]},
    }
    ranking = read({"hits": {"total": {"value": 1}, "hits": [hit]}})
    assert (ranking.texts, ranking.ids, ranking.titles) == ([RETURNS], ["a"], ["Terms"])


def test_text_field() -> None:
    result = {"text": "30 days", "metadata": {"window": RETURNS}}
    assert texts([result], "window") == [RETURNS]
    assert texts([result], "metadata.window") == [RETURNS]
    assert texts([result]) == ["30 days"]


WITHOUT_TEXT = {
    "no field": (
        {"id": "a", "path": "x.pdf"},
        "has no text (page_content, content, text, chunk, body or document), only id and path; name the field with "
        "text_field in the case file",
    ),
    "a field in another mapping": (
        {"entity": {"text": RETURNS}},
        "only entity.text; did you mean entity.text?; name the field with text_field in the case file",
    ),
    "an integer": (7, "has no text; return a text, or a mapping with a text (and an id)"),
    "a number": ({"chunk": 3}, "document), only chunk; name the field"),
    "None": ({"text": None}, 'has a field "text" that is None; return a text for each result'),
    "bytes": ({"content": b"30 days"}, "has a field \"content\" that is bytes, b'30 days'; return text: decode it"),
    "bytes alone": (b"30 days", "is bytes, b'30 days'; return text: decode it"),
    "parts": (
        {"content": [{"type": "text", "text": RETURNS}]},
        'has a field "content" that is a list of 1 part; return one text',
    ),
    "two texts": (
        {"content": "30 days", "metadata": {"text": RETURNS}},
        'has two texts, content "30 days" and metadata.text "You may return it within 30 days."; write text_field: '
        "content or text_field: metadata.text in the case file",
    ),
    "a row with something else": (("a", RETURNS, {}), "is not a (text, score), (id, text) or (id, text, score) row"),
}  # fmt: skip


@pytest.mark.parametrize(("result", "message"), WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
def test_a_result_without_a_text(result: object, message: str) -> None:
    refused = refusal([{"text": REFUNDS}, result])
    assert refused.startswith("result 2 of 2 ")
    assert message in refused


FIELDS = {
    "another name": (
        {"passage": RETURNS},
        "pasage",
        'has no text in the field "pasage", only passage; did you mean passage?; correct text_field in the case file',
    ),
    "None": (
        {"passage": None},
        "passage",
        'has a field "passage" that is None; return a text for each result',
    ),
    "a list": (
        {"passage": [RETURNS, REFUNDS]},
        "passage",
        'has a field "passage" that is a list of 2 parts; return one text',
    ),
}


@pytest.mark.parametrize(("result", "path", "message"), FIELDS.values(), ids=FIELDS)
def test_a_text_field_without_a_text(result: object, path: str, message: str) -> None:
    assert f"result 1 of 1 {message}" in refusal([result], path)


def test_texts_that_are_all_empty() -> None:
    assert texts([{"text": ""}, {"text": RETURNS}]) == ["", RETURNS]
    message = refusal([{"text": ""}, {"text": " "}])
    assert "search returned results whose texts are all empty" in message


# --- ids beside texts -----------------------------------------------------------------


def test_two_ids_matter_only_if_ids_are_needed() -> None:
    response = [{"id": "chunk-1", "document_id": "terms", "text": RETURNS}]
    assert read(response).ids == ["chunk-1"]
    assert read(response, id_field="document_id").ids == ["terms"]
    with pytest.raises(UnreadableRanking, match="has two ids"):
        read_ranking(response, ReadOptions(reads_texts=True, collapses=True))


def test_an_id_is_needed_if_the_suite_names_it() -> None:
    with pytest.raises(UnreadableRanking, match='has no field "source", only text'):
        read([{"text": RETURNS}], id_field="source")


# --- texts in a case that judges ids --------------------------------------------------

LONG = f"{RETURNS} Write to us first, and keep the proof of purchase. {REFUNDS}"
CJK = "商品交付后三十天内可以退货。" * 6


@pytest.mark.parametrize(
    "response",
    [[LONG, REFUNDS, LONG], [(LONG, 0.5)], [{"id": LONG}], [CJK]],
    ids=["strings", "rows", "mappings", "without spaces"],
)
def test_texts_in_a_case_that_judges_ids(response: object) -> None:
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking(response, ReadOptions(judged=["sku-1"]))
    assert "search returned texts in the place of ids, " in str(caught.value)
    assert str(caught.value).endswith(
        "return ids, or judge texts: write passages in the place of the judgments"
    )


@pytest.mark.parametrize(
    ("ids", "judged"),
    [
        ([LONG, "sku-1", "sku-2"], ["sku-1"]),
        ([LONG], []),
        ([LONG], [f"{LONG} And more."]),
        ([f"https://example.com/{'a-' * 50}"], ["sku-1"]),
        (
            ["The title of a page in an encyclopedia, longer than sixty characters"],
            ["a"],
        ),
    ],
    ids=["few", "no judgment", "judged texts", "URLs", "a title"],
)
def test_long_ids(ids: list[str], judged: list[str]) -> None:
    assert read_ranking(ids, ReadOptions(judged=judged)).ids == ids


def test_a_text_without_an_id_in_a_case_that_judges_ids() -> None:
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking([{"text": RETURNS}], ReadOptions(judged=["sku-1"]))
    assert (
        "only text; name the field with id_field in the case file, or judge texts: write passages in the place of "
        "judgments of ids"
    ) in str(caught.value)
