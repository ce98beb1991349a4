"""The catalogue of a suite: reports, records and baselines name documents with the
titles that it has.
"""

import json
import re
from pathlib import Path

import pytest

from pytest_relevance import Run
from pytest_relevance.cli import main
from tests.plugin.conftest import WORDS, Accepted, Project

PRODUCTS = """\
id,title,brand
a,Winter boots,Aurora
b,Rubber boots,Borealis
c,Boot polish,
d,Rain jacket,Cirrus
"""

SUITE = """
    documents: {documents}
    cases:
      - query: c d x
        min_ndcg: 0.9
        judgments: {{a: 3, b: 2, gone: 1, c: 0}}
        expect: {{include: [a, x]}}
      - query: a b
        id: passes
        min_ndcg: 0.9
        judgments: {{a: 3, b: 2}}
"""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the catalogues that were opened, once for each pass over a file."""
    found: list[str] = []

    def reading(path: Path) -> bytes:
        found.extend([path.name] * (path.name == "products.csv"))
        return read_bytes(path)

    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", reading)
    return found


@pytest.fixture
def shop(project: Project) -> Project:
    """A shop whose search returns the words of the query, and its catalogue."""
    project.conftest()
    project.write("products.csv", PRODUCTS)
    project.cases(SUITE.format(documents="products.csv"))
    return project


def test_a_failure_names_the_documents_with_their_titles(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")  # pytest cuts no line of the short summary
    brief = shop.run("-q", "-n1")
    assert '"a" (Winter boots, not returned)' in brief.short_summary[0]
    assert brief.text.count('"a" (Winter boots, not returned)') == 2
    failure = shop.run().failure("c d x")
    assert 'include: not in the top 10: "a" (Winter boots, not returned)' in " ".join(
        failure.split()
    )
    rows = [line.split()[:5] for line in failure.splitlines()]
    assert ["1", "c", "Boot", "polish", "0"] in rows
    assert ["2", "d", "Rain", "jacket", "-"] in rows
    assert 'too high: c "Boot polish" (grade 0, rank 1)' in failure
    assert re.search(
        r"^  a     Winter boots +grade 3   not returned  ", failure, re.MULTILINE
    )
    assert re.search(
        r"^  gone +grade 1   not returned, not in the catalogue  ",
        failure,
        re.MULTILINE,
    )
    assert "brand" not in failure


def test_all_documents_of_a_run_are_found_in_one_pass(
    shop: Project, passes: list[str]
) -> None:
    assert shop.run("-k", "passes").code == 0
    assert passes == []  # no document is named
    shop.run(
        "--relevance-record=run.jsonl",
        "--relevance-unjudged=list.csv",
        "--relevance-update",
        "-vv",
    )
    assert passes == ["products.csv"]


def test_a_case_file_in_another_folder(project: Project) -> None:
    project.conftest()
    project.write("data/products.csv", PRODUCTS)
    project.cases(
        SUITE.format(documents="../data/products.csv"), "suites/shop.relevance.yaml"
    )
    assert ["1", "c", "Boot", "polish"] in [
        row[:4] for row in project.run("suites").failure_rows("c d x")
    ]


def test_a_record_has_the_titles_and_the_fields_of_the_catalogue(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(SUITE.format(documents="{file: products.csv, show: [brand]}"))
    shop.run("--relevance-record=run.jsonl")
    failed, passed = Run.open(shop.path / "run.jsonl").results
    assert failed.texts.titles == {
        "a": "Winter boots",
        "b": "Rubber boots",
        "c": "Boot polish",
        "d": "Rain jacket",
    }
    assert failed.texts.shown == {
        "a": {"brand": "Aurora"},
        "b": {"brand": "Borealis"},
        "d": {"brand": "Cirrus"},
    }
    assert set(failed.texts.not_in_catalogue) == {"gone", "x"}
    assert passed.texts.titles == {"a": "Winter boots", "b": "Rubber boots"}
    shop.path.joinpath("products.csv").unlink()
    capsys.readouterr()
    assert main(["report", "run.jsonl"]) == 0
    assert re.search(r"^ +1  c +Boot polish ", capsys.readouterr().out, re.MULTILINE)


def test_the_catalogue_comes_before_the_result_and_that_before_judgment_and_baseline(
    project: Project,
) -> None:
    titled = (
        "[{'id': word, 'title': f'{word} of the search'} for word in query.split()]"
    )
    project.conftest(WORDS.replace("query.split()", titled))
    project.write("products.csv", "id,title\na,a of the catalogue\n")
    project.cases("""
        documents: products.csv
        cases:
          - query: a b d
            id: shoes
            judgments:
              a: {grade: 3, title: a of the judgment}
              b: {grade: 3, title: b of the judgment}
              c: {grade: 3, title: c of the judgment}
    """)
    project.run("--relevance-update")
    case_file = project.path / "shop.relevance.yaml"
    case_file.write_text(case_file.read_text().replace("query: a b d", "query: a b"))
    baseline = project.path / "shop.relevance.yaml.baseline.jsonl"
    baseline.write_text(
        baseline.read_text().replace('"query":"a b d"', '"query":"a b"')
    )
    project.run("--relevance-record=run.jsonl")
    (result,) = Run.open(project.path / "run.jsonl").results
    assert result.texts.titles == {
        "a": "a of the catalogue",
        "b": "b of the search",
        "c": "c of the judgment",
        "d": "d of the search",
    }
    assert json.loads(baseline.read_text().splitlines()[-2]) == {
        "document": "d",
        "title": "d of the search",
    }


def test_a_baseline_keeps_the_titles_of_its_documents(shop: Project) -> None:
    shop.run("--relevance-update")
    path = shop.path / "shop.relevance.yaml.baseline.jsonl"
    assert path.read_text().splitlines()[-5:] == [
        '{"document":"a","title":"Winter boots"}',
        '{"document":"b","title":"Rubber boots"}',
        '{"document":"c","title":"Boot polish"}',
        '{"document":"d","title":"Rain jacket"}',
        '{"end":true}',
    ]
    shop.write("products.csv", PRODUCTS.replace("Rain jacket", "Rain coat"))
    assert shop.run("--relevance-update").sentences("baseline") == [
        "baseline shop.relevance.yaml.baseline.jsonl: 1 title changed, 2 as they were"
    ]
    assert Accepted(path).titles["d"] == "Rain coat"
    assert shop.run("--relevance-update").sentences("baseline") == [
        "baseline shop.relevance.yaml.baseline.jsonl: nothing changed"
    ]


# Texts that are asked for before the end of the run


def test_a_text_for_another_plugin_reads_no_catalogue(
    shop: Project, passes: list[str]
) -> None:
    shop.cases(SUITE.format(documents="products.csv"))
    cases = shop.junit()
    assert "Boot polish" not in str(cases["c d x"].find("failure").text)  # type: ignore[union-attr]
    assert passes == ["products.csv"]  # at the end of the run


# What is wrong with a catalogue


def test_a_catalogue_that_cannot_be_read_changes_no_verdict_and_is_told_once(
    shop: Project,
) -> None:
    expected = shop.run().outcomes
    shop.write("products.csv", PRODUCTS.replace("id,title", "sku,title"))
    run = shop.run("-v", "--junitxml=junit.xml", "--relevance-record=run.jsonl")
    assert run.outcomes == expected
    assert "too high: c (grade 0, rank 1)" in run.failure("c d x")
    (sentence,) = run.sentences("documents have no titles")
    assert "products.csv:1: there is no column" in sentence
    assert run.text.count("there is no column") == 1


# A real shop
