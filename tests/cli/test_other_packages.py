"""Formats of judgments and reports of other installed packages, by their entry
points.
"""

import re
import sys
from collections.abc import Callable

import pytest

from pytest_relevance import read_judgments, read_queries, read_suite
from tests.cli.conftest import Terminal
from tests.helpers import install_package, only_plugins

PACKAGE = '''
from pytest_relevance.extending import JudgmentFormat, ReportFormat

def bars(text):
    """Lines of `query|document|grade` below a first line; a generator is empty for any other file."""
    first, *lines = text.splitlines()
    for line in lines if first.startswith("bars") else ():
        query, document, grade = line.split("|")
        yield {"query": query, "doc_id": document, "grade": grade}

def none(text):
    return None

def boom(text):
    return [1 / 0]

def read_rows(source):
    return [{"query": "boots", "doc_id": "b1", "grade": 3}]

ROWS = JudgmentFormat("rows", "rows", read=read_rows, read_queries=read_rows)

def exits(text):
    raise SystemExit(3)

def interrupts(text):
    raise KeyboardInterrupt

def a_set(text):
    return [{"query": {"a set"}}]

def a_text(text):
    return "blue shoes"

def ids_alone(text):
    return [{"query": "blue shoes", "grade": 1}]

def names(run):
    return "".join(f"{result.id};{result.score:.3f}\\n" for result in run.results)

def slide_of_run(run, options):
    return f"# {len(run)} cases\\n"

def slide_of_comparison(comparison, gates, options):
    met = "met" if gates.passed else "not met"
    return f"# {comparison.first} to {comparison.second}: gates {met}\\n"

SLIDES = ReportFormat(
    "slides",
    of_run=slide_of_run,
    of_comparison=slide_of_comparison,
    suffixes=(".slides",),
)
'''


@pytest.fixture
def install(
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., None]:
    """Install a package with these entry points."""

    def install(**groups: str) -> None:
        folder = tmp_path_factory.mktemp("site")
        install_package(folder, "acme", PACKAGE, **groups)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, "acme", raising=False)

    return install


@pytest.fixture
def bars(terminal: Terminal) -> None:
    """A file in the format of that package."""
    terminal.write(
        "shop.bars", "bars\nblue shoes|sku-1|3\nblue shoes|7|0.5\nboots|sku-1|\n"
    )


@pytest.mark.usefixtures("bars")
def test_a_format_whose_read_returns_a_list_names_its_package(
    install: Callable[..., None],
) -> None:
    install(formats="rows = acme:ROWS")
    with pytest.raises(
        ValueError,
        match=r"rows \(acme:ROWS\): read returned \[\{.*\}\], not a Ratings; it is an "
        "entry point of the package acme$",
    ):
        read_judgments("shop.bars", "rows")


GRADES = {"blue shoes": {"sku-1": 3, "7": 0.5}}


@pytest.mark.usefixtures("bars")
def test_a_format_of_another_package_is_read(
    terminal: Terminal, install: Callable[..., None]
) -> None:
    with pytest.raises(
        ValueError,
        match=r"shop.bars:1: the format of these judgments is not recognised",
    ):
        read_judgments("shop.bars")
    with pytest.raises(ValueError, match='unknown format "bars"; it may be '):
        read_judgments("shop.bars", "bars")
    install(formats="other = acme:none\nbars = acme:bars")
    found = read_judgments("shop.bars", "bars")
    assert (dict(found), found.format) == (GRADES, "bars")
    assert read_queries("shop.bars", "bars") == {
        "blue shoes": "blue shoes",
        "boots": "boots",
    }
    terminal.write(
        "shop.relevance.yaml",
        "judgments: {file: shop.bars, format: bars}\ncases: [{query: blue shoes}]\n",
    )
    assert read_suite("shop.relevance.yaml").cases[0].judgments == GRADES["blue shoes"]
    assert terminal.run("convert", "--from", "bars", "shop.bars", "shop.csv").code == 0
    assert "blue shoes,sku-1,3" in terminal.read("shop.csv")
    said = terminal.run("check", "--format", "baars", "shop.bars")
    assert (said.code, 'did you mean "bars"?' in said.err) == (2, True)


@pytest.mark.usefixtures("bars")
@pytest.mark.parametrize(
    ("points", "why"),
    [
        ("boom", "boom (acme:boom) raised ZeroDivisionError: division by zero"),
        ("exits", "exits (acme:exits) raised SystemExit: 3"),
        ("gone", "gone (acme:gone) raised AttributeError"),
        ("none", "the file holds nothing that none (acme:none) reads"),
        ("a_set", "a_set (acme:a_set) Object of type set is not JSON serializable"),
        ("a_text", "found the text"),
        ("ids_alone", "no column for the document"),
    ],
)
def test_what_another_package_does_wrong_names_it(
    install: Callable[..., None], points: str, why: str
) -> None:
    install(formats=f"{points} = acme:{points}")
    with pytest.raises(ValueError, match=re.escape(why)) as error:
        read_judgments("shop.bars", points)
    assert str(error.value).startswith("shop.bars: ")


REPORTS = "slides = acme:SLIDES\nnames = acme:names"


def test_a_format_of_another_package_reports_runs(
    shop: Terminal, install: Callable[..., None]
) -> None:
    command = ("report", "main.jsonl", "--format")
    assert "invalid choice: 'names'" in shop.refused(*command, "names")
    install(reports=REPORTS)
    assert shop.run(*command, "slides").out == "# 6 cases\n"
    printed = shop.run(*command, "names")
    assert (printed.code, "jacket;" in printed.out) == (0, True)
    shop.run(*command, "names", "-o", "names.txt")
    assert shop.read("names.txt") == printed.out


def test_a_format_of_another_package_reports_comparisons(
    shop: Terminal, install: Callable[..., None]
) -> None:
    install(reports=REPORTS)
    command = ("compare", "main.jsonl", "branch.jsonl", "--format")
    said = shop.run(*command, "slides", "--max-drop=nDCG@10=0.01")
    assert said.out == "# main.jsonl to branch.jsonl: gates not met\n"
    assert "invalid choice: 'names'" in shop.refused(*command, "names")


def test_the_ending_of_a_file_may_mean_a_format_of_another_package(
    shop: Terminal, install: Callable[..., None]
) -> None:
    install(reports=REPORTS)
    shop.run("report", "main.jsonl", "--output", "run.slides")
    assert shop.read("run.slides") == "# 6 cases\n"
    # not to a command that does not offer the format
    shop.run("history", "main.jsonl", "--output", "history.slides")
    assert shop.read("history.slides").startswith("History of 1 run, ")


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ("report", "text, markdown, html, json, slides, names"),
        ("compare", "text, markdown, html, json, slides"),  # names is of runs alone
        ("history", "text, markdown, html, json"),
    ],
)
def test_the_help_of_a_command_has_the_formats_that_it_offers(
    shop: Terminal, install: Callable[..., None], command: str, offered: str
) -> None:
    install(reports=REPORTS)
    said = shop.run(command, "--help")
    assert f"how the report is written: {offered} (default: text)" in said.text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none", "none (acme:none) returned None"),
        ("boom", "boom (acme:boom) raised ZeroDivision"),
        ("exits", "exits (acme:exits) raised SystemExit: 3"),
        ("gone", "gone (acme:gone) raised AttributeError"),
    ],
)
def test_a_report_of_another_package_that_fails_is_named(
    shop: Terminal, install: Callable[..., None], name: str, says: str
) -> None:
    install(reports=f"{name} = acme:{name}")
    assert says in shop.refused("report", "main.jsonl", "--format", name)


def test_a_comparison_by_a_package_that_cannot_be_loaded(
    shop: Terminal, install: Callable[..., None]
) -> None:
    install(reports="gone = acme:gone")
    runs = ("main.jsonl", "branch.jsonl")
    assert "the package acme" in shop.refused("compare", *runs, "--format", "gone")


def test_a_report_that_is_interrupted(
    shop: Terminal, install: Callable[..., None]
) -> None:
    install(reports="interrupts = acme:interrupts")
    assert shop.run("report", "main.jsonl", "--format", "interrupts").code == 130


@pytest.mark.usefixtures("bars")
@pytest.mark.parametrize(
    ("format", "says"),
    [("exits", "raised SystemExit: 3"), ("interrupts", "KeyboardInterrupt")],
)
def test_a_format_that_ends_the_process_is_an_error_of_the_case_file(
    terminal: Terminal,
    install: Callable[..., None],
    pytester: pytest.Pytester,
    format: str,
    says: str,
) -> None:
    install(formats="exits = acme:exits\ninterrupts = acme:interrupts")
    path = terminal.write(
        "shop.relevance.yaml",
        f"judgments: {{file: shop.bars, format: {format}}}\ncases: [{{query: boots}}]\n",
    )
    run = pytester.runpytest_inprocess(
        "-pno:cacheprovider", str(path), *only_plugins(), no_reraise_ctrlc=True
    )
    assert run.ret == pytest.ExitCode.INTERRUPTED
    assert says in run.stdout.str()
    assert "INTERNALERROR" not in run.stdout.str()


def test_what_is_known_imports_no_package(
    shop: Terminal, install: Callable[..., None]
) -> None:
    install(reports="names = acme:names", commands="names = acme")
    shop.run("compare", "main.jsonl", "main.jsonl", "--format", "markdown")
    assert "acme" not in sys.modules


def test_a_format_of_ours_is_read_without_asking_others(
    terminal: Terminal, install: Callable[..., None]
) -> None:
    install(formats="csv = acme:none")
    terminal.write("shop.csv", "query,doc_id,grade\nboots,a,3\n")
    assert read_judgments("shop.csv") == {"boots": {"a": 3}}


@pytest.mark.usefixtures("bars")
@pytest.mark.parametrize(
    ("group", "name", "arguments"),
    [
        ("commands", "check", ("check", "shop.relevance.yaml")),
        ("reports", "json", ("report", "main.jsonl", "--format", "json")),
        ("reports", "json", ("report", "main.jsonl", "--output", "main.json")),
        ("reports", "html", ("compare", "main.jsonl", "main.jsonl", "--format", "json")),
        ("formats", "csv", ("check", "--format", "acme-log", "shop.bars")),
    ],
)  # fmt: skip
def test_an_entry_of_a_package_with_a_name_of_ours_is_refused(
    shop: Terminal,
    install: Callable[..., None],
    group: str,
    name: str,
    arguments: tuple[str, ...],
) -> None:
    install(**{group: f"{name} = acme:names"})
    said = " ".join(shop.refused(*arguments).split())
    assert f"the entry point {name} (acme:names) of the package acme has a name" in said
    assert f"itself has in the group pytest_relevance.{group};" in said
