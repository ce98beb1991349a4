"""What judgments from clicks cost: `python benchmarks/clicks.py [NAME ...]`.

Tables have 10,000,000 rows: 100,000 queries x 50 documents, each at two positions. User
Behavior Insights have as many lines: searches, impressions and clicks. Each reading is
a process of its own. `NAME` is one of csv, parquet and ubi. Needs the extra `parquet`,
and 5 GB of disk for `ubi`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from suite import PEAK, Figure, Measurements, environment, main

QUERIES, DOCUMENTS, PER_QUERY = 100_000, 200_000, 50
LINES = 10_000_000

CHILD = (
    PEAK
    + """
import json, sys, time
started = time.perf_counter()
from pytest_relevance.cli import main
code = main(["clicks", sys.argv[1], "-o", sys.argv[2]])
took = time.perf_counter() - started
print(json.dumps([code, took, time.process_time(), peak() / 1024]))
"""
)


def measured(folder: Path, log: Path, what: str, seconds: int) -> Iterator[Figure]:
    """What the command takes for a log."""
    command = [sys.executable, "-c", CHILD, str(log), str(folder / "clicks.csv")]
    done = subprocess.run(
        command,
        env=environment(folder / "bytecode"),
        capture_output=True,
        text=True,
        check=True,
    )
    *report, figures = done.stdout.splitlines()
    code, wall, cpu, memory = json.loads(figures)
    assert code == 0
    yield Figure(f"{what}: wall seconds", f"at most {seconds}", f"{wall:.1f}")
    yield Figure("the same: CPU seconds", f"at most {seconds}", f"{cpu:.1f}")
    yield Figure("the same: memory in MB", "at most 2,000", f"{memory:,.0f}")
    print("\n".join(report), file=sys.stderr)


def write_table(path: Path) -> Path:
    """A table: each document at two positions, of 50."""
    chance = random.Random(1)
    attraction = [chance.random() ** 3 for _ in range(997)]
    with path.open("w") as file:
        file.write("query,document,position,impressions,clicks\n")
        for query in range(QUERIES):
            first = chance.randrange(DOCUMENTS)
            for place in range(PER_QUERY):
                document = (first + place * 37) % DOCUMENTS
                other = (place + chance.randrange(1, 9)) % PER_QUERY
                likely = attraction[(query + document) % 997]
                for position in (place + 1, other + 1):
                    clicks = min(40, int(40 * likely / position + chance.random()))
                    file.write(
                        f"query number {query},sku-{document:07d},{position},40,{clicks}\n"
                    )
    return path


def write_ubi(path: Path) -> Path:
    """Searches with ten impressions each, in one of two orders, and their clicks."""
    chance = random.Random(1)
    lines = 0
    with path.open("w") as file:
        for number in range(LINES):
            query = int(20_000 * chance.random() ** 2)
            query_id = f"{number:08x}-5b2c-4c7e-9d1f-{query:012x}"
            client = f"client-{chance.randrange(300_000)}"
            common = (
                f'"application":"shop","query_id":"{query_id}","client_id":"{client}",'
                '"timestamp":"2026-11-28T10:00:00.000Z"'
            )
            file.write(
                f'{{{common},"user_query":"query number {query}","query_attributes":{{}}}}\n'
            )
            lines += 1
            for place in range(10):
                shown = place ^ (number & 1)
                document = (query * 7 + shown) % DOCUMENTS
                attributes = (
                    f'"event_attributes":{{"object":{{"object_id":"sku-{document:07d}","object_id_field":"sku"}},'
                    f'"position":{{"ordinal":{place + 1}}}}}'
                )
                actions = ["impression"]
                if chance.random() < 0.3 / (place + 1) / (shown % 4 + 1):
                    actions.append("click")
                for action in actions:
                    file.write(
                        f'{{"action_name":"{action}",{common},"session_id":"s-{number:032x}","message_type":"INFO",'
                        f'"message":"",{attributes}}}\n'
                    )
                lines += len(actions)
            if lines >= LINES:
                break
    return path


def csv(folder: Path, pairs: int) -> Iterator[Figure]:
    """A table as CSV."""
    path = write_table(folder / "log.csv")
    yield from measured(folder, path, "10,000,000 rows of CSV", 60)


def parquet(folder: Path, pairs: int) -> Iterator[Figure]:
    """The same table as Parquet."""
    import pandas

    path = folder / "log.parquet"
    pandas.read_csv(write_table(folder / "log.csv")).to_parquet(path, index=False)
    yield from measured(folder, path, "10,000,000 rows of Parquet", 60)


def ubi(folder: Path, pairs: int) -> Iterator[Figure]:
    """User Behavior Insights as JSON Lines."""
    path = write_ubi(folder / "ubi.jsonl")
    size = path.stat().st_size / 1e9
    what = f"10,000,000 lines of User Behavior Insights, {size:.1f} GB"
    yield from measured(folder, path, what, 120)


MEASUREMENTS: Measurements = {
    function.__name__: function for function in (csv, parquet, ubi)
}


if __name__ == "__main__":
    main(MEASUREMENTS, __doc__)
