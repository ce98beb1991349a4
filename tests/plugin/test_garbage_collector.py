"""The garbage collector is paused while many objects are made that stay, and is afterwards what it was before."""

import gc
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_relevance import Run
from pytest_relevance.cli import main
from tests.helpers import result_of
from tests.plugin.conftest import Project

CONFTEST = """
    import gc, json, pathlib
    import pytest

    seen = {}

    def pytest_generate_tests(metafunc):
        seen["collecting"] = gc.isenabled()

    @pytest.fixture
    def search():
        seen["searching"] = gc.isenabled()
        return str.split

    def pytest_unconfigure():
        pathlib.Path("seen.json").write_text(json.dumps(seen))
"""


@pytest.fixture(params=[True, False], ids=["enabled", "disabled"])
def enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether the process collects garbage."""
    before: bool = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_it_is_paused_while_cases_are_collected_and_not_while_they_run(project: Project, enabled: bool) -> None:
    project.conftest(CONFTEST)
    project.cases("cases: [{query: a b, judgments: {a: 1}}]")
    reports = [f"--relevance-{name}=run.{name}" for name in ("record", "html", "markdown")]
    assert project.run(*reports).counts == {"passed": 1}
    assert json.loads((project.path / "seen.json").read_text()) == {"collecting": False, "searching": enabled}
    assert gc.isenabled() is enabled


def test_after_a_case_file_with_a_mistake_it_is_what_it_was(project: Project, enabled: bool) -> None:
    project.cases("cases: [{qurey: a b}]")
    assert project.run().counts == {"errors": 1}
    assert gc.isenabled() is enabled


FROZEN = """
    import gc, pathlib
    import pytest

    @pytest.fixture(scope="session")
    def search():
        before = gc.get_freeze_count()
        yield str.split
        pathlib.Path("frozen").write_text(f"{before > 0} {gc.get_freeze_count() > 0}")

    def after():
        with open("frozen", "a") as file:
            file.write(f" {gc.get_freeze_count() > 0}")

    def pytest_configure(config):
        config.add_cleanup(after)
"""


def test_the_heap_is_frozen_while_a_thousand_cases_run(project: Project) -> None:
    project.conftest(FROZEN)
    cases = "".join(f"  - {{query: q{number}, expect: {{first: none}}}}\n" for number in range(1000))
    project.cases(f"cases:\n{cases}")
    assert project.run_apart("-q", "-x").counts == {"failed": 1}
    assert (project.path / "frozen").read_text() == "True True False"


@pytest.mark.parametrize("second", ["boots", "hats"], ids=["comparable", "incomparable"])
def test_after_a_command_it_is_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabled: bool, second: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, query in (("a.jsonl", "boots"), ("b.jsonl", second)):
        Run([result_of({"query": query, "judgments": {"a": 1}}, ["a"], file="shop.relevance.yaml")]).write(name)
    assert main(["compare", "a.jsonl", "b.jsonl"]) == (0 if second == "boots" else 2)
    assert gc.isenabled() is enabled
