"""Passages in case files: how they are written, what is refused, and where."""

import pytest

from pytest_relevance.cases.expectation import FieldCondition, Passage
from tests.cases.conftest import mistakes, read, read_case

AN_EXAMPLE = """
text_field: page_content
k: 5
expect: {R@5: 1, RR: ">= 0.5"}
cases:
  - query: how long can I return it
    passages:
      - within 30 days of delivery
      - {quote: proof of purchase, grade: 2, in: {metadata.source: terms.pdf}}
      - any: [the original receipt, l'original du ticket]
    exclude_passages: [within 14 days]
"""


def test_passages_with_grades_conditions_and_several_forms() -> None:
    case = read_case(AN_EXAMPLE)
    assert case.passages == (
        Passage(("within 30 days of delivery",)),
        Passage(
            ("proof of purchase",),
            grade=2,
            conditions=(FieldCondition("metadata.source", "==", ("terms.pdf",)),),
        ),
        Passage(("the original receipt", "l'original du ticket")),
    )
    assert case.judgments == {
        "within 30 days of delivery": 1,
        "proof of purchase": 2,
        "the original receipt": 1,
    }
    assert case.fields_of_passages == ["metadata.source"]
    assert case.terms.text_field == "page_content"


def test_excluded_passages_are_an_expectation_and_are_looked_for_too() -> None:
    case = read_case(AN_EXAMPLE)
    assert [(one.name, one.quotes) for one in case.expect[2:]] == [
        ("exclude_passages", ("within 14 days",))
    ]
    assert [one.name for one in case.sought_passages][-1] == "within 14 days"
    assert len(case.passages) == len(case.sought_passages) - 1


def test_a_mapping_has_the_grades() -> None:
    case = read_case(
        """
        scale: {vital: 3, useful: 1}
        cases:
          - query: a
            passages: {proof of purchase: vital, within 30 days: 1, 2024-01-01: useful}
        """
    )
    grades = {passage.name: passage.grade for passage in case.passages}
    assert grades == {"proof of purchase": 3, "within 30 days": 1, "2024-01-01": 1}


def test_the_texts_of_results_are_read_in_all_cases_of_a_file() -> None:
    with_passages = read(
        "cases: [{query: a, passages: [some words]}, {query: b, expect: {results: 0}}]"
    )
    assert [case.reads_texts for case in with_passages.cases] == [True, True]
    excluding = read_case("cases: [{query: a, exclude_passages: [old terms]}]")
    assert excluding.reads_texts
    assert not read_case("cases: [{query: a, judgments: {x: 1}}]").reads_texts


def test_floors_and_measures_of_the_suite_apply_to_passages() -> None:
    case = read_case(
        """
        k: 3
        min_ndcg: 0.8
        gates: [{mean: {nDCG@3: 0.9, All@3: 0.9, overlap@3: 0.5}}]
        expect: {R@3: 1, P@3: 0.3, Success@1: 1, characters@3: "<= 900"}
        cases: [{query: a, passages: [one thing, another thing]}]
        """
    )
    assert case.min_ndcg == 0.8
    assert len(case.expect) == 4


@pytest.mark.parametrize(
    ("passages", "message"),
    [
        ("some words", '1:30: passages: expected a list of quotes, or quote: grade, found the text "some words"'),
        ("[]", (
            "1:30: passages: the list of passages is empty; write a quote, or take "
            "the list out"
        )),
        ("{}", (
            "1:30: passages: the list of passages is empty; write a quote, or take "
            "the list out"
        )),
        ("[30]", '1:31: passages[0]: a quote is text, found 30; put it in quotation marks, "30"'),
        ("[[a]]", "1:31: passages[0]: a quote is text, found the list ['a']"),
        ("['']", (
            "1:31: passages[0]: the quote is empty; write words that the answer "
            "needs, or take the quote out"
        )),
        ("[' ']", (
            "1:31: passages[0]: the quote is empty; write words that the answer "
            "needs, or take the quote out"
        )),
        ("['...']", '1:31: passages[0]: the quote "..." has no letter and no digit; write words that the answer needs'),
        ("[a: b]", '1:31: passages[0]: unknown key "a"; a passage has quote or'),
        ("[{quote: a, grad: 2}]", '1:42: passages[0]: unknown key "grad"; a passage has quote or'),
        ("[{grade: 2}]", "1:31: passages[0]: a passage has either quote or"),
        ("[{quote: a, any: [b]}]", "1:31: passages[0]: a passage has either quote or"),
        ("[{quote: 30}]", '1:39: passages[0].quote: a quote is text, found 30; put it in quotation marks, "30"'),
        ("[{any: []}]", "1:37: passages[0].any: the list of quotes is empty; write a quote, or take the list out"),
        ("[{any: [a, a]}]", '1:41: passages[0].any[1]: "a" stands twice; keep one of them'),
        ("[{quote: a, grade: 0}]", "1:49: passages[0].grade: the grade of a passage is above 0, found 0"),
        ("[{quote: a, in: {}}]", "1:46: passages[0].in: expected a mapping of conditions, found the mapping {}"),
        ("{a quote: }", '1:40: passages["a quote"]: the passage has no grade'),
        ("{a quote: -1}", '1:40: passages["a quote"]: the grade of a passage is above 0, found -1'),
        ("{quote: a, grade: 2}", "1:30: passages: found one passage without a list"),
        ("[Buy  it now, buy it NOW]", '1:44: passages[1]: "buy it NOW" is the same passage as "Buy  it now"; keep one'),
        ("[buy it now, it now]", '1:43: passages[1]: "it now" is part of the passage "buy it now"'),
        ("[it now, {any: [x y, buy it now]}]", '1:39: passages[1]: "it now" is part of the passage "buy it now"'),
    ],
)  # fmt: skip
def test_a_passage_that_is_wrong(passages: str, message: str) -> None:
    found = mistakes(f"cases: [{{query: a, passages: {passages}}}]")
    assert [line[: len(message)] for line in found] == [message]


def test_forms_of_one_passage_may_contain_each_other() -> None:
    case = read_case("cases: [{query: a, passages: [{any: [receipt, the receipt]}]}]")
    assert case.passages[0].quotes == ("receipt", "the receipt")


def test_one_is_a_grade_of_the_scale() -> None:
    (found,) = mistakes("scale: [2, 5]\ncases: [{query: a, passages: [some words]}]")
    assert "a passage without a grade has grade 1" in found


@pytest.mark.parametrize(
    ("quotes", "message"),
    [
        ("old terms", '1:38: exclude_passages: expected a list of quotes, found the text "old terms"'),
        ("[]", (
            "1:38: exclude_passages: the list of quotes is empty; write a quote, or "
            "take the list out"
        )),
        ("[14]", '1:39: exclude_passages[0]: a quote is text, found 14; put it in quotation marks, "14"'),
        ("[a b, a b]", '1:44: exclude_passages[1]: "a b" stands twice; keep one of them'),
    ],
)  # fmt: skip
def test_an_excluded_passage_that_is_wrong(quotes: str, message: str) -> None:
    found = mistakes(f"cases: [{{query: a, exclude_passages: {quotes}}}]")
    assert [line[: len(message)] for line in found] == [message]


@pytest.mark.parametrize("key", ["judgments: {x: 1}", "relevant: [x]", "judgments: {}"])
def test_a_case_has_passages_or_judged_documents(key: str) -> None:
    (found,) = mistakes(f"cases: [{{query: a, passages: [some words], {key}}}]")
    assert "1:20: a case has passages or" in found


def test_a_file_has_passages_or_judged_documents() -> None:
    found = mistakes(
        """
        cases:
          - {query: a, passages: [some words]}
          - {query: b, judgments: {}}
          - {query: c, judgments: {x: 1}}
          - {query: d, judgments: {x: 1}}
        """
    )
    assert found == [
        '5:5: the case has judged documents, and the case "a" of the same file has '
        'passages; split the file in two (in case "c")'
    ]


@pytest.mark.parametrize(
    "metric",
    ["AP", "Rprec", "Bpref", "infAP", "Judged@3", "ERR", "RBP", "gRBP", "Rcap@3"],
)
def test_measures_without_a_meaning_for_passages(metric: str) -> None:
    suite = mistakes(
        f"""
        expect: {{{metric}: 0.1}}
        gates: [{{mean: {{{metric}: 0.1}}}}]
        cases: [{{query: a, passages: [some words]}}]
        """
    )
    name = metric.partition("@")[0]
    message = (
        f"{name} has no meaning with passages; it may be nDCG, DCG, CG, P, R, RR, "
        "Success, All or characters"
    )
    assert suite == [
        f"2:10: expect: {message}",
        f"3:16: gates[0].mean: {message}",
    ]
    case = mistakes(
        f"cases: [{{query: a, passages: [some words], expect: {{{metric}: 0.1}}}}]"
    )
    assert case == [f'1:53: expect: {message} (in case "a")']


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("min_judged: 0.5", "with passages no result is unjudged; take min_judged out"),
        ("unjudged: skip", "with passages no result is unjudged; take unjudged out"),
        ("ideal: max", "with passages the ideal ranking has all passages, one a rank; take ideal out"),
        ("ideal: returned", "with passages the ideal ranking has all passages, one a rank; take ideal out"),
    ],
)  # fmt: skip
def test_settings_without_a_meaning_for_passages(key: str, message: str) -> None:
    suite = mistakes(f"{key}\ncases: [{{query: a, passages: [some words]}}]")
    assert suite == [f"1:1: {message}"]
    case = mistakes(f"cases: [{{query: a, passages: [some words], {key}}}]")
    assert case == [f'1:44: {message} (in case "a")']


def test_a_gain_that_a_passage_lacks_is_reported_there() -> None:
    (found,) = mistakes("gain: {1: 1}\ncases: [{query: a, passages: {some words: 2}}]")
    assert found.startswith('2:43: passages["some words"]: ')


def test_an_excluded_quote_that_is_in_a_passage() -> None:
    (found,) = mistakes(
        "cases: [{query: a, passages: [within 30 days], exclude_passages: [30 days]}]"
    )
    assert found == (
        '1:67: exclude_passages[0]: "30 days" is in the passage "within 30 days" too, so '
        'both cannot be met; quote more words (in case "a")'
    )


def test_short_quotes_and_many_passages_are_warned_of() -> None:
    suite = read(
        """
        k: 1
        cases:
          - {query: a, passages: [thirty days, other words here], exclude_passages: [5 GB]}
          - {query: b, passages: [within 30 days]}
        """
    )
    assert suite.warnings == (
        '2 quotes have under 12 letters, and texts may hold them by chance: "thirty '
        'days" (line 4) and "5 GB" (line 4); quote more words',
        '1 case has more passages than results that count: "a" (line 4) has 2, and k is '
        "1; raise k, or keep the passages that the answer needs",
    )


@pytest.mark.parametrize("key", ["passages", "exclude_passages"])
def test_passages_are_no_expectation(key: str) -> None:
    (found,) = mistakes(f"cases: [{{query: a, expect: {{{key}: [some words]}}}}]")
    assert found == (
        f'1:29: expect: "{key}" is a key of a case; write it beside query, not under '
        'expect (in case "a")'
    )


def test_characters_have_the_most_that_is_allowed() -> None:
    """Of characters a lower number is better: a bound is the most."""
    for bound in ("12000", "<= 12000"):
        text = f"cases: [{{query: a, passages: [within 30 days], expect: {{characters@5: {bound!r}}}}}]"
        (expected,) = read_case(text.replace("'12000'", "12000")).expect
        assert (expected.comparison, expected.bound) == ("<=", 12000)
    text = "gates: [{mean: {characters@5: '<= 12000'}}]\ncases: [{query: a, passages: [within 30 days]}]"
    (gate,) = read(text).terms.gates
    assert gate.bounds[0][1] == 12000


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("expect: {characters@5: '>= 100'}", "expected the most that is allowed, a number"),
        ("gates: [{mean: {characters@5: '< 100'}}]", "expected a comparison with <=, found"),
        ("gates: [{max_drop: {characters@5: 100}}]", "a lower characters@5 is better; bound its mean"),
    ],
)  # fmt: skip
def test_a_bound_of_characters_in_the_wrong_direction(keys: str, says: str) -> None:
    (found,) = mistakes(f"{keys}\ncases: [{{query: a, passages: [within 30 days]}}]")
    assert says in found


def test_a_text_field_without_passages_is_warned_of() -> None:
    suite = read("text_field: body\ncases: [{query: a, judgments: {x: 1}}]")
    assert suite.warnings == (
        "text_field has no effect: no case has passages or excludes some",
    )
