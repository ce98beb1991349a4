"""Two runs that cannot honestly be compared: every reason is said, and what is left out
is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import (
    CaseResult,
    Incomparable,
    Run,
    RunError,
    RunInfo,
    compare_runs,
)
from pytest_relevance.results.case_result import ERROR, NOT_SEARCHED, SKIPPED

if TYPE_CHECKING:
    from tests.results.conftest import Maker


def reasons(first: Run, second: Run, **arguments: Any) -> tuple[str, ...]:
    with pytest.raises(Incomparable) as caught:
        compare_runs(first, second, **arguments)
    return caught.value.reasons


def but(
    make: Maker, result: CaseResult | None, query: str = "socks", name: str = "second"
) -> Run:
    """The usual run with another result for a query, or none."""
    results = [each for each in make.run().results if each.query != query]
    return Run(results if result is None else [*results, result], name=name)


def first(make: Maker) -> Run:
    return make.run(name="first")


def test_a_case_that_is_missing(make: Maker) -> None:
    assert reasons(first(make), but(make, None)) == (
        'second has no result of 1 case: "socks"',
    )


def test_a_new_case_is_named_and_left_out(make: Maker) -> None:
    found = compare_runs(but(make, None, name="first"), make.run(name="second"))
    assert [each.id for each in found.results] == ["boots", "shoes"]
    assert found.notes == ('left out: first has no result of 1 case: "socks"',)
    assert [(each.kind, [key[1] for key in each.cases]) for each in found.left_out] == [
        ("only in second", ["socks"])
    ]
    assert 'left out: first has no result of 1 case: "socks"' in found.summary()


def test_depths_differ_for_a_metric_of_all_that_was_returned(make: Maker) -> None:
    ranking = ["x", "y", "z", "b1"]
    three, four = (
        Run([make.result("boots", ranking[:k], k=k)], name=f"top {k}") for k in (3, 4)
    )
    assert reasons(three, four, metrics="RR") == (
        'the settings changed (depth: 3 / 4) in 1 case: "boots"',
    )
    assert compare_runs(three, four, "RR@3").metrics[0].means.difference == 0


SETTINGS = 'the settings changed ({}) in 1 case: "socks"'
OTHERWISE: dict[str, dict[str, Any]] = {
    'the query changed in 1 case: socks "sock"; "socks" asks "socks" in first, "sock" in second': {
        "query": "sock",
        "id": "socks",
        "judgments": {"o1": 3, "o2": 2, "o3": 1},
    },
    'the judgments changed in 1 case: "socks"; have both runs scored by the same judgments': {"judgments": {"o1": 3}},
    SETTINGS.format("gain: exponential / linear"): {"gain": "linear"},
    SETTINGS.format("ideal: judged / returned and unjudged: zero / skip"): {"ideal": "returned", "unjudged": "skip"},
    SETTINGS.format("k: 10 / 5"): {"k": 5},
    SETTINGS.format("ideal: judged / max and max_grade: 3 / 4"): {"ideal": "max", "scale": [0, 4]},
}  # fmt: skip


@pytest.mark.parametrize("reason", OTHERWISE)
def test_a_case_that_was_judged_asked_or_scored_otherwise(
    make: Maker, reason: str
) -> None:
    other = make.result(**{"query": "socks", "ranking": ["o1"], **OTHERWISE[reason]})
    assert reasons(first(make), but(make, other)) == (reason,)


@pytest.mark.parametrize(
    ("metric", "keys", "matters"),
    [
        ("P@3", {"gain": "linear"}, False),
        ("P@3", {"unjudged": "skip"}, True),
        ("nDCG@10", {"discount": "ln"}, False),
        ("DCG@10", {"discount": "ln"}, True),
        ("ERR@10", {"scale": [0, 4]}, True),
        ("AP", {"tolerance": 0.5}, False),
    ],
)
def test_settings_matter_that_have_to_do_with_the_metric(
    make: Maker, metric: str, keys: dict[str, Any], matters: bool
) -> None:
    other = but(make, make.result("socks", ["o1"], **keys))
    if matters:
        assert reasons(first(make), other, metrics=metric)[0].startswith(
            "the settings changed ("
        )
    else:
        assert len(compare_runs(first(make), other, metric)) == 3


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        (ERROR, "second has an error in"),
        (NOT_SEARCHED, "second did not search"),
        (SKIPPED, "second skipped"),
    ],
)
def test_a_case_that_one_run_has_no_score_of(
    make: Maker, verdict: str, says: str
) -> None:
    without = but(make, make.without_score("socks", verdict))
    assert reasons(first(make), without) == (f'{says} 1 case: "socks"',)
    assert reasons(without, first(make)) == (f'{says} 1 case: "socks"',)
    found = compare_runs(first(make), without, common=True)
    assert [error.is_new for error in found.errors] == [True] * (verdict != SKIPPED)


def test_a_run_that_did_not_finish(make: Maker) -> None:
    cut = Run(
        first(make).results,
        info=RunInfo(missing=["shop.relevance.yaml::hats"]),
        name="second",
    )
    assert reasons(first(make), cut) == (
        'second is not complete, 1 case did not finish: "shop.relevance.yaml::hats"',
    )


def test_a_run_with_a_case_file_that_was_not_read(make: Maker) -> None:
    mistake = RunError(
        "unknown key", "shop.relevance.yaml", line=3, node="shop.relevance.yaml"
    )
    broken = Run([], info=RunInfo(errors=[mistake]), name="second")
    why = "1 file has an error (shop.relevance.yaml:3: unknown key)"
    assert f"second is not complete, {why}" in reasons(first(make), broken)


def test_all_reasons_are_said_at_once(make: Maker) -> None:
    results = [
        make.result("boots", ["b1"], judgments={"b1": 1}, gain="linear"),
        make.without_score("shoes", ERROR),
        make.result("hats", ["h1"]),
    ]
    found = reasons(first(make), Run(results, name="second"))
    assert [reason.split(":")[0] for reason in found] == [
        "second has no result of 1 case",
        "first has no result of 1 case",
        "second has an error in 1 case",
        "the judgments changed in 1 case",
        "the settings changed (gain",
    ]
    with pytest.raises(Incomparable) as caught:
        compare_runs(first(make), Run(results, name="second"))
    said = ["the two runs cannot be compared:", *(f"- {reason}" for reason in found)]
    assert str(caught.value).splitlines() == said
    assert caught.value.kinds == {
        "only in first",
        "only in second",
        "error in second",
        "judgments",
        "settings",
    }
    assert (caught.value.reasons, caught.value.in_common) == (found, 0)


def test_what_both_have_can_be_compared_and_the_rest_is_named(make: Maker) -> None:
    results = [
        make.result("boots", ["b2"]),
        make.result("shoes", ["s1"], gain="linear"),
        make.result("hats", []),
    ]
    found = compare_runs(first(make), Run(results, name="second"), common=True)
    assert [each.id for each in found.results] == ["boots"]
    assert [(each.kind, [key[1] for key in each.cases]) for each in found.left_out] == [
        ("only in first", ["socks"]),
        ("only in second", ["hats"]),
        ("settings", ["shoes"]),
    ]
    assert found.notes[0] == 'left out: second has no result of 1 case: "socks"'
    assert all(note.startswith("left out: ") for note in found.notes)


def test_where_nothing_is_left_there_is_nothing_to_compare(make: Maker) -> None:
    other = make.run({"hats": []}, name="second")
    advice = (
        "no case is in both: were they recorded from another folder, or of other files?"
    )
    assert reasons(first(make), other, common=True)[2:] == (advice,)
    assert reasons(Run([]), Run([])) == ("there is no case in them that ran",)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["shop.relevance.yaml"], ["search/shop.relevance.yaml"]),
        (["old.relevance.yaml"], ["new.relevance.yaml"]),
        (["a/x.relevance.yaml", "a/y.relevance.yaml"], ["b/x.relevance.yaml", "b/y.relevance.yaml"]),
        (["a/x.relevance.yaml", "b/x.relevance.yaml"], ["a/x.relevance.yaml", "b/x.relevance.yaml"]),
    ],
)  # fmt: skip
def test_two_checkouts_may_have_their_files_elsewhere(
    make: Maker, one: list[str], two: list[str]
) -> None:
    def run(files: list[str], ranking: list[str]) -> Run:
        return Run(
            [make.result("boots", [*ranking, file[0]], file=file) for file in files]
        )

    assert len(compare_runs(run(one, ["b1"]), run(two, ["b2"]))) == len(one)


def test_the_same_case_of_two_files_is_not_mixed_up(make: Maker) -> None:
    one = Run(
        [
            make.result("boots", ["b1"], file="a/x.yaml"),
            make.result("boots", [], file="b/x.yaml"),
        ]
    )
    two = Run(
        [
            make.result("boots", [], file="b/x.yaml"),
            make.result("boots", ["b1"], file="a/x.yaml"),
        ]
    )
    assert compare_runs(one, two).metrics[0].means.same == 2
    assert (
        len(
            reasons(
                one, Run([make.result("boots", [], file="c/x.yaml"), two.results[0]])
            )
        )
        == 2
    )
