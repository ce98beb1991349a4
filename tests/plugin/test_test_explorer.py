"""VS Code's Test Explorer: a plugin that does with items and reports what the one of VS
Code does.

That one splits the node id of an item with parameters at ".py", without looking whether
the item is one of such a file, and sends the outcome of every report of a call under
its node id.
"""

from pathlib import Path

import pytest

from tests.plugin.conftest import Project

SEARCHES = """
    import pytest

    @pytest.fixture(params=["bm25", "hybrid"])
    def search(request):
        return lambda query: query.split()

    @pytest.fixture(params=["a", "b"])
    def shard(request):
        return request.param
"""

CASES = """
    gates: [{mean: {nDCG@10: 0.9}}, {passing: 1}]
    cases:
      - {query: a b, judgments: {a: 1}, min_ndcg: 0.5}
      - {query: x y, judgments: {y: 1}, min_ndcg: 0.9}
      - {query: c d, skip: later}
"""


class Explorer:
    """Builds a tree of the items of a session, and keeps outcomes by node id, as the
    plugin of VS Code does.
    """

    def __init__(self) -> None:
        self.tree: dict[str, set[str]] = {}
        self.outcomes: dict[str, str] = {}
        self._files: dict[str, Path] = {}

    def _id(self, node_id: str, path: Path) -> str:
        return "::".join([str(path), *node_id.split("::")[1:]])

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        for item in session.items if session.config.option.collectonly else ():
            parent = str(item.path)
            if hasattr(item, "callspec"):
                function, _ = item.name.split("[", 1)
                inside = item.nodeid.rsplit("::", 1)[0].rsplit(".py", 1)[1]
                parent += f"{inside}::{function}"
            self.tree.setdefault(parent, set()).add(self._id(item.nodeid, item.path))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        self._files[item.nodeid] = item.path
        return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> object:
        if report.when == "call" or (report.when == "setup" and report.skipped):
            path = self._files.get(report.nodeid, Path.cwd())
            self.outcomes[self._id(report.nodeid, path)] = report.outcome
        return (yield)

    @property
    def tests(self) -> set[str]:
        return set().union(*self.tree.values())


class Registers:
    """Registers the explorer under the name that the plugin of VS Code has."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer

    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(self._explorer, "vscode_pytest")


@pytest.mark.parametrize("loops", [False, True])
def test_every_test_is_in_the_tree_and_has_an_outcome(
    project: Project, loops: bool
) -> None:
    project.conftest(SEARCHES)
    project.cases(CASES)
    project.write(
        "test_more.py",
        "def test_shard(shard): pass\ndef test_search(search): assert search('a') == ['a']",
    )

    explorer = Explorer()
    listed = project.run("--collect-only", plugins=[Registers(explorer)], loops=loops)
    ran = project.run(plugins=[Registers(explorer)], loops=loops)

    assert listed.code == 0
    assert len(explorer.tests) == 6 + 4
    # gates are outcomes without a test
    assert explorer.outcomes.keys() > explorer.tests
    file = project.path / "shop.relevance.yaml"
    assert explorer.outcomes[f"{file}::x y[hybrid]"] == "failed"
    # four of those that failed are gates
    assert ran.counts == {"passed": 6, "failed": 2 + 4, "skipped": 2}
    assert "gate[passing 1][hybrid]" in ran.text
