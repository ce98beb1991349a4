"""`--relevance-against=RUN`: the record of another run in the place of committed
baselines.
"""

from pathlib import Path

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import UPDATE, Shop

AGAINST, RECORD = "--relevance-against=main.jsonl", "--relevance-record=main.jsonl"
WORKERS = pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])

CASES = """
    cases:
      - {query: floor, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: low, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: drop, judgments: {a: 3, b: 1}}
      - {query: rise, judgments: {a: 3, b: 1}}
"""


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop with the record of main, and another ranking of most queries since."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(floor="a b", low="b a", drop="a b", rise="b a")
    shop.run(RECORD)
    shop.returns(floor="b a", drop="b a", rise="a b")
    return shop


@WORKERS
def test_it_tells_what_a_committed_baseline_tells(
    shop: Shop, workers: tuple[str, ...]
) -> None:
    run = shop.run(AGAINST, *workers)
    assert run.outcomes == {
        "floor": "failed",
        "low": "failed",
        "drop": "failed",
        "rise": "passed",
    }
    assert run.summary.splitlines()[2:4] == [
        "against main.jsonl:",
        "mean nDCG@10 0.855 -> 0.782 (-0.073, p 1.000): 1 better, 2 worse, 1 the same",
    ]
    assert run.sentences("4 cases") == [
        "4 cases: 1 measured; 2 got worse, 1 failed before; mean nDCG@10 0.782"
    ]
    assert [line.split(" - ")[0].split("::")[1] for line in run.short_summary] == [
        "floor",
        "drop",
        "low",
    ]
    assert "  a  Title of a   grade 3   1 -> 2   -0.339" in run.failure("floor")
    assert "--relevance-update" not in run.text  # an update does not change a record
    assert not shop.baseline.exists()
    assert shop.run(
        AGAINST, "-o", "relevance_tolerance=0.5", "-k", "drop"
    ).outcomes == {"drop": "passed"}


def test_what_left_has_the_title_that_the_record_knows(shop: Shop) -> None:
    shop.returns(floor="b")
    run = shop.run(AGAINST)
    assert "  a  Title of a   grade 3   1 -> gone   -0.9" in run.failure("floor")
    assert run.sentences("to see one in full") == [
        f"to see one in full: pytest -v {AGAINST} shop.relevance.yaml::floor"
    ]


def test_a_committed_baseline_is_left_alone(shop: Shop) -> None:
    shop.run(UPDATE)
    assert "0 better, 0 worse, 4 the same" in shop.run().summary
    assert "1 better, 2 worse, 1 the same" in shop.run(AGAINST).summary
    for update in (UPDATE, "--relevance-update=new"):
        run = shop.run(AGAINST, update)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        assert "leave one of them out" in run.result.stderr.str()
    assert shop.accepted == {"floor": "b a", "low": "b a", "drop": "b a", "rise": "a b"}


def test_cases_that_the_record_lacks_are_new(shop: Shop) -> None:
    shop.cases(CASES + "      - {query: added, judgments: {a: 3}}\n")
    shop.cases(
        "cases: [{query: elsewhere, judgments: {a: 3}}]", name="other.relevance.yaml"
    )
    shop.returns(added="a", elsewhere="a")
    run = shop.run(AGAINST)
    standings = {
        name: each.baseline.standing
        for name, each in run.results.items()
        if each.baseline is not None
    }
    assert standings == {
        "elsewhere": "new",
        "floor": "regression",
        "low": "within",
        "drop": "regression",
        "rise": "improvement",
        "added": "new",
    }
    assert "(1 better than" not in run.summary
    assert "2 new to the baseline" in run.summary
    assert shop.run(AGAINST, "-k", "added").code == 0


def test_a_record_of_other_searches_is_stale(shop: Shop) -> None:
    changes = {
        "drop": (", k: 5}", "the depth was 10 and is 5"),
        "rise": (", params: {locale: en}}", 'the parameter "locale" is new'),
    }
    text = CASES
    for name, (change, _) in changes.items():
        text = text.replace(
            f"{name}, judgments: {{a: 3, b: 1}}}}",
            f"{name}, judgments: {{a: 3, b: 1}}{change}",
        )
    shop.cases(text)
    shop.project.search('return lambda query, locale=None: ["a", "b"]')
    run = shop.run(AGAINST)
    for name, (_, why) in changes.items():
        assert run.outcomes[name] == "failed"
        said = f"the entry in main.jsonl is stale: {why}; make that record again"
        assert said in run.told(name)
    assert "2 stale" in run.summary


def test_a_gate_without_a_ranking_to_compare_with_says_so(shop: Shop) -> None:
    shop.cases(
        "gates: [{max_drop: {nDCG@10: 0.05}}]\ncases: [{query: added, judgments: {a: 3}}]"
    )
    shop.returns(added="a")
    run = shop.run(AGAINST)
    assert run.code == 1
    assert (
        "nDCG@10 has no ranking in main.jsonl, or a stale one; make that record again"
        in run.text
    )


def test_the_record_may_be_that_of_merged_or_packed_runs_and_written_anew(
    shop: Shop,
) -> None:
    shop.returns(floor="a b", drop="a b", rise="b a")
    shop.run("--relevance-record=main.jsonl.gz")
    shop.returns(floor="b a", drop="b a", rise="a b")
    run = shop.run(
        "--relevance-against=main.jsonl.gz", "--relevance-record=main.jsonl.gz"
    )
    assert "1 better, 2 worse, 1 the same" in run.summary
    run = shop.run("--relevance-against=main.jsonl.gz")
    assert "0 better, 0 worse, 4 the same" in run.summary


def test_it_is_found_from_another_folder(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case file is known by its node id, wherever pytest is started."""
    (shop.path / "deeper").mkdir()
    shop.project.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(shop.path / "deeper")
    run = shop.run("--relevance-against=../main.jsonl", "..", "--rootdir", "..")
    assert "1 better, 2 worse, 1 the same" in " ".join(run.summary.split())


def test_a_record_that_cannot_be_read_is_a_usage_error(shop: Shop) -> None:
    record = shop.path / "main.jsonl"
    text = record.read_text()
    unfinished = text.replace(
        '"run":{', '"run":{"missing":["shop.relevance.yaml::x"],', 1
    )
    for found, why in (
        (None, "main.jsonl: cannot be read: No such file or directory"),
        (text[:40], "main.jsonl:1: this is not a record: it begins with"),
        (
            unfinished,
            "main.jsonl: the run is not complete, 1 case did not finish; compare with a record of a run that is",
        ),
    ):
        record.unlink() if found is None else record.write_text(found)
        run = shop.run(AGAINST)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        assert f"--relevance-against: {why}" in run.result.stderr.str()
        assert "::" not in run.text  # no case ran


def test_where_a_baseline_is_required_the_record_must_have_the_file(shop: Shop) -> None:
    shop.project.write("pytest.ini", "[pytest]\nrelevance_baseline = require\n")
    assert shop.run(AGAINST).counts == {"passed": 1, "failed": 3}
    shop.cases(
        "cases: [{query: elsewhere, judgments: {a: 3}}]", name="other.relevance.yaml"
    )
    run = shop.run(AGAINST)
    assert "main.jsonl has no scored case of other.relevance.yaml" in run.text


def test_a_case_without_a_score_in_the_record_is_not_compared(shop: Shop) -> None:
    shop.returns(floor="boom")
    shop.run(RECORD)
    shop.returns(floor="b a")
    run = shop.run(AGAINST)
    baseline = run.results["floor"].baseline
    assert baseline is not None
    assert (baseline.standing, baseline.why) == ("not compared", "error")
    assert "1 without an entry" in run.summary


# --- pytest-relevance report RUN --against BASELINE_OR_RUN ----------------------------

GATED = "gates: [{max_drop: {nDCG@10: 0.05, P@1: 0.1}}]\n" + "\n".join(
    line[4:] for line in CASES.splitlines()
)


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints, its long lines joined."""
    capsys.readouterr()
    assert main(["report", *arguments]) == 0
    return capsys.readouterr().out.replace("\n    ", " ")


@pytest.mark.parametrize(
    "accepted", ["main.jsonl", "shop.relevance.yaml.baseline.jsonl"]
)
def test_a_report_from_two_files_says_what_a_run_says(
    shop: Shop, capsys: pytest.CaptureFixture[str], accepted: str
) -> None:
    shop.cases(GATED)
    shop.returns(floor="a b", drop="a b", rise="b a")
    shop.run(RECORD)
    shop.run(UPDATE)
    (shop.path / "kept").write_bytes(shop.baseline.read_bytes())
    shop.returns(floor="b a", drop="b a", rise="a b")
    compared = shop.run()
    shop.baseline.unlink()
    shop.run("--relevance-record=branch.jsonl")
    (shop.path / "kept").rename(shop.baseline)
    text = report(capsys, "branch.jsonl", "--against", accepted)
    change = (
        "mean nDCG@10 0.855 -> 0.782 (-0.073, p 1.000): 1 better, 2 worse, 1 the same"
    )
    assert [line.strip() for line in compared.sentences("mean nDCG@10 0.855 -> ")] == [
        change
    ]
    assert f"against {accepted}:\n{change}\n" in text
    assert text.index(": nDCG@10 0.710") < text.index("failed before: ")
    assert "1 got worse, 1 failed before" in text
    for finding in (
        "mean nDCG@10 fell by 0.073, from 0.855 to 0.782",
        "mean P@1 is unchanged, from 1.000 to 1.000",
    ):
        assert finding in " ".join(compared.text.split())
        assert finding in text
    markdown = report(
        capsys, "branch.jsonl", "--against", accepted, "--format=markdown"
    )
    assert f"\n- `{change.replace('): ', '): by any amount ')}`\n" in markdown
    assert f"\n- `shop.relevance.yaml`, `search`, `against {accepted}`\n" in markdown


def test_a_report_knows_the_sets_of_an_order(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """The accepted ranking "b a c" has both of the first set above c: the case is newly
    failing.
    """
    shop.cases(
        "cases: [{query: floor, expect: {order: [[a, b], [c]]}, judgments: {a: 3}}]"
    )
    shop.returns(floor="b a c")
    shop.run(RECORD)
    shop.returns(floor="c a b")
    shop.run("--relevance-record=branch.jsonl")
    assert "1 got worse" in report(capsys, "branch.jsonl", "--against", "main.jsonl")


def test_it_knows_the_judgments_of_the_run(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """The accepted rankings are scored under the judgments of the later run, as in a
    run.
    """
    shop.cases(CASES.replace("{a: 3, b: 1}", "{a: 1, b: 3}"))
    shop.run("--relevance-record=branch.jsonl")
    expected = shop.run(AGAINST).sentences("mean nDCG@10 0.855 -> ")
    assert expected == [
        "mean nDCG@10 0.855 -> 0.927 (+0.073, p 1.000): 2 better, 1 worse, 1 the same"
    ]
    assert expected[0] in report(capsys, "branch.jsonl", "--against", "main.jsonl")


def test_what_cannot_be_scored_is_stale(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """A record names the judged documents of the ideal top: with very many, not all of
    them.
    """
    shop = Shop(project)
    names = [f"d{number}" for number in range(40)]
    shop.returns(boots=" ".join(reversed(names[-10:])))
    for judged, record in ((names[:5], "main.jsonl"), (names, "branch.jsonl")):
        grades = ", ".join(f"{name}: 1" for name in judged)
        shop.cases(f"cases: [{{query: boots, judgments: {{{grades}}}, min_ndcg: 0.5}}]")
        shop.run(f"--relevance-record={record}")
        shop.returns(boots="x y z")
    text = report(capsys, "branch.jsonl", "--against", "main.jsonl")
    assert "1 case: 1 stale" in text
    assert "mean nDCG@10 0" not in text.rpartition("p95")[2].partition("lowest")[0]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "broken.jsonl",
            '{"kind":"pytest-relevance record","version":3}\n',
            "broken.jsonl:1: the line is damaged",
        ),
        (
            "other.relevance.yaml.baseline.jsonl",
            "",
            'is the baseline of one case file, "other.relevance.yaml"',
        ),
    ],
)
def test_a_file_that_is_neither_is_refused(
    shop: Shop, capsys: pytest.CaptureFixture[str], name: str, text: str, why: str
) -> None:
    (shop.path / name).write_text(text)
    assert main(["report", "main.jsonl", "--against", name]) == 2
    assert why in capsys.readouterr().err


def test_a_record_that_has_none_of_the_cases_fails_the_run(shop: Shop) -> None:
    shop.cases(
        "cases: [{query: elsewhere, judgments: {a: 3}}]", name="other.relevance.yaml"
    )
    shop.returns(elsewhere="a")
    run = shop.run(AGAINST, "other.relevance.yaml")
    assert run.code == 1
    assert "has none of the case files that ran" in " ".join(run.text.split())


def test_a_committed_baseline_and_a_record_are_compared_with(project: Project) -> None:
    """`tests/results/formats` has both, with their suite and search."""
    formats = Path(__file__).parents[1] / "results" / "formats"
    project.write("conftest.py", (formats / "search.txt").read_text())
    project.write("shop.relevance.yaml", (formats / "shop.txt").read_text())
    for name, copy in (
        ("baseline-2", "shop.relevance.yaml.baseline.jsonl"),
        ("record-3", "main.jsonl"),
    ):
        project.write(copy, (formats / f"{name}.jsonl").read_text())
    for option in ((), (AGAINST,)):
        run = project.run(*option)
        assert run.summary.count("0 better, 0 worse, 3 the same") == 2
        assert "stale" not in run.summary
        assert "not compared" not in run.summary
