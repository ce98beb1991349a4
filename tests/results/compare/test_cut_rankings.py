"""Metrics of more ranks than a record has, as its search was asked for so many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Incomparable, Run, compare_runs, evaluate, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.results.conftest import Maker

JUDGMENTS = {"q": {"d1": 1, "d20": 1}, "few": {"d1": 1}}
THIRTY = [f"d{number}" for number in range(1, 31)]


def cut(make: Maker, asked: int = 10, **keys: Any) -> Run:
    """A run in which one query found more than the search was asked for, and another
    one less.
    """
    found = {"q": THIRTY[:asked], "few": ["d1", "x"]}
    results = [
        make.result(query, ranking, asked=asked, judgments=JUDGMENTS[query], **keys)
        for query, ranking in found.items()
    ]
    return Run(results, name=f"{asked}.jsonl")


def takes(metric: str, ranks: str) -> str:
    return f'{metric} takes {ranks}, and the search of "q" was asked for 10'


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["nDCG@20"], takes("nDCG@20", "20 ranks")),
        (["nDCG@20", "RR@10"], takes("nDCG@20", "20 ranks")),
        (["RR", "nDCG@20"], takes("RR", "all of it") + ": set a depth in the case file"),
        (["nDCG@20", "RR"], takes("nDCG@20", "20 ranks")),
        (["AP", "P@500"], takes("AP", "all of it")),
        (["R@100", "Bpref"], takes("R@100", "100 ranks")),
    ],
)  # fmt: skip
def test_each_metric_that_is_compared_is_asked_for_its_ranks(
    make: Maker, metrics: list[str], message: str
) -> None:
    run = cut(make)
    with pytest.raises(ValueError, match=message):
        compare_runs(run, run, metrics)
    with pytest.raises(ValueError, match="nDCG@10 takes all of it"):
        compare_runs(run, run, unjudged="skip")
    assert compare_runs(run, run, ["P@5", "RR@10", "AP@3"]).metrics


DEEPER: list[tuple[str, dict[str, Any]]] = [
    ("AP", {}),
    ("R@20", {}),
    ("nDCG@5", {"ideal": "returned"}),
    ("P@5", {"unjudged": "skip"}),
]


@pytest.mark.parametrize(
    "read",
    [read_run, lambda path: Run.open(path).rankings.rename(columns={"id": "query_id"})],
    ids=["read_run", "a frame"],
)
def test_rankings_read_from_a_record_are_known_as_deep_as_it_has_them(
    make: Maker, tmp_path: Path, read: Callable[[Path], Any]
) -> None:
    cut(make).write(tmp_path / "run.jsonl")
    found = read(tmp_path / "run.jsonl")
    assert evaluate(JUDGMENTS, found, "R@9")["R@9"].tolist() == [0.5, 1.0]
    (row,) = compare_runs(found, found, "R@9", judgments=JUDGMENTS).metrics
    assert row.means.first == 0.75
    for metric, settings in DEEPER:
        first = f"{metric} takes .* of the ranking of 'q' the record has the first "
        with pytest.raises(ValueError, match=first):
            evaluate(JUDGMENTS, found, metric, **settings)
        kept = f'{metric} takes .* of the ranking of "q" the first .* were kept'
        with pytest.raises(ValueError, match=kept):
            compare_runs(found, found, metric, judgments=JUDGMENTS, **settings)
    few = {"few": JUDGMENTS["few"]}
    assert evaluate(few, found, "AP").loc["few", "AP"] == 1.0


def test_depths_that_differ_are_not_compared(make: Maker) -> None:
    first, second = (cut(make, depth, depth=depth) for depth in (20, 25))
    differ = r"the settings changed \(depth: 20 / 25\) in "
    with pytest.raises(Incomparable, match=differ):
        compare_runs(first, second, "AP")
    with pytest.raises(Incomparable, match=differ):
        compare_runs(first, second, unjudged="skip")
    assert compare_runs(first, second).metrics[0].means.difference == 0
    assert "zero, depth 20" in compare_runs(first, first, "AP").summary()


def test_a_record_is_compared_with_rankings_of_its_depth_alone(make: Maker) -> None:
    judgments = {"q": JUDGMENTS["q"]}
    (result, _) = cut(make, 20, depth=20).results
    first = Run([result])
    with pytest.raises(Incomparable, match=r"\(depth: 20 / 30\)"):
        compare_runs(first, {"q": THIRTY}, "AP", judgments=judgments)
    found = compare_runs(first, {"q": THIRTY[:20]}, "AP", judgments=judgments)
    assert found.metrics[0].means.difference == 0
