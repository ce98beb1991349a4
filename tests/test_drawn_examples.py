"""Which examples Hypothesis draws in these tests: the same in every run, others only where a deep run is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import only_plugins

PROPERTY = """
import json
import pathlib

from hypothesis import given
from hypothesis import strategies as st

DRAWN = []


@given(st.text(), st.integers())
def test_anything(text, number):
    DRAWN.append(repr((text, number)))


def test_what_was_drawn():
    pathlib.Path("drawn.json").write_text(json.dumps(DRAWN))
"""
LOCAL = "WORDS = ['QUERY', 'unlikely text', 'another one']\nNUMBERS = [987654321987, 123456789123]\n"
Draw = Callable[..., str]

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:relevance", *only_plugins("hypothesispytest"))


@pytest.fixture
def drawn(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> Draw:
    """What a property is given in a run of pytest with the conftest.py of these tests.

    The runs share the table of Unicode's categories, which takes Hypothesis a second to make, with the run of these
    tests. Hypothesis keeps nothing else there: the profiles have no database.
    """
    monkeypatch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", str(pytestconfig.rootpath / ".hypothesis"))
    pytester.makepyfile(pandas="")  # the conftest.py imports it, and nothing here uses it
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))
    pytester.path.joinpath("shopwords.py").write_text(LOCAL, encoding="utf-8")

    def run(*options: str, imports: str = "") -> str:
        pytester.makepyfile(test_property=imports + PROPERTY)
        done = pytester.runpytest_subprocess(*QUIET, *options)
        done.assert_outcomes(passed=2)
        return pytester.path.joinpath("drawn.json").read_text(encoding="utf-8")

    return run


def test_a_run_draws_what_the_last_one_drew_whatever_is_imported(drawn: Draw) -> None:
    assert drawn() == drawn("--hypothesis-seed=7", imports="import shopwords\n")


def test_a_deep_run_draws_others_for_each_seed_and_more(drawn: Draw) -> None:
    deep = "--hypothesis-profile=deep"
    examples = drawn(deep, "--hypothesis-seed=1")
    assert examples != drawn(deep, "--hypothesis-seed=2")
    assert examples.count('", "') > 900
