"""Results with anything that their values may be, for properties of Hypothesis."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from pytest_relevance import CaseResult
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    STANDINGS,
    BaselineComparison,
    Outcome,
    Repeats,
    SearchError,
)
from pytest_relevance.results.case_result import VERDICTS
from tests.helpers import case_result, values_of

TEXTS = st.sampled_from(
    [
        "a",
        '},"',
        '"',
        "\\",
        "\n\r\u2028",
        ',"documents":[',
        '],"grades":[',
        "\ud800",
        "007",
        "",
        "\0",
        "</script>",
        "é",
    ]
)
ANY_TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
SCORES = st.none() | st.floats(0, 1)
NUMBERS = st.integers(1, 5) | st.floats(0.001, 1e9)
NAMED_SCORES = st.dictionaries(TEXTS, SCORES, max_size=2)
JUDGMENTS = st.dictionaries(st.sampled_from([0.0, 1.0, 2.5]), st.integers(1, 9))
PARAMS = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | TEXTS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
        ),
        max_leaves=5,
    ),
    max_size=2,
)
SETTINGS = st.builds(
    Settings,
    gain=st.sampled_from(["exponential", "linear"])
    | st.dictionaries(st.floats(-5, 5), st.floats(0, 9), min_size=1),
    discount=st.sampled_from(["log2", "ln"]),
    ideal=st.sampled_from(["judged", "returned", "max"]),
    unjudged=st.sampled_from(["zero", "skip"]),
    negative=st.sampled_from(["keep", "zero"]),
)


def tuples(
    each: st.SearchStrategy[Any], most: int = 3
) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(each, max_size=most).map(tuple)


OUTCOMES = values_of(
    Outcome,
    TEXTS,
    TEXTS,
    st.booleans(),
    SCORES,
    documents=tuples(TEXTS),
    wrong=tuples(TEXTS),
)
REPEATS = values_of(
    Repeats, st.integers(2, 4), st.integers(1, 4), documents=tuples(st.none() | TEXTS)
)


@st.composite
def results(draw: st.DrawFn) -> CaseResult:
    """A result that a record may have: its grades are those of its judgments, and these
    have gains.
    """
    documents, judgments, gains = draw(tuples(TEXTS)), draw(JUDGMENTS), draw(SETTINGS)
    grade = st.sampled_from([None, *judgments])
    if not isinstance(
        gains.gain, str
    ):  # a mapping has a gain for every grade that there is
        gains = replace(
            gains, gain={**gains.gain, **dict.fromkeys(judgments, 1.0), 0: 0.0}
        )
    standing = (st.sampled_from(STANDINGS), SCORES, tuples(TEXTS), NAMED_SCORES)
    accepted = draw(tuples(TEXTS))
    grades = st.tuples(*[grade] * len(accepted))
    compared = values_of(
        BaselineComparison, *standing, st.just(accepted), grades, NAMED_SCORES
    )
    fields = {
        "line": st.integers(1, 10**6),
        "verdict": st.sampled_from(VERDICTS),
        **dict.fromkeys(("file", "id", "query"), ANY_TEXTS),
        "variant": st.none() | TEXTS,
        "tags": tuples(TEXTS, 2),
        "params": PARAMS,
        "weight": NUMBERS,
        "k": st.integers(1, 100),
        "depth": st.none() | st.integers(0, 100),
        "floor": SCORES,
        "grade_names": st.dictionaries(st.floats(0, 4), TEXTS, max_size=2),
        "grades": st.tuples(*[grade] * len(documents)),
        "engine_scores": st.sampled_from([(), (0.5,) * len(documents)]),
        "returned": st.integers(0, 99),
        "deeper": st.dictionaries(TEXTS, st.integers(1, 99), max_size=2),
        "titles": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "missing": tuples(st.tuples(TEXTS, st.sampled_from([*judgments])))
        if judgments
        else st.just(()),
        "digest": st.sampled_from(["0" * 16, "0123456789abcdef"]),
        "scores": NAMED_SCORES,
        **dict.fromkeys(("outcomes", "reasons"), tuples(OUTCOMES, 2)),
        "baseline": st.none() | compared,
        "error": st.none() | values_of(SearchError, TEXTS, TEXTS, TEXTS),
        "latency": st.none() | st.floats(0, 9),
        "latency_shared": st.booleans(),
        "concurrency": st.integers(1, 64),
        "repeats": st.none() | REPEATS,
        "outcome": st.sampled_from(["", "passed", "failed", "xfailed"]),
    }
    found = {name: draw(values) for name, values in fields.items()}
    found["lower"], found["upper"] = draw(
        st.just((None, None)) | st.tuples(st.floats(0, 1), st.floats(0, 1))
    )
    return case_result(
        **found, documents=documents, judgments=judgments, settings=gains
    )
