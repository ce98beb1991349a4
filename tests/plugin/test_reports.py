"""What a run tells: failures from -q to -vv, the summary, JUnit, colours; harmless
whatever a document is called.

What reports say is in `tests/reports`.
"""

import re

import pytest

from tests.plugin.conftest import Project, one_line

WATCHES = """
    import pytest

    TITLES = {"w1": "Sport strap 22 mm", "w2": "Smart Watch 2 black", "w3": "Charging dock"}

    @pytest.fixture(scope="session")
    def search():
        def search(query, k=10, locale="en"):
            found = {
                "smart watch": ["w1", "w2", "w3", *(f"x{n}" for n in range(20))],
                "phone": ["p1"],
                "nothing": [],
            }[query]
            return [{"id": document, "title": TITLES.get(document)} for document in found[:k]]
        return search
"""
CASES = """
    # a comment
    min_ndcg: 0.5
    scale: [0, 3]
    cases:
      - query: smart watch
        note: not a strap for one
        tags: [head]
        judgments: {w1: 0, w2: 2, w4: {grade: 3, title: Smartwatch X}, w5: 3, w6: 1, w7: 1}
        expect: {exclude: [w3]}
      - {query: phone, judgments: {p1: 3}}
      - {query: nothing, expect: {results: 0}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    """Three cases, of which `smart watch` fails."""
    project.conftest(WATCHES)
    project.cases(CASES)
    return project


REASON = "nDCG@10 0.138 is below 0.500"
SHORT = "nDCG@10 0.138, floor 0.500"
HEADLINE = f"shop.relevance.yaml:5: {REASON}"
INTERVAL = "nDCG@10 lies between 0.138 and 1.000"
EXCLUDED = 'exclude: in the top 10: "w3" (Charging dock, at rank 3)'


def test_the_report_of_a_failure(shop: Project) -> None:
    run = shop.run()
    lines = run.failure("smart watch").splitlines()
    assert lines[0] == HEADLINE
    assert lines[1].startswith('  exclude: in the top 10: "w3" (')
    assert lines[2].startswith('query "smart watch"   search   ')
    assert "note: not a strap for one" in lines
    rows = [one_line(line) for line in lines]
    second = "2 w2 Smart Watch 2 black 2 3 1.585 1.893 1.893 3 11.417"
    assert any(row.startswith(second) for row in rows)
    assert INTERVAL in lines
    assert rows[rows.index("lost most by") + 1].startswith("w4 Smartwatch X")
    assert max(map(len, lines)) <= 100
    assert run.failure("smart watch").isascii()
    score, _, _ = SHORT.partition(", floor")
    assert run.short_summary[0] == f"FAILED shop.relevance.yaml::smart watch - {score}"


def test_vv_shows_the_tables_of_passing_cases_too(shop: Project) -> None:
    run = shop.run("-vv")
    passed = "shop.relevance.yaml:10: passed: nDCG@10 1.000, at least 0.500"
    assert run.failure("phone").startswith(passed)
    assert ["1", "p1", "3", "7"] in [row[:4] for row in run.failure_rows("phone")]
    assert run.failure("smart watch").startswith(HEADLINE)
    assert "shop.relevance.yaml:10: " not in shop.run("-v").text


def test_the_style_of_tracebacks_makes_no_difference_to_a_failure(
    shop: Project,
) -> None:
    options = ((), ("--tb=long",), ("--tb=native",), ("--full-trace",))
    failures = [shop.run(*each).failure("smart watch") for each in options]
    assert len({re.sub(r"[<\d.]+ ms", "", failure) for failure in failures}) == 1


@pytest.mark.usefixtures("with_and_without_loops")
def test_tb_line_points_at_the_line_of_the_case(shop: Project) -> None:
    run = shop.run("--tb=line")
    file = shop.path / "shop.relevance.yaml"
    assert f"{file}:5: {SHORT}; {EXCLUDED}" in run.text.splitlines()
    assert run.text.count(f":5: {SHORT}") == 1
    assert "rank  document" not in run.text


def test_at_q_a_failure_and_a_suite_have_a_line_each(shop: Project) -> None:
    shop.cases("cases: [{query: phone, judgments: {p1: 1}}]", "more.relevance.yaml")
    run = shop.run("-q")
    line = f"shop.relevance.yaml:5: {SHORT}; {EXCLUDED}; {INTERVAL}\n"
    assert run.failure("smart watch") == line
    last, more, of_shop = run.summary.splitlines()
    assert more.startswith("more.relevance.yaml  mean nDCG@10 1.000   1 measured")
    assert of_shop.startswith("shop.relevance.yaml  mean")
    counts = "4 cases: 2 passed, 1 failed, 1 measured; mean nDCG@10 0.713 (3 of 4 cases, those with a score)"
    assert last == counts


def test_junit_has_the_figures_and_the_report(shop: Project) -> None:
    failure = shop.junit()["smart watch"].find("failure")
    properties = shop.properties("smart watch")
    names = ["verdict", "score", "interval", "k", "judged", "latency"]
    assert list(properties) == names
    assert float(properties["score"]) == pytest.approx(0.13782, abs=1e-5)
    assert (properties["k"], properties["judged"]) == ("10", "2")
    lower, upper = map(float, properties["interval"].split(".."))
    assert lower <= float(properties["score"]) <= upper
    assert 0 <= float(properties["latency"]) < 10
    assert failure is not None
    assert failure.attrib["message"] == f"{SHORT}; {EXCLUDED}"
    assert (failure.text or "").startswith(HEADLINE)
    assert "lost most by" in (failure.text or "")
    assert list(shop.properties("nothing")) == ["verdict", "k", "judged", "latency"]


def test_junit_of_a_search_that_raises(project: Project) -> None:
    project.search("return lambda query: 1 / 0")
    project.cases("cases: [{query: shoes, judgments: {a: 1}}]")
    failure = project.junit()["shoes"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "ZeroDivisionError: division by zero"
    assert "pytest_relevance" not in (failure.text or "")
    assert project.properties("shoes") == {"verdict": "error"}  # no score of zero


EVIL = "Sandal\\x1b]0;owned\\x07\\x1b[31m\\r\\n\\u202egnp.exe\\x9b2J"


@pytest.mark.parametrize("option", ["-q", "-vv"])
def test_a_title_that_a_terminal_could_act_on_is_harmless(
    project: Project, option: str
) -> None:
    results = [f'{{"id": "{name}", "title": "{EVIL}"}}' for name in ("d\\x1b[2J1", "b")]
    project.search(f"return lambda query: [{', '.join(results)}]")
    project.cases("""
        cases:
          - query: "shoes\\e[31m"
            min_ndcg: 1
            note: "see\\e[31m"
            judgments: {"d\\e[2J1": 0, "c\\e[2J": {grade: 2, title: "Boot\\e[31m"}, b: 1}
            expect: {first: "z\\e[2J"}
          - {query: fine, judgments: {b: 1}}
    """)
    run = project.run(option, "--junitxml=junit.xml")
    assert run.counts == {"failed": 1, "passed": 1}
    assert ("Boot\\x1b[31m" in run.text) == (option == "-vv")
    told = run.text + (project.path / "junit.xml").read_text(encoding="utf-8")
    assert told.replace("\n", "").isprintable()
    assert "&#" not in told


def test_colours_are_the_same_under_xdist(shop: Project) -> None:
    missing = "cases: [{query: phone, search: find}, {query: boots, search: find}]"
    shop.cases(missing, "missing.relevance.yaml")

    def coloured(*more: str) -> list[str]:
        """The lines of failures and summary, sorted, as a worker reports errors of
        files at another time.
        """
        text = re.sub(r"[<\d.]+ ms", "", shop.run("--color=yes", "-vv", *more).text)
        told = text.partition("= ERRORS =")[2].partition("short test summary")[0]
        return sorted(line for line in told.splitlines() if "[gw" not in line)

    here = coloured()
    assert "\x1b" not in shop.run("--color=no").text
    assert f"shop.relevance.yaml:5: \x1b[31m\x1b[1m{REASON}" in "\n".join(here)
    assert coloured("-n1") == here


def test_a_run_without_cases_says_nothing(project: Project) -> None:
    project.write("test_shop.py", "def test_shop():\n    pass\n")
    run = project.run()
    assert run.counts == {"passed": 1}
    behind_the_plugins = run.text.partition("plugins:")[2].partition("\n")[2]
    assert "relevance" not in behind_the_plugins


# --- how cases are named --------------------------------------------------------------


def headings(text: str) -> list[str]:
    """The headings of failures."""
    return re.findall(r"^_+ (.*?) _+$", text, re.MULTILINE)


def test_a_case_with_an_id_is_named_with_its_query(project: Project) -> None:
    project.search(
        'return str.split if request.param == "title" else lambda query: query.split()[::-1]',
        '(params=["title", "all"])',
        "request",
    )
    project.cases("""
        min_ndcg: 0.9
        cases:
          - {query: gaming laptop, id: q043, judgments: {laptop: 3}}
          - {query: phone, judgments: {p1: 3}}
          - {query: laptop sleeve, id: q044, judgments: {laptop: 3}}
    """)
    run = project.run("-v")
    assert sorted(headings(run.text)) == [
        "phone[all]",
        "phone[title]",
        'q043 "gaming laptop"[title]',
        'q044 "laptop sleeve"[all]',
    ]
    (short,) = [line for line in run.short_summary if "q043" in line]
    assert short.endswith('::q043[title] - "gaming laptop": nDCG@10 0.631')
    assert 'q043 "gaming laptop"' in run.summary


def test_a_name_is_printed_once_with_v(project: Project) -> None:
    project.conftest()
    case = "query: gaming laptop, id: v1.2, judgments: {laptop: 3}, min_ndcg: 0.9"
    project.cases(f"cases: [{{{case}}}]")
    run = project.run("-v")
    (line,) = re.findall(r"^shop.relevance.yaml::v1.*", run.text, re.MULTILINE)
    assert line.split() == ["shop.relevance.yaml::v1::2", "FAILED", "[100%]"]
    assert headings(run.text) == ['v1.2 "gaming laptop"']


def test_a_long_query_leaves_room_for_the_reason(project: Project) -> None:
    project.conftest()
    query = "a laptop that runs every game there is, and that is light, quiet and not expensive at all"
    case = f'query: "{query}", id: q1, judgments: {{laptop: 3}}, min_ndcg: 0.9'
    project.cases(f"cases: [{{{case}}}]")
    run = project.run()
    assert headings(run.text) == [f'q1 "{query[:57]}..."']
    short = 'q1 - "a laptop that'
    assert run.short_summary[0].startswith(f"FAILED shop.relevance.yaml::{short}")


def test_reports_are_as_wide_as_the_terminal(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    shop.conftest(WATCHES.replace("Smart Watch 2 black", "Smart Watch 2 black " * 20))
    run = shop.run("--junitxml=junit.xml")
    assert max(map(len, run.failure("smart watch").splitlines())) == 140
    text = shop.junit_cases["smart watch"].findtext("failure") or ""
    assert max(map(len, text.splitlines())) == 100
