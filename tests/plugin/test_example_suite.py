"""The example suite, as a reader runs it: the shop's own ranker and the handbook's own
splitter pass, the worse ones fail where they should.
"""

import os
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import Project, Run, one_line

EXAMPLES = Path(__file__).parents[2] / "example_suite"


def run_examples(project: Project, *options: str) -> Run:
    own = ("--rootdir", str(EXAMPLES), "--confcutdir", str(EXAMPLES), "-c", os.devnull)
    return project.run(str(EXAMPLES), *own, *options)


@pytest.mark.usefixtures("with_and_without_loops")
def test_the_shop_as_it_is(project: Project) -> None:
    run = run_examples(project)
    assert run.code == pytest.ExitCode.OK
    assert set(run.outcomes.values()) == {"passed", "xfailed"}
    assert len(run.outcomes) >= 40


@pytest.mark.engines
@pytest.mark.usefixtures("with_and_without_loops")
def test_the_shop_on_tantivy(project: Project) -> None:
    pytest.importorskip("tantivy")
    run = run_examples(project, "--engine", "tantivy")
    assert run.code == pytest.ExitCode.OK
    xfailed = [name for name, each in run.outcomes.items() if each == "xfailed"]
    # the latter of this engine alone
    assert xfailed == ["synonym-sneakers", "sharpen knives"]
    assert run.outcomes.keys() == run_examples(project).outcomes.keys()


def test_an_engine_that_is_not_installed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    run = run_examples(project, "--engine", "tantivy")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    run.result.stderr.fnmatch_lines(
        ["*tantivy is not installed; install it: python -m pip install tantivy"]
    )


WORSE = """
    smart watch, phone, shoes, bicycle, backpack, knife, brand-fellmark, model-arc-6,
    article-00417, cafetiere, black leather boots, waterproof jacket, flashlights,
    sharpen knives
"""


def test_the_worse_ranker_fails_at_these_queries(project: Project) -> None:
    run = run_examples(project, "--ranker", "titles")
    failed = [name for name, outcome in run.outcomes.items() if outcome == "failed"]
    assert ", ".join(failed) == one_line(WORSE)
    assert len(run.text.splitlines()) <= 150
    assert "lost most by" in run.failure("smart watch")
    assert run.failure("bicycle") == ""  # behind many others: -v shows it in full


def test_the_worse_splitter_loses_two_passages(project: Project) -> None:
    run = run_examples(project, "--splitter", "characters")
    failed = [name for name, outcome in run.outcomes.items() if outcome == "failed"]
    assert failed == [
        "how do I claim the warranty[characters]",
        "what if nobody is at home for the delivery[characters]",
        "gate[mean nDCG@5 0.9][characters]",
    ]
    lost = one_line(run.failure(failed[0]))
    assert '"with two pictures"' in lost
    assert "it is split: rank 1 ends with its beginning, rank 3 has the rest" in lost


def test_the_splitters_beside_each_other(project: Project) -> None:
    both = ("--splitter", "sections", "--splitter", "characters")
    run = run_examples(project, *both)
    failed = [name for name, outcome in run.outcomes.items() if outcome == "failed"]
    assert len(failed) == 3
    assert run.gates == {
        "gate[mean nDCG@5 0.9][sections]": "passed",
        "gate[mean nDCG@5 0.9][characters]": "failed",
    }


def test_a_slice_by_its_tag(project: Project) -> None:
    run = run_examples(project, "-m", "head", "--strict-markers")
    assert 0 < len(run.outcomes) < 40
    assert all("head" in entry.tags for entry in run.results.values())
