"""What can be compared: records, baselines, runs of other tools, rankings in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


Rankings = dict[str, list[str]]


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def rows_of(rankings: Rankings) -> list[tuple[str, str, int]]:
    """The query, the document and the rank of each result."""
    rows = []
    for query, ranking in rankings.items():
        rows += [(query, document, rank) for rank, document in enumerate(ranking, 1)]
    return rows


def trec(folder: Path, name: str, rankings: Rankings) -> Path:
    rows = rows_of(rankings)
    lines = [f"{query} Q0 {doc} {rank} {-rank} tag" for query, doc, rank in rows]
    return written(folder / name, *lines)


def suite(folder: Path, text: str = SUITE) -> Path:
    return written(folder / "shop.relevance.yaml", text)


def recorded(
    make: Maker, rankings: Rankings, more: Mapping[str, float] | None = None
) -> Run:
    """Rankings as cases that ran, with `more` judgments of each."""
    results = []
    for key, ranking in rankings.items():
        judgments = {**JUDGMENTS[key], **(more or {})}
        results.append(make.result(TEXTS[key], ranking, id=key, judgments=judgments))
    return Run(results)


def as_scores(rankings: Rankings) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {query: {} for query in rankings}
    for query, document, rank in rows_of(rankings):
        scores[query][document] = -rank
    return scores


def as_frame(rankings: Rankings) -> pandas.DataFrame:
    frame = pandas.DataFrame(rows_of(rankings), columns=["query_id", "doc_id", "_"])
    return frame[["query_id", "doc_id"]]


def as_table(folder: Path, rankings: Rankings) -> str:
    path = folder / f"{len(rankings['q2'])}.csv"
    as_frame(rankings).to_csv(path, index=False)
    return str(path)


SOURCES: dict[str, Callable[[Path, Rankings], Any]] = {
    "lists": lambda folder, rankings: rankings,
    "scores": lambda folder, rankings: as_scores(rankings),
    "a frame": lambda folder, rankings: as_frame(rankings),
    "a TREC run": lambda folder, found: trec(folder, f"{len(found['q2'])}.trec", found),
    "a table": as_table,
}
"""What may be given as a run of another tool."""

GRADES = [("q1", "a", 3), ("q1", "b", 1), ("q2", "c", 2)]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize(
    "judgments", ["a mapping", "a frame", "a file", "what read_judgments gives"]
)
def test_rankings_are_compared_under_judgments(
    tmp_path: Path, source: Callable[[Path, Rankings], Any], judgments: str
) -> None:
    lines = [f"{query} 0 {doc} {grade}" for query, doc, grade in GRADES]
    qrels = written(tmp_path / "qrels.txt", *lines)
    given: dict[str, Any] = {
        "a mapping": JUDGMENTS,
        "a frame": pandas.DataFrame(GRADES, columns=["query_id", "doc_id", "grade"]),
        "a file": qrels,
        "what read_judgments gives": read_judgments(qrels),
    }
    first, second = source(tmp_path, FIRST), source(tmp_path, SECOND)
    found = compare_runs(first, second, judgments=given[judgments]).frame
    assert found["id"].tolist() == ["q1", "q2"]
    for name, rankings in (("first", FIRST), ("second", SECOND)):
        expected = evaluate(JUDGMENTS, rankings)["nDCG@10"].tolist()
        assert found[f"nDCG@10 {name}"].tolist() == expected


def test_rankings_alone_cannot_be_compared(tmp_path: Path, make: Maker) -> None:
    both = "rankings are compared under judgments, and first and second have none"
    with pytest.raises(ValueError, match=both):
        compare_runs(FIRST, SECOND)
    with pytest.raises(ValueError, match=r"and b\.trec has none"):
        compare_runs(recorded(make, FIRST), trec(tmp_path, "b.trec", SECOND))


@pytest.mark.parametrize("read", [Path, read_suite], ids=["a file", "a suite"])
def test_a_case_file_judges_by_its_own_settings_cutoffs_weights_and_tags(
    tmp_path: Path, read: Callable[[Path], Any]
) -> None:
    found = compare_runs(FIRST, SECOND, judgments=read(suite(tmp_path)))
    (row,) = found.metrics
    assert (row.metric, row.means.queries) == ("nDCG@5", 2)
    assert [settings.gain for settings in found.settings] == ["exponential", "linear"]
    assert found.frame["weight"].tolist() == [2, 1]
    assert found.frame["tags"].tolist() == [("head",), ()]
    assert found.frame["query"].tolist() == ["boots", "shoes"]


def test_a_case_file_takes_no_other_settings(tmp_path: Path) -> None:
    message = r"shop.relevance.yaml has settings of its own: leave out gain"
    with pytest.raises(ValueError, match=message):
        compare_runs(FIRST, SECOND, judgments=suite(tmp_path), gain="linear")


def test_a_file_of_judgments_may_know_the_texts_and_weights_of_its_queries(
    tmp_path: Path,
) -> None:
    queries = ("# qid:1: boots*4", "# qid:2: shoes")
    judged = ("3 qid:1 # a", "1 qid:1 # b", "2 qid:2 # c")
    path = written(tmp_path / "ltr.txt", *queries, *judged)
    rankings = {"boots": ["b"], "shoes": ["c"]}
    frame = compare_runs(rankings, {"1": ["a"], "2": ["c"]}, judgments=path).frame
    assert frame["weight"].tolist() == [4, 1]
    assert frame["query"].tolist() == ["boots", "shoes"]
    assert frame["nDCG@10 second"].tolist()[1] == 1


def test_a_query_of_several_cases_is_not_guessed(tmp_path: Path) -> None:
    case = "  - {{query: boots, id: {}, judgments: {{a: 3}}}}\n"
    path = suite(tmp_path, f"cases:\n{case.format('x')}{case.format('y')}")
    message = (
        r'none of the queries of first is judged: the run has "boots", .* "x" and "y"'
    )
    with pytest.raises(Incomparable, match=message):
        compare_runs({"boots": ["a"]}, {"boots": ["a"]}, judgments=path)
    first, second = {"x": ["a"], "y": []}, {"x": ["a"], "y": ["a"]}
    assert len(compare_runs(first, second, judgments=path)) == 2


def test_a_text_of_several_judged_queries_is_not_guessed(tmp_path: Path) -> None:
    queries = ("# qid:1: boots", "# qid:2: boots")
    path = written(tmp_path / "ltr.txt", *queries, "3 qid:1 # a", "0 qid:2 # a")
    message = (
        r'none of the queries of first is judged: the run has "boots", .* "1" and "2"'
    )
    with pytest.raises(Incomparable, match=message):
        compare_runs({"boots": ["a"]}, {"boots": ["a"]}, judgments=path)


def test_records_that_were_judged_otherwise_are_judged_anew(make: Maker) -> None:
    rankings = {"q1": SECOND["q1"], "q2": FIRST["q2"]}
    first, second = recorded(make, FIRST), recorded(make, rankings, {"x": 1})
    with pytest.raises(Incomparable, match="the judgments changed in 2 cases"):
        compare_runs(first, second)
    found = compare_runs(first, second, judgments=JUDGMENTS)
    expected = evaluate(JUDGMENTS, rankings)["nDCG@10"].tolist()
    assert found.frame["nDCG@10 second"].tolist() == expected
    assert found.changed == ("both", "judgments")
    in_common = compare_runs(first, second, judgments=JUDGMENTS, common=True)
    assert in_common.left_out == ()


THIRD = {**JUDGMENTS, "q3": {"d": 1}}


def test_a_query_that_found_nothing_has_no_line_in_a_run(tmp_path: Path) -> None:
    first, second = {"q1": ["a"]}, {"q2": ["c"]}
    found = compare_runs(first, second, judgments=THIRD, missing="empty")
    (row,) = found.metrics
    assert row.means.queries == 3
    expected = evaluate(THIRD, first)["nDCG@10"].mean()
    assert row.means.first == pytest.approx(expected)
    assert found.notes == ()
    texts, path = {"boots": ["a"]}, suite(tmp_path)
    by_text = compare_runs(texts, second, judgments=path, missing="empty")
    assert by_text.frame["id"].tolist() == ["q1", "q2"]


def test_judged_queries_that_neither_run_has_are_named() -> None:
    found = compare_runs({"q1": ["a"]}, {"q1": ["b"]}, judgments=THIRD)
    assert found.notes == (
        'left out: 2 judged queries without a ranking in either run: "q2" and "q3"',
    )
