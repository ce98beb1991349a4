"""A fault that many cases have in common is shown once and counted, and a search that
keeps failing is given up.
"""

import json
import re
from textwrap import dedent

import pytest

from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from tests.helpers import reasons_of

from .conftest import Project, Run

CASES = 45
FEW_LINES = 60
"""How long an output is at most beside two lines a failure: its heading, and its line
of the short summary.
"""

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

FAULTS = {
    "unreachable": (
        UNREACHABLE,
        "searches failed alike: ConnectionError: no engine behind",
    ),
    "without a message": (
        UNREACHABLE.replace(
            "class Socket:", "class Socket(Exception):\n        __str__ = None"
        ).replace("raise ConnectionError(", "raise Socket("),
        "searches failed alike: conftest.Socket: its text raises TypeError (search in conftest.py:",
    ),
    "text": (
        "import pytest\n@pytest.fixture\ndef search(): return str.upper",
        "searches failed alike: search returned text, 'QUERY 1'",
    ),
    "missing": (
        "",
        'cases failed alike: fixture "search" not found, which the case calls to search',
    ),
    "broken set-up": (
        "import pytest\n@pytest.fixture(scope='session')\ndef search(): raise OSError('no database')",
        "cases failed alike: OSError: no database (search in conftest.py:3)",
    ),
    "without an id": (
        "import pytest\n@pytest.fixture\ndef search(): return lambda query: [{'sku': query, 'name': query.title()}]",
        "searches failed alike: result 1 of 1 has no id (id, _id, doc_id",
    ),
    "other ids": (
        "import pytest\n@pytest.fixture\ndef search(): return lambda query: [f'sku-{query}', 'sku-2']",
        'are these the same kind of id? returned "sku-query 1", judged "8"; if not, name the id with id_field',
    ),
    "nothing": (
        "import pytest\n@pytest.fixture\ndef search(): return lambda query: []",
        "search returned nothing in any case (",
    ),
}
NEVER_GIVEN_UP = ("missing", "other ids", "nothing")
"""Faults of which no search fails: the option changes nothing."""


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
    project.write(
        "shop.relevance.yaml", "\n".join([f"{head}\nmin_ndcg: 0.5\ncases:", *lines, ""])
    )


def one_line(run: Run) -> str:
    """The summary without its line breaks."""
    return " ".join(run.summary.split())


@pytest.mark.parametrize(
    ("name", "option"),
    [
        *((name, "--relevance-give-up=10") for name in FAULTS),
        ("unreachable", "--relevance-give-up=0"),
    ],
)
def test_a_fault_of_all_cases_is_shown_once_and_counted(
    project: Project, name: str, option: str
) -> None:
    conftest, said = FAULTS[name]
    project.conftest(conftest)
    shop(project)
    run = project.run(option)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert said in one_line(run)
    is_given_up = option.endswith("10") and name not in NEVER_GIVEN_UP
    alike = 10 if is_given_up else CASES
    assert len(run.short_summary) == alike
    assert len(run.text.splitlines()) < FEW_LINES + 2 * alike
    assert re.search(
        rf"\b{alike} (searches|cases) failed alike|in any case .{alike}.", one_line(run)
    )
    assert ("35 cases were not searched" in run.text) == is_given_up
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


def test_cases_that_pass_although_nothing_was_returned_are_told_apart_from_the_search(
    project: Project,
) -> None:
    project.conftest(
        "import pytest\n@pytest.fixture\ndef search(): return lambda query, k: [query] * (query == 'boots')"
    )
    project.cases(
        "cases: [{query: boots, min_ndcg: 1, relevant: [boots]}, {query: boot, expect: {exclude: [hat]}}]"
    )
    run = project.run()
    assert run.counts == {"passed": 2}
    assert (
        "search returned nothing in 1 case, which passed all the same: write results: '>= 1' under expect: where a "
        "result is meant, results: 0 where none is" in one_line(run)
    )


def test_a_search_that_is_dead_in_one_folder_is_told_apart(project: Project) -> None:
    """The search of another folder has the same name, and works."""
    for folder, found in (("live", ["a"]), ("dead", [])):
        project.write(
            f"{folder}/conftest.py",
            "import pytest\n@pytest.fixture\ndef search():\n"
            f"    return lambda query: {found}\n",
        )
        cases = [f"{{query: q{number}, judgments: {{a: 1}}}}" for number in range(3)]
        project.cases(f"cases: [{', '.join(cases)}]", f"{folder}/x.relevance.yaml")
    assert "search in dead returned nothing in any case (3)" in " ".join(
        project.run().text.split()
    )


def test_other_ids_than_the_judged_ones_are_a_fault_beside_a_baseline_too(
    project: Project,
) -> None:
    project.cases(
        "min_ndcg: 0.5\ncases:\n"
        + "".join(f"  - {{query: q{n}, judgments: {{{n}: 3}}}}\n" for n in range(9))
    )
    search = "import pytest\n@pytest.fixture\ndef search(): return lambda query: [{}]"
    project.write("conftest.py", search.format("query[1:]"))
    assert project.run("--relevance-update").counts == {"passed": 9}
    project.write("conftest.py", search.format("'sku-' + query[1:]"))
    run = project.run()
    (sentence,) = run.sentences("search returned no judged document in any case (9): ")
    assert 'are these the same kind of id? returned "sku-0", judged "0"' in sentence
    assert run.failure("q1") == ""


def test_junit_has_the_text_of_each_case(project: Project) -> None:
    project.conftest(UNREACHABLE)
    shop(project, 12)
    cases = project.junit("--relevance-give-up=11")
    texts = {
        name: "".join(each.text or "" for each in case if each.text)
        for name, case in cases.items()
    }
    assert all(
        f"for 'query {number}'" in texts[f"q{number:03}"] for number in range(1, 12)
    )
    assert (
        "shop.relevance.yaml:14: not searched: search failed in 11 cases in a row"
        in texts["q012"]
    )
    assert project.properties("q012") == {"verdict": "not searched"}


def test_the_record_has_the_faults_and_its_report_shows_them_once(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.conftest(UNREACHABLE)
    shop(project)
    project.run("--relevance-record=run.jsonl")
    record = Record.open(project.path / "run.jsonl")
    (fault,) = record.info.faults
    assert (fault.kind, fault.cases, fault.first) == (
        "search",
        10,
        "shop.relevance.yaml::q001",
    )
    assert fault.frame == "conftest.py:9 in search"
    assert [result.verdict for result in record.results] == ["error"] * 10 + [
        "not searched"
    ] * 35
    assert reasons_of(record.results[-1])[0].startswith(
        "not searched: search failed in 10 cases in a row"
    )
    assert record.results[-1].call.error is None

    for form, most in (("text", 30), ("markdown", 40)):
        capsys.readouterr()
        main(["report", "run.jsonl", "--format", form])
        shown = capsys.readouterr().out
        assert len(shown.splitlines()) < most
        text = " ".join(shown.split())
        assert "10 searches failed alike: ConnectionError: no engine behind" in text
        assert "and 9 more cases failed alike: q002" in text
        assert "35 cases were not searched" in text


class TestGivingUp:
    def test_the_remaining_cases_fail_under_a_status_of_their_own(
        self, project: Project
    ) -> None:
        project.conftest(CALLS.format(fails="True"))
        shop(project, 14)
        run = project.run(cache=True)
        assert run.code == pytest.ExitCode.TESTS_FAILED
        assert calls(project) == list(range(1, 11))
        assert (
            run.text.splitlines()[-1]
            .strip("= ")
            .startswith("10 failed, 4 not searched in ")
        )
        assert (
            "4 cases were not searched, as search failed in too many cases in a row"
            in run.summary
        )
        assert "14 cases: 10 errors, 4 not searched" in run.summary
        verbose = project.run("-v", "--relevance-give-up=1")
        assert verbose.text.count("NOT SEARCHED ") == 13
        (named,) = verbose.sentences("13 cases were not searched")
        assert re.findall(r"q\d+", named) == [
            f"q{number:03}" for number in range(2, 15)
        ]
        again = project.run("--lf", "--relevance-give-up=0", cache=True)
        assert again.counts == {"failed": 14}

    @pytest.mark.parametrize(("number", "searched"), [(0, 12), (3, 3), (12, 12)])
    def test_the_number_can_be_chosen(
        self, project: Project, number: int, searched: int
    ) -> None:
        project.conftest(CALLS.format(fails="True"))
        shop(project, 12)
        run = project.run("-o", f"relevance_give_up={number}")
        assert len(calls(project)) == searched
        project.run(f"--relevance-give-up={number}", "-o", "relevance_give_up=1")
        assert len(calls(project)) == 2 * searched
        assert run.code == pytest.ExitCode.TESTS_FAILED

    def test_a_search_that_has_succeeded_gets_five_times_as_many(
        self, project: Project
    ) -> None:
        project.conftest(CALLS.format(fails="number > 1"))
        shop(project, 20)
        project.run("--relevance-give-up=3")
        assert calls(project) == list(range(1, 17))

    def test_cases_of_a_failed_batch_count_one_by_one(self, project: Project) -> None:
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
        assert (
            "8 searches failed alike: ConnectionError: no engine (many in conftest.py:"
            in one_line(run)
        )

    def test_a_success_in_between_begins_anew(self, project: Project) -> None:
        project.conftest(CALLS.format(fails="number % 3"))
        shop(project, 12)
        assert "not searched" not in project.run("--relevance-give-up=3").text
        assert calls(project) == list(range(1, 13))

    def test_each_variant_is_given_up_for_itself(self, project: Project) -> None:
        project.conftest(
            CALLS.format(fails="request.param == 'down'")
            .replace("@pytest.fixture", "@pytest.fixture(params=['up', 'down'])")
            .replace("def search():", "def search(request):")
        )
        shop(project, 6)
        run = project.run("--relevance-give-up=2")
        verdicts = [
            run.results[f"q{number:03}[down]"].verdict for number in range(1, 7)
        ]
        assert verdicts == ["error"] * 2 + ["not searched"] * 4
        assert all(
            run.results[f"q{number:03}[up]"].verdict == "passed"
            for number in range(1, 7)
        )
        assert "as search[down] failed in too many cases in a row" in one_line(run)

    def test_a_search_that_is_parametrised_in_a_hook_is_one_for_all_cases(
        self, project: Project
    ) -> None:
        project.conftest("""
            def broken(query):
                raise ConnectionError("no engine")

            def pytest_generate_tests(metafunc):
                if "search" in metafunc.fixturenames:
                    metafunc.parametrize("search", [broken, str.split], ids=["down", "up"])
        """)
        shop(project, 5)
        run = project.run("--relevance-give-up=2")
        verdicts = [
            result.verdict
            for name, result in run.results.items()
            if name.endswith("[down]")
        ]
        assert verdicts == ["error"] * 2 + ["not searched"] * 3
        assert [run.results[f"q{number:03}[up]"].verdict for number in range(1, 6)] == [
            "failed"
        ] * 5

    def test_what_cannot_be_scored_is_no_failure_of_the_search(
        self, project: Project
    ) -> None:
        project.search(
            'return lambda query, k: [f"document {rank}" for rank in range(k)]'
        )
        shop(project, 6, of_case="judgments: {query: 1}, expect: {AP: 0.5}")
        run = project.run("--relevance-give-up=2")
        assert run.counts == {"failed": 6}
        assert "6 cases failed alike: " in run.summary

    def test_another_fixture_of_the_same_name_is_another_search(
        self, project: Project
    ) -> None:
        project.write("a/conftest.py", CALLS.format(fails="True"))
        project.write("b/conftest.py", CALLS.format(fails="False"))
        for folder in "ab":
            lines = "".join(
                f"  - {{query: query {number}}}\n" for number in range(1, 5)
            )
            project.write(f"{folder}/shop.relevance.yaml", f"cases:\n{lines}")
        run = project.run("--relevance-give-up=2")
        outcomes = [
            report.outcome
            for report in run.reports
            if report.nodeid.startswith("b/") and report.when == "call"
        ]
        assert outcomes == ["passed"] * 4
        assert (
            run.text.splitlines()[-1]
            .strip("= ")
            .startswith("2 failed, 4 passed, 2 not searched")
        )

    def test_skipped_cases_stay_skipped_and_expected_failures_are_not_excused(
        self, project: Project
    ) -> None:
        project.conftest(CALLS.format(fails="True"))
        project.cases("""
            cases:
              - {query: query 1}
              - {query: query 2, skip: out of season}
              - {query: query 3, min_ndcg: 0.5, judgments: {a: 1}, xfail: known}
        """)
        run = project.run("--relevance-give-up=1")
        assert run.outcomes == {
            "query 1": "failed",
            "query 2": "skipped",
            "query 3": "error at setup",
        }
        assert run.results["query 3"].status == "not searched"
        assert (
            run.text.splitlines()[-1]
            .strip("= ")
            .startswith("1 failed, 1 skipped, 1 not searched")
        )

    def test_gates_fail_and_no_baseline_is_written(self, project: Project) -> None:
        project.conftest(CALLS.format(fails="number > 1"))
        shop(project, 8, head="gates: [{passing: 0.1}]\ntolerance: 1")
        run = project.run("--relevance-give-up=1", "--relevance-update")
        gate = run.told("gate[passing 0.1]")
        assert (
            '5 cases ended in an error: q002 "query 2", q003 "query 3", q004 "query 4" and 2 more'
            in gate
        )
        assert '2 cases were not searched: q007 "query 7" and q008 "query 8"' in gate
        accepted = (
            (project.path / "shop.relevance.yaml.baseline.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        )
        assert [json.loads(line)["id"] for line in accepted[1:-1]] == ["q001"]

    def test_a_case_counts_after_its_last_rerun_and_is_not_run_again_when_given_up(
        self, project: Project
    ) -> None:
        pytest.importorskip("pytest_rerunfailures")
        project.conftest(CALLS.format(fails="True"))
        shop(project, 6)
        run = project.run("--relevance-give-up=2", "--reruns=2")
        assert calls(project) == [1, 1, 1, 2, 2, 2]
        assert (
            run.text.splitlines()[-1]
            .strip("= ")
            .startswith("2 failed, 4 rerun, 4 not searched")
        )

    def test_each_worker_gives_up_for_itself_and_the_lines_are_joined(
        self, project: Project
    ) -> None:
        project.conftest(UNREACHABLE)
        shop(project, 40)
        run = project.run("-n2", "--relevance-give-up=3")
        assert "6 searches failed alike" in run.summary
        assert "34 cases were not searched" in run.summary
        assert len(run.text.splitlines()) < FEW_LINES + 2 * 6


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


def calls(project: Project) -> list[int]:
    """The numbers of the queries that were searched."""
    return [
        int(line)
        for line in (project.path / "calls.txt").read_text(encoding="utf-8").split()
    ]


def test_cases_that_are_expected_to_fail_and_fixtures_of_cases_give_no_search_up(
    project: Project,
) -> None:
    conftest = project.search(
        "return lambda query: 1 / (not query.startswith('down')) and ['a']"
    )
    more = """
        @pytest.fixture
        def broken():
            raise RuntimeError("no such fixture data")

        def pytest_collection_modifyitems(items):
            for item in items:
                if "down" in item.name:
                    item.add_marker(pytest.mark.xfail)
    """
    conftest.write_text(conftest.read_text() + dedent(more))
    down = "".join(f"\n  - {{query: down {n}, judgments: {{a: 1}}}}" for n in range(12))
    broken = "".join(
        f"\n  - {{query: broken {n}, judgments: {{a: 1}}, usefixtures: [broken]}}"
        for n in range(9)
    )
    project.cases(f"cases:{down}{broken}\n  - {{query: well, judgments: {{a: 1}}}}")
    run = project.run("--relevance-give-up=3")
    assert run.outcomes["well"] == "passed"
    assert run.counts["xfailed"] == 12
