"""Coroutine searches: on the plugin's own loop, in pytest-asyncio's, under anyio; and
plain searches beside them.
"""

import re

import pytest

from tests.plugin.conftest import Project

TWO_CASES = """
    min_ndcg: 1
    cases:
      - {query: shoes boots, judgments: {shoes: 3, boots: 1}}
      - {query: hat cap, judgments: {hat: 3, cap: 1}}
"""

# A client as they are: bound to the loop in which it is used first, broken in any
# other.
CLIENT = """
    import asyncio
    import pytest

    class Client:
        loop = None
        loops = []  # kept, so that no other loop gets the id of one

        async def get(self, query):
            await asyncio.sleep(0)
            if self.loop not in (None, asyncio.get_running_loop()):
                raise RuntimeError("this client is attached to a different loop")
            self.loop = asyncio.get_running_loop()
            self.loops.append(self.loop)
            print(f"<{type(self.loop).__name__} {id(self.loop)}>")
            return query.split()
"""
PLAIN_FIXTURE = f"""{CLIENT}
    @pytest.fixture(scope="session")
    def search():
        return Client().get
"""
OWN_LOOP = """
    import asyncio
    import pytest

    async def get(query):
        return query.split()

    @pytest.fixture
    def search():
        return lambda query: asyncio.run(get(query))
"""

STRICT, AUTO = "--asyncio-mode=strict", "--asyncio-mode=auto"
MODES = pytest.mark.parametrize("mode", [STRICT, AUTO], ids=["strict", "auto"])


@pytest.fixture
def asyncio_plugin() -> None:
    pytest.importorskip("pytest_asyncio")


needs_asyncio_plugin = pytest.mark.usefixtures("asyncio_plugin")


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> str:
    pytest.importorskip("anyio")
    pytest.importorskip(request.param)
    return str(request.param)


def loops_of(text: str) -> set[str]:
    """The loops in which a client was used, in a run with `-s`."""
    return set(re.findall(r"<(.*EventLoop \d+)>", text))


def test_a_coroutine_search_without_any_async_plugin(project: Project) -> None:
    """One loop for the whole run: a client that is made once keeps working on its
    second case.
    """
    project.conftest(PLAIN_FIXTURE)
    project.cases(TWO_CASES)
    project.cases(TWO_CASES, "more.relevance.yaml")
    run = project.run("-s", loops=False)
    assert run.counts == {"passed": 4}
    assert len(loops_of(run.text)) == 1


@pytest.mark.usefixtures("with_and_without_loops")
def test_whatever_must_be_awaited_is(project: Project) -> None:
    """Coroutine functions, methods, lambdas, partials, callable objects, async
    generators and awaitable objects.
    """
    project.conftest("""
        import functools
        import pytest

        async def get(query):
            return query.split()

        async def get_with(index, query):
            return query.split()

        async def generate(query):
            for word in query.split():
                yield word

        class Callable:
            async def __call__(self, query):
                return query.split()

            def method(self, query):
                return get(query)

        class Later:
            def __init__(self, query):
                self.query = query

            def __await__(self):
                return get(self.query).__await__()

        LAMBDA, PARTIAL = lambda query: get(query), functools.partial(get_with, "index")

        @pytest.fixture(params=[get, Callable().method, LAMBDA, PARTIAL, Callable(), generate, Later])
        def search(request):
            return request.param
    """)
    project.cases(TWO_CASES)
    assert project.run().counts == {"passed": 14}


# --- pytest-asyncio -------------------------------------------------------------------


@needs_asyncio_plugin
@MODES
def test_cases_with_searches_of_different_loops_in_one_file(
    project: Project, mode: str
) -> None:
    scopes = ("function", "class", "module", "package", "session")
    scoped = "".join(
        f"""
    @pytest_asyncio.fixture(scope="{scope}")
    async def of_{scope}():
        client = Client()
        await client.get("the index, to see that it is there")
        yield client.get
        await client.get("the index, to close it")
    """
        for scope in scopes
    )
    project.conftest(f"""{CLIENT}
    import pytest_asyncio

    @pytest.fixture(scope="session")
    def plain():
        return str.split

    @pytest_asyncio.fixture(scope="session")
    async def client():
        client = Client()
        await client.get("the index")
        return client

    @pytest.fixture
    def plain_over_async(client):
        return lambda query: client.get(query)  # not a coroutine function, but what it returns must be awaited

    shared = Client()

    @pytest_asyncio.fixture(loop_scope="session")
    async def asking_for_a_loop():
        await shared.get("the index")
        return shared.get
    {scoped}""")
    searches = ["plain", "plain_over_async", "asking_for_a_loop"]
    searches += [f"of_{scope}" for scope in scopes]
    cases = [
        f"{{query: {name}, id: {name} {number}, search: {name}}}"
        for number in (1, 2)
        for name in searches
    ]
    project.cases(f"expect: {{results: 1}}\ncases: [{', '.join(cases)}]")
    assert project.run(mode).counts == {"passed": 16}


@needs_asyncio_plugin
@MODES
def test_a_plain_search_may_run_a_loop_of_its_own(project: Project, mode: str) -> None:
    project.conftest(OWN_LOOP)
    project.cases(TWO_CASES)
    assert project.run(mode).counts == {"passed": 2}


@needs_asyncio_plugin
def test_in_auto_mode_a_coroutine_search_runs_in_the_loop_of_pytest_asyncio(
    project: Project,
) -> None:
    project.conftest("""
        import asyncio
        import pytest

        loops = []

        @pytest.fixture(scope="session")
        async def theirs():
            loops.append(asyncio.get_running_loop())

        @pytest.fixture(params=["coroutine", "awaitable"])
        def search(request, theirs):
            async def search(query):
                assert asyncio.get_running_loop() is loops[0]
                return query.split()
            return search if request.param == "coroutine" else lambda query: search(query)
    """)
    project.cases(TWO_CASES)
    assert project.run(AUTO).counts == {"passed": 4}


@needs_asyncio_plugin
def test_the_scope_that_the_settings_of_pytest_asyncio_ask_for(
    project: Project,
) -> None:
    scope = "asyncio_default_test_loop_scope = module"
    project.write("pytest.ini", f"[pytest]\nasyncio_mode = auto\n{scope}\n")
    project.conftest(PLAIN_FIXTURE.replace('scope="session"', 'scope="module"'))
    project.cases(TWO_CASES)
    project.cases(TWO_CASES, "more.relevance.yaml")
    run = project.run("-s")
    assert run.counts == {"passed": 4}
    assert len(loops_of(run.text)) > 1


@needs_asyncio_plugin
def test_the_plugins_by_the_names_of_their_modules(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `-p` and PYTEST_PLUGINS name them where the entry points are switched off."""
    modules = "pytest_relevance.plugin,pytest_asyncio.plugin"
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", modules)
    project.conftest(PLAIN_FIXTURE + "\n    import pytest_asyncio\n")
    project.cases(TWO_CASES)
    project.options = ("-W", "ignore:Module already imported")
    run = project.run_apart(AUTO, "-m", "asyncio", loops=True)
    assert run.counts == {"passed": 2}


# --- anyio ----------------------------------------------------------------------------


def test_under_anyio_with_both_backends(project: Project) -> None:
    pytest.importorskip("anyio")
    pytest.importorskip("trio")
    project.conftest("""
        import pytest
        import sniffio

        async def current(query):
            return [sniffio.current_async_library()]

        @pytest.fixture
        def search():
            return current
    """)
    project.cases(
        "cases: [{query: shoes, usefixtures: [anyio_backend], expect: {first: trio}}]"
    )
    run = project.run()
    assert run.outcomes == {"shoes[asyncio]": "failed", "shoes[trio]": "passed"}
    suites = re.findall(r"relevance.yaml  (asyncio|trio)", run.summary)
    assert suites == ["asyncio", "trio"]


def test_a_suite_chooses_its_backend(project: Project, backend: str) -> None:
    project.conftest(f"""
        import pytest
        import sniffio

        @pytest.fixture(scope="session")
        def anyio_backend():
            return "{backend}"

        @pytest.fixture(scope="session")
        async def client(anyio_backend):
            yield sniffio.current_async_library()

        @pytest.fixture(scope="session")
        def search(client):
            async def search(query):
                return [sniffio.current_async_library(), f"client of {{client}}"]
            return search
    """)
    first = f"first: [{backend}, client of {backend}]"
    project.cases(f"cases: [{{query: shoes, expect: {{{first}}}}}, {{query: boots}}]")
    assert project.run().outcomes == {"shoes": "passed", "boots": "passed"}


@pytest.mark.parametrize(
    "find",
    ["asyncio.run(get(query))", "get(query)"],
    ids=["outside of the loop", "awaited"],
)
def test_a_plain_search_under_anyio(project: Project, backend: str, find: str) -> None:
    search = OWN_LOOP.replace("asyncio.run(get(query))", find)
    search = search.replace("search()", "search(anyio_backend)")
    project.conftest(f"""{search}
    @pytest.fixture
    def anyio_backend():
        return "{backend}"
    """)
    project.cases(TWO_CASES)
    assert project.run().counts == {"passed": 2}


@needs_asyncio_plugin
def test_cases_that_a_conftest_marks_for_anyio(project: Project) -> None:
    """In the place of coroutine functions that are marked after they were collected,
    anyio makes items of its own.
    """
    plugin = pytest.importorskip("anyio.pytest_plugin")
    if not hasattr(plugin, "pytest_collection_finish"):
        pytest.skip("this version of anyio does not")
    project.conftest("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.anyio)

        @pytest.fixture
        def search():
            async def search(query):
                return [query]
            return search
    """)
    project.cases("cases: [{query: shoes}]")
    # the plugin's own loop runs the search
    assert project.run(STRICT).outcomes == {"shoes": "passed"}
    run = project.run(AUTO)
    assert set(run.outcomes.values()) == {"failed"}
    advice = "have the search request the fixture anyio_backend"
    assert advice in run.text.replace("\n", " ")


@needs_asyncio_plugin
@MODES
@pytest.mark.parametrize("anyio_mode", ["strict", "auto"])
def test_both_plugins_in_either_mode(
    project: Project, mode: str, anyio_mode: str
) -> None:
    """Later cases of a file share what was found out about the first one; what plugins
    keep on each item is its own.
    """
    pytest.importorskip("anyio")
    project.conftest("""
        import pytest

        @pytest.fixture
        def extra():
            print("<extra>")

        def pytest_collection_modifyitems(items):
            changed = next(item for item in items if item.name.startswith("hat"))
            changed.fixturenames.append("extra")
            changed.add_marker("slow")
            assert [item for item in items if item.get_closest_marker("slow")] == [changed]

        def plain(query):
            return query.split()

        async def coroutine(query):
            return query.split()

        @pytest.fixture(params=[plain, coroutine])
        def search(request):
            return request.param
    """)
    project.write("pytest.ini", "[pytest]\nmarkers = slow\n")
    skipped = "{query: boots, judgments: {boots: 1}, skip: out of season}"
    project.cases(f"{TWO_CASES}      - {skipped}\n")
    options = []
    if anyio_mode == "auto":
        if "--anyio-mode" not in project.run("--help").text:
            pytest.skip("this version of anyio has one mode")
        options = ["--anyio-mode=auto", "-W", "ignore:AnyIO auto mode"]
    run = project.run("-s", mode, *options)
    # `[asyncio-plain]`
    variants = [name.partition("[")[2] for name in run.outcomes]
    backends = len({variant.rpartition("-")[0] for variant in variants})
    assert run.counts == {"passed": 4 * backends, "skipped": 2 * backends}
    assert run.text.count("<extra>") == 1


# --- set-up and teardown --------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "ending"),
    [((), "return"), ((STRICT,), "yield")],
    ids=["no plugin", "strict"],
)
def test_an_async_fixture_that_nobody_sets_up(
    project: Project, options: tuple[str, ...], ending: str
) -> None:
    if options:
        pytest.importorskip("pytest_asyncio")
    project.conftest(f"""
        import pytest

        @pytest.fixture
        async def client():
            {ending} str.split

        @pytest.fixture
        def search(client):
            return client
    """)
    project.cases("cases: [{query: shoes}, {query: hats, skip: out of season}]")
    run = project.run(*options, loops=bool(options))
    assert run.outcomes == {"shoes": "error at setup", "hats": "skipped"}
    assert "client" in run.failure("shoes")


def test_the_loop_is_closed_after_the_sessions_fixtures_and_without_warnings(
    project: Project,
) -> None:
    project.conftest(f"""{CLIENT}
    async def forever():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            print("<cancelled>")
            raise

    tasks = []

    @pytest.fixture(scope="session")
    def search():
        client = Client()

        async def search(query):
            tasks.append(asyncio.ensure_future(forever()))
            await asyncio.to_thread(len, query)
            return await client.get(query)

        yield search
        assert not client.loop.is_closed()
        print("<torn down>")
    """)
    project.cases(TWO_CASES)
    run = project.run_apart("-s")
    assert run.counts == {"passed": 2}
    assert run.text.count("<cancelled>") == 2
    assert run.text.index("<torn down>") < run.text.index("<cancelled>")
    assert not run.result.stderr.lines
