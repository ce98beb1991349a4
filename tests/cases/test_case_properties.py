"""What holds for every case file: it is read back as written, and mistakes are reported
in their places.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import Case, CaseFileError
from pytest_relevance.cases.names import OF_EXPRESSIONS
from pytest_relevance.cases.reader import has_cases, parse_suite
from tests.cases.conftest import schema_says
from tests.cases.texts import LIKE_SYNTAX, LIKE_VALUES

# Writing YAML in any style


@dataclass(frozen=True)
class Text:
    """Text, and how it is quoted; without quotes if it may stand plain."""

    text: str
    quotes: str = ""


@dataclass(frozen=True)
class Styled:
    """A mapping or a list, in block style or in flow style."""

    value: Any
    flow: bool = False


PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]*( [A-Za-z0-9._+/-]+)*")


def escaped(character: str) -> str:
    """Write a character between double quotes."""
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def scalar(value: object) -> str:
    if isinstance(value, float):
        return str(value)
    if not isinstance(value, Text):
        return json.dumps(value)
    if value.quotes == "'" and value.text.isprintable():
        return "'" + value.text.replace("'", "''") + "'"
    if value.quotes or not PLAIN.fullmatch(value.text):
        return '"' + "".join(map(escaped, value.text)) + '"'
    return value.text


def key_of(key: object) -> str:
    return scalar(key if isinstance(key, Text) else Text(str(key)))


def in_flow(written: object) -> str:
    value = written.value if isinstance(written, Styled) else written
    if isinstance(value, Mapping):
        pairs = [f"{key_of(key)}: {in_flow(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_flow, value)) + "]"
    return scalar(value)


def in_block(written: object, indent: int = 0) -> str:
    """Write a value, to stand behind a colon or a dash."""
    if not isinstance(written, Styled) or written.flow or not written.value:
        return in_flow(written)
    start = "\n" + " " * indent
    text = ""
    if isinstance(written.value, Mapping):
        for key, item in written.value.items():
            text += f"{start}{key_of(key)}: {in_block(item, indent + 2)}"
    else:
        for item in written.value:
            text += f"{start}- {in_block(item, indent + 2).lstrip()}"
    return text


# Suites, as the plain values that they are written of

QUOTES = st.sampled_from(["", "'", '"'])
RAW = st.sampled_from([*LIKE_VALUES, *LIKE_SYNTAX]) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
)
TEXTS = st.builds(Text, RAW, QUOTES)
WORDS = st.from_regex(r"[a-z0-9][a-z0-9.+-]{0,5}", fullmatch=True).filter(
    lambda word: word not in OF_EXPRESSIONS
)
TAGS = st.lists(WORDS, max_size=3, unique=True).flatmap(
    lambda words: st.tuples(*[st.builds(Text, st.just(word), QUOTES) for word in words])
)
NUMBERS = st.integers(-1000, 1000) | st.integers(-1000, 1000).map(lambda n: n / 8)
CONVERTS = re.compile(r"true|false|null|-?[0-9]+(\.[0-9]+)?")
TEXT_VALUES = TEXTS.filter(
    lambda text: bool(text.quotes) or not CONVERTS.fullmatch(text.text)
)
VALUES = st.recursive(
    NUMBERS | st.booleans() | st.none() | TEXT_VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(RAW, inner, max_size=3),
    max_leaves=6,
)
RATINGS = st.lists(st.integers(0, 3), min_size=1, max_size=3)
GRADES = st.integers(0, 3) | st.sampled_from([0.5, 1.25]) | RATINGS
PARAMETERS = RAW.filter(lambda name: name not in ("k", "query", "<<"))
FIXTURES = st.sampled_from(["db", "cache", "clock"]).map(Text)


def one_of(*words: str) -> st.SearchStrategy[Text]:
    return st.builds(Text, st.sampled_from(words), QUOTES)


KEYS_OF_A_CASE: Mapping[str, st.SearchStrategy[Any]] = {
    "judgments": st.dictionaries(RAW, GRADES, max_size=6),
    "note": TEXTS,
    "k": st.integers(1, 100),
    "weight": st.integers(1, 9),
    "min_judged": st.sampled_from([0, 0.5, 1]),
    "discount": one_of("log2", "ln"),
    "unjudged": one_of("zero", "skip"),
    "ideal": one_of("judged", "returned", "max"),
    "params": st.dictionaries(PARAMETERS, VALUES, max_size=3),
    "usefixtures": st.lists(FIXTURES, max_size=3, unique=True),
    "tags": TAGS.map(list),
}
KEYS_OF_A_SUITE: Mapping[str, st.SearchStrategy[Any]] = {
    "k": st.integers(1, 100),
    "search": st.just(Text("find")),
    "raters": one_of("median", "max", "majority"),
    "tags": TAGS.map(list),
    "min_judged": st.sampled_from([0, 0.25]),
}
Keys = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """The keys of a suite, and those of its cases. The id of a case is its number."""

    header: Keys
    cases: list[Keys]


@st.composite
def suites(draw: st.DrawFn) -> Drawn:
    header = draw(st.fixed_dictionaries({}, optional=KEYS_OF_A_SUITE))
    cases = []
    for number in range(draw(st.integers(1, 4))):
        query = draw(TEXTS.filter(lambda text: bool(text.text.strip())))
        own = draw(st.fixed_dictionaries({}, optional=KEYS_OF_A_CASE))
        keys = {"query": query, "id": Text(f"case {number}"), **own}
        cases.append(dict(draw(st.permutations(list(keys.items())))))
    return Drawn(header, cases)


@st.composite
def files(draw: st.DrawFn, suite: Drawn) -> str:
    """Write a case file: each value in block or flow style, the cases above or below
    other keys.
    """

    def styled(value: object) -> object:
        if isinstance(value, dict):
            pairs = {key: styled(item) for key, item in value.items()}
            return Styled(pairs, draw(st.booleans()))
        if isinstance(value, list):
            return Styled([styled(item) for item in value], draw(st.booleans()))
        return value

    keys = list(suite.header.items())
    keys.insert(draw(st.integers(0, len(keys))), ("cases", suite.cases))
    top = {name: styled(value) for name, value in keys}
    return in_block(Styled(top)).lstrip("\n") + "\n"


def meant(value: object) -> object:
    """Give what a value that was written means."""
    if isinstance(value, Text):
        return value.text
    if isinstance(value, dict):
        return {key: meant(item) for key, item in value.items()}
    if isinstance(value, list):
        return [meant(item) for item in value]
    return value


def keys_of(case: Case) -> Keys:
    """Give the keys that make a case; without tags and judgments."""
    return {
        "query": case.query,
        "id": case.id,
        "note": case.note,
        "k": case.k,
        "weight": case.weight,
        "min_judged": case.min_judged,
        "params": case.params,
        "usefixtures": list(case.usefixtures),
        "search": case.search,
        "raters": case.terms.raters,
        "discount": case.settings.discount,
        "unjudged": case.settings.unjudged,
        "ideal": case.settings.ideal,
    }


@given(suite=suites(), data=st.data())
@settings(deadline=None)
def test_a_suite_is_read_back_as_it_was_written_and_the_schema_accepts_it(
    suite: Drawn, data: st.DataObject
) -> None:
    text = data.draw(files(suite))
    assert schema_says(text) == []
    read = parse_suite(text.encode(), "shop.yaml")
    for case, written in zip(read.cases, suite.cases, strict=True):
        expected = {"k": 10, "min_judged": 0, **suite.header, **written}
        tags = [*suite.header.get("tags", []), *written.get("tags", [])]
        judged = written.get("judgments", {})
        expected.pop("tags", None)
        expected.pop("judgments", None)
        read_keys = keys_of(case)
        for name, value in expected.items():
            assert read_keys[name] == meant(value), name
        assert list(case.tags) == list(dict.fromkeys(tag.text for tag in tags))
        assert list(case.judgments) == list(judged)
        for document, grade in judged.items():
            if not isinstance(grade, list):
                assert case.judgments[document] == grade


# Mistakes


@dataclass(frozen=True)
class Poisoned:
    """A mistake: the key of a case that has it, and what stands there."""

    name: str
    value: object


OUCH = Text("ouch")
FIGURES = ["k", "min_ndcg", "weight", "min_judged", "tolerance", "scale", "gain"]
CHOICES = ["discount", "ideal", "unjudged", "raters"]
COLLECTIONS = ["params", "tags", "expect"]
POISONS = [
    *[Poisoned(name, OUCH) for name in (*FIGURES, *CHOICES, *COLLECTIONS)],
    Poisoned("ouch", 1),
    Poisoned("judgments", {"a": 1, "b": OUCH}),
    Poisoned("judgments", {"a": 1, "b": [2, OUCH]}),
    Poisoned("judgments", {"a": 1, "b": {"grade": OUCH, "note": Text("x")}}),
    Poisoned("judgments", {"a": 1, "b": {"grade": 1, "ouch": 2}}),
    Poisoned("xfail", {"reason": Text("x"), "strict": OUCH}),
    Poisoned("tags", [Text("a"), Text("ouch!", '"')]),
    Poisoned("usefixtures", [Text("a"), Text("ouch!", "'")]),
    Poisoned("expect", {"P@5": OUCH}),
    Poisoned("expect", {"ouch": 1}),
    Poisoned("expect", {"include": {"docs": [Text("a")], "within": OUCH}}),
    Poisoned("expect", {"first": [Text("ouch"), Text("b"), Text("ouch", "'")]}),
    Poisoned("gain", {"1": 1, "ouch": 2}),
    Poisoned("gain", {"1": OUCH}),
    Poisoned("id", Text("ouch::ouch", '"')),
]


@given(suite=suites(), poison=st.sampled_from(POISONS), data=st.data())
def test_a_mistake_is_reported_where_it_stands(
    suite: Drawn, poison: Poisoned, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(suite.cases) - 1))
    keys = {**suite.cases[number], poison.name: poison.value}
    suite.cases[number] = dict(data.draw(st.permutations(list(keys.items()))))
    text = data.draw(files(suite))
    with pytest.raises(CaseFileError) as caught:
        parse_suite(text.encode(), "shop.yaml")
    (problem,) = caught.value.problems
    line = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)[problem.place.line - 1]
    assert re.match("[\"']?ouch", line[problem.place.column - 1 :])
    case = "ouch::ouch" if poison.name == "id" else f"case {number}"
    assert problem.case == f'"{case}"'


# Whatever the bytes: a suite, or every mistake with its place; never another exception

KEYS = ["cases:", "- query:", "judgments:", "id:", "k:", "tags:", "params:", "expect:"]
SPACES = [" ", "  ", "    ", "\n", "\n\n", "\n  ", "\n    ", "\t", "\r\n"]
SIGNS = [": ", ", ", "- ", "? ", "---\n", "...\n", "{", "}", "[", "]", '"', "'", "#"]
ANCHORS = ["&a ", "*a", "&b", "*b ", "!!int ", "!x ", "{a: 1}", "[*a, *a]", "<<:"]
BLOCKS = ["|\n", ">-\n", "# c\n", "%YAML 1.1\n", "@", "`", "\\", "scale:", "min_ndcg:"]
SCALARS = ["x", "blue shoes", "1", "0.5", "-1", "no", "null", ".nan", "P@5", "first"]
CHARACTERS = ["\\ud800", "\ufeff", "\x00", "\x85", "\u2028", "é", "🙂", "::", "exact"]
PIECES = st.sampled_from(
    [*KEYS, *SPACES, *SIGNS, *ANCHORS, *BLOCKS, *SCALARS, *CHARACTERS, "k", "query"]
)
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
def damaged(draw: st.DrawFn) -> str:
    """A valid file with some of it cut out and something else put in, up to three
    times.
    """
    text = VALID
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 12))
        text = text[:start] + draw(PIECES | st.text(max_size=3)) + text[end:]
    return text


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


ANYTHING = st.one_of(
    st.binary(max_size=60),
    st.lists(PIECES, max_size=25).map("".join).map(encoded),
    st.lists(PIECES, max_size=15).map(
        lambda pieces: encoded("cases:\n  - query: " + "".join(pieces))
    ),
    st.text(max_size=40).map(lambda text: encoded(f"cases:\n  - query: {text}\n")),
    damaged().map(encoded),
)


@given(data=ANYTHING)
def test_any_bytes_are_a_suite_or_an_error_with_places(data: bytes) -> None:
    has_cases(data)
    try:
        suite = parse_suite(data, "shop.yaml")
    except CaseFileError as error:
        problems = error.problems
    else:
        assert suite.cases
        assert len({case.node_name for case in suite.cases}) == len(suite.cases)
        return
    ends_of_lines = (b"\n", b"\r", b"\xc2\x85", b"\xe2\x80")
    lines = 1 + sum(data.count(end) for end in ends_of_lines)
    assert problems
    for problem in problems:
        assert 1 <= problem.place.line <= lines
        assert 1 <= problem.place.column <= len(data) + 1
        assert problem.message
        assert problem.render("shop.yaml").isprintable()
