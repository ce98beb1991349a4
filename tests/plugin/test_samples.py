"""A suite of 1,000 queries, of which 50 are drawn: what a run says and compares."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.plugin.conftest import Command, Project
from tests.plugin.shop import AGAINST, ONLY_TEST, RECORD, REQUIRE, UPDATE, Shop

QUERIES = 1000
ALL = "--relevance-sample=all"

SEARCH = """
    import json
    import pathlib
    import pytest

    WORSE = pathlib.Path(__file__).with_name("worse.json")

    @pytest.fixture(scope="session")
    def search():
        worse = set(json.loads(WORSE.read_text()))
        def search(query, k=10):
            return ["b", "a"] if query in worse else ["a", "b"]
        return search
"""


class Log(Shop):
    """A project with a log of queries. Its search has the judged document on top."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.conftest(SEARCH)
        self.worse()
        self.queries = [f"query {number}" for number in range(QUERIES)]
        self.suite()

    def suite(
        self, sample: str = "n: 50", more: str = "", *, floor: float = 0.5
    ) -> None:
        """Write the log, judgments of its queries, and the case file.

        The last query has the largest size, if a size is used.
        """
        has_sizes = "size" in sample
        rows = "query,size\n" if has_sizes else "query\n"
        for number, query in enumerate(self.queries, start=1):
            rows += f"{query},{number**3}\n" if has_sizes else f"{query}\n"
        self.write("log.csv", rows)
        judged = "".join(f"{query},a,1\n" for query in self.queries)
        self.write("judgments.csv", f"query,document,grade\n{judged}")
        self.cases(
            f"queries: {{file: log.csv, sample: {{{sample}}}}}\njudgments: judgments.csv\nmin_ndcg: {floor}\n{more}"
        )

    def worse(self, *queries: str) -> None:
        """Return the judged document second for these queries from now on."""
        self.write("worse.json", json.dumps(queries))

    def drawn(self) -> list[str]:
        """The queries that the baseline has."""
        return [*self.accepted()]


@pytest.fixture
def log(project: Project) -> Log:
    return Log(project)


def recorded(log: Log, name: str = "main.jsonl") -> list[dict[str, Any]]:
    lines = (log.path / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# --- a run ----------------------------------------------------------------------------


def test_how_many_of_the_drawn_queries_are_judged_and_became_cases(
    log: Log, command: Command
) -> None:
    log.suite()
    judged = "".join(f"{query},a,1\n" for query in log.queries[::2])
    log.write("judgments.csv", f"query,document,grade\n{judged}")
    log.cases(
        "queries: {file: log.csv, only: judged, sample: {n: 50}}\njudgments: judgments.csv\n"
    )
    found = log.reports("-q", RECORD)
    count = len(found.run.results)
    assert 0 < count < 50
    said = (
        f"50 of 1,000 queries of log.csv; {count} of these 50 are judged and became "
        "cases (only: judged)"
    )
    assert said in found.run.said
    assert said in found.markdown
    assert said in command("report", "main.jsonl", "--against", "main.jsonl").out
    assert said in command("compare", "main.jsonl", "main.jsonl").out


def test_every_report_says_how_many_queries_are_drawn(
    log: Log, command: Command
) -> None:
    found = log.reports()
    assert found.run.counts == {"passed": 50}
    said = "shop.relevance.yaml: 50 of 1,000 queries of log.csv"
    assert found.all_say(said)
    assert said in command("report", "run.jsonl").out
    data = json.loads(command("report", "run.jsonl", "--format=json").out)
    (sample,) = data["files"]["shop.relevance.yaml"]["drawn"]["samples"]
    assert (sample["drawn"], sample["total"]) == (50, 1000)
    assert all(result["is_sampled"] for result in data["results"])


def test_a_sample_that_is_larger_than_the_file_is_said(log: Log) -> None:
    log.queries = log.queries[:30]
    log.suite()
    run = log.run()
    assert run.counts == {"passed": 30}
    assert "all 30 queries of log.csv (n is 50)" in run.said


@pytest.mark.parametrize("how", [[ALL], ["-orelevance_sample=all"]])
def test_all_queries_run_on_demand(log: Log, how: list[str]) -> None:
    log.queries = log.queries[:100]
    log.suite()
    run = log.run(*how)
    assert run.counts == {"passed": 100}
    assert "all 100 queries of log.csv (relevance_sample is all)" in run.said


def test_workers_draw_the_same_and_shards_merge(log: Log, command: Command) -> None:
    assert log.run("-n1", RECORD).counts == {"passed": 50}
    names = {line["id"] for line in recorded(log) if "verdict" in line}
    assert len(names) == 50
    for shard, chosen in (("one", "1 or 2 or 3"), ("two", "not (1 or 2 or 3)")):
        log.run(f"-k {chosen}", f"--relevance-record={shard}.jsonl")
    merged = command("merge", "one.jsonl", "two.jsonl", "-o", "whole.jsonl")
    assert merged.code == 0
    assert "50 of 1,000 queries of log.csv" in merged.out
    again = {line["id"] for line in recorded(log, "whole.jsonl") if "verdict" in line}
    assert again == names


# --- a reference ----------------------------------------------------------------------


@pytest.fixture
def accepted(log: Log) -> Log:
    """A log with a baseline, and a record of the same day."""
    log.run(UPDATE, RECORD)
    return log


BOTH = pytest.mark.parametrize(
    ("against", "name"),
    [([], "the baseline"), ([AGAINST], "main.jsonl")],
    ids=["baseline", "record"],
)


def test_the_sample_is_in_the_baseline(accepted: Log) -> None:
    header, entry, *_ = recorded(accepted, accepted.baseline.name)
    assert header["demands"]["samples"] == [
        {"file": "log.csv", "rule": {"n": 50}, "drawn": 50, "total": 1000}
    ]
    assert entry["is_sampled"] is True


@BOTH
def test_a_query_that_leaves_the_sample_is_not_gone(
    accepted: Log, against: list[str], name: str
) -> None:
    """A new query enters, and takes the place of another one."""
    before = set(accepted.drawn())
    for number in range(1000, 1200):
        accepted.queries.append(f"query {number}")
    accepted.suite()
    found = accepted.reports(REQUIRE, *against)
    assert found.run.code == 0
    entered = found.run.said.partition(" entered since ")[0].rpartition(" ")[2]
    assert 1 <= int(entered) <= 20
    assert found.all_say(
        f"50 of 1,200 queries of log.csv; {name} has 50 of 1,000 queries of log.csv; {entered} entered since {name} "
        f"and have nothing to compare with, {entered} left the sample"
    )
    assert "gone" not in found.run.said
    assert "the test changed" not in found.run.said
    updated = accepted.run(UPDATE)
    assert len(before - set(accepted.drawn())) == int(entered)
    assert f"{entered} added" in updated.said


@BOTH
def test_a_query_that_is_not_in_the_file_any_more_is_gone(
    accepted: Log, against: list[str], name: str
) -> None:
    gone = accepted.drawn()[0]
    accepted.queries.remove(gone)
    accepted.suite()
    run = accepted.run(REQUIRE, *against)
    assert run.code == 1
    assert f'the test changed: 1 case is gone ("{gone}")' in run.said
    assert f"50 of 999 queries of log.csv; {name} has 50 of 1,000" in run.said
    assert f"1 entered since {name} and has nothing to compare with" in run.said


@BOTH
def test_a_file_that_shrank_is_said(
    accepted: Log, against: list[str], name: str
) -> None:
    drawn = accepted.drawn()
    others = [query for query in accepted.queries if query not in drawn]
    accepted.queries = drawn + others[:10]
    accepted.suite()
    found = accepted.reports(REQUIRE, *against)
    assert found.run.code == 0
    said = f"50 of 60 queries of log.csv; {name} has 50 of 1,000 queries of log.csv"
    assert found.all_say(said)


CHANGES: Mapping[str, str] = {
    "n: 40": "sample of log.csv: n 50 -> 40",
    "n: 60, seed: 8": "sample of log.csv: n 50 -> 60, seed 0 -> 8",
}


@BOTH
@pytest.mark.parametrize(("sample", "says"), CHANGES.items())
def test_a_smaller_or_another_sample_is_looser(
    accepted: Log, against: list[str], name: str, sample: str, says: str
) -> None:
    accepted.suite(sample)
    found = accepted.reports(REQUIRE, *against)
    assert f"the test changed: {says}" in found.run.said
    assert f"the test changed: {says}" in found.markdown
    assert found.all_say("the test changed: 1 sample changed")
    assert "gone" not in found.run.said
    if not against:
        assert "the test of shop.relevance.yaml is looser than its baseline" in (
            found.run.said
        )
    assert found.run.code == (0 if against else 1)


@BOTH
def test_a_larger_sample_is_stricter(
    accepted: Log, against: list[str], name: str
) -> None:
    accepted.suite("n: 60")
    run = accepted.run(REQUIRE, *against)
    assert run.code == 0
    assert "the test changed: 1 stricter change: sample" in run.said
    assert f"10 entered since {name} and have nothing to compare with" in run.said


def test_an_update_of_the_test_accepts_a_smaller_sample(accepted: Log) -> None:
    accepted.suite("n: 40")
    run = accepted.run(ONLY_TEST)
    assert "accepted: sample of log.csv: n 50 -> 40" in run.said
    assert len(accepted.drawn()) == 40
    assert accepted.run(REQUIRE).code == 0


@BOTH
def test_a_new_sample_of_a_whole_file_is_looser(
    log: Log, against: list[str], name: str
) -> None:
    log.queries = log.queries[:100]
    log.suite()
    log.cases("queries: log.csv\njudgments: judgments.csv\nmin_ndcg: 0.5\n")
    log.run(UPDATE, RECORD)
    log.suite()
    run = log.run(REQUIRE, *against)
    assert "the test changed: sample of log.csv: all queries -> n 50" in run.said
    assert "gone" not in run.said
    assert run.code == (0 if against else 1)


def test_a_fall_counts_in_a_sample_as_in_any_suite(accepted: Log) -> None:
    accepted.worse(accepted.drawn()[0])
    run = accepted.run()
    assert run.code == 1
    assert "Search got worse: 1 of 50 queries" in run.said


# --- the nightly build ----------------------------------------------------------------


@BOTH
def test_all_queries_beside_a_reference_of_a_sample(
    log: Log, against: list[str], name: str
) -> None:
    log.queries = log.queries[:100]
    log.suite()
    log.run(UPDATE, RECORD)
    found = log.reports(ALL, REQUIRE, *against)
    assert found.run.code == 0
    assert found.all_say(
        f"all 100 queries of log.csv (relevance_sample is all); {name} has 50 of 100 queries of log.csv; "
        f"50 queries are not in {name}"
    )
    assert "the test changed" not in found.run.said


@BOTH
def test_a_sample_beside_a_reference_of_all_queries(
    log: Log, against: list[str], name: str
) -> None:
    log.queries = log.queries[:100]
    log.suite()
    log.run(ALL, UPDATE, RECORD)
    found = log.reports(REQUIRE, *against)
    assert found.run.code == 0
    assert found.all_say(
        f"50 of 100 queries of log.csv; {name} has all 100 queries of log.csv; 50 queries of {name} are not drawn now"
    )
    assert "gone" not in found.run.said


# --- two records ----------------------------------------------------------------------

OLD, NEW = "--relevance-record=old.jsonl", "--relevance-record=new.jsonl"


def test_samples_of_two_runs_are_compared_over_what_both_drew(
    log: Log, command: Command
) -> None:
    log.run(OLD)
    log.queries += [f"query {number}" for number in range(1000, 1200)]
    log.suite()
    log.run(NEW)
    found = command("compare", "old.jsonl", "new.jsonl")
    assert found.code == 0
    assert "left out: new.jsonl did not draw " in found.out
    assert "left out: old.jsonl did not draw " in found.out
    assert "old.jsonl: shop.relevance.yaml: 50 of 1,000 queries of log.csv" in found.out
    assert "the test changed" not in found.out
    reported = command("report", "new.jsonl", "--against", "old.jsonl")
    assert "have nothing to compare with" in reported.out
    assert "gone" not in reported.out


@pytest.mark.parametrize(("first", "second"), [("some", "all"), ("all", "some")])
def test_a_sample_and_all_queries_compare_over_the_sample(
    log: Log, command: Command, first: str, second: str
) -> None:
    """The weights are those of the sample, whichever run it is from."""
    log.queries = log.queries[:100]
    log.suite("n: 20, by: size")
    log.run("--relevance-record=some.jsonl")
    drawn = [line for line in recorded(log, "some.jsonl") if "verdict" in line]
    worse = drawn[0]
    log.worse(*(line["id"] for line in drawn if line is not worse))
    log.run(ALL, "--relevance-record=all.jsonl")
    found = command("compare", f"{first}.jsonl", f"{second}.jsonl", "--format=json")
    data = json.loads(found.out)
    share = worse["weight"] / sum(line["weight"] for line in drawn)
    expected = share + (1 - share) * 0.6309
    mean = "first" if first == "all" else "second"
    assert data["mean"][mean] == pytest.approx(expected, abs=1e-4)


def test_gates_of_a_sample_count_weights(log: Log) -> None:
    """Of five queries, the two that pass are the largest: 189 of 225 parts."""
    log.queries = log.queries[:5]
    gates = "gates: [{passing: 0.8}, {passing: 0.9, id: high}, {p20: {nDCG@10: 0.9}}]\n"
    log.suite("n: 5, by: size", gates, floor=0.9)
    log.worse(*log.queries[:3])
    run = log.run()
    assert run.counts == {"passed": 4, "failed": 4}
    assert "2 of 5 cases pass (84.0% by weight), less than 90%" in run.text


def test_the_lowest_score_of_a_sample_is_no_gate(log: Log) -> None:
    log.suite(more="gates: [{min: {nDCG@10: 0.3}}]\n")
    said = "the lowest score of a sample says nothing of the queries that are not drawn"
    advice = "write p2, the lowest percentile of 50 cases, or take sample out"
    assert f"gates[0].min: {said}; {advice}" in log.run().text
    log.suite(more="gates: [{p2: {nDCG@10: 0.3}}]\n")
    assert log.run().counts == {"passed": 51}


def test_a_history_says_how_many_queries_the_last_run_drew(
    log: Log, command: Command
) -> None:
    log.run("--relevance-record=one.jsonl")
    log.run("--relevance-record=two.jsonl")
    for format_ in ("text", "markdown", "html"):
        found = command("history", "one.jsonl", "two.jsonl", f"--format={format_}")
        assert "the last run has 50 of 1,000 queries of log.csv" in found.out
