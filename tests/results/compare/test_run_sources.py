"""What can be compared: records, baselines, runs of other tools, rankings in Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas
import pytest

from pytest_relevance import (
    Incomparable,
    Run,
    compare_runs,
    evaluate,
    read_judgments,
    read_suite,
)

if TYPE_CHECKING:
    from tests.results.conftest import Maker

JUDGMENTS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}}
FIRST = {"q1": ["a", "b"], "q2": ["x", "c"]}
SECOND = {"q1": ["b", "a"], "q2": ["c"]}
TEXTS = {"q1": "boots", "q2": "shoes"}

SUITE = """
k: 5
cases:
  - {query: boots, id: q1, weight: 2, tags: [head], judgments: {a: 3, b: 1}}
  - {query: shoes, id: q2, gain: linear, judgments: {c: 2}}
"""


def trec(folder: Path, name: str, rankings: dict[str, list[str]]) -> Path:
    path = folder / name
    lines = [
        f"{query} Q0 {document} {rank} {-rank} tag"
        for query, ranking in rankings.items()
        for rank, document in enumerate(ranking, 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def qrels(folder: Path) -> Path:
    path = folder / "qrels.txt"
    path.write_text(
        "".join(
            f"{query} 0 {doc} {grade}\n"
            for query, of in JUDGMENTS.items()
            for doc, grade in of.items()
        )
    )
    return path


def suite(folder: Path, text: str = SUITE) -> Path:
    path = folder / "shop.relevance.yaml"
    path.write_text(text)
    return path


def recorded(make: Maker, rankings: dict[str, list[str]], **keys: Any) -> Run:
    return Run(
        [
            make.result(TEXTS[key], found, id=key, judgments=JUDGMENTS[key], **keys)
            for key, found in rankings.items()
        ]
    )


def long(rankings: dict[str, list[str]]) -> pandas.DataFrame:
    frame: pandas.DataFrame = pandas.DataFrame(
        [
            (query, document)
            for query, ranking in rankings.items()
            for document in ranking
        ],
        columns=["query_id", "doc_id"],
    )
    return frame


def scored(rankings: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {
        query: {doc: -float(rank) for rank, doc in enumerate(ranking)}
        for query, ranking in rankings.items()
    }


SOURCES: dict[str, Callable[[Path, dict[str, list[str]]], Any]] = {
    "lists": lambda folder, rankings: rankings,
    "scores": lambda folder, rankings: scored(rankings),
    "a frame": lambda folder, rankings: long(rankings),
    "a TREC run": lambda folder, rankings: trec(folder, f"{len(rankings['q2'])}.trec", rankings),
    "a table": lambda folder, rankings: table(folder, rankings),
}  # fmt: skip
"""What may be given as a run of another tool."""


def table(folder: Path, rankings: dict[str, list[str]]) -> str:
    path = folder / f"{len(rankings['q2'])}.csv"
    long(rankings).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize(
    "judgments", ["a mapping", "a frame", "a file", "what read_judgments gives"]
)
def test_rankings_are_compared_under_judgments(
    tmp_path: Path, source: Callable[[Path, dict[str, list[str]]], Any], judgments: str
) -> None:
    rows = [
        (query, doc, grade)
        for query, of in JUDGMENTS.items()
        for doc, grade in of.items()
    ]
    given: dict[str, Any] = {
        "a mapping": JUDGMENTS,
        "a frame": pandas.DataFrame(rows, columns=["query_id", "doc_id", "grade"]),
        "a file": qrels(tmp_path),
        "what read_judgments gives": read_judgments(qrels(tmp_path)),
    }
    found = compare_runs(
        source(tmp_path, FIRST), source(tmp_path, SECOND), judgments=given[judgments]
    ).frame
    assert found["id"].tolist() == ["q1", "q2"]
    for name, rankings in (("first", FIRST), ("second", SECOND)):
        expected = evaluate(JUDGMENTS, rankings)["nDCG@10"].tolist()
        assert found[f"nDCG@10 {name}"].tolist() == expected


def test_rankings_alone_cannot_be_compared(tmp_path: Path, make: Maker) -> None:
    with pytest.raises(
        ValueError,
        match="rankings are compared under judgments, and first and second have none",
    ):
        compare_runs(FIRST, SECOND)
    with pytest.raises(ValueError, match=r"and b\.trec has none"):
        compare_runs(recorded(make, FIRST), trec(tmp_path, "b.trec", SECOND))


def test_a_case_file_judges_by_its_own_settings_cutoffs_weights_and_tags(
    tmp_path: Path, make: Maker
) -> None:
    for judgments in (suite(tmp_path), read_suite(suite(tmp_path))):
        found = compare_runs(FIRST, SECOND, judgments=judgments)
        assert [(row.metric, row.means.queries) for row in found.metrics] == [
            ("nDCG@5", 2)
        ]
        assert [settings.gain for settings in found.settings] == [
            "exponential",
            "linear",
        ]
        assert found.frame["weight"].tolist() == [2, 1]
        assert found.frame["tags"].tolist() == [("head",), ()]
        assert found.frame["query"].tolist() == ["boots", "shoes"]
    with pytest.raises(
        ValueError, match=r"shop.relevance.yaml has settings of its own: leave out gain"
    ):
        compare_runs(FIRST, SECOND, judgments=suite(tmp_path), gain="linear")


def test_a_file_of_judgments_may_know_the_texts_and_weights_of_its_queries(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ltr.txt"
    path.write_text(
        "# qid:1: boots*4\n# qid:2: shoes\n3 qid:1 # a\n1 qid:1 # b\n2 qid:2 # c\n"
    )
    rankings = {"boots": ["b"], "shoes": ["c"]}
    frame = compare_runs(rankings, {"1": ["a"], "2": ["c"]}, judgments=path).frame
    assert frame["weight"].tolist() == [4, 1]
    assert frame["query"].tolist() == ["boots", "shoes"]
    assert frame["nDCG@10 second"].tolist()[1] == 1


def test_a_query_of_several_cases_is_not_guessed(tmp_path: Path) -> None:
    cases = "".join(
        f"  - {{query: boots, id: {key}, judgments: {{a: 3}}}}\n" for key in "xy"
    )
    path = suite(tmp_path, f"cases:\n{cases}")
    with pytest.raises(
        Incomparable,
        match=r'none of the queries of first is judged: it has "boots", .* "x" and "y"',
    ):
        compare_runs({"boots": ["a"]}, {"boots": ["a"]}, judgments=path)
    assert (
        len(
            compare_runs(
                {"x": ["a"], "y": []}, {"x": ["a"], "y": ["a"]}, judgments=path
            )
        )
        == 2
    )


def test_records_that_were_judged_otherwise_are_judged_anew(make: Maker) -> None:
    first = recorded(make, FIRST)
    rankings = {"q1": SECOND["q1"], "q2": FIRST["q2"]}
    second = Run(
        [
            make.result(TEXTS[key], found, id=key, judgments={**JUDGMENTS[key], "x": 1})
            for key, found in rankings.items()
        ]
    )
    with pytest.raises(Incomparable, match="the judgments changed in 2 cases"):
        compare_runs(first, second)
    found = compare_runs(first, second, judgments=JUDGMENTS)
    assert (
        found.frame["nDCG@10 second"].tolist()
        == evaluate(JUDGMENTS, rankings)["nDCG@10"].tolist()
    )
    assert found.changed == ("both", "judgments")
    assert (
        compare_runs(
            first, Run(second.results), judgments=JUDGMENTS, common=True
        ).left_out
        == ()
    )


def test_a_query_that_found_nothing_has_no_line_in_a_run(tmp_path: Path) -> None:
    first, second = {"q1": ["a"]}, {"q2": ["c"]}
    found = compare_runs(
        first, second, judgments={**JUDGMENTS, "q3": {"d": 1}}, missing="empty"
    )
    assert found.metrics[0].means.queries == 3
    assert found.metrics[0].means.first == pytest.approx(
        evaluate({**JUDGMENTS, "q3": {"d": 1}}, first)["nDCG@10"].mean()
    )
    assert found.notes == ()
    by_text = compare_runs(
        {"boots": ["a"]}, {"q2": ["c"]}, judgments=suite(tmp_path), missing="empty"
    )
    assert by_text.frame["id"].tolist() == ["q1", "q2"]


def test_judged_queries_that_neither_run_has_are_named() -> None:
    found = compare_runs(
        {"q1": ["a"]}, {"q1": ["b"]}, judgments={**JUDGMENTS, "q3": {"d": 1}}
    )
    assert found.notes == (
        'left out: 2 judged queries without a ranking in either run: "q2" and "q3"',
    )
