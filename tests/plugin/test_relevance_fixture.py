"""The `relevance` fixture: the scoring and the report of a case file, in a test written
in Python.
"""

from collections.abc import Mapping

import pytest

from tests.plugin.conftest import Project, Run


def run_test(project: Project, body: str, *args: str) -> Run:
    """Run a test with the lines of `body` in it."""
    project.test(*body.strip("\n").splitlines())
    return project.run(*args)


def test_a_check_returns_what_it_found(project: Project) -> None:
    run = run_test(
        project,
        """
found = relevance.check("smart watch", ["b", "a", "x"], {"a": 3, "b": 1, "c": 0}, min_ndcg=0.7)
assert found.score == pytest.approx((1 + 7 / 1.584962500721156) / (7 + 1 / 1.584962500721156))
assert found.verdict == "passed"
assert (found.evaluation.judged, found.evaluation.top) == (2, 3)
lower, upper = found.interval
assert lower <= found.score < upper
assert found.unjudged == ["x"]
""",
    )
    assert run.counts == {"passed": 1}
    assert "1 check: 1 passed; mean nDCG@10 0.710" in run.summary


def test_a_ranking_that_is_filled_anew_is_recorded_as_it_was(project: Project) -> None:
    fills = "buffer.__setitem__(slice(None), query.split()) or buffer"
    project.search(f"buffer = []; return lambda query: {fills}", '(scope="session")')
    project.cases("cases: [{query: a b}, {query: c}]")
    project.test(
        "buffer = ['d', 'e']",
        'found = relevance.check("smart watch", buffer, {"d": 3, "e": 1}, min_ndcg=1)',
        "buffer[:] = ['f']",
        'assert list(found.ranking.documents) == ["d", "e"]',
        'relevance.check("smart watch", buffer)',
    )
    assert project.run("--relevance-record=run.jsonl").counts == {"passed": 3}
    rankings = [" ".join(each.ranking.documents) for each in project.recorded().results]
    assert rankings == ["a b", "c", "d e", "f"]


def test_a_check_that_fails_is_reported_like_a_case(project: Project) -> None:
    body = 'relevance.check("smart watch", ["b", "a"], {"a": 3, "b": 1}, min_ndcg=0.9, note="not a strap")'
    run = run_test(project, body)
    assert run.counts == {"failed": 1}
    text = run.failure("test_shop")
    first, second, *lines = text.splitlines()
    assert first == "test_shop.py:4: nDCG@10 0.710 is below 0.900"
    assert second.startswith('query "smart watch"   relevance.check   2 results')
    assert "note: not a strap" in lines
    assert "\nDCG 5.417 / ideal DCG 7.631 = nDCG@10 0.710" in text
    (lost,) = [line for line in lines if line.startswith("  a ")]
    assert lost.endswith("-0.339")
    short = "FAILED test_shop.py::test_shop - nDCG@10 0.710"
    assert run.short_summary == [short]


def test_the_line_is_that_of_the_check_wherever_it_is(project: Project) -> None:
    check = '"shoes", ["boots"], {"shoes": 3}, min_ndcg=0.9, expect={"first": "shoes"}'
    code = f"def check_shoes(relevance):\n    relevance.check({check})\n"
    helper = project.write("checks.py", code)
    project.pytester.syspathinsert()
    body = "from checks import check_shoes\ncheck_shoes(relevance)"
    assert f"{helper}:2: " in run_test(project, body, "--tb=line").text


BAD_CALLS = {
    '"shoes", [], {"a": 1}, min_ndgc=1': 'unknown key "min_ndgc" of a case; did you mean "min_ndcg"?',
    "7, []": "query: expected text, found 7",
    '"shoes", __import__("asyncio").sleep(0), {"a": 1}': "relevance.check was given <coroutine object",
    '"shoes", [], ["a"]': "judgments: ",
    '"shoes", [], {"7": 1, 7: 2}': "document '7' is judged twice, as text and as a number",
    '"shoes", [], {7.0: 1}': "judgments: a document id is text or a whole number, found 7.0",
    '"shoes", ["a"], first="a", expect={"first": "b"}': "first is given by itself and in expect; keep one of",
    '"shoes", [], {"a": 1}, params={}': "relevance.check takes no params: the ranking is given here",
    '"shoes", [], {"a": 1}, search="find"': "relevance.check takes no search: ",
    '"shoes", [], {"a": 1}, tags=["head"]': "relevance.check takes no tags: ",
    '"shoes", [], {"a": 1}, xfail="later"': "relevance.check takes no xfail: ",
    '"shoes", [], {"a": 1}, skip="later"': "relevance.check takes no skip: ",
    '"shoes", [], {"a": 1}, usefixtures=["x"]': "relevance.check takes no usefixtures: ",
    '"shoes", ["x"], expect={"same_as": "b"}': "takes no same_as",
    '"shoes", ["x"], expect={"overlap@5": 1}': "takes no overlap@5: it has no accepted ranking",
}


def test_a_key_or_value_that_a_case_file_would_refuse_is_a_value_error(
    project: Project,
) -> None:
    tests = (
        f"def test_{number}(relevance):\n    relevance.check({arguments})\n"
        for number, arguments in enumerate(BAD_CALLS)
    )
    project.write("test_shop.py", "\n".join(tests))
    run = project.run()
    assert run.counts == {"failed": len(BAD_CALLS)}
    for number, (arguments, message) in enumerate(BAD_CALLS.items()):
        text = run.failure(f"test_{number}")
        assert f">       relevance.check({arguments})"[:60] in text
        error = next(line for line in text.splitlines() if line.startswith("E  "))
        assert error.startswith("E       ValueError: relevance.check")
        assert message in error
    assert "pytest_relevance/" not in run.text
    assert "= relevance =" not in run.text


def test_expectations_by_themselves(project: Project) -> None:
    project.test(
        'relevance.check("boots", ["a", "b", 7], within={"a": 1, 7: "== 3", "c": ">10"}, order=[["a", "b"], [7, "z"]])',
        'relevance.check("boots", ["a", 7], first="a", include={"docs": [7], "within": 2}, results=2, exclude=[9])',
        'relevance.check("boots", ["a", "x"], relevant=["a"], expect={"P": 0.5, "within": {"a": 1}}, first="a")',
        "with pytest.raises(pytest.fail.Exception, match='within: \"b\" .at rank 2. is not in the top 1'):",
        '    relevance.check("boots", ["a", "b"], within={"b": 1})',
    )
    assert project.run().counts == {"passed": 1}


def test_marks_parameters_and_fixtures_of_the_test(project: Project) -> None:
    project.write(
        "test_shop.py",
        """
        import pytest

        @pytest.fixture
        def good(relevance):
            return lambda query, found: relevance.check(query, found, {"a": 3, "x": 0}, min_ndcg=0.9)

        @pytest.mark.xfail(reason="not yet")
        def test_xfail(good):
            good("shoes", ["x"])

        class TestShop:
            @pytest.mark.parametrize("found", ["a", "x"])
            def test_method(self, good, found):
                good("boots", [found])
        """,
    )
    run = project.run("-vv")
    assert run.outcomes == {
        "test_xfail": "xfailed",
        "TestShop::test_method[a]": "passed",
        "TestShop::test_method[x]": "failed",
    }
    assert "1 passed, 1 failed, 1 xfailed" in run.summary
    # of a check that passes, at -vv
    assert "test_shop.py:5: passed: nDCG@10 1.000, at least 0.900" in run.text


@pytest.mark.parametrize("mark", ["asyncio", "anyio"])
def test_in_an_async_test(project: Project, mark: str) -> None:
    pytest.importorskip("pytest_asyncio" if mark == "asyncio" else "anyio")
    project.write(
        "test_shop.py",
        f"""
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.{mark}
        async def test_shop(relevance):
            async def search(query):
                return ["b", "a"]
            relevance.check("shoes", await search("shoes"), {{"a": 3, "b": 1}}, min_ndcg=0.9)
        """,
    )
    told = project.run().failure("test_shop")
    assert told.startswith("test_shop.py:11: nDCG@10 0.710 is below 0.900")


def test_a_check_in_a_search_of_a_case_file_is_an_error_as_it_would_be_lost(
    project: Project,
) -> None:
    check = 'relevance.check(query, ["a"], expect={"first": "b"})'
    project.search(f"return lambda query: {check}", "", "relevance")
    project.cases("cases: [{query: shoes}]")
    run = project.run()
    assert run.counts == {"failed": 1}
    assert "write what it expects in the case file" in run.told("shoes")


# --- threads and tasks ----------------------------------------------------------------

FAILS = '"hats", ["x", "a"], {"a": 3, "x": 0}, min_ndcg=0.9'
RAISES = "with pytest.raises(pytest.fail.Exception): "
POOL = "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n    "
THREAD = f"""
import threading
def in_thread():
    relevance.check({FAILS})
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
"""
LATER = f"""
import asyncio
async def main():
    asyncio.get_running_loop().call_soon(lambda: relevance.check({FAILS}))
    await asyncio.sleep(0.01)
asyncio.run(main())
"""
TASK = f"""
import asyncio
async def in_task():
    relevance.check({FAILS})
async def main():
    await asyncio.wait([asyncio.ensure_future(in_task())])
asyncio.run(main())
"""
WAITED = "asyncio.wait([asyncio.ensure_future(in_task())])"
GATHERED = "asyncio.gather(in_task(), return_exceptions=True)"

LOST = {
    "thread": (THREAD, 6),
    "future": (f"{POOL}pool.submit(lambda: relevance.check({FAILS}))", 6),
    "function_of_a_future": (f"{POOL}pool.submit(relevance.check, {FAILS})", 3),
    "callback_of_a_loop": (LATER, 6),
    "task": (TASK, 6),
    "gathered_tasks": (TASK.replace(WAITED, GATHERED), 6),
}
EXPECTED = {
    "result": f"{POOL}{RAISES}\n        pool.submit(relevance.check, {FAILS}).result()",
    "thread": THREAD.replace("relevance.check", f"{RAISES}relevance.check"),
    "passes": f'{POOL}pool.submit(relevance.check, "hats", ["a"], {{"a": 3}}, min_ndcg=0.9)',
    "task": TASK.replace("relevance.check", f"{RAISES}relevance.check"),
    "awaited": TASK.replace(
        f"await {WAITED}", f"{RAISES}await asyncio.create_task(in_task())"
    ),
    "run": TASK.replace("asyncio.run(main())", f"{RAISES}asyncio.run(in_task())"),
}


def run_tests(project: Project, bodies: Mapping[str, str], *args: str) -> Run:
    """Run a test with each of these bodies, each in a file of its own."""
    for name, body in bodies.items():
        project.test(*body.strip("\n").splitlines(), name=f"test_{name}")
    return project.run(*args)


@pytest.mark.parametrize(
    "options",
    [(), ("-W", "ignore")],
    ids=["warnings are errors", "warnings are ignored"],
)
def test_a_failure_that_is_lost_in_a_thread_fails_the_test(
    project: Project, options: tuple[str, ...]
) -> None:
    run = run_tests(project, {name: body for name, (body, _) in LOST.items()}, *options)
    assert run.counts["failed"] == len(LOST)
    for name, (_, line) in LOST.items():
        below = f"test_{name}.py:{line}: nDCG@10 0.631 is below 0.900\n"
        assert below in run.failure(f"test_{name}")
    assert run.summary.splitlines()[0] == "6 checks: 6 failed; mean nDCG@10 0.631"


def test_a_failure_in_a_thread_that_the_test_expects(project: Project) -> None:
    assert run_tests(project, EXPECTED).counts == {"passed": len(EXPECTED)}


OUTLIVES = """
    import threading

    go, threads = threading.Event(), []

    def check(relevance, found):
        go.wait(30)
        relevance.check("late shoes", [found], {"a": 3, "x": 0}, min_ndcg=0.9)

    def test_that_starts_it(relevance):
        threads.append(threading.Thread(target=check, args=(relevance, FOUND)))
        threads[0].start()

    def test_that_is_next():
        go.set()
        threads[0].join()
"""


@pytest.mark.parametrize("found", ["a", "x"], ids=["passes", "fails"])
def test_a_check_in_a_thread_that_outlives_its_test_fails_the_run(
    project: Project, found: str
) -> None:
    project.write("test_shop.py", OUTLIVES.replace("FOUND", repr(found)))
    run = project.run("-W", "ignore")
    assert run.counts == {"passed": 2}
    assert run.code == pytest.ExitCode.TESTS_FAILED
    late = "1 check was made in a thread that its test did not wait for"
    (said,) = run.sentences(late)
    assert said.endswith('test_shop.py::test_that_starts_it: "late shoes"')
    assert "AttributeError" not in run.text


def test_a_test_that_is_expected_to_fail_in_a_thread(project: Project) -> None:
    body = THREAD.replace("\n", "\n    ")
    test = f"@pytest.mark.xfail\ndef test_shop(relevance):\n{body}"
    project.write("test_shop.py", f"import pytest\n{test}")
    assert project.run("-W", "ignore").counts == {"xfailed": 1}
