"""Expectations on fields in a run: where fields are looked up, what a missing one does,
reports, and the baseline.
"""

import json

import pytest

from pytest_relevance import Run
from tests.chorus import needs_chorus, write_suite
from tests.plugin.conftest import Accepted, Project

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
ACCEPT = "--relevance-update"


def cases(*lines: str, suite: str = "k: 10") -> str:
    return "\n".join([suite, "cases:", *(f"  - {{query: {line}}}" for line in lines)])


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH)
    return project


def test_what_does_not_match_is_in_every_report(shop: Project) -> None:
    shop.cases(
        cases(
            "p1 p2, expect: {none: {category: cases}}",
            "p1 c1",
            suite="expect: {every@5: {category: phones}}",
        )
    )
    outputs = (
        "--relevance-record=run.jsonl",
        "--relevance-html=run.html",
        "--relevance-markdown=run.md",
    )
    elements = shop.junit(*outputs)
    said = 'rank 2 "c1" (A case): category = "cases"'
    failure = elements["p1 c1"].find("failure")
    assert failure is not None
    assert said in " ".join(f"{failure.text}".split())
    assert said in " ".join(
        shop.path.joinpath("run.md").read_text(encoding="utf-8").split()
    )
    assert said.replace('"', r"\"") in shop.path.joinpath("run.html").read_text(
        encoding="utf-8"
    )
    results = {
        result.id: result for result in Run.open(shop.path / "run.jsonl").results
    }
    (outcome,) = results["p1 c1"].evaluation.outcomes
    assert outcome.wrong == ("c1",)
    assert outcome.values == ((2, {"category": "cases"}),)
    run = shop.run()
    assert run.counts == {"passed": 1, "failed": 1}
    assert said in run.told("p1 c1")


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.usefixtures("with_and_without_loops")
def test_a_field_that_the_search_lacks_comes_from_relevance_documents(
    shop: Project, kind: str
) -> None:
    shop.conftest(SEARCH + DOCUMENTS.format(kind=kind))
    shop.cases(
        cases(
            "p1 p2",
            "p2 x",
            suite="expect: {every: {price: 5}, some: {category: phones, title: [Phone 1, P2]}}",
        )
    )
    run = shop.run("-s", "--relevance-record=run.jsonl")
    assert run.outcomes == {"p1 p2": "passed", "p2 x": "error"} | {"p2 x": "failed"}
    failure = run.told("p2 x")
    assert (
        'document "x" at rank 2 has no field "category": the result has no fields; '
        in failure
    )
    assert "relevance_documents has price and title" in failure
    assert [
        line for line in run.text.splitlines() if "<asked" in line and " x " in line
    ] != []
    assert (
        run.text.count("p2 >") + run.text.count("p2 x >") == 1
    )  # each is asked for once


def test_a_search_that_is_a_coroutine_and_several_at_once(shop: Project) -> None:
    shop.conftest(
        SEARCH.replace("        def search", "        async def search")
        + DOCUMENTS.format(kind="async def")
    )
    shop.cases(
        cases("p1 p2", "p2 x1", "x2 p2", "c1", suite="expect: {every@5: {price: 5}}")
    )
    for options in ((), ("--relevance-concurrency=4",)):
        run = shop.run(*options)
        assert [*run.outcomes.values()] == ["passed", "passed", "passed", "failed"]
        assert "relevance_documents does not have the document" in run.failure("c1")


CATALOGUES = {
    "products.csv": "id,title,price,stock\np1,Phone 1,10,\np2,Phone 2,12.50,no\n",
    "products.jsonl": '{"id": "p1", "price": 10, "stock": null}\n{"id": "p2", "price": 12.5, "stock": "no"}\n',
}


@pytest.mark.parametrize(
    ("name", "workers"), [("products.csv", ()), ("products.jsonl", ("-n1",))]
)
def test_a_field_that_nothing_else_has_comes_from_the_catalogue(
    shop: Project, name: str, workers: tuple[str, ...]
) -> None:
    shop.write(name, CATALOGUES[name])
    suite = (
        f"documents: {name}\nexpect: {{every: {{price: '<= 12.5', category: phones}}}}"
    )
    shop.cases(
        cases(
            "p1 p2",
            "p2 p1, expect: {every@1: {stock: no}}",
            "p1, expect: {some: {stock: no}}",
            "p1 c1",
            suite=suite,
        )
    )
    run = shop.run(*workers)
    assert run.outcomes == {
        "p1 p2": "passed",
        "p2 p1": "passed",
        "p1": "failed",
        "p1 c1": "failed",
    }
    assert (
        'some: none of the first 1 results has stock "no": rank 1 "p1" (Phone 1): stock = null'
        in " ".join(run.failure("p1").split())
    )
    assert f"{name} does not have the document" in run.failure("p1 c1")


def test_sources_that_cannot_be_asked(shop: Project) -> None:
    shop.conftest(
        SEARCH
        + DOCUMENTS.format(kind="def").replace(
            "return {", "raise OSError('no index') or {"
        )
    )
    shop.cases(cases("p1", suite="documents: no.csv\nexpect: {none: {price: 5}}"))
    shop.write("no.csv", "sku\np1\n")
    assert (
        "cannot be looked up in relevance_documents: it raised OSError: no index"
        in shop.run().failure("p1")
    )
    shop.conftest(SEARCH)
    run = shop.run()
    assert run.counts["failed"] == 1
    assert (
        'cannot be looked up in the catalogue: no.csv:1: there is no column "id"'
        in " ".join(run.failure("p1").split())
    )


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


def standing(shop: Project, line: str) -> str:
    """How the one case stands to what was accepted."""
    shop.cases(cases(line))
    (result,) = shop.run().results.values()
    assert result.baseline is not None
    if result.baseline.newly_failing:
        return "newly failing"
    return "failed before" if result.baseline.failed_before else "not known"


def test_what_an_accepted_ranking_missed_is_kept(shop: Project) -> None:
    conftest = SEARCH.replace("query.split()", "(pytest.NOW or query).split()")
    shop.conftest(conftest + "\n    pytest.NOW = 'p1 p2'\n")
    line = "q, id: a, expect: {every@3: {category: phones}, at_most@2: {id: 1}}"
    shop.cases(cases(line))
    assert shop.run(ACCEPT).code == 0
    baseline = next(shop.path.glob("*.baseline.jsonl"))
    assert Accepted(baseline).rankings == {("a", None): ("p1", "p2")}
    shop.conftest(conftest + "\n    pytest.NOW = 'c1 p2'\n")
    assert standing(shop, line) == "newly failing"
    # what is expected of the fields has changed: nobody knows what the accepted ranking
    # would meet
    assert standing(shop, line.replace("phones", "toys")) == "not known"
    assert shop.run(ACCEPT).code == 1
    assert standing(shop, line.replace("phones", "toys")) == "failed before"
    shop.conftest(conftest + "\n    pytest.NOW = 'p2 c1'\n")
    assert standing(shop, line.replace("phones", "toys")) == "failed before"
    shop.conftest(conftest + "\n    pytest.NOW = 'p1 c1'\n")
    assert standing(shop, line.replace("phones", "toys")) == "not known"
    kept = baseline.read_text(encoding="utf-8")
    assert '"outcomes"' in kept
    (entry,) = [json.loads(text) for text in kept.splitlines() if '"outcomes"' in text]
    del entry["outcomes"]
    rest = [text for text in kept.splitlines() if '"outcomes"' not in text]
    baseline.write_text(
        "\n".join([rest[0], json.dumps(entry), *rest[1:], ""]), encoding="utf-8"
    )
    shop.conftest(conftest + "\n    pytest.NOW = 'c1 p2'\n")
    assert standing(shop, line.replace("phones", "toys")) == "not known"


# --- a real shop ----------------------------------------------------------------------

SUITE = """
documents: ../../data/chorus/products.jsonl.gz
cases:
  - {query: bluetooth speaker, expect: {every@10: {title: {contains: speaker}}}}
  - {query: notebook, expect: {every: {supplier: [HP]}}}
  - {query: backpack, expect: {every: {short_description: {contains: backpack}, title: {contains: backpack}}}}
  - {query: books, expect: {some: {title: {contains: book}}}}
  - {query: camera, expect: {at_most@10: {supplier: 3}}}
  - {query: extension cords, expect: {none@10: {supplier: Newstar}}}
"""


@needs_chorus
def test_a_real_shop_fails_for_its_worse_ranker_without_a_judgment(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(project.path, cases=False)
    project.cases(SUITE, "acceptance/chorus/fields.relevance.yaml")
    monkeypatch.setenv("RANKER", "any")
    assert {*project.run().outcomes.values()} == {"passed"}
    monkeypatch.setenv("RANKER", "title")
    run = project.run("-v")
    assert run.counts == {"failed": 6}
    assert "some: nothing was returned" in run.failure("books")
    assert 'supplier = "Canon"' in run.failure("camera")


FIELD_HOOKS = """
    from pytest_relevance.results.document_fields import FieldValues

    def pytest_relevance_fields(case_run, documents, names):
        prices = {document: {"price": 5} for document in documents if document != "c1"}
        return FieldValues(source="the warehouse", by_document=prices)
"""


def test_a_hook_has_the_fields_that_results_lack(shop: Project) -> None:
    shop.conftest(SEARCH + FIELD_HOOKS)
    shop.cases(cases("p1", "c1", suite="expect: {every: {price: 5}}"))
    run = shop.run()
    assert run.outcomes == {"p1": "passed", "c1": "failed"}
    assert "the warehouse does not have the document" in run.told("c1")
