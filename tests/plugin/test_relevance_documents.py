"""The fixture `relevance_documents`: titles from the index, and judged documents that
the index does not have.
"""

import re

import pytest

from pytest_relevance import Run as Record
from tests.plugin.conftest import Project, Run

CASES = """
    min_ndcg: 0.9
    cases:
      - query: boots
        judgments: {boots: 1, hiking: 3, lost: 2}
      - query: hat cap
        judgments: {hat: 3, cap: 1}
      - query: sandals boots
        judgments: {boots: 1, clogs: 3}
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


def index(body: str) -> str:
    """A conftest.py whose fixture `relevance_documents` has a body of one line."""
    return f"{SEARCH}\n    @pytest.fixture(scope='session')\n    def relevance_documents():\n        {body}\n"


def events(run: Run) -> list[str]:
    """What the fixtures have printed, in their order, in a run with `-s`."""
    return re.findall(r"<([^>]*?) ?>", run.text)


def row_of(run: Run, name: str, document: str) -> str:
    """The line below "lost most by" that begins with a document, its blanks reduced to
    one each.
    """
    rows = run.failure(name).partition("lost most by")[2].splitlines()
    return next(" ".join(row.split()) for row in rows if row.split()[:1] == [document])


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
    assert row_of(run, "boots", "hiking").startswith(
        "hiking Hiking! grade 3 not returned"
    )
    assert row_of(run, "boots", "lost").startswith("lost grade 2 not in the index")
    assert row_of(run, "sandals boots", "clogs").startswith(
        "clogs Clogs! grade 3 not returned"
    )
    boots = run.results["boots"]
    assert boots.texts.titles == {"boots": "Boots!", "hiking": "Hiking!"}
    assert boots.texts.shown == {
        "boots": {"brand": "Acme"},
        "hiking": {"brand": "Acme"},
    }
    assert (
        boots.texts.not_in_index,
        run.results["sandals boots"].texts.not_in_index,
    ) == (("lost",), ())
    assert (
        "1 judged or expected document of 1 case is not in the index: lost by the index, not by the ranking"
        in run.summary
    )


def test_what_the_index_does_not_have_in_losses_and_in_expectations(
    shop: Project,
) -> None:
    shop.cases("""
        cases:
          - {query: boots, k: 1, min_ndcg: 0.9, judgments: {boots: 1, lost: 3, hiking: 3}}
          - {query: boots, id: expected, expect: {include: [lost, clogs], exclude: [boots]}}
    """)
    run = shop.run()
    failure = run.failure("boots")
    assert "any 1 of 2 with grade 3" in failure
    assert "not in the index: lost" in failure.splitlines()
    expected = run.told("expected")
    assert (
        'include: not in the top 10: "lost" (not in the index), "clogs" (Clogs!, not returned)'
        in expected
    )
    assert 'exclude: in the top 10: "boots" (Boots!, at rank 1)' in expected
    shop.cases("cases: [{query: boots hat, judgments: {lost: 3}, min_ndcg: 0.5}]")
    strange = (
        shop.run().failure("boots hat").splitlines()
    )  # the judged ids are wrong, not those of the search
    assert (
        strange[strange.index('  judged:   "lost"') + 1] == '  not in the index: "lost"'
    )


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
    assert events(shop.run("-s", "-k", "hat")) == [
        "search is set up",
        "search is torn down",
    ]  # which passes
    assert (
        "Captured stdout call"
        in shop.run("-k", "sandals").text.partition("<asked for")[0]
    )


def test_which_title_goes_before_others(shop: Project) -> None:
    shop.conftest(
        DOCUMENTS.replace(
            "yield str.split", "yield lambda query: [(query, 'of the search')]"
        )
    )
    shop.write("products.csv", "id,title\nhiking,Hiking boots\n")
    judgments = "{hiking: {grade: 3, title: of the judgment}, lost: {grade: 3, title: Old clogs}}"
    shop.cases(f"cases: [{{query: boots, min_ndcg: 0.9, judgments: {judgments}}}]")
    titles = shop.run().results["boots"].texts.titles
    assert titles == {"boots": "Boots!", "hiking": "Hiking!", "lost": "Old clogs"}
    shop.cases(
        f"documents: products.csv\ncases: [{{query: boots, min_ndcg: 0.9, judgments: {judgments}}}]"
    )
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
    run = project.run("--relevance-record=run.jsonl", *options, loops=bool(options))
    assert row_of(run, "boots", "hiking").startswith(
        "hiking Hiking grade 3 not returned"
    )
    assert "no titles" not in run.summary
    results = Record.open(project.path / "run.jsonl").results
    assert [result.texts.titles.get(result.query.split()[0]) for result in results] == [
        "Boots",
        "Hat",
        "Sandals",
    ]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_function_under_anyio(project: Project, backend: str) -> None:
    pytest.importorskip("anyio")
    pytest.importorskip(backend)
    project.conftest(
        f"""
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
        """
    )
    project.cases(CASES)
    run = project.run(loops=True)
    assert run.counts == {"passed": 1, "failed": 2}
    assert row_of(run, "boots", "hiking").startswith(
        "hiking Hiking grade 3 not returned"
    )


def test_the_workers_of_xdist(shop: Project) -> None:
    """Each asks for itself; what passing cases need arrives with the last report of a
    worker, half characters too.
    """
    shop.conftest(DOCUMENTS.replace('"!"', "'\\udc80'"))
    run = shop.run("-n2", "--relevance-record=run.jsonl")
    assert run.counts == {"passed": 1, "failed": 2}
    results = Record.open(shop.path / "run.jsonl").results
    assert [dict(result.texts.titles) for result in results] == [
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
    assert row_of(run, "boots", "hiking").startswith("hiking Hiking! grade 3")


def test_checks_of_tests_in_python(shop: Project) -> None:
    (shop.path / "shop.relevance.yaml").unlink()
    shop.test(
        'relevance.check("boots", ["boots"], {"boots": 1, "hiking": 3, "lost": 2}, min_ndcg=0.9)',
        name="test_boots",
    )
    dynamic = 'request.getfixturevalue("relevance").check("clogs", ["clogs"], {"sandals": 1}, min_ndcg=0.9)'
    shop.write("test_more.py", f"def test_dynamic(request):\n    {dynamic}\n")
    run = shop.run()
    assert row_of(run, "test_boots", "hiking").startswith(
        "hiking Hiking! grade 3 not returned"
    )
    assert row_of(run, "test_boots", "lost").startswith("lost grade 2 not in the index")
    assert "Clogs!" in run.failure("test_dynamic")


def test_two_indexes_that_have_other_documents_under_the_same_ids(
    project: Project,
) -> None:
    for name in ("books", "films"):
        documents = "{each: f'NAME {each}' for each in ids if each != lost}"
        text = index(f"return lambda ids: {documents}".replace("NAME", name))
        project.write(
            f"{name}/conftest.py",
            text.replace("!= lost", f"!= '{'lost' if name == 'films' else 'none'}'"),
        )
        project.cases(
            "cases: [{query: hat, judgments: {hat: 1, lost: 1}}]",
            f"{name}/{name}.relevance.yaml",
        )
    project.conftest(SEARCH)
    project.cases(
        "cases: [{query: hat, judgments: {hat: 1, lost: 1}}]"
    )  # in a folder without that fixture
    project.run("--relevance-record=run.jsonl")
    of_file = {
        each.file.partition("/")[0]: each.texts
        for each in Record.open(project.path / "run.jsonl").results
    }
    books, films, neither = (
        of_file["books"],
        of_file["films"],
        of_file["shop.relevance.yaml"],
    )
    assert (books.titles, books.not_in_index) == (
        {"hat": "books hat", "lost": "books lost"},
        (),
    )
    assert (films.titles, films.not_in_index) == ({"hat": "films hat"}, ("lost",))
    assert (neither.titles, neither.not_in_index) == ({}, ())


# --- outputs --------------------------------------------------------------------------


def test_a_record_has_the_titles_of_passing_cases(shop: Project) -> None:
    """They are asked for in batches of 500, at the latest before the fixture is torn
    down.
    """
    words = [f"w{number}" for number in range(1200)]
    listed = ", ".join(words[600:])
    shop.cases(
        f"""
        k: 600
        cases:
          - query: {" ".join(words[:600])}
            id: first
            judgments: {{w0: 3}}
          - query: {" ".join(words[600:])}
            id: second
            expect: {{include: [{listed}]}}
            judgments: {{w600: 3, lost: 1}}
        """
    )
    run = shop.run("-s", "--relevance-record=run.jsonl")
    assert run.counts == {"passed": 2}
    asked = [event.split()[2:] for event in events(run) if event.startswith("asked")]
    assert [len(batch) for batch in asked] == [500, 500, 201]
    assert [document for batch in asked for document in batch] == [*words, "lost"]
    assert events(run)[-2:] == ["documents are torn down", "search is torn down"]
    first, second = Record.open(shop.path / "run.jsonl").results
    assert [len(first.texts.titles), len(second.texts.titles)] == [600, 600]
    assert second.texts.not_in_index == ("lost",)


@pytest.mark.parametrize("scope", ["session", "function"])
def test_the_index_of_each_variant_is_asked_before_it_is_closed(
    project: Project, scope: str
) -> None:
    """Each parameter of a fixture ends with the next one; what passing cases need must
    be asked for before.
    """
    project.conftest(
        f"""
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
        """
    )
    project.cases(
        "cases: [{query: hat, judgments: {hat: 1}}, {query: boots, judgments: {boots: 1, lost: 2}, min_ndcg: 0.9}]"
    )
    run = project.run("--relevance-record=run.jsonl")
    assert run.counts == {"passed": 2, "failed": 2}
    assert row_of(run, "boots[small]", "lost").startswith(
        "lost grade 2 not in the index"
    )
    assert row_of(run, "boots[large]", "lost").startswith(
        "lost lost of large grade 2 not returned"
    )
    texts = {
        (each.id, each.variant): each.texts
        for each in Record.open(project.path / "run.jsonl").results
    }
    for name in ("small", "large"):
        assert texts["hat", name].titles == {"hat": f"hat of {name}"}
        assert texts["boots", name].titles["boots"] == f"boots of {name}"
        assert texts["boots", name].not_in_index == (
            ("lost",) if name == "small" else ()
        )


@pytest.mark.skipif(not hasattr(pytest, "Subtests"), reason="this pytest has none")
def test_the_failing_checks_of_subtests(shop: Project) -> None:
    (shop.path / "shop.relevance.yaml").unlink()
    check = 'relevance.check(query, [query], {"hiking": 3}, min_ndcg=0.9)'
    body = f"for query in ('shoes', 'caps'):\n        with subtests.test(query):\n            {check}\n"
    shop.write("test_shop.py", f"def test_subtests(relevance, subtests):\n    {body}")
    run = shop.run()
    assert "Shoes!" in run.text
    assert "Caps!" in run.text


def test_a_run_that_stops_at_a_failure_records_what_it_has(shop: Project) -> None:
    shop.cases(
        CASES.replace("boots: 1, hiking: 3", "boots: 3, hiking: 0", 1).replace(
            "lost: 2", "lost: 0"
        )
    )
    run = shop.run("-x", "--relevance-record=run.jsonl", "-n1")
    assert run.counts == {"passed": 2, "failed": 1}
    assert [
        bool(result.texts.titles)
        for result in Record.open(shop.path / "run.jsonl").results
    ] == [True, True, True]


# --- a fixture that does not do what it should ----------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "lambda ids: 1 / 0",
            r"it raised ZeroDivisionError: division by zero \(conftest.py:\d+ in <lambda>\)",
        ),
        ("lambda ids: exec('raise SystemExit(3)')", r"it raised SystemExit: 3"),
        (
            "lambda: {}",
            r"it cannot be called with a list of ids: .*; write documents\(ids\)",
        ),
        (
            "lambda ids: ids",
            r"it returned \['boots', 'hiking', 'lost'\]; return \{id: title\} of the documents that exist",
        ),
        (
            "{'boots': 'Boots'}",
            r"it cannot be called with a list of ids: 'dict' object is not callable",
        ),
        (
            "1 / 0",
            r"the fixture raised ZeroDivisionError: division by zero \(conftest.py:\d+ in relevance_documents\)",
        ),
        ("pytest.skip('no engine')", r"the fixture raised Skipped: no engine"),
    ],
)
def test_an_index_that_cannot_be_asked_is_told_once(
    shop: Project, value: str, said: str
) -> None:
    shop.conftest(index(f"return {value}"))
    run = shop.run("--relevance-record=run.jsonl")
    assert run.outcomes == {
        "boots": "failed",
        "hat cap": "passed",
        "sandals boots": "failed",
    }
    (sentence,) = run.sentences("documents have no titles from relevance_documents: ")
    assert re.search(said, sentence)
    assert run.text.count("no titles") == 1
    assert row_of(run, "boots", "lost").startswith("lost grade 2 not returned")
    assert "Traceback" not in run.text


def test_a_fixture_that_requests_one_that_is_missing_is_told_once_by_all_workers(
    shop: Project,
) -> None:
    shop.conftest(
        DOCUMENTS.replace("relevance_documents(search)", "relevance_documents(engine)")
    )
    run = shop.run("-n2")
    assert run.counts == {"passed": 1, "failed": 2}
    (told,) = run.sentences(
        "documents have no titles from relevance_documents: the fixture raised "
    )
    assert "engine" in told


def test_other_ids_that_a_later_case_reveals(project: Project) -> None:
    """A failure that came before, and its record, say no more that a document is
    missing from the index.
    """
    project.conftest(
        index("return lambda ids: {each: each for each in ids if each == 'boots'}")
    )
    project.cases("""
        cases:
          - {query: boots, judgments: {boots: 1, gone: 3}, min_ndcg: 0.9}
          - {query: hiking, judgments: {boots: 3}, min_ndcg: 0.9}
    """)
    run = project.run("--relevance-record=run.jsonl")
    assert run.sentences("relevance_documents does not know") == [
        'relevance_documents does not know "hiking", which the search returned: does it take the same ids? No document '
        "is said to be missing from the index"
    ]
    assert "not in the index" not in run.text
    assert not any(
        result.texts.not_in_index
        for result in Record.open(project.path / "run.jsonl").results
    )


def test_what_cannot_be_used_of_an_answer_is_told_once(shop: Project) -> None:
    shop.conftest(
        index(
            "return lambda ids: {**{each: ['x'] for each in ids}, 'other': 'x', 7: 'y'}"
        )
    )
    run = shop.run()
    assert run.counts == {"passed": 1, "failed": 2}
    assert row_of(run, "boots", "hiking").startswith("hiking grade 3 not returned")
    assert sorted(
        sentence[:36] for sentence in run.sentences("relevance_documents: ")
    ) == [
        "relevance_documents: it returned 'ot",
        "relevance_documents: it returned ['x",
    ]


def test_an_interrupt_ends_the_run(shop: Project) -> None:
    for raised in ("KeyboardInterrupt", "pytest.exit.Exception('enough')"):
        shop.conftest(
            DOCUMENTS.replace("return {", f"raise {raised}\n            return {{")
        )
        run = shop.run()
        assert (run.code, "passed" in run.counts) == (
            pytest.ExitCode.INTERRUPTED,
            False,
        )
