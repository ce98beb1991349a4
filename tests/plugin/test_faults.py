"""A fault that many cases have in common is shown once and counted, and a search that
keeps failing is given up.

Which errors are alike, and what a run has in common, is in
`tests/results/test_diagnoses.py`.
"""

import re
from typing import NamedTuple

import pytest

from tests.helpers import reasons_of
from tests.plugin.conftest import Accepted, Command, Project, Run
from tests.plugin.shop import BASELINE, UPDATE

CASES = 45
FEW_LINES = 60
"""How long an output is at most beside two lines a failure: its heading, and its line
of the short summary.
"""
RECORD = "--relevance-record=run.jsonl"

UNREACHABLE = """
    import pytest

    class Socket:
        pass

    @pytest.fixture(scope="session")
    def search():
        def search(query):
            raise ConnectionError(f"no engine behind {Socket()!r} for {query!r}, from port {50000 + len(query)}")
        return search
"""
NO_MESSAGE = UNREACHABLE.replace("raise ConnectionError(", "raise Socket(").replace(
    "class Socket:", "class Socket(Exception):\n        __str__ = None"
)
FIXTURE = "import pytest\n@pytest.fixture\ndef search(): "


class Fault(NamedTuple):
    """A conftest.py, what the summary says of its fault, and whether the search is
    given up.
    """

    conftest: str
    said: str
    is_given_up: bool = True


FAULTS = {
    "unreachable": Fault(UNREACHABLE, "searches failed alike: ConnectionError: no engine behind"),
    "without a message": Fault(
        NO_MESSAGE, "searches failed alike: conftest.Socket: its text raises TypeError (search in conftest.py:"
    ),
    "text": Fault(f"{FIXTURE}return str.upper", "searches failed alike: search returned text, 'QUERY 1'"),
    "missing": Fault("", 'cases failed alike: fixture "search" not found, which the case calls to search', False),
    "broken set-up": Fault(
        FIXTURE.replace("fixture", "fixture(scope='session')") + "raise OSError('no database')",
        "cases failed alike: OSError: no database (search in conftest.py:3)",
    ),
    "without an id": Fault(
        f"{FIXTURE}return lambda query: [{{'sku': query}}]",
        "searches failed alike: result 1 of 1 has no id (id, _id, doc_id",
    ),
    "other ids": Fault(
        f"{FIXTURE}return lambda query: [f'sku-{{query}}', 'sku-2']",
        'are these the same kind of id? returned "sku-query 1", judged "8"; if not, name the id with id_field',
        False,
    ),
    "nothing": Fault(f"{FIXTURE}return lambda query: []", "search returned nothing in any case (", False),
}  # fmt: skip


def shop(
    project: Project,
    cases: int = CASES,
    head: str = "",
    of_case: str = "judgments: {7: 1, 8: 2}",
) -> None:
    """Write a suite of cases q001, q002 ... with a floor."""
    lines = [
        f"  - {{id: q{number:03}, query: query {number}, {of_case}}}"
        for number in range(1, cases + 1)
    ]
    project.cases("\n".join([f"{head}\nmin_ndcg: 0.5\ncases:", *lines, ""]))


def last_line(run: Run) -> str:
    return run.text.splitlines()[-1].strip("= ")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_shown_once_until_the_search_is_given_up(
    project: Project, fault: Fault
) -> None:
    project.conftest(fault.conftest)
    shop(project)
    run = project.run("--relevance-give-up=10")
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert fault.said in run.said
    alike = 10 if fault.is_given_up else CASES
    assert len(run.short_summary) == alike
    assert len(run.text.splitlines()) < FEW_LINES + 2 * alike
    counted = rf"\b{alike} (searches|cases) failed alike|in any case .{alike}."
    assert re.search(counted, run.said)
    assert ("35 cases were not searched" in run.text) == fault.is_given_up
    assert len(run.failure("q001").splitlines()) > 1
    assert run.failure("q002") == ""  # the heading says enough


@pytest.mark.parametrize(
    ("option", "times"),
    [("-q", 1), ("--tb=line", 0), ("--tb=no", 0), ("-rA", 1), ("-v", 1)],
)
def test_a_fault_is_shown_once_however_failures_are_shown(
    project: Project, option: str, times: int
) -> None:
    project.conftest(UNREACHABLE)
    shop(project)
    run = project.run("--relevance-give-up=0", option)
    assert run.text.count("raise ConnectionError(") == times
    assert run.counts == {"failed": CASES}
    assert len(run.short_summary) == CASES


def test_cases_that_pass_although_nothing_was_returned_are_told(
    project: Project,
) -> None:
    project.search("return lambda query, k: [query] * (query == 'boots')")
    project.cases(
        "cases: [{query: boots, min_ndcg: 1, relevant: [boots]}, {query: boot, expect: {exclude: [hat]}}]"
    )
    run = project.run()
    assert run.counts == {"passed": 2}
    passed = "search returned nothing in 1 case that passed: write results"
    assert passed in run.said


def test_a_search_that_is_dead_in_one_folder_is_told_apart(project: Project) -> None:
    """The search of another folder has the same name, and works."""
    listed = ", ".join(f"{{query: q{n}, judgments: {{a: 1}}}}" for n in range(3))
    for folder, found in (("live", ["a"]), ("dead", [])):
        search = f"{FIXTURE}return lambda query: {found}\n"
        project.write(f"{folder}/conftest.py", search)
        project.cases(f"cases: [{listed}]", f"{folder}/x.relevance.yaml")
    dead = "search in dead returned nothing in any case (3)"
    assert dead in project.run().said


def test_other_ids_than_the_judged_ones_are_a_fault_beside_a_baseline_too(
    project: Project,
) -> None:
    lines = [f"  - {{query: q{n}, judgments: {{{n}: 3}}}}\n" for n in range(9)]
    project.cases("min_ndcg: 0.5\ncases:\n" + "".join(lines))
    project.search("return lambda query: [query[1:]]")
    assert project.run(UPDATE).counts == {"passed": 9}
    project.search("return lambda query: ['sku-' + query[1:]]")
    run = project.run()
    (sentence,) = run.sentences("search returned no judged document in any case (9): ")
    assert 'are these the same kind of id? returned "sku-0", judged "0"' in sentence
    assert run.failure("q1") == ""


def test_junit_has_the_text_of_each_case(project: Project) -> None:
    project.conftest(UNREACHABLE)
    shop(project, 3)
    cases = project.junit("--relevance-give-up=2")
    texts = {
        name: "".join(each.text or "" for each in case) for name, case in cases.items()
    }
    assert "for 'query 1'" in texts["q001"]
    assert "for 'query 2'" in texts["q002"]
    why = "not searched: search failed in 2 cases in a row"
    assert f"shop.relevance.yaml:5: {why}" in texts["q003"]
    assert project.properties("q003") == {"verdict": "not searched"}


def test_the_record_has_the_faults_and_its_report_shows_them_once(
    project: Project, command: Command
) -> None:
    project.conftest(UNREACHABLE)
    shop(project)
    project.run(RECORD)
    record = project.recorded()
    (fault,) = record.info.faults
    assert (fault.kind, fault.cases) == ("search", 10)
    assert fault.first == "shop.relevance.yaml::q001"
    assert fault.frame == "conftest.py:9 in search"
    verdicts = [result.verdict for result in record.results]
    assert verdicts == ["error"] * 10 + ["not searched"] * 35
    last = record.results[-1]
    why = "not searched: search failed in 10 cases in a row"
    assert reasons_of(last)[0].startswith(why)
    assert last.call.error is None
    for form in ("text", "markdown"):
        text = command("report", "run.jsonl", "--format", form).out
        alike = "10 searches failed alike: ConnectionError: no engine behind"
        assert text.count(alike) == 1
        assert "and 9 more cases failed alike: q002" in text
        assert "35 cases were not searched" in text


# --- giving up ------------------------------------------------------------------------

CALLS = """
    import pathlib
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            number = int(query.split()[-1])
            with open(pathlib.Path(__file__).with_name("calls.txt"), "a") as file:
                file.write(f"{{number}}\\n")
            if {fails}:
                raise ConnectionError("no engine")
            return ["8", "7"]
        return search
"""
"""A search that writes the number of each query that it is called with to a file, and
fails for some.
"""
ALWAYS = CALLS.format(fails="True")


def calls(project: Project) -> list[int]:
    """The numbers of the queries that were searched."""
    return [int(line) for line in (project.path / "calls.txt").read_text().split()]


OUTAGES = {
    "a search that raises": (
        "return lambda query: 1 / 0",
        "Search was down: ZeroDivisionError in 4 of 4 calls",
    ),
    "a fixture that raises": (
        "raise ConnectionError('no engine')",
        "The fixture search failed: ConnectionError: no engine",
    ),
    "an empty index": (
        "return lambda query: []",
        "Search returned nothing for 4 of 4 queries",
    ),
}


@pytest.mark.parametrize("options", [[], ["-q"]], ids=["", "quiet"])
@pytest.mark.parametrize(("body", "sentence"), OUTAGES.values(), ids=OUTAGES)
def test_every_report_begins_with_an_outage(
    project: Project, command: Command, body: str, sentence: str, options: list[str]
) -> None:
    project.search(body)
    shop(project, 4)
    found = project.reports(*options)
    assert found.run.summary.startswith(f"{sentence}\n4 cases: ")
    assert sentence in found.markdown.partition(" The build ")[0]
    assert found.all_say(sentence)
    assert sentence in command("report", "run.jsonl", *options).out


def test_the_remaining_cases_fail_under_a_status_of_their_own(project: Project) -> None:
    project.conftest(ALWAYS)
    shop(project, 14)
    run = project.run(cache=True)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert calls(project) == list(range(1, 11))
    assert last_line(run).startswith("10 failed, 4 not searched in ")
    assert "4 cases were not searched, as search failed in too many" in run.summary
    assert "14 cases: 10 errors, 4 not searched" in run.summary
    verbose = project.run("-v", "--relevance-give-up=1")
    assert verbose.text.count("NOT SEARCHED ") == 13
    (named,) = verbose.sentences("13 cases were not searched")
    assert re.findall(r"q\d+", named) == [f"q{number:03}" for number in range(2, 15)]
    again = project.run("--lf", "--relevance-give-up=0", cache=True)
    assert again.counts == {"failed": 14}


@pytest.mark.parametrize(("number", "searched"), [(0, 12), (3, 3)])
def test_the_number_can_be_chosen(project: Project, number: int, searched: int) -> None:
    project.conftest(ALWAYS)
    shop(project, 12)
    project.run("-o", f"relevance_give_up={number}")
    assert len(calls(project)) == searched
    project.run(f"--relevance-give-up={number}", "-o", "relevance_give_up=1")
    assert len(calls(project)) == 2 * searched


@pytest.mark.parametrize(
    ("fails", "searched"),
    [
        ("number > 1", 16),  # one that has succeeded gets five times as many
        ("number % 3", 20),  # a success in between begins anew
    ],
)
def test_how_often_a_search_may_fail_that_has_succeeded(
    project: Project, fails: str, searched: int
) -> None:
    project.conftest(CALLS.format(fails=fails))
    shop(project, 20)
    project.run("--relevance-give-up=3")
    assert calls(project) == list(range(1, searched + 1))


def test_cases_of_a_failed_batch_count_one_by_one(project: Project) -> None:
    project.conftest("""
        import pytest

        class Engine:
            def many(self, queries):
                raise ConnectionError("no engine")

        @pytest.fixture(scope="session")
        def search():
            return Engine()
    """)
    shop(project, 20)
    run = project.run("--relevance-give-up=6", "-o", "relevance_batch=4")
    assert "20 cases: 8 errors, 12 not searched" in run.summary
    alike = "8 searches failed alike: ConnectionError: no engine (many in conftest.py:"
    assert alike in run.said


PARAMETRISED = ALWAYS.replace("search():", "search(request):").replace(
    "if True", "if request.param == 'down'"
)
IN_A_HOOK = """
    def broken(query):
        raise ConnectionError("no engine")

    def pytest_generate_tests(metafunc):
        if "search" in metafunc.fixturenames:
            metafunc.parametrize("search", [broken, str.split], ids=["down", "up"])
"""


@pytest.mark.parametrize(
    "conftest",
    [PARAMETRISED.replace("fixture", "fixture(params=['up', 'down'])"), IN_A_HOOK],
    ids=["fixture", "hook"],
)
def test_each_variant_is_given_up_for_itself(project: Project, conftest: str) -> None:
    project.conftest(conftest)
    shop(project, 6)
    run = project.run("--relevance-give-up=2")
    verdicts: dict[str, list[str]] = {"up": [], "down": []}
    for name, result in run.results.items():
        verdicts[name.partition("[")[2].rstrip("]")].append(result.verdict)
    assert verdicts["down"] == ["error"] * 2 + ["not searched"] * 4
    assert {*verdicts["up"]} <= {"passed", "failed"}
    assert "as search[down] failed in too many cases in a row" in run.said


def test_what_cannot_be_scored_is_no_failure_of_the_search(project: Project) -> None:
    ten = '[f"document {rank}" for rank in range(k)]'
    project.search(f"return lambda query, k: {ten}")
    shop(project, 6, of_case="judgments: {query: 1}, expect: {AP: 0.5}")
    run = project.run("--relevance-give-up=2")
    assert run.counts == {"failed": 6}
    assert "6 cases failed alike: " in run.summary


def test_another_fixture_of_the_same_name_is_another_search(project: Project) -> None:
    for folder, fails in (("a", "True"), ("b", "False")):
        project.write(f"{folder}/conftest.py", CALLS.format(fails=fails))
        lines = "".join(f"  - {{query: query {number}}}\n" for number in range(1, 5))
        project.cases(f"cases:\n{lines}", f"{folder}/shop.relevance.yaml")
    run = project.run("--relevance-give-up=2")
    assert last_line(run).startswith("2 failed, 4 passed, 2 not searched")


def test_skipped_cases_stay_skipped_and_expected_failures_are_not_excused(
    project: Project,
) -> None:
    project.conftest(ALWAYS)
    project.cases("""
        cases:
          - {query: query 1}
          - {query: query 2, skip: out of season}
          - {query: query 3, min_ndcg: 0.5, judgments: {a: 1}, xfail: known}
    """)
    run = project.run("--relevance-give-up=1")
    assert run.results["query 3"].status == "not searched"
    assert last_line(run).startswith("1 failed, 1 skipped, 1 not searched")


def test_gates_fail_and_no_ranking_is_accepted(project: Project) -> None:
    project.conftest(CALLS.format(fails="number > 1"))
    shop(project, 8, head="gates: [{passing: 0.1}]\ntolerance: 1")
    run = project.run("--relevance-give-up=1", UPDATE)
    gate = run.told("gate[passing 0.1]")
    assert '5 cases ended in an error: q002 "query 2", q003 "query 3"' in gate
    assert '2 cases were not searched: q007 "query 7" and q008 "query 8"' in gate
    assert [*Accepted(project.path / BASELINE).rankings] == [("q001", None)]


def test_a_case_counts_after_its_last_rerun_and_is_not_run_again_when_given_up(
    project: Project,
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    project.conftest(ALWAYS)
    shop(project, 6)
    run = project.run("--relevance-give-up=2", "--reruns=2")
    assert calls(project) == [1, 1, 1, 2, 2, 2]
    assert last_line(run).startswith("2 failed, 4 rerun, 4 not searched")


def test_each_worker_gives_up_for_itself_and_the_lines_are_joined(
    project: Project,
) -> None:
    project.conftest(UNREACHABLE)
    shop(project, 40)
    run = project.run("-n2", "--relevance-give-up=3")
    assert "6 searches failed alike" in run.summary
    assert "34 cases were not searched" in run.summary
    assert len(run.text.splitlines()) < FEW_LINES + 2 * 6


def test_cases_that_are_expected_to_fail_and_fixtures_of_cases_give_no_search_up(
    project: Project,
) -> None:
    project.conftest("""
        import pytest

        @pytest.fixture
        def search():
            return lambda query: 1 / (not query.startswith("down")) and ["a"]

        @pytest.fixture
        def broken():
            raise RuntimeError("no such fixture data")

        def pytest_collection_modifyitems(items):
            for item in items:
                if "down" in item.name:
                    item.add_marker(pytest.mark.xfail)
    """)
    queries = [f"{{query: down {number}}}" for number in range(4)]
    queries += [f"{{query: b {number}, usefixtures: [broken]}}" for number in range(4)]
    project.cases(f"cases: [{', '.join(queries)}, {{query: well}}]")
    run = project.run("--relevance-give-up=3")
    assert run.outcomes["well"] == "passed"
    assert run.counts["xfailed"] == 4
