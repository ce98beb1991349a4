"""Suites whose queries and judgments stand in files: their items, their failures and
the warnings.
"""

import re

import pytest

from tests.plugin.conftest import Project

THREE_LINES = "queries: data/queries.tsv\njudgments: data/qrels.txt\nmin_ndcg: 0.9\n"


@pytest.fixture
def shop(project: Project) -> Project:
    """A search that returns the words of its query, three queries in a file, and their
    judgments.
    """
    project.conftest()
    project.write("data/queries.tsv", "q1\ta b\nq2\tb a\n\nq3\tstd::vector [c]\n")
    project.write(
        "data/qrels.txt", "q1 0 a 3\nq1 0 b 1\nq2 0 a 3\nq2 0 b 1\nq3 0 c 0\n"
    )
    return project


def test_each_query_is_an_item(shop: Project) -> None:
    shop.cases("# two\n# comments\n" + THREE_LINES)
    run = shop.run("-v")
    assert run.outcomes == {"q1": "passed", "q2": "failed", "q3": "passed"}
    assert run.results["q3"].score is None
    assert "1 passed, 1 failed, 1 measured; " in run.summary
    assert [entry.line for entry in run.results.values()] == [1, 2, 4]
    # what pytest itself shows of an item is a line that the case file has
    places = {report.location[:2] for report in run.reports}
    assert places == {("shop.relevance.yaml", 2)}


def test_a_file_named_on_the_command_line_needs_no_cases(shop: Project) -> None:
    shop.cases(THREE_LINES, "queries.yaml")
    assert shop.run("queries.yaml").counts == {"passed": 2, "failed": 1}
    assert shop.run("queries.yaml::q1").counts == {"passed": 1}
    assert shop.run("queries.yaml", "-k", "vector").counts == {
        "passed": 1,
        "deselected": 2,
    }


@pytest.mark.parametrize("options", [(), ("-q",), ("--tb=line",)])
def test_a_failure_names_the_line_in_the_file_of_queries(
    shop: Project, options: tuple[str, ...]
) -> None:
    shop.cases(THREE_LINES)
    run = shop.run(*options)
    told = r'^data/queries\.tsv:2: ("b a": )?nDCG@10 0\.710(, floor| is below) 0\.900'
    assert re.search(told, run.text, re.MULTILINE)
    (short,) = run.short_summary
    assert short.startswith('FAILED shop.relevance.yaml::q2 - "b a": nDCG@10 0.710')


@pytest.mark.usefixtures("with_and_without_loops")
def test_a_search_that_raises_and_one_that_is_a_coroutine(shop: Project) -> None:
    shop.cases(THREE_LINES)
    code = "async def waits(query): return query.split()"
    found = "return waits if request.param == 'waits' else lambda query: 1 / 0"
    shop.search(f"{code}\n    {found}", "(params=['raises', 'waits'])", "request")
    run = shop.run()
    raises = {f"q{number}[raises]": "failed" for number in (1, 2, 3)}
    waits = {"q1[waits]": "passed", "q2[waits]": "failed", "q3[waits]": "passed"}
    assert run.outcomes == raises | waits
    assert 'data/queries.tsv:1: query "a b"' in run.failure("q1[raises]")


def test_junit_names_the_case_file(shop: Project) -> None:
    shop.cases(THREE_LINES)
    cases = shop.junit("-o", "junit_family=xunit1")
    assert {name: case.attrib["file"] for name, case in cases.items()} == dict.fromkeys(
        ("q1", "q2", "q3"), "shop.relevance.yaml"
    )
    failure = cases["q2"].find("failure")
    assert failure is not None
    assert "data/queries.tsv:2: " in str(failure.text)


def test_queries_without_judgments_are_measured_and_counted(shop: Project) -> None:
    """Topics of which some are judged. A project that makes errors of warnings runs
    them too.
    """
    queries = "".join(f"q{number}\ta b {number}\n" for number in range(1, 8))
    shop.write("data/queries.tsv", queries)
    shop.write("data/qrels.txt", "q1 0 a 3\nq1 0 b 1\nq2 0 a 3\n")
    shop.cases(THREE_LINES + "min_judged: 0.1\n")
    run = shop.run()
    assert run.counts == {"passed": 7}
    assert (
        "2 passed, 5 measured; mean nDCG@10 1.000 (2 of 7 cases, those with a score)"
        in run.summary
    )
    line = 'shop.relevance.yaml: 5 of 7 queries have no judgments: "a b 3", "a b 4", "a b 5" and 2 more\n'
    assert run.summary.count(line) == 1
    assert line in shop.run("-q").summary.replace("\n    ", " ")
    shop.cases("{queries: data/queries.tsv, expect: {results: '>= 1'}}")
    assert "no judgments" not in shop.run().text


def test_a_metric_that_no_query_has_judgments_for(shop: Project) -> None:
    shop.cases("{queries: data/queries.tsv, expect: {P@5: 0.6, results: '>= 1'}}")
    run = shop.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    why = (
        "expect.P@5: the floor applies to no case: 3 listed queries without a floor of "
    )
    assert why in run.text


# Warnings

WARNING = 'data/qrels.txt: 1 of 4 queries has no case: "q4"'


@pytest.fixture
def warning_shop(shop: Project) -> Project:
    """The same with judgments of a query that no case knows."""
    with (shop.path / "data/qrels.txt").open("a") as file:
        file.write("q4 0 d 1\n")
    shop.cases(THREE_LINES)
    shop.options = ("-W", "default::pytest_relevance.RelevanceWarning")
    return shop


@pytest.mark.parametrize(
    "workers", [(), ("-n2",), ("--tx=popen//id=solo", "--dist=load")]
)
def test_a_warning_is_told_once_and_names_the_case_file(
    warning_shop: Project, workers: tuple[str, ...]
) -> None:
    run = warning_shop.run(*workers)
    assert run.counts == {"passed": 2, "failed": 1, "warnings": 1}
    assert run.text.count(WARNING) == 1
    told = run.text.partition("= warnings summary =")[2]
    assert re.search(r"^shop\.relevance\.yaml:1$", told, re.MULTILINE)
    assert f"shop.relevance.yaml:1: RelevanceWarning: {WARNING}" in told


def test_as_an_error_it_is_an_error_of_the_file(warning_shop: Project) -> None:
    warning_shop.options = ("-W", "error::pytest_relevance.RelevanceWarning")
    run = warning_shop.run()
    assert run.counts == {"errors": 1}
    assert f"shop.relevance.yaml: {WARNING}" in run.text
    assert "Traceback" not in run.text
