"""What YAML itself brings: documents, encodings, lines, tags, and text that is no YAML."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Mistakes, Read, ReadCase

# One document, its encoding, its lines


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n...\n", "\ufeff"])
def test_an_empty_file(mistakes: Mistakes, text: str) -> None:
    assert mistakes(text) == ['1:1: the file is empty; a case file has "cases", a list of at least one "- query: ..."']


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- query: x\n", "1:1: the top level is a list"),
        ("\n\n'cases'\n", "3:1: the top level is a single value"),
        ("null\n", "1:1: the top level is a single value"),
    ],
)
def test_a_top_level_that_is_no_mapping(mistakes: Mistakes, text: str, found: str) -> None:
    assert mistakes(text) == [f'{found}; a case file is a mapping with the key "cases" (and the suite\'s defaults)']


def test_bytes_that_are_not_utf_8(mistakes: Mistakes) -> None:
    assert mistakes("cases:\n  - query: gr\xfc\xdfe\n".encode("latin-1")) == [
        "2:14: the file is not UTF-8: byte 0xfc cannot be read; save it as UTF-8"
    ]
    assert mistakes("\ufeffcases: [é".encode() + b"\xff") == [
        "1:10: the file is not UTF-8: byte 0xff cannot be read; save it as UTF-8"
    ]


def test_a_file_in_utf_16(mistakes: Mistakes) -> None:
    assert mistakes("cases: [{query: x}]".encode("utf-16")) == ["1:1: the file is UTF-16; save it as UTF-8"]


def test_a_byte_order_mark_is_no_part_of_the_text(case: ReadCase, mistakes: Mistakes) -> None:
    assert case("\ufeffcases: [{query: x}]").id == "x"
    (found,) = mistakes("\ufeffk: ten\ncases: [{query: x}]")
    assert found.startswith("1:4: k: ")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_of_every_system(read: Read, mistakes: Mistakes, newline: str) -> None:
    suite = read("cases:\n  - query: a\n    judgments:\n      x: 3\n  - query: b\n".replace("\n", newline).encode())
    assert [(case.id, case.line, case.judgments) for case in suite.cases] == [("a", 2, {"x": 3}), ("b", 5, {})]
    (found,) = mistakes("cases:\n  - query: a\n    k: ten\n".replace("\n", newline).encode())
    assert found.startswith("3:8: k: ")


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x9f", "\uffff"])
def test_a_control_character_in_the_text(mistakes: Mistakes, character: str) -> None:
    cure = f'write "\\u{ord(character):04x}" in double quotes, or take it out'
    assert mistakes(f"cases:\n  - query: ab{character}c\n".encode()) == [
        f"2:14: the character U+{ord(character):04X} may not stand in YAML as it is; {cure}"
    ]


# Text that is no YAML


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("cases:\n  - query: a: b\n", "2:13", "mapping values are not allowed in this context (a text with a colon ne"),
        ("cases:\n\t- query: a\n", "2:1", "cannot start any token (there is a tab; indent with spaces)"),
        ("cases:\n  - query: a\n\tk: 5\n", "3:1", "(there is a tab; indent with spaces)"),
        ("cases:\n  - query: @home\n", "2:12", "cannot start any token (a text that begins with this character needs"),
        ("cases:\n  - query: * star\n", "2:13", "while scanning an alias"),
        ('cases:\n  - query: "5 inch\n    k: 5\n', "2:12", "the quotes that open here are not closed"),
        ("cases:\n  - query: '90's shirt'\n", "2:16", "(look at the indentation, and at quotes that are not closed)"),
        ("cases:\n  - {query: a, tags: [b, c}\n", "2:27", "(look for a bracket that is not closed)"),
        ("cases:\n  - {query: a\n  - {query: b}\n", "3:5", "(look for a bracket that is not closed)"),
        ("cases:\n  - query: a\n   k: 5\n", "3:4", "did not find expected '-' indicator (look at the indentation)"),
        ("cases: [{query: a\nk: 5\n", "2:2", "while parsing a flow mapping begun in line 1"),
        ('cases:\n  - query: "\\ud800"\n', "2:15", "while parsing a quoted scalar"),
        ('cases:\n  - query: "\\q"\n', "2:13", "while parsing a quoted scalar, found unknown escape character"),
    ],
)
def test_text_that_is_no_yaml(mistakes: Mistakes, text: str, place: str, message: str) -> None:
    (found,) = mistakes(text)
    assert found.startswith(f"{place}: this is not YAML: ")
    assert message in found


@pytest.mark.parametrize("tag", ["!!int", "!!str", "!sku", "!<x>"])
def test_tags_of_yaml_have_no_meaning(mistakes: Mistakes, tag: str) -> None:
    for text in (f"{tag} k: 5\n", f"params: {tag} {{a: 1}}\n"):
        (found,) = mistakes(f"{text}cases: [{{query: x}}]\n")
        assert "has no meaning here; quotes make text, and a text that begins with ! needs them" in found
    for judgments in (f"{{a: {tag} 5}}", f"{{{tag} a: 5}}", f"{tag} {{a: 5}}"):
        (found,) = mistakes(f"cases:\n  - query: x\n    judgments: {judgments}\n")
        assert found.startswith("3:")
        assert "has no meaning here" in found
        assert found.endswith('(in case "x")')
