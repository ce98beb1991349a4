"""What scoring costs, beside the libraries of the field:
`python benchmarks/metrics.py [--rounds N] [--only PART]`.

Every competitor starts from the same Python dicts ({query: {document: grade}}) and
lists ({query: [document, ...]}) and pays for its own conversion. Everything runs in one
process. The figures are medians of CPU time. The column "times faster" compares with
pytrec_eval-terrier; "target" says what it has to be at least.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from pytest_relevance.metrics.significance import randomisation_test
from pytest_relevance.results.evaluate import evaluate

Grades = dict[str, dict[str, float]]
Runs = dict[str, list[str]]

ONE = ("nDCG@10",)
FIVE = ("nDCG@10", "P@10", "RR", "AP", "R@100")


@dataclass(frozen=True, slots=True)
class Shape:
    """A data set: queries, results a query, judgments a query (fewest, most), targets
    for ONE and FIVE.
    """

    name: str
    queries: int
    results: int
    judged: tuple[int, int]
    targets: tuple[float, float]
    slow_peers: bool  # whether the peers that need minutes run too


SHAPES = (
    Shape("1,000 x 100", 1_000, 100, (100, 100), (7.0, 2.5), True),
    Shape("10,000 x 100", 10_000, 100, (100, 100), (7.0, 2.5), False),
    Shape("7,000 x 1,000, 1-5 judged", 7_000, 1_000, (1, 5), (80.0, 4.0), False),
    Shape("100,000 x 10", 100_000, 10, (10, 10), (2.0, 2.0), False),
)


def generate(shape: Shape, seed: int = 7) -> tuple[Grades, Runs]:
    """Make judgments and rankings: about two thirds of the judged documents are
    returned, at random ranks.

    Each id is a string of its own, made in the order of the ranks, as when a run and
    its qrels are read from two files.
    """
    rng = random.Random(seed)
    judgments: Grades = {}
    rankings: Runs = {}
    for number in range(shape.queries):
        query = f"q{number}"
        judged = rng.randint(*shape.judged)
        judgments[query] = {
            f"d{number}-{document}": rng.choice((0, 0, 0, 1, 2, 3))
            for document in range(judged)
        }
        returned = [document for document in range(judged) if rng.random() < 0.67]
        returned += range(judged, judged + shape.results - len(returned))
        rng.shuffle(returned)
        rankings[query] = [f"d{number}-{document}" for document in returned]
    return judgments, rankings


def ours(judgments: Grades, rankings: Runs, metrics: Sequence[str]) -> Any:
    return evaluate(judgments, rankings, metrics, gain="linear")


def with_scores(rankings: Runs) -> dict[str, dict[str, float]]:
    return {
        query: {
            document: float(len(ranking) - rank)
            for rank, document in enumerate(ranking)
        }
        for query, ranking in rankings.items()
    }


def trec(judgments: Grades, rankings: Runs, metrics: Sequence[str]) -> Any:
    import pytrec_eval

    names = {
        "nDCG@10": "ndcg_cut.10",
        "P@10": "P.10",
        "RR": "recip_rank",
        "AP": "map",
        "R@100": "recall.100",
    }
    evaluator = pytrec_eval.RelevanceEvaluator(
        judgments, {names[metric] for metric in metrics}
    )
    return evaluator.evaluate(with_scores(rankings))


def ir_measures(judgments: Grades, rankings: Runs, metrics: Sequence[str]) -> Any:
    import ir_measures

    measures = [ir_measures.parse_measure(metric) for metric in metrics]
    return list(ir_measures.iter_calc(measures, judgments, with_scores(rankings)))


def ranx(judgments: Grades, rankings: Runs, metrics: Sequence[str]) -> Any:
    import ranx

    names = {
        "nDCG@10": "ndcg@10",
        "P@10": "precision@10",
        "RR": "mrr",
        "AP": "map",
        "R@100": "recall@100",
    }
    qrels, run = ranx.Qrels(judgments), ranx.Run(with_scores(rankings))
    return ranx.evaluate(
        qrels, run, [names[metric] for metric in metrics], return_mean=False
    )


def scikit(judgments: Grades, rankings: Runs, metrics: Sequence[str]) -> Any:
    """Score nDCG alone, over what was returned; a call a query, because the rows are
    not equally long.
    """
    from sklearn.metrics import ndcg_score

    assert metrics == ONE
    scores = []
    for query, ranking in rankings.items():
        table = judgments[query]
        grades = [[table.get(document, 0) for document in ranking]]
        scores.append(ndcg_score(grades, [list(range(len(ranking), 0, -1))], k=10))
    return scores


Peer = Callable[[Grades, Runs, Sequence[str]], Any]
PEERS: Mapping[str, tuple[Peer, tuple[tuple[str, ...], ...], bool]] = {
    "pytest-relevance": (ours, (ONE, FIVE), False),
    "pytrec_eval-terrier": (trec, (ONE, FIVE), False),
    "ir_measures": (ir_measures, (ONE, FIVE), False),
    "ranx": (ranx, (ONE, FIVE), True),
    "scikit-learn": (scikit, (ONE,), True),
}


def measure(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Give the median CPU time of each call in milliseconds.

    The calls take turns, so that a busy minute of the machine hits all alike; in its
    turn each is called twice, and the second call counts, so that none pays for what
    the one before left in the processor's cache.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            call()
            start = time.process_time()
            call()
            taken[name].append((time.process_time() - start) * 1e3)
    return {name: median(times) for name, times in taken.items()}


def report(
    rows: Sequence[tuple[str, float]], base: float, target: float | None
) -> None:
    for name, milliseconds in rows:
        wanted = (
            f"   target {target:g}"
            if target is not None and name == "pytest-relevance"
            else ""
        )
        print(
            f"  {name:32} {milliseconds:12.2f} ms {base / milliseconds:10.2f} times faster{wanted}"
        )


def libraries(rounds: int, everything: bool) -> None:
    for shape in SHAPES:
        data = generate(shape)
        for metrics, target in zip((ONE, FIVE), shape.targets, strict=True):
            calls = {
                name: partial(peer, *data, metrics)
                for name, (peer, kinds, slow) in PEERS.items()
                if metrics in kinds and (not slow or shape.slow_peers or everything)
            }
            times = measure(calls, rounds)
            print(f"{shape.name}: {', '.join(metrics)}")
            report(list(times.items()), times["pytrec_eval-terrier"], target)


def change(judgments: Grades, grade_of: Callable[[float], float]) -> Grades:
    return {
        query: {document: grade_of(grade) for document, grade in table.items()}
        for query, table in judgments.items()
    }


KINDS: Mapping[str, Callable[[float], float]] = {
    "whole": lambda grade: grade,
    "thirds": lambda grade: float(grade and grade - random.choice((0, 1 / 3, 2 / 3))),
    "whole and halves": lambda grade: grade and grade - random.choice((0, 0.5)),
    "any fraction": lambda grade: float(grade and grade - random.random()),
}


def grades(rounds: int) -> None:
    """Fractional grades and exponential gain against whole grades and linear gain; at
    most 1.3 times the cost.
    """
    for shape in SHAPES:
        judgments, rankings = generate(shape)
        kinds = {kind: change(judgments, grade_of) for kind, grade_of in KINDS.items()}
        for metrics in (ONE, FIVE):
            calls = {
                f"{kind}, {gain}": partial(
                    evaluate, table, rankings, metrics, gain=gain
                )
                for kind, table in kinds.items()
                for gain in ("linear", "exponential")
            }
            times = measure(calls, rounds)
            print(
                f"{shape.name}: {', '.join(metrics)}; target at most 1.3 times the cost of whole, linear"
            )
            for name, milliseconds in times.items():
                ratio = milliseconds / times["whole, linear"]
                print(
                    f"  {name:32} {milliseconds:12.2f} ms {ratio:10.2f} times the cost"
                )


def memory() -> None:
    """The memory that a call adds at its peak, against that of its input; the target is
    less than once the input.
    """
    tracemalloc.start()
    judgments, rankings = generate(SHAPES[2])
    held, _ = tracemalloc.get_traced_memory()
    for metrics in (ONE, FIVE):
        evaluate(judgments, rankings, metrics)
        gc.collect()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        evaluate(judgments, rankings, metrics)
        _, peak = tracemalloc.get_traced_memory()
        print(
            f"{SHAPES[2].name}: {', '.join(metrics)}: the input holds {held / 2**20:.0f} MiB, "
            f"scoring it adds {(peak - before) / 2**20:.1f} MiB: {(held + peak - before) / held:.2f} times the input"
        )
    tracemalloc.stop()


def randomisation(rounds: int) -> None:
    """100,000 resamples over 1,000 queries; the target is 100 times faster than
    scipy.
    """
    from scipy.stats import permutation_test

    rng = np.random.default_rng(5)
    first, second = rng.random(1_000), rng.random(1_000)

    def scipy_test() -> Any:
        def mean_difference(x: Any, y: Any, axis: int = -1) -> Any:
            return np.mean(x - y, axis=axis)

        return permutation_test(
            (first, second),
            mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=100_000,
        )

    times = measure(
        {"pytest-relevance": lambda: randomisation_test(first, second)}, max(rounds, 5)
    )
    times |= measure({"scipy.stats.permutation_test": scipy_test}, 1)
    print("randomisation test, 1,000 queries, 100,000 resamples")
    base = times["scipy.stats.permutation_test"]
    for name, milliseconds in times.items():
        wanted = "   target 100" if name == "pytest-relevance" else ""
        print(
            f"  {name:32} {milliseconds:12.2f} ms {base / milliseconds:10.2f} times faster{wanted}"
        )


def main() -> None:
    parts: Mapping[str, Callable[[argparse.Namespace], None]] = {
        "libraries": lambda options: libraries(options.rounds, options.all),
        "grades": lambda options: grades(options.rounds),
        "memory": lambda _: memory(),
        "randomisation": lambda options: randomisation(options.rounds),
    }
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="how often each call is timed (default 7)"
    )
    parser.add_argument("--only", choices=list(parts), help="run one part")
    parser.add_argument(
        "--all",
        action="store_true",
        help="run ranx and scikit-learn on the large sets too (minutes)",
    )
    options = parser.parse_args()
    print(
        f"Python {sys.version.split()[0]}, numpy {np.__version__}, {options.rounds} rounds"
    )
    for name, part in parts.items():
        if options.only in (None, name):
            part(options)


if __name__ == "__main__":
    main()
