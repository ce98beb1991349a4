"""The order in which the tests run: a plugin may shuffle it, and reports stay the
same.
"""

import re

import pytest

from tests.plugin.conftest import Project

SHUFFLES = """
    import random
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items):
        random.Random({seed}).shuffle(items)

    @pytest.fixture(params=["one", "two"])
    def search(request):
        return lambda query: ["x", query]
"""
CASES = """
    min_ndcg: 0.9
    cases: [{query: a, judgments: {a: 1}}, {query: b, judgments: {b: 1}}, {query: c, judgments: {c: 1}},
            {query: d, judgments: {d: 1}}]
"""
"""All cases fail with one score, so that nothing but their order decides which is told
first.
"""


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_reports_do_not_depend_on_the_order_of_the_tests(
    project: Project, options: tuple[str, ...]
) -> None:
    for name in ("shop", "help"):
        project.cases(CASES, f"{name}.relevance.yaml")
    project.test('relevance.check("q", ["a"], {"a": 1})')
    told = set()
    for seed in range(3):
        project.conftest(SHUFFLES.format(seed=seed))
        project.run(
            *options, "--relevance-markdown=run.md", "--relevance-record=run.jsonl"
        )
        markdown = (project.path / "run.md").read_text(encoding="utf-8")
        told.add(re.sub(r"<?[\d.]+ ms", "0 ms", markdown))
    (first, *others) = sorted(told)
    for other in others:
        assert other == first
