"""What several searches at a time and batches save:
`python benchmarks/searches.py [NAME ...] [--pairs N]`.

Every figure is net of a run with the same options whose search takes no time, so that
only the waiting counts. A figure is the time of searching one by one, divided by that
of searching together.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from suite import OURS, Figure, Measurements, Runner, main, spread

CONCURRENT = "--relevance-concurrency=16"

THREADS = """
import time
import pytest

@pytest.fixture(scope="session")
def search():
    def search(query):
        if {pause}:
            time.sleep({pause})
        return ["doc1", "doc2"]
    return search
"""

TASKS = """
import asyncio
import pytest

@pytest.fixture(scope="session")
def search():
    async def search(query):
        if {pause}:
            await asyncio.sleep({pause})
        return ["doc1", "doc2"]
    return search
"""

BATCHES = """
import time
import pytest

@pytest.fixture(scope="session")
def search():
    class Search:
        def many(self, queries):
            if {pause}:
                time.sleep({pause} + {pause} / 100 * len(queries))
            return [["doc1", "doc2"] for _ in queries]
    return Search()
"""

HTTP = """
import http.client
import json
import threading
import pytest

@pytest.fixture(scope="session")
def search():
    local = threading.local()
    def search(query):
        if not {pause}:
            return ["doc1", "doc2"]
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection("127.0.0.1", {port})
        local.connection.request("GET", "/")
        return json.loads(local.connection.getresponse().read())
    return search
"""

BUSY = """
import time
import pytest

@pytest.fixture(scope="session")
def search():
    def search(query):
        for _ in range({rounds}):
            pass
        return ["doc1", "doc2"]
    return search
"""

SERVER = """
import asyncio

BODY = b'["doc1", "doc2"]'
ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(BODY), BODY)

async def serve(reader, writer):
    try:
        while await reader.readuntil(b"\\r\\n\\r\\n"):
            await asyncio.sleep(0.02)
            writer.write(ANSWER)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""

PAUSE = 0.02


class Suite:
    """A suite whose search is written anew for each measurement."""

    def __init__(self, folder: Path, cases: int) -> None:
        self.place = folder / f"suite{cases}"
        self.cases = cases
        self.runner = Runner(folder)
        self.place.mkdir()
        (self.place / "pytest.ini").write_text("[pytest]\n")
        lines = ["min_ndcg: 0.1", "cases:"]
        for number in range(cases):
            lines += [
                f"  - query: query number {number}",
                "    judgments: {doc1: 3, doc2: 1}",
            ]
        (self.place / "made.relevance.yaml").write_text("\n".join(lines) + "\n")

    def seconds(self, search: str, *options: str, **values: object) -> float:
        """How long a run takes."""
        (self.place / "conftest.py").write_text(search.format(**values))
        return self.runner.took(self.place, *OURS, *options).wall

    def net(self, search: str, *options: str, pairs: int, **values: object) -> float:
        """The median of what a search adds to a run with the same options and a search
        of no time, in seconds.
        """
        found = [
            self.seconds(search, *options, pause=PAUSE, **values)
            - self.seconds(search, *options, pause=0, **values)
            for _ in range(pairs)
        ]
        return statistics.median(found)


def faster(one_by_one: float, together: float) -> str:
    return f"{one_by_one / together:.1f} times ({one_by_one:.1f} s to {together:.2f} s)"


def waiting(folder: Path, pairs: int) -> Iterator[Figure]:
    """1,000 cases of 20 ms, in threads and as tasks."""
    suite, pairs = Suite(folder, 1000), max(pairs // 5, 1)
    for name, search in (("threads", THREADS), ("tasks", TASKS)):
        together = suite.net(search, CONCURRENT, pairs=pairs)
        found = faster(suite.net(search, pairs=1), together)
        yield Figure(
            f"1,000 cases of 20 ms, 16 at a time ({name})",
            "at least 12 times faster",
            found,
        )


def batches(folder: Path, pairs: int) -> Iterator[Figure]:
    """10,000 cases in batches of 64, of 20 ms and 0.2 ms a query; one by one is what
    each query would take alone.
    """
    suite = Suite(folder, 10_000)
    together = suite.net(BATCHES, pairs=max(pairs // 5, 1))
    one_by_one = suite.cases * PAUSE * 1.01
    yield Figure(
        "10,000 cases in batches of 64",
        "at least 30 times faster",
        faster(one_by_one, together),
    )


@contextmanager
def server() -> Iterator[int]:
    """The port of an HTTP server that answers in 20 ms."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def http(folder: Path, pairs: int) -> Iterator[Figure]:
    """1,000 requests to a local HTTP server."""
    suite = Suite(folder, 1000)
    with server() as port:
        together = suite.net(HTTP, CONCURRENT, pairs=max(pairs // 5, 1), port=port)
        found = faster(suite.net(HTTP, pairs=1, port=port), together)
    yield Figure(
        "1,000 cases of an HTTP server of 20 ms, 16 at a time",
        "at least 10 times faster",
        found,
    )


def quick(folder: Path, pairs: int) -> Iterator[Figure]:
    """A search of no time, 16 at a time and one by one."""
    suite = Suite(folder, 1000)
    for name, search in (("threads", THREADS), ("tasks", TASKS)):
        found = suite.runner.pairs(
            pairs,
            lambda search=search: suite.seconds(search, CONCURRENT, pause=0),  # type: ignore[misc]
            lambda search=search: suite.seconds(search, pause=0),  # type: ignore[misc]
        )
        ratios = spread([a / b for a, b in found])
        yield Figure(
            f"1,000 cases of no time, 16 at a time beside one by one ({name})",
            "at most 1.10",
            ratios,
        )


def busy(folder: Path, pairs: int) -> Iterator[Figure]:
    """A search of 5 ms that holds the interpreter."""
    suite = Suite(folder, 1000)
    rounds = 200_000
    found = suite.runner.pairs(
        max(pairs // 3, 2),
        lambda: suite.seconds(BUSY, CONCURRENT, rounds=rounds),
        lambda: suite.seconds(BUSY, rounds=rounds),
    )
    ratios = spread([a / b for a, b in found])
    yield Figure(
        "1,000 cases that compute, 16 at a time beside one by one",
        "at most 1.10",
        ratios,
    )


MEASUREMENTS: Measurements = {
    function.__name__: function for function in (waiting, batches, http, quick, busy)
}


if __name__ == "__main__":
    main(MEASUREMENTS, __doc__ or "")
