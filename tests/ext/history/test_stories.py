"""The stories of queries: the ranks of their documents in the runs of a history."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_relevance import FileInfo, Run, RunInfo
from pytest_relevance.ext.history.history import read_history
from pytest_relevance.ext.history.page import history_page
from pytest_relevance.ext.history.story import Story, stories_of
from tests.helpers import changed, result_of

FILE = "shop.relevance.yaml"
CASE = {"query": "boots", "k": 2, "judgments": {"a": 3, "b": 1}, "min_ndcg": 0.7}


def write_runs(folder: Path, *rankings: Sequence[str]) -> list[str]:
    """Write a record for each ranking, one a day, and return their paths."""
    paths = []
    for day, ranking in enumerate(rankings, 1):
        result = result_of(CASE, list(ranking), file=FILE)
        titles = {document: f"title of {document}" for document in ranking}
        started = f"2026-11-{day:02}T08:03:11+00:00"
        info = RunInfo("1.0", started, fingerprint={"index": f"shop-{day // 3}"})
        path = folder / f"{day}.jsonl"
        Run([changed(result, titles=titles)], {FILE: FileInfo(FILE)}, info).write(path)
        paths.append(str(path))
    return paths


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """The story of a query that lost its best document in the third run."""
    history = read_history(write_runs(tmp_path, "ab", "ab", "xb", "bxa"))
    (story,) = stories_of(history.series[0]).values()
    return story


def test_a_line_has_the_ranks_of_a_document_within_k(story: Story) -> None:
    ranks = {line.document: line.ranks for line in story.lines}
    assert ranks == {
        "b": [2, 2, 2, 1],
        "x": [None, None, 1, 2],
        "a": [1, 1, None, None],
    }


def test_a_document_that_is_gone_has_its_last_title(story: Story) -> None:
    assert story.lines[-1].title == "title of a"


def test_the_runs_are_named_in_which_the_ranking_changed(story: Story) -> None:
    changed_in = [story.points[index].started[:10] for index in story.changes]
    assert changed_in == ["2026-11-03", "2026-11-04"]


def test_a_query_that_did_not_move_has_no_story(tmp_path: Path) -> None:
    history = read_history(write_runs(tmp_path, "ab", "ab"))
    assert stories_of(history.series[0]) == {}


def test_the_page_tells_what_was_searched_when_it_changed(tmp_path: Path) -> None:
    page = history_page(read_history(write_runs(tmp_path, "ab", "ab", "xb")))
    assert "2026-11-03 08:03: " in page
    assert "3.jsonl; searched index shop-1" in page


def test_the_page_has_no_column_that_is_blank_in_all_runs(tmp_path: Path) -> None:
    page = history_page(read_history(write_runs(tmp_path, "ab", "xb")))
    assert '<th scope="col">worse</th>' in page
    assert '<th scope="col">errors</th>' not in page
