"""`--relevance-record=FILE` where things go wrong: nothing that finished is lost, no
record is ever half there.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from pytest_relevance import Run as Record
from tests.helpers import only_plugins, reasons_of
from tests.plugin.conftest import Project, Run

RECORD = "--relevance-record=run.jsonl"

SEARCH = """
    import os
    import pathlib
    import pytest

    HERE = pathlib.Path(__file__).parent

    @pytest.fixture
    def search():
        def search(query):
            if query == "happens":
                {happens}
            return query.split()
        return search
"""

CASES = """
    min_ndcg: 0.9
    cases:
      - {query: a b, judgments: {a: 3}}
      - {query: c d, judgments: {d: 3}}
      - {query: happens, judgments: {happens: 3}}
      - {query: e f, judgments: {e: 3}}
"""


def opened(project: Project, name: str = "run.jsonl") -> Record:
    """The record of a run."""
    return Record.open(project.path / name)


def ends(record: Record) -> dict[str, str]:
    """The verdict of each case."""
    return {result.id: result.verdict for result in record.results}


def said(run: Run, beginning: str = "record: ") -> list[str]:
    return run.sentences(beginning)


def left_behind(project: Project) -> list[str]:
    return [path.name for path in project.path.iterdir() if path.suffix == ".tmp"]


COMMAND = [
    sys.executable,
    "-m",
    "pytest",
    "-q",
    RECORD,
    "-p",
    "no:cacheprovider",
    *only_plugins(),
]

Shop = Callable[[str], "Project"]


@pytest.fixture
def shop(project: Project) -> Shop:
    """A project whose third search does something."""

    def shop(happens: str) -> Project:
        project.conftest(SEARCH.format(happens=happens))
        project.cases(CASES)
        return project

    return shop


THAT_PASS = ("--deselect", "shop.relevance.yaml::c d")


@pytest.mark.parametrize(
    ("happens", "options", "code", "finished"),
    [
        ("pass", ["-x"], 1, 2),
        ("raise ConnectionError", ["--maxfail=2"], 1, 3),
        ("raise KeyboardInterrupt", [], 2, 2),
        ("pytest.exit('enough')", [], 2, 2),
    ],
    ids=["-x", "--maxfail", "Ctrl-C", "pytest.exit"],
)
def test_a_run_that_ends_early_names_what_did_not_finish(
    shop: Shop, happens: str, options: Sequence[str], code: int, finished: int
) -> None:
    project = shop(happens)
    run = project.run(RECORD, *options)
    assert run.code == code
    record = opened(project)
    verdicts = {"a b": "passed", "c d": "failed", "happens": "error"}
    assert ends(record) == dict([*verdicts.items()][:finished])
    missing = [
        f"shop.relevance.yaml::{name}" for name in ("happens", "e f")[finished - 2 :]
    ]
    assert list(record.missing) == missing
    (line,) = said(run)
    assert line.startswith(
        f"record: run.jsonl ({finished} cases, {len(missing)} did not finish: {' and '.join(missing)}"
    )


def test_where_pytest_prints_no_summary_the_record_is_written_all_the_same(
    shop: Shop,
) -> None:
    project = shop(
        "pytest.exit('enough', 7)"
    )  # nor does it with an exit code of anybody's own
    run = project.run(RECORD)
    assert run.code == 7
    assert "= relevance =" not in run.text
    assert ends(opened(project)) == {"a b": "passed", "c d": "failed"}
    assert opened(project).missing == (
        "shop.relevance.yaml::happens",
        "shop.relevance.yaml::e f",
    )


def test_what_a_worker_finished_before_it_crashed_is_there(shop: Shop) -> None:
    project = shop("os._exit(1)")
    run = project.run(RECORD, "-n1")
    assert run.code == 1
    assert "crashed while running 'shop.relevance.yaml::happens'" in run.text
    assert "2 passed, 1 failed" in run.summary
    assert "no result" not in run.text  # it is told as a failure alone
    assert ends(opened(project)) == {"a b": "passed", "c d": "failed", "e f": "passed"}
    assert opened(project).missing == ("shop.relevance.yaml::happens",)
    assert said(run) == [
        "record: run.jsonl (3 cases, 1 did not finish: shop.relevance.yaml::happens)"
    ]


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
def test_a_case_file_that_cannot_be_collected_is_named(
    shop: Shop, workers: Sequence[str]
) -> None:
    project = shop("pass")
    project.cases("cases: [{qery: a}]", "broken.relevance.yaml")
    project.write("named.yaml", "cases: [{query: a, k: 0}]\n")
    project.write(
        "test_broken.py", "import nothing_like_it\n"
    )  # a test in Python may be anything
    files = (
        "broken.relevance.yaml",
        "named.yaml",
        "shop.relevance.yaml",
        "test_broken.py",
    )
    run = project.run(RECORD, "--continue-on-collection-errors", *files, *workers)
    assert run.code == 1
    assert len(opened(project)) == 4
    assert opened(project).missing == ()
    errors = {error.place: error.message for error in opened(project).info.errors}
    assert errors == {
        "broken.relevance.yaml:1:9": 'the case has no "query", the only key it must have (in case number 1)',
        "broken.relevance.yaml:1:10": 'unknown key "qery" of a case; did you mean "query"? (in case number 1)',
        "named.yaml:1:23": 'k: expected a whole number from 1 to 1,000,000, found 0 (in case "a")',
        "test_broken.py:1": "ModuleNotFoundError: No module named 'nothing_like_it'",
    }
    assert 'broken.relevance.yaml:1:10: unknown key "qery" of a case' in run.text
    assert said(run) == ["record: run.jsonl (4 cases; 3 files have errors)"]

    if not workers:
        run = project.run(RECORD)
        assert run.code == pytest.ExitCode.INTERRUPTED
        assert len(opened(project)) == 0
        names = [
            f"shop.relevance.yaml::{name}" for name in ("a b", "c d", "happens", "e f")
        ]
        assert list(opened(project).missing) == names
        assert {error.node for error in opened(project).info.errors} == {
            "broken.relevance.yaml",
            "test_broken.py",
        }


def test_a_search_that_cannot_be_set_up_is_an_error(project: Project) -> None:
    conftest = project.search('raise ConnectionError("no engine")')
    other = "\n@pytest.fixture\ndef other():\n    pytest.skip('no other engine here')\n"
    conftest.write_text(conftest.read_text() + other)
    project.cases(
        "cases: [{query: a}, {query: b, search: missing}, {query: c, search: other}]"
    )
    run = project.run(RECORD)
    record = opened(project)
    assert run.code == 1
    assert ends(record) == {"a": "error", "b": "error", "c": "skipped"}
    assert [reasons_of(result) for result in record.results] == [
        ["ConnectionError: no engine"],
        ['fixture "missing" not found, which the case calls to search'],
        ["no other engine here"],
    ]
    assert record.missing == ()


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_record_is_replaced_by_the_next_whatever_became_of_it(
    shop: Shop, name: str
) -> None:
    project, path = shop("pass"), f"--relevance-record={name}"
    record = project.path / name
    project.run(path)
    whole = record.read_bytes()
    for before in (whole, whole[: len(whole) // 2], b"", b"\n"):
        record.write_bytes(before)
        record.chmod(0o640)
        run = project.run(path, *THAT_PASS)
        assert (run.code, said(run)) == (0, [f"record: {name} (3 cases)"])
        assert ends(opened(project, name)).keys() == {"a b", "happens", "e f"}
        assert record.stat().st_mode & 0o777 == 0o640


def test_a_record_that_cannot_be_written_after_all_fails_the_run(shop: Shop) -> None:
    project = shop("(HERE / 'run.jsonl').write_text('mine')")
    run = project.run(RECORD, *THAT_PASS)
    assert (run.code, run.counts) == (1, {"passed": 3, "deselected": 1})
    said_of_it = (
        "run.jsonl is there, and is no record of version 3 or before; name another file"
    )
    assert said(run, "no record of the run") == [f"no record of the run: {said_of_it}"]
    assert (said(run), left_behind(project)) == ([], [])


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_run_that_is_killed_leaves_the_older_record_as_it_was(shop: Shop) -> None:
    project = shop("os.kill(os.getpid(), 9)")
    project.run(RECORD, "-k", "not happens")
    before = (project.path / "run.jsonl").read_bytes()
    done = subprocess.run(COMMAND, cwd=project.path, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (project.path / "run.jsonl").read_bytes() == before
