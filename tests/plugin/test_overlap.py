"""Rankings compared with accepted ones, and with those of another variant: tests that
need no judgments.
"""

import re

import pytest

from tests.plugin.conftest import Command, Project, one_line
from tests.plugin.shop import KNOWN, REQUIRE, UPDATE

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


GATE = "gate[mean overlap@10 0.7][one]"
CHANGED = {"nothing": "", "a b c d": "b c d a", "e f g h": "x y z h", "i j k l": ""}


@pytest.fixture
def traffic(project: Project) -> Project:
    """Four queries without a judgment."""
    project.write("traffic.csv", "query\na b c d\ne f g h\ni j k l\nnothing\n")
    project.cases(
        "{queries: traffic.csv, expect: {overlap@10: 0.5}, gates: [{mean: {overlap@10: 0.7}}]}"
    )
    search(project, now={"nothing": ""})
    return project


@pytest.fixture
def accepted(traffic: Project) -> Project:
    """The same with accepted rankings."""
    traffic.run(UPDATE)
    return traffic


def of(query: str) -> str:
    return f"{query}[one]"


def test_the_first_day_and_those_after_it(traffic: Project) -> None:
    run = traffic.run()
    assert run.code == 1
    assert {result.verdict for result in run.results.values()} == {"measured"}
    adds = "pytest --relevance-update=new shop.relevance.yaml # 4 cases have no baseline yet"
    assert adds in run.said
    none = (
        "overlap@10 has no baseline, or a stale one; accept the rankings of today with"
    )
    assert none in run.failure(GATE)
    assert traffic.run(REQUIRE).code == 2

    run = traffic.run(UPDATE)
    assert (run.code, run.gates) == (0, {GATE: "skipped"})
    run = traffic.run()
    queries = map(of, ["a b c d", "e f g h", "i j k l"])
    passed = dict.fromkeys([GATE, *queries], "passed")
    # an empty ranking is like none, another empty one included
    assert run.outcomes == {**passed, of("nothing"): "failed"}
    assert run.results[of("a b c d")].evaluation.scores["overlap@10"] == 1.0
    why = "nothing was returned, as in the accepted ranking; write results: 0 if that is meant"
    assert why in run.told(of("nothing"))
    search(traffic)
    empty = "0.500: the accepted ranking is empty"
    assert empty in traffic.run().failure(of("nothing"))


def test_what_changed_fails_by_title_and_nothing_of_it_is_known(
    accepted: Project,
) -> None:
    search(accepted, now=CHANGED)
    found = accepted.reports(KNOWN)
    run = found.run
    failed = [each for each in CHANGED if run.outcomes[of(each)] == "failed"]
    assert failed == ["nothing", "e f g h", "i j k l"]
    failure = run.failure(of("e f g h"))
    assert "overlap@10 0.250 is below 0.500" in failure
    assert "e  The e   1 -> not returned" in failure
    assert "mean overlap@10 0.312, below 0.700 (4 cases)" in run.failure(GATE)
    # the accepted ranking of the other one is no better
    one_emptied = "Search got worse: 1 of 4 queries (for certain)"
    assert f"{one_emptied}; 1 changed by more than allowed" in run.summary
    advice = "pytest --relevance-update # 1 changed, and also what got worse"
    assert f"{advice}, unless you name cases" in run.said
    _, worse, differ = re.split(
        r"\*\*(?:Got worse|Changed by .*?) \(1\)", found.markdown
    )
    assert "| `i j k l` | 0.000 | certain | `The i`" in worse
    assert "| `e f g h` | 0.250 | `The e`" in differ


def test_an_update_judges_no_overlap_with_what_it_replaces(accepted: Project) -> None:
    search(accepted, now=CHANGED)
    run = accepted.run(UPDATE)
    assert (run.code, run.counts) == (0, {"passed": 4, "skipped": 1})
    assert accepted.run().outcomes[of("e f g h")] == "passed"


def test_a_new_case_is_only_measured_and_the_gate_says_how_many_are_compared(
    accepted: Project,
) -> None:
    with (accepted.path / "traffic.csv").open("a") as file:
        file.write("o p\n")
    run = accepted.run("-rA")
    assert run.results[of("o p")].verdict == "measured"
    assert "overlap@10" not in run.results[of("o p")].evaluation.scores
    compared = "0.700 (4 of 5 cases, those with a ranking in the baseline)"
    assert f"mean overlap@10 0.750, at least {compared}" in run.said


def test_a_gate_alone_says_what_changed_most(traffic: Project) -> None:
    traffic.cases("{queries: traffic.csv, gates: [{mean: {overlap@10: 0.7}}]}")
    traffic.run(UPDATE)
    search(traffic, now=CHANGED)
    found = traffic.reports()
    assert {each.verdict for each in found.run.results.values()} == {"measured"}
    assert "\nchanged\n" in found.run.summary
    assert "  0.250  e f g h\n      fell: The e rank 1 -> " in found.run.summary
    changed = [("i j k l", "0.000"), ("nothing", "0.000"), ("e f g h", "0.250")]
    table = found.markdown.partition("**Changed (3)**")[2]
    assert re.findall(r"\| `([^`|]*)` \| ([\d.]+) \|", table)[:3] == changed
    page = (traffic.path / "run.html").read_text("utf-8")
    rows = page.partition("<tbody>")[2].partition("</tbody>")[0]
    shown = re.findall(
        r'"query"><bdi>([^<]*)<.*?<span title="overlap@10">([^<]*)<', rows
    )
    assert shown == [(query, f"overlap@10 {score}") for query, score in changed]


def test_a_case_that_fails_with_the_accepted_ranking_is_not_told_as_changed(
    traffic: Project,
) -> None:
    traffic.cases("{queries: traffic.csv, expect: {overlap@2: 0.5, results: 5}}")
    new = "4 cases: 4 failed (4 new to the reference)"
    assert traffic.run().sentences("4 cases:") == [new]
    traffic.run(UPDATE)
    search(traffic, now={"a b c d": "b a c d", "i j k l": "x y z", "nothing": ""})
    run = traffic.run()
    assert run.counts == {"failed": 4}
    table = run.summary.partition("\nchanged by more than allowed")[2]
    assert "i j k l" in table
    assert (
        "a b c d" not in table
    )  # in another order, which overlap@2 counts as the same
    assert "e f g h" not in table


def test_a_record_in_the_place_of_a_baseline_and_the_reports_of_a_record(
    traffic: Project, command: Command
) -> None:
    traffic.run("--relevance-record=before.jsonl")
    search(traffic, now=CHANGED)
    run = traffic.run(
        "--relevance-against=before.jsonl", "--relevance-record=now.jsonl", "-n1"
    )
    assert run.outcomes[of("e f g h")] == run.outcomes[GATE] == "failed"
    mean = "mean overlap@10 0.312, below 0.700 (4 cases)"
    assert mean in command("report", "now.jsonl").out
    merged = command("merge", "now.jsonl")
    assert merged.code == 1
    assert mean in merged.out
    # beside another reference the scores are others, and a mean that no case has is
    # none
    traffic.run("--relevance-record=again.jsonl")
    text = command("report", "now.jsonl", "--against", "again.jsonl").out
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
    empty = {"c d": ""}
    search(project, now=empty)
    project.run(UPDATE)
    for now, verdicts in (
        (empty, ["inconclusive", "passed", "inconclusive"]),
        ({**empty, "a b": "x a y"}, ["inconclusive", "passed", "inconclusive"]),
        # no judgment of x and y could make them the accepted ones
        ({"c d": "c", "a b": "x y"}, ["failed", "failed", "inconclusive"]),
    ):
        search(project, now=now)
        results = project.run().results
        assert [each.verdict for each in results.values()] == verdicts
    result = results[of("a b")]
    assert result.baseline is not None
    assert result.baseline.newly_failing
    assert not result.baseline.failed_before
    reasons = {(each.kind, each.name) for each in result.evaluation.reasons}
    assert ("similarity", "Jaccard@2") in reasons


def test_a_metric_of_the_whole_ranking_needs_all_of_both(project: Project) -> None:
    case = 'cases: [{query: a b c d, k: 2, depth: 9, expect: {"RBO(p=0.5)": 0.9}}]'
    project.cases(case.replace("depth: 9, ", ""))
    search(project)
    why = "looks at the whole ranking, and this search was asked for 2: write RBO(p=0.5)@2, or depth: 1000"
    assert f"RBO(p=0.5) {why}" in project.run().told(of("a b c d"))
    project.cases(case)
    project.run(UPDATE)
    search(project, now={"a b c d": "a b d c"})
    assert project.run().outcomes == {of("a b c d"): "passed"}
    search(project, now={"a b c d": "b a d c"})
    assert "RBO(p=0.5)" in project.run().failure(of("a b c d"))
    # the accepted ranking is as deep as the case looked then
    project.cases(case.replace('"RBO(p=0.5)": 0.9', "overlap@12: 1"))
    assert "the depth was 9 and is 12" in project.run().failure(of("a b c d"))


@pytest.mark.parametrize(("collapse", "overlap"), [("true", 1.0), ("false", 0.5)])
def test_documents_are_compared_where_chunks_are_collapsed(
    project: Project, command: Command, collapse: str, overlap: float
) -> None:
    case = "{query: a a a b c c, expect: {overlap@2: 0.1}}"
    project.cases(f"collapse: {collapse}\ndepth: 6\ncases: [{case}]")
    search(project)
    project.run(UPDATE, "--relevance-record=before.jsonl")
    search(project, now={"a a a b c c": "b a a a c c"})
    (result,) = project.run("--relevance-record=now.jsonl").results.values()
    assert result.evaluation.scores["overlap@2"] == overlap
    compared = command("compare", "before.jsonl", "now.jsonl", "--metric=overlap@2")
    assert f"mean overlap@2 of one {overlap:.3f}: " in compared.out


# --- one variant against another ------------------------------------------------------

APPROXIMATE = """
    gates:
      - {mean: {overlap@4: 0.9}, variant: ann, against: exact}
      - {mean: {overlap@4: 0.8}, variant: ann, against: exact, id: tail, tag: tail}
    cases: [{query: a b c d}, {query: e f g h, tags: [tail]}, {query: none, xfail: no such thing}]
"""
BETWEEN = "gate[mean overlap@4 0.9 of ann against exact]"
OF_ANN = 'mean overlap@4 of "ann" against "exact"'


@pytest.fixture
def approximate(project: Project) -> Project:
    project.cases(APPROXIMATE)
    return project


@pytest.mark.parametrize("options", [(), (UPDATE,)], ids=str)
def test_one_variant_against_another(
    approximate: Project, command: Command, options: tuple[str, ...]
) -> None:
    search(approximate, "exact", "ann", now={("e f g h", "ann"): "e f g x"})
    run = approximate.run(*options, "--relevance-record=run.jsonl")
    assert run.gates == {BETWEEN: "passed", "gate[tail]": "failed"}
    found = f"{OF_ANN} 0.750, below 0.800"
    assert f"{found} (1 case)" in run.failure("gate[tail]")
    # in the line of a variant: one verdict each
    assert run.summary.count(" gate passed, ") == 1
    assert run.summary.count("] not met: ") == 1
    assert run.counts["failed"] == 1
    for name in ("report", "merge"):
        assert found in command(name, "run.jsonl").out
    assert OF_ANN not in approximate.run("-k", "exact").text


def test_a_variant_that_did_not_run_as_in_a_shard_leaves_the_gate_open(
    approximate: Project,
) -> None:
    search(approximate, "exact")
    run = approximate.run("-rs")
    assert run.gates[BETWEEN] == "skipped"
    why = 'the variant "ann" did not run; "exact" did'
    assert why in one_line(run.text)
    required = approximate.run("--relevance-gates=require")
    assert required.gates[BETWEEN] == "failed"


@pytest.mark.parametrize("options", [(), (UPDATE,)], ids=str)
def test_a_variant_that_there_is_not_fails_the_gate(
    approximate: Project, options: tuple[str, ...]
) -> None:
    search(approximate, "exact", "fast")
    why = 'the variant "ann" did not run; "exact" and "fast" did'
    assert why in approximate.run(*options).told(BETWEEN)
    part = approximate.run("-k", "fast").text
    assert BETWEEN not in part.partition("short test summary")[2]


def test_an_empty_overlap_is_0(approximate: Project) -> None:
    nothing = [("a b c d", "ann"), ("none", "ann"), ("none", "exact")]
    search(approximate, "exact", "ann", now=dict.fromkeys(nothing, ""))
    run = approximate.run()
    assert f"{OF_ANN} 0.333, below 0.900 (3 cases)" in run.told(BETWEEN)


def test_an_error_in_either_variant_fails_the_gate(approximate: Project) -> None:
    search(approximate, "exact", "ann", now={("a b c d", "exact"): 7})
    failed = approximate.run().failure(BETWEEN)
    assert "1 case ended in an error" in failed
    assert "1.000 (2 cases)" not in failed.splitlines()[0]


def test_compare_and_history_count_what_changed_by_more_than_allowed(
    traffic: Project, command: Command
) -> None:
    """As the second run did against the first: what returns nothing now got worse."""
    traffic.run("--relevance-record=1.jsonl")
    search(traffic, now=CHANGED)
    against = traffic.run("--relevance-against=1.jsonl", "--relevance-record=2.jsonl")
    said = "1 of 4 queries (for certain); 1 changed by more than allowed"
    assert f"Search got worse: {said}" in against.said
    compared = command("compare", "1.jsonl", "2.jsonl").out
    assert f"Search got worse: {said}; 3 differ by overlap@10" in compared
    assert " 2 the same " in against.said
    assert " 2 the same " in compared
    history = command("history", "1.jsonl", "2.jsonl").out
    assert f"Since the first run search got worse: {said}" in history
