"""A real shop: 19,406 products, 135 queries and 3,668 judgments, searched with SQLite FTS5; the figures of others."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

ROOT = Path(__file__).parents[2]
CHORUS = (ROOT / os.environ.get("RELEVANCE_DATA", "../shared") / "acceptance" / "chorus").resolve()

pytestmark = pytest.mark.skipif(not CHORUS.is_dir(), reason=f"there is no {CHORUS}")


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((CHORUS / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("ranker", ["any", "title"])
def test_the_cases_that_fail_and_the_score_of_every_query(
    project: Project, monkeypatch: pytest.MonkeyPatch, expected: Any, ranker: str
) -> None:
    monkeypatch.setenv("RANKER", ranker)
    run = project.run("--rootdir", str(CHORUS), str(CHORUS), "-c", os.devnull)
    assert len(run.outcomes) == expected["cases"] == 135
    assert [name for name, outcome in run.outcomes.items() if outcome != "passed"] == expected["fail"][ranker]
    assert run.code == (1 if expected["fail"][ranker] else 0)
    assert run.results.keys() == expected["per_query"].keys()
    for name, figures in expected["per_query"].items():
        score = run.results[name].score
        assert score == (None if figures[ranker] is None else pytest.approx(figures[ranker], abs=1e-6)), name
    mean = next(row[row.index("nDCG@10") + 1] for row in run.summary_rows if "mean" in row)
    assert float(mean) == pytest.approx(expected["mean"][ranker], abs=5e-4)
