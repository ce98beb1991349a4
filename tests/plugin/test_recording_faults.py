"""`--relevance-record=FILE` where things go wrong: nothing that finished is lost, no
record is ever half there.
"""

import signal
import subprocess
import sys

import pytest

from pytest_relevance import Run as Record
from tests.helpers import only_plugins, reasons_of
from tests.plugin.conftest import Project

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
NODES = [f"shop.relevance.yaml::{name}" for name in ("a b", "c d", "happens", "e f")]
THAT_PASS = ("--deselect", "shop.relevance.yaml::c d")


def ends(record: Record) -> dict[str, str]:
    """The verdict of each case."""
    return {result.id: result.verdict for result in record.results}


def happens(project: Project, line: str) -> None:
    """Write four cases, and a search that does something at the third."""
    project.conftest(SEARCH.format(happens=line))
    project.cases(CASES)


@pytest.mark.parametrize(
    ("line", "options", "code", "finished"),
    [
        ("pass", ["-x"], 1, 2),
        ("raise ConnectionError", ["--maxfail=2"], 1, 3),
        ("raise KeyboardInterrupt", [], 2, 2),
        ("pytest.exit('enough')", [], 2, 2),
    ],
    ids=["-x", "--maxfail", "Ctrl-C", "pytest.exit"],
)
def test_a_run_that_ends_early_names_what_did_not_finish(
    project: Project, line: str, options: list[str], code: int, finished: int
) -> None:
    happens(project, line)
    run = project.run(RECORD, *options)
    assert run.code == code
    record = project.recorded()
    verdicts = {"a b": "passed", "c d": "failed", "happens": "error"}
    assert ends(record) == dict([*verdicts.items()][:finished])
    missing = NODES[finished:]
    assert list(record.missing) == missing
    names = f"{len(missing)} did not finish: {' and '.join(missing)}"
    assert f"record: run.jsonl ({finished} cases, {names}" in run.said


def test_where_pytest_prints_no_summary_the_record_is_written_all_the_same(
    project: Project,
) -> None:
    """It prints none with an exit code of anybody's own."""
    happens(project, "pytest.exit('enough', 7)")
    run = project.run(RECORD)
    assert run.code == 7
    assert "= relevance =" not in run.text
    assert ends(project.recorded()) == {"a b": "passed", "c d": "failed"}
    assert [*project.recorded().missing] == NODES[2:]


def test_what_a_worker_finished_before_it_crashed_is_there(project: Project) -> None:
    happens(project, "os._exit(1)")
    run = project.run(RECORD, "-n1")
    assert run.code == 1
    assert "crashed while running 'shop.relevance.yaml::happens'" in run.text
    assert "2 passed, 1 failed" in run.summary
    assert "no result" not in run.text  # it is told as a failure alone
    record = project.recorded()
    assert ends(record) == {"a b": "passed", "c d": "failed", "e f": "passed"}
    assert [*record.missing] == [NODES[2]]
    told = f"record: run.jsonl (3 cases, 1 did not finish: {NODES[2]})"
    assert run.sentences("record: ") == [told]


def write_broken_files(project: Project) -> None:
    """A test in Python may be anything."""
    project.cases("cases: [{qery: a}]", "broken.relevance.yaml")
    project.write("named.yaml", "cases: [{query: a, k: 0}]\n")
    project.write("test_broken.py", "import nothing_like_it\n")


def test_a_case_file_that_cannot_be_collected_is_named(project: Project) -> None:
    """A worker sends its mistakes."""
    happens(project, "pass")
    write_broken_files(project)
    files = (
        "broken.relevance.yaml",
        "named.yaml",
        "shop.relevance.yaml",
        "test_broken.py",
    )
    run = project.run(RECORD, "--continue-on-collection-errors", *files, "-n1")
    assert run.code == 1
    record = project.recorded()
    assert len(record) == 4
    assert record.missing == ()
    assert {error.place: error.message for error in record.info.errors} == {
        "broken.relevance.yaml:1:9": 'the case has no "query", the only key it must have (in case number 1)',
        "broken.relevance.yaml:1:10": 'unknown key "qery" of a case; did you mean "query"? (in case number 1)',
        "named.yaml:1:23": 'k: expected a whole number from 1 to 1,000,000, found 0 (in case "a")',
        "test_broken.py:1": "ModuleNotFoundError: No module named 'nothing_like_it'",
    }
    told = "record: run.jsonl (4 cases; 3 files have errors)"
    assert run.sentences("record: ") == [told]


def test_a_run_that_stops_at_the_errors_of_files_names_all_cases(
    project: Project,
) -> None:
    happens(project, "pass")
    write_broken_files(project)
    run = project.run(RECORD)
    assert run.code == pytest.ExitCode.INTERRUPTED
    record = project.recorded()
    assert len(record) == 0
    assert list(record.missing) == NODES
    nodes = {error.node for error in record.info.errors}
    assert nodes == {"broken.relevance.yaml", "test_broken.py"}


def test_a_search_that_cannot_be_set_up_is_an_error(project: Project) -> None:
    conftest = project.search('raise ConnectionError("no engine")')
    other = "\n@pytest.fixture\ndef other():\n    pytest.skip('no other engine here')\n"
    conftest.write_text(conftest.read_text() + other)
    project.cases(
        "cases: [{query: a}, {query: b, search: missing}, {query: c, search: other}]"
    )
    assert project.run(RECORD).code == 1
    record = project.recorded()
    assert ends(record) == {"a": "error", "b": "error", "c": "skipped"}
    assert [reasons_of(result) for result in record.results] == [
        ["ConnectionError: no engine"],
        ['fixture "missing" not found, which the case calls to search'],
        ["no other engine here"],
    ]
    assert record.missing == ()


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_record_is_replaced_by_the_next_whatever_became_of_it(
    project: Project, name: str
) -> None:
    happens(project, "pass")
    record, option = project.path / name, f"--relevance-record={name}"
    project.run(option)
    whole = record.read_bytes()
    for before in (whole, whole[: len(whole) // 2], b"", b"\n"):
        record.write_bytes(before)
        record.chmod(0o640)
        run = project.run(option, *THAT_PASS)
        assert run.code == 0
        assert run.sentences("record: ") == [f"record: {name} (3 cases)"]
        assert [*ends(project.recorded(name))] == ["a b", "happens", "e f"]
        assert record.stat().st_mode & 0o777 == 0o640


def test_a_record_that_cannot_be_written_after_all_fails_the_run(
    project: Project,
) -> None:
    happens(project, "(HERE / 'run.jsonl').write_text('mine')")
    run = project.run(RECORD, *THAT_PASS)
    assert (run.code, run.counts) == (1, {"passed": 3, "deselected": 1})
    why = (
        "run.jsonl exists and is not a record of version 3 or before; name another file"
    )
    assert run.sentences("no record of the run") == [f"no record of the run: {why}"]
    assert run.sentences("record: ") == []
    assert [*project.path.glob("*.tmp")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_run_that_is_killed_leaves_the_older_record_as_it_was(
    project: Project,
) -> None:
    happens(project, "os.kill(os.getpid(), 9)")
    project.run(RECORD, "-k", "not happens")
    before = (project.path / "run.jsonl").read_bytes()
    command = [sys.executable, "-m", "pytest", "-q", RECORD, *only_plugins()]
    done = subprocess.run(command, cwd=project.path, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (project.path / "run.jsonl").read_bytes() == before
