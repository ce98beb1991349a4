"""A project whose search writes down when each of its calls begins and ends, and in
which test.
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.plugin.conftest import Project, Run

ENGINE = """
    import asyncio
    import os
    import pathlib
    import threading
    import time
    import warnings
    import pytest

    here = pathlib.Path(__file__).parent
    lock = threading.Lock()

    def note(*words):
        with lock, (here / "log.txt").open("a") as file:
            file.write(f"{os.environ.get('PYTEST_CURRENT_TEST', '')}\\t{' '.join(words)}\\n")

    def answer(query):
        if query.startswith("boom"):
            raise ConnectionError("no engine for " + query)
        return query.split()

    together = threading.Barrier(2)

    def meet(query):
        if query in MEET and threading.current_thread() is not threading.main_thread():
            together.wait(60)

    def plain(query):
        note("begin", query)
        meet(query)
        time.sleep(PAUSE)
        note("end", query)
        return answer(query)

    async def coroutine(query):
        note("begin", query)
        await asyncio.sleep(PAUSE)
        note("end", query)
        return answer(query)

    def returns_coroutine(query):
        return coroutine(query)

    class Batches:
        def many(self, queries, **params):
            note("batch", *queries)
            return [[*query.split()] for query in queries]
"""

PLAIN = """
    @pytest.fixture(scope="session")
    def search():
        return plain
"""


INTERRUPTING = """
import os
import signal
import sys
import threading
import time
import pytest

began = threading.Event()
released = threading.Event()
interrupted = []

def alarm(number, frame):
    pytest.fail("Timeout")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    before = signal.signal(signal.SIGUSR1, alarm)
    try:
        return (yield)
    finally:
        signal.signal(signal.SIGUSR1, before)
        released.set()

def interrupt_once_it_is_in(function):
    if not interrupted:
        interrupted.append(True)
        while sys._current_frames()[threading.main_thread().ident].f_code.co_name != function:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGUSR1)
"""
"""An installed plugin with a timeout: `pytest.fail` in a handler of a signal, which a
search sends to its process.
"""


def numbered(count: int, more: str = "") -> str:
    """The text of a case file with so many cases, `q0` and on, each with its first
    document expected.
    """
    return "".join(
        [
            "cases:\n",
            *(
                f"  - {{query: q{number}, expect: {{first: q{number}}}{more}}}\n"
                for number in range(count)
            ),
        ]
    )


class Engine:
    """A project with a search that can be watched."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def searches(
        self, fixtures: str = PLAIN, *, pause: float = 0.01, meet: Sequence[str] = ()
    ) -> None:
        """Write the conftest.py: `fixtures` are those of the project, each call takes
        `pause` seconds.

        The two queries `meet` wait for each other where they are searched in threads,
        however slow the machine is.
        """
        self.project.conftest(
            ENGINE.replace("PAUSE", str(pause)).replace("MEET", repr(meet)) + fixtures
        )

    def with_plugin(self, name: str, text: str) -> Sequence[str]:
        """Install a plugin; return the options that load it."""
        self.project.write(f"site-packages/{name}.py", text)
        self.project.pytester.syspathinsert(self.project.path / "site-packages")
        return ("-p", name)

    def run(self, *args: str, loops: bool = False, cache: bool = False) -> Run:
        """Run pytest, and forget what was written down before."""
        (self.project.path / "log.txt").unlink(missing_ok=True)
        return self.project.run(*args, loops=loops, cache=cache)

    @property
    def log(self) -> list[list[str]]:
        """What was written down: `begin` and `end` of a query, `batch` and its
        queries.
        """
        return [words for _, words in self._lines]

    @property
    def _lines(self) -> list[tuple[str, list[str]]]:
        """What was written down, each with the test and the phase in which it was."""
        path = self.project.path / "log.txt"
        lines = (
            (line.split("\t") for line in path.read_text().splitlines())
            if path.exists()
            else ()
        )
        return [(test, words.split()) for test, words in lines]

    @property
    def calls(self) -> Counter[str]:
        """How often each query was searched."""
        return Counter(words[1] for words in self.log if words[0] == "begin")

    @property
    def batches(self) -> list[list[str]]:
        """The queries of each batch."""
        return [words[1:] for words in self.log if words[0] == "batch"]

    @property
    def most(self) -> int:
        """How many searches ran at a time, at most."""
        running = most = 0
        for kind, *_ in self.log:
            running += {"begin": 1, "end": -1}.get(kind, 0)
            most = max(most, running)
        return most

    @property
    def windows(self) -> list[list[str]]:
        """The queries that were searched in the call of one case, sorted, for each case
        that searched any.
        """
        found: dict[str, list[str]] = {}
        for test, (kind, *words) in self._lines:
            if kind == "begin":
                assert test.endswith("(call)")  # nothing runs between calls
                found.setdefault(test, []).append(words[0])
        return [sorted(window) for window in found.values()]


@pytest.fixture
def engine(project: Project) -> Engine:
    found = Engine(project)
    found.searches()
    return found
