"""Reading the names of metrics as people write them."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from pytest_relevance.metrics.batch import SCORERS as BATCH_SCORERS
from pytest_relevance.metrics.measures import SCORERS
from pytest_relevance.metrics.names import MEASURES, Measure, Metric, build_metric, parse_metric

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("NDCG", "nDCG"),
        (" nDCG @ 10 ", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("recall.100", "R@100"),
        ("MRR", "RR"),
        ("MAP", "AP"),
        ("Precision@3", "P@3"),
        ("Hit Rate@3", "Success@3"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("P@5(rel=2)", "P(rel=2)@5"),
        ("P(rel=1.0)@5", "P@5"),
        ("AP(rel=0.5)", "AP(rel=0.5)"),
        ("RBP", "RBP(p=0.8)"),
        ("rbp( rel = 2, p = .95 )@10", "RBP(p=0.95,rel=2)@10"),
        ("infap", "infAP"),
        ("r-precision", "Rprec"),
        ("jaccard@5", "Jaccard@5"),
        ("rbo", "RBO(p=0.9)"),
        ("RBO@10(p=0.5)", "RBO(p=0.5)@10"),
    ],
)
def test_spellings(written: str, canonical: str) -> None:
    metric = parse_metric(written)
    assert metric.text == canonical
    assert parse_metric(canonical) == metric


def test_the_parts_of_a_metric() -> None:
    assert parse_metric("P(rel=2)@5") == Metric("P(rel=2)@5", "P", 5, 2.0)
    assert parse_metric("RBP(p=0.9)") == Metric("RBP(p=0.9)", "RBP", None, 1.0, 0.9)
    assert build_metric("nDCG", 10) == parse_metric("nDCG@10")


def test_a_metric_that_was_read_already_stays_itself() -> None:
    metric = parse_metric("AP@5")
    assert parse_metric(metric) is metric
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("nDCG@0", "a whole number from 1 to 1,000,000, not '0'"),
        ("nDCG@1.5", "a whole number from 1"),
        ("nDCG@", "a whole number from 1"),
        ("nDCG@٣", "a whole number from 1"),
        ("nDCG@" + "9" * 10_000, "a whole number from 1 to 1,000,000"),
        ("Success", "'Success' needs a cutoff: write Success@10"),
        ("Rprec@5", "Rprec takes no cutoff"),
        ("nDGC@10", "did you mean nDCG?"),
        ("accuracy", "the measures are nDCG, DCG, CG, P, R, AP"),
        ("P(p=0.5)@5", "P takes rel= (the lowest grade that counts as relevant), not 'p=0.5'"),
        ("nDCG(10)", "nDCG takes no parameters"),
        ("P(2)@5", "not '2'"),
        ("P(rel=two)@5", "a number above 0, not 'two'"),
        ("P(rel=nan)@5", "a number above 0"),
        ("P(rel=1,rel=2)@5", "gives rel= twice"),
        ("P(rel=1)@5(rel=1)", "two lists of parameters"),
        ("RBP(p=1)", "between 0 and 1"),
        ("", "is not a metric"),
        ("nDCG@10@5", "whole number"),
    ],
)
def test_what_is_refused_says_what_is_allowed(written: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_metric(written)


def test_every_measure_is_scored_on_both_paths() -> None:
    assert set(SCORERS) == set(BATCH_SCORERS) == set(MEASURES)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_is_documented_with_its_source(measure: Measure) -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    inside = ", ".join(f"{parameter}=..." for parameter in measure.parameters)
    cutoff = {"optional": "[@k]", "required": "@k", "none": ""}[measure.cutoff]
    usage = f"{measure.name}{f'[({inside})]' if inside else ''}{cutoff}"
    (row,) = (row for row in rows if row.startswith(f"| `{usage}` | "))
    *_, source, aliases = (cell.strip() for cell in row.strip("|").split(" | "))
    assert source
    assert aliases == ", ".join(measure.aliases)
