"""Latencies in projects that stop the time: a search that takes time is never as fast
as none.
"""

import pytest

from tests.plugin.conftest import Project

FREEZES = """
    import sys
    import threading
    import time
    import pytest

    CLOCKS = {name: getattr(time, name) for name in ("time", "perf_counter", "monotonic")}

    def stopped():
        return 1767225600.0

    @pytest.fixture(autouse=True)
    def stopped_time(monkeypatch):
        '''Replace the clocks in every module that has them, as freezegun does.'''
        for module in [*sys.modules.values()]:
            for name in CLOCKS:
                if vars(module).get(name) is CLOCKS[name]:
                    monkeypatch.setattr(module, name, stopped)
"""
STOPS = """
    import threading
    import pytest
    import {library}

    @pytest.fixture(autouse=True)
    def stopped_time():
        with {library}.{stops}:
            yield
"""
LIBRARIES = {
    "freezegun": "freeze_time('2026-01-01')",
    "time_machine": "travel('2026-01-01', tick=False)",
}
WAITS = """
    @pytest.fixture(scope="session")
    def search():
        def search(query):
            threading.Event().wait(0.04)
            return [query]
        return search
"""
SEARCHES = {
    "function": WAITS,
    "many": WAITS.replace(
        "        return search\n",
        "        search.many = lambda queries: [*map(search, queries)]\n"
        "        return search\n",
    ),
    "coroutine": WAITS.replace("def search(query)", "async def search(query)"),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.usefixtures("with_and_without_loops")
def test_a_stopped_clock_does_not_make_a_search_fast(
    project: Project, search: str
) -> None:
    project.conftest(FREEZES + search)
    project.cases("cases: [{query: boots, expect: {latency: 20 ms}}]")
    run = project.run()
    assert run.outcomes == {"boots": "failed"}
    assert run.results["boots"].call.latency >= 0.03  # type: ignore[operator]


@pytest.mark.engines
@pytest.mark.parametrize("library", ["freezegun", "time_machine"])
@pytest.mark.parametrize("options", [(), ("--relevance-concurrency=4",), ("-n1",)])
def test_libraries_that_stop_the_time_do_not_make_a_search_fast(
    project: Project, library: str, options: tuple[str, ...]
) -> None:
    pytest.importorskip(library)
    project.conftest(STOPS.format(library=library, stops=LIBRARIES[library]) + WAITS)
    project.cases(
        "gates: [{latency: {max: 20 ms}}]\ncases: [{query: boots}, {query: shoes}]"
    )
    run = project.run_apart(*options)
    assert "FAILED shop.relevance.yaml::gate[latency max <= 20 ms]" in run.text
    assert "1 failed, 2 passed" in run.text


# Plugins that pytest loads before pytest-relevance
STOPS_EARLY = "import time\ntime.perf_counter = lambda: 1767225600.0\n"
RUNS_BACK = (
    "import itertools, time\n"
    "time.perf_counter = itertools.count(1767225600.0, -1.0).__next__\n"
)


@pytest.mark.parametrize("plugin", [STOPS_EARLY, RUNS_BACK], ids=["stops", "runs back"])
def test_a_latency_that_could_not_be_measured_is_an_error(
    project: Project, plugin: str
) -> None:
    project.write("stops_early.py", plugin)
    project.conftest("    import threading\n    import pytest\n" + WAITS)
    project.cases("cases: [{query: boots, expect: {latency: 20 ms}}, {query: shoes}]")
    run = project.run_apart("-p", "stops_early")
    assert run.told("boots").startswith(
        "shop.relevance.yaml:1: the clock stood still during the search, so its "
        "latency is not known: time.perf_counter was replaced before pytest-relevance "
        "was loaded; stop the time later, or leave time.perf_counter alone"
    )
    # a case that does not look at the latency has none, and the run says so
    assert "2 cases: 1 error, 1 measured" in run.summary
    (warning,) = run.sentences("the clock stood still")
    assert warning.endswith("was replaced before pytest-relevance was loaded")


def test_the_record_says_when_the_run_really_began(project: Project) -> None:
    """Also if a conftest stops the time when it is imported."""
    project.conftest()
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write("\nimport time\ntime.time = lambda: 86400.0\n")
    project.cases("cases: [{query: boots}]")
    project.run_apart("--relevance-record=run.jsonl")
    assert str(project.recorded().info.started).startswith("2")
