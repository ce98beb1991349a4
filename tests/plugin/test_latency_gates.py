"""Gates on the latency of searches, which are called one at a time for that."""

import re

import pytest

from tests.plugin.conftest import Command, Project

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

    @pytest.fixture(scope="session", params=VARIANTS)
    def search(request):
        search = SEARCH()
        yield search
        print(f"<most {Search.most}, sizes {sorted(set(Many.sizes))}>")
"""
GATED = "gates: [{latency: {p95: 10 s, max: 0.01 ms}}]\n"
CASES = f"cases: [{', '.join(f'{{query: q{number}}}' for number in range(20))}]\n"
GATE = "gate[latency p95 <= 10 s, max <= 0.01 ms]"


def write(
    project: Project, cases: str, search: str = "Search", variants: object = None
) -> None:
    project.conftest(
        SEARCH.replace("SEARCH", search).replace("VARIANTS", str(variants))
    )
    project.cases(cases)


@pytest.mark.parametrize(
    ("search", "called", "options"),
    [
        ("Search", "<most 1, sizes []>", ()),
        ("Many", "<most 0, sizes [1]>", ()),
        ("Many", "", ("-n1",)),  # what a worker prints is not shown
    ],
)
def test_a_suite_with_such_a_gate_is_searched_one_at_a_time(
    project: Project, search: str, called: str, options: tuple[str, ...]
) -> None:
    write(project, GATED + CASES, search)
    run = project.run("-s", "--relevance-concurrency=4", *options)
    assert run.outcomes.pop(GATE) == "failed"
    cases = r"\(20 cases, one at a time per process\)"
    assert re.search(rf"latency max [\d.]+ ms, over 0.01 ms {cases}", run.told(GATE))
    assert re.search(rf"latency p95 [\d.]+ ms, within 10 s {cases}", run.told(GATE))
    assert "the slowest" in run.told(GATE)
    calls = [each.call for each in run.results.values()]
    assert {(call.concurrency, call.latency_shared) for call in calls} == {(1, False)}
    assert called in run.text


def test_other_suites_are_searched_several_at_a_time(project: Project) -> None:
    write(project, CASES)
    results = project.run("--relevance-concurrency=4").results.values()
    assert {each.call.concurrency for each in results} == {4}


def test_each_variant_has_its_own_verdict_and_merged_shards_too(
    project: Project, command: Command
) -> None:
    write(project, GATED + CASES, variants=["a", "b"])
    names = [f"q{number}[{variant}]" for variant in "ab" for number in range(20)]
    for shard in (0, 1):
        wanted = [f"shop.relevance.yaml::{name}" for name in names[shard::2]]
        run = project.run(
            *wanted, f"--relevance-record={shard}.jsonl", "--relevance-known=xfail"
        )
        assert run.outcomes[f"{GATE}[a]"] == "skipped"  # 10 of 20 ran
    merged = command("merge", *(str(project.path / f"{n}.jsonl") for n in (0, 1)))
    assert merged.code == 1
    # two figures of two variants; those that are not met again in the summary
    assert merged.out.count("(20 cases, one at a time per process)") == 6


def test_reports_show_latencies_before_and_after(project: Project) -> None:
    write(project, CASES)
    project.run("--relevance-record=main.jsonl")
    found = project.reports("--relevance-against=main.jsonl")
    change = r"latency p50 [\d.]+ ms (->|→) [\d.]+ ms, p95 [\d.]+ ms (->|→) [\d.]+ ms \(20 cases\)"
    assert re.search(change, found.page)
    assert re.search(change, found.markdown.replace("\\", ""))
