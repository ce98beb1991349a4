"""pyproject.toml: its links, the Pythons and the lowest dependencies that the build
runs with.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text(
    encoding="utf-8"
)  # Python 3.10 has no reader of TOML


def test_the_metadata_has_the_links_of_the_project() -> None:
    table = PROJECT.partition("[project.urls]\n")[2].partition("\n[")[0]
    urls = dict(re.findall(r'^(\w+) = "(.*)"$', table, re.MULTILINE))
    assert urls.keys() >= {"Documentation", "Changelog", "Issues", "Repository"}
    assert all(url.startswith(urls["Repository"]) for url in urls.values())


def test_the_lowest_python_is_the_first_that_is_declared() -> None:
    (required,) = re.findall(r'^requires-python = ">=(.*)"$', PROJECT, re.MULTILINE)
    declared = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)
    assert declared[0] == required
    assert declared == [f"3.{minor}" for minor in range(10, 10 + len(declared))]


PINNED = [
    line.split("==")
    for line in (ROOT / ".ci" / "lowest.txt").read_text(encoding="utf-8").split()
]


@pytest.mark.parametrize(("name", "version"), PINNED, ids=[name for name, _ in PINNED])
def test_the_build_runs_with_the_lowest_version_that_is_declared(
    name: str, version: str
) -> None:
    declared = set(re.findall(rf'"{name}(?:\[.*\])?>=([\d.]+)"', PROJECT))
    assert [re.sub(r"(\.0)+$", "", each) for each in declared] == [
        re.sub(r"(\.0)+$", "", version)
    ]


def test_the_lowest_version_of_every_dependency_is_run() -> None:
    table = PROJECT.partition("\ndependencies = [\n")[2].partition("]")[0]
    assert set(re.findall(r'"(\w+)>=', table)) <= {name for name, _ in PINNED}


AT_THE_TOP = {
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("action.yml", "pyproject.toml"),
    *("benchmarks", "docs", "example_suite", "pytest_relevance", "tests"),
}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_nothing_else_stands_at_the_top_of_the_repository() -> None:
    command = ["git", "ls-files"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = {name.partition("/")[0] for name in done.stdout.splitlines()}
    assert {name for name in names if not name.startswith(".")} == AT_THE_TOP
