"""Gates on the latency of searches, which are called one at a time for that; latencies
before and after.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Run, compare_runs
from pytest_relevance.cli import main
from tests.plugin.conftest import Project

SEARCH = """
    import threading
    import pytest

    class Search:
        running, most = 0, 0
        lock = threading.Lock()

        def __call__(self, query):
            with self.lock:
                self.running += 1
                type(self).most = max(self.most, self.running)
            threading.Event().wait(0.002)
            with self.lock:
                self.running -= 1
            return [query]

    class Many:
        sizes = []

        def many(self, queries):
            self.sizes.append(len(queries))
            return [[query] for query in queries]

    @pytest.fixture(scope="session", params={variants})
    def search(request):
        search = {search}()
        yield search
        print(f"<most {{Search.most}}, sizes {{sorted(set(Many.sizes))}}>")
"""
GATED = "gates: [{latency: {p95: 10 s, max: 0.01 ms}}]\n"
CASES = f"cases: [{', '.join(f'{{query: q{number}}}' for number in range(20))}]\n"
GATE = "gate[latency p95 <= 10 s, max <= 0.01 ms]"


def write(
    project: Project,
    search: str = "Search",
    variants: object = None,
    cases: str = GATED + CASES,
) -> None:
    project.conftest(SEARCH.format(search=search, variants=variants))
    project.cases(cases)


@pytest.mark.parametrize(
    "options", [("--relevance-concurrency=4",), ("-n2", "--relevance-concurrency=4")]
)
@pytest.mark.parametrize("search", ["Search", "Many"])
def test_a_suite_with_such_a_gate_is_searched_one_at_a_time(
    project: Project, search: str, options: tuple[str, ...]
) -> None:
    write(project, search)
    run = project.run("-s", *options)
    assert run.outcomes.pop(GATE) == "failed"
    said = run.told(GATE)
    assert re.search(
        r"latency max [\d.]+ ms, over 0.01 ms \(20 cases, one at a time per process\)",
        said,
    ), said
    assert re.search(r"latency p95 [\d.]+ ms, within 10 s \(20 cases, ", said)
    assert "the slowest" in said
    assert {
        (each.call.concurrency, each.call.latency_shared)
        for each in run.results.values()
    } == {(1, False)}
    if "-n2" not in options:
        assert (
            "<most 1, sizes []>" if search == "Search" else "<most 0, sizes [1]>"
        ) in run.text


def test_other_suites_are_searched_several_at_a_time(project: Project) -> None:
    write(project, cases=CASES)
    assert {
        each.call.concurrency
        for each in project.run("--relevance-concurrency=4").results.values()
    } == {4}


def test_each_variant_has_its_own_verdict_and_merged_shards_too(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, variants=["a", "b"])
    names = [f"q{number}[{variant}]" for variant in "ab" for number in range(20)]
    for shard in (0, 1):
        wanted = [f"shop.relevance.yaml::{name}" for name in names[shard::2]]
        run = project.run(
            *wanted, f"--relevance-record={shard}.jsonl", "--relevance-known=xfail"
        )
        assert run.outcomes[f"{GATE}[a]"] == "skipped"  # 10 of 20 ran
    capsys.readouterr()
    assert (
        main(["merge", *(str(project.path / f"{shard}.jsonl") for shard in (0, 1))])
        == 1
    )
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        printed.count("(20 cases, one at a time per process)") == 4
    )  # two figures of two variants


def test_too_few_cases_fail_the_gate(project: Project) -> None:
    write(project, cases="gates: [{latency: {p99: 10 s}, id: slow}]\n" + CASES)
    run = project.run("--relevance-known=xfail", "--relevance-update")
    needed = (
        "latency p99 needs 100 cases searched one at a time per process, found 20 of 20"
    )
    assert needed in run.told("gate[slow]")


def slowed(path: Path, factor: float, **values: Any) -> str:
    """A record with other latencies, milliseconds from 1 to 20."""
    run = Run.open(path)
    calls = [
        replace(each.call, latency=factor * n / 1000, **values)
        for n, each in enumerate(run.results, 1)
    ]
    changed = [
        replace(each, call=call) for each, call in zip(run.results, calls, strict=True)
    ]
    target = path.with_name(f"{factor}{len(values)}.jsonl")
    Run(changed, run.files, run.info).write(target)
    return str(target)


def test_reports_show_latencies_before_and_after_where_both_ran_alike(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, cases=CASES)
    project.run("--relevance-record=run.jsonl")
    path = project.path / "run.jsonl"
    before, after, at_once = (
        slowed(path, 1),
        slowed(path, 2),
        slowed(path, 3, concurrency=4),
    )
    change = "latency p50 10 ms -> 20 ms, p95 19 ms -> 38 ms (20 cases)"
    comparison = compare_runs(before, after)
    assert change in comparison.summary()
    assert change in comparison.to_markdown().replace("\\", "")
    (row,) = json.loads(comparison.to_json())["latency"]
    assert row == {
        "variant": None,
        "cases": 20,
        "p50": [0.01, 0.02],
        "p95": [0.019, 0.038],
    }
    assert "latency" not in compare_runs(before, at_once).summary()
    assert "(20 cases, up to 4 at a time)" in compare_runs(at_once, at_once).summary()
    for form in ("markdown", "html"):
        capsys.readouterr()
        assert main(["report", after, "--against", before, "--format", form]) == 0
        text = capsys.readouterr().out.replace("\\", "").replace("&gt;", ">")
        assert change in re.sub("<.*?>", "", text).replace("-&gt;", "->")
        assert main(["report", after, "--against", at_once, "--format", form]) == 0
        assert "p50 " not in re.sub(
            "<script.*?</script>", "", capsys.readouterr().out, flags=re.DOTALL
        )
    project.run(f"--relevance-against={before}", "--relevance-markdown=report.md")
    written = (project.path / "report.md").read_text(encoding="utf-8").replace("\\", "")
    assert re.search(
        r"latency p50 10 ms -> [\d.]+ ms, p95 19 ms -> [\d.]+ ms \(20 cases\)", written
    )
