"""What these tests share: one browser, a reader in front of it, and the report of a
shop whose search got worse.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.reader import CHROMIUM, DRIVER, Reader, start_chromium
from tests.browser.shop import AFTER, BEFORE, CONFTEST, LOOKUPS, SHOP
from tests.helpers import only_plugins


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One browser for all tests, which are skipped where there is none, unless
    RELEVANCE_BROWSER is set.
    """
    absent = [
        name
        for name, program in (("chromium", CHROMIUM), ("chromedriver", DRIVER))
        if program is None
    ]
    absent += [] if find_spec("selenium") else ["selenium, of the extra `browser`"]
    if absent:
        (pytest.fail if "RELEVANCE_BROWSER" in os.environ else pytest.skip)(
            f"needs {' and '.join(absent)}"
        )
    driver = start_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def reader(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A reader. No page may write to the console, nor ask for anything but itself."""
    reader = Reader(browser, tmp_path_factory.mktemp("downloads"))
    reader.complaints()
    yield reader
    reader.leave()
    assert reader.complaints() == []


class Project:
    """A project in a folder, whose search returns the rankings of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write("conftest.py", CONFTEST)

    def write(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.path / name
        path.write_text(text, encoding="utf-8")
        return path

    def search_returns(self, rankings: Mapping[str, Sequence[object]]) -> None:
        """Set what the search returns, by query."""
        self.write("rankings.json", json.dumps(rankings))

    def pytest(self, *args: str) -> str:
        """Run pytest in a process of its own, and return what it prints."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            *only_plugins(),
            *args,
        ]
        hidden = (
            "CI",
            "GITHUB_ACTIONS",
            "PYTEST_ADDOPTS",
            "PYTEST_CURRENT_TEST",
            "PYTEST_XDIST_WORKER",
        )
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        run = subprocess.run(
            command, cwd=self.path, env=env, capture_output=True, text=True, check=False
        )
        assert run.returncode in (0, 1), run.stdout + run.stderr
        return run.stdout

    def report(self, *args: str) -> Path:
        """Run pytest, and return the HTML report of the run."""
        self.pytest("--relevance-html=report.html", *args)
        return self.path / "report.html"


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A shop of 28 queries whose search got worse since its rankings were accepted."""
    project = Project(tmp_path_factory.mktemp("shop"))
    project.write("shop.relevance.yaml", SHOP)
    project.write("lookups.relevance.yaml", LOOKUPS)
    project.search_returns(BEFORE)
    project.pytest("--relevance-update")
    project.search_returns(AFTER)
    project.report()
    return project


@pytest.fixture
def page(shop: Project, browser: Any) -> Path:
    """The HTML report of the shop."""
    return shop.path / "report.html"
