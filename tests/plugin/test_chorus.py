"""A real shop: 19,406 products, 135 queries and 3,668 judgments, searched with SQLite FTS5; the figures of others."""

import json
import os
from pathlib import Path

import pytest

from pytest_relevance import Run as Record
from pytest_relevance import compare_runs
from tests.plugin.conftest import Project

ROOT = Path(__file__).parents[2]
CHORUS = (ROOT / os.environ.get("RELEVANCE_DATA", "../shared") / "acceptance" / "chorus").resolve()

pytestmark = pytest.mark.skipif(not CHORUS.is_dir(), reason=f"there is no {CHORUS}")


def test_the_scores_and_the_record_of_each_ranker(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = json.loads((CHORUS / "expected.json").read_text(encoding="utf-8"))
    for ranker in ("any", "title"):
        monkeypatch.setenv("RANKER", ranker)
        options = (f"--relevance-record={ranker}.jsonl.gz", "--rootdir", str(CHORUS), "-c", os.devnull)
        run = project.run(*options, str(CHORUS))
        assert len(run.outcomes) == expected["cases"] == 135
        assert [name for name, outcome in run.outcomes.items() if outcome != "passed"] == expected["fail"][ranker]
        assert run.code == (1 if expected["fail"][ranker] else 0)
        assert run.results.keys() == expected["per_query"].keys()
        for name, figures in expected["per_query"].items():
            score = run.results[name].score
            assert score == (None if figures[ranker] is None else pytest.approx(figures[ranker], abs=1e-6)), name
        mean = next(row[row.index("nDCG@10") + 1] for row in run.summary_rows if "mean" in row)
        assert float(mean) == pytest.approx(expected["mean"][ranker], abs=5e-4)

        assert run.sentences("record: ") == [f"record: {ranker}.jsonl.gz (135 cases)"]
        frame = Record.open(project.path / f"{ranker}.jsonl.gz").frame.set_index("id")
        scores = {name: None if score != score else score for name, score in frame.score.items()}
        assert scores == {name: result.score for name, result in run.results.items()}
        assert set(frame.index[frame.outcome == "failed"]) == set(expected["fail"][ranker])

    found = compare_runs(project.path / "any.jsonl.gz", project.path / "title.jsonl.gz")
    (row,) = found.metrics
    assert (row.metric, row.means.queries, row.undefined) == ("nDCG@10", 116, 19)
    assert row.p < 0.001
