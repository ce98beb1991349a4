"""What searches print and warn of while they run together is told as if each had run alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.plugin.searching.conftest import numbered
from tests.plugin.searching.test_batches import batching
from tests.plugin.searching.test_outcomes import FOUR, both_kinds, searching
from tests.plugin.searching.test_windows import TWO

if TYPE_CHECKING:
    from tests.plugin.searching.conftest import Engine


@both_kinds
def test_a_warning_that_is_the_same_in_each_case_is_told_in_each(engine: Engine, search: str) -> None:
    engine.searches(searching("warnings.warn('an old engine')", search))
    engine.project.cases(numbered(3))
    for options in ((), (FOUR,)):
        run = engine.run("-Wdefault", *options)
        assert run.counts == {"passed": 3, "warnings": 3}
        assert re.findall(r"::(q\d)$", run.text, re.MULTILINE) == ["q0", "q1", "q2"]


@both_kinds
def test_warnings_that_are_ignored_stay_so(engine: Engine, search: str) -> None:
    engine.searches(searching("warnings.warn('an old engine')", search))
    engine.project.cases(numbered(3))
    assert engine.run(FOUR, "-Wignore").counts == {"passed": 3}


@both_kinds
def test_a_stream_refuses_what_is_no_text_in_the_search_itself(engine: Engine, search: str) -> None:
    engine.searches(searching("if query == 'q1': __import__('sys').stdout.write(b'bytes')", search))
    engine.project.cases(numbered(3))
    run = engine.run(TWO)
    assert run.outcomes == {"q0": "passed", "q1": "failed", "q2": "passed"}
    assert "__import__('sys').stdout.write(b'bytes')" in run.failure("q1")


def test_what_a_batch_prints_is_captured_in_its_own_first_case(engine: Engine) -> None:
    engine.searches(batching("print(*queries); return [query.split() for query in queries]"))
    engine.project.cases(
        "cases: [{query: q0}, {query: q1, params: {lang: de}}, {query: q2}, {query: q3, params: {lang: de}}]"
    )
    for options in ((), (TWO,)):
        run = engine.run(*options)
        printed = {
            report.nodeid.partition("::")[2]: report.capstdout for report in run.reports if report.when == "call"
        }
        assert printed == {"q0": "q0 q2\n", "q1": "q1 q3\n", "q2": "", "q3": ""}
        assert engine.batches == [["q0", "q2"], ["q1", "q3"]]
