"""Expectations on fields in a run: where fields are looked up, what a missing or an
empty one does, reports, and the baseline.

What an expectation makes of values is in `tests/expectations/test_fields.py`.
"""

import json

import pytest

from tests.plugin.conftest import Command, Project
from tests.plugin.shop import BASELINE, UPDATE

SEARCH = """
    import pytest

    PRODUCTS = {
        "p1": {"id": "p1", "title": "Phone 1", "category": "phones"},
        "p2": {"id": "p2", "category": "phones"},
        "c1": {"id": "c1", "title": "A case", "category": "cases"},
    }

    @pytest.fixture(scope="session")
    def search():
        def search(query, k):
            return [PRODUCTS.get(name, name) for name in query.split()][:k]
        return search
"""
DOCUMENTS = """
    @pytest.fixture(scope="session")
    def relevance_documents():
        {kind} documents(ids):
            print("<asked for", *ids, ">")
            return {{name: {{"price": 5, "title": name.upper()}} for name in ids if name != "c1"}}
        return documents
"""


def suite(expect: str, *cases: str) -> str:
    """A suite with these expectations, and a case for each query with its keys."""
    lines = [f"  - {{query: {case}}}\n" for case in cases]
    return f"expect: {{{expect}}}\ncases:\n{''.join(lines)}"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH)
    return project


# --- where fields come from -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.usefixtures("with_and_without_loops")
def test_a_field_that_the_search_lacks_comes_from_relevance_documents(
    shop: Project, kind: str
) -> None:
    shop.conftest(SEARCH + DOCUMENTS.format(kind=kind))
    fields = "every: {price: 5}, some: {category: phones, title: [Phone 1, P2]}"
    shop.cases(suite(fields, "p1 p2", "p2 x"))
    run = shop.run("-s")
    assert run.outcomes == {"p1 p2": "passed", "p2 x": "failed"}
    failure = run.told("p2 x")
    lacks = 'document "x" at rank 2 has no field "category": the result has no fields; '
    assert lacks in failure
    assert "relevance_documents has price and title" in failure
    assert run.text.count("x >") == 1
    # each is asked for once
    assert run.text.count("p2 >") + run.text.count("p2 x >") == 1


@pytest.mark.parametrize("options", [(), ("--relevance-concurrency=4",)], ids=str)
def test_a_search_that_is_a_coroutine_and_several_at_once(
    shop: Project, options: tuple[str, ...]
) -> None:
    search = SEARCH.replace("        def search", "        async def search")
    shop.conftest(search + DOCUMENTS.format(kind="async def"))
    shop.cases(suite("every@5: {price: 5}", "p1 p2", "p2 x1", "x2 p2", "c1"))
    run = shop.run(*options)
    assert [*run.outcomes.values()] == ["passed", "passed", "passed", "failed"]
    assert "relevance_documents does not have the document" in run.failure("c1")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("products.csv", "id,title,price,stock\np1,Phone 1,10,\np2,Phone 2,12.50,no\n"),
        ("products.jsonl", '{"id": "p1", "price": 10, "stock": null}\n{"id": "p2", "price": 12.5, "stock": "no"}'),
    ],
    ids=["csv", "jsonl"],
)  # fmt: skip
def test_a_field_that_nothing_else_has_comes_from_the_catalogue(
    shop: Project, name: str, text: str
) -> None:
    shop.write(name, text)
    stock = "expect: {every@1: {stock: no}}"
    no_stock = "expect: {some: {stock: no}}"
    cases = ["p1 p2", f"p2 p1, {stock}", f"p1, {no_stock}", "p1 c1"]
    fields = "every: {price: '<= 12.5', category: phones}"
    shop.cases(f"documents: {name}\n" + suite(fields, *cases))
    run = shop.run()
    assert [*run.outcomes.values()] == ["passed", "passed", "failed", "failed"]
    none = 'some: none of the first 1 results has stock "no": rank 1 "p1" (Phone 1): stock = null'
    assert none in run.told("p1")
    assert f"{name} does not have the document" in run.failure("p1 c1")


def test_a_hook_has_the_fields_that_results_lack(shop: Project) -> None:
    shop.conftest(f"""{SEARCH}
    from pytest_relevance.results.document_fields import FieldValues

    def pytest_relevance_fields(case_run, documents, names):
        prices = {{document: {{"price": 5}} for document in documents if document != "c1"}}
        return FieldValues(source="the warehouse", by_document=prices)
    """)
    shop.cases(suite("every: {price: 5}", "p1", "c1"))
    run = shop.run()
    assert run.outcomes == {"p1": "passed", "c1": "failed"}
    assert "the warehouse does not have the document" in run.told("c1")


def test_documents_that_wait_for_their_title_are_not_asked_for_again(
    shop: Project,
) -> None:
    shop.conftest(SEARCH + DOCUMENTS.format(kind="def"))
    shop.cases(suite("results: '>=1'", "p1 p2", "p2 p1, expect: {every: {price: 5}}"))
    run = shop.run("-s", "--relevance-record=run.jsonl")
    assert run.counts == {"passed": 2}
    assert run.text.count("<asked for") == 1
    first = shop.recorded().results[0]
    assert first.texts.shown == {"p1": {"price": "5"}, "p2": {"price": "5"}}


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_what_cannot_be_used_of_an_answer_for_fields_is_told_once(
    shop: Project, options: tuple[str, ...]
) -> None:
    documents = DOCUMENTS.format(kind="def").replace("name.upper()", "['a list']")
    shop.conftest(SEARCH + documents)
    shop.cases(suite("every: {price: 5}", "p1", "p2", "c1"))
    run = shop.run(*options)
    assert run.counts == {"passed": 2, "failed": 1}
    (said,) = run.sentences("relevance_documents: it returned ")
    assert "whose title is not text" in said


def test_an_index_that_failed_for_a_title_is_asked_for_fields_again(
    shop: Project,
) -> None:
    documents = DOCUMENTS.format(kind="def")
    fails_once = documents.replace("return {", "return 1 / ('gone' not in ids) and {")
    shop.conftest(SEARCH + fails_once)
    shop.cases(
        suite(
            "include: [p1]",
            "p2, expect: {include: [gone]}",
            "p1, expect: {every: {price: 5}}",
        )
    )
    run = shop.run()
    assert [*run.outcomes.values()] == ["failed", "passed"]
    assert "documents have no titles from relevance_documents" in run.summary


def test_a_fixture_that_fails_makes_a_case_that_needs_fields_an_error(
    shop: Project,
) -> None:
    documents = DOCUMENTS.format(kind="def")
    shop.conftest(SEARCH + documents.replace("return doc", "pytest.skip('off') or doc"))
    shop.cases(suite("results: '>=1'", "p1", "p2, expect: {every: {price: 5}}"))
    run = shop.run()
    assert run.results["p1"].status == "passed"
    assert run.results["p2"].status == "error"
    why = "cannot be looked up in relevance_documents: the fixture raised Skipped: off"
    assert why in run.failure("p2")


def test_sources_that_cannot_be_asked(shop: Project) -> None:
    documents = DOCUMENTS.format(kind="def")
    raises = documents.replace("return {", "raise OSError('no index') or {")
    shop.conftest(SEARCH + raises)
    shop.cases("documents: no.csv\n" + suite("none: {price: 5}", "p1"))
    shop.write("no.csv", "sku\np1\n")
    why = "cannot be looked up in relevance_documents: it raised OSError: no index"
    assert why in shop.run().failure("p1")
    shop.conftest(SEARCH + documents.replace("documents(ids)", "documents()"))
    why = "relevance_documents: it cannot be called with a list of ids: "
    assert why in shop.run().told("p1")
    shop.conftest(SEARCH)
    why = 'cannot be looked up in the catalogue: no.csv:1: there is no column "id"'
    assert why in shop.run().told("p1")


def test_checks_of_a_test_in_python(shop: Project) -> None:
    shop.conftest(SEARCH + DOCUMENTS.format(kind="def"))
    shop.test(
        'found = [{"id": "p1", "category": "phones"}, {"id": "c1", "category": "cases"}]',
        'check = lambda ranking, **keys: relevance.check("phone", ranking, **keys)',
        'check(found, expect={"some@2": {"category": "phones"}}, every={"id": ["p1", "c1"]})',
        'check(found[:1], expect={"every": {"price": 5}})',
        'with pytest.raises(pytest.fail.Exception, match="category = .cases"):',
        '    check(found, expect={"every@5": {"category": "phones"}})',
        'with pytest.raises(pytest.fail.Exception, match="has no field .price."):',
        '    check(found, none={"price": 5})',
        'with pytest.raises(ValueError, match="expect.every.price: expected a comparison"):',
        '    check(found, every={"price": ">= cheap"})',
    )
    assert shop.run("test_shop.py").counts == {"passed": 1}


# --- the baseline ---------------------------------------------------------------------


def standing(shop: Project) -> str:
    """How the one case stands to what was accepted."""
    (result,) = shop.run().results.values()
    assert result.baseline is not None
    if result.baseline.newly_failing:
        return "newly failing"
    return "failed before" if result.baseline.failed_before else "not known"


def test_what_an_accepted_ranking_missed_is_kept(shop: Project) -> None:
    def now(found: str) -> None:
        shop.conftest(SEARCH.replace("query.split()", f"{found!r}.split()"))

    phones = suite("every@3: {category: phones}, at_most@2: {id: 1}", "q")
    toys = phones.replace("phones", "toys")
    shop.cases(phones)
    now("p1 p2")
    assert shop.run(UPDATE).code == 0
    now("c1 p2")
    assert standing(shop) == "newly failing"
    # what is expected of the fields has changed: nobody knows what the accepted ranking
    # would meet
    shop.cases(toys)
    assert standing(shop) == "not known"
    shop.run(UPDATE)
    assert standing(shop) == "failed before"
    now("p2 c1")
    assert standing(shop) == "failed before"
    now("p1 c1")
    assert standing(shop) == "not known"
    # an entry of an earlier version, without outcomes
    baseline = shop.path / BASELINE
    header, entry, *rest = baseline.read_text(encoding="utf-8").splitlines()
    values = json.loads(entry)
    assert values.pop("outcomes")
    lines = [header, json.dumps(values), *rest, ""]
    baseline.write_text("\n".join(lines), encoding="utf-8")
    now("c1 p2")
    assert standing(shop) == "not known"


# --- fields that are empty in every result --------------------------------------------

NO_VALUES = """
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
TOLD = (
    'search returned no value in the field "price": null, NaN or empty in every result that an expectation looks at '
    "(2 cases). Such results always meet none and at_most. Is it the right name, and does the index fill it?"
)


@pytest.fixture
def empty(project: Project) -> Project:
    project.conftest(NO_VALUES)
    fields = 'none@2: {price: "> 50"}, at_most@2: {stock: 1}'
    project.cases(suite(fields, "boots", "shoes"))
    return project


def test_a_green_run_says_that_a_field_is_empty(
    empty: Project, command: Command
) -> None:
    found = empty.reports()
    assert found.run.code == 0
    assert found.run.sentences("search returned no value") == [TOLD]
    assert found.all_say(TOLD)
    for name in ("report", "merge"):
        assert TOLD in command(name, "run.jsonl").out
    assert '"no value"' in command("report", "run.jsonl", "--format=json").out
    assert empty.run("-q").sentences("search returned no value") == [TOLD]


# --- a real shop ----------------------------------------------------------------------
