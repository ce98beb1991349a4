"""The present version of records, baselines and worklists is read; another one is
refused and never written over.

`formats/` has a file of each, the suite they are of and its search.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Run, compare_runs, read_judgments
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.baseline_update import Update, update_baseline
from pytest_relevance.results.records.entries import BaselineEntries
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = Path(__file__).parent / "formats"
RECORD = FORMATS / "record-3.jsonl"
LATER_RECORD = FORMATS / "compared-3.jsonl"
BASELINE = FORMATS / "baseline-2.jsonl"

RANKINGS = {
    ("smart watch", "and"): ("sku-2", "sku-9", "sku-1"),
    ("smart watch", "or"): ("sku-1", "sku-2", "sku-3"),
    ("q2", "and"): ("sku-5", "sku-4"),
    ("q2", "or"): ("sku-4", "sku-5", "sku-6"),
    ("webcam", "and"): ("sku-7",),
    ("webcam", "or"): ("sku-8", "sku-7"),
    ("paper", "and"): (),
    ("paper", "or"): (),
}


def name_of(path: Path) -> str:
    return path.stem


def scored(run: Run) -> Run:
    return Run(
        [result for result in run.results if result.evaluation.scores],
        run.files,
        run.info,
    )


def test_a_record() -> None:
    run = Run.open(RECORD)
    assert {
        (result.id, result.variant): tuple(result.ranking.documents)
        for result in scored(run).results
    } == RANKINGS
    assert [result.verdict for result in run.results].count("failed") == 2
    assert run.info.fingerprint["index"] == "products-11"
    assert len(run.frame) == 10
    later = Run.open(LATER_RECORD)
    assert compare_runs(scored(run), scored(later), resamples=100).summary()
    lost = [
        result
        for result in later.results
        if result.baseline is not None and result.baseline.newly_failing
    ]
    assert [result.id for result in lost] == ["q2"]
    assert all(info.has_baseline for info in later.files.values())


@pytest.mark.parametrize("path", [RECORD, LATER_RECORD], ids=name_of)
def test_a_record_is_written_again_byte_for_byte(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    Run.open(path).write(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_baseline() -> None:
    found = read_baseline(BASELINE)
    assert {key: entry.documents for key, entry in found.items()} == RANKINGS
    assert found["smart watch", "or"].params == {"locale": "de_DE"}
    assert found["q2", "and"].query == "usb hub"
    assert (found.titles["sku-1"], found.fingerprint["documents"]) == (
        "Smart Watch 2",
        19406,
    )


def test_a_worklist() -> None:
    assert not any(
        read_judgments(FORMATS / "worklist.csv").values()
    )  # nobody has graded it yet


def test_a_baseline_is_written_again_byte_for_byte(tmp_path: Path) -> None:
    again = tmp_path / "baseline"
    write_baseline(again, read_baseline(BASELINE))
    assert again.read_bytes() == BASELINE.read_bytes()


def with_keys(path: Path, *places: Callable[[Any], Any]) -> list[Any]:
    """The lines of a file with a key `later` in some places, each of which is found in
    the list of all lines.
    """
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for place in places:
        place(lines)["later"] = {"a": [1]}
    return lines


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text(
        "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
    )
    return path


def test_keys_of_a_later_version_are_passed_over_in_a_record(tmp_path: Path) -> None:
    places = (
        lambda lines: lines[0]["run"],
        lambda lines: lines[0]["files"]["shop.relevance.yaml"],
        lambda lines: lines[1],
        lambda lines: lines[1]["ranking"],
        lambda lines: lines[1]["evaluation"]["reasons"][0],
    )
    path = write(tmp_path / "run.jsonl", with_keys(LATER_RECORD, *places))
    assert Run.open(path).results == Run.open(LATER_RECORD).results


def test_keys_of_a_later_version_are_passed_over_in_a_baseline(tmp_path: Path) -> None:
    places = (lambda lines: lines[0], lambda lines: lines[1], lambda lines: lines[-2])
    path = write(tmp_path / "baseline", with_keys(BASELINE, *places))
    assert read_baseline(path) == read_baseline(BASELINE)


@pytest.mark.parametrize("path", [RECORD, BASELINE], ids=name_of)
@pytest.mark.parametrize("version", [4, 1, 0, "2", True])
def test_another_version_is_refused_and_never_written_over(
    path: Path, version: object, tmp_path: Path
) -> None:
    lines = with_keys(path)
    lines[0]["version"] = version
    later = write(tmp_path / "later.jsonl", lines)
    before = later.read_bytes()
    with pytest.raises(
        RecordError,
        match=r"later\.jsonl:1: the file has version .* knows [23]; ",
    ):
        _ = (
            Run.open(later)
            if "record" in path.name
            else update_baseline(later, Update(BaselineEntries()))
        )
    assert later.read_bytes() == before
