"""Fields that are empty in every result: `none` and `at_most` are met, and every report
says so.
"""

from collections.abc import Sequence

import pytest

from pytest_relevance.cli import main
from tests.helpers import page_text
from tests.plugin.conftest import Project

SEARCH = """
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            return [
                {"id": "a", "price": float("nan"), "brand": None, "stock": 3},
                {"id": "b", "price": None, "brand": "", "stock": None},
            ][:len(query)]
        return search
"""
CASES = """
    expect: {none@2: {price: "> 50"}, at_most@2: {stock: 1}}
    cases: [{query: boots}, {query: shoes}]
"""
TOLD = (
    'search returned no value in the field "price": null, NaN or empty in every result that an expectation looks at '
    "(2 cases). Such results always meet none and at_most. Is it the right name, and does the index fill it?"
)


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


@pytest.mark.parametrize("options", [(), ("-n2",), ("-q",)])
def test_a_green_run_says_that_a_field_is_empty(
    shop: Project, options: Sequence[str]
) -> None:
    run = shop.run(*options)
    assert run.code == 0
    assert run.sentences("search returned no value") == [TOLD]


def test_one_case_is_enough(shop: Project) -> None:
    run = shop.run("-k", "boots")
    assert run.sentences("search returned no value") == [
        TOLD.replace("2 cases", "1 case")
    ]


def test_every_report_says_it(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run(
        "--relevance-record=run.jsonl",
        "--relevance-markdown=run.md",
        "--relevance-html=run.html",
    )
    assert TOLD in (shop.path / "run.md").read_text(encoding="utf-8")
    assert TOLD in page_text((shop.path / "run.html").read_text(encoding="utf-8"))
    capsys.readouterr()
    record = str(shop.path / "run.jsonl")
    for command in (["report", record], ["merge", record]):
        assert main(command) == 0
        assert TOLD in " ".join(capsys.readouterr().out.split())
    assert main(["report", record, "--format=json"]) == 0
    assert '"no value"' in capsys.readouterr().out


def test_several_fields_are_one_sentence(shop: Project) -> None:
    shop.cases("cases: [{query: boots, expect: {none: {price: '> 50', brand: x}}}]")
    (sentence,) = shop.run().sentences("search returned no value")
    assert 'in the fields "price" and "brand": null' in sentence


def test_a_check_of_a_test_in_python(project: Project) -> None:
    ranking = '[{"id": "a", "price": None}]'
    project.test(
        f'relevance.check("q", {ranking}, expect={{"none": {{"price": "> 50"}}}})'
    )
    (sentence,) = project.run().sentences("relevance.check returned no value")
    assert 'in the field "price"' in sentence


def test_a_field_with_a_value_in_one_result_is_not_told(shop: Project) -> None:
    shop.cases("cases: [{query: boots, expect: {none: {stock: '> 50'}}}]")
    assert shop.run().sentences("search returned no value") == []
