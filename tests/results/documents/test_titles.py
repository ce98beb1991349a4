"""Titles for the results of a run: how often a catalogue is read, and for which documents."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance.results.documents.catalogue import RunTitles

PRODUCTS = "id,title\na,Winter boots\nb,Rubber boots\nd,Rain jacket\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, FileInfo]:
    """A case file with a catalogue of three products."""
    (tmp_path / "products.csv").write_text(PRODUCTS)
    path = str(tmp_path / "shop.relevance.yaml")
    return {"shop.relevance.yaml": FileInfo(path, documents={"file": "products.csv"})}


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were opened, once for each pass over one."""
    found: list[str] = []

    def opening(file: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(Path(file).name)
        return open_file(file, *args, **kwargs)

    open_file = builtins.open
    monkeypatch.setattr(builtins, "open", opening)
    return found


def result(number: int, *documents: str) -> CaseResult:
    return CaseResult("shop.relevance.yaml", 3, f"q{number}", "failed", documents=(*documents, f"x{number}"))


def test_a_small_catalogue_is_kept_from_the_first_early_text(files: dict[str, FileInfo], passes: list[str]) -> None:
    titles, results = RunTitles(), [result(number, "a", "d") for number in range(30)]
    for each in results:
        titles.add([each], files, is_over=False)
    titles.add(results, files, is_over=True)
    assert all(each.titles == {"a": "Winter boots", "d": "Rain jacket"} for each in results)
    assert passes == ["products.csv"]


def test_a_large_catalogue_is_read_for_the_first_the_tenth_and_the_hundredth_early_text(
    files: dict[str, FileInfo], passes: list[str]
) -> None:
    titles, results = RunTitles(most_kept=2), [result(number, "a", *["b"] * (number > 0)) for number in range(120)]
    named: list[dict[str, str]] = []
    read = set()
    for number, each in enumerate(results, 1):
        before = len(passes)
        titles.add([each], files, is_over=False)
        named.append(dict(each.titles))
        if len(passes) > before:
            read.add(number)
    assert read == {1, 10, 100}
    assert passes == ["products.csv"] * 4  # the first pass finds that the catalogue is too large to be kept
    assert named[:9] == [{"a": "Winter boots"}] * 9
    assert named[9:] == [{"a": "Winter boots", "b": "Rubber boots"}] * 111
    titles.add(results, files, is_over=True)
    assert len(passes) == 5
    assert all(each.titles["b"] == "Rubber boots" for each in results[1:])
    assert results[-1].not_in_catalogue == ("x119",)
