"""Every version of records, baselines and worklists is read, what is not known is kept, and a later one is refused.

`formats/` has files of each version that there was, the suite they are of and its search.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Run, compare_runs, read_judgments
from pytest_relevance.results.records.baseline import (
    BaselineEntries,
    BaselineEntry,
    read_baseline,
    update_baseline,
)
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = Path(__file__).parent / "formats"
RECORDS = sorted(FORMATS.glob("record-*.jsonl"))
BASELINES = sorted(FORMATS.glob("baseline-*.jsonl"))
PRESENT = 2

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


def version_of(path: Path) -> object:
    return json.loads(path.read_text().splitlines()[0])["version"]


def scored(run: Run) -> Run:
    return Run(
        [result for result in run.results if result.evaluation.scores],
        run.files,
        run.info,
    )


def test_there_are_files_of_every_version() -> None:
    versions = [str(version) for version in range(1, PRESENT + 1)]
    for paths in (RECORDS, BASELINES):
        assert [path.stem.rpartition("-")[2] for path in paths] == versions
        assert [str(version_of(path)) for path in paths] == versions


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_records(path: Path) -> None:
    run = Run.open(path)
    assert {
        (result.id, result.variant): tuple(result.ranking.documents)
        for result in scored(run).results
    } == RANKINGS
    assert [result.verdict for result in run.results].count("failed") == 2
    assert run.info.fingerprint["index"] == "products-11"
    assert len(run.frame) == 10
    later = Run.open(path.with_name(path.name.replace("record", "compared")))
    assert compare_runs(scored(run), scored(later), resamples=100).summary()
    lost = [
        result
        for result in later.results
        if result.baseline is not None and result.baseline.newly_failing
    ]
    assert [result.id for result in lost] == ["q2"]
    assert all(info.has_baseline for info in later.files.values())


@pytest.mark.parametrize("name", ["record", "compared"])
def test_a_record_of_the_present_version_is_written_again_byte_for_byte(
    name: str, tmp_path: Path
) -> None:
    path, again = FORMATS / f"{name}-{PRESENT}.jsonl", tmp_path / "again.jsonl"
    Run.open(path).write(again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", BASELINES, ids=name_of)
def test_baselines(path: Path) -> None:
    found = read_baseline(path)
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


@pytest.mark.parametrize("path", BASELINES, ids=name_of)
def test_an_update_writes_the_present_version_and_changes_nothing_else(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "baseline"
    copy.write_bytes(path.read_bytes())
    before = read_baseline(path)
    update_baseline(
        copy, BaselineEntries(before.values(), before.titles, before.fingerprint)
    )
    assert version_of(copy) == PRESENT
    after = read_baseline(copy)
    assert (after, after.titles, after.fingerprint) == (
        before,
        before.titles,
        before.fingerprint,
    )
    assert copy.read_bytes() == BASELINES[-1].read_bytes()


def with_keys(path: Path, *places: Callable[[Any], Any]) -> list[Any]:
    """The lines of a file with a key `later` in some places, each of which is found in the list of all lines."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for place in places:
        place(lines)["later"] = {"a": [1]}
    return lines


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text(
        "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
    )
    return path


def test_keys_that_are_not_known_stay_in_a_record(tmp_path: Path) -> None:
    lines = with_keys(
        RECORDS[-1].with_name(f"compared-{PRESENT}.jsonl"),
        *(
            lambda lines: lines[0]["run"],
            lambda lines: lines[0]["files"]["shop.relevance.yaml"],
        ),
        *(
            lambda lines: lines[1],
            lambda lines: lines[1]["baseline"],
            lambda lines: lines[1]["reasons"][0],
        ),
        lambda lines: next(line for line in lines if "error" in line)["error"],
    )
    path = write(tmp_path / "run.jsonl", lines)
    Run.open(path).write(tmp_path / "again.jsonl")
    assert [
        json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()
    ] == lines


def test_keys_that_are_not_known_stay_in_a_baseline(tmp_path: Path) -> None:
    places = (lambda lines: lines[0], lambda lines: lines[1], lambda lines: lines[-2])
    path = write(tmp_path / "baseline", with_keys(BASELINES[-1], *places))
    before = read_baseline(path)
    same = [
        BaselineEntry("paper", "and", "paper", {}, 3, (), {"nDCG@3": 0.5}),
        BaselineEntry("z", None, "z", {}, 3, ("x",)),
    ]
    update_baseline(path, BaselineEntries(same))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["later"] for line in (lines[0], lines[1], lines[-2])] == [
        {"a": [1]}
    ] * 3
    assert len(read_baseline(path)) == len(before) + 1
    update_baseline(
        path, BaselineEntries([BaselineEntry("paper", "and", "paper", {}, 3, ("x",))])
    )
    assert "later" not in json.loads(
        path.read_text().splitlines()[1]
    )  # it was said of another ranking


@pytest.mark.parametrize("path", [RECORDS[-1], BASELINES[-1]], ids=name_of)
@pytest.mark.parametrize("version", [PRESENT + 1, 0, "1", True])
def test_a_later_version_is_refused_and_never_written_over(
    path: Path, version: object, tmp_path: Path
) -> None:
    lines = with_keys(path)
    lines[0]["version"] = version
    later = write(tmp_path / "later.jsonl", lines)
    before = later.read_bytes()
    with pytest.raises(
        RecordError,
        match=r"later\.jsonl:1: the file has version .* knows 1 to 2; upgrade it",
    ):
        _ = (
            Run.open(later)
            if "record" in path.name
            else update_baseline(later, BaselineEntries())
        )
    assert later.read_bytes() == before
