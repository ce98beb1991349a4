"""`pytest-relevance compare` of a real shop whose search ranks by titles alone from one commit to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tests.plugin.conftest  # noqa: F401 - it imports what runs in this process must not forget
from tests.chorus import CHORUS, needs_chorus, write_suite
from tests.helpers import only_plugins

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

pytestmark = needs_chorus

QUIET = ("-q", "--rootdir=.", "-p", "no:cacheprovider", *only_plugins())

DROPS = ("--max-drop", "nDCG@10=0.02", "--p", "0.05")


@pytest.fixture(scope="session")
def recorded() -> dict[str, bytes]:
    """The records of runs that a test has made."""
    return {}


@pytest.fixture
def records(
    recorded: dict[str, bytes], pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Mapping[str, bytes]:
    """A record of each ranker."""
    if not recorded:
        write_suite(pytester.path)
        for ranker in ("any", "title"):
            monkeypatch.setenv("RANKER", ranker)
            done = pytester.runpytest_inprocess(*QUIET, f"--relevance-record={ranker}.jsonl", "acceptance")
            assert done.ret == (ranker == "title")
            recorded[ranker] = (pytester.path / f"{ranker}.jsonl").read_bytes()
    return recorded


@pytest.fixture
def shop(records: Mapping[str, bytes], terminal: Terminal) -> Terminal:
    """A terminal in a folder with these records."""
    for ranker, record in records.items():
        (terminal.folder / f"{ranker}.jsonl").write_bytes(record)
    return terminal


def ranking(record: str, query: str) -> list[str]:
    """What a record says that a search found."""
    results = map(json.loads, Path(record).read_text(encoding="utf-8").splitlines()[1:])
    (found,) = (result.get("documents", []) for result in results if result["id"] == query)
    return list(found)


def test_the_mean_falls_and_the_worst_query_names_what_it_lost(shop: Terminal) -> None:
    said = shop.run("compare", "any.jsonl", "title.jsonl", *DROPS)
    assert said.err == ""
    assert said.code == 1
    assert said.lines[1] == "any.jsonl -> title.jsonl: 135 cases compared, 133 with another ranking"
    assert said.lines[0] == "Search got worse: 44 queries; 1 gate is not met"
    assert said.lines[-5] == (
        "mean nDCG@10 0.728 -> 0.621 (-0.108, p <0.001): 32 better, 49 worse, 35 the same (116 of 135 cases)"
    )
    assert said.lines[-4].startswith("latency p50 ")
    assert said.lines[-3:] == [
        "NOT MET: mean nDCG@10 fell by 0.108, from 0.728 to 0.621 (95% -0.161 to -0.056, p <0.001, 116",
        "    cases); allowed is 0.02 unless p > 0.05",
        "1 of 1 gate not met",
    ]
    worst = said.lines.index("Largest drops (5 of 49)") + 2
    assert said.lines[worst].split()[:5] == ["q032", '"earbuds"', "1.000", "->", "0.000"]
    assert " 1 -> gone " in said.lines[worst]
    assert all(len(line) <= 100 for line in said.lines)


def test_every_figure_is_the_one_that_others_compute(shop: Terminal) -> None:
    expected = json.loads((CHORUS / "expected.json").read_text(encoding="utf-8"))
    data = json.loads(shop.run("compare", "any.jsonl", "title.jsonl", "--format=json", "--limit=0").out)
    (row,) = data["metrics"]
    assert row["queries"] == 116
    assert (row["first"], row["second"]) == pytest.approx(
        (expected["mean"]["any"], expected["mean"]["title"]), abs=1e-6
    )
    movers = [*data["movers"]["drops"], *data["movers"]["gains"]]
    assert len(movers) == row["better"] + row["worse"] == 81
    for mover in movers:
        figures = expected["per_query"][mover["id"]]
        assert (mover["first"], mover["second"]) == pytest.approx((figures["any"], figures["title"]), abs=1e-6)
