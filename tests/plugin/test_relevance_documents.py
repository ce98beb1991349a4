"""The fixture `relevance_documents`: titles from the index, and judged documents that
the index does not have.

What is made of its answers is in `tests/ext/documents`.
"""

import re
from collections.abc import Mapping

import pytest

from pytest_relevance import CaseResult
from tests.plugin.conftest import Project, Run

CASES = """
    min_ndcg: 0.9
    cases:
      - {query: boots, judgments: {boots: 1, hiking: 3, lost: 2}}
      - {query: hat cap, judgments: {hat: 3, cap: 1}}
      - {query: sandals boots, judgments: {boots: 1, clogs: 3}}
"""
"""The first case and the last fail. The index of `DOCUMENTS` does not have the document
"lost".
"""

SEARCH = """
    import pytest

    @pytest.fixture(scope="session")
    def search():
        print("<search is set up>")
        yield str.split
        print("<search is torn down>")
"""

DOCUMENTS = f"""{SEARCH}
    @pytest.fixture(scope="session")
    def relevance_documents(search):
        print("<documents are set up>")
        def documents(ids):
            print("<asked for", *ids, ">")
            return {{each: {{"title": each.title() + "!", "brand": "Acme"}} for each in ids if each != "lost"}}
        yield documents
        print("<documents are torn down>")
"""

RECORD = "--relevance-record=run.jsonl"


def index(body: str) -> str:
    """A conftest.py whose fixture `relevance_documents` has a body of one line."""
    fixture = "@pytest.fixture(scope='session')\n    def relevance_documents()"
    return f"{SEARCH}\n    {fixture}:\n        {body}\n"


def events(run: Run) -> list[str]:
    """What the fixtures have printed, in their order, in a run with `-s`."""
    return re.findall(r"<([^>]*?) ?>", run.text)


def loss(run: Run, name: str, document: str) -> str:
    """The words behind a document in its line below "lost most by"."""
    rows = run.failure(name).partition("lost most by")[2].splitlines()
    (row,) = [row for row in rows if row.split()[:1] == [document]]
    return " ".join(row.split()[1:])


def titles(result: CaseResult) -> dict[str, str]:
    return dict(result.texts.titles)


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(DOCUMENTS)
    project.cases(CASES)
    return project


@pytest.mark.usefixtures("with_and_without_loops")
def test_a_failure_names_every_document_and_what_the_index_does_not_have(
    shop: Project,
) -> None:
    run = shop.run()
    assert run.counts == {"passed": 1, "failed": 2}
    assert ["1", "boots", "Boots!"] in [row[:3] for row in run.failure_rows("boots")]
    assert loss(run, "boots", "hiking").startswith("Hiking! grade 3 not returned")
    assert loss(run, "boots", "lost").startswith("grade 2 not in the index")
    assert loss(run, "sandals boots", "clogs").startswith("Clogs! grade 3 not returned")
    boots, sandals = run.results["boots"].texts, run.results["sandals boots"].texts
    assert boots.titles == {"boots": "Boots!", "hiking": "Hiking!"}
    acme = {"brand": "Acme"}
    assert boots.shown == {"boots": acme, "hiking": acme}
    assert (boots.not_in_index, sandals.not_in_index) == (("lost",), ())
    lost = (
        "1 judged or expected document of 1 case is not in the index: lost by the index"
    )
    assert lost in run.summary


def test_what_the_index_does_not_have_in_losses_and_in_expectations(
    shop: Project,
) -> None:
    shop.cases("""
        cases:
          - {query: boots, k: 1, min_ndcg: 0.9, judgments: {boots: 1, lost: 3, hiking: 3}}
          - {query: boots, id: expected, expect: {include: [lost, clogs], exclude: [boots]}}
    """)
    run = shop.run()
    assert "any 1 of 2 with grade 3" in run.failure("boots")
    assert "not in the index: lost" in run.failure("boots").splitlines()
    expected = run.told("expected")
    assert '"lost" (not in the index), "clogs" (Clogs!, not returned)' in expected
    assert 'exclude: in the top 10: "boots" (Boots!, at rank 1)' in expected
    shop.cases("cases: [{query: boots hat, judgments: {lost: 3}, min_ndcg: 0.5}]")
    # the judged ids are wrong, not those of the search
    assert 'judged: "lost" not in the index: "lost"' in shop.run().told("boots hat")


def test_results_with_texts_are_not_asked_for(shop: Project) -> None:
    """The ids of chunks are not those of documents."""
    shop.cases("""
        expect: {R@1: 1}
        cases: [{query: hat, passages: [within 30 days of delivery]}]
    """)
    shop.conftest(
        DOCUMENTS.replace(
            "yield str.split", 'yield lambda query: ["a text of a chunk"]'
        )
    )
    run = shop.run("-s")
    assert run.counts == {"failed": 1}
    assert not [event for event in events(run) if event.startswith("asked for")]


def test_each_document_is_asked_for_once(shop: Project) -> None:
    """And the fixture is set up at the first failure, and torn down before the search
    that it requests.
    """
    assert events(shop.run("-s")) == [
        "search is set up",
        "documents are set up",
        "asked for boots hiking lost",
        "asked for sandals clogs",
        "documents are torn down",
        "search is torn down",
    ]
    passes = shop.run("-s", "-k", "hat")
    assert events(passes) == ["search is set up", "search is torn down"]
    before, *_ = shop.run("-k", "sandals").text.partition("<asked for")
    assert "Captured stdout call" in before


def test_which_title_goes_before_others(shop: Project) -> None:
    found = "yield lambda query: [(query, 'of the search')]"
    shop.conftest(DOCUMENTS.replace("yield str.split", found))
    shop.write("products.csv", "id,title\nhiking,Hiking boots\n")
    judgments = "{hiking: {grade: 3, title: of the judgment}, lost: {grade: 3, title: Old clogs}}"
    case = f"cases: [{{query: boots, min_ndcg: 0.9, judgments: {judgments}}}]"
    shop.cases(case)
    of_index = {"boots": "Boots!", "hiking": "Hiking!", "lost": "Old clogs"}
    assert titles(shop.run().results["boots"]) == of_index
    shop.cases(f"documents: products.csv\n{case}")
    failure = shop.run().failure("boots")
    assert 'returned: "boots" "Boots!"' in failure
    assert '"hiking" "Hiking boots"' in failure


# --- where it runs --------------------------------------------------------------------

ASYNC = f"""{SEARCH}
    import asyncio

    class Client:
        loop = None

        async def get(self, query):
            await asyncio.sleep(0)
            self.loop = asyncio.get_running_loop()
            return query.split()

        async def titles(self, ids):
            await asyncio.sleep(0)
            assert asyncio.get_running_loop() is self.loop, "another loop"
            return {{each: each.title() for each in ids}}

    client = Client()

    @pytest.fixture
    def search():
        return client.get

    @pytest.fixture(scope="session")
    def relevance_documents():
        return client.titles
"""
ASYNC_FIXTURE = """
    import pytest_asyncio

    @pytest_asyncio.fixture(scope="session", loop_scope="session")
    async def relevance_documents():
        await asyncio.sleep(0)
        return client.titles
"""


@pytest.mark.parametrize(
    ("mode", "more"),
    [("none", ""), ("auto", ""), ("strict", ""), ("auto", ASYNC_FIXTURE)],
)
def test_a_coroutine_function_on_the_loop_of_the_plugin_and_of_pytest_asyncio(
    project: Project, mode: str, more: str
) -> None:
    options = []
    if mode != "none":
        pytest.importorskip("pytest_asyncio")
        options = [f"--asyncio-mode={mode}"]
    project.conftest(ASYNC + more)
    project.cases(CASES)
    run = project.run(RECORD, *options, loops=bool(options))
    assert loss(run, "boots", "hiking").startswith("Hiking grade 3 not returned")
    assert "no titles" not in run.summary
    for result in project.recorded().results:
        first = result.query.split()[0]
        assert result.texts.titles[first] == first.title()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_function_under_anyio(project: Project, backend: str) -> None:
    pytest.importorskip("anyio")
    pytest.importorskip(backend)
    project.conftest(f"""
        import anyio
        import pytest

        @pytest.fixture(scope="session")
        def anyio_backend():
            return "{backend}"

        @pytest.fixture
        def search(anyio_backend):
            async def search(query):
                await anyio.sleep(0)
                return query.split()
            return search

        @pytest.fixture(scope="session")
        def relevance_documents():
            async def documents(ids):
                await anyio.sleep(0)
                return {{each: each.title() for each in ids}}
            return documents
    """)
    project.cases(CASES)
    run = project.run(loops=True)
    assert run.counts == {"passed": 1, "failed": 2}
    assert loss(run, "boots", "hiking").startswith("Hiking grade 3 not returned")


def test_the_workers_of_xdist(shop: Project) -> None:
    """Each asks for itself; what passing cases need arrives with the last report of a
    worker, half characters too.
    """
    shop.conftest(DOCUMENTS.replace('"!"', "'\\udc80'"))
    run = shop.run("-n2", RECORD)
    assert run.counts == {"passed": 1, "failed": 2}
    results = shop.recorded().results
    assert [titles(result) for result in results] == [
        {"boots": "Boots\udc80", "hiking": "Hiking\udc80"},
        {"hat": "Hat\udc80", "cap": "Cap\udc80"},
        {"sandals": "Sandals\udc80", "boots": "Boots\udc80", "clogs": "Clogs\udc80"},
    ]
    assert [result.texts.not_in_index for result in results] == [("lost",), (), ()]
    assert "1 judged or expected document of 1 case is not in the index" in run.summary


def test_an_attempt_that_is_rerun(shop: Project) -> None:
    pytest.importorskip("pytest_rerunfailures")
    run = shop.run("-s", "--reruns=2", "-k", "boots and not sandals")
    assert run.counts == {"failed": 1, "rerun": 2, "deselected": 2}
    assert events(run).count("asked for boots hiking lost") == 1
    assert loss(run, "boots", "hiking").startswith("Hiking! grade 3")


def test_checks_of_tests_in_python(project: Project) -> None:
    project.conftest(DOCUMENTS)
    judgments = '{"boots": 1, "hiking": 3, "lost": 2}'
    project.test(f'relevance.check("boots", ["boots"], {judgments}, min_ndcg=0.9)')
    check = '.check("clogs", ["clogs"], {"sandals": 1}, min_ndcg=0.9)'
    dynamic = f'request.getfixturevalue("relevance"){check}'
    project.write("test_more.py", f"def test_dynamic(request):\n    {dynamic}\n")
    run = project.run()
    assert loss(run, "test_shop", "hiking").startswith("Hiking! grade 3 not returned")
    assert loss(run, "test_shop", "lost").startswith("grade 2 not in the index")
    assert "Clogs!" in run.failure("test_dynamic")


@pytest.mark.skipif(not hasattr(pytest, "Subtests"), reason="this pytest has none")
def test_the_failing_checks_of_subtests(project: Project) -> None:
    project.conftest(DOCUMENTS)
    project.write(
        "test_shop.py",
        """
        def test_subtests(relevance, subtests):
            for query in ("shoes", "caps"):
                with subtests.test(query):
                    relevance.check(query, [query], {"hiking": 3}, min_ndcg=0.9)
        """,
    )
    run = project.run()
    assert "Shoes!" in run.text
    assert "Caps!" in run.text


def test_two_indexes_that_have_other_documents_under_the_same_ids(
    project: Project,
) -> None:
    case = "cases: [{query: hat, judgments: {hat: 1, lost: 1}}]"
    project.conftest(SEARCH)
    project.cases(case)  # in a folder without that fixture
    for name, lost in (("books", "none"), ("films", "lost")):
        found = f"{{each: f'{name} {{each}}' for each in ids if each != '{lost}'}}"
        project.write(f"{name}/conftest.py", index(f"return lambda ids: {found}"))
        project.cases(case, f"{name}/shop.relevance.yaml")
    project.run(RECORD)
    found_in = {
        each.file: (titles(each), each.texts.not_in_index)
        for each in project.recorded().results
    }
    of_books = {"hat": "books hat", "lost": "books lost"}
    assert found_in == {
        "books/shop.relevance.yaml": (of_books, ()),
        "films/shop.relevance.yaml": ({"hat": "films hat"}, ("lost",)),
        "shop.relevance.yaml": ({}, ()),
    }


# --- outputs --------------------------------------------------------------------------


def test_a_record_has_the_titles_of_passing_cases(shop: Project) -> None:
    """They are asked for in batches of 500, at the latest before the fixture is torn
    down.
    """
    words = [f"w{number}" for number in range(1200)]
    first, second = " ".join(words[:600]), " ".join(words[600:])
    listed = second.replace(" ", ", ")
    shop.cases(f"""
        k: 600
        cases:
          - {{query: {first}, id: first, judgments: {{w0: 3}}}}
          - {{query: {second}, id: second, judgments: {{w600: 3, lost: 1}}, expect: {{include: [{listed}]}}}}
    """)
    run = shop.run("-s", RECORD)
    assert run.counts == {"passed": 2}
    asked = [event.split()[2:] for event in events(run) if event.startswith("asked")]
    assert [len(batch) for batch in asked] == [500, 500, 201]
    assert [document for batch in asked for document in batch] == [*words, "lost"]
    assert events(run)[-2:] == ["documents are torn down", "search is torn down"]
    results = shop.recorded().results
    assert [len(titles(result)) for result in results] == [600, 600]
    assert results[1].texts.not_in_index == ("lost",)


@pytest.mark.parametrize("scope", ["session", "function"])
def test_the_index_of_each_variant_is_asked_before_it_is_closed(
    project: Project, scope: str
) -> None:
    """Each parameter of a fixture ends with the next one; what passing cases need must
    be asked for before.
    """
    project.conftest(f"""
        import pytest

        @pytest.fixture(scope="{scope}", params=["small", "large"])
        def engine(request):
            engine = {{"name": request.param, "lacks": "lost" if request.param == "small" else ""}}
            yield engine
            engine.clear()

        @pytest.fixture(scope="{scope}")
        def search(engine):
            return str.split

        @pytest.fixture(scope="{scope}")
        def relevance_documents(engine):
            return lambda ids: {{each: f"{{each}} of {{engine['name']}}" for each in ids if each != engine["lacks"]}}
    """)
    project.cases("""
        cases:
          - {query: hat, judgments: {hat: 1}}
          - {query: boots, judgments: {boots: 1, lost: 2}, min_ndcg: 0.9}
    """)
    run = project.run(RECORD)
    assert run.counts == {"passed": 2, "failed": 2}
    assert loss(run, "boots[small]", "lost").startswith("grade 2 not in the index")
    of_large = "lost of large grade 2 not returned"
    assert loss(run, "boots[large]", "lost").startswith(of_large)
    results = project.recorded().results
    texts = {(each.id, each.variant): each.texts for each in results}
    for name, lost in (("small", ("lost",)), ("large", ())):
        assert texts["hat", name].titles == {"hat": f"hat of {name}"}
        assert texts["boots", name].titles["boots"] == f"boots of {name}"
        assert texts["boots", name].not_in_index == lost


def test_a_run_that_stops_at_a_failure_records_what_it_has(shop: Project) -> None:
    passes = CASES.replace(
        "boots: 1, hiking: 3, lost: 2", "boots: 3, hiking: 0, lost: 0"
    )
    shop.cases(passes)
    run = shop.run("-x", RECORD, "-n1")
    assert run.counts == {"passed": 2, "failed": 1}
    assert all(titles(result) for result in shop.recorded().results)


# --- a fixture that does not do what it should ----------------------------------------

FAULTS: Mapping[str, str] = {
    "lambda ids: 1 / 0": r"it raised ZeroDivisionError: division by zero \(conftest.py:\d+ in <lambda>\)",
    "lambda: {}": r"it cannot be called with a list of ids: .*; write documents\(ids\)",
    "lambda ids: ids": r"it returned \['boots', 'hiking', 'lost'\]; return \{id: title\} of the documents that exist",
    "{'boots': 'Boots'}": r"it cannot be called with a list of ids: 'dict' object is not callable",
    "1 / 0": r"the fixture raised ZeroDivisionError: division by zero \(conftest.py:\d+ in relevance_documents\)",
    "pytest.skip('no engine')": r"the fixture raised Skipped: no engine",
}


@pytest.mark.parametrize(("value", "said"), FAULTS.items(), ids=FAULTS)
def test_an_index_that_cannot_be_asked_is_told_once(
    shop: Project, value: str, said: str
) -> None:
    shop.conftest(index(f"return {value}"))
    run = shop.run(RECORD)
    assert run.counts == {"passed": 1, "failed": 2}
    (sentence,) = run.sentences("documents have no titles from relevance_documents: ")
    assert re.search(said, sentence)
    assert run.text.count("no titles") == 1
    assert loss(run, "boots", "lost").startswith("grade 2 not returned")
    assert "Traceback" not in run.text


def test_other_ids_that_a_later_case_reveals(project: Project) -> None:
    """A failure that came before, and its record, say no more that a document is
    missing from the index.
    """
    found = "{each: each for each in ids if each == 'boots'}"
    project.conftest(index(f"return lambda ids: {found}"))
    project.cases("""
        cases:
          - {query: boots, judgments: {boots: 1, gone: 3}, min_ndcg: 0.9}
          - {query: hiking, judgments: {boots: 3}, min_ndcg: 0.9}
    """)
    run = project.run(RECORD)
    (said,) = run.sentences('relevance_documents does not know "hiking", which the ')
    assert (
        "does it take the same ids? So reports do not say which documents are missing"
    ) in said
    assert "not in the index" not in run.text
    assert not any(each.texts.not_in_index for each in project.recorded().results)


def test_what_cannot_be_used_of_an_answer_is_told_once(shop: Project) -> None:
    lists = "{**{each: ['x'] for each in ids}, 'other': 'x'}"
    shop.conftest(index(f"return lambda ids: {lists}"))
    run = shop.run()
    assert run.counts == {"passed": 1, "failed": 2}
    assert loss(run, "boots", "hiking").startswith("grade 3 not returned")
    assert len(run.sentences("relevance_documents: it returned ")) == 2


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "pytest.exit.Exception('no')"])
def test_an_interrupt_ends_the_run(shop: Project, raised: str) -> None:
    shop.conftest(index(f"def ask(ids): raise {raised}\n        return ask"))
    run = shop.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "passed" not in run.counts
