"""What the plugin costs, each figure beside its peer in one run:
`python benchmarks/suite.py [NAME ...] [--pairs N]`.

Processes are measured in interleaved pairs, as two runs of one thing differ by more
than what is looked for; printed are the median of the ratios (or differences) and their
quartiles, of CPU time (user and system) and of wall time. Only built-in plugins and the
measured one are loaded, but for `neighbours`. Bytecode is written and used, as on any
machine where tests run twice: `PYTHONDONTWRITEBYTECODE` is not passed on.
`instructions` counts with valgrind, whatever else the machine does: per case as the
difference of 1,600 and 1,100, so that what a whole process takes is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

OURS = ("-p", "pytest_relevance.plugin")
NEIGHBOURS = (
    "-p",
    "xdist.plugin",
    "-p",
    "pytest_asyncio.plugin",
    "-p",
    "anyio.pytest_plugin",
)
"""The plugins that most people have: pytest-xdist (unused here), pytest-asyncio and
anyio.
"""

CONFTEST = """
import pytest

DOCUMENTS = [f"doc{number}" for number in range(10)]

@pytest.fixture(scope="session")
def search():
    def search(query, k=10):
        return DOCUMENTS[:k]
    return search
"""


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, the target, and what came out."""

    what: str
    target: str
    found: str


def spread(values: list[float], unit: str = "", digits: int = 3) -> str:
    """The median and the quartiles of some values."""
    low, middle, high = (
        statistics.quantiles(values, n=4) if len(values) > 1 else (values[0],) * 3
    )
    return f"{middle:.{digits}f}{unit} ({low:.{digits}f} to {high:.{digits}f}, {len(values)} pairs)"


def environment(cache: Path) -> dict[str, str]:
    """The environment of a measured process: nothing autoloaded, bytecode cached
    outside of the tree.
    """
    found = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "PYTHON"))
    }
    root = str(Path(__file__).parent.parent)
    return {
        **found,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPYCACHEPREFIX": str(cache),
        "PYTHONPATH": root,
    }


class Took(NamedTuple):
    """What a process took: wall seconds, and the CPU seconds of it and of what it
    started.
    """

    wall: float
    cpu: float


Taken = TypeVar("Taken")
Pairs = list[tuple[Took, Took]]


def ratios(what: str, target: str, found: Pairs) -> Iterator[Figure]:
    """The ratios of pairs, by CPU time, which has the target, and by wall time."""
    yield Figure(
        f"{what}: CPU time",
        target,
        spread([ours.cpu / theirs.cpu for ours, theirs in found]),
    )
    yield Figure(
        "the same: wall time",
        "-",
        spread([ours.wall / theirs.wall for ours, theirs in found]),
    )


def differences(what: str, target: str, found: Pairs) -> Iterator[Figure]:
    """The differences of pairs in milliseconds, by CPU time, which has the target, and
    by wall time.
    """
    for name, goal, index in (
        (f"{what}: CPU time", target, 1),
        ("the same: wall time", "-", 0),
    ):
        yield Figure(
            name,
            goal,
            spread(
                [(ours[index] - theirs[index]) * 1000 for ours, theirs in found],
                " ms",
                1,
            ),
        )


def cpu_seconds() -> float:
    """The CPU seconds of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Runner:
    """Runs pytest in a folder and takes the time."""

    def __init__(self, folder: Path) -> None:
        self._environment = environment(folder / "bytecode")

    def took(self, folder: Path, *arguments: str) -> Took:
        """The seconds of one pytest process, which must pass."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *arguments,
        ]
        environment = {
            **self._environment,
            "PYTHONPATH": f"{folder}{os.pathsep}{self._environment['PYTHONPATH']}",
        }
        used, started = cpu_seconds(), time.perf_counter()
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        took = Took(time.perf_counter() - started, cpu_seconds() - used)
        if done.returncode not in (
            0,
            5,
        ):  # 5: nothing was collected, which is what one of them looks for
            raise SystemExit(
                f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-2000:]}"
            )
        return took

    def instructions(self, folder: Path, *arguments: str) -> float:
        """The millions of instructions of one pytest process, once its bytecode is
        written.
        """
        self.took(folder, *arguments)
        command = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            f"--cachegrind-out-file={os.devnull}",
            sys.executable,
        ]
        command += ["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        environment = {**self._environment, "PYTHONHASHSEED": "0"}
        environment["PYTHONPATH"] = f"{folder}{os.pathsep}{environment['PYTHONPATH']}"
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return (
            int(re.findall(r"I +refs: +([\d,]+)", done.stderr)[-1].replace(",", ""))
            / 1e6
        )

    def pairs(
        self, count: int, ours: Callable[[], Taken], theirs: Callable[[], Taken]
    ) -> list[tuple[Taken, Taken]]:
        """Interleaved measurements, after one of each to warm up; every other pair is
        taken the other way round.
        """
        ours(), theirs()
        found = []
        for number in range(count):
            if number % 2:
                second = theirs()
                found.append((ours(), second))
            else:
                first = ours()
                found.append((first, theirs()))
        return found


def write_suite(folder: Path, cases: int, judgments: int) -> tuple[Path, Path]:
    """The same search in two folders: cases in YAML, and as many functions written by
    hand, asserting nothing.
    """
    random.seed(20)
    ours, theirs = folder / f"yaml{cases}", folder / f"hand{cases}"
    for place in (ours, theirs):
        place.mkdir()
        (place / "conftest.py").write_text(CONFTEST)
        (place / "pytest.ini").write_text("[pytest]\n")
    lines = ["cases:"]
    for number in range(cases):
        lines += [
            f"  - query: query number {number}",
            "    min_ndcg: 0.1",
            "    judgments:",
            "      doc0: 3",
        ]
        lines += [
            f"      doc{other}: {random.randint(0, 3)}" for other in range(1, judgments)
        ]
    (ours / "made.relevance.yaml").write_text("\n".join(lines) + "\n")
    functions = (
        f'def test_query_number_{number}(search):\n    search("query number {number}")\n'
        for number in range(cases)
    )
    (theirs / "test_made.py").write_text("\n".join(functions))
    return ours, theirs


def empty(folder: Path, pairs: int) -> Iterator[Figure]:
    """One empty test, with this plugin and with one that does nothing."""
    place = folder / "empty"
    place.mkdir()
    (place / "pytest.ini").write_text("[pytest]\n")
    (place / "test_empty.py").write_text("def test_empty():\n    pass\n")
    (place / "plugin_of_nothing.py").write_text("")
    runner = Runner(folder)
    found = runner.pairs(
        pairs,
        lambda: runner.took(place, *OURS),
        lambda: runner.took(place, "-p", "plugin_of_nothing"),
    )
    yield from differences(
        "one empty test, beside an empty plugin", "within 5 ms", found
    )
    yield Figure(
        "the same: heavy modules imported", "none", imported(folder, place) or "none"
    )


def imported(folder: Path, place: Path, *watched: str) -> str:
    """Which of the heavy modules a pytest process with the plugin has imported at its
    end.
    """
    watched = watched or ("numpy", "pandas", "yaml")
    script = (
        "import sys, pytest; pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'pytest_relevance.plugin']);"
        f"print('\\n' + ' '.join(name for name in {watched!r} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place,
        env=environment(folder / "bytecode"),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def tree(folder: Path, pairs: int) -> Iterator[Figure]:
    """Collecting a tree of 20,000 unrelated files."""
    place = folder / "tree"
    for number in range(200):
        inner = place / f"folder{number}"
        inner.mkdir(parents=True)
        for other in range(100):
            (inner / f"file{other}.{('txt', 'json', 'yaml', 'md')[other % 4]}").touch()
    (place / "pytest.ini").write_text("[pytest]\n")
    runner = Runner(folder)
    found = runner.pairs(
        pairs,
        lambda: runner.took(place, "--collect-only", *OURS),
        lambda: runner.took(place, "--collect-only"),
    )
    yield from ratios(
        "collecting 20,000 unrelated files, beside no plugin", "at most 1.02", found
    )


PEAK = """
def peak():
    # VmHWM begins anew with each process; ru_maxrss remembers what the parent had when it was forked
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
"""

READ = (
    PEAK
    + """
import json, sys, time
import {module}
with open(sys.argv[1], "rb") as file:
    data = file.read() if {whole} else None
before = peak()
started = time.perf_counter()
found = {call}
took = time.perf_counter() - started
print(json.dumps([took, (peak() - before) / 1024]))
"""
)


def reading(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading a case file of 10,000 cases x 50 judgments, beside PyYAML's fast loader
    alone.
    """
    random.seed(30)
    lines = ["cases:"]
    for number in range(10_000):
        lines += [
            f"  - query: query number {number}",
            f"    id: q{number}",
            "    min_ndcg: 0.5",
            "    judgments:",
            "      top: 3",
        ]
        lines += [
            f"      sku-{number * 37 + other * 11}: {random.randint(0, 3)}"
            for other in range(49)
        ]
    path = folder / "large.relevance.yaml"
    path.write_text("\n".join(lines) + "\n")
    scripts = {
        "ours": READ.format(
            module="pytest_relevance.cases.reader as reader",
            whole=False,
            call="reader.read_suite(sys.argv[1])",
        ),
        "theirs": READ.format(
            module="yaml", whole=True, call="yaml.load(data, yaml.CSafeLoader)"
        ),
    }

    def measured(name: str) -> tuple[float, float]:
        command = [sys.executable, "-c", scripts[name], str(path)]
        done = subprocess.run(
            command,
            env=environment(folder / "bytecode"),
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, megabytes = json.loads(done.stdout)
        return seconds, megabytes

    found = [(measured("ours"), measured("theirs")) for _ in range(max(3, pairs // 3))]
    yield Figure(
        "reading 10,000 cases x 50 judgments, beside CSafeLoader: speed",
        "at least 4 times",
        spread([b[0] / a[0] for a, b in found]),
    )
    yield Figure(
        "the same: added memory",
        "at most 0.25",
        spread([a[1] / b[1] for a, b in found]),
    )


def small(folder: Path, pairs: int) -> Iterator[Figure]:
    """40 cases, beside 40 functions written by hand and a plugin that does nothing.

    Loading any plugin by its name makes pytest look through all installed packages,
    which takes 10 ms where these are many.
    """
    ours, theirs = write_suite(folder, 40, 10)
    (theirs / "plugin_of_nothing.py").touch()
    runner = Runner(folder)
    found = runner.pairs(
        pairs,
        lambda: runner.took(ours, *OURS),
        lambda: runner.took(theirs, "-p", "plugin_of_nothing"),
    )
    yield from differences("40 cases, beside 40 functions", "within 85 ms", found)
    yield Figure(
        "the same: heavy modules imported",
        "none",
        imported(folder, ours, "numpy", "pandas") or "none",
    )


PARAMETRISED = """
import math
from pathlib import Path

import pytest
import yaml
IMPORTS

TEXT = Path(__file__).with_name("made.relevance.yaml").read_text()
CASES = yaml.load(TEXT, Loader=yaml.CSafeLoader)["cases"]

@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])
def test_query(search, case):
    ranking = search(case["query"], k=10)
    judgments = case["judgments"]
    scores = {document: float(-rank) for rank, document in enumerate(ranking)}
SCORE
    assert ndcg >= case["min_ndcg"]
"""

PEERS = {
    "pytrec_eval": (
        "import pytrec_eval",
        """
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judgments}, {"ndcg_cut.10"})
    ndcg = evaluator.evaluate({"q": scores})["q"]["ndcg_cut_10"]
""",
    ),
    "ir_measures": (
        "import ir_measures\nfrom ir_measures import nDCG",
        """
    measured = ir_measures.calc_aggregate([nDCG @ 10], {"q": judgments}, {"q": scores})
    ndcg = measured[nDCG @ 10]
""",
    ),
    "scikit-learn": (
        "from sklearn.metrics import ndcg_score",
        """
    grades = [[judgments.get(document, 0) for document in scores]]
    ndcg = ndcg_score(grades, [list(scores.values())], k=10)
""",
    ),
}
"""What a user writes without this plugin: its import, and how it scores one case."""


def write_peer(folder: Path, cases: int, judgments: int, peer: str) -> Path:
    """Write a parametrised test over the YAML of `write_suite`, scored by a library."""
    name = f"{peer}{cases}"
    (folder / name).mkdir()
    suite, _ = write_suite(folder / name, cases, judgments)
    imports, score = PEERS[peer]
    test = PARAMETRISED.replace("IMPORTS", imports).replace("SCORE", score.strip("\n"))
    (suite / "test_made.py").write_text(test)
    return suite


def instructions(folder: Path, pairs: int) -> Iterator[Figure]:
    """Instructions of a case, of a function, and of a parametrised test that scores
    with a library, alone and with neighbours; of a case that is recorded or has a
    baseline; of a small run.
    """
    runner, few, many = Runner(folder), 1100, 1600
    suites = {count: write_suite(folder, count, 10) for count in (few, many)}
    ours = {count: suites[count][0] for count in suites}
    functions = {count: suites[count][1] for count in suites}

    def each(places: Mapping[int, Path], *options: str) -> float:
        most = runner.instructions(places[many], *options)
        least = runner.instructions(places[few], *options)
        return (most - least) / (many - few)

    alone = each(ours, *OURS)
    neighboured = each(ours, *NEIGHBOURS, *OURS)
    yield Figure("million instructions a case", "-", f"{alone:.3f}")
    yield Figure("... with neighbours", "-", f"{neighboured:.3f}")
    function = each(functions)
    found = f"{alone / function:.3f} ({function:.3f})"
    yield Figure("a case beside an empty function", "-", found)
    for peer in PEERS:
        target = "at most 1" if peer == "pytrec_eval" else "-"
        places = {count: write_peer(folder, count, 10, peer) for count in suites}
        theirs = each(places)
        found = f"{alone / theirs:.3f} ({theirs:.3f})"
        yield Figure(f"a case beside a test with {peer}", target, found)
        theirs = each(places, *NEIGHBOURS)
        found = f"{neighboured / theirs:.3f} ({theirs:.3f})"
        yield Figure("... with neighbours", target, found)
    recorded = each(ours, *OURS, f"--relevance-record={folder / 'record.jsonl'}")
    yield Figure(
        "recording a case, beside a case", "at most 1.08", f"{recorded / alone:.3f}"
    )
    for place in ours.values():
        runner.took(place, *OURS, "--relevance-update")
    yield Figure(
        "a case with a baseline, beside a case",
        "at most 1.08",
        f"{each(ours, *OURS) / alone:.3f}",
    )
    cases, by_hand = write_suite(folder, 40, 10)
    more = runner.instructions(cases, *OURS) - runner.instructions(by_hand)
    yield Figure(
        "million instructions of 40 cases, beside 40 functions", "-", f"{more:.0f} more"
    )


WITH_FIELDS = """
import pytest

DOCUMENTS = [{"id": f"doc{number}", "brand": "acme", "price": number} for number in range(10)]

@pytest.fixture(scope="session")
def search():
    def search(query, k=10):
        return DOCUMENTS[:k]
    return search
"""


def fields(folder: Path, pairs: int) -> Iterator[Figure]:
    """10,000 cases that expect something of two fields of ten results, beside cases
    that do not.
    """
    runner, places = Runner(folder), []
    for name, expected in (
        ("fields", "expect: {every@10: {brand: acme, price: '>= 0'}}\n"),
        ("none", ""),
    ):
        (folder / name).mkdir()
        place, _ = write_suite(folder / name, 10_000, 10)
        (place / "conftest.py").write_text(WITH_FIELDS)
        (place / "made.relevance.yaml").write_text(
            expected + (place / "made.relevance.yaml").read_text()
        )
        places.append(place)
    with_fields, without = (partial(runner.took, place, *OURS) for place in places)
    found = runner.pairs(pairs, with_fields, without)
    yield from ratios(
        "10,000 cases with every@10 of two fields, beside none", "at most 1.25", found
    )


def overlaps(folder: Path, pairs: int) -> Iterator[Figure]:
    """10,000 cases that expect overlap@10 with their baseline, beside the same baseline
    without that.
    """
    runner, places = Runner(folder), []
    for name, expected in (
        ("overlap", "expect: {overlap@10: 0.5}\n"),
        ("baseline", ""),
    ):
        (folder / name).mkdir()
        place, _ = write_suite(folder / name, 10_000, 10)
        (place / "made.relevance.yaml").write_text(
            expected + (place / "made.relevance.yaml").read_text()
        )
        runner.took(place, *OURS, "--relevance-update")
        places.append(place)
    with_overlap, without = (partial(runner.took, place, *OURS) for place in places)
    found = runner.pairs(pairs, with_overlap, without)
    yield from ratios(
        "10,000 cases with overlap@10 and a baseline, beside the baseline",
        "at most 1.05",
        found,
    )


def large(folder: Path, pairs: int) -> Iterator[Figure]:
    """10,000 cases x 10 judgments, beside 10,000 functions written by hand."""
    ours, theirs = write_suite(folder, 10_000, 10)
    runner = Runner(folder)
    found = runner.pairs(
        pairs, lambda: runner.took(ours, *OURS), lambda: runner.took(theirs)
    )
    yield from ratios(
        "10,000 cases x 10 judgments, beside functions", "at most 1.05", found
    )


def neighbours(folder: Path, pairs: int) -> Iterator[Figure]:
    """The same beside pytest-xdist, pytest-asyncio and anyio, which both sides load."""
    ours, theirs = write_suite(folder, 10_000, 10)
    runner = Runner(folder)
    found = runner.pairs(
        pairs,
        lambda: runner.took(ours, *NEIGHBOURS, *OURS),
        lambda: runner.took(theirs, *NEIGHBOURS),
    )
    yield from ratios(
        "10,000 cases x 10 judgments, beside functions, with neighbours",
        "at most 1.05",
        found,
    )


def files(folder: Path, pairs: int) -> Iterator[Figure]:
    """800 case files of one case, beside 800 Python files of one function, and beside
    200 case files.
    """
    runner, places = Runner(folder), {}
    for name, count, file, text in (
        (
            "few",
            200,
            "file{}.relevance.yaml",
            "cases: [{{query: query {}, min_ndcg: 0.1, judgments: {{doc0: 3}}}}]\n",
        ),
        (
            "ours",
            800,
            "file{}.relevance.yaml",
            "cases: [{{query: query {}, min_ndcg: 0.1, judgments: {{doc0: 3}}}}]\n",
        ),
        (
            "theirs",
            800,
            "test_file{}.py",
            'def test_query(search):\n    search("query {}")\n',
        ),
    ):
        place = places[name] = folder / name
        place.mkdir()
        (place / "conftest.py").write_text(CONFTEST)
        (place / "pytest.ini").write_text("[pytest]\n")
        for number in range(count):
            (place / file.format(number)).write_text(text.format(number))
    few, ours, theirs = (
        partial(runner.took, places[name], *OURS) for name in ("few", "ours", "theirs")
    )
    yield from ratios(
        "800 case files of one case, beside Python files",
        "at most 1.3",
        runner.pairs(pairs, ours, theirs),
    )
    yield from ratios(
        "the same, beside 200 of them", "at most 4", runner.pairs(pairs, ours, few)
    )


def huge(folder: Path, pairs: int) -> Iterator[Figure]:
    """100,000 cases x 10 judgments, and the memory they take."""
    ours, theirs = write_suite(folder, 100_000, 10)
    runner = Runner(folder)
    count = 1 if pairs < 15 else 3
    found = runner.pairs(
        count, lambda: runner.took(ours, *OURS), lambda: runner.took(theirs)
    )
    yield from ratios(
        "100,000 cases x 10 judgments, beside functions", "at most 1.1", found
    )
    yield Figure(
        "the same: peak memory",
        "at most 1 GiB",
        f"{peak(folder, ours, *OURS):.2f} GiB (functions: {peak(folder, theirs):.2f})",
    )


def kept(folder: Path, pairs: int) -> Iterator[Figure]:
    """Recording 10,000 cases x 10 judgments, and comparing them with a baseline, beside
    neither.
    """
    place, _ = write_suite(folder, 10_000, 10)
    runner = Runner(folder)
    with_baseline = folder / "with_baseline"
    shutil.copytree(place, with_baseline)
    runner.took(with_baseline, *OURS, "--relevance-update")
    # in one argument: pytest takes a path that exists, and stands alone, for one of
    # tests, and moves its rootdir there
    record = (f"--relevance-record={folder / 'record.jsonl'}",)
    ways = {
        "recording": (place, record),
        "comparing with a baseline": (with_baseline, ()),
        "both": (with_baseline, record),
    }
    for what, (where, options) in ways.items():
        found = runner.pairs(
            pairs,
            partial(runner.took, where, *OURS, *options),
            partial(runner.took, place, *OURS),
        )
        yield from ratios(
            f"10,000 cases, {what}, beside neither", "at most 1.08", found
        )


def peak(folder: Path, place: Path, *arguments: str) -> float:
    """The peak resident memory of a pytest process, in GiB."""
    command = ["-q", "-p", "no:cacheprovider", *arguments]
    script = f"{PEAK}\nimport pytest\npytest.main({command!r})\nprint()\nprint(peak())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place,
        env=environment(folder / "bytecode"),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.splitlines()[-1]) / 2**20


Measurements = dict[str, Callable[[Path, int], Iterator[Figure]]]
"""What there is to measure, by name: each takes a folder to work in and a number of
pairs.
"""

MEASUREMENTS: Measurements = {
    function.__name__: function
    for function in (
        empty,
        tree,
        reading,
        small,
        large,
        neighbours,
        instructions,
        fields,
        overlaps,
        files,
        kept,
        huge,
    )
}


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for what is generated, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="relevance-benchmark-") as name:
        yield Path(name)


def main(measurements: Measurements, about: str) -> None:
    """Measure what the command line names, or everything."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(measurements)}; default: all",
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=15,
        help="interleaved pairs of the small measurements",
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in measurements]
    if unknown:
        parser.error(
            f"unknown: {', '.join(unknown)}; there are {', '.join(measurements)}"
        )
    print("| what | target | found |\n|---|---|---|")
    for name in options.names or measurements:
        with scratch() as folder:
            for figure in measurements[name](folder, options.pairs):
                print(
                    f"| {figure.what} | {figure.target} | {figure.found} |", flush=True
                )


if __name__ == "__main__":
    main(MEASUREMENTS, __doc__)
