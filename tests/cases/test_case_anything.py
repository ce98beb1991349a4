"""Whatever the bytes: a suite, or every mistake with its place; never another exception."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseFileError
from pytest_relevance.cases.reader import has_cases, parse_suite

PIECES = [
    *("cases:", "- query:", "judgments:", "id:", "k:", "tags:", "params:", "expect:", "scale:", "min_ndcg:", "<<:"),
    *(" ", "  ", "    ", "\n", "\n\n", "\n  ", "\n    ", "\t", "\r\n", ": ", ", ", "- ", "? ", "---\n", "...\n"),
    *("&a ", "*a", "&b", "*b ", "!!int ", "!x ", "{", "}", "[", "]", "{a: 1}", "[*a, *a]", '"', "'", "|\n", ">-\n"),
    *("x", "blue shoes", "1", "0.5", "-1", "no", "null", ".nan", "#", "# c\n", "%YAML 1.1\n", "@", "`", "\\"),
    *("\\ud800", "\ufeff", "\x00", "\x85", "\u2028", "é", "🙂", "P@5", "first", "ouch", "exact", "::", "k", "query"),
]
VALID = """\
scale: {exact: 3, bad: 0}
cases:
  - &a
    query: blue shoes
    judgments: {x: exact, y: [0, 3], z: {grade: 1, title: Shoe}}
    expect: {P@5: 0.2, first: x, results: ">= 1"}
    params: &p {deep: {list: [1, no]}}
  - <<: *a
    query: red
    min_ndcg: 0.5
    params: *p
k: 5
"""


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid file with some of it cut out and something else put in, up to three times."""
    text = VALID
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(PIECES) | st.text(max_size=3)) + text[end:]
    return text.encode("utf-8", "replace")


ANYTHING = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map(lambda pieces: "".join(pieces).encode()),
    st.lists(st.sampled_from(PIECES), max_size=15).map(
        lambda pieces: ("cases:\n  - query: " + "".join(pieces)).encode()
    ),
    st.text(max_size=40).map(lambda text: f"cases:\n  - query: {text}\n".encode("utf-8", "replace")),
    damaged(),
)


def assert_read_or_refused(data: bytes) -> None:
    has_cases(data)
    try:
        suite = parse_suite(data, "shop.yaml")
    except CaseFileError as error:
        problems = error.problems
    else:
        assert suite.cases
        assert len({case.node_name for case in suite.cases}) == len(suite.cases)
        return
    lines = data.count(b"\n") + data.count(b"\r") + data.count(b"\xc2\x85") + data.count(b"\xe2\x80") + 1
    assert problems
    for problem in problems:
        assert 1 <= problem.line <= lines
        assert 1 <= problem.column <= len(data) + 1
        assert problem.message
        assert problem.render("shop.yaml").isprintable()


@given(data=ANYTHING)
def test_any_bytes_are_a_suite_or_an_error_with_places(data: bytes) -> None:
    assert_read_or_refused(data)
