"""What a history costs, in a fresh process: `python benchmarks/history.py [--runs N]
[--cases N] [--gzip]`.

Each run has the cases of the last one, 5 % of them with another ranking, and other
latencies. Printed are wall and CPU seconds and the peak of memory, of the report as
text and of the page; the targets are for 200 runs of 1,000 cases.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from compare import measured
from page import FILE, FLOOR, JUDGED, RESULTS, WORDS, scored

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo

RUNS, CASES = 200, 1_000
CHANGED = 20  # one case in so many

TEXT = "from pytest_relevance.cli import main; main(['history', sys.argv[1]])"
PAGE = "from pytest_relevance.cli import main; main(['history', sys.argv[1], '-o', sys.argv[2]])"


class Shop:
    """A shop whose search changes a little with every commit."""

    def __init__(self, cases: int) -> None:
        self._chance = random.Random(25)
        self._documents = [
            [f"product-{self._chance.randrange(10**6)}" for _ in range(JUDGED + 4)]
            for _ in range(cases)
        ]
        self._grades = [
            [3, *self._chance.choices((0, 0, 1, 2, 3), k=JUDGED - 1)]
            for _ in range(cases)
        ]
        self._results = [self._searched(number) for number in range(cases)]

    def _searched(self, number: int) -> CaseResult:
        documents, grades = self._documents[number], self._grades[number]
        judgments = dict(zip(documents, grades, strict=False))
        titles = {
            document: " ".join(self._chance.sample(WORDS, 5)) for document in documents
        }
        values = {
            "query": f"query number {number}",
            "judgments": judgments,
            "min_ndcg": FLOOR,
            "scale": [0, 3],
        }
        return scored(values, self._chance.sample(documents, RESULTS), titles, number)

    def run(self) -> list[CaseResult]:
        """The results of the next run."""
        for number in range(0, len(self._results), CHANGED):
            changed = number + self._chance.randrange(
                min(CHANGED, len(self._results) - number)
            )
            self._results[changed] = self._searched(changed)
        latencies = (self._chance.uniform(0.005, 0.05) for _ in self._results)
        return [
            replace(result, call=replace(result.call, latency=round(latency, 6)))
            for result, latency in zip(self._results, latencies, strict=True)
        ]


def write_runs(folder: Path, runs: int, cases: int, ending: str) -> None:
    """The records of so many runs, one an hour."""
    shop, start = Shop(cases), datetime(2026, 1, 1, tzinfo=timezone.utc)
    files = {FILE: FileInfo(FILE, FILE, totals=[("search", None, cases)])}
    for number in range(runs):
        info = RunInfo(
            "1.0",
            (start + timedelta(hours=number)).isoformat(),
            fingerprint={"index": f"products-{number}"},
        )
        Run(shop.run(), files, info).write(folder / f"run-{number:04}{ending}")


def main() -> None:
    """Write the records, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--gzip", action="store_true", help="pack the records")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "runs")
        folder.mkdir()
        write_runs(
            folder,
            options.runs,
            options.cases,
            ".jsonl.gz" if options.gzip else ".jsonl",
        )
        size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
        print("| what | target | found |\n|---|---|---|")
        for what, action in (("as text", TEXT), ("as a page", PAGE)):
            found = ", ".join(
                measured(action, 1, str(folder), str(Path(name, "history.html")))
            )
            runs = f"{options.runs:,} runs of {options.cases:,} cases ({size:.0f} MiB)"
            print(
                f"| {runs}, {what} | at most 20 s and 500 MiB | {found} |", flush=True
            )


if __name__ == "__main__":
    main()
