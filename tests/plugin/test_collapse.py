"""`collapse`: chunks stand for their document, in a run, a baseline, a record and a
comparison.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Incomparable, Run, compare_runs
from tests.helpers import reasons_of
from tests.plugin.conftest import Command, Project
from tests.plugin.shop import AGAINST, BASELINE, RECORD, UPDATE

CHUNKS = """
    import pytest

    def found(query, k=100):
        parts = {"few": "a1 a2", "none": ""}.get(query, "a1 a2 b1 a3 c1 b2 d1 e1").split()
        return [
            {"id": part, "title": part.upper(), "part": int(part[1]), "score": 1 / n, "metadata": {"source": part[0]}}
            for n, part in enumerate(parts, 1)
        ][:k]

    class Many:
        def many(self, queries, k):
            return [found(query, k) for query in queries]

    @pytest.fixture(scope="session")
    def search():
        return {search}
"""
OF_SOURCE = "collapse: true\nid_field: metadata.source\nk: 4\n"
JUDGED = "query: q, judgments: {a: 3, c: 3}"
WITHOUT_K, WITH_K = "lambda query: found(query)", "found"


def conftest(project: Project, search: str) -> None:
    project.conftest(CHUNKS.replace("{search}", search))


@pytest.fixture
def rag(project: Project) -> Project:
    conftest(project, WITHOUT_K)
    return project


@pytest.mark.parametrize(("collapse", "count"), [("false", 1), ("true", 0)])
def test_what_is_not_collapsed_is_told_once(
    project: Project, collapse: str, count: int
) -> None:
    conftest(project, WITH_K)
    lines = [f"  - {{query: q{n}, expect: {{results: '>= 1'}}}}\n" for n in range(3)]
    head = OF_SOURCE.replace("true", collapse) + "depth: 20\ncases:\n"
    project.cases(head + "".join(lines))
    run = project.run()
    assert run.counts == {"passed": 3}
    told = "returned the same document several times, in 3 cases of 3: are these chunks? collapse: true"
    assert run.said.count(told) == count


@pytest.mark.parametrize(
    ("search", "options"),
    [(WITHOUT_K, ()), (WITH_K, ()), ("Many()", ("--relevance-concurrency=2",))],
    ids=["without k", "with k", "many"],
)
def test_ranks_are_of_documents(
    project: Project, search: str, options: tuple[str, ...]
) -> None:
    conftest(project, search)
    every = "within: {d: 4}, every@4: {part: 1}"
    expect = f"first: [a, b, c, d], {every}, RR@4: 1, at_most@4: {{title: 1}}, results: 8, same_as: again"
    project.cases(f"""{OF_SOURCE}depth: 20
cases:
  - {{{JUDGED}, min_ndcg: 0.91, expect: {{{expect}}}}}
  - {{{JUDGED}, id: low, min_ndcg: 0.99, expect: {{AP: 0.9}}}}
  - {{{JUDGED}, id: chunks, collapse: false, expect: {{{every}}}}}
  - {{query: none, expect: {{results: 0, every: {{part: 1}}}}}}
""")
    run = project.run(*options)
    failed = dict.fromkeys(["low", "chunks"], "failed")
    assert run.outcomes == {"q": "passed", **failed, "none": "passed"}
    # its own score and title
    assert ["3", "c", "C1", "0.2"] in [row[:4] for row in run.failure_rows("low")]
    assert "collapse true, depth 20" in run.told("low")
    assert "repeat" not in run.failure("low")
    chunks = "every@4: 2 of the first 4 results do not have part 1"
    assert chunks in run.failure("chunks")


def test_a_check_collapses(project: Project) -> None:
    project.test(
        'found = relevance.check("q", ["a", "a", "b"], {"b": 1}, collapse=True, k=2, expect={"within": {"b": 2}})',
        'assert [*found.ranking.documents] == ["a", "b"]',
    )
    assert project.run().outcomes == {"test_shop": "passed"}


def test_a_cut_ranking_of_too_few_documents_is_an_error_that_names_the_depth(
    project: Project,
) -> None:
    conftest(project, WITH_K)
    project.cases(f"""{OF_SOURCE}
cases:
  - {{{JUDGED}}}
  - {{{JUDGED}, id: six, depth: 6}}
  - {{{JUDGED}, id: further, depth: 7, expect: {{R@5: 0}}}}
  - {{{JUDGED}, id: seven, depth: 7}}
  - {{{JUDGED}, id: counted, depth: 7, expect: {{results: ">= 7"}}}}
  - {{query: few, judgments: {{a: 1}}, min_ndcg: 1}}
""")
    run = project.run("--relevance-give-up=0")
    assert [(name, result.verdict) for name, result in run.results.items()] == [
        ("q", "error"),
        ("six", "error"),
        ("further", "error"),
        ("seven", "measured"),
        ("counted", "passed"),
        ("few", "passed"),
    ]
    six, further = (reasons_of(run.results[name])[0] for name in ("six", "further"))
    chunks = "looks at 4 ranks, and the 6 results that were asked for are chunks of 3 documents"
    assert chunks in six
    assert "looks at 5 ranks, " in further
    assert "write depth: 70" in further


# --- baselines and records ------------------------------------------------------------


def accepted(project: Project) -> dict[str, Any]:
    lines = (project.path / BASELINE).read_text(encoding="utf-8").splitlines()
    entry: dict[str, Any] = json.loads(lines[1])
    return entry


@pytest.mark.parametrize("against", [[], [AGAINST]], ids=["baseline", "record"])
@pytest.mark.parametrize(
    ("before", "after"), [("false", "true"), ("true", "false"), ("true", "true")]
)
def test_accepted_rankings_are_scored_anew_where_it_is_switched(
    rag: Project, before: str, after: str, against: list[str]
) -> None:
    """The depth is more than there is: all of the ranking is known."""
    case = f"cases: [{{{JUDGED}, expect: {{every@2: {{part: 2}}}}}}]"
    suite = f"depth: 9\n{OF_SOURCE}{case}"
    rag.cases(suite.replace("true", before))
    rag.run(RECORD if against else UPDATE)
    if not against:
        entry = accepted(rag)
        assert entry["documents"] == [*"aabacbde"]
        is_collapsed = before == "true"
        assert (
            entry.get("collapse", False) == entry.get("is_all", False) == is_collapsed
        )
    rag.cases(suite.replace("true", after))
    result = rag.run(*against).results["q"]
    assert result.baseline is not None
    assert (result.baseline.standing, result.change) == ("within", 0)
    # what the fields of the accepted ranking were is known under the same setting alone
    assert result.baseline.failed_before == (before == after)


def test_an_accepted_ranking_of_too_few_documents_is_stale(rag: Project) -> None:
    suite = f"depth: 6\n{OF_SOURCE}cases: [{{{JUDGED}}}]\n"
    rag.cases(suite.replace("true", "false"))
    rag.run(UPDATE)
    rag.cases(suite)
    assert "the first 6 results were kept" in rag.run().told("q")
    rag.run(UPDATE)
    # as many as there are documents to the depth
    assert accepted(rag)["documents"] == [*"aabacbde"]
    assert rag.run().outcomes == {"q": "passed"}
    conftest(rag, "lambda query: [*reversed(found(query))]")
    assert rag.run().results["q"].change < -0.05


def test_a_comparison_refuses_runs_that_differ_in_it_and_scores_again(
    rag: Project, command: Command
) -> None:
    for name in ("false", "true"):
        head = f"depth: 9\n{OF_SOURCE.replace('true', name)}"
        rag.cases(f"{head}cases: [{{{JUDGED}, min_ndcg: 0.95}}]\n")
        rag.run(f"--relevance-record={name}.jsonl")
    one, two = "false.jsonl", "true.jsonl"
    (result,) = Run.open(two).results
    assert [*result.ranking.documents] == [*"abcde"]
    assert [*result.ranking.as_returned] == [*"aabacbde"]
    differ = r"the settings changed \(collapse: False / True\)"
    with pytest.raises(Incomparable, match=differ):
        compare_runs(one, two)
    for collapse, name in ((False, one), (True, two)):
        (row,) = compare_runs(one, two, collapse=collapse).metrics
        score = Run.open(name).results[0].score
        assert row.means.first == row.means.second == score
    compared = command("compare", one, two, "--judgments", "shop.relevance.yaml")
    assert compared.code == 0
    assert "collapse true" in compared.out
    assert "collapse true" in command("report", two, "--format", "markdown").out
    command("merge", two, "-o", "whole.jsonl")
    assert Run.open("whole.jsonl").results[0].ranking == result.ranking


PAGE = Path(__file__).parents[2] / "docs" / "howto" / "assistant.md"


def test_the_gate_of_the_page_is_met_with_the_two_cases_of_its_example(
    project: Project,
) -> None:
    """docs/howto/assistant.md: the gate that its text names fits its example."""
    (gates,) = re.findall("`(gates: .*?)`", PAGE.read_text(encoding="utf-8"))
    project.conftest()
    suite = gates.replace("300 ms", "60 s")
    project.cases(f"{suite}\ncases: [{{query: reset the router}}, {{query: warranty}}]")
    assert project.run().counts == {"passed": 3}
