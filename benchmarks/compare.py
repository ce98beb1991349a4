"""What comparing two runs costs, in fresh processes:
`python benchmarks/compare.py [NAME ...] [--times N]`.

Printed are the medians of the times, which are wall and CPU, and the largest peak of
memory. Every ranking and every score of the second record differs from the first, which
is the worst case.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from page import write_record
from suite import PEAK

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    CaseCall,
    CaseConditions,
    CaseEvaluation,
    CaseRanking,
    count_grades,
)
from pytest_relevance.results.case_result import CaseResult, ndcg_at
from pytest_relevance.results.details import digest_of
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.verdict import defined

CASES, RESULTS, JUDGED = 100_000, 10, 14

LOAD = "runs = [Run.open(name) for name in sys.argv[1:]]"
COMPARE = "comparison = compare_runs(*sys.argv[1:])"
REPORT = f"{COMPARE}; text = comparison.summary()"
FRAME = f"{COMPARE}; frame = comparison.frame"
OTHER = "comparison = compare_runs(*sys.argv[1:], ['P@5', 'RR@10'])"
MERGE = "from pytest_relevance.cli import main; main(['merge', *sys.argv[1:4], '-o', sys.argv[4]])"
COMPARE_FILES = (
    "from pytest_relevance.cli import main; main(['compare', *sys.argv[1:3]])"
)

CHILD = (
    PEAK
    + """
import json, sys, time
started, used = time.perf_counter(), time.process_time()
from pytest_relevance import Run, compare_runs, randomisation_test, bootstrap_interval
{action}
took = time.perf_counter() - started
print()
print(json.dumps([took, time.process_time() - used, peak() / 1024]))
"""
)

TESTS = """
from random import Random
from pytest_relevance.results.compare.differences import ScorePair, Scores, differences_of
draw = Random(20).random
pairs = [ScorePair(("", str(number), ""), draw(), draw(), draw() + 1) for number in range(10_000)]
started, used = time.perf_counter(), time.process_time()
differences_of([Scores(None, "nDCG@10", pairs)])
"""


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, the target, and what came out."""

    what: str
    target: str
    found: str


def write_records(folder: Path) -> tuple[str, str]:
    """Two records of the same cases, whose rankings differ everywhere."""
    chance = random.Random(20)
    cases = []
    for number in range(CASES):
        documents = [f"product-{chance.randrange(10**6)}" for _ in range(JUDGED + 4)]
        cases.append(
            (
                f"query number {number}",
                documents,
                {each: chance.choice((0, 0, 1, 2, 3)) for each in documents[4:]},
            )
        )
    metric, paths = ndcg_at(10), []
    for name in ("first.jsonl", "second.jsonl"):
        results = []
        for number, (query, documents, judgments) in enumerate(cases):
            ranking = chance.sample(documents, RESULTS)
            graded = grade_ranking(ranking, judgments)
            result = CaseResult(
                file="shop.relevance.yaml",
                line=3 * number + 1,
                id=query,
                verdict="passed",
                query=query,
                tags=("head",) if number % 3 == 0 else (),
                conditions=CaseConditions(depth=10),
                ranking=CaseRanking(
                    documents=tuple(ranking),
                    grades=tuple(graded.grades),
                    returned=RESULTS,
                ),
                evaluation=CaseEvaluation(
                    judgments=count_grades([*judgments.values()]),
                    missing=tuple(
                        (each, grade)
                        for each, grade in judgments.items()
                        if each not in ranking
                    ),
                    digest=digest_of(judgments),
                    scores={metric.text: defined(score(metric, graded, Settings()))},
                    judged=RESULTS - graded.grades.count(None),
                    top=RESULTS,
                ),
                call=CaseCall(latency=chance.random() / 100),
            )
            results.append(result)
        paths.append(str(folder / name))
        Run(results).write(paths[-1])
    return paths[0], paths[1]


def measured(action: str, times: int, *arguments: str) -> tuple[str, str]:
    """How long an action takes in a process of its own, imports included, and its peak
    of memory.
    """
    root = str(Path(__file__).parent.parent)
    found = []
    for _ in range(times):
        command = [sys.executable, "-c", CHILD.replace("{action}", action), *arguments]
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(done.stdout.splitlines()[-1]))
    seconds, used, peaks = zip(*found, strict=True)
    spread = f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}, {times} times)"
    return f"{spread}, {statistics.median(used):.2f} s of CPU", f"{max(peaks):,.0f} MiB"


def records(folder: Path, times: int) -> Iterator[Figure]:
    """Two records of 100,000 cases with 10 results each."""
    paths = write_records(folder)
    size = sum(Path(path).stat().st_size for path in paths) / 2**20
    what = f"two records of {CASES:,} cases x {RESULTS} results ({size:.0f} MiB)"
    for action, name, target in (
        (LOAD, "loaded", ""),
        (COMPARE, "loaded and compared", "under 10 s and 2 GiB"),
        (REPORT, "loaded, compared and reported as text", ""),
        (FRAME, "loaded, compared and as a DataFrame", ""),
        (OTHER, "loaded and compared by two metrics that were not recorded", ""),
    ):
        yield Figure(
            f"{what}: {name}", target, ", ".join(measured(action, times, *paths))
        )


def shards(folder: Path, times: int) -> Iterator[Figure]:
    """Three shards of 100,000 cases with titles and baselines, merged; the whole
    compared with itself and another.
    """
    write_record(folder / "shard.jsonl", CASES)
    header, *lines = (
        (folder / "shard.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    )
    header, paths = header.replace(f"null,{CASES}]", f"null,{3 * CASES}]"), []
    for number in range(3):
        paths.append(str(folder / f"shard{number}.jsonl"))
        renamed = [
            line.replace("query number ", f"query {number} number ") for line in lines
        ]
        Path(paths[-1]).write_text("".join([header, *renamed]), encoding="utf-8")
    whole, other = str(folder / "whole.jsonl"), str(folder / "other.jsonl")
    merging = measured(MERGE, 1, *paths, whole)
    yield Figure(
        f"merging {3 * CASES:,} cases of three records",
        "at most 1 GB",
        ", ".join(merging),
    )
    write_turned(whole, other)
    for second, what in (
        (whole, "with themselves"),
        (other, "with a run in which each ranking differs"),
    ):
        comparing = measured(COMPARE_FILES, 1, whole, second)
        yield Figure(
            f"comparing {3 * CASES:,} cases {what}",
            "at most 1 GB",
            ", ".join(comparing),
        )


def write_turned(record: str, path: str) -> None:
    """Write a record with every ranking of another one turned round, and half of its
    scores.
    """
    with (
        open(record, encoding="utf-8") as lines,
        open(path, "w", encoding="utf-8") as file,
    ):
        file.write(next(lines))
        for values in map(json.loads, lines):
            ranking, evaluation = values["ranking"], values["evaluation"]
            for name in ("documents", "grades"):
                ranking[name].reverse()
            evaluation["scores"] = {
                name: score / 2 for name, score in evaluation["scores"].items()
            }
            file.write(f"{json.dumps(values)}\n")


def tests(folder: Path, times: int) -> Iterator[Figure]:
    """The tests of one metric over 10,000 weighted queries."""
    took, _ = measured(TESTS, times)
    yield Figure(
        "10,000 queries, 100,000 resamples: test, interval and effect of a metric",
        "under 1 s",
        took,
    )


MEASUREMENTS: dict[str, Callable[[Path, int], Iterator[Figure]]] = {
    function.__name__: function for function in (records, shards, tests)
}


def main() -> None:
    """Measure what the command line names, or everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(MEASUREMENTS)}; default: all",
    )
    parser.add_argument(
        "--times", type=int, default=5, help="how many processes are measured"
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MEASUREMENTS]
    if unknown:
        parser.error(
            f"unknown: {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}"
        )
    print("| what | target | found |\n|---|---|---|")
    for name in options.names or MEASUREMENTS:
        with tempfile.TemporaryDirectory() as folder:
            for figure in MEASUREMENTS[name](Path(folder), options.times):
                print(
                    f"| {figure.what} | {figure.target} | {figure.found} |", flush=True
                )


if __name__ == "__main__":
    main()
