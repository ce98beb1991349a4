"""docs/howto/coming-from.md: every example is a suite that passes, and that fails where
the search is worse.
"""

import json
import re
from pathlib import Path

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "coming-from.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
(SEARCH,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

WORSE = {
    "reversed": "ranking[::-1][:k]",
    "other": '["printer1", *ranking[1:], *map(str, range(9))][:k]',
    "junk": '["a", "b", "c"]',
}
"""Rankings that are worse, each in another way, made of the right one."""


@pytest.fixture
def suites(project: Project) -> Project:
    """The examples as suites of one project, with the files that they name."""
    for name, text in FILES.items():
        project.write(name, text)
    for number, text in enumerate(EXAMPLES):
        project.cases(text, f"example{number}.relevance.yaml")
    return project


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7
    assert {*FILES} == {
        "export.csv",
        "rank_eval.json",
        "ratings.json",
        "targets.csv",
        "testset.jsonl",
    }


def test_every_example_passes(suites: Project) -> None:
    suites.conftest(SEARCH)
    run = suites.run()
    assert run.counts == {"passed": 11}, run.result.stdout.str()


def test_every_example_fails_where_the_search_is_worse(suites: Project) -> None:
    failed = set()
    for ranking in WORSE.values():
        worse = SEARCH.replace("RANKINGS[query][:k]", ranking)
        begins = "    def search(query, k):"
        found = f"{begins}\n        ranking = RANKINGS[query]"
        suites.conftest(worse.replace(begins, found))
        failed |= {report.nodeid for report in suites.run().reports if report.failed}
    assert {name.replace(".relevance.yaml::", " ") for name in failed} == {
        "example0 renew a passport",
        "example0 pay a fine",
        "example1 notebook",
        "example1 asdfgh",
        "example2 smart watch",
        "example3 smart watch",
        "example3 gate[mean P 0.6]",
        "example4 smart watch",
        "example5 gate[mean P@10 0.6, nDCG@10 0.9, R@10 1]",
        "example6 how long can I return it",
    }


def test_the_short_forms_of_the_first_table_are_keys_of_an_expectation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["schema"])
    keys = json.loads(capsys.readouterr().out)["$defs"]["expect"]["properties"]
    # the others are metrics
    kinds = {name for name in keys if name.islower() and name.isidentifier()}
    table = PAGE.partition("What each assertion is called")[2].partition("```yaml")[0]
    named = set(re.findall(r"`(\w+):", table)) - {"relevant"}
    of_fields = {"every", "some", "none", "at_most"}
    assert named == kinds - of_fields - {"latency", "response", "same_as"}
