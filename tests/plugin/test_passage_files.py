"""Cases with passages in a run: their baseline, their record, and what another run or a
command makes of both.
"""

import json

import pytest

from pytest_relevance import Incomparable, compare_runs
from tests.plugin.conftest import Command, Project

SEARCH = """
    import json
    from pathlib import Path

    import pytest

    @pytest.fixture
    def search():
        texts = json.loads(Path(__file__).with_name("texts.json").read_text())
        def search(query, k=10):
            return [{"page_content": text, "metadata": {"source": "terms.pdf"}} for text in texts][:k]
        return search
"""
DAYS = "You can return it within 30 days of delivery."
PROOF = "We ask for a proof of purchase, such as the receipt."
HOURS = "Our opening hours are nine to five."
LONG = f"{HOURS} On Sundays we are closed, and on Mondays we open at noon."
CASES = """
    k: 3
    min_ndcg: 0.9
    gates: [{max_drop: {R@3: 0.05}}]
    cases:
      - query: how long can I return it
        passages:
          - within 30 days of delivery
          - {quote: proof of purchase, in: {metadata.source: terms.pdf}}
"""


class Handbook:
    """A project whose search returns a few texts."""

    def __init__(self, project: Project) -> None:
        self.project = project
        project.conftest(SEARCH)
        project.cases(CASES)
        self.texts(DAYS, PROOF, HOURS)

    def texts(self, *texts: str) -> None:
        """Write what the search returns from now on."""
        self.project.write("texts.json", json.dumps(texts))

    def keep_texts(self) -> None:
        self.project.write("pytest.ini", "[pytest]\nrelevance_record_texts = on\n")


@pytest.fixture
def handbook(project: Project) -> Handbook:
    return Handbook(project)


def test_a_passage_is_lost_since_the_baseline(handbook: Handbook) -> None:
    project = handbook.project
    assert project.run("--relevance-update").code == 0
    handbook.texts(DAYS, HOURS)
    run = project.run()
    assert run.code == 1
    (result,) = run.results.values()
    assert result.baseline is not None
    assert result.score == pytest.approx(0.6131, abs=1e-4)
    assert result.baseline.score == 1
    assert run.gates == {"gate[max_drop R@3 0.05]": "failed"}


def test_a_baseline_is_the_same_in_any_process(handbook: Handbook) -> None:
    project = handbook.project
    project.run("--relevance-update", "-n1")
    path = project.path / "shop.relevance.yaml.baseline.jsonl"
    line = json.loads(path.read_text().splitlines()[1])
    assert line["held"] == [[0], [1], []]
    assert line["lengths"] == [len(DAYS), len(PROOF), len(HOURS)]
    assert project.run().code == 0


def test_a_changed_quote_makes_the_entry_stale(handbook: Handbook) -> None:
    project = handbook.project
    project.run("--relevance-update")
    project.cases(CASES.replace("proof of purchase", "such as the receipt"))
    run = project.run()
    assert run.code == 1
    assert "1 passage is new or changed" in run.told("how long can I return it")
    assert (
        'the test changed: passages in 1 case ("how long can I return it")' in run.said
    )


def test_other_excluded_quotes_are_a_change_of_the_test(handbook: Handbook) -> None:
    project = handbook.project
    excluding = f"{CASES.rstrip()}\n        exclude_passages: [a fee of ten euros]\n"
    project.cases(excluding)
    assert project.run("--relevance-update").code == 0
    project.cases(excluding.replace("ten euros", "ten pounds"))
    run = project.run()
    assert run.code == 0
    told = 'exclude_passages "a fee of ten euros" -> exclude_passages "a fee of ten pounds"'
    assert told in run.said


def test_a_record_has_texts_only_if_it_is_asked_to(handbook: Handbook) -> None:
    project = handbook.project
    record = project.path / "run.jsonl"
    handbook.texts(DAYS, PROOF, LONG)
    project.run("--relevance-record=run.jsonl")
    assert LONG not in record.read_text()
    handbook.keep_texts()
    project.run("--relevance-record=run.jsonl", "--relevance-update", "-n1")
    assert record.read_text().count(LONG) == 1
    (result,) = project.recorded().results
    assert result.ranking.texts == (DAYS, PROOF, LONG)
    baseline = project.path / "shop.relevance.yaml.baseline.jsonl"
    assert "opening" not in baseline.read_text()


def test_a_page_has_texts_and_the_record_of_its_run_has_none(
    handbook: Handbook,
) -> None:
    project = handbook.project
    handbook.texts(DAYS, PROOF, LONG)
    project.run("--relevance-record=run.jsonl", "--relevance-html=page.html")
    assert (
        '"within 30 days of delivery","."]' in (project.path / "page.html").read_text()
    )
    assert LONG not in (project.path / "run.jsonl").read_text()
    handbook.keep_texts()
    project.run("--relevance-record=main.jsonl")
    project.run("--relevance-record=run.jsonl", "--relevance-against=main.jsonl")
    assert (project.path / "run.jsonl").read_text().count(LONG) == 1


@pytest.mark.parametrize("keeps_texts", [False, True])
def test_a_run_against_a_record_with_other_passages(
    handbook: Handbook, *, keeps_texts: bool
) -> None:
    project = handbook.project
    if keeps_texts:
        handbook.keep_texts()
    project.run("--relevance-record=main.jsonl")
    project.cases(CASES.replace("proof of purchase", "such as the receipt"))
    handbook.texts(HOURS, DAYS, PROOF)
    (result,) = project.run("--relevance-against=main.jsonl").results.values()
    assert result.baseline is not None
    found = (result.baseline.standing, result.baseline.score)
    assert found == (("regression", 1) if keeps_texts else ("stale", None))


def test_two_records_are_compared(handbook: Handbook) -> None:
    project = handbook.project
    project.run("--relevance-record=main.jsonl")
    handbook.texts(HOURS, DAYS, PROOF)
    project.run("--relevance-record=run.jsonl")
    paths = (project.path / "main.jsonl", project.path / "run.jsonl")
    comparison = compare_runs(*paths, ["nDCG@3", "R@2"])
    (row, recall) = comparison.to_dict()["metrics"]
    assert (row["first"], row["second"]) == (1, pytest.approx(0.6934, abs=1e-4))
    assert (recall["first"], recall["second"]) == (1, 0.5)
    assert comparison.to_dict()["counts"]["got_worse"] == 1
    # by the passages of a case file
    fewer = CASES.rpartition("          - {quote")[0]
    comparison = compare_runs(*paths, judgments=project.cases(fewer))
    (row,) = comparison.to_dict()["metrics"]
    assert (row["first"], row["second"]) == (1, pytest.approx(0.6309, abs=1e-4))
    with pytest.raises(Incomparable, match="1 passage is new or changed, and the rec"):
        compare_runs(*paths, judgments=project.cases(RECEIPT))


RECEIPT = CASES.replace("proof of purchase", "such as the receipt")


def test_two_records_are_compared_by_other_settings(handbook: Handbook) -> None:
    project = handbook.project
    project.cases(CASES.replace("{quote: proof", "{grade: 3, quote: proof"))
    project.run("--relevance-record=main.jsonl")
    handbook.texts(PROOF, DAYS)
    project.run("--relevance-record=run.jsonl")
    paths = (project.path / "main.jsonl", project.path / "run.jsonl")
    (row,) = compare_runs(*paths, gain="linear").to_dict()["metrics"]
    assert (row["first"], row["second"]) == (pytest.approx(0.7967, abs=1e-4), 1)
    with pytest.raises(Incomparable, match="with collapse other chunks hold"):
        compare_runs(*paths, collapse=True)
    with pytest.raises(Incomparable, match="ideal is judged, not max: "):
        compare_runs(*paths, ideal="max")


def test_records_with_texts_are_judged_by_new_passages(handbook: Handbook) -> None:
    project = handbook.project
    handbook.keep_texts()
    project.run("--relevance-record=main.jsonl")
    handbook.texts(HOURS, DAYS, PROOF)
    project.run("--relevance-record=run.jsonl")
    paths = (project.path / "main.jsonl", project.path / "run.jsonl")
    (row,) = compare_runs(*paths, judgments=project.cases(RECEIPT)).to_dict()["metrics"]
    assert (row["first"], row["second"]) == (1, pytest.approx(0.6934, abs=1e-4))


def test_a_merged_record_has_its_texts(handbook: Handbook, command: Command) -> None:
    project = handbook.project
    handbook.keep_texts()
    handbook.texts(DAYS, PROOF, LONG)
    without_gate = CASES.replace("gates: [{max_drop: {R@3: 0.05}}]", "")
    for name in ("shop", "b"):
        project.cases(without_gate, f"{name}.relevance.yaml")
    for name in ("shop", "b"):
        project.run(f"{name}.relevance.yaml", f"--relevance-record={name}.jsonl")
    merged = command("merge", "shop.jsonl", "b.jsonl", "-o", "run.jsonl")
    assert merged.code == 0
    assert (project.path / "run.jsonl").read_text().count(LONG) == 1
    first, second = project.recorded().results
    assert first.ranking.texts == second.ranking.texts == (DAYS, PROOF, LONG)


def test_a_recorded_run_against_a_baseline(
    handbook: Handbook, command: Command
) -> None:
    project = handbook.project
    project.run("--relevance-update")
    handbook.texts(DAYS, HOURS)
    in_run = project.run("--relevance-record=run.jsonl")
    (result,) = in_run.results.values()
    baseline = "shop.relevance.yaml.baseline.jsonl"
    printed = command("report", "run.jsonl", "--against", baseline, "--format=json")
    (found,) = json.loads(printed.out)["results"]
    assert result.baseline is not None
    assert found["baseline"]["score"] == result.baseline.score == 1
    assert found["baseline"]["held"] == [[0], [1], []]
    assert found["became"] == "got worse"


def test_the_history_of_runs_with_passages(
    handbook: Handbook, command: Command
) -> None:
    project = handbook.project
    project.run("--relevance-record=one.jsonl")
    handbook.texts(DAYS, HOURS)
    project.run("--relevance-record=two.jsonl")
    printed = command("history", "one.jsonl", "two.jsonl", "--format=json")
    (series,) = json.loads(printed.out)["series"]
    assert series["counts"]["got_worse"] == 1
    assert series["counts"]["lost_passage"] == 1


def test_a_check_in_python_has_passages(project: Project) -> None:
    project.test(
        "texts = ['You can return it within 30 days.', 'Opening hours']",
        "passages = ['within 30 days', {'any': ['of delivery', 'opening hours']}]",
        "found = relevance.check('q', texts, passages=passages, min_ndcg=0.9, k=2)",
        "assert (found.score, found.ranking.held) == (1, ((0,), (1,)))",
        "with pytest.raises(ValueError, match='passages.0.: a quote is text, found 30'):",
        "    relevance.check('q', texts, passages=[30])",
        "relevance.check('q', texts, passages=['30 days'], exclude_passages=['hours'])",
    )
    run = project.run()
    assert run.counts == {"failed": 1}
    assert 'exclude_passages: in the top 10: "hours"' in run.told("test_shop")
