"""What holds for every case file: read back as written, the same by every way of reading, mistakes in their places."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import CaseFileError
from pytest_relevance.cases.names import OF_EXPRESSIONS
from pytest_relevance.cases.reader import has_cases, parse_suite


@dataclass(frozen=True)
class Text:
    """Text, and how it is quoted: "" where it may stand plain."""

    text: str
    quotes: str = ""


@dataclass(frozen=True)
class Written:
    """YAML in one of its styles, of mappings, lists, `Text` and values that are written plain."""

    value: object
    flow: bool = False


PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]*( [A-Za-z0-9._+/-]+)*")


def escaped(character: str) -> str:
    """A character between double quotes."""
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def scalar(value: object) -> str:
    if not isinstance(value, Text):
        return str(value) if isinstance(value, float) else json.dumps(value)
    if value.quotes == "'" and value.text.isprintable():
        return "'" + value.text.replace("'", "''") + "'"
    if value.quotes or not PLAIN.fullmatch(value.text):
        return '"' + "".join(escaped(character) for character in value.text) + '"'
    return value.text


def emit(written: object, indent: int = 0, flow: bool = False) -> str:
    """A value as YAML, to stand behind a colon or a dash."""
    value, flow = (
        (written.value, flow or written.flow)
        if isinstance(written, Written)
        else (written, flow)
    )
    if not isinstance(value, (Mapping, list)):
        return scalar(value)
    if isinstance(value, Mapping):
        pairs = [
            (scalar(key if isinstance(key, Text) else Text(key)), item)
            for key, item in value.items()
        ]
        if flow or not pairs:
            return (
                "{"
                + ", ".join(f"{key}: {emit(item, indent, True)}" for key, item in pairs)
                + "}"
            )
        pad = "\n" + " " * indent
        return "".join(f"{pad}{key}: {emit(item, indent + 2)}" for key, item in pairs)
    if flow or not value:
        return "[" + ", ".join(emit(item, indent, True) for item in value) + "]"
    return "".join(
        "\n" + " " * indent + f"- {emit(item, indent + 2).lstrip()}" for item in value
    )


LIKE_VALUES = [
    "no",
    "007",
    "1e5",
    "12:30",
    "2024-01-01",
    "true",
    "null",
    "5",
    "0.5",
    "<<",
    "-",
    "? a",
    "a: b",
    "#",
    "*a",
]
QUOTES = st.sampled_from(["", "'", '"'])
RAW = st.sampled_from(LIKE_VALUES) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
)
TEXTS = st.builds(Text, RAW, QUOTES)
WORDS = st.builds(
    Text,
    st.from_regex(r"[a-z0-9][a-z0-9.+-]{0,5}", fullmatch=True).filter(
        lambda word: word not in OF_EXPRESSIONS
    ),
    QUOTES,
)
NUMBERS = st.integers(-1000, 1000) | st.integers(-1000, 1000).map(lambda n: n / 8)
CONVERTS = re.compile(r"true|false|null|-?[0-9]+(\.[0-9]+)?")
VALUES = st.recursive(
    NUMBERS
    | st.booleans()
    | st.none()
    | TEXTS.filter(lambda text: bool(text.quotes) or not CONVERTS.fullmatch(text.text)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(RAW, inner, max_size=3),
    max_leaves=6,
)
GRADES = (
    st.integers(0, 3)
    | st.sampled_from([0.5, 1.25])
    | st.lists(st.integers(0, 3), min_size=1, max_size=3)
)
JUDGMENTS = st.dictionaries(RAW, GRADES, max_size=6)


def distinct(texts: list[Text]) -> bool:
    return len({text.text for text in texts}) == len(texts)


@st.composite
def cases(draw: st.DrawFn, number: int) -> dict[str, object]:
    """The keys of a case, whose id is its number, in any order."""
    query = draw(TEXTS.filter(lambda text: bool(text.text.strip())))
    optional = {
        "judgments": JUDGMENTS,
        "note": TEXTS,
        "k": st.integers(1, 100),
        "weight": st.integers(1, 9),
        "min_judged": st.sampled_from([0, 0.5, 1]),
        "discount": st.builds(Text, st.sampled_from(["log2", "ln"]), QUOTES),
        "unjudged": st.builds(Text, st.sampled_from(["zero", "skip"]), QUOTES),
        "ideal": st.builds(
            Text, st.sampled_from(["judged", "returned", "max"]), QUOTES
        ),
        "params": st.dictionaries(
            RAW.filter(lambda text: text not in ("k", "query", "<<")),
            VALUES,
            max_size=3,
        ),
        "usefixtures": st.lists(
            st.sampled_from(["db", "cache", "clock"]).map(Text), max_size=3, unique=True
        ),
        "tags": st.lists(WORDS, max_size=3).filter(distinct),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(optional)), unique=True))
    keys = {
        "query": query,
        "id": Text(f"case {number}"),
        **{name: draw(optional[name]) for name in chosen},
    }
    return dict(draw(st.permutations(list(keys.items()))))


@st.composite
def suites(draw: st.DrawFn) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The defaults of a suite, and the keys of its cases."""
    header = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "k": st.integers(1, 100),
                "search": st.just(Text("find")),
                "raters": st.builds(
                    Text, st.sampled_from(["median", "max", "majority"]), QUOTES
                ),
                "tags": st.lists(WORDS, max_size=3).filter(distinct),
                "min_judged": st.sampled_from([0, 0.25]),
            },
        )
    )
    return header, [draw(cases(number)) for number in range(draw(st.integers(1, 4)))]


@st.composite
def files(
    draw: st.DrawFn, header: dict[str, object], of_cases: list[dict[str, object]]
) -> str:
    """The text of a case file: every value in block or flow style, the cases above or below the defaults."""

    def styled(value: object) -> object:
        if isinstance(value, dict):
            return Written(
                {key: styled(item) for key, item in value.items()}, draw(st.booleans())
            )
        if isinstance(value, list):
            return Written([styled(item) for item in value], draw(st.booleans()))
        return value

    listed: list[object] = [styled(case) for case in of_cases]
    top = [(name, styled(value)) for name, value in header.items()]
    top.insert(
        draw(st.integers(0, len(top))), ("cases", Written(listed, draw(st.booleans())))
    )
    return emit(dict(top)).lstrip("\n") + "\n"


def plain(value: object) -> object:
    """What a value that was written means."""
    if isinstance(value, Text):
        return value.text
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@given(suite=suites(), data=st.data())
@settings(deadline=None)
def test_a_suite_is_read_back_as_it_was_written_and_the_schema_accepts_it(
    schema_says: Callable[[str], list[str]],
    suite: tuple[dict[str, object], list[dict[str, object]]],
    data: st.DataObject,
) -> None:
    header, of_cases = suite
    text = data.draw(files(header, of_cases))
    assert schema_says(text) == []
    read = parse_suite(text.encode(), "shop.yaml")
    assert len(read.cases) == len(of_cases)
    for case, written in zip(read.cases, of_cases, strict=True):
        expected = {"k": 10, "min_judged": 0, **header, **written}
        suite_tags, own_tags = (
            plain(header.get("tags", [])),
            plain(written.get("tags", [])),
        )
        assert isinstance(suite_tags, list)
        assert isinstance(own_tags, list)
        found = {
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
        for name, value in expected.items():
            if name not in ("tags", "judgments"):
                assert found[name] == plain(value), name
        assert list(case.tags) == list(dict.fromkeys([*suite_tags, *own_tags]))
        judged = written.get("judgments", {})
        assert isinstance(judged, dict)
        assert list(case.judgments) == list(judged)
        assert all(
            case.judgments[name] == grade
            for name, grade in judged.items()
            if not isinstance(grade, list)
        )


@dataclass(frozen=True)
class Poisoned:
    """A mistake: the key of a case that has it, and what stands there."""

    name: str
    value: object


OUCH = Text("ouch")
POISONS = [
    *(
        Poisoned(name, OUCH)
        for name in (
            "k",
            "min_ndcg",
            "weight",
            "min_judged",
            "gain",
            "discount",
            "scale",
        )
    ),
    *(
        Poisoned(name, OUCH)
        for name in (
            "ideal",
            "unjudged",
            "raters",
            "params",
            "tags",
            "expect",
            "tolerance",
        )
    ),
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
    suite: tuple[dict[str, object], list[dict[str, object]]],
    poison: Poisoned,
    data: st.DataObject,
) -> None:
    header, of_cases = suite
    number = data.draw(st.integers(0, len(of_cases) - 1))
    name = poison.name
    others = {key: value for key, value in of_cases[number].items() if key != name}
    of_cases[number] = dict(
        data.draw(st.permutations([*others.items(), (name, poison.value)]))
    )
    text = data.draw(files(header, of_cases))
    with pytest.raises(CaseFileError) as caught:
        parse_suite(text.encode(), "shop.yaml")
    (problem,) = caught.value.problems
    line = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)[problem.place.line - 1]
    assert re.match("[\"']?ouch", line[problem.place.column - 1 :])
    assert problem.case == ('"ouch::ouch"' if name == "id" else f'"case {number}"')


# Whatever the bytes: a suite, or every mistake with its place; never another exception


PIECES = [
    "cases:",
    "- query:",
    "judgments:",
    "id:",
    "k:",
    "tags:",
    "params:",
    "expect:",
    "scale:",
    "min_ndcg:",
    "<<:",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\n  ",
    "\n    ",
    "\t",
    "\r\n",
    ": ",
    ", ",
    "- ",
    "? ",
    "---\n",
    "...\n",
    "&a ",
    "*a",
    "&b",
    "*b ",
    "!!int ",
    "!x ",
    "{",
    "}",
    "[",
    "]",
    "{a: 1}",
    "[*a, *a]",
    '"',
    "'",
    "|\n",
    ">-\n",
    "x",
    "blue shoes",
    "1",
    "0.5",
    "-1",
    "no",
    "null",
    ".nan",
    "#",
    "# c\n",
    "%YAML 1.1\n",
    "@",
    "`",
    "\\",
    "\\ud800",
    "\ufeff",
    "\x00",
    "\x85",
    "\u2028",
    "é",
    "🙂",
    "P@5",
    "first",
    "ouch",
    "exact",
    "::",
    "k",
    "query",
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
        text = (
            text[:start]
            + draw(st.sampled_from(PIECES) | st.text(max_size=3))
            + text[end:]
        )
    return text.encode("utf-8", "replace")


ANYTHING = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map(
        lambda pieces: "".join(pieces).encode()
    ),
    st.lists(st.sampled_from(PIECES), max_size=15).map(
        lambda pieces: ("cases:\n  - query: " + "".join(pieces)).encode()
    ),
    st.text(max_size=40).map(
        lambda text: f"cases:\n  - query: {text}\n".encode("utf-8", "replace")
    ),
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
    lines = (
        data.count(b"\n")
        + data.count(b"\r")
        + data.count(b"\xc2\x85")
        + data.count(b"\xe2\x80")
        + 1
    )
    assert problems
    for problem in problems:
        assert 1 <= problem.place.line <= lines
        assert 1 <= problem.place.column <= len(data) + 1
        assert problem.message
        assert problem.render("shop.yaml").isprintable()


@given(data=ANYTHING)
def test_any_bytes_are_a_suite_or_an_error_with_places(data: bytes) -> None:
    assert_read_or_refused(data)
