"""Text of users that could do something in a page: it is shown as text, runs nothing
and asks for nothing.
"""

import json
from pathlib import Path

import pytest

from tests.browser.conftest import Project
from tests.browser.reader import Reader
from tests.helpers import is_harmless

BIDI = "\u202egpj.exe\u2066"
HOSTILE = {
    "markup": "<img src=x onerror=document.title='owned'><svg/onload=document.title='owned'>",
    "end of script": "</script><script>document.title='owned'</script>",
    "end of style": "</style></title></noscript></textarea><script>document.title='owned'</script>",
    "comment": "<!--<script>",
    "template": "${document.title='owned'} $style $script {{constructor}} &lt;b&gt; &amp;amp;",
    "quotes": "\"' onmouseover=\"document.title='owned'\" `",
    "bidi": f"invoice {BIDI}",
    "long": "W" * 3_000,
    "emoji": "\U0001f469\u200d\U0001f52c \U0001f1e9\U0001f1ea \u2764\ufe0f",
    "right to left": "\u05e0\u05e2\u05dc\u05d9 \u05e8\u05d9\u05e6\u05d4 / \u0623\u062d\u0630\u064a\u0629 123",
    "lines": "one\u2028two\u2029three\ttab",
    "invisible": "\x01\x9b\u200b\ufeff\u00ad\ue000\U000e0041",
    "prototype": "__proto__",
    "constructor": "constructor",
}
"""Queries, titles and ids, by a name."""

SHOWN = {
    **HOSTILE,
    "bidi": r"invoice \u202egpj.exe\u2066",
    "lines": r"one\u2028two\u2029three\ttab",
    "invisible": r"\x01\x9b\u200b\ufeff\xad\ue000\U000e0041",
}
"""The same as the page shows them."""

FIELDS = {
    "script": "javascript:document.title='owned'",
    "mixed case": "JaVaScRiPt:document.title='owned'",
    "data": "data:text/html,<script>document.title='owned'</script>",
    "file": "file:///etc/passwd",
    "web": "https://shop.example/p/1?a=1&b=2",
    "markup": "https://shop.example/<b>",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a suite in which everything is hostile: queries, ids, titles,
    notes, tags, fields, params.
    """
    project = Project(tmp_path_factory.mktemp("hostile"))
    cases = [
        {
            "query": text,
            "id": f"the {name}",
            "note": text,
            "min_ndcg": 0.9,
            "judgments": {"good": {"grade": 3, "title": text, "note": text}},
            "params": {"param": text},
        }
        for name, text in HOSTILE.items()
    ]
    documents = [{"id": "fields", "title": "Fields", **FIELDS}]
    project.write(
        "documents.jsonl", "".join(f"{json.dumps(each)}\n" for each in documents)
    )
    suite = {
        "documents": {"file": "documents.jsonl", "show": [*FIELDS]},
        "k": 20,
        "cases": cases,
    }
    project.write(
        "hostile.relevance.yaml", escaped(json.dumps(suite, ensure_ascii=False))
    )
    others = [{"id": text} for text in HOSTILE.values()]
    project.search_returns(
        {text: [*others, {"id": "good"}] for text in HOSTILE.values()}
    )
    project.pytest("--relevance-update")
    project.search_returns(
        {
            text: [{"id": "fields"}, *others[::-1], {"id": "good"}]
            for text in HOSTILE.values()
        }
    )
    return project.report()


def escaped(text: str) -> str:
    """Text with escapes for the invisible characters that YAML does not take as they
    are.
    """
    return "".join(
        each if each.isprintable() or each in "\n\u200d" else f"\\U{ord(each):08x}"
        for each in text
    )


def test_is_shown_as_text(reader: Reader, hostile: Path) -> None:
    reader.open(hostile)
    title = reader.driver.title
    for name, text in SHOWN.items():
        reader.click(f'#list tr[data-case$="::the {name}"] a.query')
        assert reader.opened == text
        titles = reader.texts("#case [data-document] .title")
        assert (
            titles.count(text) == 2
        )  # the result that has no title but this id, and the one that has this title
        assert len(titles) == len(HOSTILE) + 2
        assert text in reader.everything
        reader.press("3", "1", "u")
        assert reader.driver.title == f"{' '.join(text.split())} - {title}"
        assert (
            reader.script(
                "return document.querySelectorAll('img, iframe, object, embed, form').length"
            )
            == 0
        )
        assert reader.script("return document.scripts.length") == 2
        reader.driver.back()


_SHOWN_ATTRIBUTES = """
    const names = ["title", "aria-label", "placeholder"];
    const attributes = [...document.querySelectorAll("*")].flatMap((element) =>
        names.map((name) => element.getAttribute(name)).filter((value) => value !== null));
    return [...attributes, ...[...document.querySelectorAll("svg title")].map((title) => title.textContent)];
"""


@pytest.mark.parametrize("name", ["bidi", "lines", "invisible"])
def test_no_attribute_has_characters_that_reorder_or_hide_text(
    reader: Reader, hostile: Path, name: str
) -> None:
    reader.open(hostile)
    shown = reader.script(_SHOWN_ATTRIBUTES)
    reader.click(f'#list tr[data-case$="::the {name}"] a.query')
    shown += reader.script(_SHOWN_ATTRIBUTES)
    assert [text for text in shown if not is_harmless(text)] == []
    assert any(SHOWN[name] in text for text in shown)


def test_the_first_screen_shows_text_too(reader: Reader, hostile: Path) -> None:
    reader.open(hostile, scripts=False)
    rows = reader.driver.find_elements("css selector", "#list tbody th")
    assert rows
    for row in rows:
        name = next(name for name in HOSTILE if row.text.endswith(f"the {name}"))
        assert row.text.split() == f"{SHOWN[name]} the {name}".split()


def test_only_web_addresses_are_links(reader: Reader, hostile: Path) -> None:
    reader.open(hostile)
    reader.click('#list tr[data-case$="::the markup"] a.query')
    links = reader.script(
        "return [...document.querySelectorAll('#case .result .field a')].map((link) => link.href)"
    )
    assert links == ["https://shop.example/p/1?a=1&b=2", "https://shop.example/%3Cb%3E"]
    assert all(
        text in reader.text('#case [data-document="fields"]')
        for text in FIELDS.values()
    )


def test_long_text_is_not_wider_than_the_window(reader: Reader, hostile: Path) -> None:
    reader.resize(400, 900)
    reader.open(hostile)
    assert reader.script("return document.documentElement.scrollWidth") == 400
    reader.click('#list tr[data-case$="::the long"] a.query')
    assert reader.script("return document.documentElement.scrollWidth") == 400


def test_grades_of_hostile_documents_are_downloaded(
    reader: Reader, hostile: Path
) -> None:
    reader.open(hostile)
    reader.click('#list tr[data-case$="::the prototype"] a.query')
    reader.click('[data-document="__proto__"] button[data-grade="3"]')
    lines = reader.download().read_text(encoding="utf-8")
    assert "the prototype,__proto__,__proto__,,3,,0." in lines
