"""What large files cost, beside ir_measures:
`python benchmarks/large_files.py [NAME ...] [--pairs N]`.

A run of 2,000,000 lines, 2,000 queries x 1,000 documents. Every reading is a process of
its own, the two of a pair follow each other, and printed are the median of the ratios
and their quartiles: of wall time, of CPU time, and of the peak of memory. `--pairs N`
makes N / 5 pairs. Needs the extras `parquet` and `bench`.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suite import PEAK, Figure, Measurements, environment, main, spread

QUERIES, PER_QUERY, JUDGED = 2_000, 1_000, 25

CHILD = (
    PEAK
    + """
import json, sys, time
started = time.perf_counter()
{action}
took = time.perf_counter() - started
print(json.dumps([took, time.process_time(), peak() / 1024]))
"""
)
THEIRS = """
import ir_measures
qrels, run = ir_measures.read_trec_qrels(sys.argv[2]), ir_measures.read_trec_run(sys.argv[1])
ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
"""
READ = f"from pytest_relevance import read_run; assert len(read_run(sys.argv[1])) == {QUERIES}"
SCORED = """
from pytest_relevance import evaluate, read_judgments, read_run
evaluate(read_judgments(sys.argv[2]), read_run(sys.argv[1]))
"""
JUDGMENTS = f"from pytest_relevance import read_judgments; assert len(read_judgments(sys.argv[1])) == {QUERIES}"
READ_BOTH = "from pytest_relevance import read_run; runs = [read_run(path) for path in sys.argv[1:3]]"
COMPARED = "from pytest_relevance import compare_runs; compare_runs(*sys.argv[1:3], judgments=sys.argv[3])"
IMPORTS = """
import ir_measures, pandas, pyarrow.compute, pyarrow.csv, pyarrow.parquet
from pytest_relevance import evaluate, read_judgments, read_run
"""
"""Caches the bytecode of what is measured."""


@dataclass(frozen=True)
class Cost:
    """What a process took: wall and CPU seconds, and the peak of its memory in MB."""

    wall: float
    cpu: float
    memory: float


def cost(folder: Path, action: str, *paths: Path) -> Cost:
    """What an action takes in a process of its own, its imports included."""
    command = [
        sys.executable,
        "-c",
        CHILD.replace("{action}", action),
        *map(str, paths),
    ]
    done = subprocess.run(
        command,
        env=environment(folder / "bytecode"),
        capture_output=True,
        text=True,
        check=True,
    )
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def beside(
    folder: Path, pairs: int, what: str, targets: tuple[str, str], ours: tuple[str, list[Path]],
    theirs: tuple[str, list[Path]],
) -> Iterator[Figure]:  # fmt: skip
    """The figures of two actions: how many times ours takes less than theirs, and its
    share of their memory.
    """
    cost(folder, IMPORTS)
    found = [
        (cost(folder, ours[0], *ours[1]), cost(folder, theirs[0], *theirs[1]))
        for _ in range(max(2, pairs // 5))
    ]
    yield Figure(
        f"{what}: times faster",
        targets[0],
        spread([b.wall / a.wall for a, b in found], digits=2),
    )
    yield Figure(
        "the same in CPU time",
        targets[0],
        spread([b.cpu / a.cpu for a, b in found], digits=2),
    )
    yield Figure(
        "the same: share of memory",
        targets[1],
        spread([a.memory / b.memory for a, b in found], digits=2),
    )
    (wall, cpu, memory), (other, other_cpu, other_memory) = (
        [
            statistics.median(getattr(pair[side], name) for pair in found)
            for name in ("wall", "cpu", "memory")
        ]
        for side in (0, 1)
    )
    beside_it = f"{other:.1f} s, {other_cpu:.1f} s, {other_memory:.0f} MB"
    yield Figure(
        "the same",
        "",
        f"{wall:.1f} s, {cpu:.1f} s CPU, {memory:.0f} MB (beside {beside_it})",
    )


def write_run(path: Path, seed: int) -> Path:
    """A TREC run whose documents are drawn again for each query, in the order of their
    scores.
    """
    chance = random.Random(seed)
    with path.open("w") as file:
        for query in range(QUERIES):
            score = 30.0
            for rank, document in enumerate(chance.sample(range(20_000), PER_QUERY), 1):
                score -= chance.random() / 50
                file.write(f"{query} Q0 doc{document:07d} {rank} {score:.6f} bm25\n")
    return path


def write_qrels(path: Path, judged: int = JUDGED) -> Path:
    """Judgments of the same documents."""
    chance = random.Random(3)
    with path.open("w") as file:
        for query in range(QUERIES):
            for document in chance.sample(range(20_000), judged):
                file.write(f"{query} 0 doc{document:07d} {chance.randint(0, 3)}\n")
    return path


def converted(run: Path) -> Iterator[tuple[str, Path]]:
    """The run in other formats."""
    import pandas

    rows = pandas.read_csv(
        run,
        sep=" ",
        names=["query_id", "q0", "doc_id", "rank", "score", "tag"],
        dtype=object,
    )
    table = rows[["query_id", "doc_id", "score"]]
    for name, separator in (("CSV", ","), ("TSV", "\t")):
        table.to_csv(run.with_suffix(f".{name.lower()}"), sep=separator, index=False)
        yield name, run.with_suffix(f".{name.lower()}")
    table.assign(score=table["score"].astype(float)).to_parquet(
        run.with_suffix(".parquet"), index=False
    )
    yield "Parquet", run.with_suffix(".parquet")


def trec(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading a TREC run, and reading and scoring it, beside reading and scoring with
    ir_measures.
    """
    paths = [write_run(folder / "run.trec", 1), write_qrels(folder / "qrels.txt")]
    targets = "at least 1.5", "at most 0.9"
    yield from beside(
        folder,
        pairs,
        "reading 2,000,000 lines of TREC",
        targets,
        (READ, paths),
        (THEIRS, paths),
    )
    yield from beside(
        folder,
        pairs,
        "reading and scoring them",
        ("", ""),
        (SCORED, paths),
        (THEIRS, paths),
    )


def tables(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading the same run from tables, beside reading and scoring the TREC run with
    ir_measures.
    """
    paths = [write_run(folder / "run.trec", 1), write_qrels(folder / "qrels.txt")]
    for name, path in converted(paths[0]):
        targets = "at least 4", "at most 0.75"
        yield from beside(
            folder,
            pairs,
            f"reading the run from {name}",
            targets,
            (READ, [path]),
            (THEIRS, paths),
        )


def judgments(folder: Path, pairs: int) -> Iterator[Figure]:
    """Reading 1,000,000 judgments, beside reading them and the run and scoring with
    ir_measures.
    """
    qrels, run = (
        write_qrels(folder / "qrels.txt", 500),
        write_run(folder / "run.trec", 1),
    )
    what = "reading 1,000,000 lines of qrels"
    targets = "at least 4", "at most 0.75"
    yield from beside(
        folder, pairs, what, targets, (JUDGMENTS, [qrels]), (THEIRS, [run, qrels])
    )


def compare(folder: Path, pairs: int) -> Iterator[Figure]:
    """Comparing two such runs, beside reading both."""
    runs, qrels = (
        [write_run(folder / f"run{seed}.trec", seed) for seed in (1, 2)],
        write_qrels(folder / "qrels.txt"),
    )
    found = [
        (cost(folder, COMPARED, *runs, qrels), cost(folder, READ_BOTH, *runs))
        for _ in range(max(2, pairs // 5))
    ]
    yield Figure(
        "compare of two runs, beside reading both",
        "at most 3",
        spread([a.wall / b.wall for a, b in found]),
    )
    yield Figure(
        "the same in CPU time", "at most 3", spread([a.cpu / b.cpu for a, b in found])
    )
    yield Figure(
        "the same: memory in MB", "", spread([a.memory for a, _ in found], digits=0)
    )


MEASUREMENTS: Measurements = {
    function.__name__: function for function in (trec, tables, judgments, compare)
}


if __name__ == "__main__":
    main(MEASUREMENTS, __doc__)
