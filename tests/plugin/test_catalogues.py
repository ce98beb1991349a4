"""The catalogue of a suite: reports, records and baselines name documents with the
titles that it has. How a catalogue is read is in `tests/results/documents`.
"""

import re
from pathlib import Path

import pytest

from tests.plugin.conftest import WORDS, Accepted, Command, Project
from tests.plugin.shop import BASELINE, UPDATE

RECORD = "--relevance-record=run.jsonl"
PRODUCTS = """\
id,title,brand
a,Winter boots,Aurora
b,Rubber boots,Borealis
c,Boot polish,
d,Rain jacket,Cirrus
"""
SUITE = """
    documents: products.csv
    min_ndcg: 0.9
    cases:
      - {query: c d x, judgments: {a: 3, b: 2, gone: 1, c: 0}, expect: {include: [a, x]}}
      - {query: a b, id: passes, judgments: {a: 3, b: 2}}
"""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the catalogues that were opened, once for each pass over a file."""
    found: list[str] = []
    read_bytes = Path.read_bytes

    def reading(path: Path) -> bytes:
        if path.name == "products.csv":
            found.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", reading)
    return found


@pytest.fixture
def shop(project: Project) -> Project:
    """A shop whose search returns the words of the query, and its catalogue."""
    project.conftest()
    project.write("products.csv", PRODUCTS)
    project.cases(SUITE)
    return project


def test_a_failure_names_the_documents_with_their_titles(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")  # pytest cuts no line of the short summary
    brief = shop.run("-q")
    named = '"a" (Winter boots, not returned)'
    assert brief.text.count(named) == 1
    run = shop.run()
    failure = run.failure("c d x")
    assert f"include: not in the top 10: {named}" in run.told("c d x")
    rows = [row[:5] for row in run.failure_rows("c d x")]
    assert ["1", "c", "Boot", "polish", "0"] in rows
    assert ["2", "d", "Rain", "jacket", "-"] in rows
    assert 'too high: c "Boot polish" (grade 0, rank 1)' in failure
    assert re.search(r"\n  a     Winter boots +grade 3   not returned  ", failure)
    assert re.search(
        r"\n  gone +grade 1   not returned, not in the catalogue  ", failure
    )
    assert "brand" not in failure


def test_all_documents_of_a_run_are_found_in_one_pass(
    shop: Project, passes: list[str]
) -> None:
    assert shop.run("-k", "passes").code == 0
    assert passes == []  # no document is named
    shop.run(RECORD, "--relevance-unjudged=list.csv", UPDATE, "-vv")
    assert passes == ["products.csv"]


def test_a_text_for_another_plugin_reads_no_catalogue(
    shop: Project, passes: list[str]
) -> None:
    text = shop.junit()["c d x"].findtext("failure") or ""
    assert "Boot polish" not in text
    assert passes == ["products.csv"]  # at the end of the run


def test_a_case_file_in_another_folder(project: Project) -> None:
    project.conftest()
    project.write("data/products.csv", PRODUCTS)
    suite = SUITE.replace("products.csv", "../data/products.csv")
    project.cases(suite, "suites/shop.relevance.yaml")
    rows = project.run("suites").failure_rows("c d x")
    assert ["1", "c", "Boot", "polish"] in [row[:4] for row in rows]


def test_a_record_has_the_titles_and_the_fields_of_the_catalogue(
    shop: Project, command: Command
) -> None:
    shop.cases(SUITE.replace("products.csv", "{file: products.csv, show: [brand]}"))
    shop.run(RECORD)
    failed, passed = shop.recorded().results
    boots = {"a": "Winter boots", "b": "Rubber boots"}
    assert failed.texts.titles == {**boots, "c": "Boot polish", "d": "Rain jacket"}
    brands = {"a": "Aurora", "b": "Borealis", "d": "Cirrus"}
    assert failed.texts.shown == {
        key: {"brand": brand} for key, brand in brands.items()
    }
    assert set(failed.texts.not_in_catalogue) == {"gone", "x"}
    assert passed.texts.titles == boots
    (shop.path / "products.csv").unlink()
    assert " 1 c Boot polish " in command("report", "run.jsonl").out


def test_the_catalogue_comes_before_the_result_and_that_before_judgment_and_baseline(
    project: Project,
) -> None:
    hit = "{'id': word, 'title': f'{word} of the search'}"
    titled = f"[{hit} for word in query.split()]"
    project.conftest(WORDS.replace("query.split()", titled))
    project.write("products.csv", "id,title\na,a of the catalogue\n")
    judgments = ", ".join(
        f"{name}: {{grade: 3, title: {name} of the judgment}}" for name in "abc"
    )
    suite = f"documents: products.csv\ncases: [{{query: QUERY, id: shoes, judgments: {{{judgments}}}}}]"
    project.cases(suite.replace("QUERY", "a b d"))
    project.run(UPDATE)
    project.cases(suite.replace("QUERY", "a b"))
    baseline = project.path / BASELINE
    text = baseline.read_text().replace('"query":"a b d"', '"query":"a b"')
    baseline.write_text(text)
    project.run(RECORD)
    (result,) = project.recorded().results
    assert result.texts.titles == {
        "a": "a of the catalogue",
        "b": "b of the search",
        "c": "c of the judgment",
        "d": "d of the search",
    }
    assert Accepted(baseline).titles["d"] == "d of the search"


def test_a_baseline_keeps_the_titles_of_its_documents(shop: Project) -> None:
    shop.run(UPDATE)
    titles = {
        "a": "Winter boots",
        "b": "Rubber boots",
        "c": "Boot polish",
        "d": "Rain jacket",
    }
    assert Accepted(shop.path / BASELINE).titles == titles
    shop.write("products.csv", PRODUCTS.replace("Rain jacket", "Rain coat"))
    run = shop.run(UPDATE)
    changed = f"baseline {BASELINE}: 1 title changed, 2 as they were"
    assert run.sentences("baseline") == [changed]
    assert Accepted(shop.path / BASELINE).titles["d"] == "Rain coat"
    nothing = f"baseline {BASELINE}: nothing changed"
    assert shop.run(UPDATE).sentences("baseline") == [nothing]


def test_a_catalogue_that_cannot_be_read_changes_no_verdict_and_is_told_once(
    shop: Project,
) -> None:
    expected = shop.run().outcomes
    shop.write("products.csv", PRODUCTS.replace("id,title", "sku,title"))
    run = shop.run("-v", "--junitxml=junit.xml", RECORD)
    assert run.outcomes == expected
    assert "too high: c (grade 0, rank 1)" in run.failure("c d x")
    (sentence,) = run.sentences("documents have no titles")
    assert "products.csv:1: there is no column" in sentence
    assert run.text.count("there is no column") == 1
