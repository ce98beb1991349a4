"""The HTML report as a file: what it may load, how its data are embedded, and that text
of users stays text.
"""

import base64
import gzip
import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, Run
from pytest_relevance.ext.html.embedding import COMPRESSED_FROM, embedded, json_text
from pytest_relevance.ext.html.page import html_page
from tests.helpers import page_text, page_values, result_of

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> $title ${data} &amp; \u202eabc\x1b[31m"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts and
    styles.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inline: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag
        if tag in self.inline:
            self.inline[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.inline:
            self.inline[self._inside][-1] += data


def hostile_result() -> CaseResult:
    """A failing case that has markup wherever a user can write."""
    documents = [f"{HOSTILE}{number}" for number in range(3)]
    keys = {
        "query": HOSTILE,
        "id": "id </script>",
        "note": HOSTILE,
        "tags": ["a<b"],
        "params": {"filter": HOSTILE},
        "min_ndcg": 0.9,
        "judgments": {documents[0]: 3, documents[2]: {"grade": 0, "note": HOSTILE}},
    }
    ranking = [
        {"id": document, "title": f"<b>{document}</b>"}
        for document in reversed(documents)
    ]
    return result_of(keys, ranking, file="a&b<c>.relevance.yaml", line=3)


def page_of(*results: CaseResult, name: str = "run.jsonl") -> str:
    return html_page(Run(results, name=name))


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_own_style_and_script_and_nothing_else() -> None:
    elements = Elements(page_of(hostile_result()))
    policies = [each for _, each in elements.found if "http-equiv" in each]
    assert [each["http-equiv"] for each in policies] == ["Content-Security-Policy"]
    policy = policies[0]["content"]
    data, script = elements.inline["script"]
    (style,) = elements.inline["style"]
    assert json.loads(data)["cases"]
    own = f"style-src {digest(style)}; script-src {digest(script)}"
    assert policy == f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def test_the_style_and_the_script_stand_as_they_are_written() -> None:
    """No file is left out, none is changed."""
    elements = Elements(page_of())
    folder = files("pytest_relevance.ext.html")
    shared = files("pytest_relevance.reports.html") / "page.css"
    scripts = [
        each for each in (folder / "script").iterdir() if each.name[-3:] == ".js"
    ]
    styles = [each for each in folder.iterdir() if each.name.endswith(".css")]
    assert len(scripts) >= 8
    for script in scripts:
        assert script.read_text("utf-8") in elements.inline["script"][1]
    for style in (*styles, shared):
        assert style.read_text("utf-8") in elements.inline["style"][0]


def test_markup_of_users_is_text_in_the_static_part() -> None:
    page = page_of(hostile_result(), name=f"{HOSTILE}.jsonl")
    shown = HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
    text = page_text(page)
    assert {shown, "id </script>"} <= {*text.splitlines()}
    assert "a&b<c>.relevance.yaml" in text.splitlines()
    assert f"<b>{shown}0</b>" in text  # the title of the document that is lost
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert page.count("<script") == page.count("</script") == 2
    assert [tag for tag, _ in Elements(page).found].count("tr") == 2


def test_markup_of_users_is_text_in_the_data() -> None:
    page = page_of(hostile_result())
    (case,) = page_values(page)["cases"]
    assert case["query"] == case["note"] == case["params"]["filter"] == HOSTILE
    assert case["documents"] == [f"{HOSTILE}{number}" for number in (2, 1, 0)]
    assert "<" not in Elements(page).inline["script"][0]


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans() | st.none(),
        lambda each: st.lists(each, max_size=3),
    )
)
def test_embedded_data_are_read_back_and_end_no_element(data: object) -> None:
    encoding, text = embedded([json_text(data)])
    assert encoding == "json"
    assert text.isascii()
    assert "<" not in text
    assert json.loads(text) == data


def test_half_a_surrogate_pair_can_be_written() -> None:
    """The response of an engine may have one, in an id or in a title."""
    ranking = [{"id": "x\ud83d", "title": "\udc00 title"}]
    result = result_of({"query": "a", "judgments": {"x": 3}}, ranking)
    page = page_of(result, name="\udcff.jsonl")
    assert page.encode("utf-8").decode("utf-8") == page
    (case,) = page_values(page)["cases"]
    assert case["documents"] == ["x\ud83d"]
    assert case["titles"] == {"x\ud83d": "\udc00 title"}


def test_what_json_does_not_have_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text([float("nan")])
    ranking = [("y", float("inf")), ("x", 0.5), ("z", float("-inf"))]
    result = result_of({"query": "a", "judgments": {"x": 3}}, ranking)
    (case,) = page_values(page_of(result))["cases"]
    assert case["scores"] == [None, 0.5, None]


@pytest.mark.parametrize(
    ("length", "encoding"), [(COMPRESSED_FROM - 1, "json"), (COMPRESSED_FROM, "gzip")]
)
def test_data_are_compressed_from_one_megabyte_on(length: int, encoding: str) -> None:
    data = "x" * (length - 2)  # and two quotation marks
    found, text = embedded([json_text(data)])
    assert found == encoding
    plain = text
    if encoding == "gzip":
        plain = gzip.decompress(base64.b64decode(text)).decode()
    assert json.loads(plain) == data


def test_the_same_data_are_the_same_text_whenever_they_are_written() -> None:
    parts = ["x" * 1000] * (COMPRESSED_FROM // 1000)
    assert embedded(parts) == embedded(parts)


def test_the_title_is_the_sentence_and_the_name() -> None:
    page = page_of(result_of({"query": "a"}, ["x"]), name="main.jsonl")
    titles = re.findall("<title>(.*)</title>", page)
    assert titles == ["1 case is measured: nothing is expected of it - main.jsonl"]


def test_nothing_is_loaded_from_anywhere() -> None:
    elements = Elements(page_of(hostile_result()))
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"link", "img", "iframe", "object", "base", "form"}
    names = {name for _, each in elements.found for name in each}
    assert not names & {"src", "style"}
    assert not [name for name in names if name.startswith("on")]
    addresses = [each["href"] or "" for _, each in elements.found if "href" in each]
    assert all(address.startswith("#") for address in addresses)
