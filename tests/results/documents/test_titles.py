"""Titles for the results of a run: how often a catalogue is read, and for which documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance.results.documents import RunTitles
from tests.helpers import case_result

PRODUCTS = "id,title\na,Winter boots\nb,Rubber boots\nd,Rain jacket\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, FileInfo]:
    """A case file with a catalogue of three products."""
    (tmp_path / "products.csv").write_text(PRODUCTS)
    path = str(tmp_path / "shop.relevance.yaml")
    return {"shop.relevance.yaml": FileInfo(path, documents={"file": "products.csv"})}


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the catalogues that were read, once for each pass over one."""
    found: list[str] = []

    def reading(path: Path) -> bytes:
        found.extend([path.name] * (path.suffix == ".csv"))  # pytest reads modules so
        return read_bytes(path)

    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", reading)
    return found


def result(number: int, *documents: str) -> CaseResult:
    return case_result("shop.relevance.yaml", 3, f"q{number}", "failed", documents=(*documents, f"x{number}"))


def test_a_catalogue_is_read_once_for_all_results(files: dict[str, FileInfo], passes: list[str]) -> None:
    titles, results = RunTitles(), [result(number, "a", "d") for number in range(30)]
    for _ in range(2):
        results = titles.add(results, files)
    assert all(each.texts.titles == {"a": "Winter boots", "d": "Rain jacket"} for each in results)
    assert results[-1].texts.not_in_catalogue == ("x29",)
    assert passes == ["products.csv"]
    (later,) = titles.add([result(31, "b")], files)
    assert later.texts.titles == {"b": "Rubber boots"}
