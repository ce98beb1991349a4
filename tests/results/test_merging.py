"""The records of shards put together: what belongs together, what is missing, what
gates say of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, Run, RunError, RunInfo
from pytest_relevance.cli import main
from pytest_relevance.ext.merging.merge import Unmergeable, merge_runs
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import SearchError
from pytest_relevance.results.case_result import ERROR
from pytest_relevance.results.records.run_info import AcceptedCase
from tests.helpers import changed

if TYPE_CHECKING:
    from tests.results.conftest import Maker

FILE = "shop.relevance.yaml"
QUERIES = ("boots", "shoes", "socks")


def info(*variants: str | None, digest: str = "as it is", count: int = 3) -> FileInfo:
    totals = tuple(("search", variant, count) for variant in variants or (None,))
    return FileInfo(f"/shop/{FILE}", FILE, digest, totals=totals)


def shard(
    results: Iterable[CaseResult],
    name: str = "shard",
    found: FileInfo | None = None,
    missing: Sequence[str] = (),
) -> Run:
    about = RunInfo("1.0", missing=tuple(missing))
    return Run([*results], {FILE: found or info()}, about, name=name)


@pytest.fixture
def all_three(make: Maker) -> Run:
    """A shard that has all cases of the file."""
    return shard([make.result(query) for query in QUERIES])


def ids(run: Run) -> list[str]:
    return [result.id for result in run.results]


def why_not(*runs: Run, **options: Any) -> tuple[str, ...]:
    with pytest.raises(Unmergeable) as error:
        merge_runs(runs, **options)
    return tuple(error.value.reasons)


def test_what_no_part_has_is_counted_for_each_variant(make: Maker) -> None:
    def of_variant(variant: str, *queries: str) -> list[CaseResult]:
        return [make.result(query, variant=variant) for query in queries]

    # a plugin may repeat a case
    one = shard(of_variant("a", "boots", "boots"), found=info("a", "b"))
    two = shard(of_variant("b", *QUERIES), found=info("b"))
    merged = merge_runs([one, two])
    (gap,) = merged.gaps
    assert (gap.file, gap.search, gap.variant) == (FILE, "search", "a")
    assert (gap.found, gap.total, merged.is_whole) == (1, 3, False)
    # parts of a matrix have variants for themselves
    three = shard(of_variant("c", *QUERIES), found=info("c"))
    assert merge_runs([two, three]).is_whole


def test_a_variant_that_another_part_of_a_matrix_ran_is_not_lost(make: Maker) -> None:
    caps = ("caps", "a", "gone")

    def part(variant: str, *lost: tuple[str, str, str]) -> Run:
        results = [make.result(query, variant=variant) for query in QUERIES]
        return shard(results, found=replace(info(variant), lost=lost))

    one = part("a", ("boots", "b", "gone"), caps)
    two = part("b", caps, ("boots", "a", "gone"))
    assert merge_runs([one, two]).run.files[FILE].lost == (caps,)


def test_what_the_reference_has_of_a_case_is_kept_from_every_part() -> None:
    def part(weight: float, *cases: str, known: bool) -> Run:
        accepted = [AcceptedCase(case, None, weight) for case in cases]
        found = replace(info(), accepted=accepted, expects_known=known)
        return shard([], found=found)

    one = part(1, "boots", "hats", known=True)
    two = part(2, "boots", "socks", known=False)
    about = merge_runs([one, two]).run.files[FILE]
    weights = {case.id: case.weight for case in about.accepted}
    assert weights == {"boots": 1, "hats": 1, "socks": 2}
    assert not about.expects_known
    assert merge_runs([one]).run.files[FILE].expects_known


def test_a_case_that_came_to_the_same_twice_counts_once(make: Maker) -> None:
    boots = make.result("boots", ["b1", "b2"])
    others = [make.result("shoes"), make.result("socks")]
    again = shard([changed(boots, latency=7.5), *others])
    merged = merge_runs([shard([boots]), again])
    assert ids(merged.run) == [*QUERIES]
    assert (merged.is_whole, merged.again, merged.replaced) == (True, (boots.key,), ())
    assert merged.run.info.program == "1.0"
    assert merged.run.files == {FILE: info()}
    assert merged.run.results[0].call.latency == boots.call.latency


@pytest.mark.parametrize(
    "other",
    [
        {"outcome": "skipped"},
        {"verdict": "failed"},
        {"digest": "f" * 16},
        {"scores": {"nDCG@10": 0.5}},
        {"documents": ("b2",)},
        {"k": 5},
        {"settings": Settings(gain="linear")},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_case_that_came_to_something_else(make: Maker, other: dict[str, Any]) -> None:
    boots = make.result("boots", ["b1"])
    one, two = shard([boots], "one"), shard([changed(boots, **other)], "two")
    assert why_not(one, two) == (
        '1 case has different results in one and two: "boots"; --last takes the '
        "result of the record that is named last",
    )
    merged = merge_runs([one, two], last=True)
    assert (merged.replaced, merged.again) == ((boots.key,), ())
    (result,) = merged.run.results
    assert result == changed(result, **other)


def test_all_reasons_are_said_together(make: Maker) -> None:
    one = shard([make.result("boots", ["b1"])], "one")
    two = Run([make.result("boots", ["b2"])], {FILE: info(digest="other")}, name="two")
    with pytest.raises(Unmergeable) as error:
        merge_runs([one, two], last=False)
    said = str(error.value).splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "the records cannot be merged",
        "- they were made by different versions of pytest-relevance",
        f"- {FILE}, or a file of judgments or queries that it names, is not the same in one and two",
        "- 1 case has different results in one and two",
    ]


def test_counts_are_held_against_the_first_part_that_has_them() -> None:
    one, two = shard([], "one", info("a")), shard([], "two", info("b", count=4))
    three = shard([], "three", info("a", "b", count=3))
    reason = f"{FILE} has 4 cases in two and 3 in three, with search[b]"
    assert why_not(one, two, three) == (reason,)


def test_checks_of_tests_in_python_are_told_apart_by_their_tests(make: Maker) -> None:
    """Two tests may check a query, on one line of a function that both call; one test
    may do so twice.
    """
    check = make.result("boots", ["b1"], file="test_shop.py")

    def of(test: str, result: CaseResult = check) -> CaseResult:
        return changed(result, test=f"test_shop.py::{test}")

    other = make.result("boots", ["b2"], file="test_shop.py")
    one = Run([of("test_here"), of("test_here")], name="one")
    two = Run([of("test_there", other)], name="two")
    assert len(merge_runs([one, two]).run) == 3
    again = Run([of("test_here"), of("test_here", other)], name="again")
    assert why_not(one, again)[0].startswith("1 case has different results in one")
    assert merge_runs([one, one]).again == (check.key,)


def test_what_did_not_finish_in_one_and_did_in_another(make: Maker) -> None:
    names = ("boots", "shoes@group", "std%3A%3Avector[words]", "caps", "hats")
    one = shard([], "one", missing=[f"{FILE}::{name}" for name in names])
    vector = replace(
        make.result("std::vector", [], variant="words"),
        node=f"{FILE}::std%3A%3Avector[words]",
    )
    caps = replace(make.result("caps", []), node=f"{FILE}::caps@group")
    results = [make.result("boots"), make.result("shoes"), vector, caps]
    two = shard(results, "two")
    merged = merge_runs([one, two])
    assert merged.run.missing == (f"{FILE}::hats",)


def with_errors(run: Run, *errors: RunError) -> Run:
    return Run(run.results, run.files, replace(run.info, errors=errors), name=run.name)


def test_the_errors_of_all_parts_are_kept_once(all_three: Run) -> None:
    mistake = RunError("unknown key", "x.relevance.yaml", 3, node="x.relevance.yaml")
    catalogue = RunError("the file is empty", "catalogue.csv")
    merged = merge_runs([with_errors(all_three, mistake, catalogue)] * 2)
    assert merged.run.info.errors == (mistake, catalogue)
    assert not merged.is_whole
    assert merge_runs([with_errors(all_three, catalogue)]).is_whole


def test_an_error_of_a_file_that_another_part_has_is_over(all_three: Run) -> None:
    error = RunError("no engine", "conftest.py", 3, node=FILE)
    broken = with_errors(Run([], {}, RunInfo("1.0")), error)
    assert merge_runs([broken, all_three]).is_whole
    assert not merge_runs([broken]).is_whole


def test_items_of_a_case_that_another_plugin_repeats_have_finished_with_it(
    make: Maker,
) -> None:
    items = ("boots[1-3]", "boots[2-3]")
    boots = changed(make.result("boots"), node=f"{FILE}::boots[2-3]", items=items)
    one = shard([], missing=[f"{FILE}::{name}" for name in (*items, "boots[3-3]")])
    merged = merge_runs([one, shard([boots])])
    assert merged.run.missing == (f"{FILE}::boots[3-3]",)


def test_what_all_runs_have_in_common_is_kept() -> None:
    one = RunInfo(
        program="1.0",
        started="2026-01-02T10:00",
        versions={"python": "3.12", "pytest": "9"},
        command=("pytest", "-x"),
        fingerprint={"commit": "a"},
    )
    earlier = replace(one, started="2026-01-02T09:00", command=("pytest",))
    two = replace(earlier, versions={"python": "3.13", "pytest": "9"})
    three = replace(one, fingerprint={"commit": "b"})
    found = merge_runs([Run([], info=each) for each in (one, two, three)]).run.info
    assert found == RunInfo("1.0", "2026-01-02T09:00", {"pytest": "9"})


def test_the_faults_are_those_of_the_whole_run(make: Maker) -> None:
    """A search that fails once in each of two shards fails twice in the run."""
    error = SearchError("ConnectionError", "no engine", "conftest.py:9 in search")
    parts = []
    for query in ("boots", "shoes"):
        parts.append(shard([changed(make.without_score(query, ERROR), error=error)]))
    (fault,) = merge_runs(parts).run.info.faults
    assert (fault.message, fault.cases) == ("ConnectionError: no engine", 2)


PARTS = st.lists(
    st.tuples(st.sets(st.sampled_from(QUERIES)), st.sets(st.sampled_from(QUERIES))),
    min_size=3,
    max_size=3,
)


@given(parts=PARTS)
def test_merging_step_by_step_is_merging_at_once(
    make: Maker, parts: list[tuple[set[str], set[str]]]
) -> None:
    one, two, three = (
        shard(
            [make.result(query, [*make.judgments[query]]) for query in sorted(ran)],
            f"part {number}",
            missing=[f"{FILE}::{query}" for query in sorted(cut_short - ran)],
        )
        for number, (ran, cut_short) in enumerate(parts)
    )

    def summary_of(*runs: Run) -> tuple[object, ...]:
        merged = merge_runs(runs)
        return (
            ids(merged.run),
            {*merged.run.missing},
            merged.run.files,
            merged.gaps,
            merged.is_whole,
        )

    at_once = summary_of(one, two, three)
    assert summary_of(merge_runs([one, two]).run, three) == at_once
    assert summary_of(one, merge_runs([two, three]).run) == at_once
    assert at_once[-1] == ({*QUERIES} == {query for ran, _ in parts for query in ran})


def test_shards_that_searched_different_things_are_told_of(
    make: Maker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def part(query: str, index: str) -> Run:
        run = shard([make.result(query)])
        run.info = replace(run.info, fingerprint={"index": index, "engine": "es"})
        run.write(tmp_path / f"{query}.jsonl")
        return run

    merged = merge_runs([part("boots", "products-11"), part("shoes", "products-20")])
    assert merged.searched == {"index": ["products-11", "products-20"]}
    assert merged.run.info.fingerprint == {"engine": "es"}
    part("socks", "products-11")
    said = "the records are of runs that searched different things: index products-11 -> products-20"
    for queries, is_told in ((("boots", "shoes"), True), (("boots", "socks"), False)):
        main(["merge", *(str(tmp_path / f"{query}.jsonl") for query in queries)])
        assert (said in " ".join(capsys.readouterr().out.split())) is is_told
