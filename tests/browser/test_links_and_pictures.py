"""Links and pictures of documents, from the catalogue: on both sides, and nothing is
fetched unless it is asked for.
"""

import json
from pathlib import Path

import pytest

from pytest_relevance.cli import main
from tests.browser.conftest import Project
from tests.browser.reader import Reader

PRODUCTS = {
    "boot": {
        "title": "Boot",
        "link": "https://shop.example/boot",
        "picture": "http://127.0.0.1:9/boot.png",
    },
    "shoe": {
        "title": "Shoe",
        "link": "https://shop.example/shoe",
        "picture": "http://127.0.0.1:9/shoe.png",
    },
    "trap": {
        "title": "Trap",
        "link": "javascript:alert(1)",
        "picture": "data:image/png;base64,AAAA",
    },
}

SUITE = """\
documents: {file: products.jsonl, url: link, image: picture}
cases:
  - {query: boots, judgments: {boot: 3}, min_ndcg: 0.5}
"""


@pytest.fixture
def boots(tmp_path: Path) -> Project:
    """A shop that has lost the boot and returns a shoe now."""
    project = Project(tmp_path)
    lines = [json.dumps({"id": name, **product}) for name, product in PRODUCTS.items()]
    project.write("products.jsonl", "\n".join(lines) + "\n")
    project.write("boots.relevance.yaml", SUITE)
    project.search_returns({"boots": ["boot"]})
    project.pytest("--relevance-update", "--relevance-record=before.jsonl")
    project.search_returns({"boots": ["shoe", "trap"]})
    return project


def links(reader: Reader) -> dict[str, str]:
    """The addresses of the titles that are links, before and now."""
    found: dict[str, str] = reader.script(
        "return Object.fromEntries([...document.querySelectorAll('#case .title a')].map((a) => [a.innerText, a.href]))"
    )
    return found


def test_titles_are_links_on_both_sides_and_pictures_are_off(
    reader: Reader, boots: Project
) -> None:
    page = boots.report()
    reader.open(page, "#case=boots.relevance.yaml::boots")
    assert links(reader) == {
        "Boot": "https://shop.example/boot",
        "Shoe": "https://shop.example/shoe",
    }
    assert reader.script("return document.images.length") == 0
    assert "img-src" not in page.read_text(encoding="utf-8")
    assert "javascript:alert(1)" in reader.text('[data-document="trap"]')  # as text


def test_the_page_of_a_comparison_has_links_and_pictures_as_well(
    reader: Reader, boots: Project
) -> None:
    boots.pytest("--relevance-record=now.jsonl")
    before, now, page = (
        str(boots.path / name)
        for name in ("before.jsonl", "now.jsonl", "compared.html")
    )
    assert main(["compare", before, now, "-o", page, "--images", "link"]) == 0
    reader.open(Path(page), "#case=boots.relevance.yaml::boots")
    assert links(reader) == {
        "Boot": "https://shop.example/boot",
        "Shoe": "https://shop.example/shoe",
    }
    assert reader.script("return document.images.length") == 4
    reader.wait(lambda: "requested http://127.0.0.1:9/boot.png" in reader.complaints())
    reader.open(Path(page), "#show=worse")  # away from the pictures
    reader.complaints()


def test_pictures_are_loaded_only_when_asked_for_and_the_page_says_so(
    reader: Reader, boots: Project
) -> None:
    page = boots.report("--relevance-images=link")
    assert "; img-src http: https:; base-uri 'none'" in page.read_text(encoding="utf-8")
    reader.open(page)
    assert (
        "Pictures are loaded from the network, from their own addresses."
        in reader.everything
    )
    reader.open_query("boots")
    pictures = "return [...document.images].map((img) => [img.src, img.referrerPolicy])"
    of_shelf = of_ranking = [
        ["http://127.0.0.1:9/boot.png", "no-referrer"],
        ["http://127.0.0.1:9/shoe.png", "no-referrer"],
    ]
    assert reader.script(pictures) == [*of_shelf, *of_ranking]
    reader.wait(lambda: "requested http://127.0.0.1:9/boot.png" in reader.complaints())
    reader.open(
        page, "#show=worse"
    )  # away from the pictures, before the messages of the console are looked at
    reader.complaints()
