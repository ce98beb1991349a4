"""Mistakes: where they are, what was found, what is allowed, and all those of a file
together.
"""

import pickle
from pathlib import Path

import pytest

from pytest_relevance import CaseFileError, read_suite
from pytest_relevance.cases.reader import has_cases, parse_suite
from tests.cases.conftest import mistakes


def test_a_message_says_where_and_what_and_which_case(tmp_path: Path) -> None:
    file = tmp_path / "shop.relevance.yaml"
    text = "cases:\n  - query: blue shoes\n    min_ndgc: 0.5\n"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CaseFileError) as caught:
        read_suite(file)
    assert str(caught.value) == (
        f'{file}:3:5: unknown key "min_ndgc" of a case; did you mean "min_ndcg"? (in case "blue shoes")'
    )
    assert caught.value.file == str(file)
    (problem,) = caught.value.problems
    assert (problem.place.line, problem.place.column) == (3, 5)
    assert problem.case == '"blue shoes"'
    assert isinstance(caught.value, ValueError)


def test_all_the_mistakes_of_a_file_are_reported_together_in_its_order() -> None:
    found = mistakes(
        """\
        k: 0
        serach: find
        scale: [0, 3]
        cases:
          - query: a
            judgments: {x: 9, x: 1, y: "2"}
            weight: 0
            k: 5
            k: 6
          - id: no query
          - query: a
          - text
          - query: b
            min_ndcg: 0.5
            expect: {P@5: 2, first: [x, x]}
        tags: [skip]
        """
    )
    assert found == [
        "1:4: k: expected a whole number from 1 to 1,000,000, found 0",
        '2:1: unknown key "serach" of a suite; did you mean "search"?',
        '6:20: judgments.x: grade 9 is off the scale, which is 0 to 3 (in case "a")',
        '6:23: document "x" is judged twice, first in line 6; keep one grade, or write a list of ratings (in case "a")',
        '6:32: judgments.y: the grade "2" is in quotes, which make it text; write 2 (in case "a")',
        '7:13: weight: expected a number above 0, found 0 (in case "a")',
        '9:5: duplicate key "k", first in line 8; keep one of them (in case "a")',
        '10:5: the case has no "query", the only key it must have (in case "no query")',
        '11:5: query: a second case with the id "a", the first is in line 5; give one of them an id (in case "a")',
        '12:5: a case is a mapping; write "- query: ..."',
        '15:19: expect.P@5: expected a number from 0 to 1, found 2; write P@5: 0.6 or P@5: ">= 0.6" (in case "b")',
        '15:33: expect.first[1]: "x" stands twice; keep one of them (in case "b")',
        '16:8: tags[0]: the tag "skip" is a marker or a word that pytest or a plugin already '
        "owns; choose another name, or take it out of the ini key markers",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "judgments: qrels.csv\nmin_ndcg: 0.5\ncases: [{query: a}, {query: b, expect: {P@5: 0.2}}]",
        "gain: lineal\ncases: [{query: a, judgments: {x: 60}}]",
        "scale: [0, 100]\ncases: [{query: a, judgments: {x: 60}}]",
    ],
    ids=["floors without the judgments", "a gain too low", "a scale too high"],
)
def test_what_depends_on_a_wrong_suite_is_not_reported_as_well(text: str) -> None:
    assert len(mistakes(text)) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "case: [{query: a}]": '1:1: unknown key "case" of a suite; did you mean "cases"?',
        "cases: [{query: a, judgements: {x: 1}}]": '1:20: unknown key "judgements" of a case; did you mean "judgment',
        "titel: name\ncases: [{query: a}]": '1:1: unknown key "titel" of a suite; did you mean "title_field"?',
        "querys: a\ncases: [{query: a}]": '1:1: unknown key "querys" of a suite; did you mean "queries"?',
        "expectations: a\ncases: [{query: a}]": '1:1: unknown key "expectations" of a suite; did you mean "expect"?',
        "cases: [{query: a, documnts: a}]": '1:20: unknown key "documnts" of a case; did you mean "documents"? It is a key',
        "cases: [{query: a, words: a}]": '1:20: unknown key "words" of a case; it takes query, id',
        "query: a\ncases: [{query: b}]": '1:1: "query" is a key of a case, not of a suite',
        "cases: [{query: a, gates: []}]": '1:20: "gates" is a key of the suite, beside cases, not of a case',
        "cases: [{query: a, first: x}]": '1:20: "first" is not a key of a case; it is an expectation, write it under exp',
        "cases: [{query: a, zzz: 1}]": '1:20: unknown key "zzz" of a case; it takes query, id, search, k, min_ndcg, s',
        "k: 5\n": '1:1: the file has no "cases", no "queries" and no "known_items"; beside these a suite may have search',
        "cases:\n": '1:7: "cases" takes a list; begin each case with "- query:"',
        "cases: {query: a}\n": '1:8: "cases" takes a list; begin each case with "- query:"',
        "cases: []\n": '1:8: "cases" is an empty list; write at least one "- query:"',
        "cases:\n  - blue shoes\n": '2:5: a case is a mapping; write "- query: ..."',
        "cases:\n  - {}\n": '2:5: the case has no "query", the only key it must have (in case number 1)',
        "cases: [{query: a}, {k: 5}]\n": '1:21: the case has no "query", the only key it must have (in case number 2',
    }.items(),
)
def test_a_key_that_is_not_known_or_missing(text: str, message: str) -> None:
    (found,) = mistakes(text)
    assert found.startswith(message)


def test_an_unknown_key_of_a_suite_shows_those_there_are() -> None:
    (found,) = mistakes("zzz: 1\ncases: [{query: a}]")
    assert 'unknown key "zzz" of a suite; it takes search, k, min_ndcg, scale' in found
    # nothing that would be refused in its turn
    assert found.endswith(
        "judgments, documents, expect, tolerance, gates, queries, known_items, cases"
    )


def test_many_mistakes_are_counted() -> None:
    count = CaseFileError.MOST_SHOWN + 7
    cases = "".join(f"  - {{query: q{number}, k: 0}}\n" for number in range(count))
    found = mistakes(f"cases:\n{cases}")
    assert len(found) == CaseFileError.MOST_SHOWN + 1
    assert found[-1] == " ... and 7 more problems"


def test_errors_can_be_sent_to_another_process() -> None:
    with pytest.raises(CaseFileError) as caught:
        parse_suite(b"cases:\n- {query: a, k: 0}\nscale: 1\n", "shop.yaml")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    places = [line.partition(": ")[0] for line in str(again).splitlines()]
    assert places == ["shop.yaml:2:17", "shop.yaml:3:8"]
    assert again.problems == caught.value.problems


# Whether any YAML file is a case file


@pytest.mark.parametrize(
    "text",
    [
        "cases: []",
        "queries: x.tsv",
        "# comment\nk: 5\ncases:\n  - nonsense",
        "k: [\ncases:\n  - query: a\n",  # broken, and must show how
        "\ufeffcases: []",
        '"cases": []',
        '{"k": 5, "cases": []}',
    ],
)
def test_a_case_file_by_its_content(text: str) -> None:
    assert has_cases(text.encode())


@pytest.mark.parametrize(
    "text",
    ['{"showcases": []}', "", "- cases: []", "text: |\n  cases:\n", "a: ["],
)
def test_no_case_file_by_its_content(text: str) -> None:
    assert not has_cases(text.encode())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_case_file_in_another_encoding_must_show_that(encoding: str) -> None:
    assert has_cases("k: 5\ncases:\n  - query: grün\n".encode(encoding))


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n"
CONFLICT = "min_ndcg: 0.5\n<<<<<<< HEAD\nk: 5\n=======\nk: 9\n>>>>>>> main\n"


@pytest.mark.parametrize(
    ("text", "mistake"),
    {
        LFS: "1:1: this is a pointer of Git LFS, and not the file itself; fetch the file: git lfs pull",
        CONFLICT: '2:1: "<<<<<<< HEAD" is a conflict marker of Git; finish the merge, and take the markers out',
        "404: Not Found": (
            '1:1: this is an answer of a server, and not data: "404: Not Found"; '
            "download the file again, and check what it holds"
        ),
    }.items(),
)
def test_a_case_file_that_is_there_by_accident(text: str, mistake: str) -> None:
    assert mistakes(text) == [mistake]


@pytest.mark.parametrize("begin", ["---\n", "# cases\n---\n"])
def test_a_mistake_below_the_marker_of_a_yaml_text(begin: str) -> None:
    (found,) = mistakes(f"{begin}cases: [{{query: a, kk: 1}}]\n")
    assert 'unknown key "kk" of a case' in found
