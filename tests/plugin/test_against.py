"""`--relevance-against=RUN`: the record of another run in the place of committed
baselines; and `pytest-relevance report RUN --against BASELINE_OR_RUN`.
"""

import re
from pathlib import Path

import pytest

from tests.plugin.conftest import Command, Project, one_line
from tests.plugin.shop import (
    AGAINST,
    BASELINE,
    ONLY_NEW,
    RECORD,
    REQUIRE,
    UPDATE,
    Shop,
)

BRANCH = "--relevance-record=branch.jsonl"
CASES = """
    cases:
      - {query: floor, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: low, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: drop, judgments: {a: 3, b: 1}}
      - {query: rise, judgments: {a: 3, b: 1}}
"""
ELSEWHERE = "cases: [{query: elsewhere, judgments: {a: 3}}]"
CHANGED = "2 of 4 queries got worse (all for certain), 1 better"


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop with the record of main, and another ranking of most queries since."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(floor="a b", low="b a", drop="a b", rise="b a", elsewhere="a")
    shop.run(RECORD)
    shop.returns(floor="b a", drop="b a", rise="a b")
    return shop


def test_it_tells_what_a_committed_baseline_tells(shop: Shop) -> None:
    run = shop.run(AGAINST)
    failed = {"floor": "failed", "low": "failed", "drop": "failed"}
    assert run.outcomes == {**failed, "rise": "passed"}
    mean = (
        "mean nDCG@10 0.855 -> 0.782 (-0.073, 95% interval -0.290 to +0.145, p 1.000)"
    )
    counts = "4 cases: 2 failed, 1 measured; 1 failed before"
    sentence, *said = run.summary.splitlines()[:4]
    assert sentence.startswith(CHANGED)
    assert said == [mean, "1 the same", counts]
    reference = run.sentences("shop.relevance.yaml against main.jsonl of ")
    assert re.search(r" of [\d-]{10} [\d:]{5} UTC  p50 .* -> ", str(reference))
    assert "  a  Title of a   grade 3   1 -> 2   -0.339" in run.failure("floor")
    assert "--relevance-update" not in run.text  # an update does not change a record
    assert not shop.baseline.exists()
    tolerant = shop.run(AGAINST, "-o", "relevance_tolerance=0.5", "-k", "drop")
    assert tolerant.outcomes == {"drop": "passed"}


def test_what_left_has_the_title_that_the_record_knows(shop: Shop) -> None:
    shop.returns(floor="b")
    run = shop.run(AGAINST)
    assert "  a  Title of a   grade 3   1 -> not returned   -0.9" in run.failure(
        "floor"
    )
    in_full = f"in full  pytest -v {AGAINST} shop.relevance.yaml::floor"
    assert in_full in run.summary.splitlines()


def test_a_committed_baseline_is_left_alone(shop: Shop) -> None:
    shop.run(UPDATE)
    assert shop.run().sentences("4 the same")
    assert CHANGED in shop.run(AGAINST).summary
    for update in (UPDATE, ONLY_NEW):
        run = shop.run(AGAINST, update)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        assert "leave one of them out" in run.result.stderr.str()
    assert shop.accepted() == {
        "floor": "b a",
        "low": "b a",
        "drop": "b a",
        "rise": "a b",
    }


def test_a_record_of_other_searches_is_stale(shop: Shop) -> None:
    shop.cases(CASES.replace("drop, ", "drop, params: {locale: en}, "))
    shop.search('return lambda query, locale=None: ["a", "b"]')
    run = shop.run(AGAINST)
    assert run.outcomes["drop"] == "failed"
    why = 'the parameter "locale" is new'
    said = f"the entry in main.jsonl is stale: {why}; make that record again"
    assert said in run.told("drop")
    assert "1 stale" in run.summary


def test_the_record_may_be_packed_and_written_anew(shop: Shop) -> None:
    shop.returns(floor="a b", drop="a b", rise="b a")
    shop.run(f"{RECORD}.gz")
    shop.returns(floor="b a", drop="b a", rise="a b")
    run = shop.run(f"{AGAINST}.gz", f"{RECORD}.gz")
    assert CHANGED in run.summary
    assert shop.run(f"{AGAINST}.gz").sentences("4 the same")


def test_it_is_found_from_another_folder(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case file is known by its node id, wherever pytest is started."""
    (shop.path / "deeper").mkdir()
    shop.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(shop.path / "deeper")
    run = shop.run("--relevance-against=../main.jsonl", "..", "--rootdir", "..")
    assert CHANGED in run.said


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", None, "main.jsonl: cannot be read: No such file or directory"),
        ('{"kind":', '{"lost":', "main.jsonl:1: this is not a record: it begins with"),
        ('"run":{', '"run":{"missing":["shop.relevance.yaml::x"],',
         "main.jsonl: the run is not complete, 1 case did not finish; compare with a record of a run that is"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_read_is_a_usage_error(
    shop: Shop, old: str, new: str | None, why: str
) -> None:
    record = shop.path / "main.jsonl"
    text = record.read_text()
    record.unlink() if new is None else record.write_text(text.replace(old, new, 1))
    run = shop.run(AGAINST)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert f"--relevance-against: {why}" in run.result.stderr.str()
    assert "::" not in run.text  # no case ran


def test_where_a_baseline_is_required_the_record_must_have_the_file(shop: Shop) -> None:
    assert shop.run(AGAINST, REQUIRE).counts == {"passed": 1, "failed": 3}
    shop.cases(ELSEWHERE, "other.relevance.yaml")
    run = shop.run(AGAINST, REQUIRE)
    assert "main.jsonl has no scored case of other.relevance.yaml" in run.text


def test_a_record_that_has_none_of_the_cases_fails_the_run(shop: Shop) -> None:
    shop.cases(ELSEWHERE, "other.relevance.yaml")
    run = shop.run(AGAINST, "other.relevance.yaml")
    assert run.code == 1
    assert "has none of the case files that ran" in one_line(run.text)


@pytest.mark.parametrize("options", [[], [AGAINST]], ids=["baseline", "record"])
def test_files_of_the_present_formats_are_compared_with(
    project: Project, options: list[str]
) -> None:
    """`tests/results/formats` has both, with their suite and search."""
    formats = Path(__file__).parents[1] / "results" / "formats"
    for name, copy in (
        ("search.txt", "conftest.py"),
        ("shop.txt", "shop.relevance.yaml"),
        ("baseline-2.jsonl", BASELINE),
        ("record-3.jsonl", "main.jsonl"),
    ):
        project.write(copy, (formats / name).read_text())
    run = project.run(*options)
    # the search of one case fails, then and now
    assert run.sentences("4 the same") == ["4 the same, 1 new or not compared"]
    assert "stale" not in run.summary
    assert "is not compared" not in run.summary


# --- pytest-relevance report RUN --against BASELINE_OR_RUN ----------------------------


def test_a_report_from_two_files_says_what_a_run_says(
    shop: Shop, command: Command
) -> None:
    gates = "    gates: [{max_drop: {nDCG@10: 0.05, P@1: 0.1}}]"
    shop.cases(gates + CASES)
    shop.returns(floor="a b", drop="a b", rise="b a")
    shop.run(RECORD)
    shop.run(UPDATE)
    kept = shop.baseline.read_bytes()
    shop.returns(floor="b a", drop="b a", rise="a b")
    compared = shop.run()
    shop.baseline.unlink()
    shop.run(BRANCH)
    shop.baseline.write_bytes(kept)
    for accepted in ("main.jsonl", BASELINE):
        report = ("report", "branch.jsonl", "--against", accepted)
        text = command(*report).out
        assert CHANGED in text
        assert f"shop.relevance.yaml against {accepted} " in text
        assert text.index(": nDCG@10 0.710") < text.index("failed before: ")
        for said in (
            "mean nDCG@10 0.855 -> 0.782 (-0.073, 95% interval -0.290 to +0.145, p 1.000)",
            "mean nDCG@10 fell by 0.073, from 0.855 to 0.782",
            "mean P@1 is unchanged, from 1.000 to 1.000",
        ):
            assert said in one_line(compared.text)
            assert said in text
        markdown = command(*report, "--format=markdown").out
        assert "- mean nDCG@10 0.855" in markdown
        assert f"`search`, `against {accepted}" in markdown


def test_a_report_knows_the_sets_of_an_order(shop: Shop, command: Command) -> None:
    """The accepted ranking "b a c" has both of the first set above c."""
    order = "expect: {order: [[a, b], [c]]}, judgments: {a: 3}"
    shop.cases(f"cases: [{{query: floor, {order}}}]")
    shop.returns(floor="b a c")
    shop.run(RECORD)
    shop.returns(floor="c a b")
    shop.run(BRANCH)
    text = command("report", "branch.jsonl", "--against", "main.jsonl").out
    assert "Search got worse: 1 query" in text


def test_a_report_scores_the_accepted_rankings_under_the_judgments_of_the_run(
    shop: Shop, command: Command
) -> None:
    shop.cases(CASES.replace("{a: 3, b: 1}", "{a: 1, b: 3}"))
    shop.run(BRANCH)
    (expected,) = shop.run(AGAINST).sentences("mean nDCG@10 0.855 -> ")
    assert "0.855 -> 0.927 (+0.073, " in expected
    text = command("report", "branch.jsonl", "--against", "main.jsonl").out
    assert expected in text


def test_a_report_calls_stale_what_it_cannot_score(
    project: Project, command: Command
) -> None:
    """A record names the judged documents of the ideal top: with very many, not all of
    them.
    """
    shop = Shop(project)
    names = [f"d{number}" for number in range(40)]
    shop.returns(boots=" ".join(reversed(names[-10:])))
    for judged, record in ((names[:5], RECORD), (names, BRANCH)):
        grades = ", ".join(f"{name}: 1" for name in judged)
        shop.cases(f"cases: [{{query: boots, judgments: {{{grades}}}, min_ndcg: 0.5}}]")
        shop.run(record)
        shop.returns(boots="x y z")
    text = command("report", "branch.jsonl", "--against", "main.jsonl").out
    assert "1 case: 1 stale" in text
    assert "mean nDCG@10 0" not in text.rpartition("max")[2].partition("lowest")[0]
