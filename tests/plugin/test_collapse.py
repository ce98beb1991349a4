"""`collapse`: chunks stand for their document, in a run, a baseline, a record and a
comparison.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import Incomparable, Run, compare_runs, evaluate
from pytest_relevance.cli import main
from tests.helpers import reasons_of
from tests.plugin.conftest import Project

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


@pytest.fixture
def rag(project: Project) -> Project:
    project.conftest(CHUNKS.replace("{search}", "lambda query: found(query)"))
    return project


def test_what_is_not_collapsed_is_told_once(project: Project) -> None:
    project.conftest(CHUNKS.replace("{search}", "found"))
    queries = ", ".join(
        f"{{query: q{number}, expect: {{results: '>= 1'}}}}" for number in range(3)
    )
    told = "returned the same document several times, in 3 cases of 3: are these chunks? collapse: true"
    for collapse, count in (("false", 1), ("true", 0)):
        project.cases(
            f"{{id_field: metadata.source, k: 4, depth: 20, collapse: {collapse}, cases: [{queries}]}}"
        )
        for options in ((), ("-n2",)):
            run = project.run(*options)
            assert run.counts == {"passed": 3}
            assert " ".join(run.text.split()).count(told) == count


@pytest.mark.parametrize(
    ("search", "options"),
    [
        ("lambda query: found(query)", ()),
        ("found", ("-n2",)),
        ("Many()", ("--relevance-concurrency=2",)),
    ],
    ids=["without k", "xdist", "many"],
)
def test_ranks_are_of_documents(
    project: Project, search: str, options: tuple[str, ...]
) -> None:
    project.conftest(CHUNKS.replace("{search}", search))
    expect = "first: [a, b, c, d], within: {d: 4}, RR@4: 1, every@4: {part: 1}, at_most@4: {title: 1}, results: 8"
    project.cases(f"""
        {OF_SOURCE.replace(chr(10), chr(10) + " " * 8).strip()}
        depth: 20
        cases:
          - {{{JUDGED}, min_ndcg: 0.91, expect: {{{expect}, same_as: again}}}}
          - {{{JUDGED}, id: low, min_ndcg: 0.99, expect: {{AP: 0.9}}}}
          - {{{JUDGED}, id: chunks, collapse: false, expect: {{within: {{d: 4}}, "every@4": {{part: 1}}}}}}
          - {{query: none, expect: {{results: 0, every: {{part: 1}}}}}}
    """)
    run = project.run(*options)
    assert run.outcomes == {
        "q": "passed",
        "low": "failed",
        "chunks": "failed",
        "none": "passed",
    }
    rows = run.failure_rows("low")
    assert [row[:4] for row in rows if row[:1] == ["3"]] == [
        ["3", "c", "C1", "0.2"]
    ]  # its own score and title
    assert "collapse true, depth 20" in run.told("low")
    assert "repeat" not in run.failure("low")
    assert "every@4: 2 of the first 4 results do not have part 1" in run.failure(
        "chunks"
    )


def test_a_check_collapses(project: Project) -> None:
    project.test(
        'found = relevance.check("q", ["a", "a", "b"], {"b": 1}, collapse=True, k=2, expect={"within": {"b": 2}})',
        'assert [*found.ranking.documents] == ["a", "b"]',
    )
    assert project.run().outcomes == {"test_shop": "passed"}


def test_a_cut_ranking_of_too_few_documents_is_an_error_that_names_the_depth(
    project: Project,
) -> None:
    project.conftest(CHUNKS.replace("{search}", "found"))
    project.cases(f"""
        {OF_SOURCE.replace(chr(10), chr(10) + " " * 8).strip()}
        cases:
          - {{{JUDGED}}}
          - {{{JUDGED}, id: six, depth: 6}}
          - {{{JUDGED}, id: seven, depth: 7}}
          - {{{JUDGED}, id: further, depth: 7, expect: {{R@5: 0}}}}
          - {{{JUDGED}, id: counted, depth: 7, expect: {{results: ">= 7"}}}}
          - {{query: few, judgments: {{a: 1}}, min_ndcg: 1}}
    """)
    run = project.run("--relevance-give-up=0")
    verdicts = {name: result.verdict for name, result in run.results.items()}
    errors, passed = (
        dict.fromkeys(("q", "six", "further"), "error"),
        dict.fromkeys(("counted", "few"), "passed"),
    )
    assert verdicts == {**errors, **passed, "seven": "measured"}
    six, further = (reasons_of(run.results[name])[0] for name in ("six", "further"))
    assert (
        "looks at 4 ranks, and the 6 results that were asked for are chunks of 3 documents"
        in six
    )
    assert "looks at 5 ranks, " in further
    assert "write depth: 70" in further


def accepted(project: Project) -> dict[str, Any]:
    lines = (
        (project.path / "shop.relevance.yaml.baseline.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    entry: dict[str, Any] = json.loads(lines[1])
    return entry


@pytest.mark.parametrize("is_record", [False, True], ids=["baseline", "record"])
def test_accepted_rankings_are_scored_anew_where_it_is_switched(
    rag: Project, is_record: bool
) -> None:
    update = ("--relevance-record=run.jsonl",) if is_record else ("--relevance-update",)
    against = ("--relevance-against=run.jsonl",) if is_record else ()
    depth = "depth: 9\n"  # more than there is: all of the ranking is known
    suite = (
        f"{depth}{OF_SOURCE}cases: [{{{JUDGED}, expect: {{every@2: {{part: 2}}}}}}]\n"
    )
    for name, before, after in (
        ("on", suite.replace("true", "false"), suite),
        ("off", suite, suite.replace("true", "false")),
        ("same", suite, suite),
    ):
        rag.cases(before)
        rag.run(*update)
        if not is_record:
            entry = accepted(rag)
            assert entry["documents"] == [*"aabacbde"]
            assert (
                entry.get("collapse", False)
                == entry.get("is_all", False)
                == ("true" in before)
            )
            assert rag.run().results["q"].baseline is not None
        rag.cases(after)
        result = rag.run(*against).results["q"]
        assert result.baseline is not None
        assert (result.baseline.standing, result.change) == ("within", 0), name
        # what the fields of the accepted ranking were is known under the same setting
        # alone
        assert result.baseline.failed_before == (name == "same")


def test_an_accepted_ranking_of_too_few_documents_is_stale(rag: Project) -> None:
    suite = f"depth: 6\n{OF_SOURCE}cases: [{{{JUDGED}}}]\n"
    rag.cases(suite.replace("true", "false"))
    rag.run("--relevance-update")
    rag.cases(suite)
    assert "the first 6 were kept" in " ".join(rag.run().failure("q").split())
    rag.run("--relevance-update")
    assert accepted(rag)["documents"] == [
        *"aabacbde"
    ]  # as many as there are documents to the depth
    assert rag.run().outcomes == {"q": "passed"}
    rag.conftest(CHUNKS.replace("{search}", "lambda query: [*reversed(found(query))]"))
    assert rag.run().results["q"].change < -0.05


def test_a_comparison_refuses_runs_that_differ_in_it_and_scores_again(
    rag: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("false", "true"):
        rag.cases(
            f"depth: 9\n{OF_SOURCE.replace('true', name)}cases: [{{{JUDGED}, min_ndcg: 0.95}}]\n"
        )
        rag.run(f"--relevance-record={name}.jsonl")
    one, two = (str(rag.path / f"{name}.jsonl") for name in ("false", "true"))
    (result,) = Run.open(two).results
    assert ([*result.ranking.documents], [*result.ranking.as_returned]) == (
        [*"abcde"],
        [*"aabacbde"],
    )
    with pytest.raises(
        Incomparable, match=r"the settings changed \(collapse: False / True\)"
    ):
        compare_runs(one, two)
    scores = [result.score for name in (one, two) for result in Run.open(name).results]
    for collapse in (False, True):
        (row,) = compare_runs(one, two, collapse=collapse).metrics
        assert (row.means.first, row.means.second) == (
            scores[collapse],
            scores[collapse],
        )
    capsys.readouterr()
    assert (
        main(
            ["compare", one, two, "--judgments", str(rag.path / "shop.relevance.yaml")]
        )
        == 0
    )
    assert "collapse true" in capsys.readouterr().out
    assert main(["report", two, "--format", "markdown"]) == 0
    assert "collapse true" in capsys.readouterr().out
    main(["merge", two, "-o", str(rag.path / "whole.jsonl")])
    assert Run.open(rag.path / "whole.jsonl").results[0].ranking == result.ranking


@settings(max_examples=settings().max_examples // 2)  # each compares two runs
@given(
    st.lists(st.sampled_from("abcdef"), max_size=12),
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3)),
)
def test_a_collapsed_ranking_scores_as_one_of_its_documents(
    chunks: list[str], judged: dict[str, int]
) -> None:
    judgments = {"q": {"z": 1, **judged}}
    documents = [*dict.fromkeys(chunks)]
    metrics = ["nDCG@3", "P@2", "AP", "RR"]
    found = compare_runs(
        {"q": chunks}, {"q": documents}, metrics, judgments=judgments, collapse=True
    )
    expected = [*evaluate(judgments, {"q": documents}, metrics).loc["q"]]
    assert (
        [row.means.first for row in found.metrics]
        == [row.means.second for row in found.metrics]
        == expected
    )


def test_mistakes(project: Project) -> None:
    project.cases("collapse: 3\ncases: [{query: q, collapse: source}]\n")
    text = project.run().text
    assert "shop.relevance.yaml:1:11: collapse: expected true or false, found 3" in text
    assert "shop.relevance.yaml:2:30: collapse: expected true or false" in text
