"""What YAML itself brings: documents, encodings, lines, tags, and text that is no
YAML.
"""

import tracemalloc

import pytest

from tests.cases.conftest import mistakes, read, read_case

# One document, its encoding, its lines


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n...\n", "\ufeff"])
def test_an_empty_file(text: str) -> None:
    assert mistakes(text) == [
        '1:1: the file is empty; a case file has "cases", a list of at least one "- query: ..."'
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    {
        "- query: x\n": "1:1: the top level is a list",
        "\n\n'cases'\n": "3:1: the top level is a single value",
        "null\n": "1:1: the top level is a single value",
    }.items(),
)
def test_a_top_level_that_is_no_mapping(text: str, found: str) -> None:
    assert mistakes(text) == [
        f'{found}; a case file is a mapping with the key "cases" (and the suite\'s defaults)'
    ]


def test_bytes_that_are_not_utf_8() -> None:
    assert mistakes("cases:\n  - query: gr\xfc\xdfe\n".encode("latin-1")) == [
        "2:14: the file is not UTF-8: byte 0xfc cannot be read; save it as UTF-8"
    ]
    assert mistakes("\ufeffcases: [é".encode() + b"\xff") == [
        "1:10: the file is not UTF-8: byte 0xff cannot be read; save it as UTF-8"
    ]


def test_a_file_in_utf_16() -> None:
    assert mistakes("cases: [{query: x}]".encode("utf-16")) == [
        "1:1: the file is UTF-16; save it as UTF-8"
    ]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read_case("\ufeffcases: [{query: x}]").id == "x"
    (found,) = mistakes("\ufeffk: ten\ncases: [{query: x}]")
    assert found.startswith("1:4: k: ")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_of_every_system(newline: str) -> None:
    text = "cases:\n  - query: a\n    judgments:\n      x: 3\n  - query: b\n"
    first, second = read(text.replace("\n", newline).encode()).cases
    assert (first.id, first.line, first.judgments) == ("a", 2, {"x": 3})
    assert (second.id, second.line, second.judgments) == ("b", 5, {})
    wrong = "cases:\n  - query: a\n    k: ten\n"
    (found,) = mistakes(wrong.replace("\n", newline).encode())
    assert found.startswith("3:8: k: ")


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x9f", "\uffff"])
def test_a_control_character_in_the_text(character: str) -> None:
    cure = f'write "\\u{ord(character):04x}" in double quotes, or take it out'
    assert mistakes(f"cases:\n  - query: ab{character}c\n".encode()) == [
        f"2:14: the character U+{ord(character):04X} may not stand in YAML as it is; {cure}"
    ]


# Text that is no YAML


COLON = "(a text with a colon needs quotes)"
CHARACTER = "(a text that begins with this character needs quotes)"
TAB = "(there is a tab; indent with spaces)"
INDENT = "(look at the indentation)"
QUOTES = "(look at the indentation, and at quotes that are not closed)"
BRACKET = "(look for a bracket that is not closed)"
TEMPLATE = '(put a template in quotes, "{_index}/{_id}")'


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        ("cases:\n  - query: a: b\n", "2:13", "mapping values are not allowed in this", COLON),
        ("cases:\n\t- query: a\n", "2:1", "", TAB),
        ("cases:\n  - query: a\n\tk: 5\n", "3:1", "", TAB),
        ("cases:\n  - query: @home\n", "2:12", "cannot start any token", CHARACTER),
        ("cases:\n  - query: '90's shirt'\n", "2:16", "", QUOTES),
        ("cases:\n  - {query: a, tags: [b, c}\n", "2:27", "", BRACKET),
        ("cases:\n  - {query: a\n  - {query: b}\n", "3:5", "", BRACKET),
        ("cases:\n  - query: a\n   k: 5\n", "3:4", "did not find expected '-' indicator", INDENT),
        ("id_field: {_index}/{_id}\ncases: [{query: a}]\n", "1:19", "", TEMPLATE),
        ("cases:\n  - query: * star\n", "2:13", "while scanning an alias", ""),
        ("cases: [{query: a\nk: 5\n", "2:2", "parsing a flow mapping begun in line 1", ""),
        ('cases:\n  - query: "\\ud800"\n', "2:15", "while parsing a quoted scalar", ""),
        ('cases:\n  - query: "\\q"\n', "2:13", "found unknown escape character", ""),
        ('cases:\n  - query: "5 inch\n    k: 5\n', "2:12", "the quotes that open here", ""),
    ],
)  # fmt: skip
def test_text_that_is_no_yaml(text: str, place: str, message: str, advice: str) -> None:
    (found,) = mistakes(text)
    assert found.startswith(f"{place}: this is not YAML: ")
    assert message in found
    assert found.endswith(advice)


@pytest.mark.parametrize("tag", ["!!int", "!!str", "!sku", "!<x>"])
def test_tags_of_yaml_have_no_meaning(tag: str) -> None:
    for text in (f"{tag} k: 5\n", f"params: {tag} {{a: 1}}\n"):
        (found,) = mistakes(f"{text}cases: [{{query: x}}]\n")
        assert "has no meaning here; put a text that begins with ! in quotes" in found
    for judgments in (f"{{a: {tag} 5}}", f"{{{tag} a: 5}}", f"{tag} {{a: 5}}"):
        (found,) = mistakes(f"cases:\n  - query: x\n    judgments: {judgments}\n")
        assert found.startswith("3:")
        assert "has no meaning here" in found
        assert found.endswith('(in case "x")')


# Anchors, aliases and merge keys: what they mean in a case file, and how far they may
# go


def test_anchors_and_aliases_of_every_kind_of_value() -> None:
    suite = read(
        """
        tags: &all [&head head, tail]
        cases:
          - query: &shoes blue shoes
            judgments: &judged {a: &three 3, b: 1}
            params: &where {country: &country GB, size: *three}
            tags: *all
          - query: red shoes
            note: *shoes
            judgments: *judged
            params: {country: *country}
            tags: [*head]
            expect: {first: [a, *head]}
          - {query: shoes, judgments: {c: *three}}
        """
    )
    first, second, third = suite.cases
    assert first.judgments == second.judgments == {"a": 3, "b": 1}
    assert (first.params, second.params) == (
        {"country": "GB", "size": 3},
        {"country": "GB"},
    )
    assert first.tags == second.tags == ("head", "tail")
    assert second.note == "blue shoes"
    assert second.expect[0].documents == ("a", "head")
    assert third.judgments == {"c": 3}


def test_a_case_may_be_merged_into_another() -> None:
    suite = read(
        """
        cases:
          - &shoes
            query: blue shoes
            judgments: {a: [1, 2], b: {grade: 1, title: Boot}}
            k: 5
          - <<: *shoes
            query: red shoes
            k: 3
          - {query: shoes, <<: *shoes}
        """
    )
    assert [(case.query, case.k, case.line) for case in suite.cases] == [
        ("blue shoes", 5, 3),
        ("red shoes", 3, 7),
        ("shoes", 5, 10),
    ]
    assert all(case.judgments == {"a": 1.5, "b": 1} for case in suite.cases)
    assert all(case.titles == {"b": "Boot"} for case in suite.cases)


def test_judgments_may_be_merged() -> None:
    suite = read(
        """
        cases:
          - {query: a, judgments: &a {x: 1, y: 2}}
          - {query: b, judgments: &b {y: 3, z: 0}}
          - query: c
            judgments:
              <<: [*a, *b]
              w: 1
              x: 0
          - {query: d, judgments: {<<: *a, <<: *b}}
          - {query: e, judgments: {"<<": 1}}
        """
    )
    assert [case.judgments for case in suite.cases[2:]] == [
        {"w": 1, "x": 0, "y": 2, "z": 0},
        {"x": 1, "y": 2, "z": 0},
        {"<<": 1},
    ]


def test_keys_of_a_suite_may_be_merged() -> None:
    text = "cases: [{query: a}]\n<<: [{k: 3, depth: 5}, {depth: 7, search: find}]\ndepth: 6\n"
    for written in (text, "".join(reversed(text.splitlines(keepends=True)))):
        suite = read(written)
        assert (suite.terms.k, suite.terms.depth, suite.terms.search) == (3, 6, "find")
        assert suite.cases[0].k == 3
    assert mistakes("<<: 3\ncases: [{query: a}]")[0].startswith(
        '1:1: a merge key "<<" takes a mapping or a list'
    )
    (found,) = mistakes("<<: {kk: 3}\ncases: [{query: a}]")
    assert found.startswith('1:6: unknown key "kk" of a suite')


@pytest.mark.parametrize("value", ["3", "[{a: 1}, b]"])
def test_what_cannot_be_merged(value: str) -> None:
    (found,) = mistakes(f"cases:\n  - query: x\n    params: {{<<: {value}, c: 1}}\n")
    assert (
        found
        == '3:14: a merge key "<<" takes a mapping or a list of mappings (aliases) (in case "x")'
    )


def test_a_mistake_behind_an_anchor_is_one_mistake() -> None:
    found = mistakes(
        "cases:\n  - {query: a, expect: &e {P@5: high}, judgments: {x: 1}}\n  - {query: b, expect: *e}\n"
    )
    assert [line.partition(": ")[0] for line in found] == ["2:33"]
    assert found[0].endswith('(in case "a")')


# Their limits


TEN = ", ".join("0123456789")


def doubled(template: str) -> str:
    """Forty anchors, each of which stands for the one before twice."""
    return ", ".join(
        f"x{i}: &x{i} " + template.replace("@", f"*x{i - 1}") for i in range(1, 41)
    )


BOMBS = {
    "a list of lists": f"params: {{x0: &x0 [{TEN}], {doubled('[@, @]')}}}\ncases: [{{query: x}}]\n",
    "merge keys": f"cases:\n  - query: x\n    params: {{x0: &x0 {{a: 1}}, {doubled('{<<: [@, @], b: @}')}}}\n",
    "ratings": f"cases:\n  - query: x\n    judgments:\n      a: &a [{', '.join([TEN] * 100)}]\n"
    + "".join(f"      d{i}: *a\n" for i in range(600)),
    "unknown keys": f"x0: &x0 [{TEN}]\n"
    + doubled("[@, @]").replace("], ", "]\n")
    + "\n",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_file_that_expands_beyond_a_sane_size_is_refused_before_it_expands(
    text: str,
) -> None:
    tracemalloc.start()
    try:
        found = mistakes(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "the aliases up to here expand to more than 5" in found[-1]
    assert found[-1].endswith("values; the file is refused")
    assert peak < 32 * 2**20


def test_what_many_cases_share_is_no_bomb() -> None:
    """Each alias stands for some ninety values: together for more than a file may have
    that is not as long.
    """
    shared = [*range(90)]
    text = f"params: {{deep: &p {shared}}}\ncases:\n" + "".join(
        f"  - {{query: q{i}, params: {{p: *p}}}}\n" for i in range(6_000)
    )
    suite = read(text)
    assert len(suite.cases) == 6_000
    assert suite.cases[-1].params == {"deep": shared, "p": shared}


@pytest.mark.parametrize(
    "text",
    [
        "params: &a {b: *a}\ncases: [{query: x}]",
        "cases:\n  - &a\n    query: x\n    params: {b: [*a]}\n",
        "cases:\n  - query: x\n    judgments: &a {<<: *a}\n",
    ],
)
def test_an_alias_inside_its_own_anchor(text: str) -> None:
    assert "the alias *a stands inside its own anchor" in mistakes(text)[0]


def test_an_alias_without_an_anchor_may_be_a_text_that_lacks_quotes() -> None:
    assert mistakes("cases:\n  - query: *shoes\n") == [
        "2:12: the alias *shoes has no anchor &shoes before it; put a text that "
        "begins with * in quotes"
    ]
    assert mistakes("cases:\n  - query: x\n    judgments: {a: *b}\n") == [
        "3:20: the alias *b has no anchor &b before it; put a text that begins with "
        "* in quotes"
    ]


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting(opening: str) -> None:
    (found,) = mistakes("params:\n  " + opening * 5000)
    assert "nested deeper than 60 levels" in found


@pytest.mark.parametrize("key", ["[a]", "{a: b}", "? [a]\n:"])
def test_a_key_that_is_no_text(key: str) -> None:
    (found,) = mistakes(f"{key}: 1\n" if not key.startswith("?") else f"{key} 1\n")
    assert "a key is plain or quoted text, found something else" in found


def test_an_alias_may_be_a_key() -> None:
    assert read_case(
        "cases: [{query: x, note: &n doc, judgments: {*n : 3}}]"
    ).judgments == {"doc": 3}
