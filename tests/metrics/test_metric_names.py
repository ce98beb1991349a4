"""Reading the names of metrics as people write them."""

import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_relevance.metrics.measures import MEASURES, Measure
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric, parse_metric
from pytest_relevance.metrics.settings import CHOICES, Settings

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "metrics.md").read_text(encoding="utf-8")


SPELLINGS = {
    "nDCG@10": ["nDCG@10", " nDCG @ 10 ", "ndcg_cut_10"],
    "nDCG": ["NDCG"],
    "R@100": ["recall.100"],
    "Rcap@10": ["R_cap@10", "recall_cap@10", "rcap_10", "capped recall@10"],
    "RR": ["MRR"],
    "AP": ["MAP"],
    "P@3": ["Precision@3"],
    "Success@3": ["Hit Rate@3"],
    "P(rel=2)@5": ["P(rel=2)@5", "P@5(rel=2)"],
    "P@5": ["P(rel=1.0)@5"],
    "AP(rel=0.5)": ["AP(rel=0.5)"],
    "RBP(p=0.8)": ["RBP"],
    "RBP(p=0.95,rel=2)@10": ["rbp( rel = 2, p = .95 )@10"],
    "infAP": ["infap"],
    "Rprec": ["r-precision"],
    "Jaccard@5": ["jaccard@5"],
    "RBO(p=0.9)": ["rbo"],
    "RBO(p=0.5)@10": ["RBO@10(p=0.5)"],
}


@pytest.mark.parametrize(
    ("written", "canonical"),
    [(each, canonical) for canonical in SPELLINGS for each in SPELLINGS[canonical]],
)
def test_spellings(written: str, canonical: str) -> None:
    metric = parse_metric(written)
    assert metric.text == canonical
    assert parse_metric(canonical) == metric


def test_the_parts_of_a_metric() -> None:
    assert parse_metric("P(rel=2)@5") == Metric("P(rel=2)@5", "P", k=5, rel=2.0)
    assert parse_metric("RBP(p=0.9)") == Metric("RBP(p=0.9)", "RBP", p=0.9)
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
        ("accuracy", "the measures are nDCG, DCG, CG, P, R"),
        (
            "P(p=0.5)@5",
            "P takes rel= (the lowest grade that counts as relevant), not 'p",
        ),
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


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_is_documented_with_its_source(measure: Measure) -> None:
    parameters = ", ".join(f"{parameter}=..." for parameter in measure.parameters)
    usage = measure.name
    if parameters:
        usage += f"[({parameters})]"
    usage += {"optional": "[@k]", "required": "@k", "none": ""}[measure.cutoff]
    (row,) = (row for row in PAGE.splitlines() if row.startswith(f"| `{usage}` | "))
    *_, source, aliases = (cell.strip() for cell in row.strip("|").split(" | "))
    assert source
    assert aliases == ", ".join(measure.aliases)


# The conventions of a score: what may be chosen, and what a grade is worth under them


def test_a_mapping_gives_the_gain_of_each_grade() -> None:
    gains: dict[float, float] = {0: 0, 1: 1, 2: 3, 3: 7}
    settings = Settings(gains)
    gains[3] = 100
    assert settings.gain_of(3) == 7.0
    of_numpy: Any = np.int64(2)
    assert settings.gain_of(of_numpy) == 3.0


def test_negative_grades_have_the_gain_of_the_formula_or_none() -> None:
    assert Settings().gain_of(-1) == -0.5
    assert Settings(negative="zero").gain_of(-1) == 0.0
    assert Settings({0: 0, 1: 1}, negative="zero").gain_of(-1) == 0.0


@pytest.mark.parametrize(
    ("settings", "grade", "says"),
    [
        (
            Settings(),
            51,
            "grade 51 is too high for exponential gain (2^grade - 1): at most",
        ),
        (Settings({0: 0, 2: 3, 1: 1}), 3, "has no grade 3; it has 0, 1, 2"),
        (Settings("linear"), math.nan, "a grade is a finite number, not nan"),
        (Settings("linear"), "3", "a grade is a number, not '3' (str)"),
        (Settings("linear"), True, "a grade is a number, not True (bool)"),
        (Settings("linear"), None, "a grade is a number, not None"),
    ],
)
def test_a_grade_without_a_gain_is_refused(
    settings: Settings, grade: Any, says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        settings.gain_of(grade)


@pytest.mark.parametrize("name", list(CHOICES))
def test_a_choice_outside_of_its_table_is_refused_with_the_table(name: str) -> None:
    wrong: dict[str, Any] = {name: "both"}
    with pytest.raises(ValueError, match=f"{name} is one of .* not 'both'") as refused:
        Settings(**wrong)
    assert all(choice in str(refused.value) for choice in CHOICES[name])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"gain": {}}, "the gain mapping is empty"),
        ({"gain": {1: math.nan}}, "the gain of grade 1 is a finite number"),
        ({"gain": {"1": 1}}, "a grade of the gain mapping is a number, not '1'"),
        ({"gain": 2}, "a mapping of grades to gains, not 2"),
        ({"max_grade": 0}, "above 0"),
        ({"max_grade": math.inf}, "a finite number"),
        ({"max_grade": 51}, "at most 50 is allowed"),
        ({"max_grade": 3, "gain": {0: 0, 1: 1}}, "the gain mapping has no grade 3"),
    ],
)
def test_other_wrong_settings(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        Settings(**wrong)


def test_settings_compare_hash_and_travel() -> None:
    for settings in (Settings(), Settings({0: 0, 1: 5}, discount="ln", max_grade=1)):
        copy = pickle.loads(pickle.dumps(settings))
        assert copy == settings
        assert hash(copy) == hash(settings)
        assert copy.gain_of(1) == settings.gain_of(1)
    assert Settings() != Settings("linear")


def test_gains_are_remembered_only_up_to_a_bound() -> None:
    gains = Settings("linear").gains
    for grade in range(10_000):
        assert gains[grade / 7] == grade / 7
    assert len(gains) < 5_000
