"""What holds of `pytest-relevance compare` whatever is compared, and whatever a hand did to a record."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.cli import main

RANKINGS = st.fixed_dictionaries(
    {f"q{number}": st.permutations("abcd").map(lambda one: one[:3]) for number in range(4)}
)
GRADES = st.fixed_dictionaries(
    {f"q{number}": st.fixed_dictionaries(dict.fromkeys("abc", st.integers(0, 3))) for number in range(4)}
)


@given(first=RANKINGS, second=RANKINGS, grades=GRADES, metric=st.sampled_from(["nDCG@10", "RR", "P@2"]))
@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_sides_that_are_swapped_swap_signs(
    capsys: pytest.CaptureFixture[str], first: Any, second: Any, grades: Any, metric: str
) -> None:
    with TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a.json", "b.json", "judgments.json")]
        for path, content in zip(paths, (first, second, grades), strict=True):
            Path(path).write_text(json.dumps(content))
        found = []
        for sides in (paths[:2], paths[1::-1]):
            options = [
                "--judgments",
                paths[2],
                "--metric",
                metric,
                "--format",
                "json",
                "--limit",
                "0",
                "--resamples=1000",
            ]
            assert main(["compare", *sides, *options]) == 0
            found.append(json.loads(capsys.readouterr().out))
    one, two = found
    (before,), (after,) = one["metrics"], two["metrics"]
    assert (before["first"], before["second"]) == (after["second"], after["first"])
    assert (before["better"], before["worse"], before["same"]) == (after["worse"], after["better"], after["same"])
    assert before["p"] == after["p"]
    if before["queries"]:
        assert before["difference"] == -after["difference"]
    drops, gains = ({mover["id"]: mover for mover in each} for each in (one["movers"]["drops"], two["movers"]["gains"]))
    assert drops.keys() == gains.keys()
    for name, drop in drops.items():
        gain = gains[name]
        assert drop["difference"] == -gain["difference"]
        assert (drop["jaccard"], drop["rbo"]) == pytest.approx((gain["jaccard"], gain["rbo"]))
        assert {move["document"] for move in drop["left"]} == {move["document"] for move in gain["entered"]}


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_a_hand_did_to_a_record(
    two_runs: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    content = (two_runs / "branch.jsonl").read_text(encoding="utf-8")
    values = [found.span() for found in re.finditer(r'(?<=[:\[,])(?:"[^"]*"|[\d.]+|\[[^][]*\]|\{[^{}]*\})', content)]
    start, end = data.draw(st.sampled_from(values))
    with_value = data.draw(
        st.sampled_from(['"x"', "7", "-1", "null", "[]", "{}", "[1]", '["x"]', "[null]", "1e999", "", ","])
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hand.jsonl"
        path.write_text(content[:start] + with_value + content[end:], encoding="utf-8")
        command = ["compare", str(two_runs / "main.jsonl"), str(path)]
        for options in ([], ["--metric=AP", "--common", "--format=json"]):
            code = main([*command, *options])
            out, err = capsys.readouterr()
            assert code in (0, 2), err
            assert bool(out) == (code == 0)
            assert bool(err) == (code == 2)
