"""What judgment files cost, beside pandas and plain Python:
`python benchmarks/judgments.py [NAME ...] [--pairs N]`.

As in `suite.py`: every reading is a process of its own, in interleaved pairs, and
printed are the median of the ratios and their quartiles. Each reads the same file with
bytecode cached and pandas imported before the clock starts.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from suite import (
    CONFTEST,
    OURS,
    PEAK,
    Figure,
    Measurements,
    Runner,
    environment,
    main,
    peak,
    spread,
)

QUERIES, PER_QUERY = 100_000, 10
FORMATS = {
    "CSV": (
        "judgments.csv",
        "query,docid,rating",
        "{query},{document},{grade}",
        "'query', 'docid', 'rating'",
        "",
    ),
    "TREC": (
        "qrels.txt",
        "",
        "{query} 0 {document} {grade}",
        "0, 2, 3",
        ", sep=' ', header=None",
    ),
}
"""Of each: the file, its header, a row, the columns that count, and what pandas must be
told.
"""

READ = (
    PEAK
    + """
import json, sys, time
import pandas
from pytest_relevance.judgments.reading import read_judgments
before = peak()
started = time.perf_counter()
{read}
took = time.perf_counter() - started
assert sum(map(len, found.values())) == {count}, "not all were read"
print(json.dumps([took, (peak() - before) / 1024]))
"""
)
OURS_READS = "found = read_judgments(sys.argv[1])"
THEIRS_READ = """
frame = pandas.read_csv(sys.argv[1], dtype=object, keep_default_na=False, usecols=[{columns}]{options})
found = {{}}
for query, document, grade in zip(*(frame[column].tolist() for column in ({columns}))):
    found.setdefault(query, {{}})[document] = int(grade)
"""

HAND_WRITTEN = """
import pandas
import pytest

queries = pandas.read_csv("queries.tsv", sep="\\t", names=["id", "query"], dtype=object, keep_default_na=False)
qrels = pandas.read_csv("qrels.txt", sep=" ", header=None, dtype=object, keep_default_na=False)
judgments = {}
for query, document, grade in zip(*(qrels[column].tolist() for column in (0, 2, 3))):
    judgments.setdefault(query, {})[document] = int(grade)
CASES = [pytest.param(query, judgments[name], id=name) for name, query in zip(queries["id"], queries["query"])]

@pytest.mark.parametrize(("query", "judged"), CASES)
def test_query(search, query, judged):
    search(query)
"""


def write_judgments(path: Path, header: str, row: str) -> None:
    """Ten judgments of each query."""
    random.seed(40)
    lines = [header] if header else []
    for number in range(QUERIES):
        documents = random.sample(range(1_000_000), PER_QUERY)
        lines += [
            row.format(
                query=f"q{number}",
                document=f"sku-{document}",
                grade=random.randint(0, 3),
            )
            for document in documents
        ]
    path.write_text("\n".join(lines) + "\n")


def reading(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading 1,000,000 judgments, beside pandas and a loop that makes dicts of its
    columns.
    """
    for name, (file, header, row, columns, options) in FORMATS.items():
        path = folder / file
        write_judgments(path, header, row)
        scripts = {
            "ours": OURS_READS,
            "theirs": THEIRS_READ.format(options=options, columns=columns),
        }
        scripts = {
            who: READ.format(read=read, count=QUERIES * PER_QUERY)
            for who, read in scripts.items()
        }
        rounds = [
            {
                who: _measured(folder, scripts[who], path)
                for who in (("ours", "theirs"), ("theirs", "ours"))[number % 2]
            }
            for number in range(max(5, pairs // 2))
        ]
        what = f"reading 1,000,000 judgments from {name}, beside pandas and dicts"
        yield Figure(
            what,
            "at most 1.5",
            spread([found["ours"][0] / found["theirs"][0] for found in rounds]),
        )
        seconds, megabytes = (
            [
                statistics.median(found[who][which] for found in rounds)
                for who in ("ours", "theirs")
            ]
            for which in (0, 1)
        )
        yield Figure(
            "the same: seconds",
            "",
            f"{seconds[0]:.2f} (pandas and dicts: {seconds[1]:.2f})",
        )
        yield Figure(
            "the same: added peak memory",
            "",
            f"{megabytes[0]:.0f} MiB (pandas and dicts: {megabytes[1]:.0f})",
        )


IN_QUERIES: dict[str, tuple[str, Callable[[str, dict[str, int]], object]]] = {
    "quepid": ("queries", lambda query, grades: {"query": query, "ratings": grades}),
    "rre": (
        "queries",
        lambda query, grades: {
            "placeholders": {"$query": query},
            "relevant_documents": {
                str(grade): [
                    document for document, each in grades.items() if each == grade
                ]
                for grade in range(4)
            },
        },
    ),
    "elasticsearch": (
        "requests",
        lambda query, grades: {
            "id": query,
            "request": {"query": {"match": {"title": query}}},
            "ratings": [
                {"_id": document, "rating": grade} for document, grade in grades.items()
            ],
        },
    ),
    "opensearch": (
        "judgmentRatings",
        lambda query, grades: {
            "query": query,
            "ratings": [
                {"docId": document, "rating": str(grade)}
                for document, grade in grades.items()
            ],
        },
    ),
}
"""Formats that are one JSON document: the key of their list, and what it has for a
query.
"""

IN_LINES = {
    "csv": ("query,docid,rating", "{query},{document},{grade}"),
    "trec": ("", "{query} 0 {document} {grade}"),
    "ltr": ("", "{grade} qid:{query} 1:0.5 # {document}"),
    "jsonl": ("", '{{"query": "{query}", "docid": "{document}", "rating": {grade}}}'),
}
"""Formats with a line for each judgment: their header and their lines."""


def formats(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading 1,000,000 judgments from each format."""
    path, read = (
        folder / "judgments",
        READ.format(read=OURS_READS, count=QUERIES * PER_QUERY),
    )

    def figure(name: str) -> Figure:
        taken = [_measured(folder, read, path)[0] for _ in range(max(2, pairs // 5))]
        return Figure(
            f"reading 1,000,000 judgments from {name}: seconds",
            "",
            f"{statistics.median(taken):.2f}",
        )

    for name, (header, row) in IN_LINES.items():
        write_judgments(path, header, row)
        yield figure(name)
    judgments = {
        f"q{number}": {
            f"sku-{document}": random.randint(0, 3)
            for document in random.sample(range(10**6), PER_QUERY)
        }
        for number in range(QUERIES)
    }
    path.write_text(json.dumps(judgments))
    yield figure("json")
    for name, (key, of_query) in IN_QUERIES.items():
        path.write_text(
            json.dumps(
                {key: [of_query(query, grades) for query, grades in judgments.items()]}
            )
        )
        yield figure(name)


def _measured(folder: Path, script: str, path: Path) -> tuple[float, float]:
    """The seconds and the added megabytes of a process that reads a file."""
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(
        command,
        env=environment(folder / "bytecode"),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def collecting(folder: Path, pairs: int) -> Iterator[Figure]:
    """Collecting a suite of three lines over 100,000 queries, beside a test that is
    parametrised over them by hand.
    """
    ours, theirs = folder / "ours", folder / "theirs"
    for place in (ours, theirs):
        place.mkdir()
        (place / "conftest.py").write_text(CONFTEST)
        (place / "pytest.ini").write_text("[pytest]\n")
        (place / "queries.tsv").write_text(
            "".join(f"q{number}\tquery number {number}\n" for number in range(QUERIES))
        )
        write_judgments(place / "qrels.txt", "", FORMATS["TREC"][2])
    (ours / "shop.relevance.yaml").write_text(
        "queries: queries.tsv\njudgments: qrels.txt\nmin_ndcg: 0.5\n"
    )
    (theirs / "test_shop.py").write_text(HAND_WRITTEN)
    runner = Runner(folder)
    found = runner.pairs(
        max(3, pairs // 3),
        lambda: runner.took(ours, "--collect-only", *OURS).wall,
        lambda: runner.took(theirs, "--collect-only").wall,
    )
    what = (
        "collecting three lines over 100,000 queries x 10 judgments, beside parametrize"
    )
    yield Figure(what, "at most 1.2", spread([a / b for a, b in found]))
    seconds = [statistics.median(times) for times in zip(*found, strict=True)]
    yield Figure(
        "the same: seconds", "", f"{seconds[0]:.1f} (parametrize: {seconds[1]:.1f})"
    )
    memory = (
        peak(folder, ours, "--collect-only", *OURS),
        peak(folder, theirs, "--collect-only"),
    )
    yield Figure(
        "the same: peak memory",
        "",
        f"{memory[0]:.2f} GiB (parametrize: {memory[1]:.2f})",
    )


CATALOGUES = {
    "JSON lines": (
        "products.jsonl",
        "",
        '{{"brand": {{"id": {n}}}, "id": "sku-{n}", "title": "The product {n}", "price": {n}}}',
    ),
    "CSV": ("products.csv", "id,title,price", 'sku-{n},"The product, {n}",{n}'),
}
"""Of each: the file, its header, a row."""

LOOK_UP = (
    PEAK
    + """
import json, sys, time
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.results.catalogue import Catalogue
before = peak()
started = time.perf_counter()
catalogue = Catalogue(sys.argv[1], sys.argv[1], CatalogueFile(sys.argv[1]))
found = catalogue.look_up([f"sku-{number}" for number in range(0, 1_000_000, 300)])
took = time.perf_counter() - started
assert len(found.titles) == 3334, "not all were found"
print(json.dumps([took, (peak() - before) / 1024]))
"""
)


def titles(folder: Path, pairs: int) -> Iterator[Figure]:
    """Looking up the titles of 3,334 documents in a catalogue of 1,000,000."""
    for name, (file, header, row) in CATALOGUES.items():
        path = folder / file
        lines = [
            *filter(None, [header]),
            *(row.format(n=number) for number in range(1_000_000)),
        ]
        path.write_text("\n".join(lines) + "\n")
        rounds = [_measured(folder, LOOK_UP, path) for _ in range(max(3, pairs // 3))]
        what = f"3,334 titles from 1,000,000 lines of {name}"
        seconds, megabytes = (
            statistics.median(values) for values in zip(*rounds, strict=True)
        )
        yield Figure(f"{what}: seconds", "at most 2", f"{seconds:.2f}")
        yield Figure("the same: added memory", "at most 300 MB", f"{megabytes:.0f} MB")


MEASUREMENTS: Measurements = {
    function.__name__: function for function in (reading, formats, collecting, titles)
}


if __name__ == "__main__":
    main(MEASUREMENTS, __doc__)
