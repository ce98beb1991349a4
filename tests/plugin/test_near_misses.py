"""Ids and values that are nearly those which were wanted, in whole runs."""

import unicodedata

from tests.plugin.conftest import Project


def test_ids_that_look_alike(project: Project) -> None:
    decomposed = unicodedata.normalize("NFD", "café.md")
    project.search(f"return lambda query: [{decomposed!r}, 'faq.md']")
    project.cases(
        "min_ndcg: 0.5\ncases:\n"
        "  - {query: coffee, judgments: {café.md: 3, faq.md: 0}}\n"
        "  - {query: questions, judgments: {FAQ.md: 3, café.md: 0}}\n"
    )
    run = project.run()
    assert (
        'ids that differ in Unicode form (NFC and NFD) only: judged "caf\\xe9.md", returned "cafe\\u0301.md" at rank 1'
        in run.told("coffee")
    )
    assert (
        'ids that differ in case only: judged "FAQ.md", returned "faq.md" at rank 2'
        in run.told("questions")
    )


def test_the_sentence_about_ids_of_another_kind_names_a_pair(project: Project) -> None:
    project.search("return lambda query: ['x', f'products/{query[1:]}']")
    queries = ", ".join(f"{{query: q{n}, judgments: {{{n}: 3}}}}" for n in range(3))
    project.cases(f"{{min_ndcg: 0.5, cases: [{queries}]}}")
    (sentence,) = project.run().sentences("search returned no judged document")
    assert (
        'returned "products/0", judged "0", which differ in the beginning "products/" only; if not, name the id'
        in sentence
    )


def test_a_field_in_another_case(project: Project) -> None:
    project.search(
        "return lambda query, k: [{'id': n, 'supplier': 'Lenovo'} for n in range(k)]"
    )
    project.cases("cases: [{query: laptop, expect: {every: {supplier: lenovo}}}]")
    assert (
        'every: 10 of the first 10 results do not have supplier "lenovo": supplier = "Lenovo" differs in case only'
        in project.run().told("laptop")
    )


def test_the_hint_on_kinds_of_ids_beside_a_baseline(project: Project) -> None:
    project.cases("cases: [{query: boots, min_ndcg: 0.5, judgments: {sku-1: 3}}]")
    project.search("return lambda query: ['sku-1']")
    assert project.run("--relevance-update").counts == {"passed": 1}
    project.search("return lambda query: ['p-7']")
    assert "no result is judged; are these the same kind of id?" in project.run().told(
        "boots"
    )
