"""The contract with the search: what it is called with, what its errors are, and what
it does not decide.

Every shape that is read, and every one that is refused, is in
`tests/results/responses`.
"""

from collections.abc import Mapping
from textwrap import dedent

import pytest

from tests.plugin.conftest import Project, Run

both_ways = pytest.mark.usefixtures("with_and_without_loops")

ONE_CASE = "cases: [{query: shoes}]"


def write_search(
    project: Project, source: str, cases: str = ONE_CASE, folder: str = ""
) -> None:
    """Write a case file, and a conftest.py whose search is the function `find` of the
    source.
    """
    imports = "import asyncio\nimport functools\nimport time\nimport pytest\n"
    fixture = "\n@pytest.fixture\ndef search():\n    return find\n"
    project.write(f"{folder}conftest.py", imports + dedent(source) + fixture)
    project.cases(cases, f"{folder}shop.relevance.yaml")


def run_search(project: Project, source: str, cases: str = ONE_CASE) -> Run:
    """The same, and run it."""
    write_search(project, source, cases)
    return project.run()


def run_searches(project: Project, sources: Mapping[str, str], case: str) -> Run:
    """Run one case with each of these searches, which is in a folder of its own; the
    names are the ids of the cases.
    """
    for name, source in sources.items():
        write_search(project, source, f"cases: [{{id: {name}, {case}}}]", f"{name}/")
    return project.run()


LOGGED = "def logged(function): return {}lambda query, **params: function(query, **params){}\n@logged\n"
WITH_K = {
    "with a default": "def find(query, k=3): return [str(k)]",
    "keyword-only": "def find(query, *, k): return [str(k)]",
    "bound method": "class Engine:\n    def find(self, query, k): return [str(k)]\nfind = Engine().find",
    "partial": "def of_index(index, query, k): return [str(k)]\nfind = functools.partial(of_index, 'products')",
    "decorated": LOGGED.format("functools.wraps(function)(", ")") + "def find(query, k): return [str(k)]",
}  # fmt: skip
WITHOUT_K = {
    "no such parameter": "def find(query): return ['none']",
    "only kwargs": "def find(query, **params): return list(params) or ['none']",
    "positional-only": "def find(query, k='none', /): return [k]",
    "a decorator that hides the parameters": LOGGED.format("", "") + "def find(query, k='none'): return [k]",
    "a builtin": "find = 'none'.split",
}  # fmt: skip


def test_k_is_passed_to_a_parameter_of_that_name_alone(project: Project) -> None:
    case = 'query: x, k: 7, expect: {results: ">= 1"}'
    run = run_searches(project, WITH_K | WITHOUT_K, case)
    found = {name: [*each.ranking.documents] for name, each in run.results.items()}
    assert found == {
        **{name: ["7"] for name in WITH_K},
        **{name: ["none"] for name in WITHOUT_K},
    }


@both_ways
def test_the_params_of_suite_and_case_are_merged(project: Project) -> None:
    source = """
        def find(query, locale, boost=1, **more):
            return [f"{locale} {boost!r} {sorted(more.items())}"]
    """
    cases = """
        params: {locale: en_GB, boost: 2.5, fresh: true}
        cases:
          - query: shoes
            params: {locale: de_DE, brand: no}
            expect: {first: "de_DE 2.5 [('brand', 'no'), ('fresh', True)]"}
          - query: boots
            expect: {first: "en_GB 2.5 [('fresh', True)]"}
    """
    assert run_search(project, source, cases).counts == {"passed": 2}


@both_ways
def test_a_search_that_does_not_take_a_param(project: Project) -> None:
    source = "def find(query, k=10, locale='en'):\n    return []\n"
    run = run_search(project, source, f"params: {{lokale: de}}\n{ONE_CASE}")
    assert run.results["shoes"].verdict == "error"
    first, second, third, *_ = run.failure("shoes").splitlines()
    call = "search('shoes', lokale='de', k=10) cannot be called: "
    assert first.startswith(f"shop.relevance.yaml:2: {call}")
    # Python 3.13 goes on: did you mean ...
    assert "got an unexpected keyword argument 'lokale'" in first
    assert second.startswith("its signature is search(query, k=10, locale='en'); ")
    assert third == 'query "shoes"   search(lokale=de)'


def test_what_a_search_does_to_its_params_does_not_reach_the_next_case(
    project: Project,
) -> None:
    source = """
        def find(query, filters, options):
            assert filters == ["base"] and options == {"deep": [1]}
            filters.append(query)
            options["deep"].append(2)
            return []
    """
    params = "params: {filters: [base], options: {deep: [1]}}"
    run = run_search(project, source, f"{params}\ncases: [{{query: a}}, {{query: b}}]")
    assert run.counts == {"passed": 2}


def test_the_suite_names_the_fields_of_id_and_title(project: Project) -> None:
    hit = "{'sku': 7, 'id': 'internal', 'label': {'en': 'Sandal'}}"
    fields = "id_field: sku\ntitle_field: label.en\n"
    case = 'cases: [{query: shoes, judgments: {"7": 1, "8": 2}, min_ndcg: 0.9}]'
    run = run_search(project, f"def find(query): return [{hit}]", fields + case)
    assert any(row[:3] == ["1", "7", "Sandal"] for row in run.failure_rows("shoes"))


REFUSALS = {
    "None": ("None", "search returned None; return the results, best first"),
    "an error": ("{'error': {'reason': 'no index'}}", "search returned an error: "),
    "not whole": ("{'timed_out': True, 'hits': {'hits': []}}", "the response says that it is not complete: "),
}  # fmt: skip


def test_what_is_no_ranking_is_an_error_that_shows_it(project: Project) -> None:
    """It is never a score of zero, and never an empty ranking."""
    sources = {
        name: f"def find(query): return {found}"
        for name, (found, _) in REFUSALS.items()
    }
    expects_nothing = "judgments: {a: 1}, expect: {exclude: a, results: 0}"
    run = run_searches(project, sources, f"query: shoes, {expects_nothing}")
    for name, (_, message) in REFUSALS.items():
        entry = run.results[name]
        assert (entry.verdict, entry.score) == ("error", None)
        text = run.failure(name)
        assert text.startswith(f"{name}/shop.relevance.yaml:1: {message}")
        assert 'query "shoes"   search\n' in text
        assert "Traceback" not in text


ASYNCHRONOUS = """
    class Cursor:
        description = [("title", None), ("id", None)]
        async def __aiter__(self):
            yield ("Sandal", "a")
            yield ("Boots", "b")

    class AsyncSearch:
        def __init__(self, timed_out):
            self.timed_out = timed_out

        async def execute(self):
            return {"timed_out": self.timed_out, "hits": {"hits": [{"_id": "a"}, {"_id": "b"}]}}

        def to_dict(self):
            return {}

        async def __aiter__(self):
            for hit in (await self.execute())["hits"]["hits"]:
                yield hit

    async def cursor(query):
        return Cursor()

    def find(query):
        return cursor(query) if query == "cursor" else AsyncSearch(query == "late")
"""


@both_ways
def test_an_asynchronous_cursor_is_read_and_a_search_of_a_client_is_sent(
    project: Project,
) -> None:
    """A cursor by the names of its columns; the whole response of a client says whether
    it is whole.
    """
    cases = "expect: {first: [a, b]}\ncases: [{query: cursor}, {query: sent}, {query: late}]"
    run = run_search(project, ASYNCHRONOUS, cases)
    assert run.outcomes == {"cursor": "passed", "sent": "passed", "late": "failed"}
    assert "timed_out is True" in run.failure("late")


SLOW = "def slow(value):\n    time.sleep(0.05)\n    return value\n"
LAZY = {
    "a generator": "def find(query): yield slow('a')",
    "a cursor": "Cursor = type('Cursor', (), {'description': [('id', None)], 'fetchall': lambda self: [(slow('a'),)]})\n"
    "find = lambda query: Cursor()",
    "id": "Hit = type('Hit', (), {'id': property(lambda self: slow('a'))})\ndef find(query): return [Hit()]",
    "coroutine": "async def find(query): return await asyncio.sleep(0.05) or ['a']",
}


@both_ways
def test_the_latency_is_that_of_reading_the_results_too(project: Project) -> None:
    sources = {name: SLOW + source for name, source in LAZY.items()}
    case = "query: shoes, expect: {first: a, latency: '<= 40 ms'}"
    run = run_searches(project, sources, case)
    assert run.counts == {"failed": len(LAZY)}
    for name, result in run.results.items():
        assert (result.call.latency or 0) >= 0.05
        assert "expected <= 40 ms" in run.failure(name)
        assert "first" not in run.failure(name).splitlines()[0]


# --- errors ---------------------------------------------------------------------------


@both_ways
def test_an_exception_of_the_search_is_an_error_with_the_users_own_traceback(
    project: Project,
) -> None:
    source = """
        def connect():
            try:
                {}["index"]
            except KeyError as error:
                raise ConnectionError("no engine at localhost:9200") from error

        def find(query):
            return connect()
    """
    case = "cases: [{query: shoes, min_ndcg: 0.5, judgments: {a: 1}}]"
    run = run_search(project, source, case)
    assert run.counts == {"failed": 1}
    entry = run.results["shoes"]
    assert (entry.verdict, entry.score) == ("error", None)
    text = run.failure("shoes")
    assert [line for line in text.splitlines() if line.startswith(">")] == [
        '>           {}["index"]',
        ">       return connect()",
        '>           raise ConnectionError("no engine at localhost:9200") from error',
    ]
    assert "E           KeyError: 'index'" in text
    assert "E           ConnectionError: no engine at localhost:9200" in text
    assert "-- relevance case --" in text
    assert text.endswith('shop.relevance.yaml:1: query "shoes"   search\n')
    assert "1 case: 1 error\nshoes: ConnectionError: " in run.summary


@pytest.mark.parametrize(
    ("style", "loops"),
    [("auto", False), ("auto", True), ("long", True), ("short", False), ("line", True), ("native", False)],
)  # fmt: skip
def test_nothing_of_the_plugin_stands_in_a_traceback(
    project: Project, style: str, loops: bool
) -> None:
    source = """
        def plain(query):
            raise ValueError("no such index")

        async def coroutine(query):
            raise ValueError("no such index")

        def generator(query):
            yield "a"
            raise ValueError("no such index")

        @pytest.fixture(params=[plain, coroutine, generator])
        def find(request):
            return request.param
    """
    write_search(project, source, f"search: find\n{ONE_CASE}")
    run = project.run(f"--tb={style}", "--relevance-give-up=0", loops=loops)
    assert run.counts == {"failed": 3}
    failures = run.text.partition("= FAILURES =")[2].partition("= short test ")[0]
    section = failures.replace("shop.relevance.yaml:2: query", "")  # which case it is
    assert section.count("ValueError: no such index") >= 3
    assert "conftest.py" in section
    inside = ("pytest_relevance", "shop.relevance.yaml", "_run_relevance_case")
    assert [word for word in (*inside, "asyncio", "pluggy") if word in section] == []


@both_ways
def test_a_type_error_within_the_search_is_the_searchs_own(project: Project) -> None:
    run = run_search(project, "def find(query):\n    return sorted(None)\n")
    text = run.failure("shoes")
    assert "E       TypeError: 'NoneType' object is not iterable" in text
    assert "cannot be called" not in text


@both_ways
def test_a_search_may_skip_or_fail_its_case_itself(project: Project) -> None:
    source = """
        def find(query):
            if query == "boots":
                pytest.skip("no boots in this index")
            pytest.fail("not the index it should be")
    """
    run = run_search(project, source, "cases: [{query: boots}, {query: shoes}]")
    assert run.outcomes == {"boots": "skipped", "shoes": "failed"}
    assert "E       Failed: not the index it should be" in run.failure("shoes")
    assert "1 error, 1 skipped" in run.summary


@both_ways
@pytest.mark.parametrize("define", ["def", "async def"])
def test_an_interrupt_in_the_middle_of_a_search(project: Project, define: str) -> None:
    source = f"""
        {define} find(query):
            if query == "boots":
                raise KeyboardInterrupt
            return query.split()
    """
    cases = "min_ndcg: 1\ncases: [{query: shoes, judgments: {shoes: 1}}, {query: boots, judgments: {a: 1}}]"
    run = run_search(project, source, cases)
    assert (run.code, run.counts) == (pytest.ExitCode.INTERRUPTED, {"passed": 1})
    assert "1 case: 1 passed; mean nDCG@10 1.000; " in run.summary
    assert "searches in flight: boots" in run.summary
    assert "conftest.py:8: KeyboardInterrupt" in run.text
    assert not run.result.stderr.lines


# --- the hook pytest_relevance_ranking ------------------------------------------------


@both_ways
def test_the_hook_reads_a_response_of_any_other_shape(project: Project) -> None:
    source = """
        class Page:
            def __init__(self, found):
                self.found = found

        def find(query):
            return Page(query.split()) if query != "none" else []

        def pytest_relevance_ranking(response, case):
            if isinstance(response, Page):
                return [{"id": found, "title": f"{case.query}!"} for found in response.found]
            return None
    """
    judged = "min_ndcg: 1, judgments: {shoes: 1, boots: 2}"
    cases = f"""
        cases:
          - {{query: boots shoes, {judged}}}
          - {{query: none, expect: {{results: 0}}}}
          - {{query: shoes boots, {judged}}}
    """
    run = run_search(project, source, cases)
    passed = dict.fromkeys(["boots shoes", "none"], "passed")
    assert run.outcomes == {**passed, "shoes boots": "failed"}
    rows = [row[:4] for row in run.failure_rows("shoes boots")]
    assert ["1", "shoes", "shoes", "boots!"] in rows


def test_the_hook_of_a_folder_is_for_its_case_files(project: Project) -> None:
    hook = "def pytest_relevance_ranking(response):\n    return response['found'].split()\n"
    project.write("pages/conftest.py", hook)
    case = "cases: [{query: shoes, expect: {first: shoes}}]"
    project.cases(case, "pages/shop.relevance.yaml")
    run = run_search(project, "def find(query): return {'found': query}")
    assert run.counts == {"passed": 1, "failed": 1}
    assert "a mapping instead of a list of results" in run.text


@both_ways
def test_what_the_hook_raises_is_the_users_own_and_what_it_returns_is_refused_like_a_response(
    project: Project,
) -> None:
    hook = "def find(query): return 7\ndef pytest_relevance_ranking(response, case): "
    raises = f"{hook}raise LookupError('which page?')"
    sources = {"raises": raises, "returns": f"{hook}return 'a b'"}
    run = run_searches(project, sources, "query: shoes")
    assert "E   LookupError: which page?" in run.failure("raises")
    assert "search returned text, 'a b'" in run.failure("returns")
    assert "pytest_relevance/" not in run.text
    assert "pluggy/" not in run.text


# --- unseen ranks ---------------------------------------------------------------------

OPEN = {
    "exclude: {docs: [far], within: 25}": 25,
    "exclude: {docs: [d1, far], within: 11}": 11,
    'within: {far: ">12"}': 12,
    "order: {docs: [d1, far], within: 15}": 15,
    "include: {docs: [far], within: 20}": 20,
    'P@20: "<= 0.2"': 20,
    'results: "<= 20"': 20,
    'exclude: {docs: [far], within: 25}, results: "> 0"': 25,
    "exclude: [far]}, k: 25, params: {": 25,  # the top k is as deep
    "none@50: {price: '> 90'}": 50,
    "every@11: {price: '< 90'}": 11,
    "at_most@50: {price: 1}": 50,
    'results: "< 20"': 19,
}
DECIDED = [
    "exclude: {docs: [far], within: 10}",
    "include: {docs: [d1, d10], within: 25}",
    'within: {d3: "<= 20", d10: ">9"}',
    "order: {docs: [d1, d2], within: 25}",
    "order: [d1, far]",
    'results: ">= 5"',
    'P@20: ">= 0.05"',
    "exclude: [far]}, k: 4, params: {",
]


def test_what_lies_below_the_results_of_a_search_without_k_is_not_known(
    project: Project,
) -> None:
    """Unless the results that there are decide."""
    lines = [
        f"  - {{query: {number}, judgments: {{d1: 1}}, expect: {{{expect}}}}}\n"
        for number, expect in enumerate([*OPEN, *DECIDED])
    ]
    ten = "[{'id': f'd{rank}', 'price': rank} for rank in range(1, 11)]"
    run = run_search(
        project, f"def find(query): return {ten}", "cases:\n" + "".join(lines)
    )
    outcomes = ["failed"] * len(OPEN) + ["passed"] * len(DECIDED)
    assert [*run.outcomes.values()] == outcomes
    errors = [result.call.error for result in run.results.values()][: len(OPEN)]
    assert [error and error.message for error in errors] == [
        f"{expect.partition(':')[0]} looks at the top {depth}, and 10 ranks can be seen, as this search takes no "
        "k: give it a parameter k, or look no deeper than that"
        for expect, depth in OPEN.items()
    ]
