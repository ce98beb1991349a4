"""What the HTML report of a large run costs: `python benchmarks/page.py [--cases N]
[--times N] [--browser FILE]`.

The run has 10,000 cases of 10 results, with titles, and is compared with another run in
which other documents were returned and other cases failed. Printed are medians, each of
fresh processes: what the command `pytest-relevance report --format html` takes, the
size of its page, and the time to build and to write the page of a run that was read
before. `--browser` names a chromedriver, such as /usr/bin/chromedriver: Selenium then
opens the page in headless Chromium and measures what a reader waits for. With
`--cases 100000` the targets of the command are 15 s of CPU, 700 MB and 8 MB.
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
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from suite import PEAK

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.results.case_parts import CaseCall
from pytest_relevance.results.records.recorded_comparison import compare_recorded
from pytest_relevance.results.records.recorded_rankings import entries_of
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import CaseInRun, score_case

CASES, RESULTS, JUDGED, FLOOR = 10_000, 10, 12, 0.5
FILE = "shop.relevance.yaml"
WORDS = (
    "winter",
    "boots",
    "rain",
    "jacket",
    "black",
    "leather",
    "wool",
    "trail",
    "running",
    "tent",
    "lamp",
    "steel",
)

COMMAND = (
    PEAK
    + """
import json, sys, time
from pytest_relevance.cli import main
code = main(["report", sys.argv[1], "--format", "html", "--output", sys.argv[2]])
assert code == 0, code
print(json.dumps([time.process_time(), peak() / 1024]))
"""
)
"""Writes the page as users do."""

BUILD = (
    PEAK
    + """
import json, sys, time
from pytest_relevance import Run
run = Run.open(sys.argv[1])
started, used = time.perf_counter(), time.process_time()
from pathlib import Path
from pytest_relevance.ext.html.page import html_page
text = html_page(run)
built = time.perf_counter()
Path(sys.argv[2]).write_text(text, encoding="utf-8")
print(json.dumps([built - started, time.perf_counter() - started, time.process_time() - used]))
"""
)
"""Writes the page of a run that is read whole, which is not counted."""

TYPE = """
const done = arguments[arguments.length - 1];
const field = document.querySelector("input[type=search]");
const started = performance.now();
field.value = arguments[0];
field.dispatchEvent(new Event("input", {bubbles: true}));
const shows = () => [...document.querySelectorAll("tr[data-case]")].some((row) => row.dataset.case === arguments[1]);
const wait = () => (shows() ? done(performance.now() - started) : requestAnimationFrame(wait));
wait();
"""
OPEN = """
const done = arguments[arguments.length - 1];
const started = performance.now();
location.hash = arguments[0];
const isOpen = () => document.querySelector("[data-score]") !== null;
const wait = () => (isOpen() ? done(performance.now() - started) : requestAnimationFrame(wait));
wait();
"""
GRADE = """
const started = performance.now();
document.querySelector("#case .grades button").click();
document.body.offsetHeight;
return performance.now() - started;
"""


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, the target, and what came out."""

    what: str
    target: str
    found: str


def write_record(path: Path, cases: int) -> None:
    """A record of cases that were compared with another run: half of the results were
    returned there too.
    """
    chance = random.Random(20)
    before, after = [], []
    for number in range(cases):
        documents = [
            f"product-{chance.randrange(10**6)}" for _ in range(JUDGED + RESULTS)
        ]
        judgments = {
            document: chance.choice((0, 0, 1, 2, 3)) for document in documents[:JUDGED]
        }
        judgments[documents[0]] = 3
        titles = {document: " ".join(chance.sample(WORDS, 5)) for document in documents}
        values = {
            "query": f"query number {number}",
            "judgments": judgments,
            "min_ndcg": FLOOR,
            "scale": [0, 3],
        }
        before.append(scored(values, chance.sample(documents, RESULTS), titles, number))
        after.append(scored(values, chance.sample(documents, RESULTS), titles, number))
    files = {FILE: FileInfo(FILE, FILE, totals=[("search", None, cases)])}
    info = RunInfo("1.0", "2026-01-01T00:00:00+00:00")
    entries = entries_of(before, info, files)
    run = Run(after, files, info)
    compare_recorded(run, entries, "main.jsonl", before).write(path)


def scored(
    values: Mapping[str, object],
    ranking: Sequence[str],
    titles: Mapping[str, str],
    number: int,
) -> CaseResult:
    """The result of one case."""
    returned = [{"id": document, "title": titles[document]} for document in ranking]
    case = replace(case_from_values(values), line=number + 2)
    in_run = CaseInRun(FILE, f"{FILE}::{case.id}")
    return score_case(
        case, read_ranking(returned), CaseCall(latency=0.012), in_run=in_run
    )


def medians(script: str, record: Path, page: Path, times: int) -> list[float]:
    """The median of each figure that a script prints, of several processes."""
    found = []
    for _ in range(times):
        command = [sys.executable, "-c", script, str(record), str(page)]
        output = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
        found.append(json.loads(output.splitlines()[-1]))
    return [*map(statistics.median, zip(*found, strict=True))]


def written(record: Path, page: Path, cases: int, times: int) -> Iterator[Figure]:
    """What the page costs, and how large it is."""
    built, whole, used = medians(BUILD, record, page, times)
    text = f"{whole:.2f} s ({built:.2f} s to build it), {used:.2f} s of CPU"
    yield Figure("written, beyond the run", "within 3 s" * (cases <= CASES), text)
    cpu, memory = medians(COMMAND, record, page, times)
    targets = ("", "", "within 15 MB") if cases <= CASES else ("15 s", "700 MB", "8 MB")
    yield Figure("by the command, CPU", targets[0], f"{cpu:.2f} s")
    yield Figure("by the command, peak memory", targets[1], f"{memory:.0f} MB")
    yield Figure("size of the file", targets[2], f"{page.stat().st_size / 1e6:.1f} MB")


def opened(page: Path, driver: str, last: str, times: int) -> Iterator[Figure]:
    """What a reader waits for in headless Chromium."""
    from selenium import webdriver  # type: ignore[import-not-found, unused-ignore]

    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1600,1000",
    ):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        found = []
        for _ in range(times):
            browser.get("about:blank")
            started = time.perf_counter()
            browser.get(page.as_uri())
            while not browser.execute_script(
                "return document.querySelector('input[type=search]') !== null"
            ):
                time.sleep(0.005)
            usable = time.perf_counter() - started
            typed = browser.execute_async_script(TYPE, last.rpartition("::")[2], last)
            shown = browser.execute_async_script(OPEN, f"#case={quote(last)}")
            graded = browser.execute_script(GRADE)
            browser.execute_script("localStorage.clear()")
            found.append((usable * 1000, typed, shown, graded))
    finally:
        browser.quit()
    names = (
        "the list is usable",
        "a search is answered",
        "a query is opened",
        "a grade is given",
    )
    for name, target, values in zip(
        names, (2000, 100, 100, 50), zip(*found, strict=True), strict=True
    ):
        yield Figure(
            f"in Chromium: {name}",
            f"within {target:,} ms",
            f"{statistics.median(values):.0f} ms",
        )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument(
        "--times", type=int, default=5, help="how often to measure each figure"
    )
    parser.add_argument(
        "--browser", metavar="FILE", help="a chromedriver; needs the package selenium"
    )
    parser.add_argument(
        "--keep", metavar="FILE", type=Path, help="where to keep the page"
    )
    arguments = parser.parse_args()
    print(
        f"{arguments.cases:,} cases of {RESULTS} results, compared with another run; {os.cpu_count()} cores"
    )
    with tempfile.TemporaryDirectory() as folder:
        record, page = (
            Path(folder, "run.jsonl"),
            arguments.keep or Path(folder, "run.html"),
        )
        write_record(record, arguments.cases)
        figures = [*written(record, page, arguments.cases, arguments.times)]
        if arguments.browser:
            last = f"{FILE}::query number {arguments.cases - 1}"
            figures += opened(page.resolve(), arguments.browser, last, arguments.times)
    for figure in figures:
        print(f"{figure.what:36}  {figure.target:14}  {figure.found}")


if __name__ == "__main__":
    main()
