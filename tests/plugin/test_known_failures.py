"""`--relevance-known=xfail`: what failed before is expected to fail, and nothing that got worse is."""

from typing import NamedTuple

import pytest

from pytest_relevance import Run as Record
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import SEARCH, UPDATE, Shop

KNOWN, RECORD, AGAINST = "--relevance-known=xfail", "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
NOW = "--relevance-record=now.jsonl"


class Row(NamedTuple):
    """A case: what it returned when it was accepted and returns now, its keys then (if they changed) and now."""

    name: str
    before: str
    now: str
    outcome: str
    keys: str = "min_ndcg: 0.9"
    keys_before: str = ""
    judgments: str = "{a: 3, b: 1}"
    judgments_before: str = ""


K, F, P = "xfailed", "failed", "passed"
A_SCORE = "min_ndcg: 0.9"  # "a b" has nDCG@10 1.000, "b a" 0.710, "x b a" 0.541

ROWS = [
    Row("as bad", "b a", "b a", K),
    Row("less bad", "x b a", "b a", K),
    Row("a little worse", "b a", "x b a", K, f"{A_SCORE}, tolerance: 0.2"),
    Row("worse", "b a", "x b a", F),
    Row("a little worse with no tolerance", "b a x c", "b x a c", F, f"{A_SCORE}, tolerance: 0"),
    Row("as bad with no tolerance", "b a", "b a", K, f"{A_SCORE}, tolerance: 0"),
    Row("newly missed floor", "a b", "b a", F, f"{A_SCORE}, tolerance: 1"),
    Row("newly missed expectation", "b a", "b a x", F, f"{A_SCORE}, expect: {{exclude: [x]}}"),
    Row("another document is missing", "b a c", "b a d", F, f"{A_SCORE}, expect: {{include: [c, d]}}"),
    Row("missed by more", "a b c", "a b c d", F, 'expect: {results: "<= 2"}'),
    Row("slow", "b a", "b a", F, f'{A_SCORE}, expect: {{latency: "<= 0.0001 ms"}}'),
    Row("an error now", "b a", "boom", F),
    Row("an error then", "boom", "b a", F),
    Row("empty then", "", "b a", F),
    Row("empty then and now", "", "", F),
    Row("still something", "x y", "x", K, "expect: {results: 0}", judgments="{}"),
    Row("something more", "x", "x y", F, "expect: {results: 0}", judgments="{}"),
    Row("other k", "b a", "b a", F, f"{A_SCORE}, k: 5", A_SCORE),
    Row("other k of the same depth", "b a", "b a", K, f"{A_SCORE}, depth: 10, k: 5", f"{A_SCORE}, depth: 10"),
    Row("other params", "b a", "b a", F, f"{A_SCORE}, params: {{locale: en}}", A_SCORE),
    Row("other judgments", "a b", "a b", K, judgments="{a: 1, b: 3}", judgments_before="{a: 3, b: 1}"),
    Row("judgments added", "a b", "a b", K, judgments="{a: 3, b: 1, c: 3}", judgments_before="{a: 3, b: 1}"),
    Row("judged since", "a b c", "a b x", F, judgments="{a: 3, b: 1, c: 3}", judgments_before="{a: 3, b: 1}"),
    Row("higher floor", "b a", "b a", K, A_SCORE, "min_ndcg: 0.5"),
    Row("in doubt", "b a", "x b a", F, f"{A_SCORE}, min_judged: 0.9, tolerance: 1"),
    Row("xfail of its own", "b a", "b a", K, f"{A_SCORE}, xfail: no stemmer"),
    Row("worse with an xfail of its own", "b a", "x b a", F, f"{A_SCORE}, xfail: no stemmer"),
    Row("better", "b a", "a b", P),
]
ADDED = Row("added", "", "b a", F)


def case_lines(*, then: bool) -> str:
    """The lines of the cases as they were when their rankings were accepted, or as they are now."""
    lines = ["cases:"]
    for row in ROWS if then else [*ROWS, ADDED]:
        keys, judgments = row.keys, row.judgments
        if then:
            keys, judgments = row.keys_before or keys, row.judgments_before or judgments
        lines.append(f"  - {{query: {row.name}, judgments: {judgments}, {keys}}}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("accept", "options"),
    [
        (RECORD, (AGAINST, "-n2")),
        (RECORD, (AGAINST, "--relevance-concurrency=4")),
        (UPDATE, ("--reruns=1",)),
    ],
    ids=["record-xdist", "record-concurrency", "baseline-reruns"],
)
def test_only_what_is_known_to_have_failed_before_is_expected(
    project: Project, accept: str, options: tuple[str, ...]
) -> None:
    if "--reruns=1" in options:
        pytest.importorskip("pytest_rerunfailures")
    shop = Shop(project)
    project.conftest(SEARCH.replace("k=10", "k=10, locale=None"))
    shop.cases(case_lines(then=True))
    shop.returns(**{row.name: row.before for row in ROWS})
    shop.run(accept)
    shop.cases(case_lines(then=False))
    shop.returns(**{row.name: row.now for row in [*ROWS, ADDED]})
    project.write(
        "test_check.py",
        "def test_check(relevance):\n    relevance.check('as bad', ['x'], {'a': 3}, min_ndcg=0.5)\n",
    )
    run = shop.run(KNOWN, NOW, *options)
    assert run.code == 1
    found = {result.id: result for result in Record.open(shop.path / "now.jsonl").results if not result.is_check}
    outcomes = {
        name: K if result.outcome == K else P if result.outcome in (P, "measured") else F
        for name, result in found.items()
    }
    assert outcomes == {row.name: row.outcome for row in [*ROWS, ADDED]}
    known = [row.name for row in ROWS if row.outcome == K and "xfail" not in row.keys]
    assert [name for name, result in found.items() if result.is_known] == known
    assert {found[name].verdict for name in known} == {F}
    assert f"{len(known)} failed before, their mean nDCG@k 0.680" in " ".join(run.summary.split())
    assert sum(line.startswith("FAILED test_check.py") for line in run.short_summary) == 1
