"""Rankings compared with accepted ones, and with those of another variant: tests that
need no judgments.
"""

import re
from collections.abc import Callable

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project

ACCEPT = "--relevance-update"

Command = Callable[..., tuple[int, str]]

SEARCH = """
    import pytest

    NOW = {now}

    @pytest.fixture(scope="session", params={variants})
    def search(request):
        def search(query, k):
            found = NOW.get((query, request.param), NOW.get(query, query)).split()
            return [{{"id": each, "title": "The " + each}} for each in found][:k]
        return search
"""


def search(project: Project, *variants: str, now: object = "{}") -> None:
    """A search that returns the words of the query, or what `now` has for it."""
    project.conftest(SEARCH.format(now=now, variants=list(variants) or ["one"]))


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run a command of `pytest-relevance`; return its exit code and what it prints, as
    one line.
    """

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main([*arguments])
        return code, " ".join(capsys.readouterr().out.split())

    return run


@pytest.fixture
def traffic(project: Project) -> Project:
    """Four queries without a judgment, whose rankings were accepted."""
    project.write("traffic.csv", "query\na b c d\ne f g h\ni j k l\nnothing\n")
    project.cases(
        "{queries: traffic.csv, expect: {overlap@10: 0.5}, gates: [{mean: {overlap@10: 0.7}}]}"
    )
    search(project, now={"nothing": ""})
    return project


GATE = "gate[mean overlap@10 0.7][one]"
CHANGED = {"nothing": "", "a b c d": "b c d a", "e f g h": "x y z h", "i j k l": ""}


def of(query: str) -> str:
    return f"{query}[one]"


def test_the_first_day_and_those_after_it(traffic: Project) -> None:
    run = traffic.run()
    assert run.code == 1
    assert [run.outcomes[of(each)] for each in CHANGED] == [
        "passed"
    ] * 4  # there is nothing to compare with
    assert {result.verdict for result in run.results.values()} == {"measured"}
    assert (
        "4 cases have no baseline yet: pytest --relevance-update=new shop.relevance.yaml adds them"
        in run.summary
    )
    assert (
        "overlap@10 has no baseline, or a stale one; run with --relevance-update"
        in run.failure(GATE)
    )
    assert traffic.run("--relevance-baseline=require").code == 2

    run = traffic.run(ACCEPT)
    assert (run.code, run.outcomes[GATE]) == (0, "skipped")
    run = traffic.run()
    # an empty ranking is like none, another empty one included
    assert run.outcomes == {
        **{of(each): "passed" for each in CHANGED},
        of("nothing"): "failed",
        GATE: "passed",
    }
    assert run.results[of("a b c d")].evaluation.scores["overlap@10"] == 1.0
    why = "nothing was returned, as accepted; write results: 0 where that is meant"
    assert why in run.told(of("nothing"))
    search(traffic)
    assert "0.500: the accepted ranking is empty" in traffic.run().failure(
        of("nothing")
    )


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_what_changed_fails_by_title_and_nothing_of_it_is_known(
    traffic: Project, options: tuple[str, ...]
) -> None:
    traffic.run(ACCEPT)
    search(traffic, now=CHANGED)
    run = traffic.run(
        *options, "--relevance-known=xfail", "--relevance-markdown=run.md"
    )
    outcomes = {each: run.outcomes[of(each)] for each in CHANGED}
    assert outcomes == {
        "nothing": "failed",
        "a b c d": "passed",
        "e f g h": "failed",
        "i j k l": "failed",
    }
    assert "overlap@10 0.250 is below 0.500" in run.failure(of("e f g h"))
    assert "e  The e   1 -> gone" in run.failure(of("e f g h"))
    assert "mean overlap@10 0.312, below 0.700 (4 cases)" in run.failure(GATE)
    assert (
        "Search got worse: 2 queries" in run.summary
    )  # the accepted ranking of the other one is no better
    got_worse = (
        (traffic.path / "run.md")
        .read_text()
        .partition("**Got worse (2)**")[2]
        .splitlines()
    )
    assert [row.split(" | ")[:3] for row in got_worse[4:6]] == [
        ["| `i j k l`", "0.000", "`The i` 1\u00a0\u2192\u00a0gone"],
        ["| `e f g h`", "0.250", "`The e` 1\u00a0\u2192\u00a0gone"],
    ]


def test_an_update_judges_no_overlap_with_what_it_replaces(traffic: Project) -> None:
    traffic.run(ACCEPT)
    search(traffic, now=CHANGED)
    run = traffic.run(ACCEPT)
    assert (run.code, run.counts) == (0, {"passed": 4, "skipped": 1})
    assert traffic.run().outcomes[of("e f g h")] == "passed"


def test_a_new_case_is_only_measured_and_the_gate_says_how_many_are_compared(
    traffic: Project,
) -> None:
    traffic.run(ACCEPT)
    with (traffic.path / "traffic.csv").open("a") as file:
        file.write("o p\n")
    run = traffic.run("-rA")
    assert run.results[of("o p")].verdict == "measured"
    assert "overlap@10" not in run.results[of("o p")].evaluation.scores
    assert (
        "mean overlap@10 0.750, at least 0.700 (4 of 5 cases, those with a ranking in the baseline)"
        in " ".join(run.summary.split())
    )


def test_a_gate_alone_says_what_changed_most(traffic: Project) -> None:
    traffic.cases("{queries: traffic.csv, gates: [{mean: {overlap@10: 0.7}}]}")
    traffic.run(ACCEPT)
    search(traffic, now=CHANGED)
    run = traffic.run("--relevance-markdown=run.md", "--relevance-html=run.html")
    assert {result.verdict for result in run.results.values()} == {"measured"}
    assert "changed since the baseline (3)" in run.summary
    assert any(
        row[:8] == ["e", "f", "g", "h", "0.250", "The", "e", "1"]
        for row in run.summary_rows
    )
    changed = (
        (traffic.path / "run.md")
        .read_text("utf-8")
        .partition("**Changed (3)**")[2]
        .splitlines()[4:7]
    )
    assert [row.split(" | ")[:2] for row in changed] == [
        ["| `i j k l`", "0.000"],
        ["| `nothing`", "0.000"],
        ["| `e f g h`", "0.250"],
    ]
    rows = (
        (traffic.path / "run.html")
        .read_text("utf-8")
        .partition("<tbody>")[2]
        .partition("</tbody>")[0]
    )
    shown = re.findall(r'"query">([^<]*)<.*?<span title="overlap@10">([^<]*)<', rows)
    assert shown == [("i j k l", "0.000"), ("nothing", "0.000"), ("e f g h", "0.250")]


def test_a_case_that_fails_with_the_accepted_ranking_is_not_told_as_changed(
    traffic: Project,
) -> None:
    traffic.cases("{queries: traffic.csv, expect: {overlap@2: 0.5, results: 5}}")
    assert traffic.run().sentences("4 cases:") == [
        "4 cases: 4 failed (4 new to the baseline)"
    ]  # there is none yet
    traffic.run(ACCEPT)
    search(traffic, now={"a b c d": "b a c d", "i j k l": "x y z", "nothing": ""})
    run = traffic.run()
    assert run.counts == {"failed": 4}
    table = run.summary.partition("changed since the baseline (3)")[2]
    assert "a b c d" in table  # in another order, which overlap@2 counts as the same
    assert "e f g h" not in table


def test_a_record_in_the_place_of_a_baseline_and_the_reports_of_a_record(
    traffic: Project, command: Command
) -> None:
    traffic.run("--relevance-record=before.jsonl")
    search(traffic, now=CHANGED)
    run = traffic.run(
        "--relevance-against=before.jsonl", "--relevance-record=now.jsonl", "-n", "2"
    )
    assert run.outcomes[of("e f g h")] == run.outcomes[GATE] == "failed"
    code, text = command("report", "now.jsonl")
    assert "mean overlap@10 0.312, below 0.700 (4 cases)" in text
    code, text = command("merge", "now.jsonl")
    assert (code, "mean overlap@10 0.312, below 0.700 (4 cases)" in text) == (1, True)
    # beside another reference the scores are others, and a mean that no case has is
    # none
    traffic.run("--relevance-record=again.jsonl")
    code, text = command("report", "now.jsonl", "--against", "again.jsonl")
    assert "mean overlap@10 0.500, below 0.700 (4 cases)" in text


def test_judgments_and_floors_stand_beside_it(project: Project) -> None:
    project.cases("""
        k: 2
        min_judged: 0.9
        min_ndcg: 0.1
        expect: {Jaccard@2: ">= 0.3", P@2: 0.5}
        cases:
          - {query: a b, relevant: a}
          - {query: c d, relevant: c, expect: {results: 0, Jaccard@2: 1}}
          - {query: e f, relevant: e, expect: {Jaccard@2: null}}
    """)
    search(project, now={"c d": ""})
    project.run(ACCEPT)
    run = project.run()
    assert {name: result.verdict for name, result in run.results.items()} == {
        of("a b"): "inconclusive",
        of("c d"): "passed",
        of("e f"): "inconclusive",
    }
    search(project, now={"c d": "", "a b": "x a y"})
    run = project.run()
    assert run.results[of("a b")].verdict == "inconclusive"
    search(
        project, now={"c d": "c", "a b": "x y"}
    )  # no judgment of x and y could make them the accepted ones
    run = project.run()
    assert [run.results[of(each)].verdict for each in ("a b", "c d", "e f")] == [
        "failed",
        "failed",
        "inconclusive",
    ]
    result = run.results[of("a b")]
    assert result.baseline is not None
    assert (result.baseline.newly_failing, result.baseline.failed_before) == (
        True,
        False,
    )
    assert [
        reason.name
        for reason in result.evaluation.reasons
        if reason.kind == "similarity"
    ] == ["Jaccard@2"]


def test_a_metric_of_the_whole_ranking_needs_all_of_both(project: Project) -> None:
    project.cases('cases: [{query: a b c d, k: 2, expect: {"RBO(p=0.5)": 0.9}}]')
    search(project)
    run = project.run()
    assert (
        "RBO(p=0.5) looks at the whole ranking, and this search was asked for 2: write RBO(p=0.5)@2, or depth: 1000"
        in (run.told(of("a b c d")))
    )
    project.cases(
        'cases: [{query: a b c d, k: 2, depth: 9, expect: {"RBO(p=0.5)": 0.9, "overlap@4": 1}}]'
    )
    project.run(ACCEPT)
    search(project, now={"a b c d": "a b d c"})
    assert project.run().outcomes == {of("a b c d"): "passed"}
    search(project, now={"a b c d": "b a d c"})
    assert "RBO(p=0.5)" in project.run().failure(of("a b c d"))
    # the accepted ranking is as deep as the case looked then
    project.cases("cases: [{query: a b c d, k: 2, depth: 9, expect: {overlap@12: 1}}]")
    assert "the depth was 9 and is 12" in project.run().failure(of("a b c d"))


@pytest.mark.parametrize(("collapse", "overlap"), [("true", 1.0), ("false", 0.5)])
def test_documents_are_compared_where_chunks_are_collapsed(
    project: Project, command: Command, collapse: str, overlap: float
) -> None:
    project.cases(
        f"{{collapse: {collapse}, depth: 6, cases: [{{query: a a a b c c, expect: {{overlap@2: 0.1}}}}]}}"
    )
    search(project)
    project.run(ACCEPT, "--relevance-record=before.jsonl")
    search(project, now={"a a a b c c": "b a a a c c"})
    (result,) = project.run("--relevance-record=now.jsonl").results.values()
    assert result.evaluation.scores["overlap@2"] == overlap
    assert (
        f"mean overlap@2 of one {overlap:.3f}: "
        in command("compare", "before.jsonl", "now.jsonl", "--metric=overlap@2")[1]
    )


def test_a_check_has_nothing_to_compare_with(project: Project) -> None:
    project.test(
        'with pytest.raises(ValueError, match="takes no overlap@5: it has no accepted ranking"):',
        '    relevance.check("a", ["x"], expect={"overlap@5": 1})',
    )
    assert project.run("test_shop.py").counts == {"passed": 1}


APPROXIMATE = """
    gates:
      - {mean: {overlap@4: 0.9}, variant: ann, against: exact}
      - {mean: {overlap@4: 0.8}, variant: ann, against: exact, id: tail, tag: tail}
    cases: [{query: a b c d}, {query: e f g h, tags: [tail]}, {query: none, xfail: no such thing}]
"""
BETWEEN = "gate[mean overlap@4 0.9 of ann against exact]"


@pytest.mark.parametrize("options", [(), ("-n", "2"), (ACCEPT,)])
def test_one_variant_against_another(
    project: Project, command: Command, options: tuple[str, ...]
) -> None:
    project.cases(APPROXIMATE)
    search(project, "exact", "ann", now={("e f g h", "ann"): "e f g x"})
    run = project.run(*options, "--relevance-record=run.jsonl")
    assert (run.outcomes[BETWEEN], run.outcomes["gate[tail]"]) == ("passed", "failed")
    assert (
        'mean overlap@4 of "ann" against "exact" 0.750, below 0.800 (1 case)'
        in run.failure("gate[tail]")
    )
    assert (
        run.summary.count(" gate ") == 1
    )  # in the line of a variant: one verdict each
    assert "1 of 2 gates failed" in run.summary
    assert run.counts["failed"] == 1
    for name in ("report", "merge"):
        assert (
            'mean overlap@4 of "ann" against "exact" 0.750, below 0.800'
            in command(name, "run.jsonl")[1]
        )
    assert 'overlap@4 of "ann' not in project.run("-k", "exact").text


def test_variants_that_did_not_run_or_that_share_no_case(project: Project) -> None:
    project.cases(APPROXIMATE)
    search(project, "exact")  # as in a shard of a matrix of variants
    run = project.run("-rs")
    assert run.outcomes[BETWEEN] == "skipped"
    assert 'the variant "ann" did not run; "exact" did' in " ".join(run.text.split())
    assert project.run("--relevance-gates=require").outcomes[BETWEEN] == "failed"
    search(project, "exact", "fast")
    for options in ((), ("-n2",), (ACCEPT,)):
        why = " ".join(project.run(*options).failure(BETWEEN).split())
        assert 'the variant "ann" did not run; "exact" and "fast" did' in why
    assert (
        BETWEEN not in project.run("-k", "fast").text.partition("short test summary")[2]
    )
    search(
        project,
        "exact",
        "ann",
        now={("a b c d", "ann"): "", ("none", "ann"): "", ("none", "exact"): ""},
    )
    run = project.run()
    assert 'of "ann" against "exact" 0.333, below 0.900 (3 cases)' in run.told(BETWEEN)


def test_an_error_in_either_variant_fails_the_gate(project: Project) -> None:
    project.cases(APPROXIMATE)
    search(project, "exact", "ann", now={("a b c d", "exact"): 7})
    failed = project.run().failure(BETWEEN)
    assert "1 case ended in an error" in failed
    assert "1.000 (2 cases)" not in failed.splitlines()[0]
