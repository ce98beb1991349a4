"""What these tests share: a project in a temporary folder, with case files and a
conftest.py, and pytest run on it.

The runs are in this process unless a test needs one of its own, with warnings as
errors.
"""

import contextlib
import importlib
import json
import pkgutil
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

import pytest_relevance
from pytest_relevance import CaseResult
from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from pytest_relevance.plugin.attached import attached_to
from tests.helpers import only_plugins, page_text

# A run in this process forgets the modules that it was the first to import, and
# importing them again takes time.
for module in pkgutil.walk_packages(pytest_relevance.__path__, "pytest_relevance."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
with contextlib.suppress(ImportError):  # tests skip where it is not installed
    importlib.import_module("trio")


WORDS = """
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            return query.split()
        return search
"""
"""A search whose ranking is the words of the query, so that a query in a case file is
also the ranking it gets.
"""

LOOPS = ("asyncio", "anyio")
"""The plugins that run coroutines, by their entry points."""

OF_OPTIONS = {
    "-n": ("xdist", "xdist.looponfail"),
    "--tx": ("xdist",),
    "--reruns": ("rerunfailures",),
}
"""Plugins that take part in runs with an option of theirs."""

LEFT_OUT = [
    f"-pno:{name}" for name in ("doctest", "faulthandler", "legacypath", "pastebin")
]
"""Plugins of pytest itself that no test is about, which take a tenth of a run."""

REPORTS = (
    "--relevance-record=run.jsonl",
    "--relevance-markdown=run.md",
    "--relevance-html=run.html",
)
"""The files in which a run is reported."""

_UNSET = 'ignore:The configuration option "asyncio_default_fixture_loop_scope" is unset'

SEARCHES = {
    "a function": "return found",
    "a coroutine": "async def search(query, k, **params): return found(query, k, **params)\n        return search",
    "many": (
        "class Many:\n            def many(self, queries, k, **params):\n"
        "                return [found(each, k, **params) for each in queries]"
        "\n        return Many()"
    ),
}
"""Ways in which a fixture returns a search that calls `found`, each the end of its body
in a conftest.py.
"""


def one_line(text: str) -> str:
    """Return the text in one line, as long lines of reports are folded."""
    return " ".join(text.split())


class Run:
    """What came of running pytest."""

    def __init__(self, result: pytest.RunResult) -> None:
        self.result = result
        self.code = int(result.ret)
        self.text = result.stdout.str()

    @cached_property
    def reports(self) -> list[Any]:
        """The reports of the items, in the order of arrival."""
        recorder: Any = getattr(self.result, "reprec")  # noqa: B009 - an attribute that only this kind of run has
        return list(recorder.getreports("pytest_runtest_logreport"))

    @cached_property
    def outcomes(self) -> dict[str, str]:
        """The outcome of every item, by what follows `::` in its node id."""
        found: dict[str, str] = {}
        for report in self.reports:
            name = report.nodeid.partition("::")[2]
            if hasattr(report, "wasxfail") and report.skipped:
                found[name] = "xfailed"
            elif report.when == "call" or report.outcome == "skipped":
                found[name] = report.outcome
            elif report.outcome == "failed":
                found[name] = f"error at {report.when}"
        return found

    @cached_property
    def gates(self) -> dict[str, str]:
        """The outcomes of the gates."""
        return {
            name: outcome
            for name, outcome in self.outcomes.items()
            if name.startswith("gate[")
        }

    @cached_property
    def counts(self) -> dict[str, int]:
        """What the last line counts: `{"passed": 2, "failed": 1}`."""
        return self.result.parseoutcomes()

    @cached_property
    def results(self) -> dict[str, CaseResult]:
        """What the cases came to, by the name of the item."""
        return {
            report.nodeid.partition("::")[2]: result
            for report in self.reports
            for result in attached_to(report).results or ()
        }

    def failure(self, name: str) -> str:
        """What the terminal shows below the headline of an item."""
        case, bracket, variant = name.partition("[")
        if not name.startswith("gate["):  # behind an id stands the query
            name = rf'{re.escape(case)}(?: "[^\n]*")?{re.escape(bracket + variant)}'
        else:
            name = re.escape(name)
        headline = rf"^_+ (?:ERROR at setup of )?{name} _+\n(.*?)(?=^_{{3,}} |^={{3,}} |^-+ generated )"
        found = re.search(headline, self.text, re.DOTALL | re.MULTILINE)
        assert found is not None, self.text
        return found[1]

    def told(self, name: str) -> str:
        """The same in one line."""
        return one_line(self.failure(name))

    def failure_rows(self, name: str) -> list[list[str]]:
        """The same, as the words of each line: the widths of columns are not what these
        tests are about.
        """
        return [line.split() for line in self.failure(name).splitlines()]

    @cached_property
    def summary(self) -> str:
        """The plugin's own section of the terminal's output."""
        found = re.search(
            r"^=+ relevance =+\n(.*?)(?=^[=!]|^\d+ (?:failed|passed|skipped|xfailed|error)|\Z)",
            self.text,
            re.DOTALL | re.MULTILINE,
        )
        assert found is not None, self.text
        return found[1]

    @cached_property
    def said(self) -> str:
        """The summary in one line."""
        return one_line(self.summary)

    @cached_property
    def summary_rows(self) -> list[list[str]]:
        """The same, as the words of each line."""
        return [line.split() for line in self.summary.splitlines()]

    def sentences(self, beginning: str = "") -> list[str]:
        """The sentences of the summary that begin so, each in one line."""
        return [
            line
            for line in self.summary.replace("\n    ", " ").splitlines()
            if line.startswith(beginning)
        ]

    @cached_property
    def short_summary(self) -> list[str]:
        """The lines of pytest's short summary, which the truth of a failure must fit
        in.
        """
        return [
            line
            for line in self.text.splitlines()
            if line.startswith(("FAILED ", "ERROR ", "SKIPPED ", "XFAIL "))
        ]


class Reports(NamedTuple):
    """A run, and what its reports say: each in one line."""

    run: Run
    markdown: str
    page: str

    def all_say(self, text: str) -> bool:
        """Say whether the text stands in the summary, the Markdown and the page."""
        return all(text in each for each in (self.run.said, self.markdown, self.page))


class Printed(NamedTuple):
    """The exit code of a command of `pytest-relevance`, and its output in one line."""

    code: int
    out: str
    err: str


class Accepted:
    """What a baseline accepts, read as docs/reference/records.md describes its file."""

    def __init__(self, path: Path) -> None:
        header, *lines, end = map(
            json.loads, path.read_text(encoding="utf-8").splitlines()
        )
        assert end == {"end": True}  # the file is whole
        self.fingerprint: dict[str, Any] = header.get("fingerprint", {})
        self.titles: dict[str, str] = {
            line["document"]: line["title"] for line in lines if "document" in line
        }
        entries = [line for line in lines if "document" not in line]
        self.rankings: dict[tuple[str, str | None], tuple[str, ...]] = {
            (entry["id"], entry.get("variant")): tuple(entry.get("documents", ()))
            for entry in entries
        }
        assert len(self.rankings) == len(entries)  # each is there once


class Project:
    """A project that uses the plugin."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.options: Sequence[str] = ()
        self.loops: bool | None = None

    def write(self, name: str, text: str) -> Path:
        """Write a file, without the indentation that its text has in the test."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        # bytecode counts as that of a file of the same size that was written in the
        # same second
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
        return path

    def cases(self, text: str, name: str = "shop.relevance.yaml") -> Path:
        """Write a case file."""
        return self.write(name, text)

    def conftest(self, text: str = WORDS) -> Path:
        """Write the conftest.py; by default a search that returns the words of the
        query.
        """
        return self.write("conftest.py", text)

    def search(self, body: str, fixture: str = "", request: str = "") -> Path:
        """Write a conftest.py with nothing but a search: the line of its fixture, and
        the arguments of both.
        """
        return self.conftest(
            f"import pytest\n\n@pytest.fixture{fixture}\ndef search({request}):\n    {body}\n"
        )

    def test(self, *lines: str, name: str = "test_shop") -> None:
        """Write a test in Python with these lines, which requests `relevance`; its file
        has its name.
        """
        body = "".join(f"    {line}\n" for line in lines)
        self.write(f"{name}.py", f"import pytest\n\ndef {name}(relevance):\n{body}")

    def run(
        self,
        *args: str,
        cache: bool = False,
        loops: bool | None = None,
        plugins: Sequence[object] = (),
    ) -> Run:
        """Run pytest in this process. Workers of pytest-xdist have their own.

        `loops` is whether the plugins that run coroutines take part. By default they do
        in a run in this process alone: in another one, importing them takes longer than
        all else. An interrupt ends this run only. `plugins` are objects with hooks.
        """
        options = self._options(args, cache, loops, is_apart=_asks_for_workers(args))
        return Run(
            self.pytester.runpytest_inprocess(
                *options, *args, no_reraise_ctrlc=True, plugins=plugins
            )
        )

    def reports(self, *args: str) -> Reports:
        """Run pytest with a record, Markdown and a page, and read the latter two."""
        run = self.run(*REPORTS, *args)
        page = page_text((self.path / "run.html").read_text(encoding="utf-8"))
        markdown = (self.path / "run.md").read_text(encoding="utf-8")
        return Reports(run, one_line(markdown), one_line(page))

    def recorded(self, name: str = "run.jsonl") -> Record:
        """Open the record that a run has written."""
        return Record.open(self.path / name)

    def run_apart(self, *args: str, loops: bool | None = None) -> Run:
        """Run pytest in a process of its own."""
        _asks_for_workers(args)
        options = self._options(args, False, loops, is_apart=True)
        return Run(self.pytester.runpytest_subprocess(*options, *args))

    def junit(self, *args: str) -> dict[str, ElementTree.Element]:
        """Run pytest, and return the `testcase` elements of its JUnit file by their
        names.
        """
        self.run("--junitxml=junit.xml", *args)
        return self.junit_cases

    def properties(self, name: str) -> dict[str, str]:
        """The properties that the file which `--junitxml=junit.xml` wrote has of an
        item.
        """
        return {
            each.attrib["name"]: each.attrib["value"]
            for each in self.junit_cases[name].iter("property")
        }

    @property
    def junit_cases(self) -> dict[str, ElementTree.Element]:
        """The `testcase` elements of the file that `--junitxml=junit.xml` wrote, by
        their names.
        """
        return {
            case.attrib["name"]: case
            for case in ElementTree.parse(self.path / "junit.xml").iter("testcase")
        }

    def _options(
        self,
        args: Sequence[str],
        cache: bool,
        loops: bool | None,
        *,
        is_apart: bool = False,
    ) -> Sequence[str]:
        loops = next(
            (choice for choice in (loops, self.loops) if choice is not None),
            not is_apart,
        )
        wanted = [
            name
            for option, names in OF_OPTIONS.items()
            if _has(args, option)
            for name in names
        ]
        cached = () if cache else ("-p", "no:cacheprovider")
        others = only_plugins(*wanted, *(LOOPS if loops else ()))
        return ["-W", "error", "-W", _UNSET, *LEFT_OUT, *others, *cached, *self.options]


def _has(args: Sequence[str], option: str) -> bool:
    return any(str(arg).startswith(option) for arg in args)


def _asks_for_workers(args: Sequence[str]) -> bool:
    """Whether pytest-xdist is asked for workers; the test is skipped where it is not
    installed.
    """
    asked = _has(args, "-n")
    if asked:
        pytest.importorskip("xdist")
    return asked


class Modules:
    """Keeps the modules that a test is the first to import, as many libraries cannot be
    imported twice.

    pytester forgets them after each run, and at the end of the test.
    """

    def __init__(self) -> None:
        self.imported: dict[str, ModuleType] = {}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        project = str(session.config.rootpath)
        for name, module in sys.modules.items():
            if not str(getattr(module, "__file__", None)).startswith(project):
                self.imported[name] = module

    def restore(self) -> None:
        """Bring back what pytester has forgotten."""
        for name, module in self.imported.items():
            sys.modules.setdefault(name, module)


@pytest.fixture
def modules() -> Iterator[Modules]:
    """A plugin for runs in this process, after which the modules are still there.

    A test module names it by `usefixtures`, so that it is set up before pytester, and
    torn down after it.
    """
    modules = Modules()
    yield modules
    modules.restore()


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in (
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "CI",
        "BUILD_NUMBER",
        "NO_COLOR",
        "FORCE_COLOR",
        "PY_COLORS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    return Project(pytester)


@pytest.fixture(params=[False, True], ids=["no-async-plugin", "async-plugins"])
def with_and_without_loops(project: Project, request: pytest.FixtureRequest) -> None:
    """Run a test twice: the plugin calls a search differently where a plugin that runs
    coroutines is active.
    """
    project.loops = request.param


Command = Callable[..., Printed]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command of `pytest-relevance` in the folder of the project."""

    def run(*arguments: str) -> Printed:
        capsys.readouterr()
        code = main([*arguments])
        return Printed(code, *map(one_line, capsys.readouterr()))

    return run
