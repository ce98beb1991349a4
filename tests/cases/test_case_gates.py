"""Gates as they are written in a case file."""

import json
from typing import Any

import pytest

from pytest_relevance import CaseFileError
from pytest_relevance.cases.model import Gate, LatencyBound
from pytest_relevance.cases.reader import parse_suite
from tests.helpers import travelled


def gates(*written: Any) -> tuple[Gate, ...]:
    text = json.dumps(
        {"gates": written, "cases": [{"query": "shoes", "tags": ["head"]}]}
    )
    return parse_suite(text.encode(), "shop.yaml").terms.gates


def refusals(*written: Any) -> list[str]:
    with pytest.raises(CaseFileError) as caught:
        gates(*written)
    return [problem.message for problem in caught.value.problems]


def test_a_mean_of_a_tag_and_of_several_metrics() -> None:
    (gate,) = gates({"mean": {"ndcg@10": 0.8, "P(rel=2)@5": 0.5}, "tag": "head"})
    assert gate.id == "mean nDCG@10 0.8, P(rel=2)@5 0.5 of head"
    assert [metric.text for metric in gate.metrics] == ["nDCG@10", "P(rel=2)@5"]


def test_a_mean_of_one_variant_against_another() -> None:
    (gate,) = gates(
        {"mean": {"jaccard@5": 1, "rbo": 0.9}, "variant": "ann", "against": 7}
    )
    assert gate.id == "mean Jaccard@5 1, RBO(p=0.9) 0.9 of ann against 7"
    assert (gate.variant, gate.against, gate.similarities) == ("ann", "7", ())
    assert travelled(gate) == gate
    (plain,) = gates({"mean": {"RBO(p=0.5)@5": 1, "P@5": 1}})
    assert [metric.text for metric in plain.similarities] == ["RBO(p=0.5)@5"]


def test_the_lowest_cases() -> None:
    least, low, ann = gates(
        {"min": {"ndcg@10": 0.3, "characters@5": "<= 12000"}},
        {"p5": {"P@5": 0.5}, "tag": "head"},
        {"p50": {"overlap@10": 1}, "variant": "ann", "against": "exact"},
    )
    assert least.id == "min nDCG@10 0.3, characters@5 <= 12000"
    assert low.id == "p5 P@5 0.5 of head"
    assert (ann.id, ann.condition) == ("p50 overlap@10 1 of ann against exact", "p50")
    for gate in (least, low, ann):
        assert travelled(gate) == gate


def test_a_drop_and_a_share() -> None:
    drop, share = gates(
        {"max_drop": {"nDCG@10": 0.02}, "p": 0.05}, {"passing": 0.95, "id": "most-pass"}
    )
    assert (drop.id, drop.p) == ("max_drop nDCG@10 0.02", 0.05)
    assert (share.id, share.share, share.bounds) == ("most-pass", 0.95, ())


def test_figures_of_the_latency() -> None:
    (gate,) = gates(
        {
            "latency": {"p95": "<= 200 ms", "mean": "< 1.5 s", "max": "2 s"},
            "tag": "head",
        }
    )
    assert gate.id == "latency p95 <= 200 ms, mean < 1.5 s, max <= 2 s of head"
    assert gate.latencies == (
        LatencyBound("p95", "<=", 0.2),
        LatencyBound("mean", "<", 1.5),
        LatencyBound("max", "<=", 2.0),
    )
    assert travelled(gate) == gate


CONDITIONS = "mean, max_drop, latency, passing, min or p1 to p50"
ONE = f"gates[0]: a gate has one condition, {CONDITIONS}; "
BETWEEN = "gates[0]: variant and against name two variants, whose rankings are compared by overlap, Jaccard or RBO; write"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"latency": "200 ms"}, 'gates[0].latency: expected figures of the latency and bounds, such as {p95: "'),
        ({"latency": {"p80": "1 s"}}, 'gates[0].latency: unknown key "p80"; a figure of the latency is p50, p90, p95'),
        ({"latency": {"p95": 200}}, "gates[0].latency.p95: expected the longest time in ms or s, found 200; write"),
        ({"latency": {"p95": ">= 1 s"}}, "gates[0].latency.p95: expected the longest time in ms or s, found"),
        ({"latency": {"max": 2}}, "gates[0].latency.max: expected the longest time in ms or s, found 2; write max: "),
        ({"latency": {"p95": "1 s"}, "p": 0.05}, "gates[0].p: p is for max_drop alone"),
        ("mean", "gates[0]: a gate is a mapping such as {mean: {nDCG@10: 0.75}}, found the text"),
        ({}, ONE + "there is none"),
        ({"mean": {"P@5": 1}, "passing": 1}, ONE + "mean and passing are two"),
        ({"maen": {"P@5": 1}}, f'gates[0]: unknown key "maen"; a gate has {CONDITIONS}'),
        ({"mean": 0.7}, "gates[0].mean: expected metrics and their bounds, such as {nDCG@10: 0.75}, found 0.7"),
        ({"mean": {"P@5": 70}}, "gates[0].mean.P@5: expected a number from 0 to 1, found 70"),
        ({"max_drop": {"CG@5": -1}}, "gates[0].max_drop.CG@5: expected a number from 0 on, found -1"),
        ({"mean": {"nDCQ@5": 0.5}}, "gates[0].mean: "),
        ({"mean": {"P@5": 0.5, "p@5": 0.5}}, "gates[0].mean: P@5 stands twice; keep one of them"),
        ({"passing": 0}, "gates[0].passing: expected the share of cases that must pass, above 0 and up to 1, found 0"),
        ({"passing": 1, "p": 0.05}, "gates[0].p: p is for max_drop alone: such a gate fails only if the drop"),
        ({"max_drop": {"P@5": 0.1}, "p": 5}, "gates[0].p: expected a level of significance such as 0.05, found 5"),
        ({"passing": 1, "id": "a::b"}, 'gates[0].id: the id "a::b" has ::, which a pytest node id cannot carry'),
        ({"min": 0.3}, "gates[0].min: expected metrics and their bounds, such as {nDCG@10: 0.75}, found 0.3"),
        ({"p5": {"characters@5": 9}, "p10": {"P@5": 1}}, ONE + "p5 and p10 are two"),
        ({"p5": {"P@5": ">= 0.5"}}, 'gates[0].p5.P@5: expected a number from 0 to 1, found the text ">= 0.5"'),
        ({"min": {"P@5": 1}, "p": 0.05}, "gates[0].p: p is for max_drop alone"),
        ({"max_drop": {"overlap@9": 0.1}}, "gates[0].max_drop: overlap@9 compares two rankings; its mean is bound by"),
        ({"mean": {"overlap@9": 1}, "against": "x"}, BETWEEN),
        ({"mean": {"RBO": 1}, "variant": "x", "against": "x"}, BETWEEN),
        ({"mean": {"RBO": 1, "P@5": 1}, "variant": "x", "against": "y"}, BETWEEN),
        ({"passing": 1, "variant": "x", "against": "y"}, BETWEEN),
        ({"mean": {"RBO": 1}, "variant": 7, "against": ["y"]}, "gates[0].against: expected text, found the list"),
        ({"passing": 1, "tag": "a b"}, 'gates[0].tag: the tag "a b" may have letters, digits and'),
    ],
)  # fmt: skip
def test_a_gate_that_cannot_be_read(written: Any, message: str) -> None:
    assert any(refusal.startswith(message) for refusal in refusals(written))


@pytest.mark.parametrize("key", ["p95", "p51", "p0", "p0.5", "p05", "P5", "p5%"])
def test_a_percentile_that_is_none(key: str) -> None:
    assert refusals({key: {"nDCG@10": 0.3}}) == [
        f'gates[0]: "{key}" is not a gate. A low percentile shows the worst cases, so percentiles are p1 to p50, in '
        "whole numbers. Write p5: {nDCG@10: 0.3}, min: {nDCG@10: 0.3} for every case, or latency: "
        '{p95: "<= 200 ms"}'
    ]


def test_two_gates_of_one_name() -> None:
    assert refusals({"passing": 1, "id": "all"}, {"passing": 0.9, "id": "all"}) == [
        'gates[1]: gate 1 has the id "all" too; give one of the two another id'
    ]
