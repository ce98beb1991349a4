"""`pytest-relevance check`: the errors of collection and warnings beside them, without
a search.
"""

from __future__ import annotations

from itertools import takewhile
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import CaseFileError, CaseResult, Run, read_suite
from tests.helpers import case_result, changed

if TYPE_CHECKING:
    from tests.cli.conftest import Said, Terminal

SHOP = """
    min_ndcg: 0.8
    cases:
      - query: winter boots
        judgments: {sku-1: 3, sku-4: 0}
      - query: laces
        judgments: {sku-6: 3, sku-4: 0}
"""


def warned(said: Said, about: str) -> list[str]:
    """The lines below the warning that begins so."""
    lines = iter(said.lines)
    for line in lines:
        if line.startswith(f"warning: {about}"):
            return [
                below.strip()
                for below in takewhile(bool, lines)
                if below.startswith("    ")
            ]
    return []


def test_a_damaged_baseline_is_an_error_as_it_is_in_pytest(terminal: Terminal) -> None:
    terminal.write("shop.relevance.yaml", SHOP)
    said = terminal.run("check", "shop.relevance.yaml")
    assert (said.code, said.err) == (0, "")
    assert said.lines == ["1 file, 2 cases, 4 judgments: no errors, no warnings"]
    terminal.write("shop.relevance.yaml.baseline.jsonl", "<<<<<<< HEAD\n")
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 1
    assert said.lines[0].startswith("shop.relevance.yaml.baseline.jsonl:1: ")
    assert said.lines[-1] == "1 file, 2 cases, 4 judgments: 1 error, no warnings"


PRODUCTS = "id,title\nsku-1,Winter boots\nsku-4,Boot polish\n"


@pytest.mark.parametrize(
    ("documents", "products", "says"),
    [
        (
            "products.csv",
            "sku,name\nsku-1,Winter boots\n",
            ':1: there is no column "id"',
        ),
        (
            "{file: products.csv, show: [brnd]}",
            "id,title,brand\nsku-1,Boots,A\n",
            'did you mean "brand"?',
        ),
        (
            "products.csv",
            "id,title\nsku-1,Winter boots\nsku-4\n",
            ":3: found 1 column where there are 2",
        ),
    ],
)
def test_a_catalogue_with_a_mistake(
    terminal: Terminal, documents: str, products: str, says: str
) -> None:
    terminal.write("shop/shop.relevance.yaml", f"\n    documents: {documents}{SHOP}")
    terminal.write("shop/products.csv", products)
    said = terminal.run("check", "shop")
    assert said.code == 1
    assert said.lines[0].startswith("shop/products.csv:")
    assert says in said.lines[0]
    assert said.lines[1:] == ["", "1 file, 2 cases, 4 judgments: 1 error, no warnings"]


def test_expected_documents_that_the_catalogue_lacks(terminal: Terminal) -> None:
    terminal.write(
        "shop.relevance.yaml",
        """
        documents: products.csv
        expect: {exclude: sku-9}
        cases:
          - query: boots
            expect: {include: sku-1, order: [sku-4, sku-5]}
          - query: laces
        """,
    )
    terminal.write("products.csv", PRODUCTS)
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 0
    assert warned(said, "expected or excluded, and not in the catalogue") == [
        'shop.relevance.yaml:4: "boots": exclude: "sku-9"',
        'shop.relevance.yaml:4: "boots": order: "sku-5"',
    ]


def test_listed_queries_without_judgments_are_counted(terminal: Terminal) -> None:
    terminal.write("queries.tsv", "q1\tboots\nq2\tlaces\nq3\tsocks\n")
    terminal.write("shop.qrels", "q1 0 a 3\nq1 0 b 0\n")
    terminal.write(
        "shop.relevance.yaml",
        "queries: queries.tsv\njudgments: shop.qrels\nmin_ndcg: 0.5\n",
    )
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 0
    where = (
        'shop.relevance.yaml:1: 2 of 3 queries have no judgments: "laces" and "socks"'
    )
    assert warned(
        said, "queries without judgments, which are measured without a floor"
    ) == [where]
    assert said.lines[-1] == "1 file, 3 cases, 2 judgments: no errors, 1 warning"
    only = "queries: {file: queries.tsv, only: judged}\njudgments: shop.qrels\nmin_ndcg: 0.5\n"
    terminal.write("shop.relevance.yaml", only)
    assert terminal.run("check", "--strict", "shop.relevance.yaml").code == 0


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


def test_folders_are_searched_for_case_files(terminal: Terminal) -> None:
    for name in (
        "a.relevance.yaml",
        "b/c.relevance.yml",
        "b/.cache/d.relevance.yaml",
        "venv/e.relevance.yaml",
    ):
        terminal.write(name, SHOP)
    terminal.write("b/not-ours.yaml", "- 1\n")
    said = terminal.run("check", ".", "b", "a.relevance.yaml")
    assert said.lines == ["2 files, 4 cases, 8 judgments: no errors, no warnings"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("none.csv",),
            'pytest-relevance check: there is no file or folder "none.csv"\n',
        ),
        (
            ("empty",),
            'pytest-relevance check: there is no *.relevance.yaml and no *.relevance.yml in "empty"\n',
        ),
        ((), "the following arguments are required: PATH"),
    ],
)
def test_nothing_to_look_at_is_a_mistake(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    terminal.write("shop.relevance.yaml", SHOP)
    terminal.write("empty/readme.txt", "nothing\n")
    said = terminal.run(
        "check", *(("shop.relevance.yaml",) if arguments else ()), *arguments
    )
    assert (said.code, said.out) == (2, "")
    assert says in said.err


def test_judged_but_nothing_looks_at_it(terminal: Terminal) -> None:
    terminal.write(
        "shop.relevance.yaml",
        """
        cases:
          - query: boots
            judgments: {a: 3, b: 0}
          - query: laces
            judgments: {a: 3, b: 0}
            expect: {first: a}
          - query: polish
            judgments: {a: 3, b: 0}
            expect: {RR: 0.5}
          - query: polish
            id: again
            judgments: {a: 3, b: 1, c: 0}
            min_ndcg: 0.5
        """,
    )
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 0
    assert warned(said, "judged, but nothing looks at the judgments") == [
        'shop.relevance.yaml:2: "boots"',
        'shop.relevance.yaml:4: "laces"',
    ]
    assert warned(said, "one query, two grades for the same document") == [
        'shop.relevance.yaml:10: "polish": document "b" has grade 1 here and 0 in shop.relevance.yaml:7'
    ]
    assert said.lines[-1] == "1 file, 4 cases, 9 judgments: no errors, 3 warnings"


def test_gates_and_a_baseline_look_at_judgments_too(terminal: Terminal) -> None:
    cases = """
        cases:
          - query: boots
            judgments: {a: 3, b: 0}
          - query: laces
            judgments: {a: 3, b: 0}
            tags: [head]
    """
    for gates, idle in (
        ("[{mean: {nDCG@10: 0.5}}]", []),
        ("[{mean: {nDCG@10: 0.5}, tag: head}]", ["boots"]),
        ("[{passing: 0.9}]", ["boots", "laces"]),
    ):
        terminal.write("shop.relevance.yaml", f"gates: {gates}\n{dedent(cases)}")
        found = warned(
            terminal.run("check", "shop.relevance.yaml"), "judged, but nothing looks"
        )
        assert [line.partition(": ")[2] for line in found] == [
            f'"{query}"' for query in idle
        ]
    terminal.write("shop.relevance.yaml.baseline.jsonl", "{}\n")
    assert (
        warned(
            terminal.run("check", "shop.relevance.yaml"), "judged, but nothing looks"
        )
        == []
    )


def test_judgments_without_a_relevant_document(terminal: Terminal) -> None:
    terminal.write(
        "shop.relevance.yaml",
        """
        min_ndcg: 0.5
        gain: {-1: 0, 0: 0, 1: 0, 2: 1}
        cases:
          - query: nothing is relevant
            judgments: {a: 0, b: 1, c: -1}
          - query: must find nothing
            judgments: {a: 0}
            expect: {results: 0}
          - query: something is relevant
            judgments: {a: 2}
        """,
    )
    said = terminal.run("check", "shop.relevance.yaml")
    assert warned(said, "no judged document is relevant") == [
        'shop.relevance.yaml:4: "nothing is relevant"'
    ]
    assert said.lines[-1].endswith("no errors, 1 warning")


def test_many_of_a_kind_stay_readable(terminal: Terminal) -> None:
    cases = "".join(
        f"  - query: q{number}\n    judgments: {{a: 3, b: 0}}\n"
        for number in range(500)
    )
    terminal.write("shop.relevance.yaml", f"cases:\n{cases}")
    said = terminal.run("check", "shop.relevance.yaml")
    found = warned(said, "judged, but nothing")
    assert found[0] == 'shop.relevance.yaml:2: "q0"'
    assert found[10:] == ["... and 490 more (--all shows all)"]
    assert (
        said.lines[-1] == "1 file, 500 cases, 1,000 judgments: no errors, 500 warnings"
    )
    everything = terminal.run("check", "shop.relevance.yaml", "--all", "--strict")
    assert (said.code, everything.code) == (0, 1)
    assert len(warned(everything, "judged, but nothing")) == 500
    assert everything.lines[-1] == said.lines[-1]


def test_a_judgment_file(terminal: Terminal) -> None:
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
    assert warned(said, "one query, two grades") == [
        'shop.csv:4: "Boots": document "b" has grade 1 here and 0 in shop.csv:2'
    ]
    assert warned(said, "no judged document is relevant") == ['shop.csv:6: "laces"']
    assert warned(said, "listed without a grade") == ["shop.csv: 1 of 8 documents"]
    assert warned(said, "white space at the beginning or the end") == [
        'shop.csv:9: the document " a "',
        'shop.csv:9: the query " polish"',
    ]
    assert said.lines[-1] == "1 file, 5 queries, 7 judgments: no errors, 5 warnings"


def test_a_suite_of_files(terminal: Terminal) -> None:
    terminal.write(
        "tests/shop.relevance.yaml",
        "queries: ../queries.tsv\njudgments: [../qrels.txt, more.csv]\nmin_ndcg: 0.1\n",
    )
    terminal.write("queries.tsv", "q1\tboots\nq2\tlaces\n")
    terminal.write("qrels.txt", "q1 0 a 3\nq1 0 b 0\nq2 0 a 1\nq7 0 c 1\n")
    terminal.write("tests/more.csv", "query_id,doc_id,grade\nq1,c,\nq1,d,\nq1,e,1\n")
    said = terminal.run("check", "tests")
    assert said.code == 0
    assert warned(said, "listed without a grade") == [
        "tests/more.csv: 2 of 3 documents"
    ]
    assert warned(said, "said in reading") == [
        'tests/shop.relevance.yaml: qrels.txt: 1 of 3 queries has no case: "q7"'
    ]
    assert said.lines[-1] == "1 file, 2 cases, 4 judgments: no errors, 2 warnings"


def test_a_file_that_fills_and_is_not_there(terminal: Terminal) -> None:
    terminal.write(
        "shop.relevance.yaml",
        f"judgments: [{{file: machnie.csv, fill: true}}]\n{dedent(SHOP)}",
    )
    said = terminal.run("check", "shop.relevance.yaml")
    assert said.code == 0
    assert warned(said, "files with fill: true that are not there") == [
        'shop.relevance.yaml: "machnie.csv"'
    ]
    terminal.write("machnie.csv", "query,doc_id,grade,rater,machine\n")
    assert (
        terminal.run("check", "shop.relevance.yaml")
        .lines[-1]
        .endswith("no errors, no warnings")
    )


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
    if changes:
        boots = case_result("shop.relevance.yaml", 2, "boots", "error")
        boots = changed(boots, **changes)
    else:
        boots = found("boots", "a")
    Run([boots, found("hats", "a")]).write("main.jsonl.gz")
    said = terminal.run("check", "main.jsonl.gz")
    assert said.code == (1 if why else 0)
    assert why in " ".join(said.out.split())


def test_a_record_of_a_search_that_found_nothing_is_an_error(
    terminal: Terminal,
) -> None:
    Run([found("boots"), found("hats")]).write("main.jsonl")
    said = terminal.run("check", "main.jsonl")
    assert said.code == 1
    assert "search returned nothing in any case" in " ".join(said.out.split())
