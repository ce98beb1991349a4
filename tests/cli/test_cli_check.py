"""`pytest-relevance check`: errors of collection and warnings, without a search."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import CaseFileError, CaseResult, Run, read_suite
from tests.helpers import case_result, changed

if TYPE_CHECKING:
    from tests.cli.conftest import Said, Terminal

SHOP = """
min_ndcg: 0.8
cases:
  - {query: winter boots, judgments: {sku-1: 3, sku-4: 0}}
  - {query: laces, judgments: {sku-6: 3, sku-4: 0}}
"""


def warnings_in(said: Said) -> dict[str, list[str]]:
    """The lines below each warning, by its first three words."""
    found = {}
    lines = iter(said.lines)
    for line in lines:
        if line.startswith("warning: "):
            below = takewhile(bool, lines)
            places = [each.strip() for each in below if each.startswith("    ")]
            found[" ".join(line.split()[1:4])] = places
    return found


# --- errors ---------------------------------------------------------------------------


def test_errors_are_those_of_collection(terminal: Terminal) -> None:
    terminal.write(
        "shop.relevance.yaml",
        "min_ndgc: 1\ncases:\n  - query: boots\n    judgments: {a: x}\n  - {}\n",
    )
    terminal.write("laces.relevance.yml", SHOP)
    said = terminal.run("check", "shop.relevance.yaml", "laces.relevance.yml")
    with pytest.raises(CaseFileError) as error:
        read_suite("shop.relevance.yaml")
    assert said.code == 1
    assert said.lines == [
        *str(error.value).splitlines(),
        "",
        "2 files, 2 cases, 4 judgments: 3 errors, no warnings",
    ]


def test_a_damaged_baseline_is_an_error_as_it_is_in_pytest(terminal: Terminal) -> None:
    terminal.write("shop.relevance.yaml", SHOP)
    terminal.write("shop.relevance.yaml.baseline.jsonl", "<<<<<<< HEAD\n")
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 1
    assert said.lines[0].startswith("shop.relevance.yaml.baseline.jsonl:1: ")
    assert said.lines[-1] == "1 file, 2 cases, 4 judgments: 1 error, no warnings"


@pytest.mark.parametrize(
    ("documents", "products", "says"),
    [
        ("products.csv", "sku,name\nsku-1,Boots\n", ':1: there is no column "id"'),
        (
            "{file: products.csv, show: [brnd]}",
            "id,title,brand\nsku-1,Boots,A\n",
            'did you mean "brand"?',
        ),
        ("products.csv", "id,title\nsku-1,Boots\nsku-4\n", ":3: expected 2 columns"),
    ],
    ids=["no id", "no such column", "a short row"],
)
def test_a_catalogue_with_a_mistake(
    terminal: Terminal, documents: str, products: str, says: str
) -> None:
    terminal.write("shop/shop.relevance.yaml", f"documents: {documents}{SHOP}")
    terminal.write("shop/products.csv", products)
    said = terminal.run("check", "shop")
    assert said.code == 1
    assert said.lines[0].startswith("shop/products.csv:")
    assert says in said.lines[0]
    assert said.lines[1:] == ["", "1 file, 2 cases, 4 judgments: 1 error, no warnings"]


def found(query: str, *documents: str) -> CaseResult:
    """A result of a case without judgments, whose search returned these documents."""
    return case_result(
        "shop.relevance.yaml",
        2,
        query,
        "measured",
        scores={"nDCG@10": None},
        documents=documents,
        grades=(None,) * len(documents),
        returned=len(documents),
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"verdict": "error"}, '1 case ended in an error ("boots")'),
        ({"verdict": "not searched"}, '1 case was not searched ("boots")'),
        ({"verdict": "skipped"}, '1 case was skipped by its fixtures ("boots")'),
        ({"verdict": "skipped", "is_marked_skip": True}, ""),
    ],
    ids=["fit", "error", "not searched", "skipped", "marked"],
)
def test_a_record_is_checked_for_cases_without_a_ranking(
    terminal: Terminal, changes: dict[str, object], why: str
) -> None:
    boots = found("boots", "a")
    if changes:
        boots = case_result("shop.relevance.yaml", 2, "boots", "error")
        boots = changed(boots, **changes)
    Run([boots, found("hats", "a")]).write("main.jsonl.gz")
    said = terminal.run("check", "main.jsonl.gz")
    assert said.code == (1 if why else 0)
    assert why in said.text


def test_a_record_of_a_search_that_found_nothing_is_an_error(
    terminal: Terminal,
) -> None:
    Run([found("boots"), found("hats")]).write("main.jsonl")
    said = terminal.run("check", "main.jsonl")
    assert said.code == 1
    assert "search returned nothing in any case" in said.text


# --- warnings -------------------------------------------------------------------------

JUDGED = "judgments: {a: 3, b: 0}"
TWO_CASES = (
    f"cases: [{{query: boots, {JUDGED}}}, {{query: laces, {JUDGED}, tags: [head]}}]"
)
LISTED = {
    "queries.tsv": "q1\tboots\nq2\tlaces\nq3\tsocks\n",
    "shop.qrels": "q1 0 a 3\nq1 0 b 0\n",
}
EMPTY_BASELINE = '{"kind":"pytest-relevance baseline","version":2}\n{"end":true}\n'
FLOOR = "judgments: shop.qrels\nmin_ndcg: 0.5\n"
CONFLICTING = "one query with"
UNKNOWN = "expected or excluded,"
UNUSED = "judged, but nothing"
IRRELEVANT = "no judged document"
UNJUDGED = "queries without judgments,"
BLANK = "listed without a"
PADDED = "white space at"
ABSENT = "files with fill:"
NOTICE = "notices about the"

WARNINGS: dict[str, tuple[str, dict[str, str], dict[str, list[str]]]] = {
    "none": (SHOP, {}, {}),
    "judged and unused": (
        f"""
        cases:
          - {{query: boots, {JUDGED}}}
          - {{query: laces, {JUDGED}, expect: {{first: a}}}}
          - {{query: polish, {JUDGED}, expect: {{RR: 0.5}}}}
          - {{query: socks, {JUDGED}, min_ndcg: 0.5}}
        """,
        {},
        {UNUSED: [':2: "boots"', ':3: "laces"']},
    ),
    "used by a gate": (f"gates: [{{mean: {{nDCG@10: 0.5}}}}]\n{TWO_CASES}", {}, {}),
    "used by a gate on a tag": (
        f"gates: [{{mean: {{nDCG@10: 0.5}}, tag: head}}]\n{TWO_CASES}",
        {},
        {UNUSED: [':2: "boots"']},
    ),
    "unused by a gate on passing cases": (
        f"gates: [{{passing: 0.9}}]\n{TWO_CASES}",
        {},
        {UNUSED: [':2: "boots"', ':2: "laces"']},
    ),
    "used by a baseline": (
        TWO_CASES,
        {"shop.relevance.yaml.baseline.jsonl": EMPTY_BASELINE},
        {},
    ),
    "a listed query": (
        "queries: queries.tsv\njudgments: shop.qrels\n",
        {"queries.tsv": "q1\tboots\n", "shop.qrels": "q1 0 a 3\nq1 0 b 0\n"},
        {UNUSED: ['queries.tsv:1: "boots"']},
    ),
    "two grades below a query that does not judge the document": (
        """
        min_ndcg: 0.5
        cases:
          - {query: polish, judgments: {a: 3}}
          - {query: polish, id: again, judgments: {b: 2}}
          - {query: polish, id: third, judgments: {b: 3}}
        """,
        {},
        {
            CONFLICTING: [
                ':5: "polish": document "b" has grade 3 here and 2 in shop.relevance.yaml:4'
            ]
        },
    ),
    "two grades": (
        """
        min_ndcg: 0.5
        cases:
          - {query: polish, judgments: {a: 3, b: 0}}
          - {query: polish, id: again, judgments: {a: 3, b: 1, c: 0}}
          - {query: polish, id: abroad, judgments: {a: 0, b: 1}, params: {lang: fr}}
        """,
        {},
        {
            CONFLICTING: [
                ':4: "polish": document "b" has grade 1 here and 0 in '
                "shop.relevance.yaml:3"
            ]
        },
    ),
    "nothing relevant": (
        """
        min_ndcg: 0.5
        gain: {-1: 0, 0: 0, 1: 0, 2: 1}
        cases:
          - {query: no gain, judgments: {a: 0, b: 1, c: -1}}
          - {query: must find nothing, judgments: {a: 0}, expect: {results: 0}}
          - {query: something is relevant, judgments: {a: 2}}
        """,
        {},
        {IRRELEVANT: [':4: "no gain"']},
    ),
    "not in the catalogue": (
        """
        documents: products.csv
        expect: {exclude: sku-9}
        cases:
          - {query: boots, expect: {include: sku-1, order: [sku-4, sku-5]}}
          - query: laces
        """,
        {"products.csv": "id,title\nsku-1,Winter boots\nsku-4,Boot polish\n"},
        {UNKNOWN: [':4: "boots": exclude: "sku-9"', ':4: "boots": order: "sku-5"']},
    ),
    "listed queries": (
        f"queries: queries.tsv\n{FLOOR}",
        LISTED,
        {UNJUDGED: [':1: 2 of 3 queries have no judgments: "laces" and "socks"']},
    ),
    "only judged queries": (
        f"queries: {{file: queries.tsv, only: judged}}\n{FLOOR}",
        LISTED,
        {},
    ),
    "judgment files": (
        "queries: queries.tsv\njudgments: [shop.qrels, more.csv]\nmin_ndcg: 0.1\n",
        {
            "queries.tsv": "q1\tboots\n",
            "shop.qrels": "q1 0 a 3\nq7 0 c 1\n",
            "more.csv": "query_id,doc_id,grade\nq1,c,\nq1,d,\nq1,e,1\n",
        },
        {
            BLANK: ["more.csv: 2 of 3 documents"],
            NOTICE: [': shop.qrels: 1 of 2 queries has no case: "q7"'],
        },
    ),
    "ids by a template": (
        "id_field: '{_index}/{_id}'\njudgments: rated.csv\nmin_ndcg: 0.1\n"
        "cases: [{query: boots}]\n",
        {"rated.csv": "query,index,doc_id,grade\nboots,a,1,3\nboots,b,1,\n"},
        {BLANK: ["rated.csv: 1 of 2 documents"]},
    ),
    "nothing that fills": (
        f"judgments: [{{file: machnie.csv, fill: true}}]\n{SHOP}",
        {},
        {ABSENT: [': "machnie.csv"']},
    ),
    "a file that fills": (
        f"judgments: [{{file: machine.csv, fill: true}}]\n{SHOP}",
        {"machine.csv": "query,doc_id,grade,rater,machine\n"},
        {},
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_a_case_file_with_warnings(terminal: Terminal, name: str) -> None:
    suite, files, expected = WARNINGS[name]
    terminal.write("shop.relevance.yaml", suite)
    for file, text in files.items():
        terminal.write(file, text)
    said = terminal.run("check", "shop.relevance.yaml")
    places = {
        about: [place.removeprefix("shop.relevance.yaml") for place in found]
        for about, found in warnings_in(said).items()
    }
    assert (said.code, said.err, places) == (0, "", expected)
    strict = terminal.run("check", "shop.relevance.yaml", "--strict")
    assert strict.code == (1 if expected else 0)


def test_a_judgment_file_with_warnings(terminal: Terminal) -> None:
    terminal.write(
        "shop.csv",
        """
        query,doc_id,grade
        boots,a,3
        boots,b,0
        Boots,b,1
        Boots,c,0
        laces,a,0
        polish,a,2
        polish,z,
         polish, a ,2
        """,
    )
    said = terminal.run("check", "shop.csv")
    assert said.code == 0
    assert warnings_in(said) == {
        CONFLICTING: [
            'shop.csv:4: "Boots": document "b" has grade 1 here and 0 in shop.csv:2'
        ],
        IRRELEVANT: ['shop.csv:6: "laces"'],
        BLANK: ["shop.csv: 1 of 8 documents"],
        PADDED: ['shop.csv:9: the document " a "', 'shop.csv:9: the query " polish"'],
    }
    assert said.lines[-1] == "1 file, 5 queries, 7 judgments: no errors, 5 warnings"


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (11, 'shop.relevance.yaml:12: "q10"'),
        (500, "... and 490 more (--all shows all)"),
    ],
)
def test_many_warnings_of_a_kind_stay_readable(
    terminal: Terminal, count: int, last: str
) -> None:
    cases = [f"  - {{query: q{number}, {JUDGED}}}" for number in range(count)]
    terminal.write("shop.relevance.yaml", "\n".join(["cases:", *cases, ""]))
    said = terminal.run("check", "shop.relevance.yaml")
    assert warnings_in(said)[UNUSED][10:] == [last]
    assert said.lines[-1].endswith(f" judgments: no errors, {count} warnings")
    everything = terminal.run("check", "shop.relevance.yaml", "--all")
    assert len(warnings_in(everything)[UNUSED]) == count


# --- which files ----------------------------------------------------------------------


def test_folders_are_searched_for_case_files(terminal: Terminal) -> None:
    for name in (
        "a.relevance.yaml",
        "b/c.relevance.yml",
        "b/.cache/d.relevance.yaml",
        "venv/e.relevance.yaml",
    ):
        terminal.write(name, SHOP)
    terminal.write("b/not-ours.yaml", "- 1\n")
    two = ["2 files, 4 cases, 8 judgments: no errors, no warnings"]
    assert terminal.run("check", ".", "b", "a.relevance.yaml").lines == two
    assert terminal.run("check").lines == two


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("boots,a,3\nboots,b,0\n", "3 files, 2 cases, 4 judgments: no errors, no"),
        ("boots,a,3\nboots,b,\n", "3 files, 2 cases, 2 judgments: no errors, 1"),
        ("boots,a,x\n", "3 files: 2 errors, no"),
    ],
    ids=["sound", "a warning", "an error"],
)
def test_a_judgment_file_of_suites_is_not_checked_again(
    terminal: Terminal, rows: str, found: str
) -> None:
    terminal.write("a.csv", f"query,doc_id,grade\n{rows}")
    names = ["shop.relevance.yaml", "other.relevance.yaml"]
    for name in names:
        suite = "judgments: a.csv\nmin_ndcg: 0.1\ncases: [{query: boots}]\n"
        terminal.write(name, suite)
    said = terminal.run("check", "a.csv", *names)
    assert said.lines[-1].startswith(found)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("shop.relevance.yaml", "none.csv"),
            'pytest-relevance check: there is no file or folder "none.csv"\n',
        ),
        (("empty",), 'no *.relevance.yaml and no *.relevance.yml in "empty"\n'),
    ],
)
def test_nothing_to_check_is_a_mistake(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    terminal.write("shop.relevance.yaml", SHOP)
    terminal.write("empty/readme.txt", "nothing\n")
    assert says in terminal.refused("check", *arguments)
