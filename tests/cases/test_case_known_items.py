"""Known items: the titles of a catalogue as queries, and what they demand."""

import json

import pytest

from tests.cases.conftest import Shop

SUITE = "known_items: {file: catalogue.csv, query: title, document: id}\n"
ROWS = "id,title\nsku-1,Red shoe\nsku-2,Blue hat\nsku-3,Green sock\n"


@pytest.fixture
def catalogue(shop: Shop) -> Shop:
    """A catalogue of three products."""
    shop.write("catalogue.csv", ROWS)
    return shop


def test_each_title_is_a_case(catalogue: Shop) -> None:
    suite = catalogue.read(SUITE)
    shoe, hat, _ = suite.cases
    assert (shoe.id, shoe.query) == ("Red shoe", "Red shoe")
    assert shoe.judgments == {"sku-1": 1}
    assert (hat.source, hat.line) == ("catalogue.csv", 3)
    assert all(case.is_known_item for case in suite.cases)
    assert [expected.written for expected in shoe.expect] == ["Success@3"]
    assert suite.files == (str(catalogue.folder / "catalogue.csv"),)


def test_rows_with_one_title_are_one_case(catalogue: Shop) -> None:
    """Case and white space make no difference, and neither does the order of rows."""
    catalogue.write("catalogue.csv", ROWS + "sku-4, BLUE  hat \nsku-5,Blue hat\n")
    cases = catalogue.cases(SUITE)
    assert list(cases) == ["Red shoe", "BLUE  hat", "Green sock"]
    assert [*cases["BLUE  hat"].judgments] == ["sku-2", "sku-4", "sku-5"]


def test_a_title_keeps_characters_that_are_operators(catalogue: Shop) -> None:
    catalogue.write("catalogue.csv", 'id,title\n1,"17"" -screen: A AND B [new]"\n')
    (case,) = catalogue.read(SUITE).cases
    assert case.query == '17" -screen: A AND B [new]'


def test_json_lines_nested_columns_and_templates(catalogue: Shop) -> None:
    product = {"shop": "a", "sku": 7, "names": {"en": "Lamp"}}
    catalogue.write("catalogue.jsonl", json.dumps(product))
    (case,) = catalogue.read(
        "known_items:\n"
        "  {file: catalogue.jsonl, query: names.en, document: '{shop}/{sku}'}"
    ).cases
    assert (case.query, [*case.judgments]) == ("Lamp", ["a/7"])


def test_rows_that_are_no_known_items_are_left_out_and_counted(
    catalogue: Shop,
) -> None:
    rows = "".join(f"case-{number},Phone case\n" for number in range(11))
    catalogue.write("catalogue.csv", ROWS + "sku-4,\nsku-5,  \n" + rows)
    suite = catalogue.read(SUITE)
    assert len(suite.cases) == 3
    assert suite.known_items is not None
    assert suite.known_items.words == (
        "left out of the known items, of 16 rows: 2 rows without a title; "
        '11 rows with a title that more than 10 rows share ("Phone case")'
    )


def test_ten_rows_may_share_a_title(catalogue: Shop) -> None:
    rows = "".join(f"case-{number},Phone case\n" for number in range(10))
    catalogue.write("catalogue.csv", ROWS + rows)
    assert len(catalogue.cases(SUITE)["Phone case"].judgments) == 10


# A sample

SAMPLED = SUITE.replace("id}", "id, sample: {n: 2, seed: 7}}")


def test_a_sample_is_drawn_from_the_titles(catalogue: Shop) -> None:
    suite = catalogue.read(SAMPLED)
    assert len(suite.cases) == 2
    assert all(case.is_sampled and case.weight == 1 for case in suite.cases)
    (sample,) = suite.samples
    assert (sample.drawn, sample.total) == (2, 3)
    drawn = {case.query for case in suite.cases}
    assert {*suite.not_drawn} == {"Red shoe", "Blue hat", "Green sock"} - drawn


def test_a_sample_is_the_same_whatever_the_order_of_rows_is(catalogue: Shop) -> None:
    drawn = set(catalogue.cases(SAMPLED))
    header, *rows = ROWS.splitlines()
    catalogue.write("catalogue.csv", "\n".join([header, *reversed(rows), "sku-9,"]))
    assert set(catalogue.cases(SAMPLED)) == drawn


def test_a_written_case_is_a_known_item_that_was_not_drawn(catalogue: Shop) -> None:
    (not_drawn,) = catalogue.read(SAMPLED).not_drawn
    suite = catalogue.read(f"{SAMPLED}cases: [{{query: {not_drawn}, xfail: known}}]\n")
    assert len(suite.cases) == 3
    assert all(case.is_known_item for case in suite.cases)
    assert not suite.not_drawn


@pytest.mark.parametrize("option", ["by", "per"])
def test_known_items_are_equally_likely(catalogue: Shop, option: str) -> None:
    (mistake,) = catalogue.mistakes(SAMPLED.replace("seed: 7", f"{option}: title"))
    assert mistake.endswith(
        "known_items.sample: known items are drawn by n and seed alone; take by and per "
        "out"
    )


# Beside other cases


def test_a_written_case_without_judgments_stands_for_its_known_item(
    catalogue: Shop,
) -> None:
    cases = catalogue.cases(SUITE + "cases: [{query: Blue hat, xfail: not yet}]\n")
    assert list(cases) == ["Blue hat", "Red shoe", "Green sock"]
    hat = cases["Blue hat"]
    assert hat.is_known_item
    assert hat.judgments == {"sku-2": 1}
    assert hat.xfail is not None


def test_a_judged_case_with_a_title_as_its_query_stays_a_judged_case(
    catalogue: Shop,
) -> None:
    suite = catalogue.read(SUITE + "cases: [{query: Blue hat, relevant: [sku-9]}]\n")
    hat, *others = suite.cases
    assert not hat.is_known_item
    assert [case.query for case in others] == ["Red shoe", "Green sock"]
    assert suite.known_items is not None
    assert suite.known_items.words == (
        "left out of the known items, of 3 rows: "
        '1 title that other cases search for ("Blue hat")'
    )


def test_judgment_files_judge_the_other_cases(catalogue: Shop) -> None:
    catalogue.write("judged.csv", "query,document,grade\nhats,sku-2,3\n")
    cases = catalogue.cases(
        SUITE + "queries: judged.csv\njudgments: judged.csv\nmin_ndcg: 0.5\n"
    )
    assert [case.is_known_item for case in cases.values()] == [False, True, True, True]
    assert cases["hats"].min_ndcg == 0.5
    assert cases["Red shoe"].min_ndcg is None
    assert (cases["hats"].terms.highest, cases["Red shoe"].judgments) == (
        3,
        {"sku-1": 1},
    )


# What a known item demands


def test_metrics_of_the_suite_that_need_other_judgments_do_not_apply(
    catalogue: Shop,
) -> None:
    judged = "cases: [{query: hats, relevant: [sku-2]}]\n"
    cases = catalogue.cases(
        SUITE + "min_judged: 0.5\nexpect: {P@5: 0.1, latency: < 1 s}\n" + judged
    )
    shoe = cases["Red shoe"]
    assert [expected.name for expected in shoe.expect] == ["latency", "Success@3"]
    assert (shoe.not_applicable, shoe.min_judged) == ((), 0)
    assert cases["hats"].min_judged == 0.5


@pytest.mark.parametrize("metric", ["Success@1", "RR", "R@5", "All@3"])
def test_a_metric_of_the_suite_that_applies_replaces_success_at_3(
    catalogue: Shop, metric: str
) -> None:
    shoe, *_ = catalogue.read(SUITE + f"expect: {{{metric}: 1}}\n").cases
    assert [expected.name for expected in shoe.expect] == [metric]


def test_settings_of_the_suite_do_not_hide_that_an_item_is_not_first(
    catalogue: Shop,
) -> None:
    """Without its unjudged results, the only judged document would always be first."""
    shoe, *_ = catalogue.read(SUITE + "unjudged: skip\nscale: [0, 3]\n").cases
    assert (shoe.settings.unjudged, shoe.terms.scale) == ("zero", None)


@pytest.mark.parametrize("floor", ["min_ndcg: 0.5", "expect: {P@5: 0.1}"])
def test_a_floor_that_applies_to_no_case_is_a_mistake(
    catalogue: Shop, floor: str
) -> None:
    (mistake,) = catalogue.mistakes(f"{SUITE}{floor}\n")
    assert mistake.startswith("shop.yaml:2:")
    assert mistake.endswith(
        "the floor applies to no case. Known items have no such floor, because "
        "their other results are not judged. Take the floor out, or write expect: "
        "{Success@3: 1}"
    )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("min_ndcg: 0.5", "min_ndcg: the case is a known item, of which other results"),
        ("expect: {P@5: 0.2}", "expect.P@5: P@5 needs judgments of other results"),
    ],
)
def test_a_case_that_is_a_known_item_cannot_demand_judgments_of_other_results(
    catalogue: Shop, key: str, said: str
) -> None:
    (mistake,) = catalogue.mistakes(f"{SUITE}cases: [{{query: Red shoe, {key}}}]\n")
    assert said in mistake


# Mistakes


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "{file: catalogue.csv, query: titel, document: id}",
            'catalogue.csv:1: there is no column "titel"; the columns are "id" and '
            '"title"; did you mean "title"?',
        ),
        (
            "{file: catalogue.csv, query: title, document: sku}",
            'catalogue.csv:1: there is no column "sku"; the columns are "id" and "title"',
        ),
        (
            "{file: no.csv, query: title, document: id}",
            "known_items.file: there is no file no.csv; paths are relative to the case file",
        ),
        (
            "{file: catalogue.csv}",
            "known_items: query and document missing; write {file: catalogue.csv, query: "
            "title, document: id}",
        ),
        (
            "catalogue.csv",
            "known_items: query and document missing; write {file: catalogue.csv, query: "
            "title, document: id}",
        ),
        (
            "{file: catalogue.csv, query: title, documents: id}",
            'known_items: unknown key "documents"',
        ),
    ],
)
def test_mistakes_name_what_is_wrong(catalogue: Shop, written: str, said: str) -> None:
    found = catalogue.mistakes(f"known_items: {written}\n")
    assert any(said in mistake for mistake in found), found


def test_a_title_is_text_and_its_row_has_an_id(catalogue: Shop) -> None:
    lines = ['{"id": 1, "title": ["a"]}', '{"title": "Lamp"}', '{"id": 3}']
    catalogue.write("catalogue.jsonl", "\n".join(lines))
    assert catalogue.mistakes(SUITE.replace(".csv", ".jsonl")) == [
        "catalogue.jsonl:1: found the list ['a'] as the \"title\"; a title is text",
        "catalogue.jsonl:2: the row has a title and no id; an id is text or an integer",
    ]
