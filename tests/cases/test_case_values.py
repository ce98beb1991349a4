"""What the keys of a case file may not hold, each with what is allowed instead."""

import pytest

from pytest_relevance.cases.scalars import scalar_value
from tests.cases.conftest import mistakes, read_case
from tests.cases.texts import LIKE_NUMBERS, LIKE_TIMES, LIKE_VALUES

BAD_VALUES = {
    "depth: all": 'depth: expected a whole number from 1 to 1,000,000, found the text "all"',
    "k: ten": 'k: expected a whole number from 1 to 1,000,000, found the text "ten"',
    'k: "10"': 'k: expected a whole number from 1 to 1,000,000, found the text "10"',
    "min_ndcg: 1.5": "min_ndcg: expected a number from 0 to 1, or null to take an inherited floor away, found 1.5",
    "min_judged: 50": "min_judged: expected a number from 0 to 1, found 50",
    "min_judged: null": "min_judged: expected a number from 0 to 1, found nothing",
    "gain: liner": 'gain: expected exponential, linear or a mapping grade: gain, found the text "liner"; did you mea',
    "gain: {}": "gain: the mapping of gains is empty; write grade: gain pairs, or exponential or linear",
    "gain: {good: 1}": "gain: 'good' is not a grade; expected a number",
    "gain: {1: lots}": 'gain.1: a gain is a number, found the text "lots"',
    "gain: {1: 1, 1.0: 2}": "gain: grade 1 has two gains; keep one of them",
    "discount: log10": 'discount: expected log2 or ln, found the text "log10"; did you mean "log2"?',
    "scale: 3": "scale: expected [lowest, highest], such as [0, 3], or names with their grades, such as {good: 1, ba",
    "scale: [3, 0]": "scale: expected [lowest, highest], such as [0, 3], or names with their grades, such as {good:",
    "scale: {good: 1}": "scale: a scale has at least two different grades, found the mapping {'good': 1}",
    "scale: {good: 1, bad: zero}": "scale: the grade of \"bad\" is a number, not 'zero' (str)",
    "scale: {1: 1, bad: 0}": 'scale: "1" cannot name a grade; use a word',
    "scale: [0, 60]": "scale: with gain: exponential (2^grade - 1) the highest grade may be 50, found 60; write gain",
    "search: my search": 'search: expected the name of a fixture, as it stands in Python, found the text "my search"',
    "id_field:": "id_field: expected the name of a field, found nothing; leave the key out for the default",
    "id_field: []": "id_field: the list of fields is empty; name one, or take id_field out",
    "id_field: [sku, ean, sku]": 'id_field: "sku" stands twice; keep one of them',
    "id_field: ['{_index}/{_id}', sku]": (
        'id_field: a list has paths, and "{_index}/{_id}" is a template; write the '
        "template without a list"
    ),
    "id_field: {_index: 1}": (
        "id_field: expected a field, a list of fields or a template, found the mapping {'_index': '1'}; "
        'put a template in quotes: "{_index}/{_id}"'
    ),
    "id_field: '{_index}{_id}'": (
        'id_field: "{_index}{_id}" is not a template: two of its fields touch, so two documents could '
        "share an id; write"
    ),
    "id_field: '{_index/_id'": (
        'id_field: "{_index/_id" is not a template: its braces do not form pairs; write each field in braces and a'
    ),
    "id_field: '{{_index}}/{_id}'": 'id_field: "{{_index}}/{_id}" is not a template: its braces do not form pairs',
    "id_field: '{}/{_id}'": 'id_field: "{}/{_id}" is not a template: it has no field between two braces',
    "params: [a]": "params: expected a mapping of keyword arguments for search(), found the list ['a']",
    "params: {k: 5}": "params: params may not have k: the plugin gives k to search() if it has a parameter",
    "params: {query: x}": "params: params may not have query: the query is the first argument of search() already",
    "tags: head": 'tags: expected a list of tags, found the text "head"; write [head]',
    "tags: [head, head]": 'tags[1]: "head" stands twice; keep one of them',
}  # fmt: skip


@pytest.mark.parametrize(("line", "message"), BAD_VALUES.items())
def test_a_value_that_a_key_may_not_have_is_refused_in_a_suite_and_in_a_case(
    line: str, message: str
) -> None:
    (of_suite,) = mistakes(f"{line}\ncases:\n  - query: a\n")
    place, _, found = of_suite.partition(": ")
    assert place.startswith("1:")
    assert found.startswith(message)

    (of_case,) = mistakes(f"cases:\n  - query: a\n    {line}\n")
    place, _, found = of_case.partition(": ")
    assert place.startswith("3:")
    assert found.startswith(message)
    assert found.endswith('(in case "a")')


@pytest.mark.parametrize(
    ("line", "message"),
    {
        'query: "  "': "query: the query is empty; write what a user would type",
        "query: [a]": "query: expected text, found the list ['a']; put a text with brackets or braces in quotes",
        "weight: 0": "weight: expected a number above 0, found 0",
        "weight: 4_200": 'weight: expected a number above 0, found the text "4_200"',
        "xfail:": "xfail: xfail takes the reason as text, found nothing; write why",
        "xfail: {strict: true}": "xfail.reason: xfail takes the reason as text, found nothing; write why",
        "xfail: {reason: x, strict: yes}": 'xfail.strict: expected true or false, found the text "yes"',
        "xfail: {reason: x, stirct: true}": 'xfail: unknown key "stirct"; xfail takes reason and strict; did you mea',
        "skip: no": 'skip: skip takes the reason as text, found the text "no"; write why',
        "usefixtures: db": 'usefixtures: expected a list of fixture names, found the text "db"; write [db]',
        "usefixtures: [db, a b]": "usefixtures[1]: expected the name of a fixture, as it stands in Python, found the",
    }.items(),
)
def test_a_value_that_a_key_of_a_case_may_not_have(line: str, message: str) -> None:
    rest = "" if line.startswith("query") else "\n    query: a"
    (found,) = mistakes(f"cases:\n  - {line}{rest}\n")
    assert found.startswith("2:")
    assert message in found


@pytest.mark.parametrize("key", ["skip", "xfail"])
@pytest.mark.parametrize("switch", ["0", "' 1 '", "1.0", "On", "None"])
def test_a_switch_is_no_reason(key: str, switch: str) -> None:
    (found,) = mistakes(f"cases:\n  - {key}: {switch}\n    query: a\n")
    assert found.startswith("2:")
    assert f"{key}: {key} takes the reason as text, found the text " in found


# Text stays as written; where a value is wanted, only true, false, null and decimal
# numbers are one


@pytest.mark.parametrize("written", LIKE_VALUES)
def test_text_stays_as_written(written: str) -> None:
    """In queries, ids, notes, reasons, tags, names of grades and document ids, plain
    and quoted alike.
    """
    found = read_case(
        "scale:\n"
        f"  {written}x: 1\n"
        "  worse: 0\n"
        "cases:\n"
        f"  - query: {written}\n"
        f"    note: {written}\n"
        "    judgments:\n"
        f"      {written}: {written}x\n"
        f"      '{written}y': worse\n"
        "      z:\n"
        "        grade: 1\n"
        f"        title: {written}\n"
        "    expect:\n"
        f"      first: {written}\n"
        "      include:\n"
        f"        - {written}\n"
        "      order:\n"
        f"        - '{written}'\n"
        "        - b\n"
    )
    assert found.query == found.id == found.note == written
    assert found.judgments == {written: 1, f"{written}y": 0, "z": 1}
    assert found.titles == {"z": written}
    assert [expected.documents for expected in found.expect] == [
        (written,),
        (written,),
        (written, "b"),
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("", None),
        ("0", 0),
        ("-3", -3),
        ("10", 10),
        ("0.5", 0.5),
        ("-0.25", -0.25),
        ("1.50", 1.5),
        ("12345678901234567890", 12345678901234567890),
    ],
)
def test_what_converts_in_params(written: str, meant: object) -> None:
    found = read_case(
        f"cases:\n  - query: a\n    params:\n      x: {written}\n      deep: [{{y: {written}}}]\n"
    )
    assert found.params == {"x": meant, "deep": [{"y": meant}]}
    assert type(found.params["x"]) is type(meant)


NUMBERS = {"7", "1.50"}
NO_VALUES = [text for text in (*LIKE_NUMBERS, *LIKE_TIMES) if text not in NUMBERS]


@pytest.mark.parametrize(
    "written", [*NO_VALUES, "NO", "True", "Null", "no", "on", "~", "-.inf", "1,5", "٣"]
)
def test_what_stays_text_in_params(written: str) -> None:
    assert read_case(
        f"cases:\n  - query: a\n    params:\n      x: {written}\n"
    ).params == {"x": written}


@pytest.mark.parametrize("written", ["true", "null", "5", "0.5", ""])
def test_quotes_always_mean_text(written: str) -> None:
    found = read_case(
        "cases:\n"
        "  - query: a\n"
        "    params:\n"
        f"      single: '{written}'\n"
        f'      double: "{written}"\n'
        "      literal: |-\n"
        f"        {written}\n"
        "      folded: >-\n"
        f"        {written}\n"
    )
    assert found.params == dict.fromkeys(
        ("single", "double", "literal", "folded"), written
    )


def test_a_number_too_long_to_be_meant_stays_text() -> None:
    assert scalar_value("9" * 64) == int("9" * 64)
    assert scalar_value("9" * 65) == "9" * 65
